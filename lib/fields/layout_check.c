/* SPDX-License-Identifier: MIT */
/*
 * Checking a tree as a whole, and working out its sizes.
 *
 * A tree comes from two places, the parser (text that may be a stranger's) and describing (a
 * library's calls). Both end in deja__layout_from_tree(), so what a layout promises is checked in
 * this one place, and every walk over values may rely on it:
 *
 *   - fields have names, no two in one struct the same; nothing else has a name;
 *   - containers nest at most DEJA__DEPTH_MAX deep, so walks may recurse;
 *   - an item of a list takes at least one byte, so a count never exceeds the bytes behind it, and
 *     no count makes a walk longer than its value;
 *   - no value is smaller than its layout's least size, which is at most DEJA__VALUE_SIZE_MAX;
 *   - the text is at most DEJA__LAYOUT_TEXT_MAX long, and parsing it gives the same tree.
 *
 * The last is why an array of arrays is refused: its text would read as a grid. An optional of an
 * optional is, too: as a value both are absent in the same word.
 */
#include "fields/layout.h"

#include <stdlib.h>

static bool is_key(uint32_t kind)
{
    return (kind >= DEJA_BOOL && kind <= DEJA_I64) || kind == DEJA_ENUM || kind == DEJA_TEXT ||
           kind == DEJA_BYTES;
}

/* ---- checking a tree ---- */

/* Where a check is: the way up to the root, so that a message can name the path. */
typedef struct place {
    const struct place *up;
    const deja__node *node;
    uint32_t depth; /* containers from the root to here */
} place;

enum { PATH_SIZE = 256 };

/* 'units.hp' in its quotes: names joined by dots, the front left out where it gets too long. */
static const char *path_of(const place *at, char path[PATH_SIZE])
{
    size_t start = PATH_SIZE - 2;
    memcpy(path + start, "'", 2);
    const size_t end = start;
    for (; at; at = at->up) {
        if (!at->node->name)
            continue;
        const size_t size = strlen(at->node->name);
        if (size + 2 > start)
            break;
        if (start != end)
            path[--start] = '.';
        start -= size;
        memcpy(path + start, at->node->name, size);
    }
    if (start == end)
        return "the layout";
    path[--start] = '\'';
    return path + start;
}

/* Sizes saturate here: what is above the limit is refused, whatever it is. */
static uint64_t bounded_sum(uint64_t a, uint64_t b)
{
    const uint64_t most = DEJA__VALUE_SIZE_MAX + 1;
    return a >= most || b >= most - a ? most : a + b;
}

