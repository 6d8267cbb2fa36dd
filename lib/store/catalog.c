/* SPDX-License-Identifier: MIT */
/*
 * See catalog.h. Keeping up with the tables.
 */
#include "store/catalog.h"

#include "store/part.h"

#include <stdlib.h>

/* The tables that the catalog holds. */
static const uint32_t TABLES[] = { DEJA__WORDS, DEJA__BUILDS, DEJA__LAYOUTS, DEJA__SESSION_PACKS,
                                   DEJA__RECORDING_PACKS };
enum { TABLE_COUNT = sizeof TABLES / sizeof *TABLES };

void *deja__grow(void *array, size_t item, uint32_t count, uint32_t *capacity)
{
    if (count < *capacity)
        return array;
    const uint32_t wanted = *capacity ? *capacity * 2 : 16;
    if (wanted <= *capacity)
        return NULL;
    void *grown = realloc(array, item * wanted);
    if (grown)
        *capacity = wanted;
    return grown;
}

deja_code deja__catalog_create(deja__catalog **out, deja_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? DEJA_OK : deja__fail_memory(err);
}

/* ---- forgetting ---- */

static void drop_packs(deja__catalog *c)
{
    for (uint32_t i = 0; i < c->counts[DEJA__SESSION_PACKS]; i++)
        deja__session_pack_destroy(c->session_packs[i]);
    for (uint32_t i = 0; i < c->counts[DEJA__RECORDING_PACKS]; i++)
        deja__recording_pack_destroy(c->recording_packs[i]);
    c->counts[DEJA__SESSION_PACKS] = 0;
    c->counts[DEJA__RECORDING_PACKS] = 0;
    deja__catalog_unlink(c);
}

/* Interned rows are kept for who may have borrowed their texts. */
static void drop_interned(deja__catalog *c)
{
    for (uint32_t i = 0; i < c->counts[DEJA__WORDS]; i++) {
        c->words[i]->next = c->old_words;
        c->old_words = c->words[i];
    }
    for (uint32_t i = 0; i < c->counts[DEJA__BUILDS]; i++) {
        c->builds[i]->next = c->old_builds;
        c->old_builds = c->builds[i];
    }
    for (uint32_t i = 0; i < c->counts[DEJA__LAYOUTS]; i++) {
        c->layouts[i]->next = c->old_layouts;
        c->old_layouts = c->layouts[i];
    }
    c->counts[DEJA__WORDS] = 0;
    c->counts[DEJA__BUILDS] = 0;
    c->counts[DEJA__LAYOUTS] = 0;
    deja__index_release(&c->word_index);
}

static void forget(deja__catalog *c)
{
    drop_packs(c);
    drop_interned(c);
    memset(c->found, 0, sizeof c->found);
}

static void free_interned(deja__catalog *c)
{
    while (c->old_words) {
        deja__word *word = c->old_words;
        c->old_words = word->next;
        free(word->text);
        free(word);
    }
    while (c->old_builds) {
        deja__build *build = c->old_builds;
        c->old_builds = build->next;
        free(build->compiler);
        free(build);
    }
    while (c->old_layouts) {
        deja__layouts *layouts = c->old_layouts;
        c->old_layouts = layouts->next;
        for (uint32_t i = 0; i < DEJA__LAYOUT_TEXTS; i++)
            free(layouts->texts[i]);
        deja_layout_destroy(layouts->command);
        deja_layout_destroy(layouts->config);
        free(layouts);
    }
}

void deja__catalog_destroy(deja__catalog *c)
{
    if (!c)
        return;
    forget(c);
    free_interned(c);
    free(c->words);
    free(c->builds);
    free(c->layouts);
    free(c->session_packs);
    free(c->recording_packs);
    free(c->newest);
    free(c->before);
    free(c);
}

void deja__catalog_changed(deja_store *store, bool all)
{
    store->catalog->fresh = false;
    store->catalog->broken |= all;
}

/* ---- taking rows ---- */

static deja_code take_session_pack(void *user, const deja__row *row, deja_error *err)
{
    deja__catalog *c = user;
    uint32_t *count = &c->counts[DEJA__SESSION_PACKS];
    deja__session_pack *pack = NULL;
    const deja_code code = deja__session_pack_read(c, row, &pack, err);
    if (code < 0)
        return code;
    deja__session_pack **packs =
        deja__grow(c->session_packs, sizeof *packs, *count, &c->capacities[DEJA__SESSION_PACKS]);
    if (!packs) {
        deja__session_pack_destroy(pack);
        return deja__fail_memory(err);
    }
    c->session_packs = packs;
    packs[(*count)++] = pack;
    return DEJA_OK;
}

