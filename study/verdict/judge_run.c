/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/verdict/judge_run.h"

#include "analysis/flows/steady.h"
#include "judge/posterior.h"
#include "results/directory.h"
#include "scenarios/load.h"
#include "study/run_network.h"
#include "study/verdict/judge_run_evidence.h"
#include "study/verdict/latency.h"

#define TIMES_LEAST 5 /* known in a phase, so that its ends, which lie between, matter little */
#define PARTS 32      /* of a phase, to see where a rate settles */
#define OTHERWISE 0.05 /* of a phase: a mean over so much else is not used where a flow's progress is known */
#define FULL_LINK 0.9 /* of the time there was something on it */
#define LEAST_AGAIN (1.0 / 3) /* of the phase: so long all its flows must live with ACKs first, too */
#define APART 0.1 /* of the time that all have in common: such means do not belong together */

struct run_flow {
    struct analysis_check_flow figures; /* but for the direction, which depends on the resource */
    int64_t bytes;
    double start_s, end_s;
    double warmup_s; /* of the run: steady rates count from here */
    double steady_from_s, steady_to_s; /* what its mean is over */
    size_t row;      /* in flows.csv */
    bool repeats;    /* messages */
    struct study_run_flow known; /* its row: of the summary, NULL without one */
};

struct run_flows {
    struct run_flow *flow; /* owned */
    size_t n;
    struct results_summary summary; /* without ports: of a run that has none */
    struct results_progress progress;
    struct study_run_links links;
    const struct run_flows *again; /* borrowed; the same with ACKs first at every queue; NULL: nobody knows */
    const struct run_flows *fewer; /* and fewer ACKs besides, of QUIC */
    struct error unlike;           /* why some resource cannot be held against that */
};

bool study_judge_run_exists(const char *directory)
{
    return results_directory_has(directory, "flows.csv");
}

static const struct scenario_flow *run_flow_of(const struct scenario *s, const char *name)
{
    for (int i = 0; i < s->n_flows; i++)
        if (strcmp(s->flows[i].name, name) == 0)
            return &s->flows[i];
    return NULL;
}

static struct run_flow run_flow(const struct results_flow *row, const struct scenario *s)
{
    const struct scenario_flow *flow = run_flow_of(s, row->name);
    double window = flow ? study_run_network_window(&flow->tcp) : (double)NAN;
    struct run_flow r = {
        .figures = {.rate_bps = results_flow_rate_bps(row, flow ? flow->bytes : 0),
                    .ci95_bps = results_flow_ci95_bps(row, flow ? flow->bytes : 0),
                    .whole_bps = isfinite(row->goodput_bps) ? row->goodput_bps : 0,
                    .window_bytes = window,
                    .buffer_bytes = window,
                    .retransmitted_segments = row->retransmitted_segments,
                    .loss_events = ANALYSIS_CHECK_LOSS_UNKNOWN},
        .bytes = row->bytes,
        .start_s = (double)row->start_ps / UNITS_PS_PER_S,
        .end_s = (double)row->end_ps / UNITS_PS_PER_S,
        .warmup_s = (double)s->warmup_ps / UNITS_PS_PER_S,
    };
    snprintf(r.figures.src, sizeof r.figures.src, "%s", row->src);
    snprintf(r.figures.dst, sizeof r.figures.dst, "%s", row->dst);
    r.repeats = flow && flow->repeat > 1;
    if (r.repeats && s->barrier) /* as if there were one message of mean length */
        r.end_s = r.start_s + row->message_s;
    r.known.flow = flow;
    return r;
}

/* What a duplex flow carries back. */
static struct run_flow run_flow_back(const struct run_flow *there)
{
    const struct results_flow *row = there->known.row;
    double share = (double)row->delivered_back_bytes / (double)row->bytes;
    struct run_flow back = *there;
    memcpy(back.figures.src, there->figures.dst, sizeof back.figures.src);
    memcpy(back.figures.dst, there->figures.src, sizeof back.figures.dst);
    back.figures.rate_bps *= share;
    back.figures.ci95_bps *= share;
    back.figures.whole_bps *= share;
    back.bytes = row->delivered_back_bytes;
    back.known.back = true;
    return back;
}

