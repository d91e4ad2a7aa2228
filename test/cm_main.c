/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program has it where no file of it has a main(): it comes out of a library. A room's has all of its files, and runs the one
 * that it is told by name. */
#include "test/cm.h"

int main(int argc, char **argv)
{
    return cm_run(argc > 1 ? argv[1] : NULL);
}
