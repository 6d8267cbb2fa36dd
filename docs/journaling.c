/* SPDX-License-Identifier: 0BSD */
/*
 * A game that links nothing of deja's and still leaves a session behind when it crashes: two walls,
 * a ball between them, a line of input a step.
 *
 *     cc -I. -o journaling journaling.c journal.c        beside deja/journal.h and journal.c
 *     ./journaling play.journal < input
 *     deja import play.journal
 *
 * "left" and "right" push the ball, "crash" is a bug, anything else waits.
 */
#include <deja/journal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ball {
    int32_t at, speed;
} ball;

enum { WALL = 20, TOO_FAST = 1 }; /* a refusal: 1 + its place in the names below */

/* Any hash of all that matters will do. This one is FNV-1a, over bytes in one order everywhere. */
static uint64_t hash_of(const ball *b)
{
    const uint32_t parts[2] = { (uint32_t)b->at, (uint32_t)b->speed };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 8; i++) {
        hash ^= parts[i / 4] >> (8 * (i % 4)) & 255u;
        hash *= UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint32_t step(ball *b, const char *input)
{
    const int32_t push = strcmp(input, "left") == 0 ? -1 : strcmp(input, "right") == 0 ? 1 : 0;
    if (b->speed + push > 3 || b->speed + push < -3)
        return TOO_FAST;
    if (strcmp(input, "crash") == 0)
        abort();
    b->speed += push;
    b->at += b->speed;
    if (b->at < 0 || b->at > WALL) {
        b->at = b->at < 0 ? 0 : WALL;
        b->speed = -b->speed;
    }
    return 0;
}

int main(int argc, char **argv)
{
    ball b = { WALL / 2, 1 };
    char line[32];
    deja_journal *journal = NULL;
    deja_journal_options options = DEJA_JOURNAL_OPTIONS_INIT;
    options.game = "ball";
    options.version = "1.0";
    options.refusals = "too_fast";
    options.start_hash = hash_of(&b);
    /* Without a journal the game is played all the same. */
    if (argc < 2 || deja_journal_open(&journal, argv[1], &options) < 0)
        fprintf(stderr, "this game is not recorded\n");
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        deja_journal_begin(journal, line, strlen(line));
        const uint32_t result = step(&b, line);
        deja_journal_end(journal, result, hash_of(&b));
        printf("%*c\n", (int)b.at + 1, 'o');
    }
    deja_journal_close(journal, NULL);
    return 0;
}
