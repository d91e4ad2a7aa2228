/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/replay_open.h - 'contraflow replay FILE --interface NAME': a capture onto a real interface, open loop. */
#ifndef CLI_REPLAY_OPEN_H
#define CLI_REPLAY_OPEN_H

#include "base/error.h"

extern const char replay_open_help[];

/* As a command: argv[0] is "replay"; returns the exit status. Refuses to run without --interface. */
int replay_open(int argc, char **argv);

/* --speed: a finite number above 0. */
bool replay_parse_speed(const char *text, double *speed, struct error *err);

#endif
