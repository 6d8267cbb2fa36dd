/* SPDX-License-Identifier: MIT */
/*
 * Packs of content: what they may be, how a session names them, and which of them a session needs.
 * Normative: schemas/digests.md.
 *
 * The limits keep a session's text far below what a store holds of one (64 KiB), and what a host
 * shares with its workers within what any machine has.
 */
#include "plugin/content.h"

#include <stdlib.h>

static deja_code check_name(const deja_content *content, uint64_t place, deja_error *err)
{
    const char *name = content->packs[place].name;
    if (!name || !deja__is_name(name, strlen(name)))
        return deja__fail(err, DEJA_EMISUSE,
                          "'%.100s' is no name for content: that is a letter or _, then letters, "
                          "digits, _ and -, %d at most",
                          name ? name : "", DEJA__NAME_MAX);
    for (uint64_t i = 0; i < place; i++)
        if (strcmp(content->packs[i].name, name) == 0)
            return deja__fail(err, DEJA_EMISUSE, "content '%s' is there twice", name);
    return DEJA_OK;
}

deja_code deja__content_check(const deja_content *content, deja_error *err)
{
    uint64_t size = 0;
    if (!content || content->count == 0)
        return DEJA_OK;
    if (content->count > DEJA_CONTENT_PACKS_MAX)
        return deja__fail(err, DEJA_ELIMIT, "there are %llu packs of content; the most are %d",
                          (unsigned long long)content->count, DEJA_CONTENT_PACKS_MAX);
    if (!content->packs)
        return deja__fail(err, DEJA_EMISUSE, "the packs of content are missing");
    for (uint64_t i = 0; i < content->count; i++) {
        const deja_content_pack *pack = &content->packs[i];
        const deja_code code = check_name(content, i, err);
        if (code != DEJA_OK)
            return code;
        if (!pack->bytes && pack->size)
            return deja__fail(err, DEJA_EMISUSE, "the bytes of content '%s' are missing",
                              pack->name);
        if (pack->size > DEJA_CONTENT_SIZE_MAX - size)
            return deja__fail(err, DEJA_ELIMIT,
                              "with '%s' content is larger than %llu bytes, which is the most",
                              pack->name, (unsigned long long)DEJA_CONTENT_SIZE_MAX);
        size += pack->size;
    }
    return DEJA_OK;
}

void deja__content_print(deja_buffer *out, const char *name,
                         const unsigned char digest[DEJA__DIGEST_SIZE])
{
    deja_buffer_text(out, name);
    deja_buffer_char(out, '=');
    deja__print_hex_bytes(out, digest, DEJA__DIGEST_SIZE);
}

/* The pack that comes behind `before` in rising order of names, NULL being before the first; NULL
 * where there are no more. */
static const deja_content_pack *next_of(const deja_content *content,
                                        const deja_content_pack *before)
{
    const deja_content_pack *next = NULL;
    for (uint64_t i = 0; i < content->count; i++) {
        const deja_content_pack *pack = &content->packs[i];
        if ((!before || strcmp(pack->name, before->name) > 0) &&
            (!next || strcmp(pack->name, next->name) < 0))
            next = pack;
    }
    return next;
}

deja_content deja__content_in_order(const deja_content *content, deja_content_pack *packs)
{
    const deja_content ordered = { content->count, packs };
    const deja_content_pack *pack = next_of(content, NULL);
    for (uint64_t i = 0; pack && i < content->count; pack = next_of(content, pack))
        packs[i++] = *pack;
    return ordered;
}

deja_code deja_content_text(const deja_content *content, deja_buffer *out, deja_error *err)
{
    unsigned char digest[DEJA__DIGEST_SIZE];
    const deja_code code = deja__content_check(content, err);
    if (code != DEJA_OK || !content)
        return code;
    const uint64_t before = out->size;
    for (const deja_content_pack *pack = next_of(content, NULL); pack;
         pack = next_of(content, pack)) {
        deja__hash128(pack->bytes ? pack->bytes : "", pack->size, digest);
        if (out->size > before)
            deja_buffer_char(out, ' ');
        deja__content_print(out, pack->name, digest);
    }
    if (out->failed)
        return deja__fail_memory(err);
    return DEJA_OK;
}

/* ---- which of them a session needs ---- */

deja_code deja__catalog_open(deja__catalog *catalog, const deja_content *content, deja_error *err)
{
    memset(catalog, 0, sizeof *catalog);
    const deja_code code = deja__content_check(content, err);
    if (code != DEJA_OK || !content || content->count == 0)
        return code;
    catalog->digests = calloc((size_t)content->count, sizeof *catalog->digests);
    if (!catalog->digests)
        return deja__fail_memory(err);
    catalog->given = *content;
    for (uint64_t i = 0; i < content->count; i++) {
        const deja_content_pack *pack = &content->packs[i];
        deja__hash128(pack->bytes ? pack->bytes : "", pack->size, catalog->digests[i]);
    }
    return DEJA_OK;
}

void deja__catalog_release(deja__catalog *catalog)
{
    free(catalog->digests);
    memset(catalog, 0, sizeof *catalog);
}

/* One `name=digest` of a session's content. */
static void choose_one(const deja__catalog *catalog, const char *entry, size_t size,
                       deja_buffer *numbers, deja_buffer *why)
{
    const size_t name_size = strcspn(entry, "=");
    const deja_content *given = &catalog->given;
    unsigned char needed[DEJA__DIGEST_SIZE] = { 0 };
    uint64_t i = 0;
    if (size == name_size + 1 + 2 * DEJA__DIGEST_SIZE)
        deja__read_hex_bytes(entry + name_size + 1, DEJA__DIGEST_SIZE, needed);
    while (i < given->count && (strlen(given->packs[i].name) != name_size ||
                                memcmp(given->packs[i].name, entry, name_size) != 0))
        i++;
    if (i < given->count && memcmp(catalog->digests[i], needed, sizeof needed) == 0) {
        unsigned char number[4];
        deja__store32(number, (uint32_t)i);
        deja_buffer_add(numbers, number, sizeof number);
        return;
    }
    deja__print(why, "%sit needs content %.*s, and ", why->size ? "; " : "", (int)size, entry);
    if (i < given->count) {
        deja__content_print(why, given->packs[i].name, catalog->digests[i]);
        deja_buffer_text(why, " was given");
    } else {
        deja_buffer_text(why, "none of that name was given");
    }
}

deja_code deja__catalog_choose(const deja__catalog *catalog, const char *content,
                               deja_buffer *numbers, deja_buffer *why, deja_error *err)
{
    for (const char *entry = content; *entry;) {
        const size_t size = strcspn(entry, " ");
        choose_one(catalog, entry, size, numbers, why);
        entry += size + (entry[size] == ' ');
    }
    return numbers->failed || why->failed ? deja__fail_memory(err) : DEJA_OK;
}
