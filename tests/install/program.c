/* SPDX-License-Identifier: MIT */
/*
 * A program that somebody writes with the installed library: counts the sessions of a store.
 */
#include <deja/deja.h>
#include <stdio.h>

static bool count(void *user, const deja_entry *entry)
{
    (void)entry;
    ++*(unsigned *)user;
    return true;
}

int main(int argc, char **argv)
{
    deja_store *store = NULL;
    deja_error err;
    unsigned sessions = 0;
    deja_code code = deja_store_open(&store, argc > 1 ? argv[1] : "", DEJA_STORE_READ, &err);
    if (code == DEJA_OK)
        code = deja_store_list(store, count, &sessions, &err);
    deja_store_close(store, NULL);
    if (code < 0)
        fprintf(stderr, "%s\n", err.message);
    else
        printf("%u sessions\n", sessions);
    return code < 0;
}
