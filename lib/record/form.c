/* SPDX-License-Identifier: MIT */
/*
 * See form.h. Text that fits is written unread, and keys of maps and sets are not compared; so a
 * value that has such in it is validated after it was written. What a store takes is valid.
 */
#include "record/form.h"

#include "fields/layout.h"
#include "plugin/plugin.h"

static bool shows_all(const deja__node *node)
{
    if (node->kind == DEJA_TEXT || node->shape == DEJA_MAP || node->shape == DEJA_SET)
        return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!shows_all(node->children[i]))
            return false;
    return true;
}

deja_code deja__form_open(deja__form *form, const deja_plugin *plugin, uint32_t type,
                          deja_error *err)
{
    form->layout = deja_plugin_layout(plugin, type);
    form->shows_all = shows_all(form->layout->root);
    return deja__codec_create(&form->codec, deja__plugin_type(plugin, type), form->layout, err);
}

void deja__form_close(deja__form *form)
{
    deja__codec_destroy(form->codec);
    form->codec = NULL;
}

deja_code deja__form_save(const deja__form *form, const void *value, deja_buffer *out,
                          deja_error *err)
{
    const uint64_t before = out->size;
    deja_code code = deja__codec_save(form->codec, value, out, err);
    if (code == DEJA_OK && !form->shows_all) {
        code = deja_value_validate(form->layout, out->bytes + before, out->size - before, err);
        if (code < 0)
            out->size = before;
    }
    if (code == DEJA_OK || code == DEJA_ENOMEM)
        return code;
    if (err)
        err->code = DEJA_ERULES;
    return DEJA_ERULES;
}
