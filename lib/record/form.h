/* SPDX-License-Identifier: MIT */
/*
 * One of a game's types as a recorder needs it: from values in memory to canonical bytes that are
 * valid, whatever the game hands over.
 */
#ifndef DEJA_RECORD_FORM_H
#define DEJA_RECORD_FORM_H

#include <deja/plugin.h>

#include "base/base.h"
#include "fields/codec.h"

/* All zero to begin with. */
typedef struct deja__form {
    deja__codec *codec;
    const deja_layout *layout;
    bool shows_all; /* what is wrong with a value shows when it is written */
} deja__form;

/* Borrows the plugin. @param type enum deja_type_index */
deja_code deja__form_open(deja__form *form, const deja_plugin *plugin, uint32_t type,
                          deja_error *err);
void deja__form_close(deja__form *form);
/* Appends the canonical bytes of a value. DEJA_ERULES: it breaks its description; then nothing is
 * appended. */
deja_code deja__form_save(const deja__form *form, const void *value, deja_buffer *out,
                          deja_error *err);

#endif
