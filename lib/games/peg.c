/* SPDX-License-Identifier: MIT */
/*
 * Peg Thing: a triangle of holes with a peg in each. One peg is taken out; from then on a peg jumps
 * over a neighbour into the empty hole behind it, and the peg that was jumped over is taken. The
 * aim is to leave a single peg.
 *
 *   config   rows:u8                                         1 to 32, by default 5
 *   state    rows:u8 pegs:bool[..528]                        a hole each, row by row from the top
 *   command  kind(remove{hole:u16}|jump{from:u16 to:u16})
 *   event    kind(removed{hole:u16}|jumped{from:u16 over:u16 to:u16})
 *
 * While every hole has a peg, the first is still to be removed. The game is over when no peg can
 * jump: solved with one peg left, else stuck (the boards of 1 and 2 rows are at once).
 *
 * Over is asked first, then whether the command's time has come (not_started, already_started),
 * then whether its holes are on the board, and of a jump whether there is a peg to jump (no_peg),
 * whether the holes are two apart in a line (not_a_jump), whether there is a peg between
 * (nothing_to_jump) and whether the target is empty (occupied). A jump that is possible shows that
 * the game runs, so only a refusal looks at the whole board for `over`.
 *
 * Legal jumps are listed hole by hole, from each in the order of `directions`.
 *
 * Players write holes as letters: `e` removes a peg, `a d` jumps from a to d. The 27th hole is aa,
 * then ab, and so on as columns of a spreadsheet. Where 26 letters are enough for the board, `ad`
 * is `a d` too. A hole that is not on the board, which a refused command may name, is `#28`.
 *
 * Bots:
 *   random   any legal command, each as likely
 *   solver   up to 6 rows: keeps to lines that end with one peg, if there is one; else, and on
 *            larger boards, the first legal command
 *
 * A build that differs in one thing (fixtures/rules has some) sets PEG_VERSION or PEG_APPLY and
 * includes this file.
 */
#include "peg_board.h"

#ifndef PEG_VERSION
#define PEG_VERSION "1.0.0"
#endif
#ifndef PEG_APPLY
#define PEG_APPLY apply
#endif

enum {
    LETTERS = 26,
    SOLVER_HOLES = 21, /* 6 rows */
    SOLVER_JUMPS = SOLVER_HOLES * DIRECTIONS
};

typedef struct peg_config {
    uint8_t rows;
} peg_config;

typedef struct peg_command {
    uint16_t kind;
    uint16_t hole; /* of remove */
    uint16_t from; /* of jump */
    uint16_t to;
} peg_command;

typedef struct peg_event {
    uint16_t kind;
    uint16_t hole;
    uint16_t from;
    uint16_t over;
    uint16_t to;
} peg_event;

enum { REMOVE = 0, JUMP };
enum {
    ACCEPTED = 0,
    OVER,
    NOT_STARTED,
    ALREADY_STARTED,
    NO_SUCH_HOLE,
    NO_PEG,
    NOT_A_JUMP,
    NOTHING_TO_JUMP,
    OCCUPIED,
    NO_ROWS,
    TOO_MANY_ROWS
};
enum { RUNNING = 0, SOLVED, STUCK };

static const char *const command_kinds[] = { "remove", "jump" };
static const char *const event_kinds[] = { "removed", "jumped" };
static const char *const refusals[] = {
    "over",       "not_started",     "already_started", "no_such_hole", "no_peg",
    "not_a_jump", "nothing_to_jump", "occupied",        "no_rows",      "too_many_rows"
};
static const char *const outcomes[] = { "solved", "stuck" };

/* ---- descriptions ---- */

static void state_fields(deja_fields *f, const void *value)
{
    const peg *board = value;
    deja_u8(f, "rows", &board->rows);
    deja_list(f, "pegs", board->pegs, &board->hole_count, HOLES_MAX, deja_bool);
}

static void config_fields(deja_fields *f, const void *value)
{
    const peg_config *config = value;
    deja_u8(f, "rows", &config->rows);
}

static void command_fields(deja_fields *f, const void *value)
{
    const peg_command *command = value;
    switch (deja_kind(f, &command->kind, command_kinds)) {
    case REMOVE:
        deja_u16(f, "hole", &command->hole);
        break;
    case JUMP:
        deja_u16(f, "from", &command->from);
        deja_u16(f, "to", &command->to);
        break;
    default:
        break;
    }
}

