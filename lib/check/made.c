/* SPDX-License-Identifier: MIT */
/*
 * A value is made by walking its layout and choosing at each leaf: a number, a name, a count. In
 * the fixed row every choice is the plainest (0, the first name, nothing in a list), but for one
 * leaf, which takes each of its variants in turn; at random every leaf chooses for itself.
 */
#include "check/made.h"

#include "fields/values.h"

enum {
    ROW_MAX = 192,       /* commands of the fixed row */
    ROW_BYTES = 1 << 20, /* and about so many bytes */
    KIND_LEAST = 4,      /* of each kind, where there are many */
    NUMBERS = 6,
    LETTERS_MAX = 40, /* of a text */
    ITEMS_MAX = 6     /* of a list */
};

typedef struct maker {
    deja_buffer *out;
    deja_luck *luck; /* NULL: the fixed row */
    uint32_t root;   /* which kind the value itself has */
    uint32_t leaf;   /* how many leaves there were so far */
    uint32_t target; /* the leaf that varies */
    uint32_t variant;
    bool reached; /* the target is there */
    bool varied;  /* and has so many variants */
} maker;

static void put_node(maker *m, const deja__node *node);

/* Which of `count` variants the next leaf takes. */
static uint32_t choose(maker *m, uint32_t count)
{
    if (m->luck)
        return deja_luck_below(m->luck, count);
    if (m->leaf++ != m->target)
        return 0;
    m->reached = true;
    m->varied = m->variant < count;
    return m->varied ? m->variant : 0;
}

static void put_bytes(maker *m, const void *bytes, uint64_t size)
{
    deja_buffer_add(m->out, bytes, size);
}

static void put_low(maker *m, uint64_t number, uint32_t size)
{
    unsigned char bytes[8];
    deja__store64(bytes, number);
    put_bytes(m, bytes, size);
}

/* ---- leaves ---- */

static void put_integer(maker *m, const deja__node *node)
{
    const uint32_t size = deja__scalar_size(node->kind);
    const bool is_signed = deja__is_signed(node->kind);
    const uint64_t most = UINT64_MAX >> (64 - 8 * size) >> is_signed;
    const uint64_t ends[NUMBERS] = { 0,    1,
                                     most, (is_signed ? most : most >> 1) + 1,
                                     2,    is_signed ? UINT64_MAX : 3 };
    if (m->luck && deja_luck_below(m->luck, 8) != 0)
        put_low(m, deja_luck_below(m->luck, 8), size);
    else if (m->luck && deja_luck_below(m->luck, 2) != 0)
        put_low(m, deja_luck_next(m->luck) | (uint64_t)deja_luck_next(m->luck) << 32, size);
    else
        put_low(m, ends[choose(m, NUMBERS)], size);
}

static void put_float(maker *m, const deja__node *node)
{
    static const uint32_t narrow[NUMBERS] = { 0,           0x3f800000u, 0xbf800000u,
                                              0x7f800000u, 0x7fc00000u, 0xff7fffffu };
    static const uint64_t wide[NUMBERS] = { 0,
                                            0x3ff0000000000000u,
                                            0xbff0000000000000u,
                                            0x7ff0000000000000u,
                                            0x7ff8000000000000u,
                                            0xffefffffffffffffu };
    const uint32_t place = choose(m, NUMBERS);
    if (node->kind == DEJA_F32)
        put_low(m, narrow[place], 4);
    else
        put_low(m, wide[place], 8);
}

static void put_flags(maker *m, const deja__node *node)
{
    const uint32_t all = UINT32_MAX >> (32 - node->name_count);
    const uint32_t place = choose(m, node->name_count + 2);
    put_low(m, place == 0 ? 0 : (place == 1 ? all : 1u << (place - 2)), 4);
}

static void put_text(maker *m, const deja__node *node)
{
    const uint64_t most = node->count < LETTERS_MAX ? node->count : LETTERS_MAX;
    const uint64_t sizes[] = { 0, most != 0 ? 1 : 0, most };
    const uint64_t size = sizes[choose(m, 3)];
    put_low(m, size, 4);
    for (uint64_t i = 0; i < size; i++)
        put_low(m, 'a' + i % 26, 1);
}

static void put_fixed_bytes(maker *m, const deja__node *node)
{
    const uint32_t which = choose(m, 2);
    unsigned char *bytes = deja_buffer_extend(m->out, node->count);
    if (bytes && which == 1)
        memset(bytes, 0xff, (size_t)node->count);
}

static void put_luck(maker *m)
{
    deja_luck luck;
    deja_luck_seed(&luck, choose(m, 2), 0);
    put_low(m, luck.state, 8);
    put_low(m, luck.increment, 8);
    put_low(m, luck.draws, 8);
}

/* ---- what holds others ---- */

