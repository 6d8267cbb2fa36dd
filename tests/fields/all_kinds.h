/* SPDX-License-Identifier: MIT */
/*
 * Two types that have everything <deja/rules.h> can describe:
 *
 *   all_kinds    a state: every kind of field in every shape, structs and kinds in lists, sections
 *                in sections, optionals of everything, maps and sets, blocks, memory on the heap
 *   all_command  a command: a kind whose alternatives are flat, as a load plan wants them; one is a
 *                tick with the inputs of two players
 *
 * all_kinds_fill() and all_command_fill() make any valid value of them, the same for a seed.
 */
#ifndef DEJA_TESTS_FIELDS_ALL_KINDS_H
#define DEJA_TESTS_FIELDS_ALL_KINDS_H

#include <deja/rules.h>
#include <stdlib.h>

#define ALL_UNUSED __attribute__((unused))

static const char *const all_moods[] = { "calm", "angry", "asleep" };
static const char *const all_traits[] = { "fast", "strong", "shy" };
static const char *const all_effects[] = { "none", "poison", "curse", "move" };
static const char *const all_inner_kinds[] = { "plain", "odd" };
static const char *const all_commands[] = { "pass", "take",   "place", "paint",
                                            "wait", "charge", "tick" };
static const char *const all_actions[] = { "left", "right", "jump" };

enum { ALL_MOODS = 3, ALL_TRAITS = 3, ALL_EFFECTS = 4, ALL_COMMANDS = 7, ALL_ACTIONS = 3 };

typedef struct all_point {
    int16_t x;
    int16_t y;
} all_point;

typedef struct all_inner {
    uint32_t kind;
    uint8_t level;
    char why[6];
} all_inner;

typedef struct all_effect {
    uint8_t kind;
    union {
        struct {
            uint16_t turns;
            float power;
        } poison;
        struct {
            char word[12];
            all_inner inner;
        } curse;
        all_point move;
    } u;
} all_effect;

typedef struct all_unit {
    uint64_t id;
    int16_t hp;
    uint16_t mood;
    char name[16];
    all_effect effects[3];
    uint32_t effect_count;
    bool has_target;
    uint32_t target;
    all_point path[4];
    uint32_t path_count;
} all_unit;

/* One of a linked list: memory that the state owns. */
typedef struct all_link {
    struct all_link *next;
    int32_t weight;
    all_point at;
} all_link;

/* A text that grows, as std::string does. */
typedef struct all_text {
    char *chars;
    uint32_t size;
} all_text;

typedef struct all_store {
    uint32_t gold;
    bool open;
    uint16_t stock[5];
    all_point site;
} all_store;

typedef struct all_army {
    all_unit units[4];
    uint32_t unit_count;
    all_store store; /* a section in a section */
    int64_t morale;
} all_army;

typedef struct all_kinds {
    bool flag;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    uint8_t mood8;
    uint16_t mood16;
    uint32_t mood32;
    uint8_t traits8;
    uint16_t traits16;
    uint32_t traits32;
    unsigned char key[17];
    char name[20];
    deja_luck luck;

    bool bools[5];
    uint8_t u8s[3];
    uint16_t u16s[3];
    int32_t i32s[1300]; /* more than a window */
    int64_t i64s[2];
    float f32s[7];
    double f64s[3];
    uint8_t mood_array[4];
    uint32_t trait_array[2];

    uint8_t board[3][4];
    bool fog[2][3];
    double heights[2][2];
    uint32_t mood_grid[2][3];
    all_point corners[2][2];

    bool bool_list[6];
    uint32_t bool_count;
    uint8_t u8_list[40];
    uint32_t u8_count;
    int16_t i16_list[7];
    uint32_t i16_count;
    uint64_t u64_list[5];
    uint32_t u64_count;
    float f32_list[9];
    uint32_t f32_count;
    uint16_t mood_list[8];
    uint32_t mood_count;
    uint8_t trait_list[4];
    uint32_t trait_count;

    bool has_offer;
    int32_t offer;
    bool has_moves;
    uint8_t moves[5];
    uint32_t move_count;
    bool has_spot;
    all_point spot;
    bool has_note;
    char note[9];
    bool has_curse;
    all_effect curse;

    all_point origin;
    all_effect effect;
    all_point ring[3];
    all_army army;

    uint8_t block_bytes[200];
    bool block_bools[70];
    float block_floats[33];
    uint64_t block_words[9];

    struct {
        uint16_t key;
        all_point value;
    } prices[4];
    uint32_t price_count;
    struct {
        char key[8];
        uint8_t count;
        bool sold;
    } wares[3];
    uint32_t ware_count;
    struct {
        uint8_t key;
        uint32_t value;
    } tempers[ALL_MOODS];
    uint32_t temper_count;
    int32_t seen[6];
    uint32_t seen_count;
    unsigned char marks[3][4];
    uint32_t mark_count;

    all_link *links;
    uint32_t link_count;
    all_text story;
    all_text lines[3];
    uint32_t line_count;
    struct {
        uint8_t *bytes;
        uint32_t count;
    } heap;

    uint32_t cache[16]; /* derived */
    deja_countdown can;
    deja_every rain[2];
    deja_input inputs[2];
    deja_input ghosts[3];
    uint32_t ghost_count;
    uint64_t last;
} all_kinds;