/* What its means are over, and its progress, where that is of its life. */
static void run_span(struct run_flow *f, const struct scenario *s, double ended_s,
                     const struct results_progress *progress)
{
    bool done = f->repeats ? s->barrier : f->known.row->done;
    if (progress->n > 0 && (!f->repeats || s->barrier)) {
        f->known.progress = progress;
        f->known.index = f->row;
        f->known.start_s = f->start_s;
        f->known.end_s = f->end_s;
    }
    f->steady_from_s = fmax(f->start_s, f->warmup_s < f->end_s ? f->warmup_s : 0);
    f->steady_to_s = done ? f->end_s : ended_s;
}

/* The summary's rows of the flows, and the links that they use. `flows` has room for the way back of each. */
static void run_links(const struct scenario *s, struct run_flows *flows)
{
    const struct results_summary *summary = &flows->summary;
    size_t rows = flows->n;
    for (size_t i = 0; i < rows; i++) {
        struct run_flow *f = &flows->flow[i];
        const struct results_flow *row = f->row < summary->n_flows ? &summary->flows[f->row] : NULL;
        if (!f->known.flow || !row || strcmp(row->name, f->known.flow->name) != 0)
            continue;
        f->known.row = row;
        run_span(f, s, (double)summary->ended_ps / UNITS_PS_PER_S, &flows->progress);
        if (f->known.flow->duplex && row->delivered_back_bytes > 0)
            flows->flow[flows->n++] = run_flow_back(f);
    }
    study_run_links_init(&flows->links, s, summary);
}

/* The flows that began and got something. */
static bool run_read(const char *directory, const struct scenario *s, struct run_flows *flows, struct error *err)
{
    struct results_flow *rows = NULL;
    size_t n = 0;
    bool ok = results_summary_read(&flows->summary, directory, err) && results_flow_read(directory, &rows, &n, err);
    flows->flow = memory_zeroed(2 * n, sizeof *flows->flow, "the flows of a run");
    for (size_t i = 0; i < n; i++) {
        flows->flow[flows->n] = run_flow(&rows[i], s);
        flows->flow[flows->n].row = i;
        flows->n += rows[i].start_ps >= 0 && flows->flow[flows->n].figures.rate_bps > 0;
    }
    ok = ok && results_progress_read(&flows->progress, rows, n, directory, err);
    free(rows);
    if (ok)
        run_links(s, flows);
    return ok;
}

/* Has the flow a mean of other times than the phase [from_s, to_s), and is its progress in that known? */
static bool run_phased(const struct run_flow *f, double from_s, double to_s)
{
    double apart_s = fabs(f->steady_from_s - from_s) + fabs(f->steady_to_s - to_s);
    return f->known.progress && apart_s > OTHERWISE * (to_s - from_s) &&
           results_progress_times(f->known.progress, from_s, to_s) >= TIMES_LEAST;
}

/* The end of the warm-up; in a phase of its life, where its rate has settled after that, as in a capture, or, if less
 * than half of the phase is after it, anyhow. */
static double run_settled_s(const void *flow, double start_s, double end_s)
{
    const struct run_flow *f = flow;
    bool early = f->known.progress && f->warmup_s > (start_s + end_s) / 2;
    double from_s = early ? start_s : fmax(start_s, f->warmup_s);
    double series[PARTS], part_s = (end_s - from_s) / PARTS;
    if (!run_phased(f, from_s, end_s))
        return from_s;
    for (int i = 0; i < PARTS; i++)
        series[i] = study_run_goodput_bps(&f->known, from_s + i * part_s, from_s + (i + 1) * part_s);
    return from_s + part_s * (double)analysis_steady_start(series, PARTS);
}

