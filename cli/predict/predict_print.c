/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/predict/predict.h"

#include "results/json.h"
#include "view/table.h"

#define FULL_LINK 0.999   /* of the rate: shown as saturated */
#define BUSY_LINK 0.3     /* from here on bursts meet often enough to matter */
#define BURSTS_MATTER 0.01 /* of a rate */

static void add_transfer(struct view_table *t, const struct scenario_flow *f, bool any_bytes)
{
    view_table_add(t, "%s|h%d|h%d", f->name, f->from, f->to);
    if (any_bytes)
        view_table_add(t, "%f", (f->bytes > 0 ? (double)f->bytes : (double)NAN) / 1e6);
}

static bool has_bytes(const struct scenario *s)
{
    for (int i = 0; i < s->n_flows; i++)
        if (s->flows[i].bytes > 0)
            return true;
    return false;
}

static void add_heads(struct view_table *t, bool any_bytes)
{
    view_table_add(t, "link|from|to");
    if (any_bytes)
        view_table_add(t, "MB");
}

static void print_rates(const struct study_prediction *p, const struct scenario *s,
                        const struct scenario_pattern *pattern)
{
    bool any_bytes = has_bytes(s), few = p->n_steps <= STUDY_PREDICTION_SHOWN;
    struct view_table t = view_table_with(3 + (any_bytes ? 2U : 0U) + (few ? p->n_steps : 2U));
    add_heads(&t, any_bytes);
    for (size_t k = 0; few && k < p->n_steps; k++)
        view_table_add(&t, p->n_steps == 1 ? "Mb/s" : "step %zu Mb/s", k + 1);
    if (!few)
        view_table_add(&t, "first Mb/s|mean Mb/s");
    if (any_bytes)
        view_table_add(&t, "completion s");
    for (size_t i = 0; i < p->n; i++) {
        add_transfer(&t, &s->flows[i], any_bytes);
        for (size_t k = 0; few && k < p->n_steps; k++)
            view_table_add(&t, "%f", (p->rate_bps[k * p->n + i] > 0 ? p->rate_bps[k * p->n + i] : (double)NAN) / 1e6);
        if (!few)
            view_table_add(&t, "%f|%f", p->first_bps[i] / 1e6,
                           study_prediction_mean_bps(p, &pattern->pattern.transfers[i], i) / 1e6);
        if (any_bytes)
            view_table_add(&t, "%.4f", p->completion_s[i]);
    }
    view_table_print(&t, "", 3, stdout);
    if (p->n_steps > 1) {
        printf("steps end at");
        for (size_t k = 0; few && k < p->n_steps; k++)
            printf("%s %.4f", k ? "," : "", p->step_end_s[k]);
        if (!few)
            printf(" %.4f, %.4f, ... %.4f", p->step_end_s[0], p->step_end_s[1], p->step_end_s[p->n_steps - 1]);
        printf(" s (%zu steps)\n", p->n_steps);
    }
}

/* Where bursts wait, and how far off rates may be for it. */
static void print_bursts(const struct study_prediction *p, const struct scenario_pattern *pattern)
{
    const struct study_prediction_queues *q = &p->queues;
    double below = 0, above = 0, least_load = INFINITY, most_load = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->rate_bps[i] > 0) {
            below = fmax(below, 1 - q->least_bps[i] / p->rate_bps[i]);
            above = fmax(above, q->most_bps[i] / p->rate_bps[i] - 1);
        }
    }
    if (fmax(below, above) < BURSTS_MATTER)
        return;
    for (int l = 0; l < model_platform_link_count(&pattern->platform); l++) {
        double load = q->load_bps[l] / model_platform_cable(&pattern->platform, l)->rate_bps;
        if (load < BUSY_LINK || load >= FULL_LINK)
            continue;
        least_load = fmin(least_load, load);
        most_load = fmax(most_load, load);
    }
    if (most_load > 0)
        printf("\nports %.0f to %.0f %% busy: bursts wait there, how long is a matter of how they meet;\n",
               100 * least_load, 100 * most_load);
    else
        printf("\nbursts may wait longer than what stands in the full ports;\n");
    printf("rates may be up to %.1f %% lower or %.1f %% higher\n", 100 * below, 100 * above);
}

