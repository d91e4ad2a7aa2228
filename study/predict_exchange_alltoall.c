/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cmd_predict_exchange.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Steffenel 2006, sections 8.1-8.3: what the paper measured. Myrinet has no start-up cost at any size. */
static const struct {
    const char *network;
    struct model_alltoall_signature signature;
} published[] = {
    {"fast-ethernet", {1.0195, 8.23e-3, 2048}},
    {"gigabit-ethernet", {4.3628, 4.93e-3, 8192}},
    {"myrinet", {2.49754, 0, 0}},
};

bool predict_exchange_link(const struct predict_exchange_request *r, struct model_alltoall_link *link,
                           struct error *err)
{
    bool has_beta = !isnan(r->beta_s_per_byte), has_rate = !isnan(r->rate_bps);
    if (isnan(r->alpha_s))
        return error_set(err, ERROR_INPUT, "--alpha: not given; the time to start a message, such as --alpha 60us");
    if (has_beta == has_rate)
        return error_set(err, ERROR_INPUT,
                         "%s; one of --rate 941Mbps and --beta 8.502e-9 (seconds) tells how long a "
                         "byte takes",
                         has_beta ? "--beta and --rate are both given" : "neither --beta nor --rate is given");
    *link = (struct model_alltoall_link){r->alpha_s, has_beta ? r->beta_s_per_byte : 8 / r->rate_bps};
    return model_alltoall_check(link, err);
}

static bool signature_of(const struct predict_exchange_request *r, const struct predict_exchange_answer *a,
                         struct model_alltoall_signature *signature, const char **source, struct error *err)
{
    bool given = !isnan(r->gamma) || !isnan(r->delta_s) || !isnan(r->threshold_bytes);
    if ((r->fit_path != NULL) + (r->network != NULL) + given != 1)
        return error_set(err, ERROR_INPUT, "signature: wants one of --fit FILE.csv, --network NAME and --gamma G "
                         "[--delta TIME --threshold SIZE]");
    if (r->fit_path) {
        *signature = a->fit.signature;
        *source = "Steffenel 2006, Eq. 5, as fitted";
        return true;
    }
    if (r->network) {
        *source = "Steffenel 2006, Eq. 5, as published";
        for (size_t i = 0; i < sizeof published / sizeof *published; i++)
            if (strcmp(r->network, published[i].network) == 0) {
                *signature = published[i].signature;
                return true;
            }
        return error_set(err, ERROR_INPUT, "--network %s: fast-ethernet, gigabit-ethernet and myrinet are published",
                         r->network);
    }
    *source = isnan(r->delta_s) ? "Steffenel 2006, Eq. 4" : "Steffenel 2006, Eq. 5";
    if (isnan(r->gamma))
        return error_set(err, ERROR_INPUT, "--gamma: not given; the contention ratio, such as --gamma 4.36");
    if (isnan(r->delta_s) && !isnan(r->threshold_bytes))
        return error_set(err, ERROR_INPUT, "--threshold: nothing starts there without --delta");
    *signature = (struct model_alltoall_signature){r->gamma, isnan(r->delta_s) ? 0 : r->delta_s,
                                                   isnan(r->threshold_bytes) ? 0 : r->threshold_bytes};
    return true;
}

static bool two_gap(const struct predict_exchange_request *r, struct predict_exchange_answer *a, struct error *err)
{
    struct model_alltoall_gaps gaps = model_alltoall_gaps_default();
    struct model_alltoall_link link = {.alpha_s = r->alpha_s};
    bool own = !isnan(r->beta_free_s_per_byte) || !isnan(r->beta_contended_s_per_byte);
    if (isnan(r->alpha_s))
        return error_set(err, ERROR_INPUT, "--alpha: not given; the time to start a message, such as --alpha 60us");
    if (own && (isnan(r->beta_free_s_per_byte) || isnan(r->beta_contended_s_per_byte)))
        return error_set(err, ERROR_INPUT, "--beta-free and --beta-contended: one is not given; both or neither");
    if (own) {
        gaps.free_s_per_byte = r->beta_free_s_per_byte;
        gaps.contended_s_per_byte = r->beta_contended_s_per_byte;
    }
    if (!isnan(r->rho))
        gaps.rho = r->rho;
    double time_s = 0;
    if (!model_alltoall_gap(&gaps, &link.beta_s_per_byte, err) ||
        !model_alltoall_bound(&link, a->processes, a->message_bytes, &time_s, err))
        return false;
    const char *source = own ? "Steffenel 2006, Eq. 3" : "Steffenel 2006, Eq. 3, its gigabit gaps";
    predict_exchange_add(a, "two-gap", source, time_s);
    return true;
}

bool predict_exchange_alltoall(const struct predict_exchange_request *r, struct predict_exchange_answer *a,
                               struct error *err)
{
    static const enum predict_exchange_model with_link[] = {PREDICT_EXCHANGE_HOCKNEY, PREDICT_EXCHANGE_LOWER_BOUND,
                                                            PREDICT_EXCHANGE_CLEMENT, PREDICT_EXCHANGE_SIGNATURE};
    struct model_alltoall_link link = {0};
    bool need_link = false;
    for (size_t i = 0; i < sizeof with_link / sizeof *with_link; i++)
        need_link = need_link || r->wanted[with_link[i]];
    double time_s = 0;
    if (need_link && (!predict_exchange_link(r, &link, err) ||
                      !model_alltoall_bound(&link, a->processes, a->message_bytes, &time_s, err)))
        return false;
    if (r->wanted[PREDICT_EXCHANGE_HOCKNEY])
        predict_exchange_add(a, "hockney", "Steffenel 2006, Eq. 1", time_s);
    if (r->wanted[PREDICT_EXCHANGE_LOWER_BOUND])
        predict_exchange_add(a, "lower-bound", "Steffenel 2006, Prop. 1", time_s);
    if (r->wanted[PREDICT_EXCHANGE_CLEMENT]) {
        /* Eq. 2 is one message among n at once; a process sends n - 1 of them, one by one. */
        if (!model_alltoall_shared(&link, a->processes, a->message_bytes, &time_s, err))
            return false;
        predict_exchange_add(a, "clement", "Steffenel 2006, (n-1) Eq. 2", (double)(a->processes - 1) * time_s);
    }
    if (r->wanted[PREDICT_EXCHANGE_TWO_GAP] && !two_gap(r, a, err))
        return false;
    if (!r->wanted[PREDICT_EXCHANGE_SIGNATURE])
        return true;
    struct model_alltoall_signature signature = {0};
    const char *source = "";
    if (!signature_of(r, a, &signature, &source, err) ||
        !model_alltoall_contended(&link, &signature, a->processes, a->message_bytes, &time_s, err))
        return false;
    predict_exchange_add(a, "signature", source, time_s);
    return true;
}
