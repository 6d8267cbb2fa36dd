/* SPDX-License-Identifier: MIT */
/*
 * A layout in the first line, and behind it a value of it, as text and as bytes: each is refused,
 * or comes back from what is printed of it.
 */
#include <deja/layout.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static int is_same(const deja_buffer *a, const void *bytes, uint64_t size)
{
    return a->size == size && (size == 0 || memcmp(a->bytes, bytes, size) == 0);
}

/* Everything that can be done with valid bytes. */
static void use(const deja_layout *layout, const void *bytes, uint64_t size)
{
    deja_buffer text = { 0 }, json = { 0 }, hashed = { 0 }, again = { 0 };
    uint64_t hash;
    require(deja_value_print(layout, bytes, size, &text, NULL) == DEJA_OK);
    require(deja_value_parse(layout, (const char *)text.bytes, text.size, &again, NULL) == DEJA_OK);
    require(is_same(&again, bytes, size));
    require(deja_value_print_json(layout, bytes, size, &json, NULL) == DEJA_OK);
    require(deja_value_hash(layout, bytes, size, &hash, NULL) == DEJA_OK);
    require(deja_value_hashed_bytes(layout, bytes, size, &hashed, NULL) == DEJA_OK);
    deja_buffer_release(&text);
    deja_buffer_release(&json);
    deja_buffer_release(&hashed);
    deja_buffer_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *end = size ? memchr(text, '\n', size) : NULL;
    const uint64_t layout_size = end ? (uint64_t)(end - text) : size;
    const char *value = end ? end + 1 : text + size;
    const uint64_t value_size = (uint64_t)(text + size - value);
    deja_layout *layout = NULL, *same = NULL;
    deja_buffer bytes = { 0 };
    if (deja_layout_parse(&layout, text, layout_size, NULL) != DEJA_OK)
        return 0;
    const char *printed = deja_layout_text(layout);
    require(deja_layout_parse(&same, printed, strlen(printed), NULL) == DEJA_OK);
    require(strcmp(deja_layout_text(same), printed) == 0);
    deja_layout_destroy(same);

    if (deja_value_parse(layout, value, value_size, &bytes, NULL) == DEJA_OK) {
        require(deja_value_validate(layout, bytes.bytes, bytes.size, NULL) == DEJA_OK);
        use(layout, bytes.bytes, bytes.size);
    } else {
        require(bytes.size == 0);
    }
    if (deja_value_validate(layout, value, value_size, NULL) == DEJA_OK)
        use(layout, value, value_size);
    deja_buffer_release(&bytes);
    deja_layout_destroy(layout);
    return 0;
}
