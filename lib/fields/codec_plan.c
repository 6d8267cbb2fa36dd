/* SPDX-License-Identifier: MIT */
/*
 * Plans: loading small flat values without asking their description.
 *
 * Commands are loaded once a step, and most are a tag and a few scalars. Through the description
 * each of these is a call out and back; a plan is the list of copies that came of it:
 *
 *     kind(take{row:u8 n:u8}|pass)     take: tag; 2 bytes from byte 2 to the struct's byte 4
 *                                      pass: tag
 *
 * It is learnt by watching the visitor load made-up bytes of each alternative. Neighbours that
 * copy become one copy. What depends on a value other than the tag (text, lists, optionals, inner
 * kinds) has no plan, nor has a type that owns memory, nor one whose description loads through
 * variables of its own.
 *
 * A value is zeroed before, as when it was made, but where the copies write all of it.
 *
 * A description may do more than name its fields (keep a sum, swap a pointer). So the plan is
 * tried on random values of every alternative, and given up if memory or saved bytes differ from
 * what the visitor makes of them.
 */
#include "fields/codec_plan.h"

#include <stdlib.h>

enum {
    OPS_MAX = 16384,       /* of one plan */
    BYTES_MAX = 16 * 1024, /* of one value of each alternative, in total */
    ROUNDS = 4             /* random values of each alternative */
};

void deja__load_plan_destroy(deja__load_plan *plan)
{
    if (!plan)
        return;
    free(plan->alternatives);
    free(plan->ops);
    free(plan);
}

/* ---- made-up values ---- */

static uint64_t draw(uint64_t *seed)
{
    uint64_t mixed = *seed += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

static void make_up_scalar(const deja__node *node, uint64_t *seed, deja_buffer *out)
{
    unsigned char bytes[24];
    uint64_t number = draw(seed);
    const uint32_t size = deja__scalar_size(node->kind);
    deja__store64(bytes + 8, draw(seed));
    deja__store64(bytes + 16, draw(seed));
    if (node->kind == DEJA_BOOL)
        number &= 1;
    else if (node->kind == DEJA_ENUM)
        number %= node->name_count;
    else if (node->kind == DEJA_FLAGS)
        number &= deja__flags_mask(node->name_count);
    else if (node->kind == DEJA_F32 && (number & 0x7f800000u) == 0x7f800000u)
        number = 0x7fc00000u;
    else if (node->kind == DEJA_F64 && (number >> 52 & 0x7ff) == 0x7ff)
        number = 0x7ff8000000000000u;
    deja__store64(bytes, number);
    deja_buffer_add(out, bytes, size);
}

/* Appends a valid value of a node that is flat. */
static void make_up(const deja__node *node, uint64_t *seed, deja_buffer *out)
{
    switch (node->kind) {
    case DEJA_STRUCT:
    case DEJA_SECTION:
        for (uint32_t i = 0; i < node->child_count; i++)
            make_up(node->children[i], seed, out);
        break;
    case DEJA_ITEMS:
        for (uint64_t i = 0; i < node->count; i++)
            make_up(node->children[0], seed, out);
        break;
    case DEJA_BYTES:
        for (uint64_t i = 0; i < node->count; i++)
            deja_buffer_char(out, (char)(draw(seed) & 0x7f));
        break;
    default:
        make_up_scalar(node, seed, out);
        break;
    }
}

static void make_up_alternative(const deja__node *root, uint32_t number, uint64_t *seed,
                                deja_buffer *out)
{
    unsigned char tag[2];
    deja_buffer_clear(out);
    if (root->kind != DEJA_KIND) {
        make_up(root, seed, out);
        return;
    }
    deja__store16(tag, (uint16_t)number);
    deja_buffer_add(out, tag, sizeof tag);
    make_up(root->children[number], seed, out);
}

/* Whether the place of every byte is known beforehand. */
static bool is_flat(const deja__node *node)
{
    if (node->kind == DEJA_ITEMS &&
        (node->shape == DEJA_LIST || node->shape == DEJA_MAP || node->shape == DEJA_SET))
        return false;
    if (node->kind == DEJA_TEXT || node->kind == DEJA_OPTIONAL || node->kind == DEJA_KIND)
        return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!is_flat(node->children[i]))
            return false;
    return true;
}

static bool can_be_planned(const deja_type *type, const deja__node *root)
{
    uint64_t total = 0;
    if (type->finish || type->size > UINT32_MAX)
        return false;
    if (root->kind != DEJA_KIND)
        return is_flat(root) && root->size_min <= BYTES_MAX;
    for (uint32_t i = 0; i < root->child_count; i++) {
        total += root->children[i]->size_min;
        if (total > BYTES_MAX || !is_flat(root->children[i]))
            return false;
    }
    return true;
}