static deja_code take_recording_pack(void *user, const deja__row *row, deja_error *err)
{
    deja__catalog *c = user;
    uint32_t *count = &c->counts[DEJA__RECORDING_PACKS];
    deja__recording_pack *pack = NULL;
    const deja_code code = deja__recording_pack_read(c, row, &pack, err);
    if (code < 0)
        return code;
    deja__recording_pack **packs = deja__grow(c->recording_packs, sizeof *packs, *count,
                                              &c->capacities[DEJA__RECORDING_PACKS]);
    if (!packs) {
        deja__recording_pack_destroy(pack);
        return deja__fail_memory(err);
    }
    c->recording_packs = packs;
    packs[(*count)++] = pack;
    return DEJA_OK;
}

/* ---- packs that were open ---- */

typedef struct renewal {
    deja__catalog *catalog;
    deja__session_pack *session;
    deja__recording_pack *recording;
} renewal;

static deja_code take_renewed_session(void *user, const deja__row *row, deja_error *err)
{
    renewal *r = user;
    return deja__session_pack_read(r->catalog, row, &r->session, err);
}

static deja_code take_renewed_recording(void *user, const deja__row *row, deja_error *err)
{
    renewal *r = user;
    return deja__recording_pack_read(r->catalog, row, &r->recording, err);
}

static void tell_renewed(deja__tally *found, int64_t before, bool there, int64_t check)
{
    found->sum -= deja__as_unsigned(before);
    if (there)
        found->sum += deja__as_unsigned(check);
    else
        found->rows--;
}

static deja_code renew_sessions(deja_store *store, deja_error *err)
{
    deja__catalog *c = store->catalog;
    uint32_t kept = 0;
    deja_code code = DEJA_OK;
    for (uint32_t i = 0; i < c->counts[DEJA__SESSION_PACKS]; i++) {
        deja__session_pack *pack = c->session_packs[i];
        renewal r = { c, NULL, NULL };
        if (pack->open && code == DEJA_OK) {
            code = deja__rows_read(store, DEJA__SESSION_PACKS, pack->id, pack->id,
                                   take_renewed_session, &r, NULL, err);
            if (code == DEJA_OK) {
                tell_renewed(&c->found[DEJA__SESSION_PACKS], pack->check, r.session != NULL,
                             r.session ? r.session->check : 0);
                if (!r.session || !r.session->open)
                    deja__catalog_unlink(c);
                else
                    r.session->base = pack->base;
                deja__session_pack_destroy(pack);
                pack = r.session;
            }
        }
        if (pack)
            c->session_packs[kept++] = pack;
    }
    c->counts[DEJA__SESSION_PACKS] = kept;
    return code;
}

static bool is_unfinished(const deja__recording_pack *pack)
{
    return pack->count == 1 && deja__column_at(&pack->endings, 0) == DEJA_ENDED_UNFINISHED;
}

static deja_code renew_recordings(deja_store *store, deja_error *err)
{
    deja__catalog *c = store->catalog;
    uint32_t kept = 0;
    deja_code code = DEJA_OK;
    for (uint32_t i = 0; i < c->counts[DEJA__RECORDING_PACKS]; i++) {
        deja__recording_pack *pack = c->recording_packs[i];
        renewal r = { c, NULL, NULL };
        if (is_unfinished(pack) && code == DEJA_OK) {
            code = deja__rows_read(store, DEJA__RECORDING_PACKS, pack->id, pack->id,
                                   take_renewed_recording, &r, NULL, err);
            if (code == DEJA_OK) {
                tell_renewed(&c->found[DEJA__RECORDING_PACKS], pack->check, r.recording != NULL,
                             r.recording ? r.recording->check : 0);
                if (!r.recording || deja__column_at(&r.recording->sessions, 0) !=
                                        deja__column_at(&pack->sessions, 0))
                    deja__catalog_unlink(c);
                else
                    r.recording->base = pack->base;
                deja__recording_pack_destroy(pack);
                pack = r.recording;
            }
        }
        if (pack)
            c->recording_packs[kept++] = pack;
    }
    c->counts[DEJA__RECORDING_PACKS] = kept;
    return code;
}

/* ---- refreshing ---- */

/* So many parts as the packs tell of, so many marks: nothing is without an owner, and no number of
 * steps is made up. */
