/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/fit/fit_regimes.h"

#include "study/run_network.h"

static bool setup_shares_host(const struct scenario *s, int flow)
{
    for (int i = 0; i < flow; i++) {
        if (s->flows[i].from + s->flows[i].to == s->flows[flow].from + s->flows[flow].to) /* one of them is h0 */
            return true;
    }
    return false;
}

/* Flows in and out of h0, all without end, some of either, no two of which share another host. */
static bool study_regime_setup_is_star(const struct scenario *s)
{
    int n[2] = {0, 0};
    if (s->network.topology != EMU_TOPOLOGY_STAR || !scenario_has_streams(s) || s->traffic != SCENARIO_TRAFFIC_FLOWS)
        return false;
    for (int i = 0; i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        if (f->bytes > 0 || f->duplex || f->n_pauses > 0 || (f->from == 0) == (f->to == 0) || setup_shares_host(s, i))
            return false;
        n[f->from == 0]++;
    }
    return n[0] > 0 && n[1] > 0;
}

static double setup_limit(int64_t bytes)
{
    return bytes == EMU_QUEUE_UNLIMITED ? (double)INFINITY : (double)bytes;
}

static enum model_regime_acks setup_acks(enum emu_discipline discipline)
{
    static const enum model_regime_acks acks[] = {[EMU_DISCIPLINE_ACKS_WAIT] = MODEL_REGIME_ACKS_WAIT,
                                                  [EMU_DISCIPLINE_ACKS_LEAD] = MODEL_REGIME_ACKS_FIRST,
                                                  [EMU_DISCIPLINE_ACKS_TAKE_TURNS] = MODEL_REGIME_ACKS_TURN};
    return acks[emu_disciplines[discipline]->acks];
}

static const char *setup_network(const struct scenario *s, struct model_regime_setup *setup)
{
    const struct emu_switch_config *sw = &s->network.sw;
    bool shared = emu_architectures[sw->architecture]->place == EMU_ARCHITECTURE_IN_POOL;
    if (emu_architectures[sw->architecture]->place == EMU_ARCHITECTURE_AT_INPUTS)
        return "the switch buffers at its inputs";
    if (emu_disciplines[s->network.nic.discipline]->drops_early || emu_disciplines[sw->queue.discipline]->drops_early)
        return "a queue drops frames before its buffer is full";
    if (s->network.nic.mark_bytes > 0 || sw->queue.mark_bytes > 0)
        return "a queue marks frames";
    if (!emu_discipline_is_plain(emu_disciplines[s->network.nic.discipline]) ||
        !emu_discipline_is_plain(emu_disciplines[sw->queue.discipline]))
        return "a queue serves classes, or holds frames back";
    if (sw->cut_through || sw->latency_ps > 0 || sw->backplane_bps > 0 || s->network.uplinks > 0)
        return "the switch is more than a queue a port";
    if (emu_network_takes_time(&s->network))
        return "hosts need time for a frame";
    if (s->network.link.faults.on || s->network.backbone.faults.on)
        return "links lose, delay or reorder frames";
    if (s->network.nic.limit_packets != EMU_QUEUE_UNLIMITED || sw->queue.limit_packets != EMU_QUEUE_UNLIMITED ||
        (shared && sw->pool.packets != EMU_QUEUE_UNLIMITED))
        return "buffers are counted in packets";
    if (sw->pause.n_classes > 0)
        return "PAUSE is by class";
    if (sw->pause.on && (s->network.pause_hosts || sw->pause.xoff.bytes == EMU_QUEUE_UNLIMITED))
        return "PAUSE is not on every link, or counts packets";
    setup->delay_s = (double)s->network.link.delay_ps / UNITS_PS_PER_S;
    setup->nic_acks = setup_acks(s->network.nic.discipline);
    setup->port_acks = setup_acks(sw->queue.discipline);
    setup->nic_limit_bytes = setup_limit(s->network.nic.limit_bytes);
    setup->port_limit_bytes = setup_limit(sw->queue.limit_bytes);
    if (shared) /* one port is the pool's only user, and may have alpha times what it leaves */
        setup->port_limit_bytes = fmin(setup->port_limit_bytes,
                                       setup_limit(sw->pool.bytes) * (sw->alpha > 0 ? sw->alpha / (1 + sw->alpha) : 1));
    setup->pause = !sw->pause.on             ? MODEL_REGIME_PAUSE_OFF
                   : sw->pause.everybody ? MODEL_REGIME_PAUSE_EVERYBODY
                                         : MODEL_REGIME_PAUSE_SENDERS;
    setup->xoff_bytes = (double)sw->pause.xoff.bytes;
    setup->xon_bytes = (double)sw->pause.xon.bytes;
    return NULL;
}

