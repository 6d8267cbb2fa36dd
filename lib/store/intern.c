/* SPDX-License-Identifier: MIT */
/*
 * Rows that many packs share: words, builds, layouts. They are written once and never change.
 *
 * A row that is written in a transaction is taken into the catalog at once, for the rows of packs
 * that follow name it; if the transaction then fails, the catalog is read again as a whole.
 */
#include "store/catalog.h"

#include "store/valid.h"

#include <stdlib.h>

/* ---- taking rows ---- */

static deja_code fail_row(uint32_t table, int64_t id, const char *what, deja_error *err)
{
    return deja__fail(err, DEJA_EDAMAGED, "table %s, row %lld: its %s is not sound",
                      deja__table_name(table), (long long)id, what);
}

static char *copy(const deja__cell *cell)
{
    char *text = malloc((size_t)cell->size + 1);
    if (text) {
        memcpy(text, cell->bytes, (size_t)cell->size);
        text[cell->size] = '\0';
    }
    return text;
}

static deja_code take_word(deja__catalog *c, const deja__row *row, deja_error *err)
{
    uint32_t *count = &c->counts[DEJA__WORDS];
    if (!deja__is_plain(row->cells[0].bytes, row->cells[0].size, DEJA__WORD_MAX))
        return fail_row(DEJA__WORDS, row->key, "text", err);
    deja__word **words = deja__grow(c->words, sizeof *words, *count, &c->capacities[DEJA__WORDS]);
    if (words)
        c->words = words;
    deja__word *word = words ? calloc(1, sizeof *word) : NULL;
    if (word)
        word->text = copy(&row->cells[0]);
    if (!word || !word->text ||
        !deja__index_add(&c->word_index, deja__hash64(word->text, row->cells[0].size), *count)) {
        if (word)
            free(word->text);
        free(word);
        return deja__fail_memory(err);
    }
    word->id = row->key;
    words[(*count)++] = word;
    return DEJA_OK;
}

static deja_code take_build(deja__catalog *c, const deja__row *row, deja_error *err)
{
    uint32_t *count = &c->counts[DEJA__BUILDS];
    if (row->cells[0].size != 16)
        return fail_row(DEJA__BUILDS, row->key, "digest", err);
    if (!deja__is_plain(row->cells[1].bytes, row->cells[1].size, DEJA__WORD_MAX))
        return fail_row(DEJA__BUILDS, row->key, "compiler", err);
    deja__build **builds =
        deja__grow(c->builds, sizeof *builds, *count, &c->capacities[DEJA__BUILDS]);
    if (builds)
        c->builds = builds;
    deja__build *build = builds ? calloc(1, sizeof *build) : NULL;
    if (build)
        build->compiler = copy(&row->cells[1]);
    if (!build || !build->compiler) {
        free(build);
        return deja__fail_memory(err);
    }
    build->id = row->key;
    memcpy(build->digest, row->cells[0].bytes, 16);
    builds[(*count)++] = build;
    return DEJA_OK;
}

static bool is_layout_text(uint32_t which, const deja__cell *cell)
{
    const char *text = cell->bytes;
    switch (which) {
    case DEJA__GAME:
        return deja__is_game_id(text, cell->size);
    case DEJA__VERSION:
        return deja__is_plain(text, cell->size, DEJA__WORD_MAX);
    case DEJA__REFUSALS:
    case DEJA__OUTCOMES:
        return deja__is_names(text, cell->size, NULL);
    default:
        return deja__is_plain(text, cell->size, DEJA__LAYOUT_TEXT_MAX);
    }
}

static void free_layouts(deja__layouts *layouts)
{
    for (uint32_t i = 0; layouts && i < DEJA__LAYOUT_TEXTS; i++)
        free(layouts->texts[i]);
    free(layouts);
}

static deja_code take_layouts(deja__catalog *c, const deja__row *row, deja_error *err)
{
    static const char *const WHAT[DEJA__LAYOUT_TEXTS] = {
        "game",         "version",       "state layout", "command layout",
        "event layout", "config layout", "refusals",     "outcomes",
    };
    uint32_t *count = &c->counts[DEJA__LAYOUTS];
    for (uint32_t i = 0; i < DEJA__LAYOUT_TEXTS; i++)
        if (!is_layout_text(i, &row->cells[i]))
            return fail_row(DEJA__LAYOUTS, row->key, WHAT[i], err);
    deja__layouts **all =
        deja__grow(c->layouts, sizeof *all, *count, &c->capacities[DEJA__LAYOUTS]);
    if (all)
        c->layouts = all;
    deja__layouts *layouts = all ? calloc(1, sizeof *layouts) : NULL;
    bool whole = layouts != NULL;
    for (uint32_t i = 0; i < DEJA__LAYOUT_TEXTS && whole; i++) {
        layouts->texts[i] = copy(&row->cells[i]);
        whole = layouts->texts[i] != NULL;
    }
    if (!whole) {
        free_layouts(layouts);
        return deja__fail_memory(err);
    }
    layouts->id = row->key;
    deja__is_names(layouts->texts[DEJA__REFUSALS], strlen(layouts->texts[DEJA__REFUSALS]),
                   &layouts->refusal_count);
    all[(*count)++] = layouts;
    return DEJA_OK;
}

