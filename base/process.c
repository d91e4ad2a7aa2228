/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/process.h"

#include "base/error.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

void process_start(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd < 0) { /* it may be that nobody hears it */
        dprintf(STDERR_FILENO, "contraflow: /dev/null: %s\n", strerror(errno));
        _exit(ERROR_SYSTEM);
    }
    close(fd);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}
