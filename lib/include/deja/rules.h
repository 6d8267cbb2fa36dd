/* SPDX-License-Identifier: 0BSD */
/**
 * @file deja/rules.h
 * Describe a game's rules, so that deja can record, replay and compare them.
 *
 * This one file is all that a rules library needs: copy it into a folder deja/ beside the game,
 * and compile with -I. there. Nothing is linked; of the C library only memory and string functions
 * are used. A rules library is a shared object that exports one constant, `deja_rules`. The shape
 * of one (docs/mygame.c of deja's sources is a whole one to start from):
 *
 *     #include <deja/rules.h>
 *
 *     typedef struct { uint8_t rows[16]; uint32_t row_count; uint8_t side; } pile;
 *     typedef struct { uint32_t kind; uint8_t row, n; } command;
 *
 *     static void pile_fields(deja_fields *f, const void *value)
 *     {
 *         const pile *p = value;
 *         deja_list(f, "rows", p->rows, &p->row_count, 16, deja_u8);
 *         deja_u8(f, "side", &p->side);
 *     }
 *     ...
 *     DEJA_RULES = {
 *         DEJA_ABI,
 *         .id = "pile", .version = "1.0.0",
 *         .state = { sizeof(pile), pile_fields, 0, 0 },
 *         .command = ..., .event = ..., .config = ..., .config_default = &defaults,
 *         .start = start, .apply = apply,
 *     };
 *
 * The rules of the rules:
 *   - The same state and command always give the same events and the same new state. No clock, no
 *     addresses, no unordered iteration, no luck but `deja_luck` kept in the state.
 *   - apply is all or nothing: a refused command changes nothing, luck included.
 *   - Everything that matters is named by the state's description. Nothing is kept elsewhere.
 *   - A description makes the same calls whatever the value, but for what follows the answer of
 *     deja_kind() and of deja_optional(). It only reads. Bytes past a list's count are not state.
 *     One that does otherwise is a broken contract, reported as soon as a value shows it.
 *   - Give every nested struct a description that takes the struct's own pointer type; the four
 *     functions in the table take `const void *`.
 *
 * The promise of this header:
 *   - Libraries and hosts of one major number work together, whichever is newer.
 *   - struct deja_fields, the first members of deja_field, deja_luck, deja_countdown, deja_every,
 *     deja_input, deja_out, deja_page, deja_content, deja_bot, deja_type and the canonical form of
 *     every kind never change.
 *   - deja_rules_table grows at its end only, and says its size; deja_field as well.
 *   - A field of a kind that a host does not know is refused by name before anything is hashed.
 *
 * Threads: a host calls a library from one thread at a time.
 */
#ifndef DEJA_RULES_H
#define DEJA_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEJA_ABI_MAJOR 1u
#define DEJA_ABI_MINOR 0u

#define DEJA__DIGITS_(number) #number
#define DEJA__DIGITS(number) DEJA__DIGITS_(number)
#if defined(__clang__)
#define DEJA__COMPILER_WORD "clang-"
#define DEJA__COMPILER_VERSION    \
    DEJA__DIGITS(__clang_major__) \
    "." DEJA__DIGITS(__clang_minor__) "." DEJA__DIGITS(__clang_patchlevel__)
#elif defined(__GNUC__)
#define DEJA__COMPILER_WORD "gcc-"
#define DEJA__COMPILER_VERSION \
    DEJA__DIGITS(__GNUC__) "." DEJA__DIGITS(__GNUC_MINOR__) "." DEJA__DIGITS(__GNUC_PATCHLEVEL__)
#elif defined(_MSC_VER)
#define DEJA__COMPILER_WORD "msvc-"
#define DEJA__COMPILER_VERSION DEJA__DIGITS(_MSC_FULL_VER)
#else
#define DEJA__COMPILER_WORD "unknown"
#define DEJA__COMPILER_VERSION ""
#endif
#define DEJA_COMPILER DEJA__COMPILER_WORD DEJA__COMPILER_VERSION

/** The name of the constant that a rules library exports. */
#define DEJA_RULES_SYMBOL "deja_rules"

#if defined(_WIN32)
#define DEJA_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define DEJA_EXPORT __attribute__((visibility("default")))
#else
#define DEJA_EXPORT
#endif

#if defined(__GNUC__)
#define DEJA__COLD __attribute__((noinline, cold, unused))
#define DEJA__MAYBE_UNUSED __attribute__((unused))
#define DEJA__LIKELY(condition) __builtin_expect(!!(condition), 1)
#else
#define DEJA__COLD
#define DEJA__MAYBE_UNUSED
#define DEJA__LIKELY(condition) (condition)
#endif

/* Inline stores write the machine's own bytes; where these are not little-endian, or it is not
 * known, every call goes to the host, which turns them round. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#define DEJA__LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#elif defined(_WIN32)
#define DEJA__LITTLE 1
#else
#define DEJA__LITTLE 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- describing values ------------------------------------------------------------------- */

/** What one field is. The numbers are part of the ABI; later kinds get later numbers. */
enum deja_field_kind {
    DEJA_BOOL = 1, /**< 1 byte, 0 or 1 */
    DEJA_U8 = 2,   /**< integers: as wide as they are, little-endian, two's complement */
    DEJA_U16 = 3,
    DEJA_U32 = 4,
    DEJA_U64 = 5,
    DEJA_I8 = 6,
    DEJA_I16 = 7,
    DEJA_I32 = 8,
    DEJA_I64 = 9,
    DEJA_F32 = 10,      /**< IEEE bits, little-endian; every NaN is 0x7fc00000 */
    DEJA_F64 = 11,      /**< IEEE bits, little-endian; every NaN is 0x7ff8000000000000 */
    DEJA_ENUM = 12,     /**< u16: the place in its names */
    DEJA_FLAGS = 13,    /**< u32: bit i is name i */
    DEJA_TEXT = 14,     /**< u32 size, then so many bytes of UTF-8 without NUL */
    DEJA_BYTES = 15,    /**< so many bytes as declared */
    DEJA_RNG = 16,      /**< deja_luck: u64 state, u64 increment, u64 draws */
    DEJA_KIND = 17,     /**< u16: the place in its names; the alternative's fields follow */
    DEJA_OPTIONAL = 18, /**< 1 byte, 0 or 1; if 1 the value follows */
    DEJA_STRUCT = 19,   /**< its fields; the visit opens */
    DEJA_ITEMS = 20,    /**< a container that the author walks; the visit opens */
    DEJA_SECTION = 21,  /**< as its value; stands in the state hash as its own hash; opens */
    DEJA_DERIVED = 22,  /**< memory that is not state; no bytes */
    DEJA_CLOSE = 23     /**< closes what was opened last */
};