typedef struct all_command {
    uint32_t kind;
    union {
        struct {
            uint8_t row;
            uint8_t n;
        } take;
        struct {
            all_point at;
            uint16_t mood;
            uint32_t mood32;
            bool now;
            uint64_t cost;
        } place;
        struct {
            uint8_t board[2][3];
            float shade;
            double depth;
            uint8_t traits;
            bool wet[3];
        } paint;
        struct {
            deja_luck luck;
            unsigned char key[5];
            int64_t until[2];
        } wait;
        struct {
            all_point path[3];
            uint32_t moods[2];
        } charge;
        struct {
            deja_input players[2];
            deja_countdown clock;
        } tick;
    } u;
} all_command;

/* ---- the descriptions ---- */

static inline void all_point_fields(deja_fields *f, const all_point *p)
{
    deja_i16(f, "x", &p->x);
    deja_i16(f, "y", &p->y);
}

static inline void all_player_fields(deja_fields *f, const deja_input *input)
{
    deja_input_fields(f, input, all_actions);
}

static inline void all_inner_fields(deja_fields *f, const all_inner *inner)
{
    switch (deja_kind(f, &inner->kind, all_inner_kinds)) {
    case 1:
        deja_text(f, "why", inner->why, sizeof inner->why);
        break;
    default:
        break;
    }
    deja_u8(f, "level", &inner->level);
}

static inline void all_effect_fields(deja_fields *f, const all_effect *e)
{
    switch (deja_kind(f, &e->kind, all_effects)) {
    case 1:
        deja_u16(f, "turns", &e->u.poison.turns);
        deja_f32(f, "power", &e->u.poison.power);
        break;
    case 2:
        deja_text(f, "word", e->u.curse.word, sizeof e->u.curse.word);
        deja_struct(f, "inner", &e->u.curse.inner, all_inner_fields);
        break;
    case 3:
        deja_struct(f, "by", &e->u.move, all_point_fields);
        break;
    default:
        break;
    }
}

static inline void all_unit_fields(deja_fields *f, const all_unit *u)
{
    deja_u64(f, "id", &u->id);
    deja_i16(f, "hp", &u->hp);
    deja_enum(f, "mood", &u->mood, all_moods);
    deja_text(f, "name", u->name, sizeof u->name);
    deja_struct_list(f, "effects", u->effects, &u->effect_count, 3, all_effect_fields);
    if (deja_optional(f, "target", &u->has_target))
        deja_u32(f, NULL, &u->target);
    deja_struct_list(f, "path", u->path, &u->path_count, 4, all_point_fields);
}

static inline void all_store_fields(deja_fields *f, const all_store *s)
{
    deja_u32(f, "gold", &s->gold);
    deja_bool(f, "open", &s->open);
    deja_array(f, "stock", s->stock, 5, deja_u16);
    deja_struct(f, "site", &s->site, all_point_fields);
}

static inline void all_army_fields(deja_fields *f, const all_army *a)
{
    deja_struct_list(f, "units", a->units, &a->unit_count, 4, all_unit_fields);
    deja_section(f, "store", &a->store, 0, all_store_fields);
    deja_i64(f, "morale", &a->morale);
}

static inline void all_drop_links(all_kinds *v)
{
    while (v->links) {
        all_link *next = v->links->next;
        free(v->links);
        v->links = next;
    }
    v->link_count = 0;
}

