/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/host.h"

#include <math.h>

#define ALIKE 0.3      /* of the mean, and more, every flow waits: all wait in one queue */
#define OTHER_SIDE 0.3 /* of it, at most, its flows wait on the other side */
#define NOISE 4        /* times what legs without a wait seem to be off */
#define MOST_OF_RTT 0.5
#define LEAST_S 250e-6 /* less may be interrupts that a host lets come together */
#define FASTER 1.2     /* than on average frames pass the tap, now and then */
#define RUNS 2         /* times as long as their run has lasted frames wait */
#define SILENT 0.1     /* of the time */
#define IN_RUNS 0.9    /* of the bytes leave back to back */
#define STOPS 0.05     /* of the time, by PAUSE frames that are seen */
#define NEARER 2       /* times nearer than any peer */

/* What a host's flows wait between the tap and the host, on the way to it and from it. */
struct host_waits {
    double in_s, out_s; /* as stamps show them: means, by rate */
    double all_s;       /* with what they never showed */
    double least_s;     /* of a flow, likewise */
    double noise_s;     /* where there seems to be no wait */
    double rtt_s;
};

/* Mean of a leg's waits in the phase; NAN without one. */
static double host_leg_s(const struct analysis_evidence *e, enum analysis_leg leg)
{
    return e->leg_seen[leg] ? e->leg_s[leg] : (double)NAN;
}

static double host_in_s(const struct analysis_evidence *e)
{
    return host_leg_s(e, e->flow->incoming ? ANALYSIS_LEG_DATA_IN : ANALYSIS_LEG_ACK_IN);
}

static double host_out_s(const struct analysis_evidence *e)
{
    return host_leg_s(e, e->flow->incoming ? ANALYSIS_LEG_ACK_OUT : ANALYSIS_LEG_DATA_OUT);
}

/* What a flow's stamps never saw of the way to the host and back, as it began behind a standing queue: on which side,
 * its other waits tell. */
static double host_lacks_s(const struct analysis_evidence *e)
{
    enum analysis_loop near = e->flow->incoming ? ANALYSIS_LOOP_RECEIVER : ANALYSIS_LOOP_SENDER;
    double lacks_s = e->stamped_s[near] - e->near_least_s;
    return isfinite(lacks_s) ? fmax(0, lacks_s) : 0;
}

/* Both sides together; no wait is negative. */
static double host_all_s(const struct analysis_evidence *e)
{
    double in_s = host_in_s(e), out_s = host_out_s(e);
    return isfinite(in_s + out_s) ? fmax(0, in_s) + fmax(0, out_s) + host_lacks_s(e) : (double)NAN;
}

/* False where some flow's waits are not known, or its application's pauses are among them. */
static bool host_waits_of(const struct analysis_evidence_set *s, struct host_waits *w)
{
    double all_bps = 0;
    *w = (struct host_waits){.least_s = INFINITY};
    for (size_t i = 0; i < s->n; i++) {
        const struct analysis_evidence *e = &s->flow[i];
        double x = e->flow->rate_bps, in_s = host_in_s(e), out_s = host_out_s(e);
        double all_s = host_all_s(e);
        if (e->pauses || !isfinite(all_s + analysis_evidence_rtt_s(e)))
            return false;
        w->in_s += x * in_s;
        w->out_s += x * out_s;
        w->all_s += x * all_s;
        w->rtt_s += x * analysis_evidence_rtt_s(e);
        w->least_s = fmin(w->least_s, all_s);
        w->noise_s = fmax(w->noise_s, fmin(fabs(in_s), fabs(out_s)));
        all_bps += x;
    }
    w->in_s /= all_bps;
    w->out_s /= all_bps;
    w->all_s /= all_bps;
    w->rtt_s /= all_bps;
    return all_bps > 0 && w->least_s > ALIKE * w->all_s;
}

static bool host_several_peers(const struct analysis_evidence_set *s)
{
    for (size_t i = 1; i < s->n; i++)
        if (!capture_address_same(&s->flow[0].peer, &s->flow[i].peer))
            return true;
    return false;
}

/* The tap is beside this host, not beside its peer. */
static bool host_is_near(const struct analysis_evidence_set *s)
{
    double near_s = INFINITY, far_s = INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        near_s = fmin(near_s, s->flow[i].near_least_s);
        far_s = fmin(far_s, s->flow[i].far_least_s);
    }
    return near_s <= ANALYSIS_HOST_NEAR_S && (host_several_peers(s) || NEARER * near_s <= far_s);
}

/* Frames that leave as if a queue were served without resting wait no longer than their runs have lasted. */
static bool host_rests(const struct host_waits *w, const struct analysis_spacing_figures *out)
{
    return w->all_s > RUNS * out->run_s;
}

static bool host_is_slow(const struct analysis_evidence_set *s, const struct host_waits *w,
                         const struct analysis_spacing_figures *in, const struct analysis_spacing_figures *out)
{
    bool before = w->in_s > NOISE * w->noise_s && w->out_s < OTHER_SIDE * w->in_s;
    bool neither = host_rests(w, out) && out->silent < SILENT && w->out_s < OTHER_SIDE * w->all_s;
    return (before || neither) && w->all_s > fmax(LEAST_S, MOST_OF_RTT * w->rtt_s) &&
           in->fastest_bps > FASTER * in->mean_bps && in->frame_s < ANALYSIS_HOST_FRAME_S && host_is_near(s);
}

static bool host_is_stopped(const struct analysis_evidence_set *s, const struct host_waits *w,
                            const struct analysis_spacing_figures *out)
{
    return host_rests(w, out) && out->silent > SILENT && out->line_share > IN_RUNS &&
           w->all_s > MOST_OF_RTT * w->rtt_s && w->in_s < OTHER_SIDE * w->all_s && host_several_peers(s);
}

/* All of it is on the way into the host: its data's wait, or its ACKs'. */
static void host_spare(struct analysis_evidence *e, double wait_s)
{
    double *there_s = e->flow->incoming ? &e->data_wait_s : &e->ack_wait_s;
    double *back_s = e->flow->incoming ? &e->ack_wait_s : &e->data_wait_s;
    double moved_s = fmin(fmax(0, wait_s - *there_s), *back_s);
    *there_s += moved_s;
    *back_s -= moved_s;
    *(e->flow->incoming ? &e->host_data_s : &e->host_ack_s) = fmin(wait_s, *there_s);
}

void analysis_host_find(struct analysis_evidence_set *s, const struct analysis_capacity_host *frames)
{
    struct analysis_spacing_figures in, out;
    struct host_waits w;
    s->host = s->paused > STOPS ? JUDGE_CAUSE_PAUSE : JUDGE_CAUSE_UNKNOWN;
    /* Where others' data pass the tap it is not the host's line whose frames these are: its own rest while others' pass. */
    if (!frames || frames->others > 0 || !host_waits_of(s, &w))
        return;
    analysis_spacing_get(&frames->in.spacing, &in);
    analysis_spacing_get(&frames->out.spacing, &out);
    if (fmin(in.frame_s, out.frame_s) < s->stamp_s) /* runs and silences are the capture's clock's */
        return;
    s->stopped = host_is_stopped(s, &w, &out);
    if (s->stopped)
        s->host = JUDGE_CAUSE_PAUSE;
    else if (host_is_slow(s, &w, &in, &out))
        s->host = JUDGE_CAUSE_SLOW_HOST;
    for (size_t i = 0; i < s->n && s->host == JUDGE_CAUSE_SLOW_HOST; i++)
        host_spare(&s->flow[i], host_all_s(&s->flow[i]));
}