/** How many there are of a field's kind. */
enum deja_field_shape {
    DEJA_ONE = 0,
    DEJA_ARRAY = 1,  /**< always `count`, no count in the canonical form */
    DEJA_GRID = 2,   /**< `count` in rows of `row`; canonical as an array */
    DEJA_LIST = 3,   /**< `*list_count`, at most `count`; u32 count first in the canonical form */
    DEJA_MAP = 4,    /**< as a list of key and value, in strictly rising order of the keys */
    DEJA_SET = 5,    /**< as a list, in strictly rising order */
    DEJA_BLOCKS = 6, /**< as an array; stands in the state hash as the sum of its blocks' hashes */
    DEJA_FILL = 7    /**< the bytes of a growable text whose DEJA_LIST visit told the size */
};

/** What a description is called for. */
enum deja_field_doing {
    DEJA_WRITING = 1, /**< hand the value's canonical bytes to the host */
    DEJA_LOADING = 2  /**< take a value from the host */
};

typedef struct deja_fields deja_fields;
typedef struct deja_field deja_field;

/** The host's side of a description. Frozen. Authors pass it on and never look inside. */
struct deja_fields {
    unsigned char *at;  /**< the window: room for canonical bytes... */
    unsigned char *end; /**< ...up to here; at == end sends every call to `visit` */
    uint32_t (*visit)(deja_fields *f, const deja_field *field);
    uint32_t doing;     /**< enum deja_field_doing */
    uint32_t abi_minor; /**< the host's */
};

/** One call of a description as the host sees it. The members up to `more` are frozen. */
struct deja_field {
    uint32_t size;              /**< of this struct, as the library knows it */
    uint32_t kind;              /**< enum deja_field_kind */
    uint32_t shape;             /**< enum deja_field_shape */
    uint32_t value_size;        /**< of one item in memory, in bytes */
    const char *name;           /**< NULL for an item or an optional's value */
    const void *value;          /**< the first item; writable in truth while loading */
    uint64_t count;             /**< items, or the most items of a list; a text's capacity */
    const uint32_t *list_count; /**< a list's count; writable in truth while loading */
    const char *const *names;   /**< of an enumeration, flags or a kind */
    uint32_t name_count;
    uint32_t row;     /**< a grid's columns */
    uint64_t version; /**< a section's: 0, or a stamp that is never given twice */
    const void *more; /**< NULL; for later */
};

/** A description: names every field of *value in a fixed order, and only reads it. */
typedef void deja_fields_fn(deja_fields *f, const void *value);

/** What an opening call answers; hand it to deja_close(). */
typedef struct deja_opened {
    uint32_t count; /**< how many items to walk: those there are, or those to make when loading */
    uint32_t asked; /**< whether the host wants to hear of the close */
    uint32_t kind;  /**< what was opened */
} deja_opened;

#if DEJA__LITTLE && SIZE_MAX > 0xffffffffu
#ifdef __cplusplus
static_assert(sizeof(struct deja_fields) == 32, "deja_fields is frozen");
static_assert(sizeof(struct deja_field) == 80, "deja_field is frozen up to here");
#else
_Static_assert(sizeof(struct deja_fields) == 32, "deja_fields is frozen");
_Static_assert(sizeof(struct deja_field) == 80, "deja_field is frozen up to here");
#endif
#endif

/* ---- luck -------------------------------------------------------------------------------- */

/**
 * A stream of random numbers, kept in the state: PCG32 XSH-RR 64/32 (M. E. O'Neill,
 * pcg-random.org), and how often it was drawn from. Streams of one seed with other numbers are
 * independent. A game's own luck is stream 0; the bot at seat s draws from stream s + 1.
 */
typedef struct deja_luck {
    uint64_t state;
    uint64_t increment; /**< odd; stands for the stream */
    uint64_t draws;     /**< 32-bit numbers drawn since it was seeded */
} deja_luck;

/* ---- time and inputs ---------------------------------------------------------------------- */

/*
 * Rules have no clock: they count what they have, turns or steps. A timer lies in the state, so it
 * is hashed, saved and replayed with it. It is described as a nested struct is, by the function
 * that has its name:
 *
 *     deja_struct(f, "rain", &garden->rain, deja_every_fields);
 *     deja_struct(f, "can", &garden->can, deja_countdown_fields);
 *
 * Any content is a valid timer.
 */

/** Fires once, and is the cooldown as well: ready when nothing is left of the wait. */
typedef struct deja_countdown {
    uint32_t wait; /**< how long it is, in turns or steps */
    uint32_t left; /**< 0: ready */
} deja_countdown;

/** Fires at each `period` that has gone by since it was started or reset; one of 0 never does. */
typedef struct deja_every {
    uint32_t period;
    uint32_t counted; /**< since it fired last, or was started or reset */
} deja_every;

/**
 * What one player pressed, held and let go of in one step of a game of ticks: bit i is action i.
 * What is pressed is held, what is released is not. What the rules call their actions is told by
 * the description, which is the player's own:
 *
 *     static const char *const actions[] = { "left", "right" };
 *     static void player_fields(deja_fields *f, const deja_input *input)
 *     {
 *         deja_input_fields(f, input, actions);
 *     }
 *     ...
 *     deja_struct_array(f, "players", tick->players, PLAYERS, player_fields);
 *
 * <deja/driver.h> makes such inputs of key presses.
 */
typedef struct deja_input {
    uint32_t pressed;
    uint32_t held;
    uint32_t released;
} deja_input;

/* ---- what apply, legal and draw write to -------------------------------------------------- */

/** Where apply puts its events and legal its commands. The host's, and it grows; may be NULL. */
typedef struct deja_out deja_out;
struct deja_out {
    void (*emit)(deja_out *out, const void *value);
    void (*touch)(deja_out *out, const void *pointer, uint64_t size);
};

/** Where draw and notation put their text (UTF-8). The host's. */
typedef struct deja_page deja_page;
struct deja_page {
    void (*write)(deja_page *page, const char *chars, uint64_t size);
};

/** One named pack of data that the rules read. Borrowed for the call, and never to be written to:
 *  what a state needs of it, start copies. In a worker the bytes begin at a multiple of 16. */
typedef struct deja_content_pack {
    const char *name;
    const void *bytes;
    uint64_t size;
} deja_content_pack;

/** All packs that a session names, and no others; each name once, in rising order of names (as
 *  bytes), whatever order they were given in. Borrowed for the call, as the packs are. Handed to
 *  start alone: a state that is loaded has of them what it kept. */
typedef struct deja_content {
    uint64_t count;
    const deja_content_pack *packs;
} deja_content;

/* ---- the table ---------------------------------------------------------------------------- */