static inline void all_add_link(all_kinds *v)
{
    all_link *link = (all_link *)calloc(1, sizeof *link);
    link->next = v->links;
    v->links = link;
    v->link_count++;
}

/* As rules.hpp describes a std::string: the size by one call, the bytes by another. */
static inline void all_text_fields(deja_fields *f, const char *name, const all_text *t,
                                   uint32_t most)
{
    const uint32_t size =
        deja__ask(f, name, t->chars, DEJA__WHAT(DEJA_TEXT, DEJA_LIST, 1), most, &t->size, 0);
    all_text *loaded = (all_text *)deja_loading(f, t);
    if (!loaded)
        return;
    free(loaded->chars);
    loaded->chars = (char *)malloc(size + 1);
    loaded->size = size;
    deja__ask(f, name, loaded->chars, DEJA__WHAT(DEJA_TEXT, DEJA_FILL, 1), size, NULL, 0);
}

static inline void all_scalar_fields(deja_fields *f, const all_kinds *v)
{
    deja_bool(f, "flag", &v->flag);
    deja_u8(f, "u8", &v->u8);
    deja_u16(f, "u16", &v->u16);
    deja_u32(f, "u32", &v->u32);
    deja_u64(f, "u64", &v->u64);
    deja_i8(f, "i8", &v->i8);
    deja_i16(f, "i16", &v->i16);
    deja_i32(f, "i32", &v->i32);
    deja_i64(f, "i64", &v->i64);
    deja_f32(f, "f32", &v->f32);
    deja_f64(f, "f64", &v->f64);
    deja_enum(f, "mood8", &v->mood8, all_moods);
    deja_enum(f, "mood16", &v->mood16, all_moods);
    deja_enum(f, "mood32", &v->mood32, all_moods);
    deja_flags(f, "traits8", &v->traits8, all_traits);
    deja_flags(f, "traits16", &v->traits16, all_traits);
    deja_flags(f, "traits32", &v->traits32, all_traits);
    deja_bytes(f, "key", v->key, sizeof v->key);
    deja_text(f, "name", v->name, sizeof v->name);
    deja_rng(f, "luck", &v->luck);
}

static inline void all_array_fields(deja_fields *f, const all_kinds *v)
{
    deja_array(f, "bools", v->bools, 5, deja_bool);
    deja_array(f, "u8s", v->u8s, 3, deja_u8);
    deja_array(f, "u16s", v->u16s, 3, deja_u16);
    deja_array(f, "i32s", v->i32s, 1300, deja_i32);
    deja_array(f, "i64s", v->i64s, 2, deja_i64);
    deja_array(f, "f32s", v->f32s, 7, deja_f32);
    deja_array(f, "f64s", v->f64s, 3, deja_f64);
    deja_enum_array(f, "mood_array", v->mood_array, 4, all_moods);
    deja_flags_array(f, "trait_array", v->trait_array, 2, all_traits);
    deja_grid(f, "board", v->board[0], 3, 4, deja_u8);
    deja_grid(f, "fog", v->fog[0], 2, 3, deja_bool);
    deja_grid(f, "heights", v->heights[0], 2, 2, deja_f64);
    deja_enum_grid(f, "mood_grid", v->mood_grid[0], 2, 3, all_moods);
    deja_struct_grid(f, "corners", &v->corners[0][0], 2, 2, all_point_fields);
}

static inline void all_list_fields(deja_fields *f, const all_kinds *v)
{
    deja_list(f, "bool_list", v->bool_list, &v->bool_count, 6, deja_bool);
    deja_list(f, "u8_list", v->u8_list, &v->u8_count, 40, deja_u8);
    deja_list(f, "i16_list", v->i16_list, &v->i16_count, 7, deja_i16);
    deja_list(f, "u64_list", v->u64_list, &v->u64_count, 5, deja_u64);
    deja_list(f, "f32_list", v->f32_list, &v->f32_count, 9, deja_f32);
    deja_enum_list(f, "mood_list", v->mood_list, &v->mood_count, 8, all_moods);
    deja_flags_list(f, "trait_list", v->trait_list, &v->trait_count, 4, all_traits);
}

