/* SPDX-License-Identifier: MIT */
/*
 * Every bit of a small store, flipped: whoever reads it then must be told of damage, or get the
 * same answers as before. And every length that it can be cut to.
 *
 *     flip_bits FOLDER [STRIDE [FIRST]]
 *
 * Each STRIDEth bit from FIRST (all of them by default). Each page is the work of a child, so that
 * a crash is a finding like another. Each sixteenth time the store is also written to: what was
 * there must then still be there, or be told to be damaged.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/recipe.h"

enum { PAGE = 4096 };

/* What a child tells its parent. */
typedef struct report {
    uint64_t at; /* the bit or length that it is at */
    uint64_t tried;
    uint64_t same;
    uint64_t findings;
} report;

static char good_path[256];
static char bad_path[256];
static char write_path[256];
static unsigned char *good;
static uint64_t size;
static deja_buffer expected;
static report *told;

static void die(const char *what)
{
    fprintf(stderr, "flip_bits: %s\n", what);
    exit(2);
}

static void make(void)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    recipe recipes[] = { recipe_of(1), recipe_of(2), recipe_of(3), recipe_long(4, 16400),
                         recipe_of(5), recipe_of(6), recipe_of(7), recipe_of(3) };
    recipes[1].marks = 3;
    recipes[1].sections = 4;
    recipes[2].trail_bits = 8;
    recipes[3].sections = 4000;
    recipes[4].start = true;
    recipes[5].opaque = true;
    recipes[6].config = 1;
    recipes[7].build = 2;
    recipes[7].parts_from = 4;
    remove(good_path);
    if (deja_store_open(&store, good_path, DEJA_STORE_WRITE, &err) < 0)
        die(err.message);
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (recipe_write(store, &recipes[i], NULL, NULL, &err) < 0)
            die(err.message);
    if (deja_store_close(store, &err) < 0 || dump_file(good_path, &expected, &err) < 0)
        die(err.message);
}

static void load(void)
{
    struct stat status;
    const int fd = open(good_path, O_RDONLY);
    if (fd < 0 || fstat(fd, &status) != 0)
        die("the store is not there");
    size = (uint64_t)status.st_size;
    good = malloc((size_t)size);
    if (!good || read(fd, good, (size_t)size) != (ssize_t)size)
        die("the store cannot be read");
    close(fd);
}

static void save(const char *path, const unsigned char *bytes, uint64_t count)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, (size_t)count) != (ssize_t)count)
        die("a copy cannot be written");
    close(fd);
}

static void finding(const char *doing, uint64_t at, deja_code code, const char *message)
{
    told->findings++;
    printf("%s, byte %" PRIu64 " bit %" PRIu64 ": %s %s\n", doing, at / 8, at % 8,
           deja_code_name(code), message);
    fflush(stdout);
}

static bool may_say(deja_code code, uint64_t byte)
{
    if (code == DEJA_EDAMAGED)
        return true;
    return byte < 100 && (code == DEJA_EFORMAT || code == DEJA_EVERSION || code == DEJA_EIO);
}

static void read_it(const char *doing, uint64_t at, bool longer)
{
    deja_buffer found = { 0 };
    deja_error err = { 0 };
    const deja_code code = dump_file(longer ? write_path : bad_path, &found, &err);
    told->tried++;
    if (code == DEJA_OK && !longer) {
        told->same++;
        if (found.size != expected.size || memcmp(found.bytes, expected.bytes, found.size) != 0)
            finding(doing, at, code, "other answers");
    } else if (code == DEJA_OK) {
        /* Entries come first: those that were there, then the new one. */
        const char *sessions = "entry ";
        const char *last = (const char *)expected.bytes;
        const char *next;
        while ((next = strstr(last + 1, sessions)) != NULL)
            last = next;
        const uint64_t common = (uint64_t)(last - (const char *)expected.bytes);
        if (memcmp(found.bytes, expected.bytes, common) != 0)
            finding(doing, at, code, "other answers after writing");
    } else if (!may_say(code, at / 8)) {
        finding(doing, at, code, err.message);
    }
    deja_buffer_release(&found);
}