/* Of such a star. NULL, or why it has no closed form: the switch buffers at its inputs, a congestion control that sets
 * windows of its own, ... */
static const char *study_regime_setup(const struct scenario *s, struct model_regime_setup *setup)
{
    const struct emu_tcp_config *tcp = &s->flows[0].tcp;
    *setup = (struct model_regime_setup){
        .link = study_run_network_link(s),
        .small_queue_bytes = (double)tcp->small_queue_bytes,
    };
    for (int i = 0; i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        bool incoming = f->to == 0;
        double window = study_run_network_window(&f->tcp);
        double *seen = incoming ? &setup->incoming_window_bytes : &setup->outgoing_window_bytes;
        (*(incoming ? &setup->incoming : &setup->outgoing))++;
        if (*seen > 0 && *seen != window)
            return "windows differ within a direction";
        *seen = window;
        if (f->tcp.initial_window_segments * f->tcp.segment_bytes < (int64_t)window)
            return "windows are not open at the start";
        if (!emu_congestion_rows[f->tcp.congestion].until_loss)
            return "a congestion control that may set windows of its own";
    }
    return setup_network(s, setup);
}

static void regimes_fini(void *state)
{
    struct study_fit_regimes *r = state;
    for (size_t i = 0; i < r->n; i++) {
        free(r->point[i].source);
        json_decref(r->point[i].axes);
    }
    free(r->point);
}

static bool regimes_other_axes(json_t *axes)
{
    const char *key;
    json_t *value;
    json_object_foreach(axes, key, value)
    {
        if (strcmp(key, "traffic.star.incoming") != 0 && strcmp(key, "traffic.star.outgoing") != 0)
            return true;
    }
    return false;
}

/* The point that a run belongs to: the seeds of one point follow each other. */
static struct study_fit_regimes_point *regimes_point(struct study_fit_regimes *r, const char *source,
                                                     const struct sweep_result *result)
{
    struct study_fit_regimes_point *p = r->n > 0 ? &r->point[r->n - 1] : NULL;
    if (p && strcmp(p->source, source) == 0 && json_equal(p->axes, result->axes))
        return p;
    r->point = memory_grown(r->point, r->n, &r->capacity, 64, sizeof *r->point, "points of regimes");
    p = &r->point[r->n++];
    *p = (struct study_fit_regimes_point){.source = memory_text("%s", source), .axes = json_deep_copy(result->axes)};
    for (int i = 0; i < STUDY_FIT_REGIMES_CLASSES; i++)
        p->rate[i] = (struct study_fit_regimes_spread){.min_bps = INFINITY, .max_bps = -INFINITY};
    struct model_regime_setup setup;
    p->why = study_regime_setup(result->scenario, &setup);
    if (!p->why && !model_regime(&setup, ANALYSIS_CHECK_TOLERANCE, &p->predicted))
        p->why = "windows below a segment";
    if (p->why)
        p->predicted = (struct model_regime_answer){
            .regime = MODEL_REGIME_UNKNOWN, .in_bps = NAN, .out_bps = NAN, .margin_bytes = NAN, .why = p->why,
        };
    p->why = p->predicted.why;
    p->incoming = setup.incoming;
    p->outgoing = setup.outgoing;
    return p;
}

