/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A semismooth Newton step on  min( Q_u / rtt_u, 1 - load_u / C_u ) = 0  for all unknowns u at once. Few unknowns are
 * solved for by LU, many by GMRES: a flow waits in a handful of places, so that the Jacobian is sparse. */
#include "model/window/window_state.h"

#include <gsl/gsl_linalg.h>

#define NEAR 0.2       /* residual from which a step is tried: it tops out at 1 when delays are far too long */
#define HALVINGS 3     /* lengths tried: 1, 1/2, 1/4 */
#define WORTHWHILE 0.7 /* of the residual before; a step that brings less is left to sweeps, which never got stuck */
#define DENSE 64      /* unknowns that LU is for */
#define FIRM 1e-9      /* of its diagonal is added, so that waits that trade off without end go the way that helps */
#define SLIDE 1.01     /* residual, of that before, at which such a step may end when it empties a queue */
#define KRYLOV 30      /* GMRES: vectors before a restart, */
#define RESTARTS 2     /* restarts, */
#define INEXACT 1e-2   /* and what is left of the right side */

struct window_newton {
    bool whole;           /* about all unknowns, */
    int *of;              /* owned; or about these */
    size_t n;
    int *rows;            /* owned; unknown of each row */
    double *line;         /* owned; one row of the Jacobian */
    double *right, *step; /* owned */
    size_t *row_end;      /* owned, as the rest: the Jacobian of many unknowns, row by row; ends of rows, */
    int *column;          /* and `room` columns and values */
    double *value, *krylov;
    size_t room, krylov_room;
    double hessenberg[KRYLOV][KRYLOV + 1], small[KRYLOV + 1], cosine[KRYLOV], sine[KRYLOV];
    double *dense;        /* owned, with its permutation; of few unknowns */
    size_t *permutation;  /* owned */
};

void window_newton_free(struct window_newton *t)
{
    if (!t)
        return;
    MEMORY_FREE(t->right, t->step, t->dense, t->permutation, t->of, t->rows, t->line, t->row_end, t->column, t->value,
                t->krylov, t);
}

static struct window_newton *newton_new(size_t room)
{
    struct window_newton *t = memory_zeroed(1, sizeof *t, "waiting times");
    size_t dense = room < DENSE ? room : DENSE;
    *t = (struct window_newton){
        .of = memory_zeroed(room, sizeof *t->of, "waiting times"),
        .rows = memory_zeroed(room, sizeof *t->rows, "waiting times"),
        .line = memory_zeroed(room, sizeof *t->line, "waiting times"),
        .right = memory_zeroed(room, sizeof *t->right, "waiting times"),
        .row_end = memory_zeroed(room, sizeof *t->row_end, "waiting times"),
        .step = memory_zeroed(room, sizeof *t->step, "waiting times"),
        .dense = memory_zeroed(dense * dense, sizeof *t->dense, "waiting times"),
        .permutation = memory_zeroed(dense, sizeof *t->permutation, "waiting times"),
    };
    return t;
}

/* Rows: those of the unknowns whose queue, not whose slack, is the larger of the two; the others go to 0. */
static size_t newton_rows(struct model_window *w)
{
    struct window_newton *t = w->newton;
    size_t n = 0;
    for (size_t k = 0; k < t->n; k++) {
        struct window_unknown *x = &w->unknowns[t->of[k]];
        if (w->now->wait_s[t->of[k]] / x->rtt_s > -x->overload) {
            t->rows[n] = t->of[k];
            x->row = (int)n++;
        }
    }
    return n;
}

/* Adds to `line` d(load / C) of a row's fullest link by every unknown its flows wait in, negated; returns the
 * right side. `columns`, unless NULL, gets the rows of those unknowns, each once, and *n how many. */
static double newton_row(const struct model_window *w, size_t row, double *line, int *columns, size_t *n)
{
    const struct window_unknown *x = &w->unknowns[w->newton->rows[row]];
    const struct window_link *l = &w->links[x->fullest];
    const struct window_layer *y = w->now;
    double capacity_bps = w->net.links[x->fullest].rate_bps, right = x->overload;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        int f = w->uses[i].flow;
        double fall = w->uses[i].wire * y->rate_bps[f] / (y->rtt_s[f] * capacity_bps);
        for (size_t k = w->flow_hops[f]; k < w->flow_hops[f + 1]; k++) {
            int other = window_hop_unknown(w, &w->hops[k]), at = other >= 0 ? w->unknowns[other].row : -1;
            if (at >= 0) {
                if (columns && !(line[at] > 0))
                    columns[(*n)++] = at;
                line[at] += fall;
            } else if (other >= 0 && (w->newton->whole || w->unknowns[other].reached)) {
                right += fall * y->wait_s[other]; /* goes to 0 */
            }
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
        gsl_vector_set(&b, row, newton_row(w, row, gsl_matrix_ptr(&a, row, 0), NULL, NULL));
    for (size_t row = 0; row < n; row++)
        *gsl_matrix_ptr(&a, row, row) *= 1 + FIRM;
    if (gsl_linalg_LU_decomp(&a, &p, &sign) != GSL_SUCCESS)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(gsl_matrix_get(&a, i, i)) > 0))
            return false; /* singular: the same flows fill two links */
    return gsl_linalg_LU_solve(&a, &p, &b, &x) == GSL_SUCCESS;
}

