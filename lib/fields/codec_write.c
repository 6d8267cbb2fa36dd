/* SPDX-License-Identifier: MIT */
/*
 * Writing: a value's canonical bytes, for saving or for hashing.
 *
 * The description stores what fits into the window by itself. Each call that does not fit comes
 * here, as does each kind of field that has no inline way; whatever is in the window by then came
 * before it. Two things can happen to a full window: it is drained, level by level, into where
 * each level goes; or, when all is over and it never was, it is hashed as it lies. The second is
 * how small states are hashed: one XXH3 over the window, no state touched.
 *
 *     window   | value so far | section open in it | section in that |  room  |
 *              levels[0].start  levels[1].start      levels[2].start   f.at     f.end
 *
 * A section that is closed takes its bytes back out of the window and puts its hash there, so a
 * state of many small sections is hashed within the window, too. Arrays that do not fit are
 * hashed where they lie in memory, if they lie there as they are written.
 *
 * When saving, the window lies in the buffer's own memory, behind what is in it, so that a small
 * value is written where it stays:
 *
 *     buffer   | size bytes, saved before | window                 |
 *                                         base       f.at          f.end
 *
 * A value that always has one size is held to it: calls that a description makes for some values
 * only would else show as other bytes, and as a wrong place for every field behind them.
 *
 * Left to the validator of bytes: whether the keys of a map rise, whether text that fitted is
 * UTF-8, and whether the calls were those that were learnt where the size varies.
 */
#include "fields/codec_inline.h"

enum { CHUNK_SIZE = 512, BLOCK_SIZE = 64, COPY_MAX = 256 };

/* ---- where bytes go ---- */

static void note(deja__writer *w, const deja_field *field, uint32_t what, uint64_t number,
                 uint64_t limit)
{
    const uint64_t offset = w->drained + (uint64_t)(w->f.at - w->base);
    deja__breach_note(&w->breach,
                      (deja__breach){ what, field ? field->name : NULL, offset, number, limit });
}

/* Hands bytes of one level on. */
static void sink(deja__writer *w, uint32_t number, const void *bytes, uint64_t size)
{
    deja__level *level = &w->levels[number];
    if (size == 0)
        return;
    if (number == 0 && w->out) {
        deja_buffer_add(w->out, bytes, size);
        return;
    }
    if (!level->state)
        level->state = XXH3_createState();
    if (!level->state) {
        note(w, NULL, DEJA__BREACH_MEMORY, 0, 0);
        return;
    }
    if (!level->streaming)
        XXH3_64bits_reset(level->state);
    level->streaming = true;
    XXH3_64bits_update(level->state, bytes, (size_t)size);
}

/* Lends the window: in the buffer, or where that has no memory, or bytes are hashed, our own. */
static void lend(deja__writer *w)
{
    deja_buffer *out = w->whole ? w->out : NULL;
    w->base = w->window;
    if (out && deja_buffer_reserve(out, w->window_size))
        w->base = out->bytes + out->size;
    w->f.at = w->base;
    w->f.end = w->base + w->window_size;
}

/* What lies in the window is the buffer's from now on, if it lies there. */
static void keep(deja__writer *w)
{
    const uint64_t size = (uint64_t)(w->f.at - w->base);
    w->drained += size;
    if (w->base == w->window)
        return;
    w->out->size += size;
    w->out->bytes[w->out->size] = 0;
}

/* Empties the window. */
static void drain(deja__writer *w)
{
    if (w->whole) {
        keep(w);
        lend(w);
        return;
    }
    for (uint32_t i = 0; i <= w->level; i++) {
        const unsigned char *end = i < w->level ? w->levels[i + 1].start : w->f.at;
        sink(w, i, w->levels[i].start, (uint64_t)(end - w->levels[i].start));
    }
    w->drained += (uint64_t)(w->f.at - w->base);
    for (uint32_t i = 0; i <= w->level; i++)
        w->levels[i].start = w->base;
    w->f.at = w->base;
}

