/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/fact.h"

const char *judge_capacity_source_name(enum judge_capacity_source source)
{
    static const char *const names[] = {"unknown", "back-to-back frames", "a queue that never runs empty",
                                        "assumed as the other direction's", "the capture's interface", "known"};
    return names[source];
}

double judge_flow_trip_s(const struct judge_flow *f)
{
    return f->floor_s + f->data_wait_s + f->ack_wait_s;
}

const struct judge_link *judge_facts_link(const struct judge_facts *s, bool incoming)
{
    return incoming ? &s->in : &s->out;
}

double judge_facts_carried_bps(const struct judge_facts *s, bool incoming)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += s->flow[i].incoming == incoming ? s->flow[i].rate_bps : 0;
    return sum;
}
