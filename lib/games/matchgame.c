/* SPDX-License-Identifier: MIT */
/*
 * The Matchgame: rows of sticks, by default 7, 5, 3 and 1. Two players in turn take any number of
 * sticks from one row; who takes the last stick loses.
 *
 *   config   rows:u8[..16]                the sticks of each row, the first row first
 *   state    rows:u8[..16] side:u8        side: whose move it is, 0 or 1
 *   command  kind(take{row:u8 n:u8})      rows are counted from 0
 *   event    kind(took{row:u8 n:u8})
 *
 * Over is asked first, so a finished game refuses everything with `over`; then comes the row, then
 * the number. A take that is possible shows that the game is not over, so only a refusal looks.
 *
 * Legal takes are listed from the last row to the first, in a row from the largest number down.
 *
 * Players write a row's letter and a number, as `a 3` for three sticks of the first row. A row past
 * the 26th, which no board has but a refused command may name, is written as `#40 3`.
 *
 * Bots:
 *   random   any legal take, each as likely
 *   depth6   looks six moves ahead and answers as a plain search of that depth does, with its
 *            mistakes: it also thinks that leaving nothing at all would win
 *   perfect  takes the first legal take that wins for sure, else one stick of the first row
 *
 * A build that differs in one thing (fixtures/rules has some) sets MATCHGAME_VERSION or
 * MATCHGAME_APPLY and includes this file.
 */
#include <deja/rules.h>

#ifndef MATCHGAME_VERSION
#define MATCHGAME_VERSION "1.0.0"
#endif
#ifndef MATCHGAME_APPLY
#define MATCHGAME_APPLY apply
#endif

enum { ROWS_MAX = 16, DEPTH = 6 };

typedef struct matchgame {
    uint8_t rows[ROWS_MAX];
    uint32_t row_count;
    uint8_t side;
} matchgame;

typedef struct matchgame_config {
    uint8_t rows[ROWS_MAX];
    uint32_t row_count;
} matchgame_config;

/* A command and an event carry the same: take asks for what took tells of. */
typedef struct matchgame_take {
    uint16_t kind;
    uint8_t row;
    uint8_t n;
} matchgame_take;

enum { TAKE = 0 };
enum { ACCEPTED = 0, NO_SUCH_ROW, NO_SUCH_NUMBER, OVER, NO_STICKS, TOO_MANY_ROWS };
enum { RUNNING = 0, FIRST_WINS, SECOND_WINS };

static const char *const command_kinds[] = { "take" };
static const char *const event_kinds[] = { "took" };
static const char *const refusals[] = { "no_such_row", "no_such_number", "over", "no_sticks",
                                        "too_many_rows" };
static const char *const outcomes[] = { "first_wins", "second_wins" };

/* ---- descriptions ---- */

static void state_fields(deja_fields *f, const void *value)
{
    const matchgame *game = value;
    deja_list(f, "rows", game->rows, &game->row_count, ROWS_MAX, deja_u8);
    deja_u8(f, "side", &game->side);
}

static void config_fields(deja_fields *f, const void *value)
{
    const matchgame_config *config = value;
    deja_list(f, "rows", config->rows, &config->row_count, ROWS_MAX, deja_u8);
}

static void command_fields(deja_fields *f, const void *value)
{
    const matchgame_take *command = value;
    if (deja_kind(f, &command->kind, command_kinds) == TAKE) {
        deja_u8(f, "row", &command->row);
        deja_u8(f, "n", &command->n);
    }
}

static void event_fields(deja_fields *f, const void *value)
{
    const matchgame_take *event = value;
    if (deja_kind(f, &event->kind, event_kinds) == TAKE) {
        deja_u8(f, "row", &event->row);
        deja_u8(f, "n", &event->n);
    }
}

/* ---- the rules ---- */

static uint32_t sticks(const uint8_t *rows, uint32_t row_count)
{
    uint32_t sum = 0;
    for (uint32_t row = 0; row < row_count; row++)
        sum += rows[row];
    return sum;
}

static uint32_t start(void *state, const void *config, uint64_t seed, const deja_content *content)
{
    const matchgame_config *wanted = config;
    matchgame *game = state;
    (void)seed;
    (void)content;
    if (wanted->row_count > ROWS_MAX)
        return TOO_MANY_ROWS;
    if (sticks(wanted->rows, wanted->row_count) == 0)
        return NO_STICKS;
    memcpy(game->rows, wanted->rows, wanted->row_count);
    game->row_count = wanted->row_count;
    game->side = 0;
    return ACCEPTED;
}

