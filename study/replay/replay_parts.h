/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/replay/replay_parts.h - what study/replay/replay_build.c and study/replay/replay_network.c share, and how a judge's facts become a
 * network. */
#pragma once

#include "study/replay/replay.h"

/* A flow of the capture, and where its application had nothing to send. */
struct replay_bulk {
    struct analysis_flow flow;
    size_t slot; /* of the table */
    struct analysis_pause *pauses; /* owned */
    size_t n_pauses;
    bool judged;
    struct judge_flow fact;      /* in the phase that all flows share; of one that was not judged rate and floor alone */
    struct analysis_clocking_figures clocking; /* in that phase, too; full_bytes NAN when unknown */
    double tick_s;               /* of its stamps; NAN unknown */
    double floor_s;              /* round trip through empty queues; NAN unknown */
    enum judge_cause limit;      /* replay_network_limit() */
    double turn_bytes, turn_s;   /* it takes turns: so many bytes, so long after the last are acknowledged; 0 */
};

static inline bool replay_is_paced(const struct replay_bulk *b)
{
    return !(b->turn_bytes > 0) && (b->limit == JUDGE_CAUSE_APPLICATION || b->limit == JUDGE_CAUSE_RECEIVER);
}

/* A rate as a scenario may have it. */
static inline int64_t replay_rate_bps(double bps)
{
    return bps < SCENARIO_RATE_MAX ? llround(fmax(bps, SCENARIO_RATE_MIN)) : SCENARIO_RATE_MAX;
}

/* The delay of a cable as a scenario may have it: stamps may claim any round trip. */
static inline int64_t replay_delay_ps(double ps)
{
    return llround(fmax(0, fmin(ps, (double)SCENARIO_DELAY_PS)));
}

/* A window as a scenario may have it. */
static inline int64_t replay_window_bytes(double bytes)
{
    return bytes < (double)SCENARIO_GIVEN_MAX ? llround(fmax(bytes, 1)) : SCENARIO_GIVEN_MAX;
}

/* A retransmission or two may have been in vain, or a connection's end. */
static inline bool replay_is_lossy(const struct replay_bulk *b)
{
    return b->flow.retransmitted_segments > b->flow.spurious_segments + 2;
}

/* The host an address is placed on; -1: none yet. */
int replay_host_of(const struct study_replay *r, const struct capture_address *a);

/* What a flow is played by: judge_limit_of(). What one that fills its direction together with others would send beyond
 * that does not matter: it is played by what it has in flight, which makes the queue that was there. */
enum judge_cause replay_network_limit(const struct judge_facts *facts, const struct judge_flow *f);

/* r->rate_bps and what they are worth: the judge's, where the capture shows them; of a link that may work for a share of
 * the time alone, the least, and no less than what passed. Else a queue of ACKs that never runs empty passes what its link
 * can, passed_bps, a mean on the wire; the judge's assumption holds where data would still wait as they do; losses show
 * that a link was full, at what 100 ms carried (r->carried_most_bps); and any other is taken to be a quarter faster than
 * that, or as fast as the other way. */
void replay_network_rates(struct study_replay *r, const struct judge_facts *facts, const bool lossy[2],
                          const double passed_bps[2]);

/* What limits each flow; and where the scenario leaves the link to the capture, its rates and the hosts' distances.
 * Hosts are placed, h0 is the shared one. */
void replay_read_network(struct study_replay *r, const struct analysis_flows *table, struct replay_bulk *flows, int n);