static void event_fields(deja_fields *f, const void *value)
{
    const peg_event *event = value;
    switch (deja_kind(f, &event->kind, event_kinds)) {
    case REMOVE:
        deja_u16(f, "hole", &event->hole);
        break;
    case JUMP:
        deja_u16(f, "from", &event->from);
        deja_u16(f, "over", &event->over);
        deja_u16(f, "to", &event->to);
        break;
    default:
        break;
    }
}

/* ---- the rules ---- */

static uint32_t start(void *state, const void *config, uint64_t seed, const deja_content *content)
{
    const uint8_t rows = ((const peg_config *)config)->rows;
    peg *board = state;
    (void)seed;
    (void)content;
    if (rows == 0)
        return NO_ROWS;
    if (rows > ROWS_MAX)
        return TOO_MANY_ROWS;
    board->rows = rows;
    board->hole_count = triangle(rows);
    for (uint32_t hole = 0; hole < board->hole_count; hole++)
        board->pegs[hole] = true;
    return ACCEPTED;
}

static uint32_t outcome(const void *state)
{
    const peg *board = state;
    jump j;
    if (!is_started(board) || next_jump(&(walk){ .board = board }, &j))
        return RUNNING;
    return pegs_left(board) == 1 ? SOLVED : STUCK;
}

/* Why a jump is refused while the game runs; *over is the hole between. */
static uint32_t judge_jump(const peg *board, const peg_command *command, uint16_t *over)
{
    const uint32_t rows = rows_of(board);
    jump j;
    const bool is_jump = find_jump_to(rows, command->from, command->to, &j);
    if (is_jump && is_open(board, j)) {
        *over = j.over;
        return ACCEPTED;
    }
    if (!is_started(board))
        return NOT_STARTED;
    if (command->from >= triangle(rows) || command->to >= triangle(rows))
        return NO_SUCH_HOLE;
    if (!board->pegs[command->from])
        return NO_PEG;
    if (!is_jump)
        return NOT_A_JUMP;
    return board->pegs[j.over] ? OCCUPIED : NOTHING_TO_JUMP;
}

static uint32_t judge(const peg *board, const peg_command *command, uint16_t *over)
{
    uint32_t refusal;
    if (command->kind == JUMP)
        refusal = judge_jump(board, command, over);
    else if (is_started(board))
        refusal = ALREADY_STARTED;
    else
        refusal = command->hole < triangle(rows_of(board)) ? ACCEPTED : NO_SUCH_HOLE;
    return refusal && outcome(board) != RUNNING ? OVER : refusal;
}

static uint32_t check(const void *state, const void *command)
{
    uint16_t over;
    return judge(state, command, &over);
}

static uint32_t apply(void *state, const void *command, deja_out *out)
{
    peg *board = state;
    const peg_command *asked = command;
    peg_event event = { asked->kind, asked->hole, asked->from, 0, asked->to };
    const uint32_t refusal = judge(board, asked, &event.over);
    if (refusal)
        return refusal;
    if (asked->kind == REMOVE) {
        board->pegs[asked->hole] = false;
    } else {
        board->pegs[event.from] = false;
        board->pegs[event.over] = false;
        board->pegs[event.to] = true;
    }
    deja_emit(out, &event);
    return ACCEPTED;
}

static void legal(const void *state, deja_out *out)
{
    const peg *board = state;
    if (!is_started(board)) {
        for (uint32_t hole = 0; hole < triangle(rows_of(board)); hole++) {
            const peg_command command = { .kind = REMOVE, .hole = (uint16_t)hole };
            deja_emit(out, &command);
        }
        return;
    }
    walk w = { .board = board };
    for (jump j; next_jump(&w, &j);) {
        const peg_command command = { .kind = JUMP, .from = j.from, .to = j.to };
        deja_emit(out, &command);
    }
}

static uint32_t side(const void *state)
{
    (void)state;
    return 0;
}

/* Every command takes one peg. */
static uint64_t turn(const void *state)
{
    const peg *board = state;
    return board->hole_count - pegs_left(board);
}

/* ---- for people ---- */

