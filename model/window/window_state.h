/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/window/window_state.h - what the files of model/window/ share; nobody else includes it. */
#pragma once

#include "model/window/window.h"

/* One passage of a flow over a link, as data or as ACKs. */
struct window_hop {
    double wire;  /* wire bytes here per byte of payload */
    int flow, link;
    unsigned place; /* in the uses, while the flow is active */
    bool data;
};

/* A passage of an active flow. */
struct window_use {
    double wire; /* wire bytes here per byte of payload */
    int flow;
    bool waits;  /* the link's queue is part of the flow's round trip */
    bool data;
};

struct window_link {
    size_t first, n, n_data; /* uses; those of data */
    int unknown;             /* -1: nobody uses it */
    int mate;                /* the next link of its unknown, -1: none */
    uint64_t waiters;        /* hash of the flows that wait here */
    bool ack_first;          /* and there is data to serve after them */
    bool marked;             /* in state.dirty */
};

/* What a link is loaded with, and between which loads nothing has to be done there. */
struct window_fill {
    double load_bps, least_bps, most_bps; /* least: -INFINITY where no queue depends on it */
};

/* Links in which the same flows wait: one queueing delay. */
struct window_unknown {
    int head;         /* its first link, which stands for all: they have the same waiters */
    int chain;        /* the next unknown of this bucket, -1: none */
    int fullest;      /* its link of the highest load / C, when all were evaluated */
    int row;          /* in the Newton step's system, -1: not there */
    double overload;  /* of the fullest link: load / C, less 1 */
    double rtt_s;     /* shortest of those that wait here */
    bool queued, reached; /* to be relaxed; it was, since few flows changed */
};

/* A solution: of the law, or of the law with bursts. */
struct window_layer {
    double *wait_s;                     /* [n_links] Q of each unknown: sum of q over its links */
    double *rtt_s, *rate_bps, *burst_s; /* [n_flows]; sum of w */
    double *delay_s;                    /* [n_links] q, as of the last split of its unknown's Q */
    struct window_fill *fill;           /* [n_links] */
    int *fullest;                       /* [n_links] link of the highest load / C of each unknown, when relaxed */
};

struct model_window {
    struct model_window_network net;
    struct window_layer layers[2];   /* owned, as everything below; without bursts and with them */
    struct window_layer *now;        /* the last solution */
    bool solved[2], behind[2];       /* the layer is a solution, but for the last change of `active` */
    bool *active;
    struct window_hop *hops;         /* each flow's, data first */
    size_t *flow_hops;               /* [n_flows + 1] into them */
    struct window_link *links;       /* [n_links] */
    struct window_use *uses;         /* by link, and the hop of each */
    unsigned *use_hops;
    struct window_unknown *unknowns; /* [n_links] at most */
    int *buckets;                    /* of unknowns by the hash of their waiters; [mask + 1] */
    uint64_t mask;
    uint64_t *hash;                  /* [n_flows] */
    double *bits;                    /* [n_flows] 8 W */
    double *kept_delay_s;            /* [n_links] unknowns before a Newton step or a slide */
    double *step_s;                  /* [n_links] what the last sweep did to them */
    int *changed, *moved;            /* [n_flows] that start or end; whose rate the last solution without bursts moved */
    bool *is_moved, all_moved;       /* [n_flows] */
    int *dirty, *queue, *reached;    /* [n_links] links of changed flows; unknowns to relax, a ring; relaxed ones */
    int *shifted;                    /* [n_links] unknowns that the last such solution without bursts changed, and */
    double *before_s, *shift_s;      /* [n_links] Q of those reached before; by how much it changed them */
    size_t n_unknowns, n_changed, n_moved, n_dirty, n_reached, n_shifted, queue_head, queue_n;
    bool many;          /* flows: with */
    double near, close; /* tolerances of changes: loads over capacities; waits of bursts over round trips */
    double *load_bps;   /* [n_links] for model_window_loads() */
    double residual;
    int sweeps;
    struct window_newton *newton; /* NULL until a step is tried */
    struct window_burst *burst;   /* NULL until bursts are asked for */
    struct model_window_cost cost;
};

/* The unknown whose Q this passage adds to the flow's round trip; -1: none, or another passage does. */
static inline int window_hop_unknown(const struct model_window *w, const struct window_hop *h)
{
    const struct window_link *l = &w->links[h->link];
    return (h->data || !l->ack_first) && w->unknowns[l->unknown].head == h->link ? l->unknown : -1;
}

/* Who crosses which link and which links are one unknown, brought up to date for `active` (NULL: all flows), in every
 * layer that is solved. */
void window_change(struct model_window *w, const bool *active);
void window_forget_changes(struct model_window *w);

/* An unknown's Q belongs to its fullest links, in equal parts: q of each. */
void window_split(const struct model_window *w, struct window_layer *y, int unknown);

/* Brings a layer up to date, which w->now becomes: after few changes what they and `flows`, whose burst_s is new, reach;
 * else everything. */
bool window_solve_layer(struct model_window *w, int layer, const int *flows, size_t n, struct error *err);

/* Finds the fixed point of w->now from the delays there are, for `active`, `bits` and `burst_s`, all at once. */
bool window_settle(struct model_window *w, struct error *err);

/* What one Newton step of an unknown's own equation adds to its Q: convex and falling, so that from the right it lands
 * on the left and from the left it never goes too far. Its overload and loads are found on the way. */
double window_step_s(struct model_window *w, int unknown);

/* Sets what links of an unknown are watched for, after its Q became 0 or more than 0 or another of them the fullest. */
void window_watch(const struct model_window *w, struct window_layer *y, int unknown);

/* Adds to an unknown's Q. Loads follow, and whatever is not within the tolerance any more waits to be relaxed. */
void window_shift(struct model_window *w, int unknown, double change_s);

/* Load of a link and, with `fall`, how fast it falls with the delay of its own unknown. */
double window_load(const struct model_window *w, const struct window_layer *y, const struct window_link *l,
                   double *fall);

/* Fills in what an unknown's links are loaded with, the fullest one and the shortest round trip; returns its residual. */
double window_evaluate_unknown(const struct model_window *w, struct window_unknown *u, double wait_s);

/* Round trips and rates from the delays, then overloads and the residual of all. */
void window_evaluate(struct model_window *w);

/* Tries one; true when it was taken. False, with delays as before, when it would not help, or there is too little
 * memory: sweeps do without it. Where these are `stuck`, delays may move as far as to the first queue that empties. */
bool window_newton_step(struct model_window *w, bool stuck);

/* The same of the unknowns reached alone, where these are few. */
bool window_newton_near(struct model_window *w, bool stuck);
void window_newton_free(struct window_newton *t);
void window_burst_free(struct window_burst *b);
