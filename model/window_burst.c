/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bursts wait at links that are busy but not full: w of model/window.h. */
#include "model/window_state.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define DATA_FACTOR 0.25   /* of rho^2 and the clumps met by data, */
#define ACK_FACTOR 0.125   /* by ACKs, */
#define FRAME_FACTOR 0.125 /* and of the bursts that single ACKs let go */

struct burst_link {
    double rho;
    double windows_s; /* sum of P b */
    double clumps_s;  /* sum of P k b */
    double frames_s;  /* sum of P g */
};

struct burst {
    const struct model_window *w;
    struct burst_link *links;
    double release_bytes, times;
};

/* P of a flow's data, and its window's time, on a link. */
static double burst_share(const struct burst *b, size_t flow, int link)
{
    return b->w->net.flows[flow].wire_per_byte * b->w->rate_bps[flow] / b->w->net.links[link].rate_bps;
}

static double burst_time_s(const struct burst *b, size_t flow, int link, double bytes)
{
    return 8 * b->w->net.flows[flow].wire_per_byte * bytes / b->w->net.links[link].rate_bps;
}

static void burst_fill_links(struct burst *b)
{
    const struct model_window_network *net = &b->w->net;
    for (size_t l = 0; l < net->n_links; l++)
        b->links[l].rho = fmin(1, b->w->load_bps[l] / net->links[l].rate_bps);
    for (size_t i = 0; i < net->n_flows; i++) {
        for (int h = 0; b->w->active[i] && h < net->flows[i].n_data; h++) {
            int l = net->flows[i].data[h];
            double share = burst_share(b, i, l);
            b->links[l].windows_s += share * burst_time_s(b, i, l, net->flows[i].window_bytes);
            b->links[l].frames_s += share * burst_time_s(b, i, l, b->release_bytes);
        }
    }
}

/* What a standing queue on a path leaves of clumps. */
static double burst_left(const struct burst *b, const int *path, int n, bool acks)
{
    double left = 1;
    for (int h = 0; h < n; h++) {
        const struct burst_link *l = &b->links[path[h]];
        double q_s = b->w->delay_s[path[h]], most_s = b->times * DATA_FACTOR * l->rho * l->rho * l->windows_s;
        if (q_s > 0 && !(acks && b->w->links[path[h]].ack_first))
            left = fmin(left, most_s > q_s ? 1 - q_s / most_s : 0);
    }
    return left;
}

static double burst_wait_s(const struct burst *b, size_t flow, double left)
{
    const struct model_window_flow *f = &b->w->net.flows[flow];
    double wait_s = 0;
    for (int h = 0; h < f->n_data; h++) {
        int at = f->data[h];
        const struct burst_link *l = &b->links[at];
        double share = burst_share(b, flow, at);
        double clumps_s = l->clumps_s - share * left * burst_time_s(b, flow, at, f->window_bytes);
        double frames_s = l->frames_s - share * burst_time_s(b, flow, at, b->release_bytes);
        double w_s = b->times * (DATA_FACTOR * l->rho * l->rho * clumps_s + FRAME_FACTOR * frames_s);
        wait_s += fmax(0, w_s - b->w->delay_s[at]);
    }
    for (int h = 0; h < f->n_ack; h++) {
        const struct burst_link *l = &b->links[f->ack[h]];
        double w_s = b->times * (ACK_FACTOR * l->rho * l->rho * l->clumps_s + FRAME_FACTOR * l->frames_s);
        if (!b->w->links[f->ack[h]].ack_first)
            wait_s += fmax(0, w_s - b->w->delay_s[f->ack[h]]);
    }
    return wait_s;
}

bool model_window_add_bursts(struct model_window *w, double release_bytes, double times, struct error *err)
{
    const struct model_window_network *net = &w->net;
    struct burst b = {w, memory_zeroed(net->n_links, sizeof *b.links, "bursts"), release_bytes, times};
    double *left = memory_zeroed(net->n_flows, sizeof *left, "bursts");
    burst_fill_links(&b);
    for (size_t i = 0; i < net->n_flows; i++) {
        const struct model_window_flow *f = &net->flows[i];
        if (!w->active[i])
            continue;
        left[i] = fmin(burst_left(&b, f->data, f->n_data, false), burst_left(&b, f->ack, f->n_ack, true));
        for (int h = 0; h < f->n_data; h++)
            b.links[f->data[h]].clumps_s +=
                left[i] * burst_share(&b, i, f->data[h]) * burst_time_s(&b, i, f->data[h], f->window_bytes);
    }
    for (size_t i = 0; i < net->n_flows; i++)
        w->burst_s[i] = w->active[i] ? burst_wait_s(&b, i, left[i]) : 0;
    free(b.links);
    free(left);
    return window_settle(w, err);
}