/* Room for another row of the Jacobian: no more columns than its flows have passages. */
static void newton_make_room(struct model_window *w, size_t row, size_t used)
{
    struct window_newton *t = w->newton;
    const struct window_link *l = &w->links[w->unknowns[t->rows[row]].fullest];
    size_t most = used;
    for (size_t i = l->first; i < l->first + l->n; i++)
        most += w->flow_hops[w->uses[i].flow + 1] - w->flow_hops[w->uses[i].flow];
    if (most <= t->room)
        return;
    t->room = 2 * most;
    t->column = memory_resized(t->column, t->room, sizeof *t->column, "waiting times");
    t->value = memory_resized(t->value, t->room, sizeof *t->value, "waiting times");
}

/* The Jacobian, rows scaled to a diagonal of 1, in compressed rows. */
static void newton_fill_sparse(struct model_window *w, size_t n)
{
    struct window_newton *t = w->newton;
    size_t used = 0;
    memset(t->line, 0, n * sizeof *t->line);
    for (size_t row = 0; row < n; row++) {
        size_t first = used;
        newton_make_room(w, row, used);
        t->right[row] = newton_row(w, row, t->line, t->column, &used);
        double scale = t->line[row] > 0 ? 1 / t->line[row] : 1;
        t->right[row] *= scale;
        for (size_t k = first; k < used; k++) {
            t->value[k] = t->line[t->column[k]] * scale;
            t->line[t->column[k]] = 0;
        }
        t->row_end[row] = used;
    }
}

static void newton_times(const struct window_newton *t, size_t n, const double *x, double *out)
{
    for (size_t row = 0, k = 0; row < n; row++) {
        double sum = 0;
        for (; k < t->row_end[row]; k++)
            sum += t->value[k] * x[t->column[k]];
        out[row] = sum;
    }
}

static double newton_dot(const double *a, const double *b, size_t n)
{
    double sum[4] = {0}; /* four at a time: one sum alone would wait for itself */
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

static void newton_add(double *restrict out, const double *restrict x, double times, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] += times * x[i];
}

/* The rotation of rows k and k + 1 of the small system that makes its subdiagonal 0, after those before it. */
static void newton_rotate(struct window_newton *t, size_t k, double *column)
{
    for (size_t i = 0; i < k; i++) {
        double upper = t->cosine[i] * column[i] + t->sine[i] * column[i + 1];
        column[i + 1] = t->cosine[i] * column[i + 1] - t->sine[i] * column[i];
        column[i] = upper;
    }
    double length = hypot(column[k], column[k + 1]);
    t->cosine[k] = length > 0 ? column[k] / length : 1;
    t->sine[k] = length > 0 ? column[k + 1] / length : 0;
    column[k] = length;
    t->small[k + 1] = -t->sine[k] * t->small[k];
    t->small[k] *= t->cosine[k];
}

/* Adds to step[] what the first k vectors make of the right side. */
static void newton_combine(struct window_newton *t, size_t n, size_t k)
{
    for (size_t i = k; i-- > 0;) {
        for (size_t j = i + 1; j < k; j++)
            t->small[i] -= t->hessenberg[j][i] * t->small[j];
        t->small[i] = t->hessenberg[i][i] > 0 ? t->small[i] / t->hessenberg[i][i] : 0;
        newton_add(t->step, t->krylov + i * n, t->small[i], n);
    }
}

/* One round of GMRES (Saad 2003, Iterative Methods for Sparse Linear Systems, Algorithm 6.9, by modified Gram-Schmidt);
 * true when as little of the right side is left as is asked. */
static bool newton_gmres(struct window_newton *t, size_t n, double enough)
{
    double *v = t->krylov;
    newton_times(t, n, t->step, v);
    for (size_t i = 0; i < n; i++)
        v[i] = t->right[i] - v[i];
    double length = sqrt(newton_dot(v, v, n));
    t->small[0] = length;
    size_t k = 0;
    for (; k < KRYLOV && fabs(t->small[k]) > enough && length > 0; k++, v += n) {
        double *column = t->hessenberg[k], *next = v + n;
        for (size_t i = 0; i < n; i++)
            v[i] /= length;
        newton_times(t, n, v, next);
        for (size_t i = 0; i <= k; i++) {
            column[i] = newton_dot(t->krylov + i * n, next, n);
            newton_add(next, t->krylov + i * n, -column[i], n);
        }
        column[k + 1] = length = sqrt(newton_dot(next, next, n));
        newton_rotate(t, k, column);
    }
    double left = fabs(t->small[k]);
    newton_combine(t, n, k);
    return left <= enough;
}

