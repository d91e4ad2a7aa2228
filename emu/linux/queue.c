/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/queue.h"

#include "emu/linux/program.h"

#include <sys/ioctl.h>
#include <sys/wait.h>

#define TC_WORDS 64
#define TC_TEXT 256

/* What tc says when it refuses, its first line. */
static bool queue_tc(char *const argv[], char said[static TC_TEXT])
{
    int ends[2], status = -1;
    said[0] = '\0';
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        setenv("PATH", "/usr/sbin:/sbin:/usr/bin:/bin", 1);
        linux_program_exec(argv);
        dprintf(STDERR_FILENO, "%s: %s; Debian's package iproute2 has it\n", argv[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; child > 0 && (n = read(ends[0], said + used, TC_TEXT - 1 - used)) > 0;)
        used += (size_t)n;
    close(ends[0]);
    said[used] = '\0';
    said[strcspn(said, "\n")] = '\0';
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int linux_queue_open(int device, const char *words, struct error *err)
{
    struct contraflow_add add = {.mac = {0x02, 0xff}, .max_mtu = UINT16_MAX};
    int number = ioctl(device, CONTRAFLOW_ADD, &add);
    char name[16], text[512], said[TC_TEXT];
    char *argv[TC_WORDS + 1] = {(char[]){"tc"},  (char[]){"qdisc"}, (char[]){"replace"},
                                (char[]){"dev"}, name,              (char[]){"root"}};
    size_t n = 6;
    snprintf(name, sizeof name, "eth%d", number);
    snprintf(text, sizeof text, "%s", words);
    for (char *save, *word = strtok_r(text, " \t", &save); word && n < TC_WORDS; word = strtok_r(NULL, " \t", &save))
        argv[n++] = word;
    if (number < 0 || !linux_interface_up(name)) {
        error_set_errno(err, "the kernel inside: a queue");
        return -1;
    }
    if (queue_tc(argv, said))
        return number;
    error_set(err, ERROR_INPUT, "qdisc '%s': tc says: %s", words, said);
    return -1;
}

bool linux_queue_ask(int device, struct contraflow_queue *q, struct error *err)
{
    if (ioctl(device, CONTRAFLOW_QUEUE, q) != 0)
        return errno == EOPNOTSUPP ? error_set(err, ERROR_INPUT, "a qdisc that makes two frames of one does not work at "
                                                                 "an emulated port")
                                   : error_set_errno(err, "the kernel inside: a queue");
    return q->kind != CONTRAFLOW_POP || q->frame > 0 || q->waiting == 0 || q->ready_ns > 0 ||
           error_set(err, ERROR_INPUT, "a qdisc that holds frames back and does not say for how long does not work at an "
                                       "emulated port");
}
