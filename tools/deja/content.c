/* SPDX-License-Identifier: MIT */
/*
 * Reading packs of content.
 *
 * What is recorded of a pack is a digest, so the bytes that were read have to stay as they are:
 * they lie in memory that nobody may write to, rules that record in this command's child included.
 * They are read once, and not mapped: a mapped file changes with the file.
 *
 * All names are looked at before any file is.
 */
#include "content.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

/* ---- names ---- */

/* Takes NAME=FILE apart. */
static int take_name(content_packs *out, const args *given, const char *text)
{
    const uint64_t place = out->content.count;
    const size_t size = strcspn(text, "=");
    deja_buffer unwanted = { 0 };
    deja_error err;
    if (text[size] == '\0' || text[size + 1] == '\0')
        return complain(STATUS_USAGE, "%s: --content: '%s' names no file: it takes NAME=FILE",
                        given->command->name, text_typed(text));
    if (place == DEJA_CONTENT_PACKS_MAX)
        return complain(STATUS_USAGE, "%s: --content: there can be %d packs at most",
                        given->command->name, DEJA_CONTENT_PACKS_MAX);
    /* A name that is too long stays too long. */
    snprintf(out->names[place], sizeof out->names[place], "%.*s", (int)(size < 64 ? size : 64),
             text);
    if (size >= sizeof out->names[place])
        return complain(STATUS_USAGE, "%s: --content: the name '%s' is longer than %zu characters",
                        given->command->name, text_typed(text), sizeof out->names[place] - 1);
    out->packs[place].name = out->names[place];
    out->content.count++;
    out->content.packs = out->packs;
    const deja_code code = deja_content_text(&out->content, &unwanted, &err);
    deja_buffer_release(&unwanted);
    if (code < 0)
        return complain(code == DEJA_EMISUSE ? STATUS_USAGE : status_of(code), "%s: --content: %s",
                        given->command->name, err.message);
    return STATUS_OK;
}

/* ---- bytes ---- */

static int fail(const char *path, int error)
{
    return complain(STATUS_TROUBLE, "%s: %s", text_typed(path), system_text(error));
}

static int fail_changed(const char *path)
{
    return complain(STATUS_TROUBLE, "%s: changed while it was read", text_typed(path));
}

/* Fills all of it, and sees to it that this was all. */
static int read_bytes(int descriptor, const char *path, unsigned char *bytes, uint64_t size)
{
    unsigned char beyond;
    for (uint64_t at = 0; at <= size;) {
        unsigned char *to = at < size ? bytes + at : &beyond;
        const ssize_t got = read(descriptor, to, at < size ? (size_t)(size - at) : 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(path, errno);
        if (got == 0)
            return at == size ? STATUS_OK : fail_changed(path);
        at += (uint64_t)got;
    }
    return fail_changed(path);
}

/* `most`: what is left of the bytes that all packs may have together. */
static int read_open(deja_content_pack *pack, int descriptor, const char *path, uint64_t most)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return fail(path, errno);
    if (S_ISDIR(about.st_mode))
        return fail(path, EISDIR);
    if (!S_ISREG(about.st_mode))
        return complain(STATUS_TROUBLE, "%s: is no regular file, and content is read from such",
                        text_typed(path));
    const uint64_t size = (uint64_t)about.st_size;
    if (size > most)
        return complain(STATUS_TROUBLE,
                        "%s: too large: content has 1 GiB at most, all packs together",
                        text_typed(path));
    if (size == 0)
        return read_bytes(descriptor, path, NULL, 0);
    void *bytes =
        mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED)
        return complain_memory();
    pack->bytes = bytes;
    pack->size = size;
    const int status = read_bytes(descriptor, path, bytes, size);
    if (status == STATUS_OK && mprotect(bytes, (size_t)size, PROT_READ) != 0)
        return fail(path, errno);
    return status;
}

static int read_file(deja_content_pack *pack, const char *path, uint64_t most)
{
    /* Not to wait for somebody who writes into a pipe. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return fail(path, errno);
    const int status = read_open(pack, descriptor, path, most);
    close(descriptor);
    return status;
}

int content_read(content_packs *out, const args *given)
{
    const char *text;
    uint64_t most = DEJA_CONTENT_SIZE_MAX;
    int status = STATUS_OK;
    for (uint32_t i = 0; (text = args_value_at(given, OPTION_CONTENT, i)) != NULL; i++) {
        status = take_name(out, given, text);
        if (status != STATUS_OK)
            return status;
    }
    for (uint32_t i = 0; i < out->content.count && status == STATUS_OK; i++) {
        text = args_value_at(given, OPTION_CONTENT, i);
        status = read_file(&out->packs[i], text + strcspn(text, "=") + 1, most);
        most -= out->packs[i].size;
    }
    return status;
}

void content_release(content_packs *packs)
{
    for (uint64_t i = 0; i < packs->content.count; i++)
        if (packs->packs[i].size)
            munmap((void *)(uintptr_t)packs->packs[i].bytes, (size_t)packs->packs[i].size);
    packs->content.count = 0;
}

/* ---- sessions ---- */

void content_note_session(content_packs *packs, const char *content)
{
    while (*content) {
        const size_t size = strcspn(content, "=");
        for (uint64_t i = 0; i < packs->content.count; i++)
            packs->used[i] = packs->used[i] || (strlen(packs->names[i]) == size &&
                                                memcmp(packs->names[i], content, size) == 0);
        content += strcspn(content, " ");
        content += *content == ' ';
    }
}

void content_tell_unused(const content_packs *packs, const args *given)
{
    for (uint64_t i = 0; i < packs->content.count; i++)
        if (!packs->used[i])
            remark("%s: --content: '%s' is of no use here: no session was recorded with it",
                   given->command->name, packs->names[i]);
}
