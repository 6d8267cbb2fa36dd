/* SPDX-License-Identifier: MIT */
#include "store/recipe.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/base.h"

uint64_t draw(uint64_t *luck)
{
    *luck += 0x9e3779b97f4a7c15u;
    uint64_t z = *luck;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

recipe recipe_of(uint64_t seed)
{
    return (recipe){ .seed = seed,
                     .steps = 12 + seed % 17,
                     .trail_bits = 32,
                     .trail_every = 1,
                     .refused = 5,
                     .ended = DEJA_ENDED_OUTCOME,
                     .outcome = seed % 2 ? "first_wins" : "second_wins",
                     .build = 1,
                     .made = "bot random",
                     .content = "",
                     .recorded_at = 1700000000 };
}

recipe recipe_long(uint64_t seed, uint64_t steps)
{
    recipe r = recipe_of(seed);
    r.steps = steps;
    r.trail_every = 1000;
    r.plain = true;
    r.refused = 0;
    return r;
}

/* ---- what a recipe makes ---- */

static const char *const SAID[] = { "plain", "with \"quotes\"", "two\nlines", "" };

static uint64_t hash_at(const recipe *r, uint64_t step)
{
    uint64_t luck = r->seed * 31 + step;
    const bool parted = r->parts_from && step >= r->parts_from;
    return draw(&luck) ^ (parted ? 0x5555555555555555u : 0);
}

static uint32_t result_at(const recipe *r, uint64_t step)
{
    if (!r->refused || step % r->refused)
        return 0;
    return 1 + (uint32_t)(step / r->refused % 2);
}

static bool is_crash(const recipe *r, uint64_t step)
{
    return r->ended == DEJA_ENDED_CRASHED && step == r->steps;
}

static void put_command(const recipe *r, uint64_t step, deja_buffer *out)
{
    uint64_t luck = r->plain ? 1 : r->seed * 1000003 + step;
    const uint64_t drawn = draw(&luck);
    if (r->opaque) {
        deja_buffer_add(out, &drawn, drawn % 9);
        return;
    }
    const unsigned char take[4] = { 0, 0, (unsigned char)(drawn % 4),
                                    (unsigned char)(1 + (drawn >> 8) % 7) };
    if (drawn % 10 == 0)
        deja_buffer_add(out, "\1\0", 2); /* pass */
    else
        deja_buffer_add(out, take, 4);
}

static void describe(const recipe *r, deja_session *session, deja_recording *recording)
{
    static const unsigned char CONFIGS[3][8] = { { 4, 0, 0, 0, 7, 5, 3, 1 },
                                                 { 3, 0, 0, 0, 1, 2, 3, 0 },
                                                 { 0, 0, 0, 0, 0, 0, 0, 0 } };
    static const uint64_t SIZES[3] = { 8, 7, 4 };
    memset(session, 0, sizeof *session);
    memset(recording, 0, sizeof *recording);
    session->game = r->opaque ? "own_bytes" : "matchgame";
    session->command_layout = r->opaque ? "bytes" : "kind(take{row:u8 n:u8}|pass)";
    session->config_layout = r->opaque ? "bytes" : "rows:u8[..16]";
    session->config.bytes = CONFIGS[r->config % 3];
    session->config.size = r->opaque ? 0 : SIZES[r->config % 3];
    session->seed = r->seed;
    session->content = r->content;
    session->start_layout = r->start ? "rows:u8[..16] side:u8" : "";
    session->start.bytes = "\2\0\0\0\3\4\1";
    session->start.size = r->start ? 7 : 0;
    recording->version = "1.0.0";
    recording->state_layout = r->opaque ? "bytes" : "rows:u8[..16] side:u8";
    recording->event_layout = r->opaque ? "bytes" : "kind(took{row:u8 n:u8})";
    recording->refusals = "no_such_row over";
    recording->outcomes = "first_wins second_wins";
    memset(recording->build, r->build, sizeof recording->build);
    recording->compiler = "gcc-12.2.0";
    recording->platform = "x86_64-linux-gnu glibc-2.36";
    recording->made = r->made;
    recording->trail_bits = r->trail_bits;
    recording->trail_every = r->trail_every;
    recording->recorded_at = r->recorded_at;
}

deja_code recipe_open(deja_writer **out, deja_store *store, const recipe *r, deja_error *err)
{
    deja_session session;
    deja_recording recording;
    describe(r, &session, &recording);
    return deja_writer_open(out, store, &session, &recording, hash_at(r, 0),
                            deja__chain_start(hash_at(r, 0)), err);
}

static uint64_t chain_to(const recipe *r, uint64_t step)
{
    uint64_t chain = deja__chain_start(hash_at(r, 0));
    for (uint64_t n = r->trail_every; n <= step; n += r->trail_every)
        if (!is_crash(r, n))
            chain = deja__chain_next(chain, hash_at(r, n), result_at(r, n));
    return chain;
}

static deja_code add_notes(deja_writer *writer, const recipe *r, uint64_t from, uint64_t until,
                           deja_error *err)
{
    deja_code code = DEJA_OK;
    for (uint32_t i = 0; i < r->marks && code == DEJA_OK; i++) {
        const uint64_t step = r->steps * i / r->marks;
        if (step >= from && (step < until || until == r->steps))
            code = deja_writer_mark(writer, step, SAID[i % 4], err);
    }
    for (uint64_t step = from; r->sections && step <= until && code == DEJA_OK; step++)
        if (step % r->sections == 0) {
            code = deja_writer_section(writer, step, "rows", hash_at(r, step) + 1, err);
            if (code == DEJA_OK)
                code = deja_writer_section(writer, step, "luck", hash_at(r, step) + 2, err);
        }
    return code;
}

deja_code recipe_add(deja_writer *writer, const recipe *r, uint64_t from, uint64_t until,
                     deja_error *err)
{
    static uint32_t ends[DEJA__BLOCK_STEPS];
    static uint32_t results[DEJA__BLOCK_STEPS];
    static uint64_t trail[DEJA__BLOCK_STEPS];
    deja_buffer commands = { 0 };
    deja_code code = DEJA_OK;
    while (from < until && code == DEJA_OK) {
        deja_steps steps = { .first = from + 1 };
        deja_buffer_clear(&commands);
        for (; steps.count < DEJA__BLOCK_STEPS && from + steps.count < until; steps.count++) {
            const uint64_t step = from + steps.count + 1;
            put_command(r, step, &commands);
            ends[steps.count] = (uint32_t)commands.size;
            results[steps.count] = is_crash(r, step) ? 0 : result_at(r, step);
            if (step % r->trail_every == 0 && !is_crash(r, step))
                trail[steps.trail_count++] = hash_at(r, step);
        }
        steps.commands = commands.bytes;
        steps.command_ends = ends;
        steps.results = results;
        steps.trail = trail;
        steps.chain = chain_to(r, from + steps.count);
        steps.event_chain = steps.chain * 3;
        code = commands.failed ? DEJA_ENOMEM : add_notes(writer, r, from, from + steps.count, err);
        if (code == DEJA_OK)
            code = deja_writer_add(writer, &steps, err);
        from += steps.count;
    }
    deja_buffer_release(&commands);
    return code;
}

deja_code recipe_write(deja_store *store, const recipe *r, deja_id *id, bool *known,
                       deja_error *err)
{
    deja_writer *writer = NULL;
    deja_code code = recipe_open(&writer, store, r, err);
    if (code < 0)
        return code;
    code = recipe_add(writer, r, 0, r->steps, err);
    if (code < 0) {
        deja_writer_abandon(writer);
        return code;
    }
    return deja_writer_close(writer, r->ended, r->ended == DEJA_ENDED_OUTCOME ? r->outcome : NULL,
                             id, known, err);
}

/* ---- stores that work ---- */

deja_store *open_store(const char *path, uint32_t mode)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    cr_assert_eq(deja_store_open(&store, path, mode, &err), DEJA_OK, "%s", err.message);
    return store;
}