/* ---- learning ---- */

typedef struct learner {
    deja__load_plan *plan;
    const unsigned char *value;
    uint64_t size;
    uint64_t next;  /* the byte that the next leaf must begin at */
    uint32_t first; /* the first op of this alternative */
    bool failed;    /* there is no such plan */
    bool no_memory;
} learner;

static deja__load_op *add_op(learner *l)
{
    deja__load_plan *plan = l->plan;
    if (plan->op_count == plan->op_room) {
        const uint32_t room = plan->op_room != 0 ? plan->op_room * 2 : 16;
        deja__load_op *ops = room <= OPS_MAX ? realloc(plan->ops, room * sizeof *ops) : NULL;
        if (!ops) {
            l->failed = true;
            l->no_memory = room <= OPS_MAX;
            return NULL;
        }
        plan->ops = ops;
        plan->op_room = room;
    }
    return &plan->ops[plan->op_count++];
}

static bool copies(const deja__scalar *scalar)
{
    static const deja__scalar tag = { DEJA_U16, 2, 0 };
    if (scalar->kind == DEJA_KIND) /* one that a plan chose by has a name */
        return scalar->value_size == 2 && deja__scalar_copies(&tag);
    return scalar->kind == DEJA_BYTES || deja__scalar_copies(scalar);
}

/* A copy grows the one before it where both sides go on. */
static bool grow_copy(const learner *l, uint64_t source, uint64_t target, uint64_t size)
{
    if (l->plan->op_count == l->first)
        return false;
    deja__load_op *last = &l->plan->ops[l->plan->op_count - 1];
    if (last->how != DEJA__COPY || last->source + last->count != source ||
        last->target + last->count != target)
        return false;
    last->count += (uint32_t)size;
    return true;
}

static void learn_leaf(void *user, const deja__loaded *loaded)
{
    learner *l = user;
    const deja__scalar *scalar = &loaded->scalar;
    const bool bytes = scalar->kind == DEJA_BYTES;
    const uint64_t canonical = bytes ? 1 : deja__scalar_size(scalar->kind);
    const uint64_t target = (uint64_t)((uintptr_t)loaded->value - (uintptr_t)l->value);
    const uint64_t size = loaded->count * scalar->value_size;

    if (l->failed || loaded->offset != l->next || target > l->size || size > l->size - target) {
        l->failed = true;
        return;
    }
    l->next += scalar->kind == DEJA_KIND ? 2 : loaded->count * canonical;
    if (copies(scalar) && grow_copy(l, loaded->offset, target, size))
        return;
    deja__load_op *added = add_op(l);
    if (!added)
        return;
    const bool copy = copies(scalar);
    *added = (deja__load_op){ copy ? DEJA__COPY : DEJA__CHECKED, (uint32_t)loaded->offset,
                              (uint32_t)target, (uint32_t)(copy ? size : loaded->count), *scalar };
    if (scalar->kind == DEJA_KIND)
        added->scalar.kind = DEJA_ENUM;
    if (added->scalar.kind == DEJA_ENUM && scalar->value_size == 4 && loaded->count == 1) {
        added->how = DEJA__ENUM4;
        added->count = scalar->name_count;
    }
}

/* Copies of usual sizes are instructions, not calls. */
static void settle_copies(const deja__load_plan *plan, uint32_t first)
{
    for (uint32_t i = first; i < plan->op_count; i++) {
        deja__load_op *o = &plan->ops[i];
        if (o->how != DEJA__COPY)
            continue;
        if (o->count == 1)
            o->how = DEJA__COPY1;
        else if (o->count == 2)
            o->how = DEJA__COPY2;
        else if (o->count == 4)
            o->how = DEJA__COPY4;
        else if (o->count == 8)
            o->how = DEJA__COPY8;
    }
}

static uint64_t width(const deja__load_op *o)
{
    if (o->how == DEJA__ENUM4)
        return 4;
    return o->how == DEJA__CHECKED ? (uint64_t)o->count * o->scalar.value_size : o->count;
}

/* Whether each byte of the value is written, if none is written twice. */
static bool covers(const deja__load_plan *plan, const deja__load_case *a)
{
    uint64_t bytes = 0;
    for (uint32_t i = a->first; i < a->end; i++)
        bytes += width(&plan->ops[i]);
    return bytes == plan->value_size;
}

/* Whether the value is no more than a copy of its bytes. */
static bool is_same(const deja__load_plan *plan, const deja__load_case *a)
{
    const deja__load_op *o = &plan->ops[a->first];
    return a->end == a->first + 1 && o->how <= DEJA__COPY8 && o->source == 0 && o->target == 0 &&
           o->count == a->size && a->size == plan->value_size;
}

