/* SPDX-License-Identifier: MIT */
/*
 * Verifying many sessions: the caller's thread starts lanes and tells verdicts in order.
 *
 * Verdicts come in any order and wait in a window for those before them; no session is handed out
 * that is further ahead than the window is wide, so memory stays bounded however slow one session
 * is.
 */
#include "replay/lane.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
    LANES_MAX = 256,
    PROGRESS_MS = 100,
    LOOK_MS = 5 /* how often to look for verdicts: waking for each would cost more than all else */
};

/* ---- telling ---- */

static void count(deja_verify_summary *summary, const deja_verdict *verdict)
{
    summary->sessions++;
    summary->steps += verdict->steps;
    summary->compared += verdict->compared;
    summary->kinds[verdict->kind]++;
}

static void tell_progress(deja__verify *verify, const deja_verify_summary *summary, uint32_t lanes,
                          uint64_t *told_ms)
{
    const uint64_t now = deja__now_ms();
    if (!verify->options.progress || now - *told_ms < PROGRESS_MS)
        return;
    *told_ms = now;
    deja_verify_summary so_far = *summary;
    for (uint32_t i = 0; i < lanes; i++)
        so_far.compared += atomic_load_explicit(&verify->live[i], memory_order_relaxed);
    if (!verify->options.progress(verify->options.user, &so_far))
        atomic_store(&verify->stop, true);
}

/* Tells one verdict, without the mutex. */
static void tell_verdict(deja__verify *verify, deja__box *box, deja_verify_summary *summary)
{
    count(summary, &box->verdict);
    if (verify->options.verdict && !verify->options.verdict(verify->options.user, &box->verdict))
        atomic_store(&verify->stop, true);
    deja__box_destroy(box);
}

/* Sleeps until something has changed, or it is time to look. The mutex is held. */
static void sleep_a_while(deja__verify *verify)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&verify->changed, &verify->mutex, &until);
}

/* Tells verdicts in order until there are no more, or no lane runs any more. */
static void tell_all(deja__verify *verify, uint32_t lanes, deja_verify_summary *summary)
{
    uint64_t told_ms = deja__now_ms();
    pthread_mutex_lock(&verify->mutex);
    while (!atomic_load(&verify->stop)) {
        deja__box **place = &verify->boxes[verify->told % DEJA__WINDOW];
        deja__box *box = *place;
        if (!box && verify->running == 0)
            break;
        if (!box)
            sleep_a_while(verify);
        *place = box ? NULL : *place;
        verify->told += box != NULL;
        /* Lanes that wait for room in the window are woken rarely. */
        if (box && verify->told % (DEJA__WINDOW / 4) == 0)
            pthread_cond_broadcast(&verify->changed);
        pthread_mutex_unlock(&verify->mutex);
        if (box)
            tell_verdict(verify, box, summary);
        tell_progress(verify, summary, lanes, &told_ms);
        pthread_mutex_lock(&verify->mutex);
    }
    pthread_cond_broadcast(&verify->changed);
    pthread_mutex_unlock(&verify->mutex);
}

/* ---- lanes ---- */

static uint32_t lane_count(const deja__verify *verify)
{
    uint64_t lanes = verify->options.jobs;
    cpu_set_t available;
    if (lanes == 0 && sched_getaffinity(0, sizeof available, &available) == 0)
        lanes = (uint64_t)CPU_COUNT(&available);
    if (lanes > verify->key_count)
        lanes = verify->key_count;
    if (lanes > LANES_MAX)
        lanes = LANES_MAX;
    return lanes ? (uint32_t)lanes : 1;
}

