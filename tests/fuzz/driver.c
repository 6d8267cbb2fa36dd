/* SPDX-License-Identifier: MIT
 *
 * Runs a fuzz target over the files that are named, once each, so that the corpus is part of every
 * test run and needs no fuzzer. The bytes lie in a block of exactly their size: a sanitizer sees
 * one read too many.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    long size = -1;
    int result = -1;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 ||
        fseek(file, 0, SEEK_SET) != 0)
        goto done;
    data = malloc((size_t)size + (size == 0));
    if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size)
        goto done;
    LLVMFuzzerTestOneInput(data, (size_t)size);
    result = 0;
done:
    free(data);
    if (file != NULL)
        fclose(file);
    return result;
}

int main(int argc, char **argv)
{
    int failed = 0;

    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        if (run_file(argv[i]) != 0) {
            fprintf(stderr, "%s: cannot read '%s'\n", argv[0], argv[i]);
            failed++;
        }
    }
    printf("%s: %d passed, %d failed\n", argv[0], argc - failed, failed);
    return failed != 0;
}
