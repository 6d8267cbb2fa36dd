/* SPDX-License-Identifier: MIT */
/*
 * What a store handle is made of, and what every file of this folder needs: its connection,
 * transactions, and errors that name the file.
 *
 * Who does what:
 *
 *     open, sniff, schema    from a path to a connection that can be trusted, or a clear refusal
 *     transaction, manifest  begin, commit, roll back; counts and sums
 *     network                whether there can be a write-ahead log where the file lies
 *     table                  rows and their checks
 *     block, column          bytes of blobs: compressed streams, columns of packs
 *     catalog, intern        what is kept in memory: every session's id, every recording
 *     part                   the streams of steps, decoded
 *     list, reader, notes    reading
 *     writer, gather, pack, long    writing: short sessions many at a time, long ones by block
 *     journals, side, fold, resume    what recorders have left beside the file
 *     inspect                deja_store_check()
 *
 * A public function calls deja__store_fail() once on its way out, so that a message says which file
 * it is about; everything below leaves the file out.
 */
#ifndef DEJA_STORE_HANDLE_H
#define DEJA_STORE_HANDLE_H

#include "store/block.h"
#include "store/table.h"

enum {
    DEJA__PAGE_SIZE = 4096,
    DEJA__PACK_MAX = 1024,     /* sessions of one pack; keys are pack * 1024 + place */
    DEJA__PARTS_MAX = 1 << 20, /* parts of one pack; keys are pack * 2^20 + part */
    DEJA__GATHER_SESSIONS = 1024,
    DEJA__STORE_VERSION = 2,
    DEJA__STORE_OLDEST = 1 /* of those that are read, and become one of this version */
};
#define DEJA__STORE_ID 0x64656a61 /* application_id: "deja" */
#define DEJA__PACK_ID_MAX ((int64_t)1 << 40)
#define DEJA__PART_KEY(pack, part) ((pack)*DEJA__PARTS_MAX + (int64_t)(part))

/* Statements of each table, and those that are about none. */
enum deja__statement { DEJA__READ, DEJA__INSERT, DEJA__DELETE, DEJA__STATEMENTS_A_TABLE };
enum deja__order {
    DEJA__BEGIN_READ,
    DEJA__BEGIN_WRITE,
    DEJA__COMMIT,
    DEJA__ROLLBACK,
    DEJA__DATA_VERSION,
    DEJA__PAGE_COUNT, /* asks for the schema, so it comes last */
    DEJA__ORDER_COUNT
};

typedef struct deja__catalog deja__catalog;
typedef struct deja__cache deja__cache;
typedef struct deja__gather deja__gather;
typedef struct deja__kept_notes deja__kept_notes;
typedef struct deja__side deja__side;

struct deja_store {
    sqlite3 *db;
    char *path;
    char *name;   /* the path, fit for a message */
    char *remark; /* what deja_store_remark() answers; NULL: the file lies on a local disk */
    uint32_t mode;
    uint32_t version;    /* of the file */
    bool ready_to_write; /* the journal mode is chosen */
    bool in_write;
    /* Called before finished sessions are committed, by who has to have something on the disk
     * first; NULL: nobody. */
    bool (*before_flush)(void *user);
    void *before_flush_user;
    sqlite3_stmt *statements[DEJA__TABLE_COUNT][DEJA__STATEMENTS_A_TABLE];
    sqlite3_stmt *orders[DEJA__ORDER_COUNT];
    deja__tally tallies[DEJA__TABLE_COUNT]; /* valid in a transaction that has read them */
    uint64_t bytes;                         /* of the file, as last asked */
    deja__packer *packer;                   /* made when first written to */
    deja__unpacker *unpacker;
    deja__catalog *catalog;
    deja__cache *cache;
    deja__kept_notes *notes;
    int64_t last_read;    /* the session that a reader was last opened for */
    deja__gather *gather; /* NULL while reading only */
    deja__side *side;     /* what is in journals; NULL: nothing, or it is written to */
    deja_store_told told; /* of journals */
};

