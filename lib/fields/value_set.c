/* SPDX-License-Identifier: MIT */
/*
 * One part of a value, by its path: reading it, and the value with that part changed.
 *
 *     players[1].banked     board[3][4]     prices[wood].cost     effect.turns     units.count
 *
 * Sections, kinds and optionals have no step of their own in a path: the fields of a kind are those
 * of the alternative that is there, the fields of an absent optional are not there. A map's item is
 * named by its key, every other item by its place. A container's count can be read, not set.
 *
 * A changed value is checked as a whole: an item of a set may not come out of order.
 */
#include "fields/value_parse.h"

#include "base/nearest.h"

/* Where in a value a path leads, and how far the path was read. */
typedef struct seeker {
    const char *path, *at, *end;
    const deja__node *node;
    const unsigned char *value;
    bool is_count; /* the count of the container at hand */
    deja_error *err;
    deja_code code;
} seeker;

static bool not_found(seeker *s, const char *why)
{
    char word[DEJA__WORD_SIZE];
    s->code = deja__fail(s->err, DEJA_ENOTFOUND, "%s: %s",
                         deja__word(s->path, (uint64_t)(s->at - s->path), word), why);
    return false;
}

/* Goes through what has no step of its own. */
static bool enter(seeker *s)
{
    for (;;) {
        s->node = deja__past_sections(s->node);
        if (s->node->kind == DEJA_OPTIONAL) {
            if (s->value[0] == 0)
                return not_found(s, "it is absent");
            s->value += 1;
            s->node = s->node->children[0];
        } else if (s->node->kind == DEJA_KIND) {
            s->node = s->node->children[deja__load16(s->value)];
            s->value += 2;
        } else {
            return true;
        }
    }
}

static bool seek_field(seeker *s)
{
    const char *name = s->at;
    while (s->at < s->end && !strchr(".[=", *s->at))
        s->at++;
    const uint64_t size = (uint64_t)(s->at - name);
    if (s->node->kind == DEJA_ITEMS && size == 5 && memcmp(name, "count", 5) == 0) {
        s->is_count = true;
        return true;
    }
    if (s->node->kind != DEJA_STRUCT)
        return not_found(s, "there are no fields in it");

    deja__nearest nearest = { 0 };
    for (uint32_t i = 0; i < s->node->child_count; i++) {
        const deja__node *field = s->node->children[i];
        if (strlen(field->name) == size && memcmp(field->name, name, (size_t)size) == 0) {
            s->node = field;
            return true;
        }
        s->value += deja__value_size(field, s->value);
        deja__nearest_try(&nearest, name, size, field->name);
    }
    char why[2 * DEJA__NAME_MAX];
    if (!nearest.name)
        return not_found(s, "there is no such field");
    memcpy(why, "no such field; the nearest is ", 30);
    memcpy(why + 30, nearest.name, strlen(nearest.name) + 1);
    return not_found(s, why);
}

/* The decimal in brackets; s->at is behind the opening one, and then behind the closing one. */
static bool read_index(seeker *s, uint64_t *index)
{
    const char *digits = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    if (s->at == s->end || *s->at != ']' ||
        !deja__read_u64(digits, (uint64_t)(s->at - digits), UINT32_MAX, index))
        return not_found(s, "a number belongs into the brackets");
    s->at++;
    return true;
}

static bool seek_place(seeker *s, uint64_t count)
{
    uint64_t index, column;
    if (!read_index(s, &index))
        return false;
    if (s->node->shape == DEJA_GRID) {
        if (s->at == s->end || *s->at != '[')
            return not_found(s, "a grid takes two numbers: [row][column]");
        s->at++;
        if (!read_index(s, &column))
            return false;
        if (column >= s->node->row)
            return not_found(s, "there are not so many columns");
        index = index * s->node->row + column;
    }
    if (index >= count)
        return not_found(s, "there are not so many items");
    const deja__node *item = s->node->children[0];
    if (item->fixed)
        s->value += index * item->size_min;
    for (uint64_t i = 0; i < index && !item->fixed; i++)
        s->value += deja__value_size(item, s->value);
    s->node = item;
    return true;
}

static bool seek_key(seeker *s, uint64_t count)
{
    const deja__node *key = s->node->children[0];
    deja_buffer wanted = { 0 };
    deja__parser p = { s->at, s->end, &wanted, s->err, DEJA_OK, NULL, 0, 0 };
    bool found = false;
    if (!deja__parse_scalar(&p, key, NULL)) {
        s->code = p.code;
        goto done;
    }
    s->at = p.at;
    if (s->at == s->end || *s->at != ']') {
        not_found(s, "the closing bracket is missing");
        goto done;
    }
    s->at++;
    for (uint64_t i = 0; i < count && !found; i++) {
        found = deja__key_compare(key, s->value, wanted.bytes) == 0;
        s->value += deja__value_size(key, s->value);
        if (!found)
            s->value += deja__value_size(s->node->children[1], s->value);
    }
    if (found)
        s->node = s->node->children[1];
    else
        not_found(s, "there is no such key");

done:
    deja_buffer_release(&wanted);
    return found;
}

