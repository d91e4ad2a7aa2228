/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/run_network.h"

double study_run_network_window(const struct emu_tcp_config *tcp)
{
    return fmin((double)tcp->send_buffer_bytes, (double)tcp->receive_buffer_bytes);
}

struct model_link study_run_network_link(const struct scenario *s)
{
    struct model_link link = model_link_default();
    link.rate_bps = (double)s->network.link.rate_bps;
    link.segment_bytes = (double)s->tcp.segment_bytes;
    link.segments_per_ack = (double)s->tcp.delayed_ack;
    return link;
}
