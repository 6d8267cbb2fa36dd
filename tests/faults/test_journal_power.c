/* SPDX-License-Identifier: MIT */
/*
 * A power cut while a journal is written. No call tells when a mapped file reaches the disk, so the
 * file is looked at as it grows, and an image has each of its pages, or of its sectors, as it was
 * at some time between the last deja_journal_sync() and the cut.
 *
 * A failure names its image. FAULTS_LONG=1 tries many more.
 */
#include <criterion/criterion.h>
#include <deja/journal.h>
#include <deja/journal_read.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults/disk.h"
#include "support/demand.h"
#include "support/scratch.h"

enum { CALLS = 700, LARGE_AT = 300, LARGE = 150000, VIEWS = 400 };

/* What was called, and what the journal is of behind it: a sum over its steps. */
typedef struct call {
    uint64_t sum;
    uint64_t command; /* the sum of a step's command */
} call;

/* The file at a time. */
typedef struct view {
    unsigned char *bytes;
    uint64_t size;
    uint32_t calls; /* that had returned */
    bool synced;    /* all of this is on the disk */
} view;

static char folder[64], path[128], store_path[128];
static call calls[CALLS + 1];
static uint64_t sums[CALLS + 1]; /* of the first so many steps, as they are now */
static uint64_t steps;
static view views[VIEWS];
static uint32_t view_count;

static void open_folder(void)
{
    scratch_open(folder);
    snprintf(path, sizeof path, "%s/play.journal", folder);
    snprintf(store_path, sizeof store_path, "%s/image.deja", folder);
    shim_watch("/nothing"); /* no store here has to be synced */
}

static void close_folder(void)
{
    scratch_close(folder);
}

TestSuite(journal_power, .init = open_folder, .fini = close_folder, .timeout = 3600);

/* ---- what was played ---- */