static void put(deja__writer *w, const void *bytes, uint64_t size)
{
    if (size == 0)
        return;
    if ((uint64_t)(w->f.end - w->f.at) < size) {
        drain(w);
        if (size > COPY_MAX || (uint64_t)(w->f.end - w->f.at) < size) {
            sink(w, w->level, bytes, size);
            w->drained += size;
            if (w->whole)
                lend(w);
            return;
        }
    }
    memcpy(w->f.at, bytes, (size_t)size);
    w->f.at += size;
}

static void put8(deja__writer *w, uint32_t number)
{
    const unsigned char byte = (unsigned char)number;
    put(w, &byte, 1);
}

static void put16(deja__writer *w, uint32_t number)
{
    unsigned char bytes[2];
    deja__store16(bytes, (uint16_t)number);
    put(w, bytes, sizeof bytes);
}

static void put32(deja__writer *w, uint32_t number)
{
    unsigned char bytes[4];
    deja__store32(bytes, number);
    put(w, bytes, sizeof bytes);
}

static void put64(deja__writer *w, uint64_t number)
{
    unsigned char bytes[8];
    deja__store64(bytes, number);
    put(w, bytes, sizeof bytes);
}

/* The count of a list, or 0 where it is more than the list can have. */
static uint32_t put_count(deja__writer *w, const deja_field *field)
{
    uint32_t count = *field->list_count;
    if (count > field->count) {
        note(w, field, DEJA__BREACH_COUNT, count, field->count);
        count = 0;
    }
    put32(w, count);
    return count;
}

/* ---- scalars ---- */

static deja__scalar scalar_of(const deja_field *field)
{
    return (deja__scalar){ field->kind, field->value_size, field->name_count };
}

/* Converts some values; what one cannot be is a breach, at that value. */
static void convert(deja__writer *w, const deja_field *field, const unsigned char *values,
                    uint64_t count, unsigned char *target)
{
    const deja__scalar scalar = scalar_of(field);
    const uint64_t sound = deja__scalars_write(&scalar, values, count, target);
    if (sound == count)
        return;
    const uint64_t offset = w->drained + (uint64_t)(w->f.at - w->base);
    deja__breach_note(&w->breach,
                      deja__breach_of_scalar(
                          &scalar, field->name, offset + sound * deja__scalar_size(field->kind),
                          deja__small_read(values + sound * field->value_size, field->value_size)));
}

static void write_scalars(deja__writer *w, const deja_field *field, uint64_t count)
{
    const deja__scalar scalar = scalar_of(field);
    const uint32_t size = deja__scalar_size(field->kind);
    const unsigned char *values = field->value;
    unsigned char chunk[CHUNK_SIZE];

    if (deja__scalars_are_canonical(&scalar, values, count)) {
        put(w, values, count * field->value_size);
        return;
    }
    while (count > 0) {
        const uint64_t now = count < CHUNK_SIZE / size ? count : CHUNK_SIZE / size;
        convert(w, field, values, now, chunk);
        put(w, chunk, now * size);
        values += now * field->value_size;
        count -= now;
    }
}

/* The sum of the blocks' hashes, over what the array's canonical bytes would be. */
static uint64_t hash_blocks(deja__writer *w, const deja_field *field)
{
    const deja__scalar scalar = scalar_of(field);
    const uint32_t size = deja__scalar_size(field->kind);
    const unsigned char *values = field->value;
    unsigned char block[BLOCK_SIZE];
    uint64_t sum = 0;

    if (deja__scalars_are_canonical(&scalar, values, field->count))
        return deja__hash_blocks(values, field->count * size);
    for (uint64_t at = 0, i = 0; at < field->count; at += BLOCK_SIZE / size, i++) {
        const uint64_t left = field->count - at;
        const uint64_t now = left < BLOCK_SIZE / size ? left : BLOCK_SIZE / size;
        convert(w, field, values + at * size, now, block);
        sum += XXH3_64bits_withSeed(block, (size_t)(now * size), i);
    }
    return sum;
}

static void write_shaped(deja__writer *w, const deja_field *field)
{
    if (field->shape == DEJA_LIST)
        write_scalars(w, field, put_count(w, field));
    else if (field->shape == DEJA_BLOCKS && !w->whole)
        put64(w, hash_blocks(w, field));
    else
        write_scalars(w, field, field->count);
}