static double run_rate_bps(const struct run_flow *f, double from_s, double to_s)
{
    return run_phased(f, from_s, to_s) ? study_run_goodput_bps(&f->known, from_s, to_s) : f->figures.rate_bps;
}

/* Repeated messages have their mean, with its interval, whatever one of them got in the phase. */
static void run_measure(const void *flow, const struct analysis_resource *r, struct analysis_check_flow *measured)
{
    const struct run_flow *f = flow;
    *measured = f->figures;
    if (f->repeats || !run_phased(f, r->steady_start_s, r->end_s))
        return;
    measured->rate_bps = run_rate_bps(f, r->steady_start_s, r->end_s);
    measured->ci95_bps = NAN;
}

/* How a flow uses a host's link or one between switches; false when it does not. */
static bool run_uses(const struct run_flows *run, const struct run_flow *f, const char *resource, bool *incoming)
{
    if (f->known.flow)
        return study_run_links_use(&run->links, &f->known, resource, incoming);
    *incoming = strcmp(f->figures.dst, resource) == 0; /* a program's */
    return *incoming || strcmp(f->figures.src, resource) == 0;
}

/* What is judged: when, and beside whom. */
struct run_phase {
    double from_s, to_s;
    double full_bytes;
    double other_bps[2]; /* in and out, on the wire: of flows that are not judged */
};

/* Steady rates and waits are means from the end of the warm-up, or the flow's start, to its end: what these have in
 * common is the phase of the evidence, or that of the resource where progress tells what was done in it. Returns
 * whether some flow's means are of other times. */
static bool run_apart(const struct analysis_resource *r, const struct analysis_resource_use *const *uses,
                      struct run_phase *s)
{
    double first_s = INFINITY, last_s = 0;
    bool phased = false;
    for (size_t i = 0; i < r->n; i++) {
        const struct run_flow *f = uses[i]->flow;
        first_s = fmin(first_s, f->steady_from_s);
        last_s = fmax(last_s, f->steady_to_s);
        s->from_s = fmax(s->from_s, f->steady_from_s);
        s->to_s = fmin(s->to_s, f->steady_to_s);
        phased = phased || run_phased(f, r->steady_start_s, r->end_s);
    }
    if (!phased)
        return last_s - first_s > (1 + APART) * (s->to_s - s->from_s);
    s->from_s = r->steady_start_s;
    s->to_s = r->end_s;
    return false;
}

static void run_withdraw(struct judge_diagnosis *d)
{
    d->answer = JUDGE_ANSWER_UNKNOWN;
    d->cause = d->second = JUDGE_CAUSE_UNKNOWN;
    d->lost_share = d->in.lost_share = d->out.lost_share = d->in.possible_bps = d->out.possible_bps = NAN;
    d->in.room_bps = d->out.room_bps = NAN;
    d->in.saturated = d->out.saturated = false;
    snprintf(d->why, sizeof d->why, "the flows begin or end at different times, and a run has means over each one's "
             "life: judge a capture of it");
}

/* Wire rate, towards the resource and from it, of flows that are not judged: short ones, ones that end before. */
static void run_others(const struct run_flows *run, const struct analysis_resource *r,
                       const struct analysis_resource_use *const *uses, struct run_phase *s)
{
    double span_s = s->to_s - s->from_s;
    for (size_t i = 0; i < run->n; i++) {
        const struct run_flow *f = &run->flow[i];
        bool incoming, judged = false;
        for (size_t k = 0; k < r->n; k++)
            judged = judged || uses[k]->flow == f;
        if (judged || !run_uses(run, f, r->host, &incoming) || !f->known.row)
            continue;
        double overlap_s = fmin(f->end_s, s->to_s) - fmax(f->start_s, s->from_s);
        double bps = (double)f->bytes * 8 * fmax(0, overlap_s) / (f->end_s - f->start_s) / span_s;
        if (f->known.progress)
            bps = study_run_goodput_bps(&f->known, s->from_s, s->to_s);
        study_run_wire_bps(&f->known, bps, &s->other_bps[incoming ? 0 : 1], &s->other_bps[incoming ? 1 : 0]);
    }
}

