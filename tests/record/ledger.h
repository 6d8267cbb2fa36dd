/* SPDX-License-Identifier: MIT */
/*
 * A game for recorders that is linked into the tests: gold is added and rolled for by two sides in
 * turn. It keeps its contract, or breaks it in the one way that a command asks for.
 *
 *   state    gold:i64 side:u8 over:bool rolls:u8[..4] luck:rng
 *   command  kind(add{n:i32}|roll|say{text:text[..15]}|finish|<one for each breach>)
 *   event    kind(gained{n:i32 all:section({gold:i64})}|said{text:text[..15]})
 *   config   gold:i64
 *   content  gift: its first byte is so much gold more
 */
#ifndef DEJA_TESTS_LEDGER_H
#define DEJA_TESTS_LEDGER_H

#include <deja/rules.h>

enum ledger_kind {
    LEDGER_ADD,    /* accepted; gained; refused as "poor" where gold would be below 0 */
    LEDGER_ROLL,   /* accepted; a number from 0 to 9; gained; kept in rolls, where there is room */
    LEDGER_SAY,    /* accepted; said */
    LEDGER_FINISH, /* accepted; the game is over, as "rich" or "poor_end" */
    LEDGER_LIAR,   /* answers 9 */
    LEDGER_NOISY,  /* refused, and says something */
    LEDGER_RAW,    /* says what is not UTF-8 */
    LEDGER_SWOLLEN /* makes a list longer than it can be */
};

typedef struct ledger {
    int64_t gold;
    uint8_t side;
    bool over;
    uint8_t rolls[4];
    uint32_t roll_count;
    deja_luck luck;
} ledger;

typedef struct ledger_command {
    uint16_t kind;
    int32_t n;
    char text[16];
} ledger_command;

typedef struct ledger_event {
    uint16_t kind;
    int32_t n;
    int64_t gold;
    char text[16];
} ledger_event;

typedef struct ledger_config {
    int64_t gold;
} ledger_config;

enum { LEDGER_POOR = 1, LEDGER_BUSY = 2, LEDGER_OVER = 3 };

/* Bots: "adder" adds 1; "miser" asks for what is refused; "counter" adds how often it was asked,
 * from its memory; "quitter" has a command as long as there is less than 3 gold; "gambler" adds a
 * number from 0 to 99 of its luck; "talker" hands over text without an end. */
deja_rules_table ledger_table(void);
/* The same without its legal. */
deja_rules_table ledger_table_without_legal(void);

#endif
