/* SPDX-License-Identifier: MIT */
/*
 * Importing a replay text, whatever it is: it is refused with a message, or what export writes of
 * it reads back as the same session and the same text.
 */
#include <string.h>

#include "fuzz/fuzz_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A few bytes may stand for 2^27 steps; nobody waits for these here. */
static int is_quick(const char *text, size_t size)
{
    size_t digits = 0;
    for (size_t i = 0; i < size; i++) {
        const int repeat = i == 0 || text[i - 1] == '\n' || text[i - 1] == ' ';
        if (text[i] == '*' && repeat)
            digits = 1;
        else if (digits && text[i] >= '0' && text[i] <= '9' && ++digits > 5)
            return 0;
        else if (text[i] == '\n')
            digits = 0;
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const deja_text_rules rules = {
        .game = "matchgame",
        .version = "1.0.0",
        .layouts = { "rows:u8[..16] side:u8", "kind(take{row:u8 n:u8})", "kind(took{row:u8 n:u8})",
                     "rows:u8[..16]" },
        .refusals = "no_such_row over",
        .outcomes = "first_wins second_wins",
        .config_default = { "\4\0\0\0\7\5\3\1", 8 },
    };
    const char *text = (const char *)data;
    deja_buffer first = { 0 }, second = { 0 };
    deja_id id, again;
    deja_error err = { 0 };
    deja_store *store = fuzz_store_open();
    if (!is_quick(text, size))
        return 0;
    const deja_text_rules *with = size % 2 ? &rules : NULL;
    if (deja_import(store, "t", text, size, with, &id, NULL, &err) != DEJA_OK) {
        if (err.message[0] == 0)
            abort();
        return 0;
    }
    fuzz_export(&id, &first);
    if (deja_import(store, "t", (const char *)first.bytes, first.size, NULL, &again, NULL, &err) !=
        DEJA_OK)
        abort();
    fuzz_export(&again, &second);
    if (memcmp(&id, &again, sizeof id) != 0 || first.size != second.size ||
        memcmp(first.bytes, second.bytes, first.size) != 0)
        abort();
    deja_buffer_release(&first);
    deja_buffer_release(&second);
    return 0;
}
