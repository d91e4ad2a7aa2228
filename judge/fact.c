/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/fact.h"

const char *judge_capacity_source_name(enum judge_capacity_source source)
{
    static const char *const names[] = {"unknown", "back-to-back frames", "a queue that never runs empty", "waits that follow the bytes sent",
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
    if (s->sums.known)
        return s->sums.carried_bps[!incoming];
    for (size_t i = 0; i < s->n; i++)
        sum += s->flow[i].incoming == incoming ? s->flow[i].rate_bps : 0;
    return sum;
}

double judge_facts_data_wait_s(const struct judge_facts *s, bool incoming)
{
    double sum = 0;
    if (s->sums.known)
        return s->sums.data_wait_s[!incoming];
    for (size_t i = 0; i < s->n; i++)
        sum += s->flow[i].incoming == incoming ? s->flow[i].rate_bps * s->flow[i].data_wait_s : 0;
    return sum / judge_facts_carried_bps(s, incoming);
}

double judge_facts_trip_s(const struct judge_facts *s, bool incoming)
{
    double sum = 0;
    if (s->sums.known)
        return s->sums.trip_s[!incoming];
    for (size_t i = 0; i < s->n; i++)
        sum += s->flow[i].incoming == incoming ? s->flow[i].rate_bps * judge_flow_trip_s(&s->flow[i]) : 0;
    return sum / judge_facts_carried_bps(s, incoming);
}

bool judge_facts_lossy(const struct judge_facts *s)
{
    if (s->sums.known)
        return s->sums.lossy;
    for (size_t i = 0; i < s->n; i++)
        if (s->flow[i].loss_events > 0)
            return true;
    return false;
}

struct judge_facts judge_facts_summed(const struct judge_facts *s)
{
    struct judge_facts summed = *s;
    summed.sums = (struct judge_sums){true,
                                      {judge_facts_carried_bps(s, true), judge_facts_carried_bps(s, false)},
                                      {judge_facts_data_wait_s(s, true), judge_facts_data_wait_s(s, false)},
                                      {judge_facts_trip_s(s, true), judge_facts_trip_s(s, false)}, judge_facts_lossy(s)};
    return summed;
}