static void write_it(uint64_t at, const unsigned char *bytes)
{
    deja_store *store = NULL;
    deja_error err = { 0 };
    recipe r = recipe_of(100);
    save(write_path, bytes, size);
    deja_code code = deja_store_open(&store, write_path, DEJA_STORE_APPEND, &err);
    if (code == DEJA_OK) {
        code = recipe_write(store, &r, NULL, NULL, &err);
        const deja_code closed = deja_store_close(store, &err);
        code = code < 0 ? code : closed;
    }
    if (code == DEJA_OK)
        read_it("written to", at, true);
    else if (!may_say(code, at / 8))
        finding("written to", at, code, err.message);
}

static void flip_page(uint64_t page, uint64_t stride, uint64_t first)
{
    const uint64_t start = page * PAGE * 8;
    const int fd = open(bad_path, O_RDWR);
    uint64_t at = start <= first ? first : first + (start - first + stride - 1) / stride * stride;
    uint64_t count = 0;
    if (fd < 0)
        die("the copy is not there");
    for (; at < start + PAGE * 8; at += stride) {
        const unsigned char bit = (unsigned char)(1 << at % 8);
        const unsigned char flipped = good[at / 8] ^ bit;
        told->at = at;
        if (pwrite(fd, &flipped, 1, (off_t)(at / 8)) != 1)
            die("a bit cannot be flipped");
        read_it("flipped", at, false);
        if (count++ % 16 == 0) {
            good[at / 8] = flipped;
            write_it(at, good);
            good[at / 8] ^= bit;
        }
        if (pwrite(fd, &good[at / 8], 1, (off_t)(at / 8)) != 1)
            die("a bit cannot be flipped back");
    }
    close(fd);
}

static void cut_page(uint64_t page, uint64_t stride, uint64_t first)
{
    (void)first;
    const uint64_t end = page * PAGE + PAGE < size ? page * PAGE + PAGE : size;
    const uint64_t step = stride < PAGE ? stride : PAGE;
    for (uint64_t length = page * PAGE; length < end; length += step) {
        told->at = length * 8;
        if (truncate(bad_path, (off_t)length) != 0)
            die("a copy cannot be cut");
        deja_buffer found = { 0 };
        deja_error err = { 0 };
        const deja_code code = dump_file(bad_path, &found, &err);
        told->tried++;
        if (code != DEJA_EDAMAGED && !(length < 100 && code == DEJA_EFORMAT))
            finding("cut", length * 8, code, err.message);
        deja_buffer_release(&found);
        save(bad_path, good, size);
    }
}

static void in_child(void (*work)(uint64_t, uint64_t, uint64_t), uint64_t page, uint64_t stride,
                     uint64_t first)
{
    int status = 0;
    save(bad_path, good, size);
    const pid_t child = fork();
    if (child == 0) {
        work(page, stride, first);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        die("no child");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        finding("ended its process", told->at, DEJA_OK, "");
}

int main(int argc, char **argv)
{
    const uint64_t stride = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    if (argc < 2 || stride == 0)
        die("flip_bits FOLDER [STRIDE [FIRST]]");
    snprintf(good_path, sizeof good_path, "%s/good.deja", argv[1]);
    snprintf(bad_path, sizeof bad_path, "%s/bad.deja", argv[1]);
    snprintf(write_path, sizeof write_path, "%s/written.deja", argv[1]);
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        die("no memory");
    make();
    load();
    for (uint64_t page = 0; page * PAGE < size; page++) {
        in_child(flip_page, page, stride, first);
        in_child(cut_page, page, stride, first);
    }
    printf("flip_bits: %" PRIu64 " bytes, %" PRIu64 " damages tried, %" PRIu64
           " of them without consequence, %" PRIu64 " findings\n",
           size, told->tried, told->same, told->findings);
    remove(good_path);
    remove(bad_path);
    remove(write_path);
    return told->findings ? 1 : 0;
}
