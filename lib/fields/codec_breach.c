/* SPDX-License-Identifier: MIT */
/*
 * What was wrong with a value, in words, and where.
 *
 * While a description runs, only its innermost call is known ("hp"); which unit it belonged to is
 * not, and keeping track of it would cost every state that has nothing wrong with it. But every
 * field that takes bytes begins at a byte where no other begins, so the byte and the layout give
 * the whole path afterwards.
 */
#include "fields/codec_parts.h"
#include "fields/values.h"

/* ---- the path of a byte ---- */

typedef struct finder {
    const unsigned char *bytes;
    uint64_t size;   /* what is known of the value */
    uint64_t at;     /* where the walk is */
    uint64_t target; /* the byte that is looked for */
    deja_buffer *out;
} finder;

/* What became of a walk over one node. */
enum found { PASSED, FOUND, LOST };

static enum found find_in(finder *s, const deja__node *node, const deja__path *path);

/* Whether the target begins here; else it goes on behind `size` bytes. */
static enum found step_over(finder *s, uint64_t size, const deja__path *path)
{
    if (s->at == s->target) {
        deja__path_print(path, s->out);
        return FOUND;
    }
    if (size > s->size - s->at)
        return LOST;
    s->at += size;
    return PASSED;
}

static enum found find_in_fields(finder *s, const deja__node *node, const deja__path *above)
{
    enum found found = PASSED;
    for (uint32_t i = 0; i < node->child_count && found == PASSED; i++) {
        const deja__path path = { .above = above, .name = node->children[i]->name };
        found = find_in(s, node->children[i], &path);
    }
    return found;
}

static enum found find_in_items(finder *s, const deja__node *node, const deja__path *above)
{
    uint64_t count = node->count;
    uint64_t i = 0;
    enum found found = PASSED;

    if (deja__is_counted(node)) {
        const uint64_t start = s->at;
        found = step_over(s, 4, above);
        if (found != PASSED)
            return found;
        count = deja__load32(s->bytes + start);
    }
    /* Items of one size are stepped over at once: arrays may be long. */
    if (node->child_count == 1 && node->children[0]->fixed) {
        const uint64_t size = node->children[0]->size_min;
        i = (s->target - s->at) / size;
        i = i < count ? i : count;
        if (i > (s->size - s->at) / size)
            return LOST;
        s->at += i * size;
    }
    for (; i < count && found == PASSED; i++) {
        deja__path path = { .above = above, .items = node, .index = i };
        const unsigned char *key = s->bytes + s->at;
        for (uint32_t part = 0; part < node->child_count && found == PASSED; part++) {
            path.key = part == 1 ? key : NULL; /* known only once it is past */
            found = find_in(s, node->children[part], &path);
        }
    }
    return found;
}

/* The node behind a byte that says which it is: an optional's, or a kind's tag. */
static enum found find_behind(finder *s, const deja__node *node, const deja__path *path)
{
    const uint64_t start = s->at;
    const bool tag = node->kind == DEJA_KIND;
    const enum found found = step_over(s, tag ? 2 : 1, path);
    if (found != PASSED)
        return found;
    const uint32_t number = tag ? deja__load16(s->bytes + start) : s->bytes[start];
    if (!tag)
        return number == 0 ? PASSED : find_in(s, node->children[0], path);
    return number < node->child_count ? find_in_fields(s, node->children[number], path) : LOST;
}

static enum found find_in(finder *s, const deja__node *node, const deja__path *path)
{
    switch (node->kind) {
    case DEJA_STRUCT:
        return find_in_fields(s, node, path);
    case DEJA_SECTION:
        return find_in(s, node->children[0], path);
    case DEJA_ITEMS:
        return find_in_items(s, node, path);
    case DEJA_KIND:
    case DEJA_OPTIONAL:
        return find_behind(s, node, path);
    case DEJA_TEXT:
        if (s->at != s->target && s->size - s->at < 4)
            return LOST;
        return step_over(s, s->at == s->target ? 0 : 4 + (uint64_t)deja__load32(s->bytes + s->at),
                         path);
    default:
        return step_over(s, node->size_min, path);
    }
}

