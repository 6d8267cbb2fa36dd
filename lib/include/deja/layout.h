/* SPDX-License-Identifier: MIT */
/**
 * @file deja/layout.h
 * Layouts, and what can be done with a value of which only the layout and the canonical bytes are
 * known: no game is needed, and none is run.
 *
 * A layout is text such as `rows:u8[..16] side:u8` or `kind(take{row:u8 n:u8})`; schemas/layout.md
 * has its grammar, the grammar of values, and the canonical bytes of each type.
 *
 * Layouts never change once made, so threads may share one.
 */
#ifndef DEJA_LAYOUT_H
#define DEJA_LAYOUT_H

#include <deja/buffer.h>
#include <deja/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct deja_layout deja_layout;

/**
 * Reads a layout's text.
 * @param[out] out owned by the caller, release with deja_layout_destroy(); NULL on failure
 * @return DEJA_OK, DEJA_EFORMAT (the message says where), DEJA_ELIMIT, DEJA_ENOMEM
 */
DEJA_API deja_code deja_layout_parse(deja_layout **out, const char *text, uint64_t size,
                                     deja_error *err);
DEJA_API void deja_layout_destroy(deja_layout *layout);
/** Its one text, ending with NUL; borrowed until it is destroyed. */
DEJA_API const char *deja_layout_text(const deja_layout *layout);
/** The names of a layout that is a kind (of commands, of events); 0 for others. */
DEJA_API uint32_t deja_layout_kind_count(const deja_layout *layout);
/** Borrowed until it is destroyed. NULL past the end. */
DEJA_API const char *deja_layout_kind_name(const deja_layout *layout, uint32_t place);

/* ---- values ---- */

/**
 * Whether these are the canonical bytes of a value, all of them: counts in range, bools 0 or 1,
 * enumerators with names, text sound, keys rising, NaNs canonical, nothing left over.
 * @return DEJA_OK, or DEJA_EFORMAT with a message that names the field's path
 */
DEJA_API deja_code deja_value_validate(const deja_layout *layout, const void *bytes, uint64_t size,
                                       deja_error *err);

/** The state hash, worked out from bytes and layout alone. The bytes must be valid. */
DEJA_API deja_code deja_value_hash(const deja_layout *layout, const void *bytes, uint64_t size,
                                   uint64_t *hash, deja_error *err);

/** Appends the canonical bytes for hashing: sections and blocks stand as 8 bytes. */
DEJA_API deja_code deja_value_hashed_bytes(const deja_layout *layout, const void *bytes,
                                           uint64_t size, deja_buffer *out, deja_error *err);

/** Appends the value as text, as `take row=0 n=3`. The bytes must be valid. */
DEJA_API deja_code deja_value_print(const deja_layout *layout, const void *bytes, uint64_t size,
                                    deja_buffer *out, deja_error *err);

/** Appends the value as JSON: a kind as {"take":{"row":0,"n":3}}, 64-bit integers as strings. */
DEJA_API deja_code deja_value_print_json(const deja_layout *layout, const void *bytes,
                                         uint64_t size, deja_buffer *out, deja_error *err);

/**
 * Reads text as deja_value_print writes it, and appends canonical bytes. Every field must be there
 * once, in any order.
 * @return DEJA_OK, or DEJA_EFORMAT with a message that names the field and, for names, the nearest
 */
DEJA_API deja_code deja_value_parse(const deja_layout *layout, const char *text, uint64_t size,
                                    deja_buffer *out, deja_error *err);

/**
 * Reads one `name=value` (name may be a path, as players[1].banked) and appends the canonical bytes
 * of `bytes` with that one field changed: what --set does to a config.
 */
DEJA_API deja_code deja_value_set(const deja_layout *layout, const void *bytes, uint64_t size,
                                  const char *setting, uint64_t setting_size, deja_buffer *out,
                                  deja_error *err);

