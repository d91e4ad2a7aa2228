/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/replay_interface.h - 'contraflow replay FILE --interface NAME': a capture onto a real interface, open loop. */
#ifndef STUDY_REPLAY_INTERFACE_H
#define STUDY_REPLAY_INTERFACE_H

#include "base/error.h"

/* As a command: argv[0] is "replay"; returns the exit status. Refuses to run without --interface. */
int study_replay_interface(int argc, char **argv);

/* --speed: a finite number above 0. */
bool study_replay_interface_parse_speed(const char *text, double *speed, struct error *err);

#endif
