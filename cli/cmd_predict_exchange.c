/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cmd_predict_exchange.h"

#include "cli/cli.h"
#include "cli/help.h"
#include "cli/predict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct predict_exchange_row *predict_exchange_add(struct predict_exchange_answer *a, const char *model,
                                                  const char *source, double time_s)
{
    struct predict_exchange_row *row = &a->row[a->n++];
    *row = (struct predict_exchange_row){.model = model, .source = source, .time_s = time_s, .rounds = NAN};
    return row;
}

static bool sizes(const struct predict_exchange_request *r, struct predict_exchange_answer *a, struct error *err)
{
    if (isnan(r->processes) || r->processes < 2)
        return error_set(err, ERROR_INPUT, "--processes: %s; an exchange has 2 or more, such as --processes 16",
                         isnan(r->processes) ? "not given" : "1");
    a->processes = (size_t)r->processes;
    bool has_packets = !isnan(r->packets), has_message = !isnan(r->message_bytes);
    if (has_packets == has_message)
        return error_set(err, ERROR_INPUT, "%s; give one of --packets 64 and --message 100kB",
                         has_packets ? "--packets and --message are both given" : "no message size is given");
    a->message_bytes = has_packets ? r->packets * r->tam.packet_bytes : r->message_bytes;
    if (!r->wanted[PREDICT_EXCHANGE_TAM])
        return true;
    if (has_packets) /* not through bytes, where a huge number would be rounded */
        a->packets = (size_t)r->packets;
    return has_packets || model_tam_packets(&r->tam, a->message_bytes, &a->packets, err);
}

static bool tree(const struct predict_exchange_request *r, struct predict_exchange_answer *a, struct error *err)
{
    bool more = !isnan(r->buffer_packets) || !isnan(r->control_packets) || !isnan(r->uplink_bps);
    a->uplink_s = NAN;
    if (isnan(r->switches))
        return !more || error_set(err, ERROR_INPUT,
                                  "--buffer, --control and --uplink describe switches with uplinks; --switches is not "
                                  "given");
    size_t switches = (size_t)r->switches;
    if (a->processes % switches != 0)
        return error_set(err, ERROR_INPUT, "--switches %zu: %zu processes are not the same number on each", switches,
                         a->processes);
    a->tree = (struct model_schedule_tree){a->processes / switches, switches};
    a->buffer_packets = isnan(r->buffer_packets) ? 45 : r->buffer_packets;
    a->control_packets = isnan(r->control_packets) ? 1 : r->control_packets;
    if (!model_schedule_window(&a->tree, a->buffer_packets, 0, &a->data_window, err) ||
        !model_schedule_window(&a->tree, a->buffer_packets, a->control_packets, &a->window, err))
        return false;
    if (isnan(r->uplink_bps))
        return true;
    if (!model_schedule_uplink_s(&a->tree, a->message_bytes, r->uplink_bps, &a->uplink_s, err))
        return false;
    predict_exchange_add(a, "uplink", "Tam 2001, Eq. 6.4", a->uplink_s);
    return true;
}

static bool tam(const struct predict_exchange_request *r, struct predict_exchange_answer *a, struct error *err)
{
    static const struct {
        enum model_exchange_algorithm algorithm;
        const char *model, *source;
    } rows[] = {
        {MODEL_EXCHANGE_SYNC, "tam sync", "Tam 2001, Eq. 5.3"},
        {MODEL_EXCHANGE_GROUP, "tam group", "Tam 2001, Eq. 5.4"},
        {MODEL_EXCHANGE_PAIRWISE, "tam pairwise", "Tam 2001, Eq. 5.2"},
        {MODEL_EXCHANGE_SHIFT, "tam shift", "Tam 2001, Eq. 5.2"},
    };
    struct model_exchange x = {a->processes, a->packets, 0};
    if (!isnan(r->group))
        x.group = (size_t)r->group;
    else
        x.group = x.processes - 1 < 5 ? x.processes - 1 : 5;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model_exchange_cost cost;
        if (!model_exchange_cost(&r->tam, rows[i].algorithm, &x, &cost, err))
            return false;
        if (i == 0) {
            a->group = x.group;
            a->gap_s = cost.gap_s;
            a->stage = cost.stage;
            a->latency_s = model_tam_latency_s(&r->tam, x.processes);
            predict_exchange_add(a, "tam bound", "Tam 2001, Eq. 5.1", cost.bound_s);
        }
        /* Algorithms do not pass the uplinks faster than these carry; fmax() ignores a NAN. */
        double time_s = fmax(cost.time_s, a->uplink_s);
        predict_exchange_add(a, rows[i].model, rows[i].source, time_s)->rounds = (double)cost.rounds;
    }
    return true;
}

static bool answer(const struct predict_exchange_request *r, struct predict_exchange_answer *a, struct error *err)
{
    if (r->fit_path && !predict_exchange_fit(r, a, err))
        return false;
    if (r->fit_path && isnan(r->processes) && isnan(r->packets) && isnan(r->message_bytes))
        return true; /* the fit is the answer */
    return sizes(r, a, err) && tree(r, a, err) && (!r->wanted[PREDICT_EXCHANGE_TAM] || tam(r, a, err)) &&
           predict_exchange_alltoall(r, a, err);
}

int cmd_predict_exchange(int argc, char **argv)
{
    struct predict_exchange_request r;
    struct predict_exchange_answer a = {0};
    struct error err = {0};
    if (!predict_exchange_parse(argc, argv, &r, &err))
        return cli_fail(&err);
    if (r.help)
        return cli_help("predict exchange");
    if (!answer(&r, &a, &err) || !predict_exchange_show(&r, &a, &err))
        return cli_fail(&err);
    return 0;
}
