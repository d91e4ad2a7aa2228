/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/buffer.h"

#include "base/estimate.h"
#include "model/linear.h"

#define BURST_MOST 1e12 /* packets: a reciprocal far from underflow */
#define RANK_TOLERANCE 1e-9   /* of the largest singular value: below it the slope is rounding error */

static bool buffer_points_check(const struct model_buffer_point *points, size_t n, size_t *lossy, struct error *err)
{
    double first = 0;
    bool vary = false;
    *lossy = 0;
    for (size_t i = 0; i < n; i++) {
        const struct model_buffer_point *p = &points[i];
        if (!(p->burst_packets >= 1 && p->burst_packets <= BURST_MOST))
            return error_set(err, ERROR_INPUT, "point %zu: a burst of %g packets; it must be 1 to %g", i,
                             p->burst_packets, BURST_MOST);
        if (!(p->success >= 0 && p->success <= 1))
            return error_set(err, ERROR_INPUT, "point %zu: a success ratio of %g; it must be in 0 to 1", i, p->success);
        if (p->success >= 1)
            continue;
        vary = vary || (*lossy > 0 && fabs(p->burst_packets - first) > 0);
        first = *lossy ? first : p->burst_packets;
        ++*lossy;
    }
    if (*lossy < 3)
        return error_set(err, ERROR_INPUT, "%zu of %zu points lost packets; a line with an error needs 3", *lossy, n);
    return vary || error_set(err, ERROR_INPUT, "every burst has %g packets; sizes must vary", first);
}

/* *rank < 2: the sizes are too close for a line. */
static void buffer_least_squares(const struct model_buffer_point *points, size_t n, size_t lossy,
                                 struct model_buffer_fit *fit, size_t *rank)
{
    MEMORY_ENDS(model_linear_fini) struct model_linear l;
    model_linear_init(&l, lossy, 2);
    for (size_t i = 0, row = 0; i < n; i++) {
        if (points[i].success >= 1)
            continue;
        gsl_matrix_set(l.x, row, 0, 1);
        gsl_matrix_set(l.x, row, 1, 1 / points[i].burst_packets);
        gsl_vector_set(l.y, row++, points[i].success);
    }
    double squares;
    if (gsl_multifit_linear(l.x, l.y, l.c, l.covariance, &squares, l.work) == GSL_SUCCESS) {
        *fit = (struct model_buffer_fit){
            .buffer_packets = gsl_vector_get(l.c, 1),
            .buffer_std_error = sqrt(gsl_matrix_get(l.covariance, 1, 1)),
            .intercept = gsl_vector_get(l.c, 0),
            .intercept_std_error = sqrt(gsl_matrix_get(l.covariance, 0, 0)),
            .used = lossy,
        };
        fit->buffer_ci95 = estimate_t975(lossy - 2) * fit->buffer_std_error;
        *rank = gsl_multifit_linear_rank(RANK_TOLERANCE, l.work);
    }
}

bool model_buffer_fit(const struct model_buffer_point *points, size_t n, struct model_buffer_fit *fit,
                      struct error *err)
{
    size_t lossy, rank = 0;
    struct model_buffer_fit line;
    if (!buffer_points_check(points, n, &lossy, err))
        return false;
    buffer_least_squares(points, n, lossy, &line, &rank);
    if (rank < 2)
        return error_set(err, ERROR_INPUT, "bursts of the %zu points with losses are too alike; sizes must vary",
                         lossy);
    if (!(line.buffer_packets > 0))
        return error_set(err, ERROR_INPUT,
                         "a fitted buffer of %g +- %g packets: the share that arrives must fall with the burst",
                         line.buffer_packets, line.buffer_ci95);
    *fit = line;
    return true;
}

/* B_L of one signature under a reading. */
static double buffer_unit(const struct model_buffer_signature *s, enum model_buffer_architecture a)
{
    switch (a) {
    case MODEL_BUFFER_INPUT:
        return s->buffer_packets / s->sources;
    case MODEL_BUFFER_OUTPUT:
        return s->buffer_packets / s->sinks;
    default:
        return s->buffer_packets;
    }
}

static struct model_buffer_reading buffer_reading(const struct model_buffer_signature *s, size_t n,
                                                  enum model_buffer_architecture a)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += buffer_unit(&s[i], a);
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (buffer_unit(&s[i], a) - mean) * (buffer_unit(&s[i], a) - mean);
    return (struct model_buffer_reading){a, mean, sqrt(squares / (double)(n - 1)) / mean};
}

bool model_buffer_read(const struct model_buffer_signature *s, size_t n, struct model_buffer_reading *reading,
                       struct error *err)
{
    bool sources = false, sinks = false, ratio = false;
    if (n < 2)
        return error_set(err, ERROR_INPUT, "%zu signatures; an architecture shows in two at least", n);
    for (size_t i = 0; i < n; i++) {
        if (!(s[i].sources >= 1) || !(s[i].sinks >= 1) || !isfinite(s[i].sources) || !isfinite(s[i].sinks))
            return error_set(err, ERROR_INPUT, "signature %zu: %g sources and %g sinks; both must be 1 or more", i,
                             s[i].sources, s[i].sinks);
        if (!isfinite(s[i].buffer_packets) || s[i].buffer_packets <= 0)
            return error_set(err, ERROR_INPUT, "signature %zu: a buffer of %g packets; it must be positive", i,
                             s[i].buffer_packets);
        sources = sources || fabs(s[i].sources - s[0].sources) > 0;
        sinks = sinks || fabs(s[i].sinks - s[0].sinks) > 0;
        ratio = ratio || fabs(s[i].sources * s[0].sinks - s[0].sources * s[i].sinks) > 0;
    }
    if (!sources || !sinks || !ratio)
        return error_set(err, ERROR_INPUT, "%s must vary to tell the architectures apart",
                         !sources ? "the number of sources" : !sinks ? "the number of sinks" : "sources per sink");
    for (int a = MODEL_BUFFER_INPUT; a <= MODEL_BUFFER_SHARED; a++) {
        struct model_buffer_reading r = buffer_reading(s, n, (enum model_buffer_architecture)a);
        if (a == MODEL_BUFFER_INPUT || r.spread < reading->spread)
            *reading = r;
    }
    return true;
}