/* Closes a handle of whose file there is another one for writing in this process: that one leaves
 * WAL mode, which takes several syncs, and brings what is in the log into the file. What is
 * gathered is dropped. NULL is fine. */
void deja__store_let_go(deja_store *store);
/* A store in memory, for writing, that is gone when it is let go.
 * @param name of the file that it stands beside, for messages */
deja_code deja__store_open_memory(deja_store **out, const char *name, deja_error *err);

/* ---- errors ---- */

/* Puts the store's name before the message; for the way out of a public function. */
deja_code deja__store_fail(const deja_store *store, deja_code code, deja_error *err);
/* What SQLite's last call on the connection was about, as a code and a message. */
deja_code deja__sql_fail(sqlite3 *db, int result, const char *doing, deja_error *err);
/* The first digits of an id, as they stand in messages. `text` has 13 bytes. */
const char *deja__id_word(const deja_id *id, char *text);

/* ---- transactions ---- */

/* Each order once; then it can be run, and answers SQLite's code. */
deja_code deja__order_prepare(deja_store *store, uint32_t order, deja_error *err);
int deja__order_run(deja_store *store, uint32_t order);
int deja__order_number(deja_store *store, uint32_t order, int64_t *number);
deja_code deja__read_begin(deja_store *store, deja_error *err);
void deja__read_end(deja_store *store);
/* Takes the one lock that writers take, chooses the journal mode at first, reads the manifest. */
deja_code deja__write_begin(deja_store *store, deja_error *err);
/* Writes the manifest and commits; on failure nothing has happened. */
deja_code deja__write_commit(deja_store *store, deja_error *err);
void deja__write_rollback(deja_store *store);

/* Reads and checks the manifest into store->tallies. */
deja_code deja__manifest_read(deja_store *store, deja_error *err);
/* Counts the rows of each table against it, and holds their keys to be rising and below `next`. */
deja_code deja__manifest_count(deja_store *store, deja_error *err);
/* Holds a table that was read through against it. */
deja_code deja__manifest_hold(const deja_store *store, uint32_t table, const deja__tally *found,
                              deja_error *err);
/* Fills in a new store's. */
deja_code deja__manifest_create(deja_store *store, deja_error *err);

/* ---- opening ---- */

/* The kind of the network file system that a path lies on; NULL: it lies on a local one. */
const char *deja__network_name(const char *path);
/* Fills in store->remark, of a store that is there and is to be written to. */
deja_code deja__network_look(deja_store *store, deja_error *err);

/* Whether this is a store at all, by its first bytes. *empty: it has none. */
deja_code deja__sniff(sqlite3 *db, bool *empty, deja_error *err);
/* The same, behind undoing what a power cut left half done where that may be. */
deja_code deja__settle(deja_store *store, bool *empty, deja_error *err);
/* Its first bytes, zeros behind its end. */
deja_code deja__sniff_bytes(sqlite3 *db, unsigned char *bytes, int size);
/* Whether all that a -journal would undo is a change of the journal mode that was cut short. */
bool deja__was_switched(const deja_store *store);
/* Whether all of the header is as this version has it, and the file as long as it says; needs a
 * read transaction. `writes`: also whether free pages may be taken. */
deja_code deja__sniff_header(sqlite3 *db, bool writes, uint32_t *version, deja_error *err);
/* Whether it was left in WAL mode. */
bool deja__sniff_is_wal(sqlite3 *db);
/* Adds what is likely to have happened to the message of a damaged file. */
deja_code deja__sniff_hint(sqlite3 *db, deja_code code, deja_error *err);

/* The statements of schemas/store.sql one after another; NULL at the end. */
const char *deja__schema_next(const char **at, uint64_t *size);
deja_code deja__schema_create(deja_store *store, deja_error *err);
deja_code deja__schema_compare(deja_store *store, deja_error *err);

#endif
