/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/linear.h"

#include "base/memory.h"

void model_linear_init(struct model_linear *l, size_t n, size_t p)
{
    *l = (struct model_linear){
        .x = gsl_matrix_alloc(n, p),
        .covariance = gsl_matrix_alloc(p, p),
        .y = gsl_vector_alloc(n),
        .weight = gsl_vector_alloc(n),
        .c = gsl_vector_alloc(p),
        .work = gsl_multifit_linear_alloc(n, p),
    };
    if (!(l->x && l->covariance && l->y && l->weight && l->c && l->work))
        memory_end("a fit");
}

void model_linear_fini(struct model_linear *l)
{
    gsl_matrix_free(l->x);
    gsl_matrix_free(l->covariance);
    gsl_vector_free(l->y);
    gsl_vector_free(l->weight);
    gsl_vector_free(l->c);
    gsl_multifit_linear_free(l->work);
    *l = (struct model_linear){0};
}