/* Adds `by` times what these flows carry together in each of so many parts of [from_s, to_s) to series[], and finds the
 * fewest losses of one that has any. False: the progress of one is not known. */
static bool run_series(const struct run_flow *const *flows, size_t n, double by, double from_s, double to_s,
                       double *series, size_t parts, int64_t *cycles)
{
    double step_s = (to_s - from_s) / (double)parts;
    bool known = true;
    for (size_t i = 0; i < n; i++) {
        const struct run_flow *f = flows[i];
        int64_t events = f->known.row ? f->known.row->steady_loss_events : 0;
        *cycles = events > 0 && (*cycles == 0 || events < *cycles) ? events : *cycles;
        known = known && f->known.progress;
        for (size_t k = 0; k < parts && known; k++)
            series[k] += by * study_run_goodput_bps(&f->known, from_s + (double)k * step_s,
                                                    from_s + (double)(k + 1) * step_s);
    }
    return known;
}

/* Half the width of the 95 % interval of what these flows carry together in the long run, less `by` times what others
 * do at the same time, where there are others. Both may have their ups and downs in common. */
static double run_ci95_bps(const struct run_flows *run, const struct run_flow *const *flows,
                           const struct run_flow *const *others, double by, size_t n,
                           const struct run_phase *s)
{
    size_t parts = results_progress_times(&run->progress, s->from_s, s->to_s);
    MEMORY_LOCAL double *series = memory_zeroed(parts, sizeof *series, "the progress of flows");
    int64_t cycles = 0;
    bool known = run_series(flows, n, 1, s->from_s, s->to_s, series, parts, &cycles) &&
                 (!others || run_series(others, n, -by, s->from_s, s->to_s, series, parts, &cycles));
    double rounding_bps = (1 + by) * 8 * s->full_bytes * (double)parts / (s->to_s - s->from_s);
    struct estimate_series all = {series, known ? parts : 0, rounding_bps, (size_t)cycles};
    return estimate_steady(&all).ci95;
}

/* Receivers answer at once what comes out of order, and then more often. */
static double run_segments_per_ack(const struct study_run_links *links, const struct analysis_resource_use *const *uses,
                                   size_t n)
{
    double segments = 0, acks = 0;
    for (size_t i = 0; i < n; i++) {
        const struct run_flow *f = uses[i]->flow;
        segments += f->known.row ? (double)f->known.row->data_frames : 0;
        acks += f->known.row ? (double)f->known.row->ack_frames : 0;
    }
    double most = (double)links->scenario->tcp.delayed_ack;
    return acks > 0 ? fmin(most, fmax(1, segments / acks)) : most;
}

/* The flow of another emulation of the same scenario; NULL: it never began there. */
static const struct run_flow *run_same(const struct run_flows *run, const struct run_flow *f)
{
    for (size_t i = 0; i < run->n; i++)
        if (run->flow[i].row == f->row && run->flow[i].known.back == f->known.back)
            return &run->flow[i];
    return NULL;
}

/* Is the flow's rate in [from_s, to_s) known, or a mean over nearly the same time? Repeated messages have theirs. */
static bool run_known(const struct run_flow *f, double from_s, double to_s)
{
    double apart_s = fabs(f->steady_from_s - from_s) + fabs(f->steady_to_s - to_s);
    return f->repeats || run_phased(f, from_s, to_s) || apart_s <= OTHERWISE * (to_s - from_s);
}

