/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/predict/predict.h - the parts of 'contraflow predict'. Each gets its own name as argv[0] and returns the exit status. */
#pragma once

#include "study/predict/exchange.h"
#include "study/predict/models.h"

#include <jansson.h>

int cmd_predict_exchange(int argc, char **argv);
int cmd_predict_loss(int argc, char **argv);
int cmd_predict_message(int argc, char **argv);
int cmd_predict_broadcast(int argc, char **argv);
int cmd_predict_timers(int argc, char **argv);

/* Tables of one prediction, or of several side by side. `s` names flows and hosts. */
void cli_predict_print(const struct study_prediction *p, const struct scenario *s,
                       const struct scenario_pattern *pattern);
void cli_predict_print_all(const struct study_prediction *p, size_t n, const struct scenario *s);
json_t *cli_predict_json(const struct study_prediction *p, const struct scenario *s,
                         const struct scenario_pattern *pattern);

/* The closed form of traffic.collective: printed, or as JSON (NULL: printed). */
bool cli_predict_collective(const struct scenario *s, json_t **json, struct error *err);

/* What 'contraflow predict message' and 'contraflow predict broadcast' share: a host's parameters as options. */
struct cli_predict_host {
    struct model_tam_lines lines;
    double latency_per_process_s, copy_s_per_byte;
    int64_t processes, packets, message_bytes, packet_bytes; /* packets, message_bytes: 0 is "not given" */
    const char *like; /* switch whose Table 5.2 the defaults are; borrowed */
    bool json;
    size_t k;           /* from here on by cli_predict_host_read(): packets of the message */
    struct model_tam t; /* parameters of each */
};

/* As cli_options_read(), of the command named by `page`; a message shorter than a packet is one of its own size. */
int cli_predict_host_read(const char *page, int argc, char **argv, struct cli_predict_host *h, struct error *err);
void cli_predict_host_show(const struct cli_predict_host *h);
json_t *cli_predict_host_json(const struct cli_predict_host *h);

/* Options of 'contraflow predict exchange', and its answer shown. */
struct cli_predict_exchange_options {
    struct study_exchange_request request;
    const char *like; /* switch whose Table 5.2 the defaults are; borrowed */
    char given[128];  /* the options that replaced one of these defaults, "--g-s --l" */
    bool json;
};

void cli_predict_exchange_show(const struct cli_predict_exchange_options *o, const struct study_exchange_answer *a);
