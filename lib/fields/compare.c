/* SPDX-License-Identifier: MIT */
/*
 * Two values of one layout, field by field: what a developer wants to read of a divergence.
 *
 *   - A field that differs is told by its path, both values as text. What has equal bytes is left
 *     out at once, as a value has one canonical form.
 *   - Floats have their bits behind them: `0.3 (0x3e99999a)`.
 *   - Lists of different lengths: both as a whole where that is short; else their counts (as
 *     `units.count`), then item by item, one that is not there being "-". Maps are held against
 *     each other key by key.
 *   - Kinds with different tags, and optionals of which one is absent: both as a whole.
 *   - Many different numbers in one array, and long bytes, are one difference: a window from the
 *     first on (`cells[70..77]`), and how many differ.
 *   - Long texts are cut round their first difference.
 */
#include "fields/compare.h"

enum {
    NUMBERS_TOLD = 16, /* so many different numbers of an array are told one by one */
    NUMBERS_SHOWN = 8, /* of more: so many are shown */
    BYTES_WHOLE = 32,  /* so many bytes are shown as a whole */
    BYTES_SHOWN = 16   /* of more: so many are shown */
};

typedef struct comparison {
    bool (*visit)(void *user, const deja_difference *difference);
    void *user;
    deja_error *err;
    deja_code code;
    deja_buffer path, expected, actual;
} comparison;

/* false: it is over, as the visitor said so or something failed. `place` is DEJA__ITEM for what an
 * optional holds: it has the optional's path, and is written as an item. */
static bool compare(comparison *c, const deja__node *node, const unsigned char *a,
                    const unsigned char *b, enum deja__place place, const deja__path *path);

/* ---- telling ---- */

static void begin(comparison *c, const deja__path *path)
{
    deja_buffer_clear(&c->path);
    deja_buffer_clear(&c->expected);
    deja_buffer_clear(&c->actual);
    if (path)
        deja__path_print(path, &c->path);
    else
        deja_buffer_text(&c->path, "(kind)"); /* only the tag of the whole value has no path */
}

static bool tell(comparison *c)
{
    if (c->path.failed || c->expected.failed || c->actual.failed) {
        c->code = deja__fail_memory(c->err);
        return false;
    }
    const deja_difference difference = { (const char *)c->path.bytes,
                                         (const char *)c->expected.bytes,
                                         (const char *)c->actual.bytes };
    return c->visit(c->user, &difference);
}

/* Prints one side; NULL is a value that is not there. Of what is long the front is enough: scalars
 * are printed whole, and where other values are told as a whole they differ from the first word. */
static void print_side(const deja__node *node, const unsigned char *at, enum deja__place place,
                       deja_buffer *out)
{
    if (!at) {
        deja_buffer_char(out, '-');
        return;
    }
    deja__value_print_start(node, at, place, DEJA__SHOWN_MAX, out);
    if (node->kind == DEJA_F32 || node->kind == DEJA_F64)
        deja__print_bits(node, at, out);
}

static bool is_dash(const deja_buffer *text)
{
    return text->size == 1 && text->bytes[0] == '-';
}

/* Tells of a value as a whole, of which one may not be there. */
static bool tell_whole(comparison *c, const deja__node *node, const unsigned char *a,
                       const unsigned char *b, enum deja__place place, const deja__path *path)
{
    begin(c, path);
    print_side(node, a, place, &c->expected);
    print_side(node, b, place, &c->actual);
    if (is_dash(&c->expected) && is_dash(&c->actual))
        deja_buffer_text(a ? &c->expected : &c->actual, " (there)");
    deja__cut_pair(&c->expected, &c->actual);
    return tell(c);
}

static bool tell_counts(comparison *c, uint64_t a, uint64_t b, const deja__path *path)
{
    begin(c, path);
    deja_buffer_text(&c->path, ".count");
    deja__unsigned_print(a, &c->expected);
    deja__unsigned_print(b, &c->actual);
    return tell(c);
}

/* [70..77], with a grid's row before it. */
static void print_range(deja_buffer *out, const deja__node *node, uint64_t first, uint64_t last)
{
    const uint64_t row = node->shape == DEJA_GRID ? node->row : UINT64_MAX;
    if (node->shape == DEJA_GRID) {
        deja_buffer_char(out, '[');
        deja__unsigned_print(first / row, out);
        deja_buffer_char(out, ']');
    }
    deja_buffer_char(out, '[');
    deja__unsigned_print(first % row, out);
    if (last != first) {
        deja_buffer_text(out, "..");
        deja__unsigned_print(last % row, out);
    }
    deja_buffer_char(out, ']');
}