static inline void all_optional_fields(deja_fields *f, const all_kinds *v)
{
    if (deja_optional(f, "offer", &v->has_offer))
        deja_i32(f, NULL, &v->offer);
    if (deja_optional(f, "moves", &v->has_moves))
        deja_list(f, NULL, v->moves, &v->move_count, 5, deja_u8);
    if (deja_optional(f, "spot", &v->has_spot))
        deja_struct(f, NULL, &v->spot, all_point_fields);
    if (deja_optional(f, "note", &v->has_note))
        deja_text(f, NULL, v->note, sizeof v->note);
    if (deja_optional(f, "curse", &v->has_curse))
        deja_struct(f, NULL, &v->curse, all_effect_fields);
}

static inline void all_map_fields(deja_fields *f, const all_kinds *v)
{
    all_kinds *loaded = (all_kinds *)deja_loading(f, v);

    const deja_opened prices = deja_map_open(f, "prices", v->price_count, 4);
    if (loaded)
        loaded->price_count = prices.count;
    for (uint32_t i = 0; i < prices.count; i++) {
        deja_u16(f, NULL, &v->prices[i].key);
        deja_struct(f, NULL, &v->prices[i].value, all_point_fields);
    }
    deja_close(f, prices);

    const deja_opened wares = deja_map_open(f, "wares", v->ware_count, 3);
    if (loaded)
        loaded->ware_count = wares.count;
    for (uint32_t i = 0; i < wares.count; i++) {
        deja_text(f, NULL, v->wares[i].key, sizeof v->wares[i].key);
        deja_u8(f, "count", &v->wares[i].count);
        deja_bool(f, "sold", &v->wares[i].sold);
    }
    deja_close(f, wares);

    const deja_opened tempers = deja_map_open(f, "tempers", v->temper_count, ALL_MOODS);
    if (loaded)
        loaded->temper_count = tempers.count;
    for (uint32_t i = 0; i < tempers.count; i++) {
        deja_enum(f, NULL, &v->tempers[i].key, all_moods);
        deja_u32(f, NULL, &v->tempers[i].value);
    }
    deja_close(f, tempers);

    const deja_opened seen = deja_set_open(f, "seen", v->seen_count, 6);
    if (loaded)
        loaded->seen_count = seen.count;
    for (uint32_t i = 0; i < seen.count; i++)
        deja_i32(f, NULL, &v->seen[i]);
    deja_close(f, seen);

    const deja_opened marks = deja_set_open(f, "marks", v->mark_count, 3);
    if (loaded)
        loaded->mark_count = marks.count;
    for (uint32_t i = 0; i < marks.count; i++)
        deja_bytes(f, NULL, v->marks[i], 4);
    deja_close(f, marks);
}

static inline void all_heap_fields(deja_fields *f, const all_kinds *v)
{
    all_kinds *loaded = (all_kinds *)deja_loading(f, v);

    const deja_opened links = deja_list_open(f, "links", v->link_count, 6);
    if (loaded) {
        all_drop_links(loaded);
        while (loaded->link_count < links.count)
            all_add_link(loaded);
    }
    for (const all_link *link = v->links; link; link = link->next) {
        deja_i32(f, "weight", &link->weight);
        deja_struct(f, "at", &link->at, all_point_fields);
    }
    deja_close(f, links);

    all_text_fields(f, "story", &v->story, 5000);

    const deja_opened lines = deja_list_open(f, "lines", v->line_count, 3);
    if (loaded)
        loaded->line_count = lines.count;
    for (uint32_t i = 0; i < lines.count; i++)
        all_text_fields(f, NULL, &v->lines[i], 30);
    deja_close(f, lines);

    const deja_opened heap = deja_list_open(f, "heap", v->heap.count, 5000);
    if (loaded) {
        free(loaded->heap.bytes);
        loaded->heap.bytes = heap.count ? (uint8_t *)calloc(heap.count, 1) : NULL;
        loaded->heap.count = heap.count;
    }
    for (uint32_t i = 0; i < heap.count; i++)
        deja_u8(f, NULL, &v->heap.bytes[i]);
    deja_close(f, heap);
}

