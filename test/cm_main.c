/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program of its own has it where no file of it has a main(): it comes out of a library. */
#include "test/cm.h"

int main(void)
{
    return cm_run();
}
