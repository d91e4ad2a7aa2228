/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A semismooth Newton step on  min( Q_u / rtt_u, 1 - load_u / C_u ) = 0  for all unknowns u at once. */
#include "model/window_state.h"

#include <math.h>
#include <stdlib.h>

#define NEAR 0.2       /* residual from which a step is tried: it tops out at 1 when delays are far too long */
#define HALVINGS 3     /* lengths tried: 1, 1/2, 1/4 */
#define WORTHWHILE 0.7 /* of the residual before; a step that brings less is left to sweeps, which never got stuck */

static bool newton_alloc(struct model_window *w)
{
    size_t n = w->net.n_links < WINDOW_DENSE ? w->net.n_links : WINDOW_DENSE;
    w->jacobian = gsl_matrix_alloc(n, n);
    w->step = gsl_vector_alloc(n);
    w->permutation = gsl_permutation_alloc(n);
    w->rows = calloc(n, sizeof *w->rows);
    if (w->jacobian && w->step && w->permutation && w->rows)
        return true;
    window_newton_fini(w);
    return false;
}

void window_newton_fini(struct model_window *w)
{
    if (w->jacobian)
        gsl_matrix_free(w->jacobian);
    if (w->step)
        gsl_vector_free(w->step);
    if (w->permutation)
        gsl_permutation_free(w->permutation);
    free(w->rows);
    w->jacobian = NULL;
    w->step = NULL;
    w->permutation = NULL;
    w->rows = NULL;
}

/* Rows: unknowns whose queue, not whose slack, is the larger of the two; the others go to 0. */
static size_t newton_rows(struct model_window *w)
{
    size_t n = 0;
    for (size_t u = 0; u < w->n_unknowns; u++) {
        struct window_unknown *x = &w->unknowns[u];
        x->row = -1;
        if (x->delay_s / x->rtt_s > -x->overload) {
            if (n == WINDOW_DENSE)
                return 0;
            w->rows[n] = (int)u;
            x->row = (int)n++;
        }
    }
    return n;
}

/* d(load / C) of the unknown's fullest link by every unknown its flows wait in, negated. */
static void newton_fill(struct model_window *w, gsl_matrix *a, gsl_vector *b)
{
    gsl_matrix_set_zero(a);
    for (size_t row = 0; row < b->size; row++) {
        const struct window_unknown *x = &w->unknowns[w->rows[row]];
        const struct window_link *l = &w->links[x->fullest];
        double capacity_bps = w->net.links[x->fullest].rate_bps, right = x->overload;
        double *line = gsl_matrix_ptr(a, row, 0);
        for (size_t i = l->first; i < l->first + l->n; i++) {
            int f = w->uses[i].flow;
            double fall = w->uses[i].wire * w->rate_bps[f] / (w->rtt_s[f] * capacity_bps);
            for (size_t k = w->flow_first[f]; k < w->flow_first[f + 1]; k++) {
                const struct window_unknown *other = &w->unknowns[w->flow_unknowns[k]];
                if (other->row >= 0)
                    line[other->row] += fall;
                else
                    right += fall * other->delay_s; /* goes to 0 */
            }
        }
        gsl_vector_set(b, row, right);
    }
}

static bool newton_solve(gsl_matrix *a, gsl_vector *b, gsl_permutation *p)
{
    int sign;
    if (gsl_linalg_LU_decomp(a, p, &sign) != GSL_SUCCESS)
        return false;
    for (size_t i = 0; i < a->size1; i++) {
        double pivot = gsl_matrix_get(a, i, i);
        if (!(fabs(pivot) > 0))
            return false;
    }
    return gsl_linalg_LU_svx(a, p, b) == GSL_SUCCESS;
}

/* Delays kept, plus so much of the step; those without a row shrink by as much of themselves. */
static void newton_move(struct model_window *w, const gsl_vector *step, double length)
{
    for (size_t v = 0; v < w->n_unknowns; v++) {
        struct window_unknown *u = &w->unknowns[v];
        double full = u->row < 0 ? -w->kept_delay_s[v] : step ? gsl_vector_get(step, (size_t)u->row) : 0;
        u->delay_s = fmax(0, w->kept_delay_s[v] + length * full);
    }
    window_evaluate(w);
}

bool window_newton_step(struct model_window *w)
{
    if (w->residual > NEAR || (!w->jacobian && !newton_alloc(w)))
        return false;
    size_t n = newton_rows(w);
    if (n == 0)
        return false;
    gsl_matrix a = gsl_matrix_view_array_with_tda(w->jacobian->data, n, n, w->jacobian->tda).matrix;
    gsl_vector b = gsl_vector_subvector(w->step, 0, n).vector;
    gsl_permutation p = {n, w->permutation->data};
    newton_fill(w, &a, &b);
    if (!newton_solve(&a, &b, &p))
        return false;
    double before = w->residual;
    for (size_t u = 0; u < w->n_unknowns; u++)
        w->kept_delay_s[u] = w->unknowns[u].delay_s;
    double length = 1;
    for (int i = 0; i < HALVINGS; i++, length /= 2) {
        newton_move(w, &b, length);
        if (w->residual < 0.9 * before)
            return true;
    }
    newton_move(w, NULL, 0);
    return false;
}
