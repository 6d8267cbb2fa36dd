/* SPDX-License-Identifier: MIT */
/*
 * Peg's board: which holes there are, which jumps they allow, and which of these are possible. A
 * part of peg.c; static, as a rules library exports one constant and nothing else.
 *
 * Holes are counted from 0, row by row from the top:
 *
 *          0              row 0
 *        1   2            row 1
 *      3   4   5          row 2: places 0, 1 and 2
 *
 * A jump goes two holes along one of three lines: within the row, or down one of the two sides.
 */
#ifndef DEJA_GAMES_PEG_BOARD_H
#define DEJA_GAMES_PEG_BOARD_H

#include <deja/rules.h>

enum { ROWS_MAX = 32, HOLES_MAX = ROWS_MAX * (ROWS_MAX + 1) / 2, DIRECTIONS = 6 };

typedef struct peg {
    uint8_t rows;
    bool pegs[HOLES_MAX];
    uint32_t hole_count;
} peg;

/* Row and place in the row, both from 0; row r has the places 0 to r. */
typedef struct spot {
    int32_t row;
    int32_t place;
} spot;

typedef struct jump {
    uint16_t from;
    uint16_t over;
    uint16_t to;
} jump;

static const spot directions[DIRECTIONS] = { { -1, 0 }, { -1, -1 }, { 0, -1 },
                                             { 0, 1 },  { 1, 0 },   { 1, 1 } };

static uint32_t triangle(uint32_t rows)
{
    return rows * (rows + 1) / 2;
}

/* A state that was loaded may say anything: rows that its holes do not fill are no board. */
static uint32_t rows_of(const peg *board)
{
    return board->rows <= ROWS_MAX && triangle(board->rows) == board->hole_count ? board->rows : 0;
}

/* Counts the rows that begin before: as many turns for every hole, which processors foresee. */
static spot spot_of(uint32_t rows, uint32_t hole)
{
    uint32_t row = 0;
    for (uint32_t below = 1; below < rows; below++)
        row += hole >= triangle(below);
    return (spot){ (int32_t)row, (int32_t)(hole - triangle(row)) };
}

static uint16_t hole_of(spot at)
{
    return (uint16_t)((int32_t)triangle((uint32_t)at.row) + at.place);
}

static spot beside(spot at, spot direction)
{
    return (spot){ at.row + direction.row, at.place + direction.place };
}

/* The jump from a spot in one of the directions; false where it would leave the board. */
static bool find_jump(uint32_t rows, spot at, uint32_t direction, jump *found)
{
    const spot over = beside(at, directions[direction]);
    const spot to = beside(over, directions[direction]);
    if (to.row < 0 || to.row >= (int32_t)rows || to.place < 0 || to.place > to.row)
        return false;
    *found = (jump){ hole_of(at), hole_of(over), hole_of(to) };
    return true;
}

/* The same by the holes at both ends: two apart in one of the directions, which are all there are
 * but up and to the right, and down and to the left. */
static bool find_jump_to(uint32_t rows, uint32_t from, uint32_t to, jump *found)
{
    if (from >= triangle(rows) || to >= triangle(rows))
        return false;
    const spot start = spot_of(rows, from), end = spot_of(rows, to);
    const int32_t down = (end.row - start.row) / 2, right = (end.place - start.place) / 2;
    const spot over = { start.row + down, start.place + right };
    *found = (jump){ (uint16_t)from, hole_of(over), (uint16_t)to };
    return down >= -1 && down <= 1 && right >= -1 && right <= 1 && down * right >= 0 &&
           start.row + 2 * down == end.row && start.place + 2 * right == end.place && from != to;
}

static bool is_open(const peg *board, jump j)
{
    return board->pegs[j.from] && board->pegs[j.over] && !board->pegs[j.to];
}

/* Walks the jumps that are possible, in order: { .board = board } begins. */
typedef struct walk {
    const peg *board;
    spot at;
    uint32_t hole;
    uint32_t direction;
} walk;

static bool next_jump(walk *w, jump *found)
{
    const uint32_t rows = rows_of(w->board);
    while (w->hole < triangle(rows)) {
        while (w->board->pegs[w->hole] && w->direction < DIRECTIONS)
            if (find_jump(rows, w->at, w->direction++, found) && is_open(w->board, *found))
                return true;
        w->direction = 0;
        w->hole++;
        w->at = w->at.place < w->at.row ? (spot){ w->at.row, w->at.place + 1 }
                                        : (spot){ w->at.row + 1, 0 };
    }
    return false;
}

static uint32_t pegs_left(const peg *board)
{
    uint32_t count = 0;
    for (uint32_t hole = 0; hole < board->hole_count; hole++)
        count += board->pegs[hole];
    return count;
}

static bool is_started(const peg *board)
{
    return memchr(board->pegs, false, board->hole_count) != NULL;
}

#endif