/** A game's state, command, event or config: how large, how described, how made and dropped. */
typedef struct deja_type {
    uint64_t size;             /**< in bytes; 0 for a type that the game has no use for */
    deja_fields_fn *fields;    /**< NULL where size is 0: a value without fields */
    void (*init)(void *value); /**< NULL: zero bytes are a value. Else makes an empty value there */
    void (*finish)(void *value); /**< NULL: nothing to drop. Else drops what the value owns */
} deja_type;

/** A player that the game brings along. */
typedef struct deja_bot {
    const char *name; /**< as field names are */
    /**
     * Chooses a command for the side to move.
     * @param luck    its own stream, never the state's
     * @param command where it goes; zeroed, and made by the command's init
     * @param memory  `memory_size` bytes that are zero when a session starts, one for each seat
     * @return 1, or 0 if it has no command to give
     */
    uint32_t (*pick)(const void *state, deja_luck *luck, void *command, void *memory);
    uint64_t memory_size;
} deja_bot;

/** Turns: a command for each thing a player does. Ticks: one for each step of a fixed rate. */
enum deja_rules_kind { DEJA_TURNS = 0, DEJA_TICKS = 1 };

/**
 * What a rules library exports, under the name `deja_rules`. Grows at its end. Names (id, refusals,
 * outcomes, bots, fields) are [A-Za-z_][A-Za-z0-9_-]*, at most 63 characters. An id that is made of
 * several words may have dots between them.
 *
 * deja owns all memory: it zeroes a value, calls its type's init if there is one, then start or a
 * load, and finish once in the end. A load that fails leaves nothing to finish.
 */
typedef struct deja_rules_table {
    uint32_t abi_major; /**< DEJA_ABI fills in these four */
    uint32_t abi_minor;
    uint64_t size;
    const char *compiler; /**< which compiler built it, for people: "gcc-12.2.0" */

    const char *id;      /**< which game; never changes */
    const char *version; /**< which version of its rules, for people */
    deja_type state;
    deja_type command;
    deja_type event;
    deja_type config;
    const void *config_default; /**< NULL only where config has size 0 */

    /**
     * Makes the start state from config and seed alone.
     * @return 0, or 1 + the place in `refusals` of why this config or content will not do
     */
    uint32_t (*start)(void *state, const void *config, uint64_t seed, const deja_content *content);
    /**
     * Applies a command to the state, emitting what happened.
     * @return 0, or 1 + the place in `refusals` of why not; then nothing has changed
     */
    uint32_t (*apply)(void *state, const void *command, deja_out *out);

    /* From here on everything is optional. */

    uint32_t (*check)(const void *state, const void *command); /**< apply's answer, no change */
    /** Emits commands, always in one order. The bot 'random' picks among these; without it there is
     *  none but the game's own. */
    void (*legal)(const void *state, deja_out *out);
    uint32_t (*outcome)(const void *state); /**< 0 while it runs, or 1 + the place in `outcomes` */
    uint32_t (*side)(const void *state);    /**< the seat whose move it is, from 0 */
    uint64_t (*turn)(const void *state);    /**< which turn it is */
    void (*draw)(const void *state, deja_page *page); /**< the board as people know it, in lines */
    /** A command as players of this game write it. */
    void (*write_notation)(const void *state, const void *command, deja_page *page);
    /** The reverse. @return 1, or 0 if `text` is not a command in this notation */
    uint32_t (*read_notation)(const void *state, const char *text, void *command);
    const void *neutral; /**< a command that asks for nothing, for shrinking */
    const char *const *refusals;
    const char *const *outcomes;
    const deja_bot *bots;
    uint32_t refusal_count;
    uint32_t outcome_count;
    uint32_t bot_count;
    uint32_t kind;       /**< enum deja_rules_kind */
    uint32_t tick_rate;  /**< steps a second of DEJA_TICKS, else 0 */
    uint32_t seat_count; /**< seats that bots can take; 0 means as many as side tells of */
} deja_rules_table;

/** The first members of the table. */
#define DEJA_ABI DEJA_ABI_MAJOR, DEJA_ABI_MINOR, sizeof(deja_rules_table), DEJA_COMPILER

#ifdef __cplusplus
}
#endif

/** Defines the exported constant: `DEJA_RULES = { DEJA_ABI, ... };` In C++ fill the table in a
 *  constexpr function: `DEJA_RULES = make_table();` */
#ifdef __cplusplus
#define DEJA_RULES                                        \
    extern "C" {                                          \
    extern DEJA_EXPORT const deja_rules_table deja_rules; \
    }                                                     \
    const deja_rules_table deja_rules
#else
#define DEJA_RULES                                        \
    extern DEJA_EXPORT const deja_rules_table deja_rules; \
    const deja_rules_table deja_rules
#endif

/* ---- inline: nothing below is for reading, only for calling ------------------------------- */

#if defined(__GNUC__)
#pragma GCC diagnostic push
#ifdef __cplusplus
#pragma GCC diagnostic ignored "-Wold-style-cast"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#else
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif
#endif
#pragma GCC diagnostic ignored "-Wcast-qual"
#endif

/* Stores through these types cannot change `f->at` itself, as stores of bytes could: a compiler
 * then keeps it in a register. */
#if defined(__GNUC__)
struct deja__packed16 {
    uint16_t v;
} __attribute__((packed));
struct deja__packed32 {
    uint32_t v;
} __attribute__((packed));
struct deja__packed64 {
    uint64_t v;
} __attribute__((packed));
#define DEJA__STORE(bits, target, value) (((struct deja__packed##bits *)(target))->v = (value))
#else
static inline void deja__put16(unsigned char *target, uint16_t value)
{
    memcpy(target, &value, sizeof value);
}
static inline void deja__put32(unsigned char *target, uint32_t value)
{
    memcpy(target, &value, sizeof value);
}
static inline void deja__put64(unsigned char *target, uint64_t value)
{
    memcpy(target, &value, sizeof value);
}
#define DEJA__STORE(bits, target, value) deja__put##bits((target), (value))
#endif

static inline bool deja__room(const deja_fields *f, uint64_t size)
{
    return DEJA__LITTLE && (uint64_t)(f->end - f->at) >= size;
}

/* The slow way, for all that has one value and a size. `what` is kind | shape << 8 | size << 16. */
DEJA__COLD static uint32_t deja__ask(deja_fields *f, const char *name, const void *value,
                                     uint32_t what, uint64_t count, const uint32_t *list_count,
                                     uint32_t row)
{
    deja_field field;
    memset(&field, 0, sizeof field);
    field.size = (uint32_t)sizeof field;
    field.kind = what & 0xffu;
    field.shape = (what >> 8) & 0xffu;
    field.value_size = what >> 16;
    field.name = name;
    field.value = value;
    field.count = count;
    field.list_count = list_count;
    field.row = row;
    return f->visit(f, &field);
}