static ALL_UNUSED void all_kinds_fields(deja_fields *f, const void *value)
{
    const all_kinds *v = (const all_kinds *)value;
    all_scalar_fields(f, v);
    all_array_fields(f, v);
    all_list_fields(f, v);
    all_optional_fields(f, v);
    deja_struct(f, "origin", &v->origin, all_point_fields);
    deja_struct(f, "effect", &v->effect, all_effect_fields);
    deja_struct_array(f, "ring", v->ring, 3, all_point_fields);
    deja_section(f, "army", &v->army, 0, all_army_fields);
    deja_blocks(f, "block_bytes", v->block_bytes, 200, deja_u8);
    deja_blocks(f, "block_bools", v->block_bools, 70, deja_bool);
    deja_blocks(f, "block_floats", v->block_floats, 33, deja_f32);
    deja_blocks(f, "block_words", v->block_words, 9, deja_u64);
    all_map_fields(f, v);
    all_heap_fields(f, v);
    deja_derived(f, "cache", v->cache, sizeof v->cache);
    deja_struct(f, "can", &v->can, deja_countdown_fields);
    deja_struct_array(f, "rain", v->rain, 2, deja_every_fields);
    deja_struct_array(f, "inputs", v->inputs, 2, all_player_fields);
    deja_struct_list(f, "ghosts", v->ghosts, &v->ghost_count, 3, all_player_fields);
    deja_u64(f, "last", &v->last);
}

static ALL_UNUSED void all_command_fields(deja_fields *f, const void *value)
{
    const all_command *c = (const all_command *)value;
    switch (deja_kind(f, &c->kind, all_commands)) {
    case 1:
        deja_u8(f, "row", &c->u.take.row);
        deja_u8(f, "n", &c->u.take.n);
        break;
    case 2:
        deja_struct(f, "at", &c->u.place.at, all_point_fields);
        deja_enum(f, "mood", &c->u.place.mood, all_moods);
        deja_enum(f, "mood32", &c->u.place.mood32, all_moods);
        deja_bool(f, "now", &c->u.place.now);
        deja_u64(f, "cost", &c->u.place.cost);
        break;
    case 3:
        deja_grid(f, "board", c->u.paint.board[0], 2, 3, deja_u8);
        deja_f32(f, "shade", &c->u.paint.shade);
        deja_f64(f, "depth", &c->u.paint.depth);
        deja_flags(f, "traits", &c->u.paint.traits, all_traits);
        deja_array(f, "wet", c->u.paint.wet, 3, deja_bool);
        break;
    case 4:
        deja_rng(f, "luck", &c->u.wait.luck);
        deja_bytes(f, "key", c->u.wait.key, 5);
        deja_array(f, "until", c->u.wait.until, 2, deja_i64);
        break;
    case 5:
        deja_struct_array(f, "path", c->u.charge.path, 3, all_point_fields);
        deja_enum_array(f, "moods", c->u.charge.moods, 2, all_moods);
        break;
    case 6:
        deja_struct_array(f, "players", c->u.tick.players, 2, all_player_fields);
        deja_struct(f, "clock", &c->u.tick.clock, deja_countdown_fields);
        break;
    default:
        break;
    }
}

/* ---- the types ---- */

/* Something to start from that is not zero, and lies past a list's count. */
static ALL_UNUSED void all_kinds_init(void *value)
{
    all_kinds *v = (all_kinds *)value;
    v->u8_list[39] = 99;
    v->heap.bytes = (uint8_t *)calloc(1, 1);
    v->heap.count = 1;
    v->cache[0] = 7;
}

static ALL_UNUSED void all_kinds_finish(void *value)
{
    all_kinds *v = (all_kinds *)value;
    all_drop_links(v);
    free(v->story.chars);
    for (int i = 0; i < 3; i++)
        free(v->lines[i].chars);
    free(v->heap.bytes);
}

static const deja_type all_kinds_type ALL_UNUSED = { sizeof(all_kinds), all_kinds_fields,
                                                     all_kinds_init, all_kinds_finish };
static const deja_type all_command_type ALL_UNUSED = { sizeof(all_command), all_command_fields,
                                                       NULL, NULL };

/* ---- random values ---- */

static inline uint64_t all_draw(uint64_t *seed)
{
    uint64_t mixed = *seed += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

static inline uint32_t all_below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)(all_draw(seed) % limit);
}

static inline void all_noise(uint64_t *seed, void *memory, size_t size)
{
    unsigned char *bytes = (unsigned char *)memory;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)all_draw(seed);
}

