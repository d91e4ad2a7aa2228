/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/flow.h"

#include "base/memory.h"
#include "base/units.h"
#include "results/directory.h"

#include <math.h>
#include <stdlib.h>

#define ALL RESULTS_IN_ALL
#define JSON RESULTS_IN_JSON
#define JSON_SQL (RESULTS_IN_JSON | RESULTS_IN_SQL)
#define AT(field) offsetof(struct results_flow, field)
#define TRIP "round_trip"

static const struct results_column columns[] = {
    {"flow", NULL, NULL, RESULTS_TEXT, ALL, AT(name), "name in the scenario"},
    {"src", NULL, NULL, RESULTS_TEXT, ALL, AT(src), "host that sends"},
    {"dst", NULL, NULL, RESULTS_TEXT, ALL, AT(dst), "host that receives"},
    {"bytes", "delivered_bytes", NULL, RESULTS_COUNT, ALL, AT(bytes), "delivered to the receiving application"},
    {"start_s", NULL, NULL, RESULTS_TIME, ALL, AT(start_ps), "first payload leaves the source's stack"},
    {"end_s", NULL, NULL, RESULTS_TIME, ALL, AT(end_ps), "last payload is delivered"},
    {"goodput_bps", NULL, NULL, RESULTS_RATE, ALL, AT(goodput_bps), "bytes * 8 / (end - start)"},
    {"steady_goodput_bps", NULL, NULL, RESULTS_RATE, ALL, AT(steady_goodput_bps), "goodput after the warm-up"},
    {"steady_ci95_bps", NULL, NULL, RESULTS_RATE, ALL, AT(steady_ci95_bps), "half-width of its 95 % interval"},
    {"retransmitted_segments", NULL, NULL, RESULTS_COUNT, ALL, AT(retransmitted_segments),
     "data segments the sender put on its NIC more than once"},
    {"retransmitted_bytes", NULL, NULL, RESULTS_COUNT, JSON, AT(retransmitted_bytes), "payload of those"},
    {"steady_loss_events", NULL, NULL, RESULTS_COUNT, JSON, AT(steady_loss_events),
     "windows with a loss after the warm-up, as far as samples tell them apart"},
    {"connected", NULL, NULL, RESULTS_FLAG, JSON, AT(connected), "the handshake ended"},
    {"done", NULL, NULL, RESULTS_FLAG, JSON, AT(done), "all its bytes are delivered"},
    {"delivered_back_bytes", NULL, NULL, RESULTS_COUNT, JSON, AT(delivered_back_bytes),
     "duplex: delivered to the source's application"},
    {"floor_s", NULL, TRIP, RESULTS_SECONDS, JSON_SQL, AT(floor_s), "round trip through an idle network"},
    {"data_wait_s", NULL, TRIP, RESULTS_SECONDS, JSON_SQL, AT(data_wait_s), "mean wait of its data"},
    {"ack_wait_s", NULL, TRIP, RESULTS_SECONDS, JSON_SQL, AT(ack_wait_s), "mean wait of its ACKs"},
    {"rtt_s", NULL, TRIP, RESULTS_SECONDS, JSON_SQL, AT(rtt_s), "mean round trip: the floor and both waits, no hold"},
    {"steady_data_wait_s", NULL, TRIP, RESULTS_SECONDS, JSON, AT(steady_data_wait_s), "data_wait_s after the warm-up"},
    {"steady_ack_wait_s", NULL, TRIP, RESULTS_SECONDS, JSON, AT(steady_ack_wait_s), "ack_wait_s after the warm-up"},
    {"data_frames", NULL, TRIP, RESULTS_COUNT, JSON, AT(data_frames), "data frames that waits are means over"},
    {"ack_frames", NULL, TRIP, RESULTS_COUNT, JSON, AT(ack_frames), "ACKs that waits are means over"},
    {"ack_groups", NULL, TRIP, RESULTS_COUNT, JSON_SQL, AT(ack_groups), "groups of ACKs looked at for compression"},
    {"compressed_groups", NULL, TRIP, RESULTS_COUNT, JSON_SQL, AT(compressed_groups), "of them, compressed"},
    {"messages", NULL, NULL, RESULTS_COUNT, ALL, AT(messages), "messages that count, of a flow that repeats them"},
    {"message_s", NULL, NULL, RESULTS_SECONDS, ALL, AT(message_s), "their mean time"},
    {"message_sd_s", NULL, NULL, RESULTS_SECONDS, ALL, AT(message_sd_s), "standard deviation of their times"},
    {"message_ci95_s", NULL, NULL, RESULTS_SECONDS, ALL, AT(message_ci95_s), "half-width of the mean's 95 % interval"},
};

const struct results_columns results_flow_columns = {columns, sizeof columns / sizeof *columns,
                                                     sizeof(struct results_flow)};

bool results_flow_read(const char *directory, struct results_flow **flows, size_t *n, struct error *err)
{
    void *rows = NULL;
    MEMORY_LOCAL char *path = results_directory_path(directory, "flows.csv");
    bool ok = results_columns_read(&results_flow_columns, path, RESULTS_FLOW_REQUIRED, &rows, n, err);
    *flows = rows;
    return ok;
}

double results_flow_duration_s(const struct results_flow *f)
{
    if (f->start_ps < 0 || f->end_ps < 0)
        return NAN;
    return (double)(f->end_ps - f->start_ps) / (double)UNITS_PS_PER_S;
}

double results_flow_time_s(const struct results_flow *f)
{
    return f->message_s > 0 ? f->message_s : results_flow_duration_s(f);
}

double results_flow_rate_bps(const struct results_flow *f, int64_t message_bytes)
{
    if (f->message_s > 0)
        return 8 * (double)message_bytes / f->message_s;
    return isfinite(f->steady_goodput_bps) ? f->steady_goodput_bps : f->goodput_bps;
}

double results_flow_ci95_bps(const struct results_flow *f, int64_t message_bytes)
{
    if (f->message_s > 0) /* of a rate 1/x, to first order: as large a share as of x */
        return results_flow_rate_bps(f, message_bytes) * f->message_ci95_s / f->message_s;
    return isfinite(f->steady_goodput_bps) ? f->steady_ci95_bps : (double)NAN;
}
