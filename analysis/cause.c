/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/cause.h"

static const struct analysis_cause_row causes[ANALYSIS_CAUSES] = {
    [ANALYSIS_CAUSE_UNKNOWN] = {"unknown", "the evidence does not tell",
                                "capture with TCP timestamps on, from before the flows begin, at the shared host"},
    [ANALYSIS_CAUSE_ACKS] = {"acks_behind_data", "ACKs wait behind the data of the other direction",
                             "serve small ACKs first, or flows by turns (fq_codel, CAKE), at the queue that stands"},
    [ANALYSIS_CAUSE_THIN_ACKS] = {"rate_asymmetry_acks", "ACKs of the fast direction wait in the slow one's queue",
                                  "shape the slow direction a little below its rate with CAKE or fq_codel"},
    [ANALYSIS_CAUSE_OTHER] = {"other_traffic", "ACKs wait behind traffic that is not TCP data of this host",
                              "give that traffic a queue of its own (fq_codel, CAKE), or a lower rate"},
    [ANALYSIS_CAUSE_LOSSES] = {"losses", "losses set the windows", "larger buffers, or ECN"},
    [ANALYSIS_CAUSE_APPLICATION] = {"application", "the applications send no more", "nothing in the network"},
    [ANALYSIS_CAUSE_RECEIVER] = {"receiver", "readers take their data no faster", "a faster reader"},
    [ANALYSIS_CAUSE_WINDOW] = {"window", "windows are too small for the round trip",
                               "larger windows: net.ipv4.tcp_rmem, net.ipv4.tcp_wmem"},
    [ANALYSIS_CAUSE_FULL] = {"full", "the link carries what it can", "nothing but a faster link"},
    [ANALYSIS_CAUSE_LINK] = {"other_link", "another link on the way is full", "a faster link there"},
    [ANALYSIS_CAUSE_PAUSE] = {"pause", "PAUSE frames stop the senders", "PAUSE off, or deeper buffers where it begins"},
};

const struct analysis_cause_row *analysis_cause(enum analysis_cause cause)
{
    return &causes[cause];
}
