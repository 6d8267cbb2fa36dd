/* SPDX-License-Identifier: MIT */
/*
 * Failing: the function that saw it writes the message, callers may put their context before it.
 *
 * The message lives in a struct of the caller's, so there is no hidden state and nothing to
 * allocate: running out of memory can be told like everything else.
 */
#include "base/base.h"

#include <stdio.h>

const char *deja_code_name(deja_code code)
{
    switch ((enum deja_code_value)code) {
    case DEJA_OK:
        return "OK";
    case DEJA_ENOMEM:
        return "ENOMEM";
    case DEJA_EIO:
        return "EIO";
    case DEJA_EBUSY:
        return "EBUSY";
    case DEJA_EDAMAGED:
        return "EDAMAGED";
    case DEJA_EVERSION:
        return "EVERSION";
    case DEJA_EFORMAT:
        return "EFORMAT";
    case DEJA_EUNFIT:
        return "EUNFIT";
    case DEJA_ERULES:
        return "ERULES";
    case DEJA_EREFUSED:
        return "EREFUSED";
    case DEJA_ENOTFOUND:
        return "ENOTFOUND";
    case DEJA_EAMBIGUOUS:
        return "EAMBIGUOUS";
    case DEJA_ELIMIT:
        return "ELIMIT";
    case DEJA_EMISUSE:
        return "EMISUSE";
    }
    return "unknown";
}

DEJA__PRINTF(4, 0)
static deja_code fail(deja_error *err, deja_code code, uint64_t step, const char *format,
                      va_list arguments)
{
    if (err) {
        err->code = code;
        err->reserved = 0;
        err->step = step;
        vsnprintf(err->message, sizeof err->message, format, arguments); /* lint: no stream */
    }
    return code;
}

deja_code deja__fail(deja_error *err, deja_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(err, code, DEJA_STEP_NONE, format, arguments);
    va_end(arguments);
    return code;
}

deja_code deja__fail_at(deja_error *err, deja_code code, uint64_t step, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(err, code, step, format, arguments);
    va_end(arguments);
    return code;
}

deja_code deja__fail_within(deja_error *err, deja_code code, const char *format, ...)
{
    if (!err)
        return code;
    char inner[sizeof err->message];
    memcpy(inner, err->message, sizeof inner);
    va_list arguments;
    va_start(arguments, format);
    const int written = vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    size_t at = written < 0 ? 0 : (size_t)written;
    if (at >= sizeof err->message)
        at = sizeof err->message - 1;
    snprintf(err->message + at, sizeof err->message - at, ": %s", inner);
    return code;
}

deja_code deja__fail_memory(deja_error *err)
{
    return deja__fail(err, DEJA_ENOMEM, "out of memory");
}