static void print_window(const deja__node *node, const unsigned char *at, uint64_t first,
                         uint64_t last, deja_buffer *out)
{
    if (node->kind == DEJA_BYTES) {
        deja__print_hex_bytes(out, at + first, last - first + 1);
        return;
    }
    const deja__node *item = node->children[0];
    for (uint64_t i = first; i <= last; i++) {
        if (i > first)
            deja_buffer_char(out, ',');
        deja__scalar_print(item, at + i * item->size_min, out);
        if (item->kind == DEJA_F32 || item->kind == DEJA_F64)
            deja__print_bits(item, at + i * item->size_min, out);
    }
}

/* One difference for many bytes or numbers. */
static bool tell_window(comparison *c, const deja__node *node, const unsigned char *a,
                        const unsigned char *b, uint64_t count, const deja__run *run,
                        const deja__path *path)
{
    uint64_t last = run->first + (node->kind == DEJA_BYTES ? BYTES_SHOWN : NUMBERS_SHOWN) - 1;
    if (last > run->last)
        last = run->last;
    if (node->shape == DEJA_GRID && last / node->row != run->first / node->row)
        last = run->first / node->row * node->row + node->row - 1;
    begin(c, path);
    print_range(&c->path, node, run->first, last);
    print_window(node, a, run->first, last, &c->expected);
    print_window(node, b, run->first, last, &c->actual);
    deja__cut_pair(&c->expected, &c->actual);
    deja__print(&c->expected, " (%llu of %llu differ)", (unsigned long long)run->differing,
                (unsigned long long)count);
    deja__print(&c->actual, " (%llu of %llu differ)", (unsigned long long)run->differing,
                (unsigned long long)count);
    return tell(c);
}

/* ---- containers ---- */

static bool is_number(uint32_t kind)
{
    return kind >= DEJA_BOOL && kind <= DEJA_FLAGS;
}

/* Item by item, up to the shorter's end; then what only one of them has. */
static bool compare_each(comparison *c, const deja__node *node, const unsigned char *a,
                         uint64_t a_count, const unsigned char *b, uint64_t b_count,
                         const deja__path *path)
{
    const deja__node *item = node->children[0];
    for (uint64_t i = 0; i < a_count || i < b_count; i++) {
        const deja__path here = { path, NULL, node, i, NULL };
        const unsigned char *left = i < a_count ? a : NULL;
        const unsigned char *right = i < b_count ? b : NULL;
        if (!(left && right ? compare(c, item, left, right, DEJA__FIELD, &here)
                            : tell_whole(c, item, left, right, DEJA__FIELD, &here)))
            return false;
        a += left ? deja__value_size(item, left) : 0;
        b += right ? deja__value_size(item, right) : 0;
    }
    return true;
}

static const unsigned char *past_entry(const deja__node *map, const unsigned char *at)
{
    at += deja__value_size(map->children[0], at);
    return map->shape == DEJA_MAP ? at + deja__value_size(map->children[1], at) : at;
}

/* Maps by their keys, which rise. A set's item is a key that has no value. */
static bool compare_keyed(comparison *c, const deja__node *node, const unsigned char *a,
                          uint64_t a_count, const unsigned char *b, uint64_t b_count,
                          const deja__path *path)
{
    const deja__node *key = node->children[0];
    uint64_t i = 0, k = 0;
    while (i < a_count || k < b_count) {
        const int order = i == a_count ? 1 : k == b_count ? -1 : deja__key_compare(key, a, b);
        const unsigned char *at = order <= 0 ? a : b;
        const deja__path here = { path, NULL, node, 0, at };
        const unsigned char *left = order <= 0 ? a : NULL;
        const unsigned char *right = order >= 0 ? b : NULL;
        bool going = true;
        if (node->shape == DEJA_MAP) {
            const deja__node *value = node->children[1];
            if (left)
                left += deja__value_size(key, left);
            if (right)
                right += deja__value_size(key, right);
            going = left && right ? compare(c, value, left, right, DEJA__FIELD, &here)
                                  : tell_whole(c, value, left, right, DEJA__FIELD, &here);
        } else if (order != 0) {
            going = tell_whole(c, key, left, right, DEJA__ITEM, path);
        }
        if (!going)
            return false;
        if (order <= 0) {
            a = past_entry(node, a);
            i++;
        }
        if (order >= 0) {
            b = past_entry(node, b);
            k++;
        }
    }
    return true;
}

