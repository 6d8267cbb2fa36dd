/* SPDX-License-Identifier: MIT */
/*
 * The border: whether bytes are the canonical form of a value, exactly and all of them.
 *
 * Whoever gets bytes from a file or another process asks here once; everything behind trusts. A
 * value has one canonical form, so the question is strict: a bool that is 2, a NaN with other bits
 * and a map whose keys do not rise are no values, though one could guess what they mean.
 *
 * The work is bounded by the bytes: items take at least one byte each, and numbers of which every
 * bit pattern is a value are stepped over, not walked.
 */
#include "fields/values.h"

typedef struct checker {
    const unsigned char *end;
    deja_error *err;
    deja_code code;
} checker;

/* Answers where the value ends; NULL once something was wrong. */
static const unsigned char *check(checker *c, const deja__node *node, const unsigned char *at,
                                  const deja__path *path);

static const unsigned char *cut_short(checker *c, const deja__path *path)
{
    c->code = deja__fail_value(c->err, DEJA_EFORMAT, path, "the bytes end here");
    return NULL;
}

static const unsigned char *check_scalar(checker *c, const deja__node *node,
                                         const unsigned char *at, const deja__path *path)
{
    if (node->size_min > (uint64_t)(c->end - at))
        return cut_short(c, path);
    if (deja__scalar_is_valid(node, at))
        return at + node->size_min;
    if (node->kind == DEJA_BOOL)
        c->code = deja__fail_value(c->err, DEJA_EFORMAT, path, "%u is no bool", at[0]);
    else if (node->kind == DEJA_ENUM)
        c->code = deja__fail_value(c->err, DEJA_EFORMAT, path, "there is no name %u, there are %u",
                                   deja__load16(at), node->name_count);
    else if (node->kind == DEJA_FLAGS)
        c->code = deja__fail_value(c->err, DEJA_EFORMAT, path, "flags 0x%x, of which %u have names",
                                   deja__load32(at), node->name_count);
    else
        c->code =
            deja__fail_value(c->err, DEJA_EFORMAT, path, "a NaN that is not the canonical one");
    return NULL;
}

/* A count that is written before what it counts. */
static const unsigned char *check_count(checker *c, const deja__node *node, const unsigned char *at,
                                        const char *what, const deja__path *path)
{
    if (c->end - at < 4)
        return cut_short(c, path);
    if (deja__load32(at) <= node->count)
        return at + 4;
    c->code = deja__fail_value(c->err, DEJA_EFORMAT, path, "%u %s, the most is %llu",
                               deja__load32(at), what, (unsigned long long)node->count);
    return NULL;
}

static const unsigned char *check_text(checker *c, const deja__node *node, const unsigned char *at,
                                       const deja__path *path)
{
    const unsigned char *chars = check_count(c, node, at, "bytes of text", path);
    if (!chars)
        return NULL;
    const uint32_t size = deja__load32(at);
    if (size > (uint64_t)(c->end - chars))
        return cut_short(c, path);
    if (!deja__is_utf8(chars, size)) {
        c->code = deja__fail_value(c->err, DEJA_EFORMAT, path, "text that is not UTF-8");
        return NULL;
    }
    return chars + size;
}

static const unsigned char *check_items(checker *c, const deja__node *node, const unsigned char *at,
                                        const deja__path *path)
{
    const deja__node *item = node->children[0];
    uint64_t count = node->count;
    if (deja__is_counted(node)) {
        count = deja__load32(at);
        at += 4;
    }
    if (node->child_count == 1 && node->shape != DEJA_SET && deja__takes_all_bytes(item->kind)) {
        if (count * item->size_min > (uint64_t)(c->end - at))
            return cut_short(c, path);
        return at + count * item->size_min;
    }
    const bool keyed = node->shape == DEJA_MAP || node->shape == DEJA_SET;
    const unsigned char *before = NULL;
    for (uint64_t i = 0; i < count; i++) {
        deja__path here = { path, NULL, node, i, NULL };
        const unsigned char *key = at;
        at = check(c, item, at, &here);
        if (!at)
            return NULL;
        if (keyed && before && deja__key_compare(item, before, key) >= 0) {
            c->code = deja__fail_value(c->err, DEJA_EFORMAT, &here, "its key does not rise");
            return NULL;
        }
        before = key;
        if (node->shape != DEJA_MAP)
            continue;
        here.key = key;
        at = check(c, node->children[1], at, &here);
        if (!at)
            return NULL;
    }
    return at;
}

static const unsigned char *check_kind(checker *c, const deja__node *node, const unsigned char *at,
                                       const deja__path *path)
{
    if (c->end - at < 2)
        return cut_short(c, path);
    const uint32_t place = deja__load16(at);
    if (place >= node->child_count) {
        c->code = deja__fail_value(c->err, DEJA_EFORMAT, path, "there is no kind %u, there are %u",
                                   place, node->child_count);
        return NULL;
    }
    return check(c, node->children[place], at + 2, path);
}

static const unsigned char *check_optional(checker *c, const deja__node *node,
                                           const unsigned char *at, const deja__path *path)
{
    if (at == c->end)
        return cut_short(c, path);
    if (at[0] > 1) {
        c->code = deja__fail_value(c->err, DEJA_EFORMAT, path,
                                   "%u is neither absent (0) nor present (1)", at[0]);
        return NULL;
    }
    return at[0] ? check(c, node->children[0], at + 1, path) : at + 1;
}

static const unsigned char *check(checker *c, const deja__node *node, const unsigned char *at,
                                  const deja__path *path)
{
    switch (node->kind) {
    case DEJA_STRUCT:
        for (uint32_t i = 0; i < node->child_count && at; i++) {
            const deja__path here = { path, node->children[i]->name, NULL, 0, NULL };
            at = check(c, node->children[i], at, &here);
        }
        return at;
    case DEJA_KIND:
        return check_kind(c, node, at, path);
    case DEJA_OPTIONAL:
        return check_optional(c, node, at, path);
    case DEJA_SECTION:
        return check(c, node->children[0], at, path);
    case DEJA_ITEMS:
        if (deja__is_counted(node) && !check_count(c, node, at, "items", path))
            return NULL;
        return check_items(c, node, at, path);
    case DEJA_TEXT:
        return check_text(c, node, at, path);
    default:
        return check_scalar(c, node, at, path);
    }
}

const unsigned char *deja__value_bytes(const void *bytes)
{
    static const unsigned char nothing[1];
    return bytes ? bytes : nothing;
}

deja_code deja__value_check(const deja__node *node, const unsigned char *bytes, uint64_t size,
                            deja_error *err)
{
    bytes = deja__value_bytes(bytes);
    checker c = { bytes + size, err, DEJA_OK };
    const unsigned char *end = check(&c, node, bytes, NULL);
    if (!end)
        return c.code;
    if (end != c.end)
        return deja__fail(err, DEJA_EFORMAT, "%llu bytes are left over",
                          (unsigned long long)(c.end - end));
    return DEJA_OK;
}

deja_code deja_value_validate(const deja_layout *layout, const void *bytes, uint64_t size,
                              deja_error *err)
{
    return deja__value_check(layout->root, bytes, size, err);
}
