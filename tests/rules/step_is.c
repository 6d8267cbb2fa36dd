/* SPDX-License-Identifier: MIT */
/*
 * What is true of a step: the words of expected.txt's WHEN, read from canonical bytes alone.
 */
#include <stdlib.h>

#include "rules/play.h"
#include "support/demand.h"

static uint32_t sum(const unsigned char *items, uint32_t count)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += items[i];
    return all;
}

static uint32_t number16(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

static bool take_is(const char *when, const step_facts *facts)
{
    const uint32_t rows = facts->state[0];
    const unsigned char *sticks = facts->state + 4;
    uint32_t pairs = 0;
    for (uint32_t row = 0; row < rows; row++)
        pairs += sticks[row] == 2;
    if (strcmp(when, "row-emptied") == 0)
        return sticks[facts->command[2]] == 0 && sum(sticks, rows) != 0;
    if (strcmp(when, "two-pairs") == 0)
        return pairs == 2 && sum(sticks, rows) == 4;
    return strcmp(when, "seven-left") == 0 && sum(sticks, rows) == 7;
}

/* Row by row, holes are 0, 1 2, 3 4 5...: a jump within its row is over the hole between. */
static bool peg_is(const char *when, const step_facts *facts)
{
    const uint32_t rows = facts->state[0], holes = facts->state[1];
    const uint32_t left = sum(facts->state + 5, holes);
    const bool is_jump = facts->command[0] == 1;
    const uint32_t from = number16(facts->command + 2);
    const uint32_t to = is_jump ? number16(facts->command + 4) : 0;
    if (strcmp(when, "eight-left") == 0)
        return left == 8;
    if (strcmp(when, "last-row") == 0)
        return is_jump && to >= holes - rows;
    /* over e (4) from row to row: b to i, c to h, and back */
    return strcmp(when, "over-e") == 0 && is_jump && left == 8 &&
           ((from == 1 && to == 8) || (from == 8 && to == 1) || (from == 2 && to == 7) ||
            (from == 7 && to == 2));
}

static uint64_t number64(const unsigned char *bytes)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < 8; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

/* Points of 8 bytes for each player, the run likewise, the dice, side and phase, the turn. */
static bool dice_are(const char *when, const step_facts *facts)
{
    enum { PICK = 2, BANK = 3 };
    const unsigned char *run = facts->state + 4 + 8 * facts->state[0];
    const uint32_t dice = run[8], kind = facts->command[0];
    if (strcmp(when, "five-digits") == 0)
        return kind == PICK && (int64_t)number64(run) >= 10000;
    if (strcmp(when, "all-dice") == 0)
        return kind == PICK && dice == 5;
    return strcmp(when, "twelfth-turn") == 0 && kind == BANK && number64(run + 12) == 12;
}

/*
 * A skirmish tells what happened by events; behind 8 bytes of the tick, 2 of the land's size and
 * 192 of its ground come the units, by id.
 */
static uint32_t event_size(uint32_t kind)
{
    static const uint32_t sizes[] = { 5, 7, 6, 4, 6, 6, 8 };
    demand(kind < sizeof sizes / sizeof *sizes, "an event of another skirmish");
    return sizes[kind];
}

/* When a unit came. */
static uint64_t unit_since(const step_facts *facts, uint32_t id)
{
    enum { UNITS = 8 + 2 + 192 };
    const unsigned char *at = facts->state + UNITS + 4;
    for (uint32_t left = facts->state[UNITS]; left > 0; left--) {
        const uint64_t since = number64(at + 8);
        if (number16(at) == id)
            return since;
        at += 16;
        at += number16(at) == 0 ? 2 : 4; /* what it does */
        at += *at ? 11 : 1;              /* what it makes */
    }
    demand(false, "no unit %u", id);
    return 0;
}

static bool skirmish_is(const char *when, const step_facts *facts)
{
    enum { STRUCK = 1, WAITED = 5 };
    const bool blow = strcmp(when, "blow") == 0, passed_over = strcmp(when, "passed-over") == 0;
    for (uint64_t at = 0; at < facts->events_size;) {
        const unsigned char *event = facts->events + at;
        const uint32_t kind = number16(event);
        if (blow && kind == STRUCK)
            return true;
        if (passed_over && kind == WAITED &&
            unit_since(facts, number16(event + 2)) < unit_since(facts, number16(event + 4)))
            return true;
        at += event_size(kind);
    }
    return false;
}

bool step_is(const char *when, const step_facts *facts)
{
    if (strcmp(when, "no-such-piece") == 0)
        return strcmp(facts->result, "no_such_piece") == 0;
    if (!facts->is_accepted)
        return false;
    if (strncmp(when, "step-", 5) == 0)
        return facts->accepted == (uint32_t)atoi(when + 5);
    if (strcmp(when, "end") == 0)
        return facts->command[0] == 4;
    if (strcmp(when, "plant") == 0)
        return number16(facts->command) == 2;
    if (strcmp(facts->game, "matchgame") == 0)
        return take_is(when, facts);
    if (strcmp(facts->game, "dixmille") == 0)
        return dice_are(when, facts);
    if (strcmp(facts->game, "skirmish") == 0)
        return skirmish_is(when, facts);
    return strcmp(facts->game, "peg") == 0 && peg_is(when, facts);
}
