/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/window_state.h - what model/window.c and model/window_newton.c share; nobody else includes it. */
#ifndef MODEL_WINDOW_STATE_H
#define MODEL_WINDOW_STATE_H

#include "model/window.h"

#include <stdint.h>

/* One passage of a flow over a link, as data or as ACKs. */
struct window_use {
    int flow;
    bool waits;   /* the link's queue is part of the flow's round trip */
    double wire;  /* wire bytes here per byte of payload */
};

struct window_link {
    size_t first, n;   /* uses */
    int unknown;       /* -1: nobody uses it */
    uint64_t waiters;  /* hash of the flows that wait here */
    bool ack_first;    /* and there is data to serve after them */
};

/* Links in which the same flows wait: one queueing delay. */
struct window_unknown {
    size_t first, n;  /* links, in state.by_unknown */
    double delay_s;   /* Q: sum of q over its links */
    double overload;  /* max over its links of load / C, less 1 */
    double rtt_s;     /* shortest of those that wait here */
    int fullest;      /* the link of that maximum */
    int row;          /* in the Newton step's system, -1: not there */
};

struct model_window {
    struct model_window_network net;
    bool *active;                    /* owned, as everything below */
    struct window_link *links;       /* [n_links] */
    struct window_use *uses;         /* by link */
    struct window_unknown *unknowns; /* [n_links] at most */
    int *by_unknown;                 /* links sorted by waiters */
    int *flow_unknowns;              /* unknowns of each flow, once for each wait */
    size_t *flow_first;              /* [n_flows + 1] into them */
    double *rtt_s, *rate_bps;        /* [n_flows] */
    double *bits;                    /* [n_flows] 8 W */
    double *burst_s;                 /* [n_flows] sum of w */
    double *delay_s, *load_bps;      /* [n_links] */
    double *kept_delay_s;            /* [n_links] unknowns before a Newton step */
    size_t n_unknowns;
    double residual;
    int sweeps;
    struct window_newton *newton; /* NULL until a step is tried */
};

/* Finds the fixed point from the delays there are, for `active`, `bits` and `burst_s`. */
bool window_settle(struct model_window *w, struct error *err);

/* Round trips and rates from the delays, then overloads and the residual. */
void window_evaluate(struct model_window *w);

/* Tries one; true when it was taken. False, with delays as before, when it would not help, or there is too little
 * memory: sweeps do without it. */
bool window_newton_step(struct model_window *w);
void window_newton_free(struct window_newton *t);

#endif