static inline void all_bools(uint64_t *seed, bool *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = all_draw(seed) & 1;
}

/* Floats with all their oddities: NaNs of any bits, infinities, negative zero. */
static inline void all_floats(uint64_t *seed, void *values, size_t size, size_t count)
{
    static const double odd[] = { 0.0, -0.0, 1.0, -1.5, 0.1, 1e30, -1e-30 };
    unsigned char *at = (unsigned char *)values;
    for (size_t i = 0; i < count; i++, at += size) {
        const double wide = odd[all_below(seed, 7)];
        const float narrow = (float)wide;
        uint64_t bits = all_draw(seed);
        switch (all_below(seed, 4)) {
        case 0:
            memcpy(at, size == 4 ? (const void *)&narrow : (const void *)&wide, size);
            break;
        case 1: /* a NaN or an infinity */
            bits |= size == 4 ? 0x7f800000u : 0x7ff0000000000000u;
            if (all_below(seed, 3) == 0)
                bits &= size == 4 ? 0xff800000u : 0xfff0000000000000u;
            memcpy(at, &bits, size);
            break;
        default:
            memcpy(at, &bits, size);
            break;
        }
    }
}

/* UTF-8 of less than `capacity` bytes, and a NUL; noise behind it, which is not state. */
static inline uint32_t all_words(uint64_t *seed, char *chars, uint32_t capacity)
{
    static const char *const pieces[] = { "a", "z",  " ",        "\"",           "\\",
                                          "=", "\n", "\xc3\xa9", "\xe6\x97\xa5", "\xf0\x9f\x90\x9d",
                                          "-", "," };
    const uint32_t most = all_below(seed, capacity);
    uint32_t size = 0;
    all_noise(seed, chars, capacity);
    for (;;) {
        const char *piece = pieces[all_below(seed, 12)];
        const uint32_t more = (uint32_t)strlen(piece);
        if (size + more > most)
            break;
        memcpy(chars + size, piece, more);
        size += more;
    }
    chars[size] = 0;
    return size;
}

static inline void all_grow_text(uint64_t *seed, all_text *t, uint32_t most)
{
    free(t->chars);
    t->chars = (char *)malloc(most + 1);
    t->size = all_words(seed, t->chars, all_below(seed, 3) == 0 ? 1 : most + 1);
}

static inline void all_inputs_fill(deja_input *inputs, uint32_t count, uint64_t *seed)
{
    for (uint32_t i = 0; i < count; i++) {
        inputs[i].pressed = all_below(seed, 1u << ALL_ACTIONS);
        inputs[i].held = all_below(seed, 1u << ALL_ACTIONS);
        inputs[i].released = all_below(seed, 1u << ALL_ACTIONS);
    }
}

static inline void all_effect_fill(all_effect *e, uint64_t *seed)
{
    all_noise(seed, e, sizeof *e);
    e->kind = (uint8_t)all_below(seed, ALL_EFFECTS);
    if (e->kind == 1) {
        all_floats(seed, &e->u.poison.power, 4, 1);
    } else if (e->kind == 2) {
        all_words(seed, e->u.curse.word, sizeof e->u.curse.word);
        e->u.curse.inner.kind = all_below(seed, 2);
        all_words(seed, e->u.curse.inner.why, sizeof e->u.curse.inner.why);
    }
}

static inline void all_unit_fill(all_unit *u, uint64_t *seed)
{
    all_noise(seed, u, sizeof *u);
    u->mood = (uint16_t)all_below(seed, ALL_MOODS);
    all_words(seed, u->name, sizeof u->name);
    u->effect_count = all_below(seed, 4);
    for (int i = 0; i < 3; i++)
        all_effect_fill(&u->effects[i], seed);
    all_bools(seed, &u->has_target, 1);
    u->path_count = all_below(seed, 5);
}

static inline void all_scalars_fill(all_kinds *v, uint64_t *seed)
{
    all_noise(seed, &v->u8, offsetof(all_kinds, f32) - offsetof(all_kinds, u8));
    all_bools(seed, &v->flag, 1);
    all_floats(seed, &v->f32, 4, 1);
    all_floats(seed, &v->f64, 8, 1);
    v->mood8 = (uint8_t)all_below(seed, ALL_MOODS);
    v->mood16 = (uint16_t)all_below(seed, ALL_MOODS);
    v->mood32 = all_below(seed, ALL_MOODS);
    v->traits8 = (uint8_t)all_below(seed, 8);
    v->traits16 = (uint16_t)all_below(seed, 8);
    v->traits32 = all_below(seed, 8);
    all_noise(seed, v->key, sizeof v->key);
    all_words(seed, v->name, sizeof v->name);
    all_noise(seed, &v->luck, sizeof v->luck);
}

