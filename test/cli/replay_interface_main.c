/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/cli/replay_interface_main.c - open-loop replay as a program of its own, for test_replay_open.py. */
#include "cli/replay/cmd_replay.h"

int main(int argc, char **argv)
{
    return cmd_replay_interface(argc, argv);
}