static uint32_t check(const void *state, const void *command)
{
    const matchgame *game = state;
    const matchgame_take *take = command;
    const bool is_row = take->row < game->row_count;
    if (is_row && take->n != 0 && take->n <= game->rows[take->row])
        return ACCEPTED;
    if (sticks(game->rows, game->row_count) == 0)
        return OVER;
    return is_row ? NO_SUCH_NUMBER : NO_SUCH_ROW;
}

static uint32_t apply(void *state, const void *command, deja_out *out)
{
    matchgame *game = state;
    const matchgame_take *take = command;
    const uint32_t refusal = check(state, command);
    if (refusal)
        return refusal;
    game->rows[take->row] = (uint8_t)(game->rows[take->row] - take->n);
    game->side ^= 1u;
    deja_emit(out, take);
    return ACCEPTED;
}

static void legal(const void *state, deja_out *out)
{
    const matchgame *game = state;
    for (uint32_t row = game->row_count; row-- > 0;) {
        for (uint32_t n = game->rows[row]; n > 0; n--) {
            const matchgame_take take = { TAKE, (uint8_t)row, (uint8_t)n };
            deja_emit(out, &take);
        }
    }
}

/* Who took the last stick lost, so the side whose move it would be has won. */
static uint32_t outcome(const void *state)
{
    const matchgame *game = state;
    if (sticks(game->rows, game->row_count) != 0)
        return RUNNING;
    return game->side & 1u ? SECOND_WINS : FIRST_WINS;
}

static uint32_t side(const void *state)
{
    const matchgame *game = state;
    return game->side & 1u;
}

/* ---- for people ---- */

static void draw(const void *state, deja_page *page)
{
    static const char *const lines[] = { "first to move", "first wins", "second wins" };
    const matchgame *game = state;
    for (uint32_t row = 0; row < game->row_count; row++) {
        deja_page_char(page, '|', game->rows[row]);
        deja_page_char(page, '\n', 1);
    }
    const uint32_t ended = outcome(state);
    deja_page_text(page, ended == RUNNING && side(state) == 1 ? "second to move" : lines[ended]);
    deja_page_char(page, '\n', 1);
}