/* The slow way for what has names. */
DEJA__COLD static uint32_t deja__ask_named(deja_fields *f, const char *name, const void *value,
                                           uint32_t what, uint64_t count,
                                           const uint32_t *list_count, uint32_t row,
                                           const char *const *names, uint32_t name_count)
{
    deja_field field;
    memset(&field, 0, sizeof field);
    field.size = (uint32_t)sizeof field;
    field.kind = what & 0xffu;
    field.shape = (what >> 8) & 0xffu;
    field.value_size = what >> 16;
    field.name = name;
    field.value = value;
    field.count = count;
    field.list_count = list_count;
    field.names = names;
    field.name_count = name_count;
    field.row = row;
    return f->visit(f, &field);
}

/* The slow way for what opens: items have sizes of any width. */
DEJA__COLD static uint32_t deja__ask_open(deja_fields *f, const char *name, const void *value,
                                          uint64_t value_size, uint32_t kind, uint32_t shape,
                                          uint64_t count, const uint32_t *list_count, uint32_t row,
                                          uint64_t version)
{
    deja_field field;
    memset(&field, 0, sizeof field);
    field.size = (uint32_t)sizeof field;
    field.kind = kind;
    field.shape = shape;
    field.value_size = (uint32_t)value_size;
    field.name = name;
    field.value = value;
    field.count = count;
    field.list_count = list_count;
    field.row = row;
    field.version = version;
    return f->visit(f, &field);
}

#define DEJA__WHAT(kind, shape, size) \
    ((uint32_t)(kind) | (uint32_t)(shape) << 8 | (uint32_t)(size) << 16)

#define DEJA__SCALAR_STORE8(f, value) (*(f)->at = (unsigned char)(value))
#define DEJA__SCALAR_STORE16(f, value) DEJA__STORE(16, (f)->at, (uint16_t)(value))
#define DEJA__SCALAR_STORE32(f, value) DEJA__STORE(32, (f)->at, (uint32_t)(value))
#define DEJA__SCALAR_STORE64(f, value) DEJA__STORE(64, (f)->at, (uint64_t)(value))

/* One scalar, and arrays, grids, counted lists and block arrays of it. */
#define DEJA__SCALAR(word, type, KIND, bits)                                             \
    DEJA__MAYBE_UNUSED static inline void deja_##word(deja_fields *f, const char *name,  \
                                                      const type *value)                 \
    {                                                                                    \
        if (DEJA__LIKELY(deja__room(f, bits / 8))) {                                     \
            DEJA__SCALAR_STORE##bits(f, *value);                                         \
            f->at += bits / 8;                                                           \
        } else {                                                                         \
            deja__ask(f, name, value, DEJA__WHAT(KIND, DEJA_ONE, bits / 8), 1, NULL, 0); \
        }                                                                                \
    }                                                                                    \
    DEJA__SCALAR_MANY(word, type, KIND, bits)

#define DEJA__SCALAR_MANY(word, type, KIND, bits)                                                  \
    DEJA__MAYBE_UNUSED static inline void deja_##word##_array(deja_fields *f, const char *name,    \
                                                              const type *values, uint32_t count)  \
    {                                                                                              \
        deja__many(f, name, values, count, DEJA__WHAT(KIND, DEJA_ARRAY, bits / 8), 0);             \
    }                                                                                              \
    DEJA__MAYBE_UNUSED static inline void deja_##word##_grid(                                      \
        deja_fields *f, const char *name, const type *values, uint32_t rows, uint32_t columns)     \
    {                                                                                              \
        deja__many(f, name, values, ((uint64_t)rows * columns),                                    \
                   DEJA__WHAT(KIND, DEJA_GRID, bits / 8), columns);                                \
    }                                                                                              \
    DEJA__MAYBE_UNUSED static inline void deja_##word##_list(                                      \
        deja_fields *f, const char *name, const type *values, const uint32_t *count, uint32_t max) \
    {                                                                                              \
        deja__list(f, name, values, count, max, DEJA__WHAT(KIND, DEJA_LIST, bits / 8));            \
    }                                                                                              \
    DEJA__MAYBE_UNUSED static inline void deja_##word##_blocks(deja_fields *f, const char *name,   \
                                                               const type *values, uint32_t count) \
    {                                                                                              \
        deja__ask(f, name, values, DEJA__WHAT(KIND, DEJA_BLOCKS, bits / 8), count, NULL, 0);       \
    }

static inline bool deja__is_float(uint32_t what)
{
    return (what & 0xffu) == DEJA_F32 || (what & 0xffu) == DEJA_F64;
}

DEJA__MAYBE_UNUSED static inline void deja__many(deja_fields *f, const char *name,
                                                 const void *values, uint64_t count, uint32_t what,
                                                 uint32_t row)
{
    const uint64_t size = count * (what >> 16);
    if (!deja__is_float(what) && size != 0 && deja__room(f, size)) {
        memcpy(f->at, values, (size_t)size);
        f->at += size;
    } else {
        deja__ask(f, name, values, what, count, NULL, row);
    }
}

DEJA__MAYBE_UNUSED static inline void deja__list(deja_fields *f, const char *name,
                                                 const void *values, const uint32_t *count,
                                                 uint32_t max, uint32_t what)
{
    const uint64_t size = (uint64_t)*count * (what >> 16);
    if (!deja__is_float(what) && *count <= max && deja__room(f, size + 4)) {
        DEJA__STORE(32, f->at, *count);
        if (size != 0)
            memcpy(f->at + 4, values, (size_t)size);
        f->at += 4 + size;
    } else {
        deja__ask(f, name, values, what, max, count, 0);
    }
}

/*
 * void deja_u32(deja_fields *f, const char *name, const uint32_t *value)
 *     one scalar; also bool, u8, u16, u64, i8, i16, i32, i64, f32, f64
 * void deja_u32_array(f, name, values, count)         always `count` of them
 * void deja_u32_grid(f, name, values, rows, columns)  the same, shown in rows
 * void deja_u32_list(f, name, values, &count, max)    as many as `count`, never more than `max`
 * void deja_u32_blocks(f, name, values, count)        an array that is hashed in 64-byte blocks
 */
DEJA__SCALAR(u8, uint8_t, DEJA_U8, 8)
DEJA__SCALAR(u16, uint16_t, DEJA_U16, 16)
DEJA__SCALAR(u32, uint32_t, DEJA_U32, 32)
DEJA__SCALAR(u64, uint64_t, DEJA_U64, 64)
DEJA__SCALAR(i8, int8_t, DEJA_I8, 8)
DEJA__SCALAR(i16, int16_t, DEJA_I16, 16)
DEJA__SCALAR(i32, int32_t, DEJA_I32, 32)
DEJA__SCALAR(i64, int64_t, DEJA_I64, 64)

