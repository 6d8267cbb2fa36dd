/* SPDX-License-Identifier: MIT */
/*
 * The nearest name: close slips are found, far words bring none.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/base.h"
#include "base/nearest.h"

TestSuite(nearest, .timeout = 10);

static uint32_t distance(const char *a, const char *b)
{
    const uint32_t there = deja__name_distance(a, strlen(a), b, strlen(b));
    const uint32_t back = deja__name_distance(b, strlen(b), a, strlen(a));
    cr_assert(eq(u32, there, back));
    return there;
}

Test(nearest, counts_letters_put_in_left_out_changed_and_swapped)
{
    cr_assert(eq(u32, distance("take", "take"), 0));
    cr_assert(eq(u32, distance("take", "tak"), 1));
    cr_assert(eq(u32, distance("take", "taken"), 1));
    cr_assert(eq(u32, distance("take", "tame"), 1));
    cr_assert(eq(u32, distance("take", "tkae"), 1));
    cr_assert(eq(u32, distance("take", "atek"), 2));
    cr_assert(eq(u32, distance("", "ab"), 2));
    cr_assert(eq(u32, distance("", ""), 0));
}

Test(nearest, says_far_above_two)
{
    cr_assert(eq(u32, distance("take", "resign"), DEJA__DISTANCE_FAR));
    cr_assert(eq(u32, distance("abcd", "dcba"), DEJA__DISTANCE_FAR));
    cr_assert(eq(u32, distance("", "abc"), DEJA__DISTANCE_FAR));
}

Test(nearest, takes_words_of_any_length)
{
    char longest[200];
    memset(longest, 'x', sizeof longest);
    cr_assert(
        eq(u32, deja__name_distance(longest, DEJA__NAME_MAX, longest, DEJA__NAME_MAX - 1), 1));
    cr_assert(eq(u32, deja__name_distance(longest, sizeof longest, longest, sizeof longest),
                 DEJA__DISTANCE_FAR));
    cr_assert(eq(u32, deja__name_distance(longest, DEJA__NAME_MAX, longest, DEJA__NAME_MAX + 1),
                 DEJA__DISTANCE_FAR));
}

Test(nearest, finds_the_first_of_the_nearest)
{
    const char *const names[] = { "resign", "tale", "take", "lake" };
    cr_assert(eq(str, (char *)deja__nearest_of("taek", 4, names, 4), "take"));
    cr_assert(eq(str, (char *)deja__nearest_of("tafe", 4, names, 4), "tale"));
    cr_assert(eq(ptr, (void *)deja__nearest_of("fly", 3, names, 4), NULL));
    cr_assert(eq(ptr, (void *)deja__nearest_of("fly", 3, names, 0), NULL));
}

Test(nearest, does_not_guess_at_words_of_one_or_two_letters)
{
    const char *const names[] = { "n", "row" };
    cr_assert(eq(ptr, (void *)deja__nearest_of("x", 1, names, 2), NULL));
    cr_assert(eq(ptr, (void *)deja__nearest_of("ro", 2, names, 1), NULL));
    cr_assert(eq(str, (char *)deja__nearest_of("ro", 2, names, 2), "row"));
}
