/* SPDX-License-Identifier: MIT */
/*
 * The examples of schemas/hashes.md, read from the page and worked out again. The numbers are what
 * stored recordings rest on: where a test fails here, the code is wrong and not the page.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "fields/layout.h"

TestSuite(hashes, .timeout = 10);

static FILE *page_open(void)
{
    FILE *page = fopen(DEJA_SOURCE_DIR "/schemas/hashes.md", "r");
    cr_assert(ne(ptr, page, NULL), "schemas/hashes.md is not there");
    return page;
}

/* The next line of the page, without what ends it. */
static bool page_line(FILE *page, char line[512])
{
    if (!fgets(line, 512, page))
        return false;
    line[strcspn(line, "\n")] = 0;
    return true;
}

/* What follows a word at the start of an example's line, or NULL. */
static char *behind(char *line, const char *word)
{
    const size_t size = strlen(word);
    if (strncmp(line, "    ", 4) != 0 || strncmp(line + 4, word, size) != 0 ||
        (line[4 + size] != ' ' && line[4 + size] != 0))
        return NULL;
    line += 4 + size;
    return line + strspn(line, " ");
}

static void to_hex(const deja_buffer *bytes, char *hex)
{
    for (uint64_t i = 0; i < bytes->size; i++)
        sprintf(hex + 2 * i, "%02x", bytes->bytes[i]);
    hex[2 * bytes->size] = 0;
}

typedef struct example {
    deja_layout *layout;
    deja_buffer bytes;
} example;

static example example_open(const char *layout, const char *value)
{
    example e = { 0 };
    deja_error err = { 0 };
    deja_code code = deja_layout_parse(&e.layout, layout, strlen(layout), &err);
    cr_assert(eq(int, code, DEJA_OK), "%s: %s", layout, err.message);
    code = deja_value_parse(e.layout, value, strlen(value), &e.bytes, &err);
    cr_assert(eq(int, code, DEJA_OK), "%s: %s", value, err.message);
    return e;
}

static void example_close(example *e)
{
    deja_layout_destroy(e->layout);
    deja_buffer_release(&e->bytes);
}

static uint64_t example_hash(const example *e)
{
    uint64_t hash = 0;
    deja_value_hash(e->layout, e->bytes.bytes, e->bytes.size, &hash, NULL);
    return hash;
}

/* Cuts a line into its columns, which two blanks part. */
static int columns_of(char *line, char *columns[3])
{
    int count = 0;
    for (char *at = line + strspn(line, " "); *at && count < 3;) {
        columns[count++] = at;
        at = strstr(at, "  ");
        if (!at)
            break;
        *at = 0;
        at += 1 + strspn(at + 1, " ");
    }
    return count;
}

Test(hashes, canonical_bytes_are_as_the_page_has_them)
{
    char line[512];
    char hex[512];
    char *columns[3];
    uint32_t seen = 0;
    FILE *page = page_open();
    while (page_line(page, line)) {
        if (strncmp(line, "    x:", 6) != 0 && strncmp(line, "    kind(", 9) != 0)
            continue;
        const int count = columns_of(line, columns);
        cr_assert(eq(int, count, 3), "%s", line);
        example e = example_open(columns[0], columns[1]);
        to_hex(&e.bytes, hex);
        cr_assert(eq(str, hex, columns[2]), "%s", columns[0]);
        example_close(&e);
        seen++;
    }
    cr_assert(eq(u32, seen, 25));
    fclose(page);
}