static void print_queues(const struct study_prediction *p, const struct scenario *s,
                         const struct scenario_pattern *pattern)
{
    printf("\nround trips in the first step: empty, and what data and ACKs wait in queues\n");
    struct view_table t = view_table_with(7);
    add_heads(&t, false);
    view_table_add(&t, "empty ms|data wait ms|ACK wait ms|bursts ms");
    for (size_t i = 0; i < p->n; i++) {
        if (!(p->rate_bps[i] > 0))
            continue;
        add_transfer(&t, &s->flows[i], false);
        view_table_add(&t, "%f|%f|%f|%f", p->queues.rtt[i].propagation_s / 1e-3, p->queues.rtt[i].data_wait_s / 1e-3,
                       p->queues.rtt[i].ack_wait_s / 1e-3, p->queues.rtt[i].burst_wait_s / 1e-3);
    }
    view_table_print(&t, "", 3, stdout);
    t = view_table_with(4);
    view_table_add(&t, "full port|wait ms|queue kB|wire Mb/s");
    size_t rows = t.n;
    for (int l = 0; l < model_platform_link_count(&pattern->platform); l++) {
        double rate_bps = model_platform_cable(&pattern->platform, l)->rate_bps;
        char name[SCENARIO_NAME];
        if (p->queues.load_bps[l] < FULL_LINK * rate_bps)
            continue;
        scenario_pattern_link_name(pattern, l, name);
        view_table_add(&t, "%s|%f|%f|%f", name, p->queues.delay_s[l] / 1e-3,
                       (p->queues.delay_s[l] * rate_bps / 8) / 1e3, p->queues.load_bps[l] / 1e6);
    }
    if (t.n > rows) {
        printf("\n");
        view_table_print(&t, "", 1, stdout);
    } else {
        printf("\nno port is full: every flow sends its window once a round trip\n");
        view_table_fini(&t);
    }
    print_bursts(p, pattern);
}

void cli_predict_print(const struct study_prediction *p, const struct scenario *s,
                       const struct scenario_pattern *pattern)
{
    printf("%s, predicted: %s. Rates are goodput\n", p->model->name, p->model->summary);
    print_rates(p, s, pattern);
    if (p->queues.rtt)
        print_queues(p, s, pattern);
}

/* One column a model: the rate in the first step, or the completion time. */
static void print_side_by_side(const struct study_prediction *p, size_t n, const struct scenario *s, bool completion)
{
    bool any_bytes = has_bytes(s);
    struct view_table t = view_table_with(3 + any_bytes + n);
    add_heads(&t, any_bytes);
    for (size_t m = 0; m < n; m++)
        view_table_add(&t, "%s", p[m].model->name);
    for (size_t i = 0; i < p->n; i++) {
        add_transfer(&t, &s->flows[i], any_bytes);
        for (size_t m = 0; m < n; m++) {
            if (completion)
                view_table_add(&t, "%.4f", p[m].completion_s[i]);
            else
                view_table_add(&t, "%f", (p[m].rate_bps[i] > 0 ? p[m].rate_bps[i] : (double)NAN) / 1e6);
        }
    }
    view_table_print(&t, "", 3, stdout);
}

void cli_predict_print_all(const struct study_prediction *p, size_t n, const struct scenario *s)
{
    printf("predicted goodput in the first step, Mb/s\n");
    print_side_by_side(p, n, s, false);
    if (!has_bytes(s))
        return;
    printf("\npredicted completion time, s\n");
    print_side_by_side(p, n, s, true);
}

static json_t *json_rates(const struct study_prediction *p, size_t i)
{
    json_t *rates = json_array();
    for (size_t k = 0; k < p->n_kept && p->step_start_s[k] < p->completion_s[i]; k++)
        json_array_append_new(rates, json_real(p->rate_bps[k * p->n + i]));
    return rates;
}

static json_t *json_ports(const struct study_prediction *p, const struct scenario_pattern *pattern)
{
    json_t *ports = json_array();
    for (int l = 0; l < model_platform_link_count(&pattern->platform); l++) {
        char name[SCENARIO_NAME];
        if (!(p->queues.load_bps[l] > 0))
            continue;
        scenario_pattern_link_name(pattern, l, name);
        results_json_append(ports, "port:s wait_s:f wire_bps:f rate_bps:f", name, p->queues.delay_s[l],
                            p->queues.load_bps[l], model_platform_cable(&pattern->platform, l)->rate_bps);
    }
    return ports;
}

