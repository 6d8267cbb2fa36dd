/* SPDX-License-Identifier: MIT */
/*
 * Whether the build at hand is the one that recorded, for who will not have recordings of others
 * compared: every difference is named, with both values, before a step is played.
 *
 * The digest alone decides; the rest is what people know builds by. A scenario was recorded by no
 * build, so there is nothing to hold against this one.
 */
#include "replay/fit.h"

/* The first of what differs has the sentence before it. */
static void begin_part(deja_buffer *out, uint64_t before)
{
    deja_buffer_text(out, out->size == before ? "another build recorded it: " : "; ");
}

static void print_layouts(const deja__fit *fit, const deja_rules_info *info, uint64_t before,
                          deja_buffer *out)
{
    bool any = false;
    for (uint32_t i = 0; i < 4; i++) {
        if (strcmp(fit->layouts[i], info->layouts[i]) == 0)
            continue;
        if (any)
            deja_buffer_text(out, ", ");
        else
            begin_part(out, before);
        deja__print(out, "%s%s", any ? "" : "another layout of ", deja__type_word(i));
        any = true;
    }
}

static void print_build(const unsigned char build[16], deja_buffer *out)
{
    static const unsigned char unknown[16];
    if (memcmp(build, unknown, sizeof unknown) == 0)
        deja_buffer_text(out, "not known");
    else
        deja__print_hex_bytes(out, build, sizeof unknown);
}

void deja__same_build_print(const deja__fit *fit, const deja_recording *recording,
                            const deja_rules_info *info, deja_buffer *out)
{
    const uint64_t before = out->size;
    if (strcmp(fit->version, info->version) != 0) {
        begin_part(out, before);
        deja__print(out, "version %s, here %s", fit->version[0] ? fit->version : "(none)",
                    info->version[0] ? info->version : "(none)");
    }
    print_layouts(fit, info, before, out);
    if (strcmp(fit->refusals, info->refusals) != 0) {
        begin_part(out, before);
        deja_buffer_text(out, "other refusals");
    }
    if (strcmp(fit->outcomes, info->outcomes) != 0) {
        begin_part(out, before);
        deja_buffer_text(out, "other outcomes");
    }
    if (out->size > before || memcmp(recording->build, info->build, sizeof info->build) != 0) {
        begin_part(out, before);
        deja_buffer_text(out, "build ");
        print_build(recording->build, out);
        deja_buffer_text(out, ", here ");
        print_build(info->build, out);
    }
}