/* A bool is read as the byte it lies in, so that one which holds 2 is seen and not undefined. */
DEJA__MAYBE_UNUSED static inline void deja_bool(deja_fields *f, const char *name, const bool *value)
{
    if (DEJA__LIKELY(deja__room(f, 1) && *(const unsigned char *)value <= 1)) {
        *f->at = *(const unsigned char *)value;
        f->at += 1;
    } else {
        deja__ask(f, name, value, DEJA__WHAT(DEJA_BOOL, DEJA_ONE, 1), 1, NULL, 0);
    }
}
DEJA__SCALAR_MANY(bool, bool, DEJA_BOOL, 8)

/* Floats keep their bits, but for NaNs, of which there is one. */
DEJA__MAYBE_UNUSED static inline void deja_f32(deja_fields *f, const char *name, const float *value)
{
    if (deja__room(f, 4)) {
        uint32_t bits;
        memcpy(&bits, value, 4);
        if ((bits & 0x7fffffffu) > 0x7f800000u)
            bits = 0x7fc00000u;
        DEJA__STORE(32, f->at, bits);
        f->at += 4;
    } else {
        deja__ask(f, name, value, DEJA__WHAT(DEJA_F32, DEJA_ONE, 4), 1, NULL, 0);
    }
}
DEJA__SCALAR_MANY(f32, float, DEJA_F32, 32)

DEJA__MAYBE_UNUSED static inline void deja_f64(deja_fields *f, const char *name,
                                               const double *value)
{
    if (deja__room(f, 8)) {
        uint64_t bits;
        memcpy(&bits, value, 8);
        if ((bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u)
            bits = 0x7ff8000000000000u;
        DEJA__STORE(64, f->at, bits);
        f->at += 8;
    } else {
        deja__ask(f, name, value, DEJA__WHAT(DEJA_F64, DEJA_ONE, 8), 1, NULL, 0);
    }
}
DEJA__SCALAR_MANY(f64, double, DEJA_F64, 64)

/* deja_array(f, name, values, count, deja_u8) and so on: the same, with the scalar's word last. */
#define deja_array(f, name, values, count, scalar) scalar##_array(f, name, values, count)
#define deja_grid(f, name, values, rows, columns, scalar) \
    scalar##_grid(f, name, values, rows, columns)
#define deja_list(f, name, values, count, max, scalar) scalar##_list(f, name, values, count, max)
#define deja_blocks(f, name, values, count, scalar) scalar##_blocks(f, name, values, count)

/** So many bytes, always. */
DEJA__MAYBE_UNUSED static inline void deja_bytes(deja_fields *f, const char *name,
                                                 const void *bytes, uint32_t size)
{
    if (size != 0 && deja__room(f, size)) {
        memcpy(f->at, bytes, size);
        f->at += size;
    } else {
        deja__ask(f, name, bytes, DEJA__WHAT(DEJA_BYTES, DEJA_ONE, 1), size, NULL, 0);
    }
}

/** UTF-8 that ends with NUL within `capacity` bytes. What lies behind the NUL is not state. */
DEJA__MAYBE_UNUSED static inline void deja_text(deja_fields *f, const char *name, const char *chars,
                                                uint32_t capacity)
{
    if (f->at != f->end) {
        const char *nul = (const char *)memchr(chars, 0, capacity);
        const uint64_t size = nul ? (uint64_t)(nul - chars) : 0;
        if (nul && deja__room(f, size + 4)) {
            DEJA__STORE(32, f->at, (uint32_t)size);
            memcpy(f->at + 4, chars, (size_t)size);
            f->at += 4 + size;
            return;
        }
    }
    deja__ask(f, name, chars, DEJA__WHAT(DEJA_TEXT, DEJA_ONE, 1), capacity, NULL, 0);
}

/** A stream of luck. */
DEJA__MAYBE_UNUSED static inline void deja_rng(deja_fields *f, const char *name,
                                               const deja_luck *luck)
{
    if (deja__room(f, 24)) {
        DEJA__STORE(64, f->at, luck->state);
        DEJA__STORE(64, f->at + 8, luck->increment);
        DEJA__STORE(64, f->at + 16, luck->draws);
        f->at += 24;
    } else {
        deja__ask(f, name, luck, DEJA__WHAT(DEJA_RNG, DEJA_ONE, 24), 1, NULL, 0);
    }
}

static inline uint32_t deja__read_small(const void *value, size_t size)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    if (size == 1) {
        memcpy(&one, value, 1);
        return one;
    }
    if (size == 2) {
        memcpy(&two, value, 2);
        return two;
    }
    memcpy(&four, value, 4);
    return four;
}

DEJA__MAYBE_UNUSED static inline void deja__enum(deja_fields *f, const char *name,
                                                 const void *value, size_t size,
                                                 const char *const *names, uint32_t name_count)
{
    const uint32_t place = deja__read_small(value, size);
    if (DEJA__LIKELY(deja__room(f, 2) && place < name_count)) {
        DEJA__STORE(16, f->at, (uint16_t)place);
        f->at += 2;
    } else {
        deja__ask_named(f, name, value, DEJA__WHAT(DEJA_ENUM, DEJA_ONE, size), 1, NULL, 0, names,
                        name_count);
    }
}

DEJA__MAYBE_UNUSED static inline uint32_t deja__kind(deja_fields *f, const void *value, size_t size,
                                                     const char *const *names, uint32_t name_count)
{
    const uint32_t place = deja__read_small(value, size);
    if (DEJA__LIKELY(deja__room(f, 2) && place < name_count)) {
        DEJA__STORE(16, f->at, (uint16_t)place);
        f->at += 2;
        return place;
    }
    return deja__ask_named(f, NULL, value, DEJA__WHAT(DEJA_KIND, DEJA_ONE, size), 1, NULL, 0, names,
                           name_count);
}

/* The size of one value of an enumeration; 8 bytes do not compile. */
#define DEJA__ENUM_SIZE(pointer) (sizeof(char[sizeof *(pointer) <= 4 ? 1 : -1]) * sizeof *(pointer))
#define DEJA__NAME_COUNT(names) ((uint32_t)(sizeof(names) / sizeof *(names)))
#ifdef __cplusplus
#undef DEJA__NAME_COUNT
#define DEJA__NAME_COUNT(names) static_cast<uint32_t>(sizeof(names) / sizeof *(names))
#endif

/** An enumeration of 1, 2 or 4 bytes: `names` is an array with a name for each value from 0. */
#define deja_enum(f, name, pointer, names) \
    deja__enum(f, name, pointer, DEJA__ENUM_SIZE(pointer), names, DEJA__NAME_COUNT(names))
#define deja_enum_array(f, name, pointer, count, names)                                      \
    deja__named(f, name, pointer, DEJA_ENUM, DEJA_ARRAY, DEJA__ENUM_SIZE(pointer), count, 0, \
                names, DEJA__NAME_COUNT(names))