/* Puts these flows of the other emulation in place of same[n], and cuts the phase to where all of them live there, too:
 * flows that end are sooner done with ACKs first, and whoever is left has more of the link then. */
static bool run_phase_again(const struct run_flows *run, const struct run_flow **same, size_t n, double from_s,
                            double *to_s, struct error *why_not)
{
    double end_s = *to_s;
    for (size_t i = 0; i < n; i++) {
        same[i] = run_same(run, same[i]);
        if (!same[i] || !same[i]->known.row)
            return error_set(why_not, ERROR_INPUT, "a flow never begins");
        if (!same[i]->repeats)
            end_s = fmin(end_s, same[i]->end_s);
    }
    for (size_t i = 0; i < n; i++)
        if ((!same[i]->repeats && same[i]->start_s > from_s) || end_s - from_s < LEAST_AGAIN * (*to_s - from_s) ||
            !run_known(same[i], from_s, end_s))
            return error_set(why_not, ERROR_INPUT, "its flows live at other times");
    *to_s = end_s;
    return true;
}

/* What the judged flows of a resource carry in another emulation. False with *why_not: that is not known. */
static bool run_tried(const struct run_flows *run, const struct run_flows *again, const struct analysis_resource *r,
                      const struct analysis_resource_use *const *uses, const struct run_phase *s,
                      struct judge_tried *t, struct error *why_not)
{
    MEMORY_LOCAL const struct run_flow **same = memory_zeroed(3 * r->n, sizeof *same, "the flows of a host");
    const struct run_flow **before = same + r->n, **after = before + r->n;
    double to_s = s->to_s;
    bool endless = true;
    for (size_t i = 0; i < r->n; i++) {
        same[i] = uses[i]->flow;
        /* Endless is what goes on for as long as the run does. */
        endless = endless && (same[i]->repeats || !same[i]->known.flow || same[i]->known.flow->bytes == 0);
    }
    bool ok = run_phase_again(again, same, r->n, s->from_s, &to_s, why_not);
    *t = (struct judge_tried){.bps = {0, 0, 0}};
    for (int way = 0; way < 3 && ok; way++) { /* in, out, both */
        double carried_bps = 0;
        size_t n = 0;
        for (size_t i = 0; i < r->n; i++) {
            if (way < 2 && r->flows[i].incoming != (way == 0))
                continue;
            before[n] = uses[i]->flow;
            after[n++] = same[i];
            carried_bps += run_rate_bps(uses[i]->flow, s->from_s, s->to_s);
            t->bps[way] += run_rate_bps(same[i], s->from_s, to_s);
        }
        double ci95_bps = endless ? run_ci95_bps(run, before, after, carried_bps / t->bps[way], n, s) : (double)NAN;
        t->lost_ci95[way] = ci95_bps / t->bps[way];
    }
    return ok;
}

/* A direction of the resource's own link, which a run knows. */
static void run_link(const struct study_run_links *links, const char *host, bool incoming, double other_bps,
                     struct judge_link *l)
{
    *l = (struct judge_link){.capacity_bps = study_run_links_rate_bps(links, host, incoming), .other_bps = other_bps,
                             .drain_s = INFINITY};
    l->source = isfinite(l->capacity_bps) ? JUDGE_CAPACITY_KNOWN : JUDGE_CAPACITY_UNKNOWN;
    l->acks_stand = study_run_links_busy(links, host, !incoming) > FULL_LINK;
}

static void run_latency(const struct run_flows *run, const struct analysis_resource_use *const *uses,
                        const struct judge_flow *flow, size_t n, const struct run_phase *s, struct judge_latency *l)
{
    struct study_latency x = {0};
    for (size_t i = 0; i < n; i++) {
        const struct study_run_flow *known = &((const struct run_flow *)uses[i]->flow)->known;
        if (known->progress == &run->progress)
            study_latency_add(&x, known->progress, known->index, flow[i].floor_s, s->from_s, s->to_s);
    }
    study_latency_get(&x, l);
}

