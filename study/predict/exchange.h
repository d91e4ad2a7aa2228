/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/predict/exchange.h - how long a complete exchange (MPI_Alltoall) takes, by Tam's and Steffenel's models.
 *
 * Errors name what is missing or wrong by its option of 'contraflow predict exchange'. */
#pragma once

#include "model/exchange/exchange.h"
#include "model/schedule.h"
#include "model/exchange/signature.h"

/* Parameters that a model looks at, as a set. */
enum {
    STUDY_EXCHANGE_TAM = 1 << 0,       /* what a packet costs each part of a host */
    STUDY_EXCHANGE_LINK = 1 << 1,      /* alpha, and beta or a rate */
    STUDY_EXCHANGE_GAPS = 1 << 2,      /* alpha, and beta without and with contention */
    STUDY_EXCHANGE_SIGNATURE = 1 << 3, /* gamma, delta and M */
    STUDY_EXCHANGE_ANY = (1 << 4) - 1
};

struct study_exchange_request;
struct study_exchange_answer;

/* A model costs its row in study_exchange_models[] and the function that adds its rows to an answer. */
struct study_exchange_model {
    const char *name;   /* "hockney" */
    const char *source; /* "Steffenel 2006, Eq. 1"; NULL: `run` knows */
    int needs;          /* STUDY_EXCHANGE_... */
    bool (*run)(const struct study_exchange_model *m, const struct study_exchange_request *r,
                struct study_exchange_answer *a, struct error *err);
};

#define STUDY_EXCHANGE_MODELS 6
extern const struct study_exchange_model study_exchange_models[STUDY_EXCHANGE_MODELS];

/* NAN is "not given". */
struct study_exchange_request {
    double processes, packets, message_bytes;
    double group, switches, buffer_packets, control_packets, uplink_bps;
    double alpha_s, beta_s_per_byte, rate_bps;
    double beta_free_s_per_byte, beta_contended_s_per_byte, rho;
    double gamma, delta_s, threshold_bytes;
    struct model_tam tam;   /* whole */
    const char *network;    /* whose published signature; borrowed, NULL: as given */
    const char *sizes_path; /* messages of unequal sizes, whose bounds are the whole answer; borrowed, NULL: none */
    const char *fit_path;   /* measured times to fit a signature to; borrowed, NULL: no fit */
    bool wanted[STUDY_EXCHANGE_MODELS];
};

#define STUDY_EXCHANGE_ROWS 16

struct study_exchange_row {
    const char *model;  /* "tam sync" */
    const char *source; /* "Tam 2001, Eq. 5.3" */
    double time_s;
    double rounds; /* NAN: the model knows of none */
};

struct study_exchange_answer {
    size_t processes; /* 0: only a fit was asked for, and there are no rows; none with sizes_path, either */
    double message_bytes;
    size_t packets; /* 0: no model asked for packets */
    size_t group;   /* partners at a time in group shuffle; with packets only, as the next three */
    double gap_s;   /* of a packet, and the stage that makes it */
    double latency_s;
    enum model_tam_stage stage;
    struct model_schedule_tree tree; /* switches 0: none was described */
    struct model_schedule_window data_window, window; /* with a tree; without and with control packets */
    double buffer_packets, control_packets;
    double uplink_s; /* Eq. 6.4; NAN without a rate of the uplinks */
    struct model_alltoall_link link; /* for models that need it, as the next */
    double bound_s;  /* (P - 1) (alpha + beta m) */
    struct model_signature_fit fit; /* with fit_path only, as the next two */
    size_t fit_points;
    bool fit_weighted; /* the file has standard errors */
    struct model_alltoall_bounds claims; /* with sizes_path only, as the next two: Steffenel 2006, Claims 1 to 3 */
    size_t messages;
    double total_bytes;
    struct study_exchange_row row[STUDY_EXCHANGE_ROWS];
    size_t n;
};

/* What all wanted models need together. */
int study_exchange_needs(const struct study_exchange_request *r);

/* A row for each model that is wanted; a request with only a fit_path is answered by the fit alone. */
bool study_exchange_predict(const struct study_exchange_request *r, struct study_exchange_answer *a, struct error *err);