/* Both as a whole, if both are short: then *told. */
static bool tell_short(comparison *c, const deja__node *node, const unsigned char *a,
                       const unsigned char *b, enum deja__place place, const deja__path *path,
                       bool *told)
{
    if (deja__value_size(node, a) > DEJA__SHOWN_MAX || deja__value_size(node, b) > DEJA__SHOWN_MAX)
        return true;
    begin(c, path);
    print_side(node, a, place, &c->expected);
    print_side(node, b, place, &c->actual);
    *told = c->expected.size <= DEJA__SHOWN_MAX && c->actual.size <= DEJA__SHOWN_MAX;
    return *told ? tell(c) : true;
}

static bool compare_items(comparison *c, const deja__node *node, const unsigned char *a,
                          const unsigned char *b, enum deja__place place, const deja__path *path)
{
    uint64_t a_count = node->count;
    uint64_t b_count = node->count;
    bool told = false;
    if (deja__is_counted(node)) {
        a_count = deja__load32(a);
        b_count = deja__load32(b);
        if (node->shape != DEJA_MAP && (a_count != b_count || node->shape == DEJA_SET)) {
            const bool going = tell_short(c, node, a, b, place, path, &told);
            if (!going || told)
                return going;
        }
        a += 4;
        b += 4;
        if (a_count != b_count && !tell_counts(c, a_count, b_count, path))
            return false;
    }
    if (node->shape == DEJA_MAP || node->shape == DEJA_SET)
        return compare_keyed(c, node, a, a_count, b, b_count, path);

    const deja__node *item = node->children[0];
    if (is_number(item->kind) && a_count == b_count) {
        const deja__run run = deja__find_differences(a, b, a_count, item->size_min);
        if (run.differing > NUMBERS_TOLD)
            return tell_window(c, node, a, b, a_count, &run, path);
    }
    return compare_each(c, node, a, a_count, b, b_count, path);
}

/* ---- values ---- */

static bool compare_fields(comparison *c, const deja__node *node, const unsigned char *a,
                           const unsigned char *b, const deja__path *path)
{
    for (uint32_t i = 0; i < node->child_count; i++) {
        const deja__node *field = node->children[i];
        const deja__path here = { path, field->name, NULL, 0, NULL };
        if (!compare(c, field, a, b, DEJA__FIELD, &here))
            return false;
        a += deja__value_size(field, a);
        b += deja__value_size(field, b);
    }
    return true;
}

static bool compare(comparison *c, const deja__node *node, const unsigned char *a,
                    const unsigned char *b, enum deja__place place, const deja__path *path)
{
    const uint64_t size = deja__value_size(node, a);
    if (size == 0 || (size == deja__value_size(node, b) && memcmp(a, b, (size_t)size) == 0))
        return true;
    switch (node->kind) {
    case DEJA_STRUCT:
        return compare_fields(c, node, a, b, path);
    case DEJA_SECTION:
        return compare(c, node->children[0], a, b, place, path);
    case DEJA_OPTIONAL:
        if (a[0] == 1 && b[0] == 1 && deja__past_sections(node->children[0])->kind != DEJA_FLAGS)
            return compare(c, node->children[0], a + 1, b + 1, DEJA__ITEM, path);
        return tell_whole(c, node, a, b, place, path);
    case DEJA_KIND: {
        const uint32_t tag = deja__load16(a);
        if (tag == deja__load16(b))
            return compare_fields(c, node->children[tag], a + 2, b + 2, path);
        return tell_whole(c, node, a, b, place, path);
    }
    case DEJA_ITEMS:
        return compare_items(c, node, a, b, place, path);
    case DEJA_BYTES:
        if (node->count > BYTES_WHOLE) {
            const deja__run run = deja__find_differences(a, b, node->count, 1);
            return tell_window(c, node, a, b, node->count, &run, path);
        }
        return tell_whole(c, node, a, b, place, path);
    default:
        return tell_whole(c, node, a, b, place, path);
    }
}

deja_code deja_value_compare(const deja_layout *layout, deja_span expected, deja_span actual,
                             bool (*visit)(void *user, const deja_difference *difference),
                             void *user, deja_error *err)
{
    deja_code code = deja__value_check(layout->root, expected.bytes, expected.size, err);
    if (code < 0)
        return deja__fail_within(err, code, "the expected value");
    code = deja__value_check(layout->root, actual.bytes, actual.size, err);
    if (code < 0)
        return deja__fail_within(err, code, "the actual value");
    comparison c = { .visit = visit, .user = user, .err = err, .code = DEJA_OK };
    compare(&c, layout->root, deja__value_bytes(expected.bytes), deja__value_bytes(actual.bytes),
            DEJA__TOP, NULL);
    deja_buffer_release(&c.path);
    deja_buffer_release(&c.expected);
    deja_buffer_release(&c.actual);
    return c.code;
}