void close_store(deja_store *store)
{
    deja_error err = { 0 };
    cr_assert_eq(deja_store_close(store, &err), DEJA_OK, "%s", err.message);
}

deja_id put(deja_store *store, const recipe *r)
{
    deja_id id;
    deja_error err = { 0 };
    cr_assert_eq(recipe_write(store, r, &id, NULL, &err), DEJA_OK, "%s", err.message);
    return id;
}

bool put_again(deja_store *store, const recipe *r)
{
    bool known = false;
    deja_error err = { 0 };
    cr_assert_eq(recipe_write(store, r, NULL, &known, &err), DEJA_OK, "%s", err.message);
    return known;
}

/* ---- dumps ---- */

static bool tell_mark(void *user, uint64_t step, const char *text)
{
    return deja__print(user, "mark %" PRIu64 " '%s'\n", step, text);
}

static bool tell_section(void *user, uint64_t step, const char *name, uint64_t hash)
{
    return deja__print(user, "section %" PRIu64 " %s %016" PRIx64 "\n", step, name, hash);
}

static void tell_session(deja_buffer *out, const deja_session *s)
{
    deja__print_hex_bytes(out, s->id.bytes, 16);
    deja__print(out,
                " %s '%s' '%s' seed=%" PRIu64 " content='%s' steps=%" PRIu64 " config=", s->game,
                s->command_layout, s->config_layout, s->seed, s->content, s->steps);
    deja__print_hex_bytes(out, s->config.bytes, s->config.size);
    deja__print(out, " start='%s' ", s->start_layout);
    deja__print_hex_bytes(out, s->start.bytes, s->start.size);
    deja_buffer_char(out, '\n');
}