deja_code deja__catalog_intern(deja__catalog *c, uint32_t table, const deja__row *row,
                               deja_error *err)
{
    /* They are numbered from 1 without gaps, and so found without searching. */
    if (row->key != (int64_t)c->counts[table] + 1)
        return fail_row(table, row->key, "number", err);
    if (table == DEJA__WORDS)
        return take_word(c, row, err);
    return table == DEJA__BUILDS ? take_build(c, row, err) : take_layouts(c, row, err);
}

/* ---- looking them up ---- */

static bool is_there(const deja__catalog *c, uint32_t table, int64_t id)
{
    return id >= 1 && id <= (int64_t)c->counts[table];
}

const deja__word *deja__catalog_word(const deja__catalog *c, int64_t id)
{
    return is_there(c, DEJA__WORDS, id) ? c->words[id - 1] : NULL;
}

const deja__build *deja__catalog_build(const deja__catalog *c, int64_t id)
{
    return is_there(c, DEJA__BUILDS, id) ? c->builds[id - 1] : NULL;
}

deja__layouts *deja__catalog_layouts(const deja__catalog *c, int64_t id)
{
    return is_there(c, DEJA__LAYOUTS, id) ? c->layouts[id - 1] : NULL;
}

static deja_code parse(deja_layout **out, const char *text, const char *what, deja_error *err)
{
    if (deja__is_opaque(text))
        return DEJA_OK;
    const deja_code code = deja_layout_parse(out, text, strlen(text), err);
    if (code < 0)
        deja__fail_within(err, code, "the layout of %s", what);
    return code;
}

deja_code deja__layouts_parse(deja__layouts *layouts, deja_error *err)
{
    if (layouts->parsed)
        return DEJA_OK;
    deja_code code = DEJA_OK;
    if (!layouts->command)
        code = parse(&layouts->command, layouts->texts[DEJA__COMMAND], "commands", err);
    if (code == DEJA_OK)
        code = parse(&layouts->config, layouts->texts[DEJA__CONFIG], "configs", err);
    layouts->parsed = code == DEJA_OK;
    if (code != DEJA_EFORMAT && code != DEJA_ELIMIT)
        return code;
    /* A writer had parsed both before it stored them. */
    if (err)
        err->code = DEJA_EDAMAGED;
    return DEJA_EDAMAGED;
}

/* ---- writing rows ---- */

static deja_code add(deja_store *store, uint32_t table, deja__row *row, int64_t *id,
                     deja_error *err)
{
    deja__catalog *c = store->catalog;
    row->key = store->tallies[table].next;
    deja_code code = deja__row_insert(store, table, row, err);
    if (code == DEJA_OK)
        code = deja__catalog_intern(c, table, row, err);
    if (code < 0)
        return code;
    c->found[table].rows++;
    c->found[table].sum += deja__as_unsigned(row->check);
    *id = row->key;
    return DEJA_OK;
}

deja_code deja__intern_word(deja_store *store, const char *text, int64_t *id, deja_error *err)
{
    const deja__catalog *c = store->catalog;
    const uint64_t size = strlen(text);
    const uint64_t hash = deja__hash64(text, size);
    uint64_t at = 0;
    uint32_t place;
    while ((place = deja__index_next(&c->word_index, hash, &at)) != DEJA__NOWHERE)
        if (strcmp(c->words[place]->text, text) == 0) {
            *id = c->words[place]->id;
            return DEJA_OK;
        }
    deja__row row = { 0 };
    deja__cell_bytes(&row, 0, text, size);
    return add(store, DEJA__WORDS, &row, id, err);
}

deja_code deja__intern_build(deja_store *store, const unsigned char *digest, const char *compiler,
                             int64_t *id, deja_error *err)
{
    const deja__catalog *c = store->catalog;
    for (uint32_t i = c->counts[DEJA__BUILDS]; i-- > 0;)
        if (memcmp(c->builds[i]->digest, digest, 16) == 0 &&
            strcmp(c->builds[i]->compiler, compiler) == 0) {
            *id = c->builds[i]->id;
            return DEJA_OK;
        }
    deja__row row = { 0 };
    deja__cell_bytes(&row, 0, digest, 16);
    deja__cell_text(&row, 1, compiler);
    return add(store, DEJA__BUILDS, &row, id, err);
}

deja_code deja__intern_layouts(deja_store *store, const char *const *texts, int64_t *id,
                               deja_error *err)
{
    const deja__catalog *c = store->catalog;
    for (uint32_t i = c->counts[DEJA__LAYOUTS]; i-- > 0;) {
        bool same = true;
        for (uint32_t k = 0; k < DEJA__LAYOUT_TEXTS && same; k++)
            same = strcmp(c->layouts[i]->texts[k], texts[k]) == 0;
        if (same) {
            *id = c->layouts[i]->id;
            return DEJA_OK;
        }
    }
    deja__row row = { 0 };
    for (uint32_t k = 0; k < DEJA__LAYOUT_TEXTS; k++)
        deja__cell_text(&row, k, texts[k]);
    return add(store, DEJA__LAYOUTS, &row, id, err);
}