/* ---- the rest ---- */

static uint32_t write_text(deja__writer *w, const deja_field *field)
{
    const char *chars = field->value;
    uint64_t size = 0;
    if (field->shape == DEJA_LIST) {
        size = *field->list_count;
        if (size > field->count) {
            note(w, field, DEJA__BREACH_TEXT_SIZE, size, field->count);
            size = 0;
        }
    } else {
        const char *nul = memchr(chars, 0, (size_t)field->count);
        if (!nul)
            note(w, field, DEJA__BREACH_NO_END, 0, field->count);
        else
            size = (uint64_t)(nul - chars);
    }
    if (size != 0 && !deja__is_utf8(chars, size)) {
        note(w, field, DEJA__BREACH_UTF8, 0, 0);
        size = 0;
    }
    put32(w, (uint32_t)size);
    put(w, chars, size);
    return (uint32_t)size;
}

/* A presence byte. */
static uint32_t write_optional(deja__writer *w, const deja_field *field)
{
    uint32_t present = *(const unsigned char *)field->value;
    if (present > 1) {
        note(w, field, DEJA__BREACH_BOOL, present, 0);
        present = 0;
    }
    put8(w, present);
    return present;
}

/* A tag. One that has no name is answered with the first alternative: authors are promised a
 * place in their names. */
static uint32_t write_kind(deja__writer *w, const deja_field *field)
{
    uint32_t place = deja__small_read(field->value, field->value_size);
    if (place >= field->name_count) {
        note(w, field, DEJA__BREACH_NAME, place, field->name_count);
        place = 0;
    }
    put16(w, place);
    return place;
}

static uint32_t open_struct(deja__writer *w, const deja_field *field)
{
    return field->shape == DEJA_LIST ? put_count(w, field) : (uint32_t)field->count;
}

static uint32_t open_section(deja__writer *w, const deja_field *field)
{
    if (w->whole)
        return 1;
    if (w->level == DEJA__DEPTH_MAX) {
        note(w, field, DEJA__BREACH_UNKNOWN, field->kind, 0);
        return 1;
    }
    w->level++;
    w->levels[w->level].start = w->f.at;
    w->levels[w->level].streaming = false;
    return 1;
}

/* What a level's bytes hash to; they are no longer in the window afterwards. */
static uint64_t take_hash(deja__writer *w)
{
    deja__level *level = &w->levels[w->level];
    const uint64_t size = (uint64_t)(w->f.at - level->start);
    w->f.at = level->start;
    if (!level->streaming)
        return XXH3_64bits(level->start, (size_t)size);
    XXH3_64bits_update(level->state, level->start, (size_t)size);
    return XXH3_64bits_digest(level->state);
}

static void close_section(deja__writer *w)
{
    if (w->whole || w->level == 0)
        return;
    const uint64_t hash = take_hash(w);
    w->level--;
    put64(w, hash);
}

static uint32_t visit_writing(deja_fields *f, const deja_field *field)
{
    deja__writer *w = (deja__writer *)(void *)f;
    switch (field->kind) {
    case DEJA_TEXT:
        return write_text(w, field);
    case DEJA_BYTES:
        put(w, field->value, field->count);
        return 0;
    case DEJA_OPTIONAL:
        return write_optional(w, field);
    case DEJA_KIND:
        return write_kind(w, field);
    case DEJA_STRUCT:
        return open_struct(w, field);
    case DEJA_ITEMS:
        return put_count(w, field);
    case DEJA_SECTION:
        return open_section(w, field);
    case DEJA_CLOSE:
        if (field->count == DEJA_SECTION)
            close_section(w);
        return 0;
    case DEJA_DERIVED:
        return 0;
    default:
        if (deja__scalar_size(field->kind) == 0)
            note(w, field, DEJA__BREACH_UNKNOWN, field->kind, 0);
        else
            write_shaped(w, field);
        return 0;
    }
}

/* ---- the writer ---- */

