/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/infer/measurement.h"

/* A copy whose lists are its own: a replay puts others in their place. */
static struct scenario capture_base(const struct scenario *base)
{
    struct scenario s = *base;
    s.flows = NULL;
    s.n_flows = 0;
    s.points = NULL;
    s.n_points = 0;
    s.datagrams = NULL;
    s.n_datagrams = 0;
    s.captures = NULL;
    s.n_captures = 0;
    s.burst = (struct scenario_burst){.n_sources = 0};
    s.pingpong = (struct scenario_pingpong){.n_pairs = 0};
    s.pause_hosts = NULL;
    s.delays_ps = NULL;
    s.network.delays_ps = NULL;
    s.network.n_delays = 0;
    s.traffic = SCENARIO_TRAFFIC_FLOWS;
    s.barrier = false;
    s.precision = 0;
    s.engine = SCENARIO_ENGINE_NATIVE;
    return s;
}

bool study_measurement_read_capture(struct study_measurement *m, const char *path, const struct scenario *base,
                                    bool reads_network, bool reads_start,
                                    const struct study_capture_listener *listener, struct error *err)
{
    struct analysis_capture capture;
    struct analysis_flows *table = study_capture_read(path, true, listener, &capture, err);
    if (!table)
        return false;
    struct study_measurement_pattern *p = study_measurement_pattern_of(m, path);
    p->replay = memory_zeroed(1, sizeof *p->replay, "a capture");
    struct study_replay *r = p->replay;
    r->scenario = capture_base(base);
    r->reads_network = reads_network;
    r->reads_start = reads_start;
    r->reads_segment = r->reads_acks = reads_network;
    bool ok = study_replay_build(r, table, err) || error_prefix(err, "%s: ", path);
    analysis_flows_free(table);
    for (int i = 0; ok && i < r->n_flows; i++) {
        const struct scenario_flow *f = &r->scenario.flows[i];
        struct study_measurement_flow like = {.life = true, .spread = NAN};
        char host[2][SCENARIO_NAME];
        snprintf(host[0], sizeof host[0], "h%d", f->from);
        snprintf(host[1], sizeof host[1], "h%d", f->to);
        snprintf(like.name, sizeof like.name, "%.31s>%.31s", r->flows[i].from, r->flows[i].to);
        like.from = study_measurement_host(m, host[0]);
        like.to = study_measurement_host(m, host[1]);
        like.start_s = i; /* tells flows apart that are the same otherwise: their starts are the replay's */
        study_measurement_add_bps(study_measurement_flow_of(m, p, &like), r->flows[i].measured_bps);
    }
    return ok;
}
