/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ss and tc may print, by nobody's choice, through foreign/sockets.h and foreign/qdisc.h. `test/fuzz beside`, or
 * test/fuzzing/replay.c. */
#include "foreign/qdisc.h"
#include "foreign/sockets.h"
#include "test/fuzzing/text.h"

static void sockets(const char *path)
{
    struct foreign_sockets s;
    struct error err = {.code = ERROR_NONE};
    bool ok = foreign_sockets_read(&s, path, &err);
    for (size_t i = 0; ok && i < s.n; i++) {
        const struct foreign_socket *x = &s.socket[i];
        if (x->floods + x->idles > x->samples || x->local_port > UINT16_MAX || strlen(x->peer) >= FOREIGN_NAME)
            abort();
    }
    if (!ok)
        text_check(&err);
    foreign_sockets_fini(&s);
}

static void queue(const char *path)
{
    struct foreign_qdisc q;
    struct error err = {.code = ERROR_NONE};
    if (!foreign_qdisc_read(&q, path, &err))
        text_check(&err);
    else if (q.rate_bps <= 0 || isinf(q.rate_bps) || q.backlog_bytes < 0 || q.dropped < 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[40];
    int fd = text_file(data, size, path);
    sockets(path);
    queue(path);
    close(fd);
    return 0;
}
