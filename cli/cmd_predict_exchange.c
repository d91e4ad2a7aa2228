/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cmd_predict_exchange.h"

#include "cli/cli.h"
#include "cli/predict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: contraflow predict exchange --processes P --packets K|--message SIZE [--model NAME[,NAME]...] ...\n\n"
    "How long a complete exchange takes (MPI_Alltoall): each of P processes sends SIZE bytes, or K full packets, to\n"
    "each other one over a full-duplex network. No model here knows of the losses that a run can suffer:\n"
    "'contraflow run' emulates them.\n\n"
    "      --model NAME[,NAME]...\n"
    "  tam          Tam 2001, Eq. 5.1-5.4, from what a packet costs each part of a host (default): the lower bound,\n"
    "               and synchronous shuffle (packets to all partners in turn), group shuffle, pairwise and shift\n"
    "               exchange (a whole message a round)\n"
    "  hockney      (P - 1) (alpha + beta m), a message of m bytes after the other (Steffenel 2006, Eq. 1)\n"
    "  lower-bound  the same: no exchange that does not forward messages is faster (Proposition 1)\n"
    "  clement      (P - 1) (alpha + beta m P): all share one medium (Eq. 2 for each message)\n"
    "  two-gap      hockney, beta a mean of that without and that with contention (Eq. 3)\n"
    "  signature    the lower bound times gamma, plus P - 1 times delta for messages of M bytes or more (Eq. 5)\n"
    "Parameters of tam, each with Table 5.2 as default, measured on Fast Ethernet:\n"
    "      --like SWITCH   8275-326 (default; virtual cut-through) or 8275-416 (store and forward)\n"
    "      --o-s, --o-r, --u-r TIME   processor time to send, to receive in the kernel, in the process\n"
    "      --g-s, --g-r TIME          gap between packets sent, received\n"
    "      --l, --l-per-process TIME  network latency: L + P * that of a process\n"
    "      --packet SIZE   payload of a full packet (1492)\n"
    "      --group N       partners at a time in group shuffle (5, or P - 1 if less)\n"
    "Two levels of switches, P / D2 processes on each of D2 with one uplink (chapter 6):\n"
    "      --switches D2   also the global window: packets that a process may have under way, whoever they are for,\n"
    "                      so that all together fit the buffer of an uplink (Eq. 6.2, rounded down)\n"
    "      --buffer N      full packets which that buffer holds (45)\n"
    "      --control N     control packets for each data packet (1: each is acknowledged)\n"
    "      --uplink RATE   goodput of an uplink, both directions together: no time is shorter than Eq. 6.4\n\n"
    "Parameters of the others\n"
    "      --alpha TIME    to start a message\n"
    "      --beta TIME     of a byte; plain seconds or with a unit: 8.502e-9, 8ns. Or --rate RATE: 8 bits / RATE\n"
    "      --beta-free, --beta-contended TIME, --rho SHARE   two-gap (8.502e-9, 8.498189e-8, 0.5: the paper's)\n"
    "      --gamma G, --delta TIME, --threshold SIZE         signature: gamma, delta, M\n"
    "      --network NAME  signature as published: fast-ethernet, gigabit-ethernet, myrinet\n"
    "      --fit FILE.csv  signature fitted to measured times, with 95% intervals; a prediction is then optional.\n"
    "                      Columns processes,message_bytes,time_s[,std_error_s], named in the first line\n\n"
    "      --json          one object: \"predictions\" and what they rest on; seconds, bytes, bit/s\n\n"
    "  contraflow predict exchange --processes 16 --packets 64\n"
    "  contraflow predict exchange --processes 16 --message 100kB --g-s 12.3us --g-r 12.3us    a faster network\n"
    "  contraflow predict exchange --processes 32 --packets 64 --switches 4 --uplink 824Mbps\n"
    "  contraflow predict exchange --processes 40 --message 1MB --model hockney,two-gap,signature --alpha 50us \\\n"
    "             --rate 941Mbps --network gigabit-ethernet\n"
    "  contraflow predict exchange --fit measured.csv --alpha 50us --rate 941Mbps\n\n"
    "Exit status: 0 done; 2 bad input; 3 the system failed.\n";

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
        return error_set(err, ERROR_INPUT, "%s; one of --packets 64 and --message 100kB tells what each sends to each",
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
    if (r.help) {
        fputs(help, stdout);
        return 0;
    }
    if (!answer(&r, &a, &err) || !predict_exchange_show(&r, &a, &err))
        return cli_fail(&err);
    return 0;
}
