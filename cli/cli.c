/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"

#include <stdio.h>

int cli_fail(const struct error *err)
{
    fprintf(stderr, "contraflow: %s\n", err->message);
    return (int)err->code;
}

int cli_finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    struct error err;
    error_set_errno(&err, "standard output: cannot be written");
    return cli_fail(&err);
}