void deja__path_at(const deja_layout *layout, deja_span bytes, uint64_t offset, deja_buffer *path)
{
    const unsigned char *start = bytes.size != 0 ? bytes.bytes : (const unsigned char *)"";
    finder s = { start, bytes.size, 0, offset, path };
    if (offset <= bytes.size)
        find_in(&s, layout->root, NULL);
}

/* ---- words ---- */

deja__breach deja__breach_of_scalar(const deja__scalar *scalar, const char *name, uint64_t offset,
                                    uint32_t number)
{
    uint32_t what = DEJA__BREACH_NAN;
    if (scalar->kind == DEJA_BOOL)
        what = DEJA__BREACH_BOOL;
    else if (scalar->kind == DEJA_ENUM || scalar->kind == DEJA_KIND)
        what = DEJA__BREACH_NAME;
    else if (scalar->kind == DEJA_FLAGS)
        what = DEJA__BREACH_FLAG;
    return (deja__breach){ what, name, offset, number, scalar->name_count };
}

/* The lowest bit that has no name. */
static uint32_t nameless_bit(uint64_t flags, uint64_t name_count)
{
    uint32_t bit = (uint32_t)name_count;
    while (bit < 31 && (flags >> bit & 1) == 0)
        bit++;
    return bit;
}

static deja_code say(const deja__breach *breach, const char *path, deja_code code, deja_error *err)
{
    const unsigned long long number = breach->number;
    const unsigned long long limit = breach->limit;
    switch (breach->what) {
    case DEJA__BREACH_COUNT:
        return deja__fail(err, code, "%s has %llu values, its most is %llu", path, number, limit);
    case DEJA__BREACH_NAME:
        return deja__fail(err, code, "%s is %llu, which has no name", path, number);
    case DEJA__BREACH_FLAG:
        return deja__fail(err, code, "%s has bit %u set, which has no name", path,
                          nameless_bit(number, limit));
    case DEJA__BREACH_BOOL:
        return deja__fail(err, code, "%s is a bool that is %llu", path, number);
    case DEJA__BREACH_NAN:
        return deja__fail(err, code, "%s is a NaN of other bits than the one there is", path);
    case DEJA__BREACH_NO_END:
        return deja__fail(err, code, "%s has no end within its %llu bytes", path, limit);
    case DEJA__BREACH_UTF8:
        return deja__fail(err, code, "%s is not UTF-8", path);
    case DEJA__BREACH_TEXT_SIZE:
        return deja__fail(err, code, "%s has %llu bytes, its most is %llu", path, number, limit);
    case DEJA__BREACH_CUT:
        return deja__fail(err, code, "the bytes end within %s", path);
    case DEJA__BREACH_LEFT:
        return deja__fail(err, code, "%llu bytes are left over behind the last field", number);
    case DEJA__BREACH_UNFILLED:
        return deja__fail(err, code, "%s is a text whose bytes were not taken", path);
    case DEJA__BREACH_CALLS:
        return deja__fail(err, code,
                          "the description makes different calls for different values: %llu bytes, "
                          "where it was learnt with %llu",
                          number, limit);
    case DEJA__BREACH_MEMORY:
        return deja__fail_memory(err);
    default:
        return deja__fail(err, code, "%s is named by a call that was not there when it was learnt",
                          path);
    }
}

deja_code deja__breach_report(const deja__breach *breach, const deja_layout *layout,
                              deja_span bytes, deja_code code, deja_error *err)
{
    deja_buffer path = { 0 };
    deja_buffer quoted = { 0 };
    if (breach->offset <= bytes.size)
        deja__path_at(layout, bytes, breach->offset, &path);
    if (path.size != 0 && !path.failed)
        deja__print(&quoted, "'%.*s'", (int)(path.size < 512 ? path.size : 512),
                    (const char *)path.bytes);
    else if (breach->name && deja__is_name(breach->name, strnlen(breach->name, DEJA__NAME_MAX + 1)))
        deja__print(&quoted, "'%s'", breach->name);
    else
        deja_buffer_text(&quoted, "the kind");
    code = say(breach, quoted.failed ? "a field" : (const char *)quoted.bytes, code, err);
    deja_buffer_release(&path);
    deja_buffer_release(&quoted);
    return code;
}