/* One run's flows of a direction: sums over runs, and how fairly these shared. */
static void regimes_add(struct study_fit_regimes_spread *s, const struct analysis_check_flow *flows, int n,
                        bool incoming)
{
    double sum = 0, squares = 0;
    int of = 0;
    for (int i = 0; i < n; i++) {
        if (flows[i].incoming != incoming)
            continue;
        double x = flows[i].rate_bps;
        estimate_add(&s->rate_bps, x);
        s->min_bps = fmin(s->min_bps, x);
        s->max_bps = fmax(s->max_bps, x);
        sum += x;
        squares += x * x;
        of++;
    }
    s->jain += of > 0 ? sum * sum / (of * squares) : (double)NAN;
}

static bool regimes_take(void *state, const char *source, const struct sweep_result *result, struct error *err UNUSED)
{
    struct study_fit_regimes *r = state;
    const struct scenario *s = result->scenario;
    if (!study_regime_setup_is_star(s) || !regimes_other_axes(result->axes))
        return true;
    struct study_fit_regimes_point *p = regimes_point(r, source, result);
    MEMORY_LOCAL struct analysis_check_flow *flows = memory_zeroed((size_t)s->n_flows, sizeof *flows, "the flows of a run");
    for (int i = 0; i < s->n_flows; i++) {
        const struct results_flow *f = &result->flows[i];
        const struct emu_tcp_config *tcp = &s->flows[i].tcp;
        double segment = (double)tcp->segment_bytes, window = floor(study_run_network_window(tcp) / segment) * segment;
        double rate = results_flow_rate_bps(f, s->flows[i].bytes);
        flows[i] = (struct analysis_check_flow){
            .incoming = s->flows[i].to == 0,
            .rate_bps = rate > 1 ? rate : 1, /* a starved flow has a rate, if none to speak of */
            .ci95_bps = results_flow_ci95_bps(f, s->flows[i].bytes),
            .window_bytes = window,
            .buffer_bytes = window,
            .retransmitted_segments = f->retransmitted_segments,
            .loss_events = ANALYSIS_CHECK_LOSS_UNKNOWN,
        };
        p->retransmitted += f->retransmitted_segments > 0 ? (double)f->retransmitted_segments : 0;
    }
    struct analysis_judgement judgement;
    struct model_link link = study_run_network_link(s);
    analysis_check_resource(flows, (size_t)s->n_flows, &link, ANALYSIS_CHECK_TOLERANCE, &judgement);
    p->observed[judgement.verdict]++;
    p->runs++;
    regimes_add(&p->rate[0], flows, s->n_flows, true);
    regimes_add(&p->rate[1], flows, s->n_flows, false);
    return true;
}

enum model_regime study_fit_regimes_most(const struct study_fit_regimes_point *p)
{
    int most = 0;
    for (int i = 1; i < MODEL_REGIMES; i++)
        most = p->observed[i] > p->observed[most] ? i : most;
    return (enum model_regime)most;
}

static void regimes_fit(void *state)
{
    struct study_fit_regimes *r = state;
    for (size_t i = 0; i < r->n; i++) {
        struct study_fit_regimes_point *p = &r->point[i];
        enum model_regime predicted = p->predicted.regime, most = study_fit_regimes_most(p);
        r->runs += p->runs;
        r->count[predicted][most]++;
        r->known += predicted != MODEL_REGIME_UNKNOWN;
        r->agree += predicted == most;
        r->one_verdict += p->observed[most] == p->runs;
        p->rate_error = isfinite(p->predicted.in_bps) ? fmax(fabs(p->rate[0].rate_bps.mean / p->predicted.in_bps - 1),
                                                             fabs(p->rate[1].rate_bps.mean / p->predicted.out_bps - 1))
                                                      : (double)NAN;
    }
}

STUDY_FIT_PART(regimes, n);
