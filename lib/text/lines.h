/* SPDX-License-Identifier: MIT */
/*
 * A replay text, line by line: what editors and version control do to line ends is taken off, and
 * so are comments, blanks around a line, and lines with nothing on them.
 */
#ifndef DEJA_TEXT_LINES_H
#define DEJA_TEXT_LINES_H

#include "text/text.h"

typedef struct deja__line {
    const char *at; /* behind the keyword and the blanks there, if it has a keyword */
    uint64_t size;
    uint64_t number; /* from 1 */
    enum deja__key key;
    const char *word; /* the keyword as it stands, where it is unknown */
    uint64_t word_size;
} deja__line;

typedef struct deja__lines {
    const char *at, *end;
    uint64_t number;
} deja__lines;

/* `number` is set to that of a line that is not UTF-8 or holds a NUL: then false. */
bool deja__lines_open(deja__lines *lines, const char *text, uint64_t size, uint64_t *number);
/* false at the end; the line's number is then the last one's. */
bool deja__lines_next(deja__lines *lines, deja__line *line);

/* The next word of a line, up to a blank, taken off it; false where nothing is left. */
bool deja__line_word(deja__line *line, const char **word, uint64_t *size);

#endif
