/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/beside.h"

#include "foreign/qdisc.h"
#include "foreign/sockets.h"

#define HELD 0.2    /* of the time that it has data to send, by a window of the ends: it sets the rate, as in measure/ */

static double share(double part, double of)
{
    return of > 0 && part > 0 ? part / of : 0; /* NAN: not said */
}

static enum judge_cause beside_limit(const struct foreign_socket *s)
{
    if (2 * s->idles > s->samples)
        return JUDGE_CAUSE_APPLICATION;
    if (s->samples == 0 || s->floods < s->samples || share(s->rwnd_limited_s, s->busy_s) > HELD)
        return JUDGE_CAUSE_UNKNOWN;
    if (share(s->sndbuf_limited_s, s->busy_s) > HELD)
        return JUDGE_CAUSE_SEND_BUFFER;
    return share(s->again_bytes, s->acked_bytes) > JUDGE_LOSSY ? JUDGE_CAUSE_LOSSES : JUDGE_CAUSE_WINDOW;
}

static bool beside_sockets(struct analysis_beside *b, const char *ss, struct error *err)
{
    MEMORY_ENDS(foreign_sockets_fini) struct foreign_sockets all;
    bool ok = foreign_sockets_read(&all, ss, err);
    b->sender = memory_zeroed(all.n + 1, sizeof *b->sender, "sockets");
    for (size_t i = 0; ok && i < all.n; i++) {
        const struct foreign_socket *s = &all.socket[i];
        struct analysis_sender *to = &b->sender[b->n];
        *to = (struct analysis_sender){.port = (uint16_t)s->local_port, .peer_port = (uint16_t)s->peer_port,
                                       .limit = beside_limit(s)};
        b->n += capture_address_parse(s->local, &to->host) && capture_address_parse(s->peer, &to->peer);
    }
    return ok;
}

bool study_beside_read(struct analysis_beside *b, const char *ss, const char *qdisc, struct error *err)
{
    struct foreign_qdisc q = {.rate_bps = NAN};
    *b = (struct analysis_beside){.out_bps = NAN};
    bool ok = (!ss || beside_sockets(b, ss, err)) && (!qdisc || foreign_qdisc_read(&q, qdisc, err));
    b->out_bps = q.rate_bps;
    b->backlog_bytes = q.backlog_bytes;
    return ok;
}

void study_beside_fini(struct analysis_beside *b)
{
    free(b->sender);
    *b = (struct analysis_beside){0};
}
