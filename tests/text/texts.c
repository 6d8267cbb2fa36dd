/* SPDX-License-Identifier: MIT */
#include "text/texts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scratch.h"

const char *const sample_text = "deja-replay: 1\n"
                                "game: matchgame 1.0.0\n"
                                "layout: state rows:u8[..16] side:u8\n"
                                "layout: command kind(take{row:u8 n:u8})\n"
                                "layout: event kind(took{row:u8 n:u8})\n"
                                "layout: config rows:u8[..16]\n"
                                "refusals: no_such_row over\n"
                                "outcomes: first_wins second_wins\n"
                                "build: 7c1e88d0a2b4f6c81f0e9d7c5b3a2918 gcc-12.2.0\n"
                                "platform: x86_64-linux-gnu glibc-2.36 round-nearest\n"
                                "made: bot random,depth6\n"
                                "content: maps=00112233445566778899aabbccddeeff\n"
                                "config: rows=7,5,3,1\n"
                                "seed: 7\n"
                                "mark: \"before the first step\"\n"
                                "take row=0 n=3\n"
                                "section: rows 00000000000000ff\n"
                                "take row=9 n=1\n"
                                "* 55\n"
                                "section: rows 0123456789abcdef\n"
                                "see: side=1 rows[0]=4\n"
                                "mark: \"tower vanishes here\"\n"
                                "* 2\n"
                                "end: running steps=59\n"
                                "results: ok*1 no_such_row*58\n"
                                "trail: 32 20 0 9f0c61d2 5a1c22b0 00000000\n"
                                "events: 59 0c5d1e7a93b2f846\n"
                                "chain: 59 41d2a4b87e359f0c\n";

const char *const scenario_text = "deja-replay: 1\n"
                                  "game: matchgame 1.0.0\n"
                                  "layout: state rows:u8[..16] side:u8\n"
                                  "layout: command kind(take{row:u8 n:u8})\n"
                                  "layout: event kind(took{row:u8 n:u8})\n"
                                  "layout: config rows:u8[..16]\n"
                                  "refusals: no_such_row over\n"
                                  "outcomes: first_wins second_wins\n"
                                  "config: rows=3\n"
                                  "seed: 1\n"
                                  "take row=0 n=2\n"
                                  "see: rows=1\n"
                                  "take row=0 n=1\n"
                                  "end: second_wins steps=2\n";

const char *const bare_scenario_text = "deja-replay: 1\n"
                                       "game: matchgame\n"
                                       "seed: 1\n"
                                       "take row=0 n=2\n"
                                       "see: side=1\n";

/* ---- a store ---- */

void desk_open(desk *d)
{
    deja_error err = { 0 };
    scratch_open(d->folder);
    snprintf(d->path, sizeof d->path, "%s/plays.deja", d->folder);
    const deja_code code = deja_store_open(&d->store, d->path, DEJA_STORE_WRITE, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
}

void desk_close(desk *d)
{
    deja_error err = { 0 };
    const deja_code code = deja_store_close(d->store, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    scratch_close(d->folder);
}

static bool count_one(void *user, const deja_entry *entry)
{
    (void)entry;
    ++*(uint64_t *)user;
    return true;
}

uint64_t desk_sessions(desk *d)
{
    uint64_t count = 0;
    deja_error err = { 0 };
    deja_code code = deja_store_flush(d->store, &err);
    if (code == DEJA_OK)
        code = deja_store_list(d->store, count_one, &count, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    return count;
}

/* ---- texts ---- */

text text_of(const char *chars)
{
    text t = { strdup(chars), strlen(chars) };
    cr_assert_not_null(t.chars);
    return t;
}

void text_free(text *t)
{
    free(t->chars);
    t->chars = NULL;
    t->size = 0;
}

text text_with(const char *chars, const char *what, const char *by)
{
    const char *place = strstr(chars, what);
    cr_assert_not_null(place, "'%s' is not in the text", what);
    cr_assert_null(strstr(place + 1, what), "'%s' is twice in the text", what);
    const size_t before = (size_t)(place - chars);
    const size_t size = strlen(chars) - strlen(what) + strlen(by);
    text t = { malloc(size + 1), size };
    cr_assert_not_null(t.chars);
    memcpy(t.chars, chars, before);
    memcpy(t.chars + before, by, strlen(by));
    strcpy(t.chars + before + strlen(by), place + strlen(what));
    return t;
}

static bool append(void *user, const char *chars, uint64_t size)
{
    text *t = user;
    char *grown = realloc(t->chars, t->size + size + 1);
    if (!grown)
        return false;
    t->chars = grown;
    memcpy(grown + t->size, chars, size);
    t->size += size;
    grown[t->size] = 0;
    return true;
}

/* ---- in and out ---- */

deja_code take(desk *d, const char *chars, size_t size, deja_id *id, deja_error *err)
{
    bool known;
    return deja_import(d->store, "t", chars, size, NULL, id, &known, err);
}

text give(desk *d, const deja_id *id)
{
    char prefix[33];
    int64_t key = 0;
    deja_error err = { 0 };
    text t = text_of("");
    for (int i = 0; i < 16; i++)
        snprintf(prefix + 2 * i, 3, "%02x", id->bytes[i]);
    deja_code code = deja_store_flush(d->store, &err);
    if (code == DEJA_OK)
        code = deja_store_find(d->store, prefix, &key, &err);
    if (code == DEJA_OK)
        code = deja_export(d->store, key, 0, append, &t, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    return t;
}

text through(const char *chars)
{
    desk d;
    deja_id id;
    deja_error err = { 0 };
    desk_open(&d);
    const deja_code code = take(&d, chars, strlen(chars), &id, &err);
    cr_assert_eq(code, DEJA_OK, "%s", err.message);
    const text t = give(&d, &id);
    desk_close(&d);
    return t;
}

void assert_becomes(const char *chars, const char *expected)
{
    text t = through(chars);
    cr_assert_str_eq(t.chars, expected);
    text_free(&t);
}

static desk refused_desk;

void refusals_open(void)
{
    desk_open(&refused_desk);
}

void refusals_close(void)
{
    desk_close(&refused_desk);
}

void assert_text_refused(const char *chars, const char *message)
{
    deja_id id;
    deja_error err = { 0 };
    const deja_code code = take(&refused_desk, chars, strlen(chars), &id, &err);
    cr_assert_eq(code, DEJA_EFORMAT, "%s, not a refusal: %s", deja_code_name(code), message);
    const size_t size = strlen(message);
    if (size > 0 && message[size - 1] == '*')
        cr_assert_eq(strncmp(err.message, message, size - 1), 0, "%s", err.message);
    else
        cr_assert_str_eq(err.message, message);
    cr_assert_eq(err.code, DEJA_EFORMAT);
    const uint64_t sessions = desk_sessions(&refused_desk);
    cr_assert_eq(sessions, 0, "something was stored of it");
}