Test(hashes, state_hashes_are_as_the_page_has_them)
{
    char line[512];
    char layout[512] = "";
    char bytes[512] = "";
    char hashed[512] = "";
    char hex[512];
    example e = { 0 };
    uint32_t seen = 0;
    FILE *page = page_open();
    while (page_line(page, line)) {
        char *word;
        if ((word = behind(line, "layout"))) {
            strcpy(layout, word);
        } else if ((word = behind(line, "value"))) {
            e = example_open(layout, word);
        } else if ((word = behind(line, "bytes"))) {
            strcpy(bytes, word);
            strcpy(hashed, word);
        } else if ((word = behind(line, "hashed"))) {
            strcpy(hashed, word);
        } else if ((word = behind(line, "hash"))) {
            deja_buffer out = { 0 };
            to_hex(&e.bytes, hex);
            cr_assert(eq(str, hex, bytes), "%s", layout);
            deja_value_hashed_bytes(e.layout, e.bytes.bytes, e.bytes.size, &out, NULL);
            to_hex(&out, hex);
            cr_assert(eq(str, hex, hashed), "%s", layout);
            snprintf(hex, sizeof hex, "%016llx", (unsigned long long)example_hash(&e));
            cr_assert(eq(str, hex, word), "%s", layout);
            deja_buffer_release(&out);
            example_close(&e);
            e = (example){ 0 };
            seen++;
        }
    }
    cr_assert(eq(u32, seen, 8));
    fclose(page);
}

/* The rows under a line that begins with `head`: so many hex numbers. */
static void read_table(const char *head, uint64_t numbers[3][2])
{
    char line[512];
    FILE *page = page_open();
    bool found = false;
    while (!found && page_line(page, line))
        found = strncmp(line, head, strlen(head)) == 0;
    cr_assert(found, "%s", head);
    for (int i = 0; i < 3; i++) {
        unsigned long long first = 0;
        unsigned long long last = 0;
        char a[20];
        char b[20];
        char c[20];
        cr_assert(page_line(page, line));
        int step = -1;
        const int read = sscanf(line, "%d %19s %19s %19s", &step, a, b, c);
        cr_assert(eq(int, read, 4), "%s", line);
        cr_assert(eq(int, step, i));
        first = strtoull(strlen(a) == 16 ? a : b, NULL, 16);
        last = strtoull(c, NULL, 16);
        numbers[i][0] = first;
        numbers[i][1] = last;
    }
    fclose(page);
}

Test(hashes, chains_are_as_the_page_has_them)
{
    uint64_t rows[3][2];
    read_table("    step  state hash", rows);
    example first = example_open("rows:u8[..16] side:u8", "rows=7,5,3,1 side=0");
    example second = example_open("rows:u8[..16] side:u8", "rows=4,5,3,1 side=1");
    const uint64_t a = example_hash(&first);
    const uint64_t b = example_hash(&second);
    uint64_t chain = deja__chain_start(a);
    cr_assert(eq(u64, rows[0][0], a));
    cr_assert(eq(u64, rows[0][1], chain));
    chain = deja__chain_next(chain, b, 0);
    cr_assert(eq(u64, rows[1][0], b));
    cr_assert(eq(u64, rows[1][1], chain));
    chain = deja__chain_next(chain, b, 2);
    cr_assert(eq(u64, rows[2][0], b));
    cr_assert(eq(u64, rows[2][1], chain));
    example_close(&first);
    example_close(&second);
}

Test(hashes, event_chains_are_as_the_page_has_them)
{
    static const char layout[] = "kind(took{row:u8 n:u8}|turned{side:u8})";
    uint64_t rows[3][2];
    read_table("    step  events", rows);
    example took = example_open(layout, "took row=0 n=3");
    example turned = example_open(layout, "turned side=1");
    deja_buffer events = { 0 };
    deja_buffer_add(&events, "\2\0\0\0", 4);
    deja_value_hashed_bytes(took.layout, took.bytes.bytes, took.bytes.size, &events, NULL);
    deja_value_hashed_bytes(turned.layout, turned.bytes.bytes, turned.bytes.size, &events, NULL);
    const uint64_t hash = deja__hash64(events.bytes, events.size);
    const uint64_t none = deja__event_hash_none();
    uint64_t chain = deja__event_chain_start();
    cr_assert(eq(u64, rows[0][0], none));
    cr_assert(eq(u64, rows[0][1], chain));
    chain = deja__event_chain_next(chain, hash);
    cr_assert(eq(u64, rows[1][0], hash));
    cr_assert(eq(u64, rows[1][1], chain));
    chain = deja__event_chain_next(chain, none);
    cr_assert(eq(u64, rows[2][0], none));
    cr_assert(eq(u64, rows[2][1], chain));
    deja_buffer_release(&events);
    example_close(&took);
    example_close(&turned);
}