bool deja__writer_init(deja__writer *writer)
{
    memset(writer, 0, offsetof(deja__writer, window));
    writer->f.visit = visit_writing;
    writer->f.doing = DEJA_WRITING;
    writer->f.abi_minor = DEJA_ABI_MINOR;
    writer->window_size = DEJA__WINDOW_SIZE;
    writer->levels[0].state = XXH3_createState();
    return writer->levels[0].state != NULL;
}

void deja__writer_release(deja__writer *writer)
{
    for (uint32_t i = 0; i <= DEJA__DEPTH_MAX; i++)
        XXH3_freeState(writer->levels[i].state);
}

/* Has the value described; what it wrote last is still in the window. */
static void write_value(deja__codec *codec, const void *value, deja_buffer *out, bool whole)
{
    deja__writer *w = &codec->writer;
    w->out = out;
    w->whole = whole;
    w->level = 0;
    w->drained = 0;
    w->breach.what = DEJA__BREACH_NONE;
    lend(w);
    w->levels[0].start = w->base;
    w->levels[0].streaming = false;
    codec->type.fields(&w->f, value);
    if (w->level != 0)
        note(w, NULL, DEJA__BREACH_UNKNOWN, DEJA_SECTION, 0);
    const uint64_t size = w->drained + (uint64_t)(w->f.at - w->base);
    const deja__node *root = codec->layout->root;
    if (root->fixed && (whole || root->plain) && size != root->size_min)
        deja__breach_note(&w->breach, (deja__breach){ DEJA__BREACH_CALLS, NULL, UINT64_MAX, size,
                                                      root->size_min });
}

/* Names what was wrong with a value. Its path is found by saving it as far as it goes, whatever it
 * was written for. */
static deja_code report(deja__codec *codec, const void *value, deja_error *err)
{
    const deja_code code =
        codec->writer.breach.what == DEJA__BREACH_MEMORY ? DEJA_ENOMEM : DEJA_ERULES;
    const deja__breach first = codec->writer.breach;
    deja_buffer saved = { 0 };
    write_value(codec, value, &saved, true);
    keep(&codec->writer);
    const deja__breach *breach = codec->writer.breach.what ? &codec->writer.breach : &first;
    const bool same = breach->what == first.what && !saved.failed;
    deja__breach_report(same ? breach : &first, codec->layout,
                        (deja_span){ same ? saved.bytes : NULL, saved.size }, code, err);
    deja_buffer_release(&saved);
    return code;
}

static deja_code save(deja__codec *codec, const void *value, deja_buffer *out, bool whole,
                      deja_error *err)
{
    const uint64_t before = out->size;
    write_value(codec, value, out, whole);
    if (whole)
        keep(&codec->writer);
    else
        drain(&codec->writer);
    if (codec->writer.breach.what != DEJA__BREACH_NONE) {
        if (out->size > before) {
            out->size = before;
            out->bytes[before] = 0;
        }
        return report(codec, value, err);
    }
    return out->failed ? deja__fail_memory(err) : DEJA_OK;
}

deja_code deja__codec_save(deja__codec *codec, const void *value, deja_buffer *out, deja_error *err)
{
    return save(codec, value, out, true, err);
}

deja_code deja__codec_save_hashed(deja__codec *codec, const void *value, deja_buffer *out,
                                  deja_error *err)
{
    return save(codec, value, out, false, err);
}

uint32_t deja__visit_attempt(deja_fields *f, const deja_field *field)
{
    (void)field;
    ((deja__attempt *)(void *)f)->asked = true;
    return 0;
}

deja_code deja__codec_hash(deja__codec *codec, const void *value, uint64_t *hash, deja_error *err)
{
    if (DEJA__LIKELY(deja__codec_hash_attempt(codec, value, hash)))
        return DEJA_OK;
    write_value(codec, value, NULL, false);
    *hash = take_hash(&codec->writer);
    if (DEJA__LIKELY(codec->writer.breach.what == DEJA__BREACH_NONE))
        return DEJA_OK;
    return report(codec, value, err);
}

void deja__codec_set_window(deja__codec *codec, uint64_t size)
{
    codec->writer.window_size = size < DEJA__WINDOW_SIZE ? size : DEJA__WINDOW_SIZE;
}
