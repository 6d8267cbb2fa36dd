/* SPDX-License-Identifier: MIT */
/*
 * Dix-mille's dice and points: what a throw is worth, in which ways it can be picked from, and how
 * points are added. A part of dixmille.c; static, as a rules library exports one constant and
 * nothing else.
 *
 * What scores is a set of equal dice: a One alone is 100 and a Five alone 50; three equal dice are
 * a hundred times their face, three Ones a thousand; a fourth and a fifth make it ten times more
 * each. A choice is one set or several, all from the same throw.
 */
#ifndef DEJA_GAMES_DIXMILLE_SCORE_H
#define DEJA_GAMES_DIXMILLE_SCORE_H

#include <deja/rules.h>

enum {
    FACES = 6,
    DICE = 5,         /* that the game is played with */
    CHOICES_MAX = 15, /* 1 1 1 1 5 has as many, and no throw has more */
    TARGET = 10000
};

typedef struct set {
    uint8_t face;
    uint8_t dice;
    uint32_t points;
} set;

/* In the order in which choices are listed. */
static const set sets[] = {
    { 1, 1, 100 },  { 1, 3, 1000 },  { 1, 4, 10000 }, { 1, 5, 100000 }, { 2, 3, 200 },
    { 2, 4, 2000 }, { 2, 5, 20000 }, { 3, 3, 300 },   { 3, 4, 3000 },   { 3, 5, 30000 },
    { 4, 3, 400 },  { 4, 4, 4000 },  { 4, 5, 40000 }, { 5, 1, 50 },     { 5, 3, 500 },
    { 5, 4, 5000 }, { 5, 5, 50000 }, { 6, 3, 600 },   { 6, 4, 6000 },   { 6, 5, 60000 },
};
enum { SETS = sizeof sets / sizeof *sets };

typedef struct choice {
    uint8_t sets[DICE]; /* places in `sets`, never falling: so no choice is listed twice */
    uint8_t set_count;
    uint8_t dice;
    uint32_t points;
} choice;

typedef struct choices {
    choice items[CHOICES_MAX];
    uint32_t count;
} choices;

/* How many dice show each face. What a state that was loaded says beyond the faces is no die. */
typedef struct tally {
    uint8_t of[FACES + 1];
} tally;

static tally count_faces(const uint8_t *roll, uint32_t roll_count)
{
    tally t = { { 0 } };
    for (uint32_t i = 0; i < roll_count && i < DICE; i++)
        if (roll[i] >= 1 && roll[i] <= FACES)
            t.of[roll[i]]++;
    return t;
}

/* Whether there is anything to pick. */
static bool scores(const uint8_t *roll, uint32_t roll_count)
{
    const tally t = count_faces(roll, roll_count);
    bool any = t.of[1] != 0 || t.of[5] != 0;
    for (uint32_t face = 1; face <= FACES; face++)
        any |= t.of[face] >= 3;
    return any;
}

/* Each way to go on from `begun` with sets from place `from` on: first the set alone, then all that
 * it can be followed by, and only then the next set. Each set takes a die, so this ends, 5 deep. */
static void list_choices(choices *found, const choice *begun, uint32_t from, tally left)
{
    for (uint32_t i = from; i < SETS; i++) {
        const set s = sets[i];
        if (left.of[s.face] < s.dice)
            continue;
        choice next = *begun;
        next.sets[next.set_count++] = (uint8_t)i;
        next.dice = (uint8_t)(next.dice + s.dice);
        next.points += s.points;
        found->items[found->count++] = next;
        tally rest = left;
        rest.of[s.face] = (uint8_t)(rest.of[s.face] - s.dice);
        list_choices(found, &next, i, rest);
    }
}

static choices find_choices(const uint8_t *roll, uint32_t roll_count)
{
    const choice nothing = { { 0 }, 0, 0, 0 };
    choices found;
    found.count = 0;
    list_choices(&found, &nothing, 0, count_faces(roll, roll_count));
    return found;
}

/*
 * Points have no floor and 64 bits. A throw adds at most 100,000 to a run, so that a run needs 92
 * million million throws without a bust to pass them, and nobody's points go below the target less
 * the longest run there was: what is added to points below 0 can only raise them, or bring them to
 * twice the target less the sum, which is above the target less the run.
 *
 * Only a state that was loaded can be so near the end that a sum does not fit; it then comes round
 * at the other side, which is the same everywhere.
 */
static int64_t plain_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* What goes beyond the target comes back from it. */
static int64_t add_points(int64_t points, int64_t more)
{
    const int64_t sum = plain_sum(points, more);
    return sum <= TARGET ? sum : 2 * TARGET - sum;
}

#endif
