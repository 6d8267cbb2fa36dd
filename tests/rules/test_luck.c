/* SPDX-License-Identifier: MIT */
/*
 * Luck: the published numbers of PCG32, ranges without a lean, shuffles, and that draws are
 * counted.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <deja/rules.h>

TestSuite(luck, .timeout = 120);

static deja_luck luck_of(uint64_t seed, uint64_t stream)
{
    deja_luck luck;
    memset(&luck, 0xff, sizeof luck); /* nothing of before may matter */
    deja_luck_seed(&luck, seed, stream);
    return luck;
}

/* The demo program of the reference implementation, first round: pcg32_srandom(42, 54). */
Test(luck, draws_the_published_numbers)
{
    static const uint32_t published[] = { 0xa15c02b7, 0x7b47f409, 0xba1d3330,
                                          0x83d2f293, 0xbfa4784b, 0xcbed606e };
    deja_luck luck = luck_of(42, 54);
    cr_assert(eq(u64, luck.draws, 0));
    for (uint32_t i = 0; i < sizeof published / sizeof *published; i++) {
        cr_assert(eq(u32, deja_luck_next(&luck), published[i]));
        cr_assert(eq(u64, luck.draws, i + 1));
    }
}

/* The same program's coins and dice go on from there. */
Test(luck, throws_the_published_coins_and_dice)
{
    static const char coins[] = "HHTTTHTHHHTHTTTHHHHHTTTHHHTHTHTHTTHTTTHHHHHHTTTTHHTTTTTHTTTTTTTHT";
    static const uint32_t dice[] = { 3, 4, 1, 1, 2, 2, 3, 2, 4, 3, 2, 4, 3, 3, 5, 2, 3,
                                     1, 3, 1, 5, 1, 4, 1, 5, 6, 4, 6, 6, 2, 6, 3, 3 };
    deja_luck luck = luck_of(42, 54);
    for (uint32_t i = 0; i < 6; i++)
        deja_luck_next(&luck);
    for (uint32_t i = 0; i < 65; i++)
        cr_assert(eq(int, deja_luck_below(&luck, 2) ? 'H' : 'T', coins[i]));
    for (uint32_t i = 0; i < 33; i++)
        cr_assert(eq(u32, deja_luck_below(&luck, 6) + 1, dice[i]));
}

Test(luck, takes_any_seed_and_any_stream)
{
    static const uint64_t numbers[] = { 0, 1, 2, UINT32_MAX, UINT64_MAX >> 1, UINT64_MAX };
    uint32_t seen[36];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t k = 0; k < 6; k++) {
            deja_luck luck = luck_of(numbers[i], numbers[k]), again = luck;
            cr_assert(luck.increment % 2 == 1);
            seen[count] = deja_luck_next(&luck);
            cr_assert(eq(u32, deja_luck_next(&again), seen[count]));
            count++;
        }
    }
    /* Other numbers for another stream of a seed, and for another seed of a stream; but the top bit
     * of a stream's number has no room. */
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const bool is_same = i / 6 == k / 6 && i % 6 == 5 && k % 6 == 4;
            if (i / 6 == k / 6 || i % 6 == k % 6)
                cr_assert(eq(int, seen[i] == seen[k], is_same));
        }
    }
}

/* ---- ranges ---- */

Test(luck, falls_on_each_number_below_a_limit_alike)
{
    static const uint32_t limits[] = { 1, 2, 3, 5, 6, 7, 10, 13, 100 };
    enum { EACH = 4000 };
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uint32_t seen[100] = { 0 };
        deja_luck luck = luck_of(99, i);
        for (uint32_t k = 0; k < limits[i] * EACH; k++) {
            const uint32_t number = deja_luck_below(&luck, limits[i]);
            cr_assert(number < limits[i]);
            seen[number]++;
        }
        for (uint32_t k = 0; k < limits[i]; k++)
            cr_assert(seen[k] > EACH * 93 / 100 && seen[k] < EACH * 107 / 100, "%u of %u: %u", k,
                      limits[i], seen[k]);
    }
}

/* Just above half of all numbers, a lean would be largest: two draws of three would be below half
 * of it. And nearly half of the draws are left out, each of which is counted. */
Test(luck, does_not_lean_where_half_of_the_draws_are_left_out)
{
    const uint32_t limit = (1u << 31) + 1;
    enum { DRAWS = 40000 };
    deja_luck luck = luck_of(5, 5);
    uint32_t low = 0;
    for (uint32_t i = 0; i < DRAWS; i++)
        low += deja_luck_below(&luck, limit) < limit / 2;
    cr_assert(low > DRAWS * 48 / 100 && low < DRAWS * 52 / 100, "%u", low);
    cr_assert(luck.draws > DRAWS * 19 / 10 && luck.draws < DRAWS * 21 / 10);
}