static inline void all_arrays_fill(all_kinds *v, uint64_t *seed)
{
    all_noise(seed, v->u8s, offsetof(all_kinds, f32s) - offsetof(all_kinds, u8s));
    all_bools(seed, v->bools, 5);
    all_floats(seed, v->f32s, 4, 7);
    all_floats(seed, v->f64s, 8, 3);
    for (int i = 0; i < 4; i++)
        v->mood_array[i] = (uint8_t)all_below(seed, ALL_MOODS);
    for (int i = 0; i < 2; i++)
        v->trait_array[i] = all_below(seed, 8);
    all_noise(seed, v->board, sizeof v->board);
    all_bools(seed, v->fog[0], 6);
    all_floats(seed, v->heights, 8, 4);
    for (int i = 0; i < 6; i++)
        v->mood_grid[i / 3][i % 3] = all_below(seed, ALL_MOODS);
    all_noise(seed, v->corners, sizeof v->corners);
}

/* A count from 0 to `max`, the ends more often. */
static inline uint32_t all_count(uint64_t *seed, uint32_t max)
{
    const uint32_t drawn = all_below(seed, max + 3);
    return drawn > max ? (drawn - max - 1) * max : drawn;
}

static inline void all_lists_fill(all_kinds *v, uint64_t *seed)
{
    v->bool_count = all_count(seed, 6);
    v->u8_count = all_count(seed, 40);
    v->i16_count = all_count(seed, 7);
    v->u64_count = all_count(seed, 5);
    v->f32_count = all_count(seed, 9);
    v->mood_count = all_count(seed, 8);
    v->trait_count = all_count(seed, 4);
    all_bools(seed, v->bool_list, 6);
    all_noise(seed, v->u8_list, sizeof v->u8_list);
    all_noise(seed, v->i16_list, sizeof v->i16_list);
    all_noise(seed, v->u64_list, sizeof v->u64_list);
    all_floats(seed, v->f32_list, 4, 9);
    for (int i = 0; i < 8; i++)
        v->mood_list[i] = (uint16_t)all_below(seed, ALL_MOODS);
    for (int i = 0; i < 4; i++)
        v->trait_list[i] = (uint8_t)all_below(seed, 8);

    all_bools(seed, &v->has_offer, 1);
    v->offer = (int32_t)all_draw(seed);
    all_bools(seed, &v->has_moves, 1);
    v->move_count = all_count(seed, 5);
    all_noise(seed, v->moves, sizeof v->moves);
    all_bools(seed, &v->has_spot, 1);
    all_noise(seed, &v->spot, sizeof v->spot);
    all_bools(seed, &v->has_note, 1);
    all_words(seed, v->note, sizeof v->note);
    all_bools(seed, &v->has_curse, 1);
    all_effect_fill(&v->curse, seed);
}

static inline void all_army_fill(all_army *a, uint64_t *seed)
{
    a->unit_count = all_count(seed, 4);
    for (int i = 0; i < 4; i++)
        all_unit_fill(&a->units[i], seed);
    all_noise(seed, &a->store, sizeof a->store);
    all_bools(seed, &a->store.open, 1);
    a->morale = (int64_t)all_draw(seed);
}