static void put_items(maker *m, const deja__node *node)
{
    const bool is_keyed = node->shape == DEJA_MAP || node->shape == DEJA_SET;
    uint64_t count = node->count;
    if (deja__is_counted(node)) {
        uint64_t most = node->count < ITEMS_MAX ? node->count : ITEMS_MAX;
        if (is_keyed && most > 1)
            most = 1; /* keys rise, and one does */
        count = choose(m, (uint32_t)most + 1);
        put_low(m, count, 4);
    }
    for (uint64_t i = 0; i < count && !m->out->failed; i++)
        for (uint32_t k = 0; k < node->child_count; k++)
            put_node(m, node->children[k]);
}

static void put_kind(maker *m, const deja__node *node, uint32_t place)
{
    put_low(m, place, 2);
    put_node(m, node->children[place]);
}

static void put_node(maker *m, const deja__node *node)
{
    switch (node->kind) {
    case DEJA_BOOL:
        put_low(m, choose(m, 2), 1);
        break;
    case DEJA_F32:
    case DEJA_F64:
        put_float(m, node);
        break;
    case DEJA_ENUM:
        put_low(m, choose(m, node->name_count), 2);
        break;
    case DEJA_FLAGS:
        put_flags(m, node);
        break;
    case DEJA_TEXT:
        put_text(m, node);
        break;
    case DEJA_BYTES:
        put_fixed_bytes(m, node);
        break;
    case DEJA_RNG:
        put_luck(m);
        break;
    case DEJA_KIND:
        put_kind(m, node, choose(m, node->name_count));
        break;
    case DEJA_OPTIONAL: {
        const uint32_t is_there = choose(m, 2);
        put_low(m, is_there, 1);
        if (is_there)
            put_node(m, node->children[0]);
        break;
    }
    case DEJA_STRUCT:
    case DEJA_SECTION:
        for (uint32_t i = 0; i < node->child_count; i++)
            put_node(m, node->children[i]);
        break;
    case DEJA_ITEMS:
        put_items(m, node);
        break;
    default:
        put_integer(m, node);
        break;
    }
}

/* The value itself, whose kind is not left to chance in the fixed row. */
static void put_root(maker *m, const deja__node *root)
{
    if (root->kind == DEJA_KIND && !m->luck)
        put_kind(m, root, m->root);
    else
        put_node(m, root);
}

/* ---- the fixed row ---- */

/* false: there is no such leaf, or it has no such variant; then nothing was added. */
static bool add_variant(deja__made *made, const deja__node *node, maker *m)
{
    const uint64_t before = made->bytes.size;
    m->leaf = 0;
    m->reached = m->varied = false;
    put_root(m, node);
    if (!m->varied) {
        deja__buffer_cut(&made->bytes, before);
        return false;
    }
    deja_buffer_add(&made->ends, &made->bytes.size, sizeof made->bytes.size);
    made->count++;
    return true;
}

/* The commands of one kind: the plainest, then each leaf's other variants. */
static void add_kind(deja__made *made, const deja__node *node, uint32_t kind, uint32_t most)
{
    maker m = { .out = &made->bytes, .root = kind, .target = UINT32_MAX };
    put_root(&m, node);
    deja_buffer_add(&made->ends, &made->bytes.size, sizeof made->bytes.size);
    made->count++;
    const uint32_t leaves = m.leaf;
    uint32_t added = 1;
    for (m.target = 0; m.target < leaves && added < most && made->bytes.size < ROW_BYTES;
         m.target++)
        for (m.variant = 1; added < most && add_variant(made, node, &m); m.variant++)
            added++;
}

deja_code deja__made_init(deja__made *made, const deja_layout *layout, deja_error *err)
{
    const deja__node *root = layout->root;
    const uint32_t kinds = root->kind == DEJA_KIND ? root->name_count : 1;
    uint32_t most = kinds ? ROW_MAX / kinds : 0;
    if (most < KIND_LEAST)
        most = KIND_LEAST;
    for (uint32_t kind = 0; kind < kinds && made->count < ROW_MAX && made->bytes.size < ROW_BYTES;
         kind++)
        add_kind(made, root, kind, most);
    return made->bytes.failed || made->ends.failed ? deja__fail_memory(err) : DEJA_OK;
}

void deja__made_release(deja__made *made)
{
    deja_buffer_release(&made->bytes);
    deja_buffer_release(&made->ends);
}

deja_span deja__made_at(const deja__made *made, uint32_t place)
{
    uint64_t bounds[2] = { 0, 0 };
    if (place == 0)
        memcpy(&bounds[1], made->ends.bytes, sizeof bounds[1]);
    else
        memcpy(bounds, made->ends.bytes + (place - 1) * sizeof *bounds, sizeof bounds);
    return (deja_span){ made->bytes.bytes + bounds[0], bounds[1] - bounds[0] };
}

void deja__made_random(const deja_layout *layout, deja_luck *luck, deja_buffer *out)
{
    maker m = { .out = out, .luck = luck };
    put_root(&m, layout->root);
}