static void tell_recording(deja_buffer *out, const deja_recording *r)
{
    deja__print(out, "recording %s '%s' '%s' '%s' '%s' build=", r->version, r->state_layout,
                r->event_layout, r->refusals, r->outcomes);
    deja__print_hex_bytes(out, r->build, 16);
    deja__print(out, " %s %s made='%s' trail=%u/%" PRIu64 " ended=%u '%s' ", r->compiler,
                r->platform, r->made, r->trail_bits, r->trail_every, r->ended, r->outcome);
    deja__print(out, "chain=%016" PRIx64 " events=%016" PRIx64 " at=%" PRId64 "\n", r->chain,
                r->event_chain, r->recorded_at);
}

/* Streams as their hashes, so that a dump stays small. */
static deja_code tell_steps(deja_reader *reader, deja_buffer *out, deja_error *err)
{
    deja_steps steps;
    deja_code code;
    deja__print(out, "start %016" PRIx64 "\n", deja_reader_start_hash(reader));
    while ((code = deja_reader_next(reader, &steps, err)) == DEJA_OK && steps.count) {
        const uint64_t size = steps.command_ends[steps.count - 1];
        deja__print(out, "steps %" PRIu64 "+%u: ", steps.first, steps.count);
        deja__print_hex(out, deja__hash64(steps.commands, size), 16);
        deja_buffer_char(out, ' ');
        deja__print_hex(out, deja__hash64(steps.command_ends, 4 * (uint64_t)steps.count), 16);
        deja_buffer_char(out, ' ');
        deja__print_hex(out, deja__hash64(steps.results, 4 * (uint64_t)steps.count), 16);
        deja_buffer_char(out, ' ');
        deja__print_hex(out, deja__hash64(steps.trail, 8 * (uint64_t)steps.trail_count), 16);
        deja__print(out, " %u %016" PRIx64 " %016" PRIx64 "\n", steps.trail_count, steps.chain,
                    steps.event_chain);
    }
    return code;
}

typedef struct keys {
    int64_t keys[4096];
    uint32_t recordings[4096];
    uint32_t count;
    deja_buffer *out;
} keys;

static bool take_key(void *user, const deja_entry *entry)
{
    keys *k = user;
    if (k->count < 4096) {
        k->keys[k->count] = entry->key;
        k->recordings[k->count] = entry->recording_count;
    }
    k->count++;
    deja__print(k->out, "entry %" PRId64 " %u ", entry->key, entry->recording_count);
    tell_session(k->out, &entry->session);
    tell_recording(k->out, &entry->recording);
    return true;
}

