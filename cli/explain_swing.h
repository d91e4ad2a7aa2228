/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/explain_swing.h - do a host's two directions take turns, by a capture alone? For explain and the report. */
#ifndef CLI_EXPLAIN_SWING_H
#define CLI_EXPLAIN_SWING_H

#include "analysis/pendulum.h"
#include "cli/explained.h"

struct explain_swing {
    bool known; /* else nothing below is: the capture is beside no host, or nobody waits there both ways */
    struct capture_address host;
    double busy_s; /* waits above it count */
    struct analysis_pendulum waits; /* from the host, and to it */
};

/* Of bulk flows in the table's order: among hosts that as many flows share, the first is taken. */
bool explain_swing_make(const struct analysis_flows *f, const struct explained *flows, size_t n,
                        struct explain_swing *s, struct error *err);

/* What is known, as a sentence without its full stop, and as explain_run() has queues. */
void explain_swing_say(const struct explain_swing *s, char text[static EXPLAINED_TEXT]);
json_t *explain_swing_json(const char *source, const struct explain_swing *s);

#endif