/* One alternative, by loading `bytes` into `value`, which has just been made. */
static bool learn(learner *l, const deja_type *type, void *value, deja_span bytes,
                  deja__load_case *learnt)
{
    l->value = value;
    l->size = type->size;
    l->next = 0;
    l->first = l->plan->op_count;
    const deja__breach breach = deja__visit_load(type, value, bytes, learn_leaf, l);
    if (l->failed || breach.what != DEJA__BREACH_NONE || l->next != bytes.size)
        return false;
    settle_copies(l->plan, l->first);
    *learnt = (deja__load_case){ bytes.size, l->first, l->plan->op_count, false, false };
    learnt->covers = covers(l->plan, learnt);
    learnt->same = is_same(l->plan, learnt);
    return true;
}

/* ---- trying it ---- */

/* Two values to load into, and what they are loaded from and saved to. */
typedef struct trial {
    void *visited;
    void *planned;
    deja_buffer bytes;
    deja_buffer saved;
} trial;

static bool saves_as_loaded(deja__codec *codec, trial *t, const void *value)
{
    deja_buffer_clear(&t->saved);
    return deja__codec_save(codec, value, &t->saved, NULL) == DEJA_OK &&
           t->saved.size == t->bytes.size &&
           (t->bytes.size == 0 || memcmp(t->saved.bytes, t->bytes.bytes, t->bytes.size) == 0);
}

static bool both_agree(const deja__load_plan *plan, deja__codec *codec, trial *t)
{
    const deja_type *type = &codec->type;
    const deja_span bytes = { t->bytes.bytes, t->bytes.size };
    deja__type_value_reset(type, t->visited);
    deja__type_value_reset(type, t->planned);
    if (plan->zeroes)
        memset(t->planned, 0xa5, (size_t)type->size); /* what was there must not show */
    return deja__visit_load(type, t->visited, bytes, NULL, NULL).what == DEJA__BREACH_NONE &&
           deja__load_plan_run(plan, t->planned, t->bytes.bytes, t->bytes.size) &&
           memcmp(t->visited, t->planned, (size_t)type->size) == 0 &&
           saves_as_loaded(codec, t, t->visited) && saves_as_loaded(codec, t, t->planned);
}

/* Learns all alternatives, and tries each on random values. */
static bool learn_all(learner *l, deja__codec *codec, trial *t)
{
    const deja__node *root = codec->layout->root;
    uint64_t seed = 0;
    bool agree = true;

    for (uint32_t i = 0; i < l->plan->count && agree; i++) {
        make_up_alternative(root, i, &seed, &t->bytes);
        deja__type_value_reset(&codec->type, t->visited);
        agree = !t->bytes.failed &&
                learn(l, &codec->type, t->visited, (deja_span){ t->bytes.bytes, t->bytes.size },
                      &l->plan->alternatives[i]);
    }
    for (uint32_t i = 0; i < l->plan->count * ROUNDS && agree; i++) {
        make_up_alternative(root, i / ROUNDS, &seed, &t->bytes);
        agree = !t->bytes.failed && both_agree(l->plan, codec, t);
    }
    return agree;
}

deja_code deja__load_plan_create(deja__load_plan **out, deja__codec *codec, deja_error *err)
{
    const deja__node *root = codec->layout->root;
    learner l = { 0 };
    trial t = { 0 };
    bool no_memory = true;
    bool agree = false;

    *out = NULL;
    if (!can_be_planned(&codec->type, root))
        return DEJA_OK;
    l.plan = calloc(1, sizeof *l.plan);
    t.visited = deja__type_value_create(&codec->type);
    t.planned = deja__type_value_create(&codec->type);
    if (!l.plan || !t.visited || !t.planned)
        goto done;
    l.plan->value_size = codec->type.size;
    l.plan->zeroes = !codec->type.init;
    l.plan->tagged = root->kind == DEJA_KIND;
    l.plan->count = l.plan->tagged ? root->child_count : 1;
    l.plan->alternatives = calloc(l.plan->count, sizeof *l.plan->alternatives);
    if (!l.plan->alternatives)
        goto done;
    agree = learn_all(&l, codec, &t);
    no_memory = l.no_memory || t.bytes.failed || t.saved.failed;
    if (agree) {
        *out = l.plan;
        l.plan = NULL;
    }

done:
    deja__load_plan_destroy(l.plan);
    deja__type_value_destroy(&codec->type, t.visited);
    deja__type_value_destroy(&codec->type, t.planned);
    deja_buffer_release(&t.bytes);
    deja_buffer_release(&t.saved);
    return no_memory ? deja__fail_memory(err) : DEJA_OK;
}