static bool newton_solve_sparse(struct model_window *w, size_t n)
{
    struct window_newton *t = w->newton;
    newton_fill_sparse(w, n);
    if (n > t->krylov_room) {
        free(t->krylov);
        t->krylov = memory_zeroed((KRYLOV + 1) * n, sizeof *t->krylov, "waiting times");
        t->krylov_room = n;
    }
    memset(t->step, 0, n * sizeof *t->step);
    double enough = INEXACT * sqrt(newton_dot(t->right, t->right, n));
    for (int i = 0; i < RESTARTS && !newton_gmres(t, n, enough); i++)
        continue;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(t->step[i]))
            return false;
    return true;
}

/* The residual of the unknowns it is about. */
static double newton_evaluate(struct model_window *w)
{
    struct window_newton *t = w->newton;
    double residual = 0;
    if (t->whole) {
        window_evaluate(w);
        return w->residual;
    }
    for (size_t k = 0; k < t->n; k++) {
        int v = t->of[k];
        residual = fmax(residual, window_evaluate_unknown(w, &w->unknowns[v], w->now->wait_s[v]));
        if (w->now->fullest[v] == w->unknowns[v].fullest)
            continue;
        w->now->fullest[v] = w->unknowns[v].fullest;
        window_watch(w, w->now, v);
    }
    return residual;
}

static void newton_set(struct model_window *w, int unknown, double wait_s)
{
    if (w->newton->whole)
        w->now->wait_s[unknown] = wait_s;
    else
        window_shift(w, unknown, wait_s - w->now->wait_s[unknown]);
}

/* Delays kept, plus so much of the step; those without a row shrink by as much of themselves. */
static double newton_move(struct model_window *w, double length)
{
    struct window_newton *t = w->newton;
    for (size_t k = 0; k < t->n; k++) {
        int v = t->of[k], row = w->unknowns[v].row;
        double full = row < 0 ? -w->kept_delay_s[v] : t->step[row];
        newton_set(w, v, fmax(0, w->kept_delay_s[v] + length * full));
    }
    return newton_evaluate(w);
}

/* How long the step is until it empties the first queue. */
static double newton_boundary(const struct model_window *w)
{
    const struct window_newton *t = w->newton;
    double length = 1;
    for (size_t k = 0; k < t->n; k++) {
        int v = t->of[k], row = w->unknowns[v].row;
        if (row >= 0 && t->step[row] < 0)
            length = fmin(length, w->kept_delay_s[v] / -t->step[row]);
    }
    return length;
}

/* True when a length of the step found is worth it. */
static bool newton_take(struct model_window *w, double before, bool stuck)
{
    const struct window_newton *t = w->newton;
    double length = 1;
    for (size_t k = 0; k < t->n; k++)
        w->kept_delay_s[t->of[k]] = w->now->wait_s[t->of[k]];
    for (int i = 0; i < HALVINGS; i++, length /= 2)
        if (newton_move(w, length) < WORTHWHILE * before)
            return true;
    length = stuck ? newton_boundary(w) : 1;
    if (length < 1 && newton_move(w, length) <= SLIDE * before)
        return false;
    for (size_t k = 0; k < t->n; k++)
        newton_set(w, t->of[k], w->kept_delay_s[t->of[k]]);
    newton_evaluate(w);
    return false;
}

static bool newton_try(struct model_window *w, double before, bool stuck)
{
    struct window_newton *t = w->newton;
    size_t n = newton_rows(w);
    bool taken = n > 0 && (n <= DENSE ? newton_solve_dense(w, n) : newton_solve_sparse(w, n)) &&
                 newton_take(w, before, stuck);
    for (size_t k = 0; k < n; k++)
        w->unknowns[t->rows[k]].row = -1;
    return taken;
}

bool window_newton_step(struct model_window *w, bool stuck)
{
    if (w->residual > NEAR)
        return false;
    if (!w->newton)
        w->newton = newton_new(w->net.n_links);
    w->newton->whole = true;
    w->newton->n = w->n_unknowns;
    for (size_t v = 0; v < w->n_unknowns; v++)
        w->newton->of[v] = (int)v;
    return newton_try(w, w->residual, stuck);
}

bool window_newton_near(struct model_window *w, bool stuck)
{
    if (!w->newton)
        w->newton = newton_new(w->net.n_links);
    w->newton->whole = false;
    w->newton->n = w->n_reached;
    for (size_t k = 0; k < w->n_reached; k++)
        w->newton->of[k] = w->reached[k];
    double before = newton_evaluate(w);
    return before <= NEAR && newton_try(w, before, stuck);
}