/* Flows of QUIC, and what fewer ACKs win beyond what is possible, where that is enough for a yes. */
static void run_quic(const struct run_flows *run, const struct analysis_resource *r,
                     const struct analysis_resource_use *const *uses, const struct run_phase *s, struct judge_diagnosis *d)
{
    struct judge_tried tried;
    struct error why_not = {0};
    d->quic = true;
    for (size_t i = 0; i < r->n; i++) {
        const struct run_flow *f = uses[i]->flow;
        d->quic = d->quic && f->known.flow && f->known.flow->tcp.quic;
    }
    if (!d->quic || !run->fewer || !run_tried(run, run->fewer, r, uses, s, &tried, &why_not))
        return;
    double possible_bps = d->answer == JUDGE_ANSWER_YES ? d->in.possible_bps + d->out.possible_bps
                                                        : d->in.carried_bps + d->out.carried_bps;
    if (tried.bps[2] - possible_bps > JUDGE_DIAGNOSIS_TOTAL * tried.bps[2])
        d->fewer_acks_bps = tried.bps[2] - possible_bps;
}

static void run_diagnose(void *user, struct analysis_resource *r, const struct analysis_resource_use *const *uses)
{
    struct run_flows *run = user;
    struct study_run_links *links = &run->links;
    MEMORY_LOCAL struct judge_flow *flow = memory_zeroed(r->n, sizeof *flow, "the flows of a host");
    struct run_phase s = {.from_s = 0, .to_s = INFINITY, .full_bytes = (double)links->scenario->tcp.segment_bytes};
    bool apart = run_apart(r, uses, &s);
    r->port = emu_graph_host(r->host) < 0;
    MEMORY_LOCAL const struct run_flow **all = memory_zeroed(r->n, sizeof *all, "the flows of a host");
    for (size_t i = 0; i < r->n; i++)
        all[i] = uses[i]->flow;
    struct judge_facts facts = {.flow = flow, .n = r->n, .full_bytes = s.full_bytes, .beside = true,
                                .segments_per_ack = run_segments_per_ack(links, uses, r->n),
                                .ci95_bps = run_ci95_bps(run, all, NULL, 0, r->n, &s)};
    struct judge_tried tried;
    if (run->again && !apart && run_tried(run, run->again, r, uses, &s, &tried, &run->unlike))
        facts.tried = &tried;
    run_others(run, r, uses, &s);
    run_link(links, r->host, true, s.other_bps[0], &facts.in);
    run_link(links, r->host, false, s.other_bps[1], &facts.out);
    study_run_links_empty(links);
    for (size_t i = 0; i < run->n; i++)
        if (run->flow[i].known.row)
            study_run_links_add(links, &run->flow[i].known, s.from_s, s.to_s);
    r->diagnosed = true;
    for (size_t i = 0; i < r->n; i++) {
        const struct run_flow *f = uses[i]->flow;
        flow[i] = (struct judge_flow){.incoming = r->flows[i].incoming, .rate_bps = run_rate_bps(f, s.from_s, s.to_s),
                                      .window_bps = INFINITY, .clocked = NAN};
        r->diagnosed = r->diagnosed && f->known.row;
        if (f->known.row)
            study_run_evidence(links, &f->known, r->host, s.from_s, s.to_s, &flow[i]);
    }
    if (r->diagnosed && study_run_host_busy(links->scenario, r->host, &facts) > STUDY_RUN_BUSY)
        facts.host = JUDGE_CAUSE_SLOW_HOST;
    for (size_t i = 0; facts.host == JUDGE_CAUSE_SLOW_HOST && i < r->n; i++) /* no link that is not full makes it wait */
        *(flow[i].incoming ? &flow[i].host_data_s : &flow[i].host_ack_s) =
            flow[i].incoming ? flow[i].data_wait_s : flow[i].ack_wait_s;
    if (r->diagnosed) {
        judge_posterior_decide(&(struct judge_case){&facts, 1}, 1, &r->diagnosis);
        run_latency(run, uses, flow, r->n, &s, &r->diagnosis.latency);
        if (!apart)
            run_quic(run, r, uses, &s, &r->diagnosis);
    }
    for (size_t i = 0, waits = 0; r->diagnosed && i < r->n; i++) {
        if (i > 0 && !(flow[i].ack_wait_s > flow[waits].ack_wait_s))
            continue;
        const struct run_flow *f = uses[waits = i]->flow;
        snprintf(r->diagnosis.place, sizeof r->diagnosis.place, "%s", study_run_links_place(links, &f->known, r->host));
    }
    if (r->diagnosed && apart)
        run_withdraw(&r->diagnosis);
    for (size_t i = 0; r->diagnosed && i < r->n; i++) {
        r->flows[i].floor_s = flow[i].floor_s;
        r->flows[i].data_wait_s = flow[i].data_wait_s;
        r->flows[i].ack_wait_s = flow[i].ack_wait_s;
    }
}