static bool seek_item(seeker *s)
{
    if (s->node->kind != DEJA_ITEMS)
        return not_found(s, "there are no items in it");
    uint64_t count = s->node->count;
    if (deja__is_counted(s->node)) {
        count = deja__load32(s->value);
        s->value += 4;
    }
    s->at++;
    return s->node->shape == DEJA_MAP ? seek_key(s, count) : seek_place(s, count);
}

/* Follows the path to its end, or to the first "=" where the path may end. */
static bool seek(seeker *s)
{
    bool first = true;
    do {
        if (!enter(s))
            return false;
        if (!first && *s->at == '[') {
            if (!seek_item(s))
                return false;
        } else if (first || *s->at == '.') {
            s->at += first ? 0 : 1;
            if (!seek_field(s))
                return false;
        } else {
            return not_found(s, "a dot or a bracket belongs behind it");
        }
        first = false;
    } while (!s->is_count && s->at < s->end && *s->at != '=');
    return true;
}

deja_code deja_value_at(const deja_layout *layout, const void *bytes, uint64_t size,
                        const char *path, uint64_t path_size, deja_buffer *out, deja_error *err)
{
    const deja_code code = deja__value_check(layout->root, bytes, size, err);
    if (code < 0)
        return code;
    seeker s = { path,  path, path + path_size, layout->root, deja__value_bytes(bytes),
                 false, err,  DEJA_OK };
    if (!seek(&s))
        return s.code;
    if (s.at != s.end) {
        not_found(&s, "the path should end here");
        return s.code;
    }
    if (!s.is_count)
        return deja__value_print(s.node, s.value, DEJA__FIELD, out, err);
    deja__unsigned_print(deja__is_counted(s.node) ? deja__load32(s.value) : s.node->count, out);
    return out->failed ? deja__fail_memory(err) : DEJA_OK;
}

/* ---- setting ---- */

/* A text as a person gave it to a shell, which has taken the quotes off already. */
static deja_code append_raw_text(const deja__node *text, const char *chars, uint64_t size,
                                 const deja__path *path, deja_buffer *out, deja_error *err)
{
    unsigned char count[4];
    if (size > text->count)
        return deja__fail_value(err, DEJA_EFORMAT, path, "%llu bytes of text, the most is %llu",
                                (unsigned long long)size, (unsigned long long)text->count);
    deja__store32(count, (uint32_t)size);
    deja_buffer_add(out, count, 4);
    return deja_buffer_add(out, chars, size) ? DEJA_OK : deja__fail_memory(err);
}

static deja_code append_setting(const deja__node *node, const char *chars, uint64_t size,
                                const deja__path *path, deja_buffer *out, deja_error *err)
{
    const bool raw = size == 0 || chars[0] != '"';
    const deja__node *value = deja__past_sections(node);
    if (raw && value->kind == DEJA_TEXT)
        return append_raw_text(value, chars, size, path, out, err);
    if (value->kind == DEJA_OPTIONAL && raw && !(size == 1 && chars[0] == '-')) {
        value = deja__past_sections(value->children[0]);
        if (value->kind == DEJA_TEXT)
            return deja_buffer_add(out, "\1", 1)
                       ? append_raw_text(value, chars, size, path, out, err)
                       : deja__fail_memory(err);
    }
    return deja__value_parse(node, chars, size, DEJA__FIELD, path, out, err);
}

deja_code deja_value_set(const deja_layout *layout, const void *bytes, uint64_t size,
                         const char *setting, uint64_t setting_size, deja_buffer *out,
                         deja_error *err)
{
    deja_code code = deja__value_check(layout->root, bytes, size, err);
    if (code < 0)
        return code;
    const unsigned char *start = deja__value_bytes(bytes);
    const uint64_t before = out->size;
    char word[DEJA__WORD_SIZE];
    seeker s = {
        setting, setting, setting + setting_size, layout->root, start, false, err, DEJA_OK
    };
    if (!seek(&s))
        return s.code;
    deja__word(setting, (uint64_t)(s.at - setting), word);
    if (s.is_count)
        return deja__fail(err, DEJA_EFORMAT, "%s: a count follows from the items, set these", word);
    if (s.at == s.end)
        return deja__fail(err, DEJA_EFORMAT, "%s: '=' and a value are missing", word);
    s.at++;

    const deja__path path = { NULL, word, NULL, 0, NULL };
    const uint64_t offset = (uint64_t)(s.value - start);
    const uint64_t behind = offset + deja__value_size(s.node, s.value);
    deja_buffer_add(out, start, offset);
    code = append_setting(s.node, s.at, (uint64_t)(s.end - s.at), &path, out, err);
    if (code == DEJA_OK && !deja_buffer_add(out, start + behind, size - behind))
        code = deja__fail_memory(err);
    if (code == DEJA_OK)
        code = deja__value_check(layout->root, out->bytes + before, out->size - before, err);
    if (code < 0)
        deja__buffer_cut(out, before);
    return code;
}