/* The caller's signals stay the caller's: lanes take none. */
static int start_thread(pthread_t *thread, deja__lane *lane)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(thread, NULL, deja__lane_main, lane);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static deja_code run_lanes(deja__verify *verify, deja_verify_summary *summary, deja_error *err)
{
    const uint32_t wanted = lane_count(verify);
    deja__lane *lanes = calloc(wanted, sizeof *lanes);
    pthread_t *threads = calloc(wanted, sizeof *threads);
    uint32_t count_started = 0;
    deja_code code = lanes && threads ? DEJA_OK : deja__fail_memory(err);
    while (code == DEJA_OK && count_started < wanted) {
        deja__lane *lane = &lanes[count_started];
        lane->verify = verify;
        lane->place = count_started;
        pthread_mutex_lock(&verify->mutex);
        verify->running++;
        pthread_mutex_unlock(&verify->mutex);
        const int failed = start_thread(&threads[count_started], lane);
        if (failed) {
            pthread_mutex_lock(&verify->mutex);
            verify->running--;
            pthread_mutex_unlock(&verify->mutex);
            /* Fewer lanes do as well. */
            if (count_started == 0)
                code = deja__fail(err, DEJA_EIO, "cannot start a thread (system error %d)", failed);
            break;
        }
        count_started++;
    }
    if (code == DEJA_OK)
        tell_all(verify, count_started, summary);
    for (uint32_t i = 0; i < count_started; i++)
        pthread_join(threads[i], NULL);
    free(lanes);
    free(threads);
    return code;
}

/* ---- all of it ---- */

static deja_code prepare(deja__verify *verify, deja_error *err)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return deja__fail_memory(err);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    const bool made = pthread_cond_init(&verify->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (!made)
        return deja__fail_memory(err);
    if (pthread_mutex_init(&verify->mutex, NULL) == 0)
        return DEJA_OK;
    pthread_cond_destroy(&verify->changed);
    return deja__fail_memory(err);
}

/* The options that the caller knows of, over the usual ones. */
static bool take_options(deja_verify_options *options, const deja_verify_options *given)
{
    *options = (deja_verify_options)DEJA_VERIFY_OPTIONS_INIT;
    if (!given)
        return true;
    if (given->struct_size < sizeof given->struct_size)
        return false;
    const size_t size = given->struct_size < sizeof *options ? given->struct_size : sizeof *options;
    memcpy(options, given, size);
    return options->isolate <= DEJA_ISOLATE_EXEC && options->same_build <= 1 &&
           options->reserved == 0;
}

static deja_code run(deja__verify *verify, deja_verify_summary *counted, deja_error *err)
{
    deja_code code = deja__packs_open(&verify->packs, verify->options.content, err);
    if (code == DEJA_OK)
        code = prepare(verify, err);
    if (code != DEJA_OK) {
        deja__packs_release(&verify->packs);
        return code;
    }
    code = run_lanes(verify, counted, err);
    if (code == DEJA_OK && verify->code != DEJA_OK && !atomic_load(&verify->stop)) {
        code = verify->code;
        if (err)
            *err = verify->error;
    }
    for (uint32_t i = 0; i < DEJA__WINDOW; i++)
        deja__box_destroy(verify->boxes[i]);
    free(verify->groups);
    pthread_mutex_destroy(&verify->mutex);
    pthread_cond_destroy(&verify->changed);
    deja__packs_release(&verify->packs);
    return code;
}

deja_code deja_verify(const char *store_path, const int64_t *keys, uint64_t key_count,
                      const char *library, const deja_verify_options *options,
                      deja_verify_summary *summary, deja_error *err)
{
    deja_verify_summary counted = { 0 };
    if (summary)
        *summary = counted;
    if (!store_path || !library || (!keys && key_count))
        return deja__fail(err, DEJA_EMISUSE, "deja_verify: a NULL argument");
    deja__verify *verify = calloc(1, sizeof *verify);
    if (!verify)
        return deja__fail_memory(err);
    verify->store_path = store_path;
    verify->library = library;
    verify->keys = keys;
    verify->key_count = key_count;
    deja_code code = DEJA_OK;
    if (!take_options(&verify->options, options))
        code = deja__fail(err, DEJA_EMISUSE, "deja_verify: an option out of range");
    else
        code = run(verify, &counted, err);
    free(verify);
    if (summary)
        *summary = counted;
    return code;
}