#define deja_enum_grid(f, name, pointer, rows, columns, names)                    \
    deja__named(f, name, pointer, DEJA_ENUM, DEJA_GRID, DEJA__ENUM_SIZE(pointer), \
                (rows) * (columns), columns, names, DEJA__NAME_COUNT(names))
#define deja_enum_list(f, name, pointer, list_count, max, names)                             \
    deja__named_list(f, name, pointer, DEJA_ENUM, DEJA__ENUM_SIZE(pointer), list_count, max, \
                     names, DEJA__NAME_COUNT(names))
/** Flags of 1, 2 or 4 bytes: names[i] is the flag of bit i; other bits must be 0. */
#define deja_flags(f, name, pointer, names)                                                    \
    deja__named(f, name, pointer, DEJA_FLAGS, DEJA_ONE, DEJA__ENUM_SIZE(pointer), 1, 0, names, \
                DEJA__NAME_COUNT(names))
#define deja_flags_array(f, name, pointer, count, names)                                      \
    deja__named(f, name, pointer, DEJA_FLAGS, DEJA_ARRAY, DEJA__ENUM_SIZE(pointer), count, 0, \
                names, DEJA__NAME_COUNT(names))
#define deja_flags_list(f, name, pointer, list_count, max, names)                             \
    deja__named_list(f, name, pointer, DEJA_FLAGS, DEJA__ENUM_SIZE(pointer), list_count, max, \
                     names, DEJA__NAME_COUNT(names))
/**
 * The tag of a tagged union, 1, 2 or 4 bytes: the first call of its struct's description. What
 * follows in the struct may depend on the answer.
 * @return the place in `names` of the alternative to describe
 */
#define deja_kind(f, pointer, names) \
    deja__kind(f, pointer, DEJA__ENUM_SIZE(pointer), names, DEJA__NAME_COUNT(names))

/* Enumerations in memory may be narrower or wider than in the canonical form: the host's work. */
DEJA__MAYBE_UNUSED static inline void deja__named(deja_fields *f, const char *name,
                                                  const void *value, uint32_t kind, uint32_t shape,
                                                  size_t size, uint64_t count, uint32_t row,
                                                  const char *const *names, uint32_t name_count)
{
    deja__ask_named(f, name, value, DEJA__WHAT(kind, shape, size), count, NULL, row, names,
                    name_count);
}

DEJA__MAYBE_UNUSED static inline void deja__named_list(deja_fields *f, const char *name,
                                                       const void *value, uint32_t kind,
                                                       size_t size, const uint32_t *list_count,
                                                       uint32_t max, const char *const *names,
                                                       uint32_t name_count)
{
    deja__ask_named(f, name, value, DEJA__WHAT(kind, DEJA_LIST, size), max, list_count, 0, names,
                    name_count);
}

/**
 * A value that may be absent: if the answer is true, the next call (with a NULL name) is the value;
 * if it is false, there is none.
 */
DEJA__MAYBE_UNUSED static inline bool deja_optional(deja_fields *f, const char *name,
                                                    const bool *present)
{
    const unsigned char flag = *(const unsigned char *)present;
    if (DEJA__LIKELY(deja__room(f, 1) && flag <= 1)) {
        *f->at = flag;
        f->at += 1;
        return flag == 1;
    }
    return deja__ask(f, name, present, DEJA__WHAT(DEJA_OPTIONAL, DEJA_ONE, 1), 1, NULL, 0) == 1;
}

/** Memory that is declared not to be state: a cache, a scratch area. Costs nothing. */
DEJA__MAYBE_UNUSED static inline void deja_derived(deja_fields *f, const char *name,
                                                   const void *memory, uint64_t size)
{
    if (f->at == f->end)
        deja__ask(f, name, memory, DEJA__WHAT(DEJA_DERIVED, DEJA_ONE, 1), size, NULL, 0);
}

/* ---- what opens and closes ---- */

DEJA__MAYBE_UNUSED static inline void deja_close(deja_fields *f, deja_opened opened)
{
    if (opened.asked)
        deja__ask_open(f, NULL, NULL, 0, DEJA_CLOSE, DEJA_ONE, opened.kind, NULL, 0, 0);
}

DEJA__MAYBE_UNUSED static inline deja_opened deja__opened(uint32_t count, bool asked, uint32_t kind)
{
    deja_opened opened;
    opened.count = count;
    opened.asked = asked ? 1u : 0u;
    opened.kind = kind;
    return opened;
}

DEJA__MAYBE_UNUSED static inline deja_opened deja__open_struct(deja_fields *f, const char *name,
                                                               const void *value, uint64_t size)
{
    if (DEJA__LIKELY(f->at != f->end))
        return deja__opened(1, false, DEJA_STRUCT);
    return deja__opened(deja__ask_open(f, name, value, size, DEJA_STRUCT, DEJA_ONE, 1, NULL, 0, 0),
                        true, DEJA_STRUCT);
}

DEJA__MAYBE_UNUSED static inline deja_opened deja__open_array(deja_fields *f, const char *name,
                                                              const void *items, uint64_t size,
                                                              uint32_t shape, uint32_t count,
                                                              uint32_t row)
{
    if (DEJA__LIKELY(f->at != f->end))
        return deja__opened(count, false, DEJA_STRUCT);
    return deja__opened(
        deja__ask_open(f, name, items, size, DEJA_STRUCT, shape, count, NULL, row, 0), true,
        DEJA_STRUCT);
}

DEJA__MAYBE_UNUSED static inline deja_opened deja__open_list(deja_fields *f, const char *name,
                                                             const void *items, uint64_t size,
                                                             const uint32_t *count, uint32_t max)
{
    if (DEJA__LIKELY(*count <= max && deja__room(f, 4))) {
        DEJA__STORE(32, f->at, *count);
        f->at += 4;
        return deja__opened(*count, false, DEJA_STRUCT);
    }
    return deja__opened(
        deja__ask_open(f, name, items, size, DEJA_STRUCT, DEJA_LIST, max, count, 0, 0), true,
        DEJA_STRUCT);
}

DEJA__MAYBE_UNUSED static inline deja_opened
deja__open_items(deja_fields *f, const char *name, uint32_t shape, uint32_t count, uint32_t max)
{
    if (DEJA__LIKELY(count <= max && deja__room(f, 4))) {
        DEJA__STORE(32, f->at, count);
        f->at += 4;
        return deja__opened(count, false, DEJA_ITEMS);
    }
    return deja__opened(deja__ask_open(f, name, NULL, 0, DEJA_ITEMS, shape, max, &count, 0, 0),
                        true, DEJA_ITEMS);
}

