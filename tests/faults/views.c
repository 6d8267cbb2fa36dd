/* SPDX-License-Identifier: MIT */
/*
 * A view of a file holds its pages; one that is as it was in the view before is held once.
 */
#include "faults/views.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/disk.h"
#include "support/demand.h"

enum { PAGE = 4096, FILES = 16, NAME = 64 };

typedef struct look {
    uint32_t view;
    bool there;
    bool synced, named; /* the file was, and its folder */
    uint64_t size;
    unsigned char **pages;
} look;

typedef struct file {
    char name[NAME]; /* behind the store's */
    ino_t inode;
    look *looks;
    uint32_t count;
} file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder_path[256], store_name[64];
static file files[FILES];
static uint32_t file_count, view_count;

/* ---- looking ---- */

static bool is_journal(const char *name, const char *store)
{
    static const char END[] = ".journal";
    const size_t size = strlen(name), before = strlen(store);
    return size > before + sizeof END && strncmp(name, store, before) == 0 && name[before] == '-' &&
           strcmp(name + size - (sizeof END - 1), END) == 0;
}

static file *file_of(const char *name)
{
    for (uint32_t i = 0; i < file_count; i++)
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    demand(file_count < FILES && strlen(name) < NAME, "too many journals");
    strcpy(files[file_count].name, name);
    return &files[file_count++];
}

static look *next_look(file *f)
{
    f->looks = realloc(f->looks, (f->count + 1) * sizeof *f->looks);
    demand(f->looks, "no memory for a view");
    look *l = &f->looks[f->count++];
    *l = (look){ .view = view_count };
    return l;
}

static void look_at(file *f, const char *path)
{
    static unsigned char page[PAGE];
    struct stat status;
    FILE *source = fopen(path, "rb");
    if (!source)
        return;
    look *l = next_look(f);
    const look *before = f->count > 1 ? l - 1 : NULL;
    demand(fstat(fileno(source), &status) == 0, "%s", path);
    f->inode = status.st_ino;
    l->there = true;
    const uint64_t count = ((uint64_t)status.st_size + PAGE - 1) / PAGE;
    l->pages = calloc(count + 1, sizeof *l->pages);
    for (uint64_t i = 0; i < count; i++) {
        const size_t size = fread(page, 1, PAGE, source);
        if (size == 0)
            break;
        memset(page + size, 0, PAGE - size);
        l->size += size;
        if (before && i * PAGE < before->size && memcmp(before->pages[i], page, PAGE) == 0) {
            l->pages[i] = before->pages[i];
            continue;
        }
        l->pages[i] = malloc(PAGE);
        demand(l->pages[i], "no memory for a view");
        memcpy(l->pages[i], page, PAGE);
    }
    fclose(source);
}

static void look_at_all(void)
{
    char path[512];
    view_count++;
    DIR *folder = opendir(folder_path);
    demand(folder, "%s", folder_path);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (is_journal(entry->d_name, store_name)) {
            snprintf(path, sizeof path, "%s/%s", folder_path, entry->d_name);
            look_at(file_of(entry->d_name + strlen(store_name)), path);
        }
    closedir(folder);
    /* What is not there any more. */
    for (uint32_t i = 0; i < file_count; i++) {
        const look *last = files[i].count ? &files[i].looks[files[i].count - 1] : NULL;
        if (last && last->there && last->view != view_count)
            next_look(&files[i]);
    }
}

void views_watch(const char *store)
{
    const char *slash = strrchr(store, '/');
    snprintf(folder_path, sizeof folder_path, "%.*s", (int)(slash - store), store);
    snprintf(store_name, sizeof store_name, "%s", slash + 1);
}

uint32_t views_take(void)
{
    pthread_mutex_lock(&lock);
    look_at_all();
    const uint32_t view = view_count;
    pthread_mutex_unlock(&lock);
    return view;
}

uint32_t views_files(void)
{
    return file_count;
}

/* ---- what is synced ---- */

int fsync(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return -1;
    if (!*store_name)
        return 0;
    pthread_mutex_lock(&lock);
    look_at_all();
    for (uint32_t i = 0; i < file_count; i++) {
        if (S_ISDIR(status.st_mode))
            files[i].looks[files[i].count - 1].named = true;
        else if (files[i].inode == status.st_ino)
            files[i].looks[files[i].count - 1].synced = true;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

int fdatasync(int descriptor)
{
    return fsync(descriptor);
}

/* ---- images ---- */

static const look *draw_look(const file *f, uint32_t first, uint32_t last, bool rarely,
                             uint64_t *luck)
{
    uint32_t at = last;
    if (!rarely || disk_draw(luck) % 16 == 0)
        at = first + (uint32_t)(disk_draw(luck) % (last - first + 1));
    while (at > first && !f->looks[at].there)
        at--;
    return &f->looks[at];
}

static void write_image(const file *f, uint32_t last, uint64_t luck, const char *path)
{
    static const unsigned char zeros[PAGE];
    uint32_t first = last;
    while (luck && first > 0 && !f->looks[first].synced)
        first--;
    const bool rarely = disk_draw(&luck) & 1;
    const look *sized = draw_look(f, first, last, rarely, &luck);
    FILE *target = fopen(path, "wb");
    demand(target, "%s", path);
    for (uint64_t at = 0; at < sized->size; at += PAGE) {
        const look *l = draw_look(f, first, last, rarely, &luck);
        const uint64_t size = sized->size - at < PAGE ? sized->size - at : PAGE;
        const unsigned char *page = l->there && at < l->size ? l->pages[at / PAGE] : zeros;
        demand(fwrite(page, 1, size, target) == size, "%s: no room", path);
    }
    demand(fclose(target) == 0, "%s: no room", path);
}

static void remove_all(const char *store)
{
    char path[512];
    const char *name = strrchr(store, '/') + 1;
    DIR *folder = opendir(folder_path);
    demand(folder, "%s", folder_path);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (is_journal(entry->d_name, name)) {
            snprintf(path, sizeof path, "%s/%s", folder_path, entry->d_name);
            unlink(path);
        }
    closedir(folder);
}

/* How many looks there were up to a view. */
static uint32_t looks_until(const file *f, uint32_t view)
{
    uint32_t count = 0;
    while (count < f->count && f->looks[count].view <= view)
        count++;
    return count;
}

/* Whether a file has its name: as at the cut, or at some time since the folder was synced. */
static bool has_name(const file *f, uint32_t view, uint32_t named, uint64_t *luck)
{
    uint32_t at = looks_until(f, view);
    const uint32_t safe = looks_until(f, named);
    const bool now = f->looks[at - 1].there;
    if (*luck == 0 || disk_draw(luck) % 4 != 0)
        return now;
    while (at > 0) {
        const look *l = &f->looks[--at];
        if (l->there != now)
            return !now;
        if (l->named || at + 1 == safe)
            return now;
    }
    return false; /* it never had one for sure */
}

void views_write(uint32_t view, uint32_t named, uint64_t luck, const char *store)
{
    char path[512];
    remove_all(store);
    for (uint32_t i = 0; i < file_count; i++) {
        const file *f = &files[i];
        const uint32_t seen = looks_until(f, view);
        if (seen == 0 || !has_name(f, view, named, &luck))
            continue;
        snprintf(path, sizeof path, "%.400s%.63s", store, f->name);
        write_image(f, seen - 1, luck, path);
    }
}
