/* SPDX-License-Identifier: MIT */
/*
 * A locale whose decimals have a comma, made for one test: no system has to have one.
 */
#ifndef DEJA_TESTS_LOCALE_H
#define DEJA_TESTS_LOCALE_H

/* Makes it in a folder and goes on in it. Where none can be made the test is skipped, but with
 * CI=true it fails. */
void locale_with_commas(const char *folder);

#endif