/**
 * A container that grows, of any kind. The answer's count says how many items to walk; while
 * loading, make so many first (deja_loading()). Describe each item in turn: by one call without a
 * name, or by the calls of its struct. Then deja_close().
 */
DEJA__MAYBE_UNUSED static inline deja_opened deja_list_open(deja_fields *f, const char *name,
                                                            uint32_t count, uint32_t max)
{
    return deja__open_items(f, name, DEJA_LIST, count, max);
}

/** The same for a map: each item is a key (one call without a name: an integer, bool, enumeration,
 *  text or bytes), then its value. Keys rise strictly, so walk the map in the order of its keys. */
DEJA__MAYBE_UNUSED static inline deja_opened deja_map_open(deja_fields *f, const char *name,
                                                           uint32_t count, uint32_t max)
{
    return deja__open_items(f, name, DEJA_MAP, count, max);
}

/** The same for a set: each item is a key. */
DEJA__MAYBE_UNUSED static inline deja_opened deja_set_open(deja_fields *f, const char *name,
                                                           uint32_t count, uint32_t max)
{
    return deja__open_items(f, name, DEJA_SET, count, max);
}

DEJA__MAYBE_UNUSED static inline deja_opened deja__open_section(deja_fields *f, const char *name,
                                                                const void *value, uint64_t size,
                                                                uint64_t version)
{
    return deja__opened(
        deja__ask_open(f, name, value, size, DEJA_SECTION, DEJA_ONE, 1, NULL, 0, version), true,
        DEJA_SECTION);
}

/** A nested struct: `fn` is its description, void fn(deja_fields *, const T *). */
#define deja_struct(f, name, pointer, fn)                                                        \
    do {                                                                                         \
        const deja_opened deja_opened_ = deja__open_struct(f, name, pointer, sizeof *(pointer)); \
        fn(f, pointer);                                                                          \
        deja_close(f, deja_opened_);                                                             \
    } while (0)

#define DEJA__WALK(f, opening, items, fn)                                            \
    do {                                                                             \
        const deja_opened deja_opened_ = opening;                                    \
        for (uint32_t deja_item_ = 0; deja_item_ < deja_opened_.count; deja_item_++) \
            fn(f, (items) + deja_item_);                                             \
        deja_close(f, deja_opened_);                                                 \
    } while (0)

/** An array of structs. */
#define deja_struct_array(f, name, items, count, fn)                                              \
    DEJA__WALK(f, deja__open_array(f, name, items, sizeof *(items), DEJA_ARRAY, count, 0), items, \
               fn)
/** Structs in rows: `items` points at the first of rows times columns. */
#define deja_struct_grid(f, name, items, rows, columns, fn)                                        \
    DEJA__WALK(                                                                                    \
        f,                                                                                         \
        deja__open_array(f, name, items, sizeof *(items), DEJA_GRID, (rows) * (columns), columns), \
        items, fn)
/** A counted list of structs in an array of `max`. */
#define deja_struct_list(f, name, items, list_count, max, fn) \
    DEJA__WALK(f, deja__open_list(f, name, items, sizeof *(items), list_count, max), items, fn)
/** A nested struct that stands in the state hash as its own hash. `version`: 0, or a stamp that
 *  changes whenever the struct does and is never given out twice, undo included. */
#define deja_section(f, name, pointer, version, fn)                           \
    do {                                                                      \
        const deja_opened deja_opened_ =                                      \
            deja__open_section(f, name, pointer, sizeof *(pointer), version); \
        fn(f, pointer);                                                       \
        deja_close(f, deja_opened_);                                          \
    } while (0)

/** The writable value while it is being loaded, else NULL: the one place where a description may
 *  change or allocate. T *deja_loading(deja_fields *f, const T *value) */
#ifndef __cplusplus
DEJA__MAYBE_UNUSED static inline void *deja_loading(deja_fields *f, const void *value)
{
    return f->doing == DEJA_LOADING ? (void *)(uintptr_t)value : NULL;
}
#endif

/* ---- time and inputs ---- */

/** Describes a timer; for deja_struct() and its kin. */
DEJA__MAYBE_UNUSED static inline void deja_countdown_fields(deja_fields *f,
                                                            const deja_countdown *countdown)
{
    deja_u32(f, "wait", &countdown->wait);
    deja_u32(f, "left", &countdown->left);
}

/** Describes a timer; for deja_struct() and its kin. */
DEJA__MAYBE_UNUSED static inline void deja_every_fields(deja_fields *f, const deja_every *every)
{
    deja_u32(f, "period", &every->period);
    deja_u32(f, "counted", &every->counted);
}

DEJA__MAYBE_UNUSED static inline void deja__input(deja_fields *f, const deja_input *input,
                                                  const char *const *names, uint32_t name_count)
{
    const uint32_t unnamed = name_count < 32 ? ~0u << name_count : 0;
    const uint32_t what = DEJA__WHAT(DEJA_FLAGS, DEJA_ONE, 4);
    if (DEJA__LIKELY(deja__room(f, 12) &&
                     ((input->pressed | input->held | input->released) & unnamed) == 0)) {
        DEJA__STORE(32, f->at, input->pressed);
        DEJA__STORE(32, f->at + 4, input->held);
        DEJA__STORE(32, f->at + 8, input->released);
        f->at += 12;
    } else {
        deja__ask_named(f, "pressed", &input->pressed, what, 1, NULL, 0, names, name_count);
        deja__ask_named(f, "held", &input->held, what, 1, NULL, 0, names, name_count);
        deja__ask_named(f, "released", &input->released, what, 1, NULL, 0, names, name_count);
    }
}

/** Describes a deja_input: `actions` is an array with a name for each action, at most 32. */
#define deja_input_fields(f, input, actions) \
    deja__input(f, input, actions, DEJA__NAME_COUNT(actions))

/* ---- what apply says ---- */

/** Says that an event happened (in legal: that a command is legal). Copied; no-op without `out`. */
DEJA__MAYBE_UNUSED static inline void deja_emit(deja_out *out, const void *value)
{
    if (out)
        out->emit(out, value);
}

/** Says that apply changed this memory of a field declared as blocks. */
DEJA__MAYBE_UNUSED static inline void deja_touch(deja_out *out, const void *pointer, uint64_t size)
{
    if (out)
        out->touch(out, pointer, size);
}

/** Writes text to a page. */
DEJA__MAYBE_UNUSED static inline void deja_page_text(deja_page *page, const char *text)
{
    page->write(page, text, strlen(text));
}

/** Writes one character to a page, `times` over. */
DEJA__MAYBE_UNUSED static inline void deja_page_char(deja_page *page, char character,
                                                     uint32_t times)
{
    while (times--)
        page->write(page, &character, 1);
}

