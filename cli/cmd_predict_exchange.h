/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/cmd_predict_exchange.h - what the files behind 'contraflow predict exchange' share: the request, its answer. */
#ifndef CLI_CMD_PREDICT_EXCHANGE_H
#define CLI_CMD_PREDICT_EXCHANGE_H

#include "base/error.h"
#include "model/exchange.h"
#include "model/schedule.h"
#include "model/signature.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum predict_exchange_model {
    PREDICT_EXCHANGE_TAM,
    PREDICT_EXCHANGE_HOCKNEY,
    PREDICT_EXCHANGE_LOWER_BOUND,
    PREDICT_EXCHANGE_CLEMENT,
    PREDICT_EXCHANGE_TWO_GAP,
    PREDICT_EXCHANGE_SIGNATURE,
    PREDICT_EXCHANGE_MODELS
};

/* As given on the command line; NAN is "not given". */
struct predict_exchange_request {
    double processes, packets, message_bytes;
    double group, switches, buffer_packets, control_packets, uplink_bps;
    double alpha_s, beta_s_per_byte, rate_bps;
    double beta_free_s_per_byte, beta_contended_s_per_byte, rho;
    double gamma, delta_s, threshold_bytes;
    struct model_tam tam;   /* whole: defaults where nothing was given */
    const char *like;       /* switch whose Table 5.2 the defaults are; borrowed */
    const char *network;    /* whose signature; borrowed, NULL: as given */
    const char *fit_path;   /* borrowed; NULL: no fit */
    char given[128];        /* the options of `tam` that replaced a default, "--g-s --l" */
    bool wanted[PREDICT_EXCHANGE_MODELS];
    bool json, help;
};

bool predict_exchange_parse(int argc, char **argv, struct predict_exchange_request *r, struct error *err);

#define PREDICT_EXCHANGE_ROWS 16

struct predict_exchange_row {
    const char *model; /* "tam sync" */
    const char *source; /* "Tam 2001, Eq. 5.3" */
    double time_s;
    double rounds; /* NAN: the model knows of none */
};

struct predict_exchange_answer {
    size_t processes; /* 0: only a fit was asked for, and the rows are none */
    double message_bytes;
    size_t packets; /* 0: no model asked for packets */
    size_t group;   /* partners at a time in group shuffle; with packets only, as the next three */
    double gap_s;   /* of a packet, and the stage that makes it */
    double latency_s;
    enum model_tam_stage stage;
    struct model_schedule_tree tree; /* switches 0: none was described */
    struct model_schedule_window data_window, window; /* with a tree; without and with control packets */
    double buffer_packets, control_packets;
    double uplink_s; /* Eq. 6.4; NAN without --uplink */
    struct model_signature_fit fit; /* with r->fit_path only, as the next two */
    size_t fit_points;
    bool fit_weighted; /* the file has standard errors */
    struct predict_exchange_row row[PREDICT_EXCHANGE_ROWS];
    size_t n;
};

/* Adds a row and returns it. */
struct predict_exchange_row *predict_exchange_add(struct predict_exchange_answer *a, const char *model,
                                                  const char *source, double time_s);

/* --alpha and --beta or --rate. */
bool predict_exchange_link(const struct predict_exchange_request *r, struct model_alltoall_link *link,
                           struct error *err);

/* Steffenel's models, those wanted: a row each. a->fit is there when r->fit_path is. */
bool predict_exchange_alltoall(const struct predict_exchange_request *r, struct predict_exchange_answer *a,
                               struct error *err);

/* Reads r->fit_path and fits a->fit. */
bool predict_exchange_fit(const struct predict_exchange_request *r, struct predict_exchange_answer *a,
                          struct error *err);
void predict_exchange_fit_text(const struct predict_exchange_request *r, const struct predict_exchange_answer *a);
json_t *predict_exchange_fit_json(const struct predict_exchange_request *r, const struct predict_exchange_answer *a);

bool predict_exchange_show(const struct predict_exchange_request *r, const struct predict_exchange_answer *a,
                           struct error *err);

#endif
