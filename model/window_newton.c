/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A semismooth Newton step on  min( Q_u / rtt_u, 1 - load_u / C_u ) = 0  for all unknowns u at once. Few unknowns are
 * solved for by LU, many by GMRES: a flow waits in a handful of places, so that the Jacobian is sparse. */
#include "model/window_state.h"

#include "base/memory.h"

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_splinalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 0.2       /* residual from which a step is tried: it tops out at 1 when delays are far too long */
#define HALVINGS 3     /* lengths tried: 1, 1/2, 1/4 */
#define WORTHWHILE 0.7 /* of the residual before; a step that brings less is left to sweeps, which never got stuck */
#define DENSE 128      /* unknowns that LU is for */
#define KRYLOV 60      /* GMRES: vectors before a restart, */
#define RESTARTS 5     /* restarts, */
#define INEXACT 1e-4   /* and what is left of the right side */

struct window_newton {
    int *rows;            /* owned; unknown of each row */
    double *line;         /* owned; one row of the Jacobian */
    double *right, *step; /* owned */
    double *dense;        /* owned, with its permutation; of few unknowns */
    size_t *permutation;  /* owned */
};

void window_newton_free(struct window_newton *t)
{
    if (!t)
        return;
    free(t->right);
    free(t->step);
    free(t->dense);
    free(t->permutation);
    free(t->rows);
    free(t->line);
    free(t);
}

static struct window_newton *newton_new(size_t room)
{
    struct window_newton *t = memory_zeroed(1, sizeof *t, "waiting times");
    size_t dense = room < DENSE ? room : DENSE;
    *t = (struct window_newton){
        .rows = memory_zeroed(room, sizeof *t->rows, "waiting times"),
        .line = memory_zeroed(room, sizeof *t->line, "waiting times"),
        .right = memory_zeroed(room, sizeof *t->right, "waiting times"),
        .step = memory_zeroed(room, sizeof *t->step, "waiting times"),
        .dense = memory_zeroed(dense * dense, sizeof *t->dense, "waiting times"),
        .permutation = memory_zeroed(dense, sizeof *t->permutation, "waiting times"),
    };
    return t;
}

/* Rows: unknowns whose queue, not whose slack, is the larger of the two; the others go to 0. */
static size_t newton_rows(struct model_window *w)
{
    size_t n = 0;
    for (size_t u = 0; u < w->n_unknowns; u++) {
        struct window_unknown *x = &w->unknowns[u];
        x->row = -1;
        if (x->delay_s / x->rtt_s > -x->overload) {
            w->newton->rows[n] = (int)u;
            x->row = (int)n++;
        }
    }
    return n;
}

/* Adds to `line` d(load / C) of a row's fullest link by every unknown its flows wait in, negated; returns the
 * right side. */
static double newton_row(const struct model_window *w, size_t row, double *line)
{
    const struct window_unknown *x = &w->unknowns[w->newton->rows[row]];
    const struct window_link *l = &w->links[x->fullest];
    double capacity_bps = w->net.links[x->fullest].rate_bps, right = x->overload;
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
    return right;
}

static bool newton_solve_dense(struct model_window *w, size_t n)
{
    struct window_newton *t = w->newton;
    gsl_matrix a = gsl_matrix_view_array(t->dense, n, n).matrix;
    gsl_vector b = gsl_vector_view_array(t->right, n).vector, x = gsl_vector_view_array(t->step, n).vector;
    gsl_permutation p = {n, t->permutation};
    int sign;
    gsl_matrix_set_zero(&a);
    for (size_t row = 0; row < n; row++)
        gsl_vector_set(&b, row, newton_row(w, row, gsl_matrix_ptr(&a, row, 0)));
    if (gsl_linalg_LU_decomp(&a, &p, &sign) != GSL_SUCCESS)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(gsl_matrix_get(&a, i, i)) > 0))
            return false; /* singular: the same flows fill two links */
    return gsl_linalg_LU_solve(&a, &p, &b, &x) == GSL_SUCCESS;
}

/* The Jacobian, rows scaled to a diagonal of 1, in compressed rows; NULL when out of memory. */
static gsl_spmatrix *newton_sparse(struct model_window *w, size_t n)
{
    struct window_newton *t = w->newton;
    gsl_spmatrix *triplets = gsl_spmatrix_alloc_nzmax(n, n, 16 * n, GSL_SPMATRIX_COO), *rows = NULL;
    for (size_t row = 0; triplets && row < n; row++) {
        memset(t->line, 0, n * sizeof *t->line);
        double right = newton_row(w, row, t->line), scale = t->line[row] > 0 ? 1 / t->line[row] : 1;
        t->right[row] = right * scale;
        for (size_t column = 0; column < n; column++)
            if (t->line[column] > 0)
                gsl_spmatrix_set(triplets, row, column, t->line[column] * scale);
    }
    if (triplets)
        rows = gsl_spmatrix_compress(triplets, GSL_SPMATRIX_CSR);
    gsl_spmatrix_free(triplets);
    return rows;
}

static bool newton_solve_sparse(struct model_window *w, size_t n)
{
    struct window_newton *t = w->newton;
    gsl_spmatrix *a = newton_sparse(w, n);
    gsl_splinalg_itersolve *gmres = gsl_splinalg_itersolve_alloc(gsl_splinalg_itersolve_gmres, n, KRYLOV);
    gsl_vector b = gsl_vector_view_array(t->right, n).vector, x = gsl_vector_view_array(t->step, n).vector;
    gsl_vector_set_zero(&x);
    int status = a && gmres ? GSL_CONTINUE : GSL_ENOMEM;
    for (int i = 0; i < RESTARTS && status == GSL_CONTINUE; i++)
        status = gsl_splinalg_itersolve_iterate(a, &b, INEXACT, &x, gmres);
    if (gmres)
        gsl_splinalg_itersolve_free(gmres);
    if (a)
        gsl_spmatrix_free(a);
    return status == GSL_SUCCESS || status == GSL_CONTINUE;
}

/* Delays kept, plus so much of the step; those without a row shrink by as much of themselves. */
static void newton_move(struct model_window *w, double length)
{
    for (size_t v = 0; v < w->n_unknowns; v++) {
        struct window_unknown *u = &w->unknowns[v];
        double full = u->row < 0 ? -w->kept_delay_s[v] : w->newton->step[u->row];
        u->delay_s = fmax(0, w->kept_delay_s[v] + length * full);
    }
    window_evaluate(w);
}

bool window_newton_step(struct model_window *w)
{
    if (w->residual > NEAR)
        return false;
    if (!w->newton)
        w->newton = newton_new(w->net.n_links);
    size_t n = newton_rows(w);
    if (n == 0 || !(n <= DENSE ? newton_solve_dense(w, n) : newton_solve_sparse(w, n)))
        return false;
    double before = w->residual, length = 1;
    for (size_t u = 0; u < w->n_unknowns; u++)
        w->kept_delay_s[u] = w->unknowns[u].delay_s;
    for (int i = 0; i < HALVINGS; i++, length /= 2) {
        newton_move(w, length);
        if (w->residual < WORTHWHILE * before)
            return true;
    }
    for (size_t u = 0; u < w->n_unknowns; u++)
        w->unknowns[u].delay_s = w->kept_delay_s[u];
    window_evaluate(w);
    return false;
}