/** Writes a number to a page, in decimal. */
DEJA__MAYBE_UNUSED static inline void deja_page_number(deja_page *page, int64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (number < 0)
        deja_page_char(page, '-', 1);
    page->write(page, digits + at, sizeof digits - at);
}

/** A pack of content by its name. @return NULL if there is none; borrowed for the call */
DEJA__MAYBE_UNUSED static inline const deja_content_pack *
deja_content_find(const deja_content *content, const char *name)
{
    for (uint64_t i = 0; content && i < content->count; i++)
        if (strcmp(content->packs[i].name, name) == 0)
            return &content->packs[i];
    return NULL;
}

/* ---- luck ---- */

DEJA__MAYBE_UNUSED static inline uint32_t deja__luck_step(deja_luck *luck)
{
    const uint64_t old = luck->state;
    const uint32_t xorshifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    const uint32_t rotation = (uint32_t)(old >> 59);
    luck->state = old * 6364136223846793005u + luck->increment;
    return (xorshifted >> rotation) | (xorshifted << ((0u - rotation) & 31u));
}

/** Starts a stream: number `stream` of those that `seed` gives. Both may be any number. */
DEJA__MAYBE_UNUSED static inline void deja_luck_seed(deja_luck *luck, uint64_t seed,
                                                     uint64_t stream)
{
    luck->state = 0;
    luck->increment = stream << 1 | 1u;
    luck->draws = 0;
    (void)deja__luck_step(luck);
    luck->state += seed;
    (void)deja__luck_step(luck);
}

/** The next number, any of 0 to 2^32 - 1. One draw. */
DEJA__MAYBE_UNUSED static inline uint32_t deja_luck_next(deja_luck *luck)
{
    luck->draws++;
    return deja__luck_step(luck);
}

/** A number from 0 to limit - 1, each as likely as the others; 0 for a limit of 0. One draw, more
 *  where the first fall into the uneven rest (which are left out, as pcg32_boundedrand does). */
DEJA__MAYBE_UNUSED static inline uint32_t deja_luck_below(deja_luck *luck, uint32_t limit)
{
    if (limit == 0)
        return 0;
    const uint32_t uneven = (0u - limit) % limit;
    for (;;) {
        const uint32_t number = deja_luck_next(luck);
        if (number >= uneven)
            return number % limit;
    }
}

/** A number from `least` to `most`, both included; `least` where most < least. */
DEJA__MAYBE_UNUSED static inline int32_t deja_luck_range(deja_luck *luck, int32_t least,
                                                         int32_t most)
{
    if (most < least)
        return least;
    const uint32_t span = (uint32_t)most - (uint32_t)least + 1u;
    const uint32_t more = span ? deja_luck_below(luck, span) : deja_luck_next(luck);
    return (int32_t)((int64_t)least + (int64_t)more);
}

/** A roll from 0 to 99: a chance of `percent` is met where the roll is below it. */
DEJA__MAYBE_UNUSED static inline uint32_t deja_luck_percent(deja_luck *luck)
{
    return deja_luck_below(luck, 100);
}

/** Shuffles `count` items of `size` bytes, every order as likely (Fisher and Yates, from the end:
 *  count - 1 draws or more). */
DEJA__MAYBE_UNUSED static inline void deja_luck_shuffle(deja_luck *luck, void *items,
                                                        uint32_t count, size_t size)
{
    unsigned char *bytes = (unsigned char *)items;
    for (uint32_t i = count; i > 1; i--) {
        unsigned char *a = bytes + (size_t)(i - 1) * size;
        unsigned char *b = bytes + (size_t)deja_luck_below(luck, i) * size;
        for (size_t k = 0; k < size && a != b; k++) {
            const unsigned char kept = a[k];
            a[k] = b[k];
            b[k] = kept;
        }
    }
}

/* ---- time and inputs ---- */

/** Starts a countdown of `wait`, all of which is left. */
DEJA__MAYBE_UNUSED static inline void deja_countdown_start(deja_countdown *countdown, uint32_t wait)
{
    countdown->wait = wait;
    countdown->left = wait;
}

/** Starts one that is ready now, and takes `wait` from each restart: a cooldown. */
DEJA__MAYBE_UNUSED static inline void deja_countdown_start_ready(deja_countdown *countdown,
                                                                 uint32_t wait)
{
    countdown->wait = wait;
    countdown->left = 0;
}

/** Lets so many turns or steps go by. */
DEJA__MAYBE_UNUSED static inline void deja_countdown_advance(deja_countdown *countdown,
                                                             uint32_t count)
{
    countdown->left -= count < countdown->left ? count : countdown->left;
}

DEJA__MAYBE_UNUSED static inline bool deja_countdown_ready(const deja_countdown *countdown)
{
    return countdown->left == 0;
}

/** The full wait again, however much was left. */
DEJA__MAYBE_UNUSED static inline void deja_countdown_restart(deja_countdown *countdown)
{
    countdown->left = countdown->wait;
}

/** Starts a timer that fires every `period`, for the first time after the first one. */
DEJA__MAYBE_UNUSED static inline void deja_every_start(deja_every *every, uint32_t period)
{
    every->period = period;
    every->counted = 0;
}

/** Lets so many turns or steps go by. What does not make a whole period is carried on.
 *  @return how many times it fired */
DEJA__MAYBE_UNUSED static inline uint32_t deja_every_advance(deja_every *every, uint32_t count)
{
    if (every->period == 0)
        return 0;
    const uint64_t sum = (uint64_t)every->counted + count;
    const uint64_t fired = sum / every->period;
    every->counted = (uint32_t)(sum % every->period);
    return fired < UINT32_MAX ? (uint32_t)fired : UINT32_MAX;
}

/** Counts from 0 again. */
DEJA__MAYBE_UNUSED static inline void deja_every_reset(deja_every *every)
{
    every->counted = 0;
}

/** Whether an action was pressed in this step; an action past the 32nd never is. */
DEJA__MAYBE_UNUSED static inline bool deja_input_pressed(const deja_input *input, uint32_t action)
{
    return action < 32 && (input->pressed >> action & 1u) != 0;
}

/** Whether it is down in this step, newly or not. */
DEJA__MAYBE_UNUSED static inline bool deja_input_held(const deja_input *input, uint32_t action)
{
    return action < 32 && (input->held >> action & 1u) != 0;
}

/** Whether it was let go of in this step. */
DEJA__MAYBE_UNUSED static inline bool deja_input_released(const deja_input *input, uint32_t action)
{
    return action < 32 && (input->released >> action & 1u) != 0;
}

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
/* C++ takes the type back from a template; see the C function above. */
template <typename T> static inline T *deja_loading(deja_fields *f, const T *value)
{
    return f->doing == DEJA_LOADING ? const_cast<T *>(value) : nullptr;
}
#endif

#endif
