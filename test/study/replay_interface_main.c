/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/cli/replay_open_main.c - open-loop replay as a program of its own, for test_replay_open.py. */
#include "cli/cli.h"
#include "study/replay_interface.h"

#include <stdio.h>

int cli_fail(const struct error *err)
{
    fprintf(stderr, "contraflow: %s\n", err->message);
    return (int)err->code;
}

int main(int argc, char **argv)
{
    return study_replay_interface(argc, argv);
}
