/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/explain/both_ends.h - the bulk flows of two captures, one made beside either end: what waits, gets lost and is
 * compressed between the two. */
#pragma once

#include "study/capture.h"

struct study_both_ends_flow {
    char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
    bool placed; /* else only names are known: no transit between the captures shows */
    struct analysis_both_ends_flow between;
    double compressed_share; /* of groups of ACKs; NAN with few of them */
    double ack_share;        /* ACK wait, of the round trip from the sender's tap and back */
};

struct study_both_ends {
    struct study_both_ends_flow *flow; /* owned */
    size_t n, placed;
    double drift;           /* seconds a second that the second file's clock gains; taken off the waits */
    double resolution_s[2]; /* of the files' times */
};

/* False and *err when a file cannot be read. */
bool study_both_ends_read(const char *const path[2], const struct study_capture_listener *listener,
                          struct study_both_ends *b, struct error *err);
void study_both_ends_fini(struct study_both_ends *b);
