/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/linear.h - room for a weighted linear least-squares fit of n rows and p columns, GSL's gsl_multifit. */
#pragma once

#include <gsl/gsl_multifit.h>

struct model_linear { /* all owned */
    gsl_matrix *x;            /* n by p */
    gsl_matrix *covariance;   /* p by p */
    gsl_vector *y, *weight;   /* n */
    gsl_vector *c;            /* p */
    gsl_multifit_linear_workspace *work;
};

void model_linear_init(struct model_linear *l, size_t n, size_t p); /* for model_linear_fini() */
void model_linear_fini(struct model_linear *l); /* safe on a zeroed one */