/* a to z, aa to zz, and so on; right-aligned in `width`. */
static void write_letters(deja_page *page, uint32_t hole, uint32_t width)
{
    char letters[8];
    uint32_t at = sizeof letters;
    for (uint32_t rest = hole + 1; rest > 0; rest = (rest - 1) / LETTERS)
        letters[--at] = (char)('a' + (rest - 1) % LETTERS);
    const uint32_t count = (uint32_t)sizeof letters - at;
    deja_page_char(page, ' ', width > count ? width - count : 0);
    page->write(page, letters + at, count);
}

/* Each hole is its letters and 0 for a peg, or - for none. Rows are centred, to the right where the
 * middle lies between two columns. */
static void draw(const void *state, deja_page *page)
{
    const peg *board = state;
    const uint32_t rows = rows_of(board);
    const uint32_t width = board->hole_count > LETTERS ? 2 : 1;
    uint32_t hole = 0;
    for (uint32_t row = 0; row < rows; row++) {
        deja_page_char(page, ' ', ((width + 2) * (rows - 1 - row) + 1) / 2);
        for (uint32_t place = 0; place <= row; place++, hole++) {
            deja_page_char(page, ' ', place ? 1 : 0);
            write_letters(page, hole, width);
            deja_page_char(page, board->pegs[hole] ? '0' : '-', 1);
        }
        deja_page_char(page, '\n', 1);
    }
}

static void write_hole(const peg *board, uint16_t hole, deja_page *page)
{
    if (hole < board->hole_count) {
        write_letters(page, hole, 0);
    } else {
        deja_page_char(page, '#', 1);
        deja_page_number(page, hole);
    }
}

