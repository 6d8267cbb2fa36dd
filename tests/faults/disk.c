/* SPDX-License-Identifier: MIT */
/*
 * Making an image: the operations up to the cut are gone through once. Each file that was made is a
 * body with a history; which body has which name depends on the names that reached the disk.
 */
#include "faults/disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/demand.h"

enum { BODIES = 256 };

/* A file, by whatever name: what is on the disk for sure, and the operations since. */
typedef struct body {
    deja_buffer safe;
    const shim_op **since;
    uint64_t count, capacity;
} body;

/* Which body each name stands for; -1: none. */
typedef struct names {
    int of[SHIM_FILES];
} names;

typedef struct disk {
    body bodies[BODIES];
    int body_count;
    names safe;       /* in the folder for sure */
    names now;        /* as the processes saw it */
    names *since;     /* after each change that is not safe */
    uint64_t changes; /* of names since */
} disk;

uint64_t disk_draw(uint64_t *luck)
{
    uint64_t z = *luck += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- contents ---- */

static void set_size(deja_buffer *file, uint64_t size)
{
    if (size > file->size) {
        const uint64_t more = size - file->size;
        unsigned char *room = deja_buffer_extend(file, more);
        demand(room, "no memory for an image");
        memset(room, 0, more);
    }
    file->size = size;
}

static void put_bytes(deja_buffer *file, uint64_t offset, const unsigned char *bytes, uint64_t size)
{
    if (file->size < offset + size)
        set_size(file, offset + size);
    memcpy(file->bytes + offset, bytes, size);
}

static void apply_op(deja_buffer *file, const shim_op *op)
{
    if (op->kind == SHIM_WRITE)
        put_bytes(file, op->offset, op->bytes, op->size);
    else
        set_size(file, op->offset);
}

/* The sectors of a write for which `chosen` says so. */
static void apply_sectors(deja_buffer *file, const shim_op *op, uint64_t index,
                          bool (*chosen)(void *user, uint64_t sector, uint64_t index), void *user)
{
    uint64_t at = op->offset;
    while (at < op->offset + op->size) {
        const uint64_t sector = at / DISK_SECTOR;
        uint64_t end = (sector + 1) * DISK_SECTOR;
        if (end > op->offset + op->size)
            end = op->offset + op->size;
        if (chosen(user, sector, index))
            put_bytes(file, at, op->bytes + (at - op->offset), end - at);
        at = end;
    }
}

static bool by_coin(void *user, uint64_t sector, uint64_t index)
{
    (void)sector;
    (void)index;
    return disk_draw(user) & 1;
}

/* Each sector stands still at a time of its own. */
typedef struct times {
    uint64_t luck;
    uint64_t count;
} times;

static bool by_time(void *user, uint64_t sector, uint64_t index)
{
    const times *t = user;
    uint64_t luck = t->luck ^ sector * UINT64_C(0xd6e8feb86659fd93);
    return index < disk_draw(&luck) % (t->count + 1);
}

static void fill_prefix(deja_buffer *file, const body *b, uint64_t *luck)
{
    const uint64_t whole = disk_draw(luck) % (b->count + 1);
    for (uint64_t i = 0; i < whole; i++)
        apply_op(file, b->since[i]);
    if (whole < b->count && b->since[whole]->kind == SHIM_WRITE)
        apply_sectors(file, b->since[whole], whole, by_coin, luck);
}

static void fill_sectors(deja_buffer *file, const body *b, uint64_t *luck)
{
    times t = { disk_draw(luck), b->count };
    const uint64_t sized = disk_draw(luck) % (b->count + 1);
    deja_buffer whole = { 0 };
    demand(deja_buffer_add(&whole, b->safe.bytes, b->safe.size), "no memory for an image");
    uint64_t size = b->safe.size;
    for (uint64_t i = 0; i < b->count; i++) {
        apply_op(&whole, b->since[i]);
        if (i < sized)
            size = whole.size;
        if (b->since[i]->kind == SHIM_WRITE)
            apply_sectors(file, b->since[i], i, by_time, &t);
    }
    set_size(file, size);
    deja_buffer_release(&whole);
}

static void fill(deja_buffer *file, const body *b, uint32_t mode, uint64_t *luck)
{
    demand(deja_buffer_add(file, b->safe.bytes, b->safe.size), "no memory for an image");
    switch (mode) {
    case DISK_ALL:
        for (uint64_t i = 0; i < b->count; i++)
            apply_op(file, b->since[i]);
        break;
    case DISK_PREFIX:
        fill_prefix(file, b, luck);
        break;
    case DISK_SUBSET:
        for (uint64_t i = 0; i < b->count; i++)
            if (disk_draw(luck) & 1)
                apply_op(file, b->since[i]);
        break;
    case DISK_SECTORS:
        fill_sectors(file, b, luck);
        break;
    default:
        break;
    }
}

/* ---- what happened ---- */

static body *body_of(disk *d, uint32_t file)
{
    const int which = d->now.of[file];
    demand(which >= 0, "an operation on a file that is not there");
    return &d->bodies[which];
}

static void note_since(body *b, const shim_op *op)
{
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 64;
        b->since = realloc(b->since, b->capacity * sizeof(const shim_op *));
        demand(b->since, "no memory for an image");
    }
    b->since[b->count++] = op;
}

