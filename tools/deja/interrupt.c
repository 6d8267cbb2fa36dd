/* SPDX-License-Identifier: MIT */
/*
 * The handler only notes the signal: what is under way stops at its next step, closes what is open
 * and takes its workers along. A second signal means that this was not quick enough: the process
 * ends there and then, which harms nothing (the store's transactions see to that, and workers die
 * with their parent) and loses only what was not finished.
 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t noted;
static volatile sig_atomic_t at_once;
static volatile pid_t companion;

static void note(int number)
{
    if (noted || at_once) {
        if (companion > 0)
            kill(companion, SIGKILL);
        _exit(128 + number);
    }
    noted = number;
}

void interrupt_prepare(void)
{
    static const int numbers[] = { SIGINT, SIGTERM };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before;
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = note;
        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

int interrupt_signal(void)
{
    return noted;
}

void interrupt_ends_at_once(bool value)
{
    at_once = value;
    if (value && noted)
        _exit(128 + noted);
}

void interrupt_take_along(pid_t process)
{
    companion = process;
}