static void run_judge(struct run_flows *flows, size_t least, const char *resource, const struct model_link *link,
                      struct analysis_resource_use *uses, double tolerance, struct analysis_resources *resources)
{
    const struct analysis_resource_source source = {
        .settled_s = run_settled_s,
        .measure = run_measure,
        .diagnose = run_diagnose,
        .user = flows,
        .least = least,
        .whole_lives = flows->progress.n == 0 || !flows->links.scenario || flows->links.scenario->barrier,
    };
    size_t n = 0;
    for (size_t i = 0; i < flows->n; i++) {
        const struct run_flow *f = &flows->flow[i];
        bool incoming;
        if (run_uses(flows, f, resource, &incoming))
            uses[n++] = (struct analysis_resource_use){{f->start_s, f->end_s, incoming}, f->bytes, f};
    }
    analysis_resource_judge(&source, resource, uses, n, link, tolerance, resources);
}

static bool run_judged_before(const struct run_flows *flows, size_t flow, bool dst)
{
    const struct analysis_check_flow *f = &flows->flow[flow].figures;
    const char *host = dst ? f->dst : f->src;
    for (size_t i = 0; i < flow; i++) {
        bool incoming;
        if (run_uses(flows, &flows->flow[i], host, &incoming))
            return true;
    }
    return dst && strcmp(host, f->src) == 0;
}

/* Cables between switches that are full one way or the other; a tree's only one in any case. */
static void run_judge_links(const struct scenario *s, struct run_flows *flows, size_t least,
                            struct analysis_resource_use *uses, double tolerance, struct analysis_resources *resources)
{
    const struct study_run_links *links = &flows->links;
    const struct emu_graph *g = &links->graph;
    bool backbone = s->network.topology == EMU_TOPOLOGY_TREE && !s->network.root;
    for (int i = 0; i < g->n_links; i++) {
        const struct study_run_link *way = &links->link[2 * i];
        struct model_link link = study_run_network_link(s);
        bool full = backbone;
        if (g->links[i].end[0] < g->hosts || g->links[i].end[1] < g->hosts)
            continue;
        for (int k = 0; k < 2; k++)
            full = full || way[k].busy > FULL_LINK;
        link.rate_bps = way->port ? way->rate_bps : (double)g->links[i].way[0].rate_bps;
        if (full)
            run_judge(flows, least, way->name, &link, uses, tolerance, resources);
    }
}

