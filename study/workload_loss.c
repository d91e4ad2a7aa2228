/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go-Back-N, many to one: the efficiency a run reached against Tam 2001, Eq. 4.2 or 4.9 with its own transitions. */
#include "study/workload.h"
#include "results/csv.h"
#include "view/table.h"
#include "results/gbn_events.h"
#include "model/loss.h"
#include "scenarios/directory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONTENT 2 /* times the tolerance */

/* What many senders reach at one receiver. */
struct loss_case {
    int receiver, senders;
    double window, buffer, to_gr; /* packets; packets; timeout in packet times */
    bool input;                   /* buffered at the senders' own input ports; else at one place for all */
    double efficiency, ci95;
    struct model_loss_counts pooled;
    struct model_loss_chain chain;
    bool has_chain;
    double predicted;             /* NAN: no formula */
    const char *rule;
};

enum column { FLOW, DST, BYTES, START, END, STEADY, CI95, RETRANSMITTED, COLUMNS };
static const char *const columns[COLUMNS] = {"flow",    "dst",   "bytes", "start_s", "end_s", "steady_goodput_bps",
                                             "steady_ci95_bps", "retransmitted_segments"};

/* Time a full packet takes on the receiver's link: g_r of a receiver that keeps up. */
static double loss_gap_s(const struct scenario *s, int receiver)
{
    bool uplink = s->network.topology == EMU_TOPOLOGY_STAR && receiver < s->network.uplinks;
    double wire = (double)(s->gbn.packet_bytes + EMU_GBN_HEADER_BYTES + EMU_FRAME_OVERHEAD_BYTES);
    return wire * 8 / (double)(uplink ? s->network.backbone.rate_bps : s->network.link.rate_bps);
}

/* A limit in packets, of whichever kind it is. */
static double loss_packets(const struct scenario *s, int64_t bytes, int64_t packets)
{
    double frame = (double)(s->gbn.packet_bytes + EMU_GBN_HEADER_BYTES + EMU_FRAME_HEADER_BYTES + EMU_FRAME_FCS_BYTES);
    return fmin((double)packets, bytes == EMU_QUEUE_UNLIMITED ? INFINITY : (double)bytes / frame);
}

/* Senders behind one uplink share its input buffer, which then acts as an output's (section 4.3.4). */
static void loss_buffer(const struct scenario *s, struct loss_case *k)
{
    const struct emu_switch_config *sw = &s->network.sw;
    enum emu_architecture_place place = emu_architectures[sw->architecture]->place;
    int home = 0, rack = emu_network_rack(&s->network, k->receiver);
    for (int i = 0; i < s->n_flows; i++)
        home += s->flows[i].to == k->receiver && emu_network_rack(&s->network, s->flows[i].from) == rack;
    k->input = place == EMU_ARCHITECTURE_AT_INPUTS && (s->network.topology == EMU_TOPOLOGY_STAR || home > 0);
    double limit = loss_packets(s, sw->queue.limit_bytes, sw->queue.limit_packets);
    k->buffer = place == EMU_ARCHITECTURE_IN_POOL ? fmin(limit, loss_packets(s, sw->pool.bytes, sw->pool.packets))
                                                  : limit;
}

static bool loss_read_flows(const char *directory, const struct scenario *s, struct loss_case *k, struct error *err)
{
    struct results_csv csv;
    char *v[COLUMNS], name[16];
    double bps = 0, variance = 0, bytes = 0, start = INFINITY, end = 0;
    snprintf(name, sizeof name, "h%d", k->receiver);
    if (!results_csv_open_in(&csv, directory, "flows.csv", columns, COLUMNS, err))
        return false;
    while (results_csv_next(&csv, v, err) == RESULTS_CSV_ROW) {
        if (strcmp(v[DST], name) != 0)
            continue;
        double steady = results_csv_number(v[STEADY]), ci = results_csv_number(v[CI95]);
        bps += steady;
        variance += ci * ci;
        bytes += fmax(0, results_csv_number(v[BYTES]));
        start = fmin(start, results_csv_number(v[START]));
        end = fmax(end, results_csv_number(v[END]));
    }
    results_csv_close(&csv);
    double full = (double)s->gbn.packet_bytes * 8 / loss_gap_s(s, k->receiver);
    bool bounded = s->flows[0].bytes > 0 || !isfinite(bps);
    k->efficiency = (bounded ? bytes * 8 / (end - start) : bps) / full;
    k->ci95 = bounded ? NAN : sqrt(variance) / full;
    return err->code == ERROR_NONE;
}

static bool loss_read_traces(const char *directory, const struct scenario *s, struct loss_case *k, struct error *err)
{
    struct model_loss_counts *senders = calloc((size_t)k->senders, sizeof *senders);
    size_t n = 0;
    bool ok = senders || error_set(err, ERROR_SYSTEM, "out of memory for %d traces", k->senders);
    for (int i = 0; ok && i < s->n_flows; i++) {
        char name[SCENARIO_NAME + 16];
        if (s->flows[i].to != k->receiver)
            continue;
        snprintf(name, sizeof name, "%s.events", s->flows[i].name);
        char *path = scenario_directory_path(directory, name, err);
        struct error none;
        ok = path != NULL;
        if (ok && results_gbn_events_read(path, &senders[n], &none)) /* a sender that never got through has no event */
            model_loss_trace_merge(&k->pooled, &senders[n++]);
        free(path);
    }
    struct error none;
    k->has_chain = ok && n > 0 && model_loss_trace_chain(senders, n, &k->chain, &none);
    free(senders);
    return ok;
}

