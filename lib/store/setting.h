/* SPDX-License-Identifier: MIT */
/*
 * What many sessions have in common: game, content, layouts, build, platform, who played, how the
 * trail is kept. Writers of equal settings share one, so that checking it and parsing its layouts
 * is done once, and sessions of one setting can share a pack.
 */
#ifndef DEJA_STORE_SETTING_H
#define DEJA_STORE_SETTING_H

#include "store/catalog.h"

/* After the columns of table layouts. */
enum deja__setting_text {
    DEJA__CONTENT = DEJA__LAYOUT_TEXTS,
    DEJA__COMPILER,
    DEJA__PLATFORM,
    DEJA__MADE,
    DEJA__SETTING_TEXTS
};

typedef struct deja__setting {
    uint32_t holders;
    char *texts[DEJA__SETTING_TEXTS];
    unsigned char build[16];
    uint32_t trail_bits;
    uint64_t trail_every;
    uint32_t refusal_count;
    deja_layout *command; /* NULL: any bytes */
    deja_layout *config;
} deja__setting;

/* The last ones that were used. All zero is empty. */
enum { DEJA__SETTINGS_KEPT = 8 };
typedef struct deja__settings {
    deja__setting *kept[DEJA__SETTINGS_KEPT];
    uint32_t next;
} deja__settings;

/* Checks what is given and hands out a setting; held: release it. DEJA_EMISUSE, DEJA_EFORMAT. */
deja_code deja__setting_get(deja__settings *settings, const deja_session *session,
                            const deja_recording *recording, deja__setting **out, deja_error *err);
void deja__setting_release(deja__setting *setting); /* NULL is fine */
void deja__settings_release(deja__settings *settings);

/* Its rows; in a write transaction. */
typedef struct deja__setting_ids {
    int64_t layouts;
    int64_t content;
    int64_t build;
    int64_t platform;
    int64_t made;
} deja__setting_ids;
deja_code deja__setting_intern(deja_store *store, const deja__setting *setting,
                               deja__setting_ids *ids, deja_error *err);

#endif
