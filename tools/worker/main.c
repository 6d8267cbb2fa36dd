/* SPDX-License-Identifier: MIT */
/*
 * deja-worker: the program that rules run in. It is the same code that the deja command has under
 * DEJA_WORKER_ARGUMENT, without the rest: it loads neither SQLite nor zlib, so it starts in two
 * thirds of the time, and rules that run wild find less to run into.
 */
#include <deja/replay.h>

int main(int argc, char **argv)
{
    return deja_worker_main(argc, argv);
}