/** Prints the value at a path ("rows[2]", "players[1].banked") alone, as text. DEJA_ENOTFOUND if
 *  the path names nothing in this value. */
DEJA_API deja_code deja_value_at(const deja_layout *layout, const void *bytes, uint64_t size,
                                 const char *path, uint64_t path_size, deja_buffer *out,
                                 deja_error *err);

/** One field that differs. All borrowed for the call. */
typedef struct deja_difference {
    const char *path;     /**< as units[3].hp */
    const char *expected; /**< the first value as text, as different to the eye as it is; or "-" */
    const char *actual;   /**< the second */
} deja_difference;

/**
 * Compares two values of one layout and tells of each field that differs, in the layout's order.
 * @param visit called for each; a return of false ends it
 * @return DEJA_OK (also where nothing differs), DEJA_EFORMAT, DEJA_ENOMEM
 */
DEJA_API deja_code deja_value_compare(const deja_layout *layout, deja_span expected,
                                      deja_span actual,
                                      bool (*visit)(void *user, const deja_difference *difference),
                                      void *user, deja_error *err);

/* ---- one layout against another, by name ---- */

/** How values of a newer layout are seen as an older one has them. Never changes; shareable. */
typedef struct deja_match deja_match;

/**
 * Matches a type's recorded layout with the one at hand, by name, at every level. Fields that were
 * added are left out; what was removed, or retyped other than to a wider integer, is not
 * comparable: its section, or else the whole value.
 * @param[out] out owned by the caller, release with deja_match_destroy()
 */
DEJA_API deja_code deja_match_create(deja_match **out, const deja_layout *recorded,
                                     const deja_layout *present, deja_error *err);
DEJA_API void deja_match_destroy(deja_match *match);
/** Whether the two layouts are the same text. */
DEJA_API bool deja_match_is_same(const deja_match *match);
/** Whether every recorded field and name can be had from the present layout. */
DEJA_API bool deja_match_is_whole(const deja_match *match);
/** One line that says what was added, and what is gone or retyped; "" if the same. Borrowed until
 *  the match is destroyed. */
DEJA_API const char *deja_match_remark(const deja_match *match);

/**
 * Appends a present value as the recorded layout has it.
 * @return DEJA_OK; DEJA_EUNFIT where it has no such form (an added enumerator, a number too wide
 *         for the recorded width): it differs from every recorded value, and the message says why;
 *         or where a recorded field is gone or retyped
 */
DEJA_API deja_code deja_match_to_recorded(const deja_match *match, const void *bytes, uint64_t size,
                                          deja_buffer *out, deja_error *err);
/**
 * Appends a recorded value as the present layout has it: for commands and config. Added fields are
 * taken from `defaults` (a present value) where there is one, else zero.
 * @return DEJA_OK; DEJA_EUNFIT, naming what has no counterpart
 */
DEJA_API deja_code deja_match_to_present(const deja_match *match, const void *bytes, uint64_t size,
                                         deja_span defaults, deja_buffer *out, deja_error *err);

/**
 * What a recorded and a present value have in common, where the match is not whole: the recorded
 * layout without the fields that are gone or retyped. A name of an enumeration or a kind that is
 * gone stays: a value that has it differs from every present one. The same as the recorded layout
 * where the match is whole.
 * @return borrowed until the match is destroyed; NULL where nothing is left to compare
 */
DEJA_API const deja_layout *deja_match_common(const deja_match *match);
/**
 * Appends a recorded (`of_recorded`) or a present value as the common layout has it, so that the
 * two can be compared field by field. That not all was compared must be said.
 * @return DEJA_OK; DEJA_EUNFIT where a present value has no such form (see to_recorded): it
 *         differs; or where nothing is left to compare
 */
DEJA_API deja_code deja_match_to_common(const deja_match *match, bool of_recorded,
                                        const void *bytes, uint64_t size, deja_buffer *out,
                                        deja_error *err);

#ifdef __cplusplus
}
#endif

#endif