static uint64_t add_up(uint64_t sum, const void *bytes, uint64_t size)
{
    const unsigned char *at = bytes;
    sum = (sum ^ size) * UINT64_C(0xd6e8feb86659fd93);
    for (uint64_t i = 0; i < size; i++)
        sum = (sum ^ at[i] ^ sum >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return sum;
}

static uint64_t add_step(uint64_t sum, uint64_t command, uint32_t hash)
{
    const uint64_t both[2] = { command, hash };
    return add_up(sum, both, sizeof both);
}

static void look_at_file(uint32_t made, bool synced)
{
    demand(view_count < VIEWS, "too many views");
    view *v = &views[view_count++];
    FILE *file = fopen(path, "rb");
    demand(file && fseek(file, 0, SEEK_END) == 0, "%s", path);
    *v = (view){ NULL, (uint64_t)ftell(file), made, synced };
    v->bytes = malloc(v->size);
    rewind(file);
    demand(fread(v->bytes, 1, v->size, file) == v->size, "%s", path);
    fclose(file);
}

static void play_step(deja_journal *journal, uint32_t i, uint64_t *luck, bool looked_at)
{
    static unsigned char bytes[LARGE];
    const uint64_t size = i == LARGE_AT ? LARGE : disk_draw(luck) % 200;
    for (uint64_t k = 0; k < size; k++)
        bytes[k] = (unsigned char)disk_draw(luck);
    const uint64_t hash = disk_draw(luck);
    calls[i].command = add_up(1, bytes, size);
    demand(deja_journal_begin(journal, bytes, size) == DEJA_JOURNAL_OK, "begin");
    if (looked_at)
        look_at_file(i - 1, false);
    demand(deja_journal_end(journal, 0, hash) == DEJA_JOURNAL_OK, "end");
    sums[steps + 1] = add_step(sums[steps], calls[i].command, (uint32_t)hash);
    steps++;
}

static void play(uint64_t luck)
{
    deja_journal *journal = NULL;
    deja_journal_options options = DEJA_JOURNAL_OPTIONS_INIT;
    options.segment_size = 1u << 16;
    options.game = "counter";
    demand(deja_journal_open(&journal, path, &options) == DEJA_JOURNAL_OK, "open");
    look_at_file(0, false);
    for (uint32_t i = 1; i <= CALLS; i++) {
        const uint64_t what = disk_draw(&luck) % 100;
        if (what < 3 && steps) {
            steps -= disk_draw(&luck) % (steps < 20 ? steps : 20);
            demand(deja_journal_rewind(journal, steps) == DEJA_JOURNAL_OK, "rewind");
        } else if (what < 6) {
            demand(deja_journal_mark(journal, "here") == DEJA_JOURNAL_OK, "mark");
        } else {
            play_step(journal, i, &luck, what < 12);
        }
        calls[i].sum = sums[steps];
        if (disk_draw(&luck) % 40 == 0) {
            demand(deja_journal_sync(journal) == DEJA_JOURNAL_OK, "sync");
            look_at_file(i, true);
        } else if (disk_draw(&luck) % 5 == 0) {
            look_at_file(i, false);
        }
    }
    demand(deja_journal_close(journal, NULL) == DEJA_JOURNAL_OK, "close");
}

/* ---- images ---- */

typedef struct image {
    uint32_t safe, last; /* views */
    uint32_t unit;       /* bytes that are written at once */
    uint32_t liking;     /* 0: any view; 1: nearly always the last; 2: nearly always the safe one */
    uint64_t luck;
    char where[128];
} image;

static uint32_t pick(const image *m, uint64_t *luck)
{
    const bool rare = disk_draw(luck) % 16 == 0;
    if (m->liking == 1 && !rare)
        return m->last;
    if (m->liking == 2 && !rare)
        return m->safe;
    return m->safe + (uint32_t)(disk_draw(luck) % (m->last - m->safe + 1));
}

static unsigned char *make(const image *m, uint64_t *size)
{
    uint64_t luck = m->luck;
    *size = views[pick(m, &luck)].size;
    unsigned char *bytes = calloc(1, *size);
    for (uint64_t at = 0; at < *size; at += m->unit) {
        const view *v = &views[pick(m, &luck)];
        uint64_t end = at + m->unit < *size ? at + m->unit : *size;
        if (end > v->size)
            end = v->size;
        if (at < end)
            memcpy(bytes + at, v->bytes + at, end - at);
    }
    return bytes;
}

/* ---- what is made of them ---- */

/* The sum of the steps that are whole, and of the command of one that is not. */
static uint64_t sum_of(deja_reader *reader, bool crashed, uint64_t *begun, const char *where)
{
    deja_steps block;
    deja_error err = { 0 };
    const uint64_t count = deja_reader_session(reader)->steps - crashed;
    uint64_t sum = 0, step = 0;
    for (;;) {
        demand(deja_reader_next(reader, &block, &err) == DEJA_OK, "%s: %s", where, err.message);
        if (block.count == 0)
            return sum;
        for (uint32_t i = 0; i < block.count; i++) {
            const uint32_t from = i ? block.command_ends[i - 1] : 0;
            const uint64_t command = add_up(1, block.commands + from, block.command_ends[i] - from);
            if (step++ < count)
                sum = add_step(sum, command, (uint32_t)block.trail[i]);
            else
                *begun = command;
        }
    }
}

static void hold_history(const image *m, uint64_t sum, bool crashed, uint64_t begun)
{
    const uint32_t from = views[m->safe].synced ? views[m->safe].calls : 0;
    for (uint32_t i = from; i <= views[m->last].calls; i++)
        if (calls[i].sum == sum && (!crashed || (i < CALLS && calls[i + 1].command == begun)))
            return;
    demand(false, "%s: what is read is nothing that was ever there behind call %u", m->where, from);
}

static void hold_image(const image *m)
{
    uint64_t size, begun = 0;
    int64_t key = 0;
    char prefix[33];
    deja_store *store = NULL;
    deja_reader *reader = NULL;
    deja_journal_told told;
    deja_error err = { 0 };
    unsigned char *bytes = make(m, &size);
    remove(store_path);
    demand(deja_store_open(&store, store_path, DEJA_STORE_WRITE, &err) == DEJA_OK, "%s",
           err.message);
    const deja_code code = deja_journal_import(store, "j", bytes, size, &told, &err);
    demand(code == DEJA_OK || !views[m->safe].synced, "%s: %s", m->where, err.message);
    if (code == DEJA_OK) {
        const bool crashed = told.ended == DEJA_ENDED_CRASHED;
        for (int i = 0; i < 16; i++)
            snprintf(prefix + 2 * i, 3, "%02x", told.id.bytes[i]);
        demand(deja_store_flush(store, &err) == DEJA_OK &&
                   deja_store_find(store, prefix, &key, &err) == DEJA_OK &&
                   deja_reader_open(&reader, store, key, 0, &err) == DEJA_OK,
               "%s: %s", m->where, err.message);
        const uint64_t sum = sum_of(reader, crashed, &begun, m->where);
        hold_history(m, sum, crashed, begun);
        deja_reader_close(reader);
    }
    deja_store_close(store, NULL);
    free(bytes);
}

Test(journal_power, a_cut_at_any_moment_leaves_what_was_synced_and_nothing_that_never_was)
{
    const uint64_t images = getenv("FAULTS_LONG") ? 20000 : 400;
    uint64_t luck = 3;
    play(4);
    for (uint64_t i = 0; i < images; i++) {
        image m = { 0 };
        m.last = (uint32_t)(disk_draw(&luck) % view_count);
        for (m.safe = m.last; m.safe > 0 && !views[m.safe].synced;)
            m.safe--;
        m.unit = i & 1 ? 4096 : DISK_SECTOR;
        m.liking = i / 2 % 3;
        m.luck = luck;
        snprintf(m.where, sizeof m.where, "views %u to %u, units of %u, liking %u, luck %llu",
                 m.safe, m.last, m.unit, m.liking, (unsigned long long)luck);
        hold_image(&m);
    }
    for (uint32_t i = 0; i < view_count; i++)
        free(views[i].bytes);
}
