/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign/qdisc.h - the queue before a device, as `tc -s qdisc show dev DEV`, `tc -s class show dev DEV` (an htb's rates are
 * its classes') or `tc -s -j qdisc show dev DEV` print it, one after another in one file or some of them. */
#pragma once

#include "base/error.h"

#define FOREIGN_QDISC_KIND 16

struct foreign_qdisc {
    char kind[FOREIGN_QDISC_KIND]; /* of what shapes: "htb", "tbf", "cake"; else of the root, "fq_codel" */
    double rate_bps;               /* on the wire, of what passed; NAN: nothing shapes */
    int64_t backlog_bytes, dropped;
};

/* What shapes: of the rows that carried at least half of what the busiest one with a rate did, the slowest. tc counts
 * frames without preamble, FCS and gap, cake packets and its overhead: of frames of n bytes on average that are n + 24
 * on the wire. ERROR_INPUT names file and line. */
bool foreign_qdisc_read(struct foreign_qdisc *q, const char *path, struct error *err);
bool foreign_qdisc_read_text(struct foreign_qdisc *q, const char *path, const char *text, struct error *err);