deja_code dump_store(deja_store *store, deja_buffer *out, deja_error *err)
{
    static keys k;
    k = (keys){ .out = out };
    deja_code code = deja_store_list(store, take_key, &k, err);
    for (uint32_t i = 0; i < k.count && i < 4096 && code == DEJA_OK; i++) {
        char prefix[33];
        int64_t found = 0;
        for (uint32_t n = 0; n < k.recordings[i] && code == DEJA_OK; n++) {
            deja_reader *reader = NULL;
            code = deja_reader_open(&reader, store, k.keys[i], n, err);
            if (code < 0)
                break;
            tell_session(out, deja_reader_session(reader));
            tell_recording(out, deja_reader_recording(reader));
            code = tell_steps(reader, out, err);
            if (code == DEJA_OK)
                code = deja_reader_marks(reader, tell_mark, out, err);
            if (code == DEJA_OK)
                code = deja_reader_sections(reader, tell_section, out, err);
            for (int at = 0; at < 16; at++)
                snprintf(prefix + 2 * at, 3, "%02x", deja_reader_session(reader)->id.bytes[at]);
            deja_reader_close(reader);
        }
        if (code == DEJA_OK) {
            code = deja_store_find(store, prefix, &found, err);
            deja__print(out, "found %" PRId64 "\n", found);
        }
    }
    if (code == DEJA_OK && out->failed)
        return DEJA_ENOMEM;
    return code;
}

deja_code dump_file(const char *path, deja_buffer *out, deja_error *err)
{
    deja_store *store = NULL;
    deja_code code = deja_store_open(&store, path, DEJA_STORE_READ, err);
    if (code == DEJA_OK)
        code = dump_store(store, out, err);
    deja_store_close(store, NULL);
    return code;
}

uint64_t dump_hash(const char *path)
{
    deja_buffer out = { 0 };
    deja_error err = { 0 };
    cr_assert_eq(dump_file(path, &out, &err), DEJA_OK, "%s", err.message);
    const uint64_t hash = deja__hash64(out.bytes, out.size);
    deja_buffer_release(&out);
    return hash;
}

typedef struct counts {
    uint32_t sessions;
    uint32_t recordings;
} counts;

static bool count_entry(void *user, const deja_entry *entry)
{
    counts *c = user;
    c->sessions++;
    c->recordings += entry->recording_count;
    return true;
}

static counts count(const char *path)
{
    counts c = { 0, 0 };
    deja_error err = { 0 };
    deja_store *store = open_store(path, DEJA_STORE_READ);
    cr_assert_eq(deja_store_list(store, count_entry, &c, &err), DEJA_OK, "%s", err.message);
    close_store(store);
    return c;
}

uint32_t count_sessions(const char *path)
{
    return count(path).sessions;
}

uint32_t count_recordings(const char *path)
{
    return count(path).recordings;
}

/* ---- files, SQL, users ---- */

bool become_nobody(void)
{
    return geteuid() != 0 || seteuid(65534) == 0;
}

/* A process whose user changed may not be looked into, as leak checkers do at its end. */
void become_yourself(void)
{
    cr_assert_eq(seteuid(getuid()), 0);
    cr_assert_eq(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
}

const char *in_folder(const char *folder, const char *name)
{
    static char paths[8][160];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void sql(const char *path, const char *text, char *answer, size_t size)
{
    sqlite3 *db = NULL;
    if (answer)
        answer[0] = '\0';
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    while (*text) {
        sqlite3_stmt *statement = NULL;
        cr_assert_eq(sqlite3_prepare_v2(db, text, -1, &statement, &text), SQLITE_OK, "%s",
                     sqlite3_errmsg(db));
        int result = SQLITE_DONE;
        while (statement && (result = sqlite3_step(statement)) == SQLITE_ROW)
            if (answer && !answer[0] && sqlite3_column_text(statement, 0))
                snprintf(answer, size, "%s", (const char *)sqlite3_column_text(statement, 0));
        cr_assert_eq(result, SQLITE_DONE, "%s", sqlite3_errmsg(db));
        sqlite3_finalize(statement);
    }
    sqlite3_close(db);
}