static void write_notation(const void *state, const void *command, deja_page *page)
{
    const peg_command *asked = command;
    if (asked->kind == REMOVE) {
        write_hole(state, asked->hole, page);
    } else {
        write_hole(state, asked->from, page);
        deja_page_char(page, ' ', 1);
        write_hole(state, asked->to, page);
    }
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

static uint32_t letter_of(char c)
{
    const char small = (char)(c | 0x20);
    return small >= 'a' && small <= 'z' ? (uint32_t)(small - 'a') + 1 : 0;
}

/* One hole, as letters of at most `most` characters or as # and a number; NULL if there is none. */
static const char *read_hole(const char *text, uint32_t most, uint16_t *hole)
{
    const bool is_number = *text == '#';
    const char *first = text += is_number;
    uint32_t value = 0;
    if (is_number) {
        for (; *text >= '0' && *text <= '9' && value <= UINT16_MAX; text++)
            value = value * 10 + (uint32_t)(*text - '0');
    } else {
        for (; letter_of(*text) && value <= UINT16_MAX && (uint32_t)(text - first) < most; text++)
            value = value * LETTERS + letter_of(*text);
        value--; /* from the largest number where there was no letter */
    }
    if (text == first || value > UINT16_MAX)
        return NULL;
    *hole = (uint16_t)value;
    return text;
}

/* Blanks and case do not matter. */
static uint32_t read_notation(const void *state, const char *text, void *command)
{
    const peg *board = state;
    const bool is_small = board->hole_count <= LETTERS;
    peg_command asked = { .kind = REMOVE };
    const char *first = skip_blanks(text);
    const char *end = read_hole(first, is_small ? 1 : 4, &asked.hole);
    if (!end)
        return 0;
    text = skip_blanks(end);
    if (*text != '\0') {
        if (text == end && (!is_small || *first == '#' || *text == '#'))
            return 0;
        asked = (peg_command){ .kind = JUMP, .from = asked.hole };
        end = read_hole(text, is_small ? 1 : 4, &asked.to);
        if (!end || *skip_blanks(end) != '\0')
            return 0;
    }
    memcpy(command, &asked, sizeof asked);
    return 1;
}

/* ---- bots ---- */

/* The command at this place of the legal ones; false past the end. */
static bool legal_at(const peg *board, uint32_t place, peg_command *command)
{
    if (!is_started(board)) {
        *command = (peg_command){ .kind = REMOVE, .hole = (uint16_t)place };
        return place < triangle(rows_of(board));
    }
    walk w = { .board = board };
    jump j;
    for (uint32_t at = 0; next_jump(&w, &j); at++) {
        if (at == place) {
            *command = (peg_command){ .kind = JUMP, .from = j.from, .to = j.to };
            return true;
        }
    }
    return false;
}

static uint32_t legal_count(const peg *board)
{
    if (!is_started(board))
        return triangle(rows_of(board));
    walk w = { .board = board };
    jump j;
    uint32_t count = 0;
    while (next_jump(&w, &j))
        count++;
    return count;
}

static uint32_t pick_random(const void *state, deja_luck *luck, void *command, void *memory)
{
    const uint32_t count = legal_count(state);
    (void)memory;
    return count != 0 && legal_at(state, deja_luck_below(luck, count), command);
}

/* The solver sees a board as bits, hole 0 the lowest. */
typedef struct bit_jump {
    uint32_t pegs; /* where it needs a peg: from and over */
    uint32_t from;
    uint32_t to;
} bit_jump;

/* A bit for each board of up to 6 rows: no line from here ends with one peg. It holds whatever the
 * game, so it is kept from move to move, in the memory that the bot is given. */
typedef struct solver {
    uint8_t *dead;
    uint32_t jump_count;
    bit_jump jumps[SOLVER_JUMPS];
} solver;

static void solver_prepare(solver *s, uint32_t rows, void *memory)
{
    s->dead = memory;
    s->jump_count = 0;
    for (uint32_t hole = 0; hole < triangle(rows); hole++) {
        const spot at = spot_of(rows, hole);
        for (uint32_t direction = 0; direction < DIRECTIONS; direction++) {
            jump j;
            if (find_jump(rows, at, direction, &j))
                s->jumps[s->jump_count++] =
                    (bit_jump){ 1u << j.from | 1u << j.over, 1u << j.from, 1u << j.to };
        }
    }
}

/* Whether a line from here ends with one peg. Each jump takes a peg, so this ends, 20 deep. */
static bool can_solve(solver *s, uint32_t board)
{
    if (board != 0 && (board & (board - 1)) == 0)
        return true;
    if (s->dead[board / 8] & 1u << board % 8)
        return false;
    for (uint32_t i = 0; i < s->jump_count; i++) {
        const bit_jump j = s->jumps[i];
        if ((board & (j.pegs | j.to)) == j.pegs && can_solve(s, (board & ~j.pegs) | j.to))
            return true;
    }
    s->dead[board / 8] = (uint8_t)(s->dead[board / 8] | 1u << board % 8);
    return false;
}

static uint32_t bits_after(const peg *board, const peg_command *command)
{
    uint32_t bits = 0;
    peg after = *board;
    apply(&after, command, NULL);
    for (uint32_t hole = 0; hole < after.hole_count; hole++)
        bits |= (uint32_t)after.pegs[hole] << hole;
    return bits;
}

static uint32_t pick_solver(const void *state, deja_luck *luck, void *command, void *memory)
{
    const peg *board = state;
    (void)luck;
    if (board->hole_count <= SOLVER_HOLES) {
        solver s;
        solver_prepare(&s, rows_of(board), memory);
        for (uint32_t place = 0; legal_at(board, place, command); place++)
            if (can_solve(&s, bits_after(board, command)))
                return 1;
    }
    return legal_at(board, 0, command);
}

static const deja_bot bots[] = {
    { "random", pick_random, 0 },
    { "solver", pick_solver, (1u << SOLVER_HOLES) / 8 },
};

static const peg_config defaults = { 5 };

/* clang-format off */
DEJA_RULES = {
    DEJA_ABI,
    .id = "peg",
    .version = PEG_VERSION,
    .state = { sizeof(peg), state_fields, NULL, NULL },
    .command = { sizeof(peg_command), command_fields, NULL, NULL },
    .event = { sizeof(peg_event), event_fields, NULL, NULL },
    .config = { sizeof(peg_config), config_fields, NULL, NULL },
    .config_default = &defaults,
    .start = start,
    .apply = PEG_APPLY,
    .check = check,
    .legal = legal,
    .outcome = outcome,
    .side = side,
    .turn = turn,
    .draw = draw,
    .write_notation = write_notation,
    .read_notation = read_notation,
    .refusals = refusals,
    .refusal_count = sizeof refusals / sizeof *refusals,
    .outcomes = outcomes,
    .outcome_count = sizeof outcomes / sizeof *outcomes,
    .bots = bots,
    .bot_count = sizeof bots / sizeof *bots,
    .kind = DEJA_TURNS,
    .seat_count = 1,
};
/* clang-format on */