static void keep_folder(disk *d)
{
    d->safe = d->now;
    d->changes = 0;
}

static void change_name(disk *d, const shim_op *op)
{
    demand(d->body_count < BODIES, "too many files");
    d->now.of[op->file] = op->kind == SHIM_CREATE ? d->body_count++ : -1;
    d->since = realloc(d->since, (d->changes + 1) * sizeof *d->since);
    demand(d->since, "no memory for an image");
    d->since[d->changes++] = d->now;
    if (op->folder)
        keep_folder(d);
}

static void sync_file(disk *d, const shim_op *op)
{
    body *b = body_of(d, op->file);
    for (uint64_t i = 0; i < b->count; i++)
        apply_op(&b->safe, b->since[i]);
    b->count = 0;
    if (op->folder)
        keep_folder(d);
}

static void go_through(disk *d, const shim_op *ops, uint64_t cut)
{
    for (int i = 0; i < SHIM_FILES; i++)
        d->safe.of[i] = d->now.of[i] = -1;
    for (uint64_t i = 0; i < cut; i++) {
        switch (ops[i].kind) {
        case SHIM_WRITE:
        case SHIM_TRUNCATE:
            note_since(body_of(d, ops[i].file), &ops[i]);
            break;
        case SHIM_SYNC:
            sync_file(d, &ops[i]);
            break;
        case SHIM_CREATE:
        case SHIM_DELETE:
            change_name(d, &ops[i]);
            break;
        default:
            break;
        }
    }
}

void disk_make(disk_image *image, const shim_op *ops, uint64_t cut, uint32_t mode, uint64_t luck)
{
    disk *d = calloc(1, sizeof *d);
    demand(d, "no memory for an image");
    memset(image, 0, sizeof *image);
    go_through(d, ops, cut);
    uint64_t named = mode == DISK_NOTHING ? 0 : d->changes;
    if (mode > DISK_ALL)
        named = disk_draw(&luck) % (d->changes + 1);
    const names *folder = named ? &d->since[named - 1] : &d->safe;
    for (int i = 0; i < SHIM_FILES; i++) {
        image->there[i] = folder->of[i] >= 0;
        if (image->there[i])
            fill(&image->files[i], &d->bodies[folder->of[i]], mode, &luck);
    }
    for (int i = 0; i < d->body_count; i++) {
        deja_buffer_release(&d->bodies[i].safe);
        free(d->bodies[i].since);
    }
    free(d->since);
    free(d);
}

void disk_write(const disk_image *image, const char *path)
{
    char name[4096];
    snprintf(name, sizeof name, "%s-shm", path);
    unlink(name);
    for (int i = 0; i < SHIM_FILES; i++) {
        snprintf(name, sizeof name, "%s%s", path, shim_suffixes[i]);
        unlink(name);
        if (!image->there[i])
            continue;
        FILE *file = fopen(name, "wb");
        demand(file, "%s cannot be made", name);
        const size_t written =
            image->files[i].size ? fwrite(image->files[i].bytes, 1, image->files[i].size, file) : 0;
        demand(written == image->files[i].size && fclose(file) == 0, "%s: no room", name);
    }
}

void disk_release(disk_image *image)
{
    for (int i = 0; i < SHIM_FILES; i++)
        deja_buffer_release(&image->files[i]);
}
