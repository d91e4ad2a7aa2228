/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/scenarios/text.h - scenarios written in the test, and what their loading says. */
#pragma once

#include "scenarios/load.h"
#include "test/cm.h"

/* A group's setup and teardown: a temporary directory to work in. */
int text_enter(void **state);
int text_leave(void **state);

/* Writes a file. */
void text_write(const char *name, const char *text, size_t size);

/* Loads `yaml` as s.yaml with one set, or none (NULL); the test fails if that fails. */
struct scenario text_load(const char *yaml, const char *set);

/* Loading says exactly `message`, as bad input, and leaves nothing behind. */
void text_rejects(const char *yaml, const char *set, const char *message);

/* The same with "; there are: " and all the names after it. */
void text_rejects_name(const char *yaml, const char *set, const char *message, const char *const *names);
