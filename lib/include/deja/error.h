/* SPDX-License-Identifier: MIT */
/**
 * @file deja/error.h
 * How calls fail: a negative code, and, for who asks, one line that says why.
 */
#ifndef DEJA_ERROR_H
#define DEJA_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(_WIN32)
#define DEJA_API __attribute__((visibility("default")))
#else
#define DEJA_API
#endif

/** What a call answers: DEJA_OK, or what went wrong. Codes never change their numbers. */
typedef int32_t deja_code;

enum deja_code_value {
    DEJA_OK = 0,
    DEJA_ENOMEM = -1,      /**< out of memory */
    DEJA_EIO = -2,         /**< the system said no: no such file, no permission, disk full */
    DEJA_EBUSY = -3,       /**< somebody else holds a lock for longer than the wait */
    DEJA_EDAMAGED = -4,    /**< what is stored cannot be trusted */
    DEJA_EVERSION = -5,    /**< made by a newer deja */
    DEJA_EFORMAT = -6,     /**< not what it should be: not a store, not a layout, not a value */
    DEJA_EUNFIT = -7,      /**< library, content and session do not fit, or it does not load */
    DEJA_ERULES = -8,      /**< the rules broke their contract */
    DEJA_EREFUSED = -9,    /**< the rules refused to start with this config */
    DEJA_ENOTFOUND = -10,  /**< nothing has this name */
    DEJA_EAMBIGUOUS = -11, /**< more than one has this name */
    DEJA_ELIMIT = -12,     /**< larger than a stated limit */
    DEJA_EMISUSE = -13     /**< the caller's mistake: a step out of range, a closed handle */
};

#define DEJA_STEP_NONE UINT64_MAX
#define DEJA_ERROR_MESSAGE_SIZE 1008

/** Details of a failure. The caller's; a call that succeeds leaves it as it was. */
typedef struct deja_error {
    deja_code code;
    uint32_t reserved;
    uint64_t step;                         /**< the step it is about, or DEJA_STEP_NONE */
    char message[DEJA_ERROR_MESSAGE_SIZE]; /**< one line of UTF-8, no newline, no full stop */
} deja_error;

#define DEJA_VERSION "0.1.0"

/** The version of the library that runs, as "0.1.0"; hold it against DEJA_VERSION. */
DEJA_API const char *deja_version(void);

/** The code's name, as "EDAMAGED"; never NULL. */
DEJA_API const char *deja_code_name(deja_code code);

/**
 * An errno as the end of a message ("permission denied"), the same in every locale.
 * @return static; NULL where there are no words for it
 */
DEJA_API const char *deja_system_text(int error);

#ifdef __cplusplus
}
#endif

#endif
