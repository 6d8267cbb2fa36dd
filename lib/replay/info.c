/* SPDX-License-Identifier: MIT */
/*
 * What a library says of itself: taken from its worker, handed to callers.
 *
 * The worker packs it in worker.c, in this order. It is a library's word: texts may be anything,
 * so they are checked as far as the host builds on them.
 */
#include "replay/link.h"

#include <stdlib.h>

static char *take_text(deja__unpacking *in)
{
    char *text = deja__unpack_text(in);
    if (text && strlen(text) > DEJA__NAMES_MAX * (DEJA__NAME_MAX + 1))
        in->failed = true;
    return text;
}

static void take_config(deja_rules_info *info, deja__unpacking *in)
{
    const deja_span config = deja__unpack_bytes(in);
    info->config_default = malloc((size_t)config.size + 1);
    if (!info->config_default) {
        in->failed = true;
        return;
    }
    info->config_default_size = config.size;
    if (config.size)
        memcpy(info->config_default, config.bytes, (size_t)config.size);
}

deja_code deja__info_unpack(deja_rules_info *info, deja_span bytes, deja_error *err)
{
    deja__unpacking in = { bytes.bytes, (const unsigned char *)bytes.bytes + bytes.size, false };
    if (bytes.size < sizeof info->build)
        return deja__fail(err, DEJA_EUNFIT, "says too little of itself");
    memcpy(info->build, in.at, sizeof info->build);
    in.at += sizeof info->build;
    info->game = take_text(&in);
    info->version = take_text(&in);
    info->compiler = take_text(&in);
    for (int i = 0; i < 4; i++)
        info->layouts[i] = take_text(&in);
    info->refusals = take_text(&in);
    info->outcomes = take_text(&in);
    info->bots = take_text(&in);
    take_config(info, &in);
    info->state_size = deja__unpack64(&in);
    info->abi_major = deja__unpack32(&in);
    info->abi_minor = deja__unpack32(&in);
    info->kind = deja__unpack32(&in);
    info->tick_rate = deja__unpack32(&in);
    info->functions = deja__unpack32(&in);
    info->closed = deja__unpack32(&in);
    info->closed_why = take_text(&in);
    info->isolation = deja__unpack32(&in);
    info->isolation_why = take_text(&in);
    if (in.failed || in.at != in.end || info->isolation < DEJA_ISOLATE_RESTORE ||
        info->isolation > DEJA_ISOLATE_EXEC)
        return deja__fail(err, DEJA_EUNFIT, "what it says of itself makes no sense");
    return DEJA_OK;
}

void deja_rules_info_release(deja_rules_info *info)
{
    if (!info)
        return;
    free(info->path);
    free(info->game);
    free(info->version);
    free(info->compiler);
    for (int i = 0; i < 4; i++)
        free(info->layouts[i]);
    free(info->refusals);
    free(info->outcomes);
    free(info->bots);
    free(info->config_default);
    free(info->closed_why);
    free(info->isolation_why);
    memset(info, 0, sizeof *info);
}

deja_code deja_inspect(deja_rules_info *info, const char *library, const char *worker,
                       deja_error *err)
{
    static const deja_verify_options usual = DEJA_VERIFY_OPTIONS_INIT;
    const deja__link_how how = {
        worker, library, DEJA_ISOLATE_AUTO, usual.memory_mib, usual.hang_cpu_ms, usual.hang_wall_ms,
        -1
    };
    deja__link link;
    if (info)
        memset(info, 0, sizeof *info);
    if (!info || !library)
        return deja__fail(err, DEJA_EMISUSE, "deja_inspect: a NULL argument");
    deja_code code = deja__link_open(&link, &how, err);
    if (code == DEJA_OK)
        code = deja__link_start(&link, err);
    if (code == DEJA_OK) {
        *info = link.info;
        memset(&link.info, 0, sizeof link.info);
    }
    deja__link_close(&link);
    return code;
}
