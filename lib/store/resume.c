/* SPDX-License-Identifier: MIT */
/*
 * A writer for a session whose first blocks are committed, as it was when it had committed them.
 */
#include "store/fold.h"

#include "store/gather.h"
#include "store/journals.h"
#include "store/reader.h"

static const deja__session_pack *find_open(const deja__catalog *catalog, int64_t number)
{
    for (uint32_t i = 0; i < catalog->counts[DEJA__SESSION_PACKS]; i++)
        if (catalog->session_packs[i]->open && catalog->session_packs[i]->number == number)
            return catalog->session_packs[i];
    return NULL;
}

/* Reads it through, for its id is made of every command. */
static deja_code pass_over(deja_writer *writer, deja_reader *reader, deja_error *err)
{
    deja_steps steps;
    for (;;) {
        const deja_code code = deja_reader_next(reader, &steps, err);
        if (code < 0 || steps.count == 0)
            return code;
        if (steps.count != DEJA__BLOCK_STEPS)
            return deja__fail(err, DEJA_EDAMAGED, "an open session has a part of a block");
        deja__identity_add(writer->identity, steps.commands, steps.command_ends, steps.count);
        writer->now.steps += steps.count;
        writer->now.chain = steps.chain;
        writer->now.event_chain = steps.event_chain;
        writer->now.parts++;
        writer->last_result = steps.results[steps.count - 1];
    }
}

static deja_code take_rows(deja_writer *writer, const deja_reader *reader, deja_error *err)
{
    const deja__catalog *catalog = writer->store->catalog;
    const deja__session_pack *session = deja__catalog_session_pack(catalog, reader->session_pack);
    const deja__recording_pack *recording =
        deja__catalog_recording_pack(catalog, reader->recording_pack);
    if (!session || !session->open || !recording)
        return deja__fail(err, DEJA_EBUSY, "somebody else goes on with it");
    writer->number = session->number;
    writer->now.session_pack = session->id;
    writer->now.recording_pack = recording->id;
    writer->now.session_check = session->check;
    writer->now.recording_check = recording->check;
    writer->now.marks = recording->marks;
    writer->now.sections = recording->sections;
    writer->session_key = session->id * DEJA__PACK_MAX;
    writer->ended = DEJA_ENDED_UNFINISHED;
    deja__identity_get(writer->identity, &writer->now.id);
    deja_buffer_clear(&writer->trail); /* step 0's hash is committed */
    return DEJA_OK;
}

/* ---- into another store ---- */

typedef struct copying {
    deja_writer *writer;
    deja_code code;
    deja_error *err;
} copying;

static bool copy_mark(void *user, uint64_t step, const char *text)
{
    copying *c = user;
    c->code = deja_writer_mark(c->writer, step, text, c->err);
    return c->code == DEJA_OK;
}

static bool copy_section(void *user, uint64_t step, const char *name, uint64_t hash)
{
    copying *c = user;
    c->code = deja_writer_section(c->writer, step, name, hash, c->err);
    return c->code == DEJA_OK;
}

static deja_code copy(deja_writer *writer, deja_reader *reader, deja_error *err)
{
    copying c = { writer, DEJA_OK, err };
    deja_steps steps;
    deja_code code = deja_reader_marks(reader, copy_mark, &c, err);
    if (code == DEJA_OK && c.code == DEJA_OK)
        code = deja_reader_sections(reader, copy_section, &c, err);
    for (;;) {
        if (code == DEJA_OK)
            code = c.code;
        if (code == DEJA_OK)
            code = deja_reader_next(reader, &steps, err);
        if (code < 0 || steps.count == 0)
            return code;
        code = deja_writer_add(writer, &steps, err);
    }
}

/* ---- both ---- */

static deja_code go_on(deja_writer *writer, deja_reader *reader, deja_store *source,
                       deja_error *err)
{
    if (writer->store == source) {
        const deja_code code = pass_over(writer, reader, err);
        return code == DEJA_OK ? take_rows(writer, reader, err) : code;
    }
    const deja_code code = copy(writer, reader, err);
    return code == DEJA_OK ? deja__side_hide(source, reader->session_pack, err) : code;
}

deja_code deja__writer_resume(deja_writer **out, deja_store *store, deja_store *source,
                              int64_t number, deja_error *err)
{
    deja_reader *reader = NULL;
    deja_writer *writer = NULL;
    *out = NULL;
    deja_code code = deja__catalog_look(source, err);
    const deja__session_pack *pack = code == DEJA_OK ? find_open(source->catalog, number) : NULL;
    if (!pack)
        return code;
    code = deja_reader_open(&reader, source, pack->id * DEJA__PACK_MAX, 0, err);
    if (code == DEJA_OK)
        code = deja_writer_open(&writer, store, &reader->session, &reader->recording,
                                reader->start_hash, 0, err);
    if (code == DEJA_OK)
        code = go_on(writer, reader, source, err);
    deja_reader_close(reader);
    if (code < 0) {
        deja__writer_destroy(writer);
        return code;
    }
    *out = writer;
    return DEJA_OK;
}
