/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/cli/replay_interface_main.c - open-loop replay as a program of its own, for test_replay_open.py. */
#include "cli/cli.h"
#include "cli/cmd_replay.h"

#include <stdio.h>

int cli_fail(const struct error *err)
{
    fprintf(stderr, "contraflow: %s\n", err->message);
    return (int)err->code;
}

int main(int argc, char **argv)
{
    return cmd_replay_interface(argc, argv);
}