static inline void all_maps_fill(all_kinds *v, uint64_t *seed)
{
    uint32_t key = 0;
    v->price_count = all_count(seed, 4);
    for (uint32_t i = 0; i < 4; i++) {
        v->prices[i].key = (uint16_t)(key += 1 + all_below(seed, 1000));
        all_noise(seed, &v->prices[i].value, sizeof v->prices[i].value);
    }
    v->ware_count = all_count(seed, 3);
    for (uint32_t i = 0; i < 3; i++) { /* "", "b", "c", or with more behind the letter */
        memset(v->wares[i].key, 0, sizeof v->wares[i].key);
        all_words(seed, v->wares[i].key + 1, sizeof v->wares[i].key - 1);
        v->wares[i].key[0] = (char)(i == 0 && (key & 1) ? 0 : 'a' + (char)i);
        v->wares[i].count = (uint8_t)all_draw(seed);
        all_bools(seed, &v->wares[i].sold, 1);
    }
    v->temper_count = all_count(seed, ALL_MOODS);
    for (uint32_t i = 0; i < ALL_MOODS; i++) {
        v->tempers[i].key = (uint8_t)i;
        v->tempers[i].value = (uint32_t)all_draw(seed);
    }
    int32_t number = -(int32_t)all_below(seed, 5000);
    v->seen_count = all_count(seed, 6);
    for (uint32_t i = 0; i < 6; i++)
        v->seen[i] = number += 1 + (int32_t)all_below(seed, 3000);
    v->mark_count = all_count(seed, 3);
    for (uint32_t i = 0; i < 3; i++) {
        all_noise(seed, v->marks[i], 4);
        v->marks[i][0] = (unsigned char)(i * 80 + all_below(seed, 80));
    }
}

static inline void all_heap_fill(all_kinds *v, uint64_t *seed)
{
    all_drop_links(v);
    for (uint32_t n = all_count(seed, 6); n > 0; n--)
        all_add_link(v);
    for (all_link *link = v->links; link; link = link->next) {
        link->weight = (int32_t)all_draw(seed);
        all_noise(seed, &link->at, sizeof link->at);
    }
    all_grow_text(seed, &v->story, all_below(seed, 8) == 0 ? 5000 : 40);
    v->line_count = all_count(seed, 3);
    for (int i = 0; i < 3; i++)
        all_grow_text(seed, &v->lines[i], 30);
    free(v->heap.bytes);
    v->heap.count = all_below(seed, 8) == 0 ? 5000 : all_below(seed, 20);
    v->heap.bytes = (uint8_t *)malloc(v->heap.count + 1);
    all_noise(seed, v->heap.bytes, v->heap.count);
}

/* Makes a value that was created into any valid one. */
static ALL_UNUSED void all_kinds_fill(all_kinds *v, uint64_t seed)
{
    all_scalars_fill(v, &seed);
    all_arrays_fill(v, &seed);
    all_lists_fill(v, &seed);
    all_noise(&seed, &v->origin, sizeof v->origin);
    all_effect_fill(&v->effect, &seed);
    all_noise(&seed, v->ring, sizeof v->ring);
    all_army_fill(&v->army, &seed);
    all_noise(&seed, v->block_bytes, sizeof v->block_bytes);
    all_bools(&seed, v->block_bools, 70);
    all_floats(&seed, v->block_floats, 4, 33);
    all_noise(&seed, v->block_words, sizeof v->block_words);
    all_maps_fill(v, &seed);
    all_heap_fill(v, &seed);
    all_noise(&seed, v->cache, sizeof v->cache);
    all_noise(&seed, &v->can, sizeof v->can);
    all_noise(&seed, v->rain, sizeof v->rain);
    all_inputs_fill(v->inputs, 2, &seed);
    all_inputs_fill(v->ghosts, 3, &seed);
    v->ghost_count = all_count(&seed, 3);
    v->last = all_draw(&seed);
}

static ALL_UNUSED void all_command_fill(all_command *c, uint64_t seed)
{
    all_noise(&seed, c, sizeof *c);
    c->kind = all_below(&seed, ALL_COMMANDS);
    if (c->kind == 2) {
        c->u.place.mood = (uint16_t)all_below(&seed, ALL_MOODS);
        c->u.place.mood32 = all_below(&seed, ALL_MOODS);
        all_bools(&seed, &c->u.place.now, 1);
    } else if (c->kind == 3) {
        all_floats(&seed, &c->u.paint.shade, 4, 1);
        all_floats(&seed, &c->u.paint.depth, 8, 1);
        c->u.paint.traits = (uint8_t)all_below(&seed, 8);
        all_bools(&seed, c->u.paint.wet, 3);
    } else if (c->kind == 5) {
        for (int i = 0; i < 2; i++)
            c->u.charge.moods[i] = all_below(&seed, ALL_MOODS);
    } else if (c->kind == 6) {
        all_inputs_fill(c->u.tick.players, 2, &seed);
    }
}

#endif