Test(luck, draws_nothing_for_a_limit_of_0)
{
    deja_luck luck = luck_of(1, 1);
    cr_assert(eq(u32, deja_luck_below(&luck, 0), 0));
    cr_assert(eq(u64, luck.draws, 0));
    cr_assert(eq(u32, deja_luck_below(&luck, 1), 0));
    cr_assert(eq(u64, luck.draws, 1));
}

Test(luck, stays_in_its_range_to_both_ends)
{
    static const int32_t ranges[][2] = { { 0, 0 },
                                         { -3, 3 },
                                         { 7, 9 },
                                         { -9, -7 },
                                         { INT32_MIN, INT32_MIN + 2 },
                                         { INT32_MAX - 2, INT32_MAX } };
    for (uint32_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        deja_luck luck = luck_of(3, i);
        bool least = false, most = false;
        for (uint32_t k = 0; k < 200; k++) {
            const int32_t number = deja_luck_range(&luck, ranges[i][0], ranges[i][1]);
            cr_assert(number >= ranges[i][0] && number <= ranges[i][1]);
            least |= number == ranges[i][0];
            most |= number == ranges[i][1];
        }
        cr_assert(least && most);
    }
}

Test(luck, takes_the_whole_range_and_an_empty_one)
{
    deja_luck luck = luck_of(8, 8), same = luck;
    bool negative = false, positive = false;
    for (uint32_t i = 0; i < 64; i++) {
        const int32_t number = deja_luck_range(&luck, INT32_MIN, INT32_MAX);
        const int64_t expected = (int64_t)INT32_MIN + deja_luck_next(&same);
        cr_assert(eq(i64, number, expected));
        negative |= number < 0;
        positive |= number > 0;
    }
    cr_assert(negative && positive);
    cr_assert(eq(i32, deja_luck_range(&luck, 4, 3), 4));
    cr_assert(eq(u64, luck.draws, 64));
}

Test(luck, meets_a_chance_as_often_as_it_says)
{
    deja_luck luck = luck_of(21, 0);
    uint32_t met = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        const uint32_t roll = deja_luck_percent(&luck);
        cr_assert(roll < 100);
        met += roll < 30;
    }
    cr_assert(met > 5700 && met < 6300, "%u", met);
}

/* ---- shuffles ---- */

Test(luck, shuffles_three_into_each_order_alike)
{
    enum { ROUNDS = 12000 };
    uint32_t seen[27] = { 0 }, orders = 0;
    deja_luck luck = luck_of(17, 2);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint16_t cards[3] = { 0, 1, 2 };
        deja_luck_shuffle(&luck, cards, 3, sizeof *cards);
        seen[cards[0] * 9 + cards[1] * 3 + cards[2]]++;
    }
    for (uint32_t i = 0; i < 27; i++) {
        orders += seen[i] != 0;
        cr_assert(seen[i] == 0 || (seen[i] > 1800 && seen[i] < 2200), "%u", seen[i]);
    }
    cr_assert(eq(u32, orders, 6));
    cr_assert(luck.draws >= 2 * ROUNDS && luck.draws < 2 * ROUNDS + 4);
}

Test(luck, shuffles_items_of_any_size_whole)
{
    struct card {
        char name[11];
        uint64_t number;
        uint8_t end;
    } cards[20];
    memset(cards, 0, sizeof cards);
    for (uint32_t i = 0; i < 20; i++) {
        cards[i].number = i;
        cards[i].end = (uint8_t)(i + 100);
        cards[i].name[10] = (char)i;
    }
    deja_luck luck = luck_of(1, 0);
    deja_luck_shuffle(&luck, cards, 20, sizeof *cards);
    uint32_t found = 0, moved = 0;
    for (uint32_t i = 0; i < 20; i++) {
        found |= 1u << cards[i].number;
        moved += cards[i].number != i;
        cr_assert(cards[i].end == cards[i].number + 100);
        cr_assert(cards[i].name[10] == (char)cards[i].number);
    }
    cr_assert(found == (1u << 20) - 1 && moved > 10);
}

Test(luck, draws_nothing_to_shuffle_one_item_or_none)
{
    deja_luck luck = luck_of(1, 0);
    uint32_t one = 7;
    deja_luck_shuffle(&luck, &one, 1, sizeof one);
    deja_luck_shuffle(&luck, NULL, 0, sizeof one);
    cr_assert(eq(u64, luck.draws, 0));
    cr_assert(eq(u32, one, 7));
}
