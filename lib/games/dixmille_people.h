/* SPDX-License-Identifier: MIT */
/*
 * Dix-mille for people: the table and the question as the original prints them, and the answers as
 * they are typed there. A part of dixmille.c.
 */
#ifndef DEJA_GAMES_DIXMILLE_PEOPLE_H
#define DEJA_GAMES_DIXMILLE_PEOPLE_H

#include "dixmille_state.h"

/* ---- the table ---- */

static void draw_player(const dixmille *game, uint32_t places, deja_page *page)
{
    static const char *const seats[PLAYERS_MAX] = { "first", "second", "third",   "fourth",
                                                    "fifth", "sixth",  "seventh", "eighth" };
    const uint32_t count = game->player_count ? game->player_count : 1;
    deja_page_text(page, seats[(side_of(game) + places) % count]);
}

/* A set as ⚀⚀⚀(1000). */
static void draw_set(set s, deja_page *page)
{
    static const char *const faces[FACES] = { "\u2680", "\u2681", "\u2682",
                                              "\u2683", "\u2684", "\u2685" };
    for (uint32_t die = 0; die < s.dice; die++)
        deja_page_text(page, faces[s.face - 1]);
    deja_page_char(page, '(', 1);
    deja_page_number(page, s.points);
    deja_page_char(page, ')', 1);
}

static void draw_choices(const dixmille *game, deja_page *page)
{
    const choices found = choices_of(game);
    deja_page_text(page, "CHOICES:\n");
    for (uint32_t n = 0; n < found.count; n++) {
        const choice *c = &found.items[n];
        deja_page_text(page, "  ");
        deja_page_number(page, n);
        deja_page_text(page, " : ");
        for (uint32_t i = 0; i < c->set_count; i++) {
            if (i > 0)
                deja_page_text(page, "\u00b7");
            draw_set(sets[c->sets[i]], page);
        }
        deja_page_text(page, " (");
        deja_page_number(page, c->points);
        deja_page_text(page, ")\n");
    }
}

static void draw_result(const dixmille *game, deja_page *page)
{
    for (uint32_t places = 0; places < game->player_count; places++) {
        draw_player(game, places, page);
        deja_page_text(page, ": ");
        deja_page_number(page, banked_by(game, places));
        deja_page_char(page, '\n', 1);
    }
}

static void draw(const void *state, deja_page *page)
{
    const dixmille *game = state;
    if (game->phase == FINISHED) {
        draw_result(game, page);
        return;
    }
    deja_page_text(page, "GAME:\n Dice: ");
    deja_page_number(page, game->dice);
    deja_page_text(page, "\nRunning points: ");
    deja_page_number(page, game->running);
    for (uint32_t places = 0; places == 0 || places < game->player_count; places++) {
        deja_page_text(page, places == 0 ? "\nYou:" : places == 1 ? "\nOthers:" : " - ");
        draw_player(game, places, page);
        deja_page_text(page, " (");
        deja_page_number(page, banked_by(game, places));
        deja_page_char(page, ')', 1);
    }
    deja_page_text(page, game->player_count < 2 ? "\nOthers:\n\n" : "\n\n");
    if (game->phase == ASKED_PICK)
        draw_choices(game, page);
    deja_page_text(page, game->phase == ASKED_PICK   ? "\nWhat is your choice?\n"
                         : game->phase == ASKED_BANK ? "Do you want to bank your points? [y/n]\n"
                                                     : "Do you want to keep the previous player's "
                                                       "run? [y/n]\n");
}

/* ---- what players type ---- */

/* The answers to the question that a phase asks: yes and no. */
static bool is_asked(const dixmille *game, uint32_t kind)
{
    const uint32_t asks[] = { ASKED_KEEP, ASKED_KEEP, ASKED_PICK, ASKED_BANK, ASKED_BANK };
    return kind <= ROLL && asks[kind] == game->phase;
}

static void write_notation(const void *state, const void *command, deja_page *page)
{
    const dixmille_command *asked = command;
    const bool is_answer = is_asked(state, asked->kind);
    if (asked->kind == PICK) {
        deja_page_text(page, is_answer ? "" : "pick ");
        deja_page_number(page, asked->n);
    } else if (asked->kind <= ROLL) {
        const bool is_yes = asked->kind == KEEP || asked->kind == BANK;
        deja_page_text(page, !is_answer ? command_kinds[asked->kind] : is_yes ? "y" : "n");
    }
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* What follows the word, which case does not matter to; NULL if the text does not begin with it. */
static const char *skip_word(const char *text, const char *word)
{
    for (; *word; word++, text++)
        if ((char)(*text | 0x20) != *word)
            return NULL;
    return text;
}

/* A decimal of at most 255; NULL if there is none. */
static const char *read_number(const char *text, uint8_t *number)
{
    uint32_t value = 0;
    if (*text < '0' || *text > '9')
        return NULL;
    for (; *text >= '0' && *text <= '9'; text++) {
        value = value * 10 + (uint32_t)(*text - '0');
        if (value > UINT8_MAX)
            return NULL;
    }
    *number = (uint8_t)value;
    return text;
}

static bool is_word(const char *text, const char *word)
{
    const char *end = skip_word(text, word);
    return end && *skip_blanks(end) == '\0';
}

/* y, ye, yes and n, no: answers to the questions that have these. */
static bool read_answer(const dixmille *game, const char *text, dixmille_command *asked)
{
    const bool is_yes = is_word(text, "y") || is_word(text, "ye") || is_word(text, "yes");
    const bool is_no = is_word(text, "n") || is_word(text, "no");
    if (game->phase == ASKED_KEEP)
        asked->kind = is_yes ? KEEP : FRESH;
    else if (game->phase == ASKED_BANK)
        asked->kind = is_yes ? BANK : ROLL;
    else
        return false;
    return is_yes || is_no;
}

/* Blanks and case do not matter. */
static uint32_t read_notation(const void *state, const char *text, void *command)
{
    const dixmille *game = state;
    dixmille_command asked = { 0, 0 };
    text = skip_blanks(text);
    bool is_read = read_answer(game, text, &asked);
    for (uint32_t kind = KEEP; kind <= ROLL && !is_read; kind++) {
        asked.kind = (uint16_t)kind;
        is_read = kind != PICK && is_word(text, command_kinds[kind]);
    }
    if (!is_read) {
        const char *number = skip_word(text, command_kinds[PICK]);
        if (!number && game->phase == ASKED_PICK)
            number = text;
        asked.kind = PICK;
        number = number ? read_number(skip_blanks(number), &asked.n) : NULL;
        is_read = number && *skip_blanks(number) == '\0';
    }
    if (is_read)
        memcpy(command, &asked, sizeof asked);
    return is_read;
}

#endif