static deja_code hold_children(const deja_store *store, deja_error *err)
{
    const deja__catalog *c = store->catalog;
    uint64_t commands = 0, results = 0, starts = 0, marks = 0, sections = 0;
    for (uint32_t i = 0; i < c->counts[DEJA__SESSION_PACKS]; i++) {
        commands += deja__part_count(c->session_packs[i]->steps);
        starts += c->session_packs[i]->start;
    }
    for (uint32_t i = 0; i < c->counts[DEJA__RECORDING_PACKS]; i++) {
        const deja__recording_pack *pack = c->recording_packs[i];
        uint32_t place;
        const deja__session_pack *sessions =
            deja__catalog_session(c, deja__as_signed(deja__column_at(&pack->sessions, 0)), &place);
        results += pack->count == 1 ? deja__part_count(deja__session_steps(sessions, place)) : 1;
        marks += (uint64_t)pack->marks;
        sections += (uint64_t)pack->sections;
    }
    const struct {
        uint32_t table;
        uint64_t rows;
    } said[] = { { DEJA__COMMAND_PARTS, commands },
                 { DEJA__RESULT_PARTS, results },
                 { DEJA__STARTS, starts },
                 { DEJA__MARKS, marks },
                 { DEJA__SECTION_PARTS, sections } };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i].rows != (uint64_t)store->tallies[said[i].table].rows)
            return deja__fail(err, DEJA_EDAMAGED,
                              "table %s has %lld rows, and the sessions and recordings tell of "
                              "%llu",
                              deja__table_name(said[i].table),
                              (long long)store->tallies[said[i].table].rows,
                              (unsigned long long)said[i].rows);
    return DEJA_OK;
}

typedef struct interning {
    deja__catalog *catalog;
    uint32_t table;
} interning;

static deja_code take_interned(void *user, const deja__row *row, deja_error *err)
{
    const interning *i = user;
    return deja__catalog_intern(i->catalog, i->table, row, err);
}

static int64_t last_key(const deja__catalog *c, uint32_t table)
{
    const uint32_t count = c->counts[table];
    if (count == 0)
        return 0;
    switch (table) {
    case DEJA__WORDS:
        return c->words[count - 1]->id;
    case DEJA__BUILDS:
        return c->builds[count - 1]->id;
    case DEJA__LAYOUTS:
        return c->layouts[count - 1]->id;
    case DEJA__SESSION_PACKS:
        return c->session_packs[count - 1]->id;
    default:
        return c->recording_packs[count - 1]->id;
    }
}

static deja_code read_new(deja_store *store, uint32_t table, deja_error *err)
{
    deja__catalog *c = store->catalog;
    interning interned = { c, table };
    deja__tally found = { 0 };
    const int64_t first = last_key(c, table) + 1;
    deja_code code;
    if (table == DEJA__SESSION_PACKS)
        code = deja__rows_read(store, table, first, INT64_MAX, take_session_pack, c, &found, err);
    else if (table == DEJA__RECORDING_PACKS)
        code = deja__rows_read(store, table, first, INT64_MAX, take_recording_pack, c, &found, err);
    else
        code =
            deja__rows_read(store, table, first, INT64_MAX, take_interned, &interned, &found, err);
    c->found[table].rows += found.rows;
    c->found[table].sum += found.sum;
    return code == DEJA_OK ? deja__manifest_hold(store, table, &c->found[table], err) : code;
}

static deja_code load(deja_store *store, deja_error *err)
{
    deja_code code = renew_sessions(store, err);
    if (code == DEJA_OK)
        code = renew_recordings(store, err);
    for (uint32_t i = 0; i < TABLE_COUNT && code == DEJA_OK; i++)
        code = read_new(store, TABLES[i], err);
    if (code == DEJA_OK)
        code = deja__catalog_link(store->catalog, err);
    return code == DEJA_OK ? hold_children(store, err) : code;
}

deja_code deja__catalog_refresh(deja_store *store, deja_error *err)
{
    deja__catalog *c = store->catalog;
    int64_t version = 0;
    const int result = deja__order_number(store, DEJA__DATA_VERSION, &version);
    if (result != SQLITE_OK)
        return deja__sql_fail(store->db, result, "cannot be read", err);
    if (c->fresh && c->version == version)
        return DEJA_OK;
    deja_code code = store->in_write ? DEJA_OK : deja__manifest_read(store, err);
    bool again = c->broken;
    if (code == DEJA_OK && !again) {
        code = load(store, err);
        /* Not a word about damage before everything was looked at. */
        again = code == DEJA_EDAMAGED && c->loaded;
    }
    if (again) {
        forget(c);
        code = load(store, err);
    }
    c->loaded |= code == DEJA_OK;
    c->fresh = code == DEJA_OK;
    c->broken = code != DEJA_OK;
    c->version = version;
    return code;
}

deja_code deja__catalog_look(deja_store *store, deja_error *err)
{
    deja_code code = deja__read_begin(store, err);
    if (code < 0)
        return code;
    code = deja__catalog_refresh(store, err);
    deja__read_end(store);
    return code;
}