static void loss_predict(const struct scenario *s, struct loss_case *k)
{
    struct model_loss_flow flow = {k->senders, k->window, k->buffer};
    struct model_loss_input input;
    struct model_loss_output output;
    struct error none;
    k->predicted = NAN;
    k->rule = "none: what the formulas speak of is Go-Back-N with fast retransmission";
    if (k->senders == 1)
        k->rule = "one sender: what holds it back lies elsewhere";
    if (s->gbn.simple || k->senders == 1)
        return;
    if (k->input && model_loss_input_buffered(&flow, &input, &none)) {
        k->rule = input.lossless ? "W <= B_L: nothing is lost" : "Eq. 4.2, input-buffered";
        k->predicted = input.efficiency;
    } else if (!k->input && isinf(k->buffer)) {
        k->rule = "no limit: nothing is lost";
        k->predicted = 1;
    } else if (!k->input && k->has_chain && model_loss_output_buffered(&flow, &k->chain, k->to_gr, &output, &none)) {
        k->rule = output.lossless ? "P W <= B_L: nothing is lost"
                                  : "Eq. 4.9 and 4.10, output-buffered, with this run's c, 1-a and f";
        k->predicted = output.efficiency;
    }
}

static json_t *loss_json(const char *directory, const struct loss_case *k, bool holds)
{
    json_t *chain = k->has_chain ? json_pack("{s:f, s:f, s:f}", "c", k->chain.c, "one_minus_a", k->chain.one_minus_a,
                                             "f", k->chain.f)
                                 : json_null();
    return json_pack("{s:s, s:s, s:b, s:i, s:i, s:f, s:o, s:f, s:f, s:o, s:o, s:o, s:s, s:b, s:I, s:I, s:I}", "source",
                     directory, "kind", "loss", "simulated", true, "receiver", k->receiver, "senders", k->senders,
                     "window_packets", k->window, "buffer_packets", view_table_json_number(k->buffer), "to_gr",
                     k->to_gr, "efficiency", k->efficiency, "efficiency_ci95", view_table_json_number(k->ci95), "chain",
                     chain, "predicted", view_table_json_number(k->predicted), "rule", k->rule, "holds", holds, "packs",
                     (json_int_t)k->pooled.packs, "nacks", (json_int_t)k->pooled.nacks, "timeouts",
                     (json_int_t)k->pooled.timeouts);
}

static void loss_print(const char *directory, const struct loss_case *k, bool holds)
{
    printf("%s: %d sender%s to h%d, window %g, buffer %g packets, timeout %.0f packet times\n", directory, k->senders,
           k->senders == 1 ? "" : "s", k->receiver, k->window, k->buffer, k->to_gr);
    printf("  simulated efficiency %.4f", k->efficiency);
    if (isfinite(k->ci95))
        printf(" +- %.4f", k->ci95);
    printf(" of the receiver's rate; %" PRId64 " Packs, %" PRId64 " Nacks, %" PRId64 " timeouts\n", k->pooled.packs,
           k->pooled.nacks, k->pooled.timeouts);
    if (k->has_chain)
        printf("  transitions of this run (Eq. 4.11-4.13): c %.4f, 1-a %.4f, f %.4f\n", k->chain.c,
               k->chain.one_minus_a, k->chain.f);
    if (isfinite(k->predicted))
        printf("  predicted %.4f, %+.1f %%: %s (%s)\n", k->predicted, 100 * (k->predicted / k->efficiency - 1),
               holds ? "holds" : "does not hold", k->rule);
    else
        printf("  no prediction (%s)\n", k->rule);
}

bool study_workload_loss(struct study_workloads *c, const char *directory, const struct scenario *s, struct error *err)
{
    bool any = false;
    for (int h = 0; h < s->network.hosts; h++) {
        struct loss_case k = {.receiver = h, .window = (double)s->gbn.window_packets,
                              .to_gr = (double)s->gbn.timeout_ps * 1e-12 / loss_gap_s(s, h)};
        for (int i = 0; i < s->n_flows; i++)
            k.senders += s->flows[i].to == h;
        if (k.senders == 0)
            continue;
        loss_buffer(s, &k);
        if (!loss_read_flows(directory, s, &k, err) || !loss_read_traces(directory, s, &k, err))
            return false;
        loss_predict(s, &k);
        bool holds = !isfinite(k.predicted) || fabs(k.predicted / k.efficiency - 1) <= CONTENT * c->tolerance;
        c->no = c->no || !holds;
        any = true;
        if (c->json)
            json_array_append_new(c->list, loss_json(directory, &k, holds));
        else
            loss_print(directory, &k, holds);
    }
    return any || error_set(err, ERROR_INPUT, "%s: no flow", directory);
}