json_t *cli_predict_json(const struct study_prediction *p, const struct scenario *s,
                         const struct scenario_pattern *pattern)
{
    json_t *links = json_array(), *steps = json_array();
    for (size_t k = 0; k < p->n_steps; k++)
        results_json_append(steps, "start_s:f end_s:f", p->step_start_s[k], p->step_end_s[k]);
    for (size_t i = 0; i < p->n; i++) {
        const struct scenario_flow *f = &s->flows[i];
        const struct model_transfer *t = &pattern->pattern.transfers[i];
        json_t *link = results_json("link:s src:o dst:o bytes:o window_bytes:f start_s:f rates_bps:o completion_s:f",
                                    f->name, json_sprintf("h%d", f->from), json_sprintf("h%d", f->to),
                                    f->bytes > 0 ? json_integer(f->bytes) : json_null(), t->window_bytes, t->start_s,
                                    json_rates(p, i), p->completion_s[i]);
        if (p->queues.rtt && p->rate_bps[i] > 0) {
            results_json_add(link, "first_step_rtt:o first_step_range_bps:o",
                             results_json("propagation_s:f data_wait_s:f ack_wait_s:f burst_wait_s:f",
                                          p->queues.rtt[i].propagation_s, p->queues.rtt[i].data_wait_s,
                                          p->queues.rtt[i].ack_wait_s, p->queues.rtt[i].burst_wait_s),
                             json_pack("[f, f]", p->queues.least_bps[i], p->queues.most_bps[i]));
        }
        json_array_append_new(links, link);
    }
    json_t *all = results_json("model:s links:o steps:o", p->model->name, links, steps);
    if (p->queues.rtt)
        results_json_add(all, "first_step_ports:o first_step_residual:f", json_ports(p, pattern), p->queues.residual);
    return all;
}

/* The closed forms are of equal links, nobody in nobody's way but ACKs behind data. */
static bool collective_link(const struct scenario *s, struct model_collective_link *l, struct error *err)
{
    const struct emu_network_config *n = &s->network;
    if (n->topology != EMU_TOPOLOGY_STAR || n->uplinks > 0 || n->n_delays > 0 || emu_network_takes_time(n) ||
        n->link.up_bps > 0 || n->sw.cut_through || n->nic.discipline != EMU_DISCIPLINE_FIFO)
        return error_set(err, ERROR_INPUT, "traffic.collective: its closed forms know a star of equal links, fifo NICs and "
                         "a switch that stores and forwards");
    *l = (struct model_collective_link){
        .rate_bps = (double)n->link.rate_bps,
        .latency_s = (double)(2 * n->link.delay_ps + n->sw.latency_ps) / (double)UNITS_PS_PER_S,
        .stores = 1,
        .segment_bytes = s->tcp.segment_bytes,
        .overhead_bytes = SCENARIO_SEGMENT_HEADERS + EMU_FRAME_OVERHEAD_BYTES,
        .gap_bytes = EMU_PORT_GAP_BYTES,
        .least_bytes = EMU_FRAME_MIN_WIRE_BYTES,
        .segments_per_ack = (int)s->tcp.delayed_ack,
    };
    return true;
}

bool cli_predict_collective(const struct scenario *s, json_t **json, struct error *err)
{
    const struct scenario_collective *c = &s->collective;
    struct model_collective_call call = {.algorithm = c->algorithm, .ranks = s->n_ranks, .bytes = c->bytes};
    struct model_collective_link link, silent;
    double time_s, without_s;
    for (int i = 0; i < c->n_dimensions; i++)
        call.dimensions[i] = c->dimensions[i];
    if (!collective_link(s, &link, err))
        return false;
    silent = link;
    silent.segments_per_ack = 0;
    if (!model_collective_time(&link, &call, &time_s, err) || !model_collective_time(&silent, &call, &without_s, err))
        return false;
    double bus = model_collective_bus(c->algorithm, s->n_ranks), rate = (double)c->bytes / time_s;
    const char *name = model_collective_names[c->algorithm];
    if (json) {
        *json = results_json("algorithm:s ranks:l bytes:l time_s:f without_acks_s:f algorithm_bps:f bus_bps:f", name,
                             (int64_t)s->n_ranks, c->bytes, time_s, without_s, bus > 0 ? 8 * rate : (double)NAN,
                             bus > 0 ? 8 * bus * rate : (double)NAN);
        return true;
    }
    printf("%s of %d ranks, %" PRId64 " bytes, windows that hold a message: %.6g ms, of which %.3g %% for ACKs behind data",
           name, s->n_ranks, c->bytes, 1e3 * time_s, 100 * (1 - without_s / time_s));
    if (bus > 0)
        printf("; algbw %.4g GB/s, busbw %.4g GB/s", rate / 1e9, bus * rate / 1e9);
    putchar('\n');
    return true;
}