static void write_notation(const void *state, const void *command, deja_page *page)
{
    const matchgame_take *take = command;
    (void)state;
    if (take->row < 26) {
        deja_page_char(page, (char)('a' + take->row), 1);
    } else {
        deja_page_char(page, '#', 1);
        deja_page_number(page, take->row);
    }
    deja_page_char(page, ' ', 1);
    deja_page_number(page, take->n);
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* A decimal of at most 255; NULL if there is none. */
static const char *read_number(const char *text, uint8_t *number)
{
    uint32_t value = 0;
    if (*text < '0' || *text > '9')
        return NULL;
    for (; *text >= '0' && *text <= '9'; text++) {
        value = value * 10 + (uint32_t)(*text - '0');
        if (value > UINT8_MAX)
            return NULL;
    }
    *number = (uint8_t)value;
    return text;
}

/* Blanks and case do not matter: "a3" and " A  3 " are both `a 3`. */
static uint32_t read_notation(const void *state, const char *text, void *command)
{
    matchgame_take take = { TAKE, 0, 0 };
    (void)state;
    text = skip_blanks(text);
    const char letter = (char)(*text | 0x20);
    if (letter >= 'a' && letter <= 'z') {
        take.row = (uint8_t)(letter - 'a');
        text++;
    } else {
        text = *text == '#' ? read_number(text + 1, &take.row) : NULL;
    }
    if (text)
        text = read_number(skip_blanks(text), &take.n);
    if (!text || *skip_blanks(text) != '\0')
        return 0;
    memcpy(command, &take, sizeof take);
    return 1;
}

/* ---- bots ---- */

static uint32_t pick_random(const void *state, deja_luck *luck, void *command, void *memory)
{
    const matchgame *game = state;
    matchgame_take *take = command;
    (void)memory;
    const uint32_t count = sticks(game->rows, game->row_count); /* a legal take for each stick */
    if (count == 0)
        return 0;
    uint32_t place = deja_luck_below(luck, count);
    uint32_t row = game->row_count - 1;
    while (place >= game->rows[row])
        place -= game->rows[row--];
    *take = (matchgame_take){ TAKE, (uint8_t)row, (uint8_t)(game->rows[row] - place) };
    return 1;
}

/*
 * Whether leaving these rows to the opponent wins, as far as a search of `depth` moves can see: one
 * stick left wins, and so does a leave from which no move wins for the opponent; at depth 0 nothing
 * wins.
 *
 * Leaves that win at an even depth d have rows of at most d / 2 sticks, and at most d - 1 rows that
 * are not empty, so larger ones need no search. Let W(d) be those leaves.
 *   - W(2) holds nothing but no stick and one stick, for which it is true; and W(d - 2) lies in
 *     W(d).
 *   - A leave in W(d) of two sticks or more is answered, whatever the opponent takes, by a move
 *     into W(d - 2). The two moves clear at most two rows: hence the number of rows.
 *   - No leave of W(d) with two sticks or more has a move into W(d). For every move from it leads
 *     to two sticks or more with a move into W(d - 2), so one into W(d) would lead to another such
 *     leave, and that to yet another, and so on for ever.
 *   - Say the largest row of a leave in W(d) were longer by two than all of W(d - 2) allows. The
 *     opponent takes one stick of it; the answer must then cut this row down to some length v, and
 *     leaves an s of W(d - 2). The opponent could as well have cut the row to v at once, which
 *     leaves s to be answered by a move into W(d - 2): but s has none, by the line above, or s has
 *     one stick and the opponent has won, or s has no stick, and then leaving one of the row would
 *     have won for the opponent. So the limit of the rows grows by one for each two of depth.
 */
static bool is_winner_leave(uint32_t depth, uint8_t *rows, uint32_t row_count)
{
    if (depth == 0)
        return false;
    uint32_t sum = 0, most = 0, filled = 0;
    for (uint32_t row = 0; row < row_count; row++) {
        sum += rows[row];
        most = rows[row] > most ? rows[row] : most;
        filled += rows[row] != 0;
    }
    if (sum == 1)
        return true;
    if (depth % 2 == 0 && (most > depth / 2 || filled > depth - 1))
        return false;
    for (uint32_t row = 0; row < row_count; row++) {
        const uint8_t before = rows[row];
        for (uint32_t left = 0; left < before; left++) {
            rows[row] = (uint8_t)left;
            const bool wins = is_winner_leave(depth - 1, rows, row_count);
            rows[row] = before;
            if (wins)
                return false;
        }
    }
    return true;
}

/* Who leaves single sticks only must leave an odd number of them; other leaves win where the rows,
 * added in binary without carry, give 0. */
static bool is_truly_winner_leave(const uint8_t *rows, uint32_t row_count)
{
    uint32_t nim = 0, most = 0;
    for (uint32_t row = 0; row < row_count; row++) {
        nim ^= rows[row];
        most = rows[row] > most ? rows[row] : most;
    }
    return most >= 2 ? nim == 0 : nim == 1;
}

/* The first legal take that leaves a winner, or else the last: one stick of the first row. */
static uint32_t pick_winner(const matchgame *game, uint32_t depth, matchgame_take *take)
{
    uint8_t rows[ROWS_MAX];
    memcpy(rows, game->rows, sizeof rows);
    bool found = false, any = false;
    for (uint32_t row = game->row_count; row-- > 0 && !found;) {
        for (uint32_t n = game->rows[row]; n > 0 && !found; n--) {
            *take = (matchgame_take){ TAKE, (uint8_t)row, (uint8_t)n };
            any = true;
            rows[row] = (uint8_t)(game->rows[row] - n);
            found = depth ? is_winner_leave(depth, rows, game->row_count)
                          : is_truly_winner_leave(rows, game->row_count);
        }
        rows[row] = game->rows[row];
    }
    return any;
}

static uint32_t pick_depth6(const void *state, deja_luck *luck, void *command, void *memory)
{
    (void)luck;
    (void)memory;
    return pick_winner(state, DEPTH, command);
}

static uint32_t pick_perfect(const void *state, deja_luck *luck, void *command, void *memory)
{
    (void)luck;
    (void)memory;
    return pick_winner(state, 0, command);
}

static const deja_bot bots[] = {
    { "random", pick_random, 0 },
    { "depth6", pick_depth6, 0 },
    { "perfect", pick_perfect, 0 },
};

static const matchgame_config defaults = { { 7, 5, 3, 1 }, 4 };

/* clang-format off */
DEJA_RULES = {
    DEJA_ABI,
    .id = "matchgame",
    .version = MATCHGAME_VERSION,
    .state = { sizeof(matchgame), state_fields, NULL, NULL },
    .command = { sizeof(matchgame_take), command_fields, NULL, NULL },
    .event = { sizeof(matchgame_take), event_fields, NULL, NULL },
    .config = { sizeof(matchgame_config), config_fields, NULL, NULL },
    .config_default = &defaults,
    .start = start,
    .apply = MATCHGAME_APPLY,
    .check = check,
    .legal = legal,
    .outcome = outcome,
    .side = side,
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
    .seat_count = 2,
};
/* clang-format on */