/* Whatever `least` flows use at once. */
static void run_judge_all(const struct scenario *s, struct run_flows *flows, size_t least, double tolerance,
                          struct analysis_resources *resources)
{
    struct model_link link = study_run_network_link(s);
    MEMORY_LOCAL struct analysis_resource_use *uses = memory_zeroed(flows->n, sizeof *uses, "the flows of a host");
    for (size_t i = 0; i < 2 * flows->n; i++) { /* both ends of every flow */
        const struct analysis_check_flow *f = &flows->flow[i / 2].figures;
        bool dst = i % 2;
        if (!run_judged_before(flows, i / 2, dst))
            run_judge(flows, least, dst ? f->dst : f->src, &link, uses, tolerance, resources);
    }
    run_judge_links(s, flows, least, uses, tolerance, resources);
}

static void run_fini(struct run_flows *flows)
{
    study_run_links_fini(&flows->links);
    results_summary_fini(&flows->summary);
    results_progress_fini(&flows->progress);
    free(flows->flow);
}

/* What two flows and more use at once, or, where nothing is shared, whatever is used. */
static void run_judge_resources(const struct scenario *s, struct run_flows *flows, double tolerance,
                                struct analysis_resources *resources)
{
    struct analysis_resources alone = {0};
    *resources = (struct analysis_resources){0};
    run_judge_all(s, flows, 2, tolerance, resources);
    if (resources->n == 0)
        run_judge_all(s, flows, 1, tolerance, &alone);
    resources->alone = alone.resource;
    resources->n_alone = alone.n;
    analysis_resources_sort(resources);
}

struct run_again {
    const struct scenario *scenario; /* borrowed */
    struct run_flows flows;
};

static bool run_take(void *user, const char *directory, struct error *err)
{
    struct run_again *again = user;
    return run_read(directory, again->scenario, &again->flows, err);
}

/* Are all flows of QUIC, whose receivers may be asked for fewer ACKs? */
static bool run_all_quic(const struct scenario *s)
{
    bool quic = s->n_flows > 0;
    for (int i = 0; i < s->n_flows; i++)
        quic = quic && s->flows[i].tcp.quic;
    return quic;
}

/* Judges once more, by what was possible in a second emulation, where anything was diagnosed that this would change; and
 * by what fewer ACKs would win, in a third. */
static void run_judge_again(const char *directory, const struct scenario *s, struct run_flows *flows, double tolerance,
                            struct study_ack_first *ask, struct analysis_resources *resources)
{
    struct run_again again = {.scenario = s}, fewer = {.scenario = s};
    const struct analysis_resource *r;
    bool any = false;
    for (size_t i = 0; (r = analysis_resources_get(resources, i)); i++)
        any = any || r->diagnosed;
    ask->why_not = (struct error){0};
    if (any && study_ack_first_run(ask, directory, s, 0, &flows->summary, run_take, &again))
        flows->again = &again.flows;
    struct error why_not = ask->why_not;
    if (any && run_all_quic(s) && study_ack_first_run(ask, directory, s, JUDGE_CAUSE_FEWER_ACKS, &flows->summary, run_take, &fewer))
        flows->fewer = &fewer.flows;
    ask->why_not = why_not;
    if (flows->again || flows->fewer) {
        analysis_resources_fini(resources);
        run_judge_resources(s, flows, tolerance, resources);
    }
    if (flows->again)
        ask->why_not = flows->unlike;
    run_fini(&again.flows);
    run_fini(&fewer.flows);
}

bool study_judge_run_directory(const char *directory, double tolerance, struct study_ack_first *again,
                               struct analysis_resources *resources, struct error *err)
{
    struct run_flows flows = {0};
    MEMORY_ENDS(scenario_fini) struct scenario s = {0};
    *resources = (struct analysis_resources){0};
    MEMORY_LOCAL char *path = results_directory_path(directory, "scenario.yaml");
    bool ok = scenario_load(&s, path, NULL, 0, err);
    if (!ok)
        return false;
    ok = run_read(directory, &s, &flows, err);
    if (ok)
        run_judge_resources(&s, &flows, tolerance, resources);
    if (ok && again)
        run_judge_again(directory, &s, &flows, tolerance, again, resources);
    run_fini(&flows);
    return ok;
}
