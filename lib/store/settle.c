/* SPDX-License-Identifier: MIT */
/*
 * A store that was being made when the power went: its -journal says that it is to be empty again,
 * and SQLite empties it at the first look, when what it is has been told already. So who may write
 * has that done first, and then looks at what is left.
 *
 *     THE FILE                    BESIDE IT         IT IS
 *     its first bytes are zeros   a -journal        one that was being made: emptied
 *     a store's                   any, or nothing   looked at again where the journal emptied it
 *     anything else               any, or nothing   what deja__sniff() says
 *
 * A file whose first bytes are another program's is never given to SQLite.
 */
#include "store/handle.h"

#include <unistd.h>

enum { HEADER = 100 };

/* Whether the first page never reached the disk, and a journal did. */
static bool was_being_made(const deja_store *store)
{
    unsigned char bytes[HEADER] = { 0 };
    static const unsigned char zeros[HEADER];
    deja_buffer name = { 0 };
    if (deja__sniff_bytes(store->db, bytes, HEADER) < 0 || memcmp(bytes, zeros, HEADER) != 0)
        return false;
    deja_buffer_text(&name, store->path);
    deja_buffer_text(&name, "-journal");
    const bool is = !name.failed && access((const char *)name.bytes, F_OK) == 0;
    deja_buffer_release(&name);
    return is;
}

deja_code deja__settle(deja_store *store, bool *empty, deja_error *err)
{
    deja_error why;
    deja_code code = deja__sniff(store->db, empty, &why);
    const bool cut = code == DEJA_EFORMAT && was_being_made(store);
    if (cut && store->mode == DEJA_STORE_READ)
        return deja__fail(err, DEJA_EIO,
                          "cannot be read: a write to it was cut short; open it once for writing "
                          "to clear that");
    if (code < 0 && !cut) {
        if (err)
            *err = why;
        return code;
    }
    if (*empty || store->mode == DEJA_STORE_READ)
        return DEJA_OK;
    /* The first read takes the lock, and undoes what was left half done. */
    const int result = sqlite3_exec(store->db, "PRAGMA data_version", NULL, NULL, NULL);
    if (result != SQLITE_OK)
        return deja__sql_fail(store->db, result, "cannot be read", err);
    return deja__sniff(store->db, empty, err);
}
