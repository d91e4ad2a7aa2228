/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"
#include "cli/cli.h"
#include "cli/predict/predict.h"
#include "results/json.h"

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