static uint64_t bounded_product(uint64_t a, uint64_t b)
{
    const uint64_t most = DEJA__VALUE_SIZE_MAX + 1;
    return a != 0 && b > most / a ? most : a * b;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the pointers in `names`, and finds a name that is there twice, or NULL. */
static const char *find_double(const char **names, uint32_t count)
{
    qsort(names, count, sizeof *names, compare_names);
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return names[i];
    return NULL;
}

static deja_code check_doubles(const place *at, deja_error *err)
{
    const deja__node *node = at->node;
    const bool fields = node->kind == DEJA_STRUCT;
    const uint32_t count = fields ? node->child_count : node->name_count;
    char path[PATH_SIZE];

    if (count < 2)
        return DEJA_OK;
    const char **names = malloc(count * sizeof *names);
    if (!names)
        return deja__fail_memory(err);
    for (uint32_t i = 0; i < count; i++)
        names[i] = fields ? node->children[i]->name : node->names[i];
    const char *twice = find_double(names, count);
    free(names);
    if (!twice)
        return DEJA_OK;
    if (!at->up)
        return deja__fail(err, DEJA_EFORMAT, "'%s' is named twice", twice);
    return deja__fail(err, DEJA_EFORMAT, "'%s' is named twice in %s", twice, path_of(at, path));
}

static deja_code check_name(const place *at, const char *name, deja_error *err)
{
    char path[PATH_SIZE];
    if (name && deja__is_name(name, strlen(name)))
        return DEJA_OK;
    return deja__fail(err, DEJA_EFORMAT, "'%.80s' in %s is not a name", name ? name : "",
                      path_of(at, path));
}

static deja_code check_names(const place *at, uint32_t most, deja_error *err)
{
    const deja__node *node = at->node;
    char path[PATH_SIZE];
    deja_code code = DEJA_OK;
    if (node->name_count == 0)
        return deja__fail(err, DEJA_EFORMAT, "%s has no names", path_of(at, path));
    if (node->name_count > most)
        return deja__fail(err, DEJA_ELIMIT, "%s has %u names, the most is %u", path_of(at, path),
                          node->name_count, most);
    for (uint32_t i = 0; i < node->name_count && code == DEJA_OK; i++)
        code = check_name(at, node->names[i], err);
    return code == DEJA_OK ? check_doubles(at, err) : code;
}

static deja_code check_struct(const place *at, deja__node *node, deja_error *err)
{
    deja_code code = DEJA_OK;
    node->fixed = true;
    for (uint32_t i = 0; i < node->child_count && code == DEJA_OK; i++) {
        const deja__node *child = node->children[i];
        node->size_min = bounded_sum(node->size_min, child->size_min);
        node->fixed = node->fixed && child->fixed;
        code = check_name(at, child->name, err);
    }
    return code == DEJA_OK ? check_doubles(at, err) : code;
}

static deja_code check_alternatives(const place *at, deja__node *node, deja_error *err)
{
    char path[PATH_SIZE];
    const deja_code code = check_names(at, DEJA__NAMES_MAX, err);
    if (code < 0)
        return code;
    if (node->child_count != node->name_count)
        return deja__fail(err, DEJA_EFORMAT, "%s has %u names and %u alternatives",
                          path_of(at, path), node->name_count, node->child_count);
    uint64_t least = UINT64_MAX;
    node->fixed = true;
    for (uint32_t i = 0; i < node->child_count; i++) {
        const deja__node *child = node->children[i];
        if (child->kind != DEJA_STRUCT)
            return deja__fail(err, DEJA_EFORMAT, "alternative '%s' of %s is not a struct",
                              node->names[i], path_of(at, path));
        node->fixed = node->fixed && child->fixed && child->size_min == node->children[0]->size_min;
        if (child->size_min < least)
            least = child->size_min;
    }
    node->size_min = bounded_sum(2, least);
    return DEJA_OK;
}

static deja_code check_counts(const place *at, deja_error *err)
{
    const deja__node *node = at->node;
    char path[PATH_SIZE];
    if (node->count == 0)
        return deja__fail(err, DEJA_EFORMAT, "%s has room for nothing", path_of(at, path));
    if (node->count > UINT32_MAX)
        return deja__fail(err, DEJA_ELIMIT, "%s has a count of %llu, the most is 4294967295",
                          path_of(at, path), (unsigned long long)node->count);
    if (node->shape == DEJA_GRID && (node->row == 0 || node->count % node->row != 0))
        return deja__fail(err, DEJA_EFORMAT, "%s has %llu items, which are not rows of %u",
                          path_of(at, path), (unsigned long long)node->count, node->row);
    return DEJA_OK;
}

static deja_code check_items(const place *at, deja__node *node, deja_error *err)
{
    char path[PATH_SIZE];
    const deja_code code = check_counts(at, err);
    if (code < 0)
        return code;
    if (node->child_count != (node->shape == DEJA_MAP ? 2u : 1u))
        return deja__fail(err, DEJA_EFORMAT, "%s has %u types of items", path_of(at, path),
                          node->child_count);
    const deja__node *item = node->children[0];
    if (item->size_min == 0)
        return deja__fail(err, DEJA_EFORMAT, "%s has items without fields", path_of(at, path));

    switch (node->shape) {
    case DEJA_MAP:
    case DEJA_SET:
        if (!is_key(item->kind))
            return deja__fail(err, DEJA_EFORMAT,
                              "%s has keys that are no integer, bool, enum, text or bytes",
                              path_of(at, path));
        node->size_min = 4;
        return DEJA_OK;
    case DEJA_LIST:
        node->size_min = 4;
        return DEJA_OK;
    case DEJA_BLOCKS:
        if (item->kind < DEJA_BOOL || item->kind > DEJA_F64)
            return deja__fail(err, DEJA_EFORMAT, "%s has blocks that are no numbers",
                              path_of(at, path));
        break;
    case DEJA_ARRAY:
    case DEJA_GRID:
        if (item->kind == DEJA_ITEMS && item->shape == DEJA_ARRAY)
            return deja__fail(err, DEJA_EFORMAT, "%s is an array of arrays: make it a grid",
                              path_of(at, path));
        break;
    default:
        return deja__fail(err, DEJA_EFORMAT, "%s has items in shape %u", path_of(at, path),
                          node->shape);
    }
    node->size_min = bounded_product(node->count, item->size_min);
    node->fixed = item->fixed;
    return DEJA_OK;
}

static bool is_container(uint32_t kind)
{
    return kind == DEJA_STRUCT || kind == DEJA_KIND || kind == DEJA_OPTIONAL ||
           kind == DEJA_SECTION || kind == DEJA_ITEMS;
}

/* One node whose children have been checked. */
static deja_code check_node(const place *at, deja__node *node, deja_error *err)
{
    char path[PATH_SIZE];
    node->size_min = 0;
    node->fixed = false;
    switch (node->kind) {
    case DEJA_STRUCT:
        return check_struct(at, node, err);
    case DEJA_KIND:
        return check_alternatives(at, node, err);
    case DEJA_ITEMS:
        return check_items(at, node, err);
    case DEJA_OPTIONAL:
    case DEJA_SECTION:
        if (node->child_count != 1)
            return deja__fail(err, DEJA_EFORMAT, "%s holds nothing", path_of(at, path));
        if (node->kind == DEJA_OPTIONAL && node->children[0]->kind == DEJA_OPTIONAL)
            return deja__fail(err, DEJA_EFORMAT, "%s is an optional of an optional",
                              path_of(at, path));
        node->size_min = node->kind == DEJA_OPTIONAL ? 1 : node->children[0]->size_min;
        node->fixed = node->kind == DEJA_SECTION && node->children[0]->fixed;
        return DEJA_OK;
    case DEJA_TEXT:
        node->size_min = 4;
        return check_counts(at, err);
    case DEJA_BYTES:
        node->size_min = node->count;
        node->fixed = true;
        return check_counts(at, err);
    default:
        node->size_min = deja__scalar_size(node->kind);
        node->fixed = true;
        if (node->size_min == 0)
            return deja__fail(err, DEJA_EFORMAT, "%s is of kind %u, which is no field's",
                              path_of(at, path), node->kind);
        if (node->kind == DEJA_ENUM || node->kind == DEJA_FLAGS)
            return check_names(at, node->kind == DEJA_FLAGS ? 32 : DEJA__NAMES_MAX, err);
        return DEJA_OK;
    }
}

/* Children first, so that their sizes are known. Recurses no deeper than DEJA__DEPTH_MAX. */
static deja_code check_tree(const place *up, deja__node *node, deja_error *err)
{
    const place at = { up, node, (up ? up->depth : 0) + (is_container(node->kind) ? 1u : 0u) };
    char path[PATH_SIZE];

    if (at.depth > DEJA__DEPTH_MAX)
        return deja__fail(err, DEJA_ELIMIT, "%s is nested deeper than %d", path_of(&at, path),
                          DEJA__DEPTH_MAX);
    if (!is_container(node->kind) && node->child_count != 0)
        return deja__fail(err, DEJA_EFORMAT, "%s holds others and is no container",
                          path_of(&at, path));
    node->plain =
        node->kind != DEJA_SECTION && !(node->kind == DEJA_ITEMS && node->shape == DEJA_BLOCKS);
    for (uint32_t i = 0; i < node->child_count; i++) {
        deja__node *child = node->children[i];
        const deja_code code = check_tree(&at, child, err);
        if (code < 0)
            return code;
        if (child->name && node->kind != DEJA_STRUCT)
            return deja__fail(err, DEJA_EFORMAT, "'%s' has a name where none belongs", child->name);
        node->plain = node->plain && child->plain;
    }
    const deja_code code = check_node(&at, node, err);
    if (code < 0)
        return code;
    if (node->size_min > DEJA__VALUE_SIZE_MAX)
        return deja__fail(err, DEJA_ELIMIT, "%s takes more than %llu bytes", path_of(&at, path),
                          (unsigned long long)DEJA__VALUE_SIZE_MAX);
    return DEJA_OK;
}

deja_code deja__layout_check(deja__node *root, deja_error *err)
{
    if ((root->kind != DEJA_STRUCT && root->kind != DEJA_KIND) || root->name)
        return deja__fail(err, DEJA_EFORMAT, "a layout is a struct or a kind, and has no name");
    return check_tree(NULL, root, err);
}
