/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cmd_predict_exchange.h"
#include "study/predict_exchange_points.h"
#include "view/table.h"

#include <stdio.h>

static const char *const shapes[] = {
    [MODEL_SIGNATURE_RATIO] = "ratio",
    [MODEL_SIGNATURE_STARTUP] = "startup",
    [MODEL_SIGNATURE_THRESHOLD] = "threshold",
};

bool predict_exchange_fit(const struct predict_exchange_request *r, struct predict_exchange_answer *a,
                          struct error *err)
{
    struct model_alltoall_link link;
    struct study_predict_exchange_points points;
    if (!predict_exchange_link(r, &link, err) || !study_predict_exchange_points_read(r->fit_path, &points, err))
        return false;
    a->fit_points = points.n;
    a->fit_weighted = points.n && points.point[0].std_error_s > 0;
    bool ok = model_signature_fit(&link, points.point, points.n, &a->fit, NULL, err);
    if (!ok)
        error_prefix(err, "%s: ", r->fit_path);
    study_predict_exchange_points_fini(&points);
    return ok;
}

void predict_exchange_fit_text(const struct predict_exchange_request *r, const struct predict_exchange_answer *a)
{
    const struct model_signature_fit *f = &a->fit;
    bool ratio = f->shape == MODEL_SIGNATURE_RATIO;
    printf("signature of %s: %zu points, %zu sizes (Steffenel 2006, Eq. 5, generalised least squares)\n", r->fit_path,
           a->fit_points, f->n_candidates);
    printf("  gamma  %.5g, 95%% interval %.5g to %.5g\n", f->gamma.value, f->gamma.low, f->gamma.high);
    printf("  delta  %.4g ms a message, 95%% interval %.4g to %.4g%s\n", f->delta_s.value * 1e3, f->delta_s.low * 1e3,
           f->delta_s.high * 1e3, ratio ? ": taken as 0 (Eq. 4)" : "");
    if (f->shape == MODEL_SIGNATURE_THRESHOLD)
        printf("  M      %g bytes; anything above %g and up to %g is compatible\n", f->signature.threshold_bytes,
               f->threshold_above_bytes, f->threshold_to_bytes);
    else
        printf("  M      %s\n", ratio ? "none" : "0: messages of every measured size have the start-up cost");
    if (a->fit_weighted)
        printf("  points miss it by %.3g of their standard errors", f->scale);
    else
        printf("  points miss it by %.3g %%", f->scale * 100);
    printf("; %zu degrees of freedom; intervals take M as found\n", f->df);
}

static json_t *estimate_json(const struct model_signature_estimate *e)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "value", view_table_json_number(e->value), "std_error",
                     view_table_json_number(e->std_error), "low", view_table_json_number(e->low), "high",
                     view_table_json_number(e->high));
}

json_t *predict_exchange_fit_json(const struct predict_exchange_request *r, const struct predict_exchange_answer *a)
{
    const struct model_signature_fit *f = &a->fit;
    return json_pack("{s:s, s:I, s:s, s:o, s:o, s:f, s:f, s:f, s:f, s:I, s:f, s:b}", "file", r->fit_path, "points",
                     (json_int_t)a->fit_points, "shape", shapes[f->shape], "gamma", estimate_json(&f->gamma),
                     "delta_s", estimate_json(&f->delta_s), "delta_used_s", f->signature.delta_s, "threshold_bytes",
                     f->signature.threshold_bytes, "threshold_above_bytes", f->threshold_above_bytes,
                     "threshold_to_bytes", f->threshold_to_bytes, "df", (json_int_t)f->df, "scale", f->scale,
                     "weighted", a->fit_weighted);
}
