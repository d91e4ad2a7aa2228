/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/explain/explain_run.h"

#include "base/units.h"
#include "results/directory.h"

#define HARDLY_EVER 0.999 /* of the time neither is busy: no turns to speak of */

/* The rows of one port. */
static struct analysis_depth *run_depths(const struct results_queues *t, size_t port, size_t *n)
{
    struct analysis_depth *rows = memory_zeroed(t->n_rows, sizeof *rows, "depths of a queue");
    *n = 0;
    for (size_t i = 0; i < t->n_rows; i++)
        if (t->rows[i].port == port)
            rows[(*n)++] = (struct analysis_depth){t->rows[i].time_s, t->rows[i].depth_bytes};
    return rows;
}

/* "sw1" of the port "sw1-h3" towards h3; empty when there is none. */
static void run_switch_of(const struct results_queues *t, const char *host, char sw[static RESULTS_QUEUES_PORT])
{
    sw[0] = '\0';
    for (size_t i = 0; i < t->n_ports; i++) {
        const char *dash = strchr(t->ports[i].name, '-');
        if (dash && strcmp(dash + 1, host) == 0)
            snprintf(sw, RESULTS_QUEUES_PORT, "%.*s", (int)(dash - t->ports[i].name), t->ports[i].name);
    }
}

/* Is the port one that frames pass from host `a` (of switch sw_a) to host `b` (of sw_b)? Names: emu/network/network.h. */
static bool run_on_path(const char *port, const char *a, const char *sw_a, const char *b, const char *sw_b)
{
    const char *dash = strchr(port, '-');
    if (!dash)
        return strcmp(port, a) == 0;
    size_t n = (size_t)(dash - port);
    bool from_a = strlen(sw_a) == n && strncmp(port, sw_a, n) == 0;
    bool from_b = strlen(sw_b) == n && strncmp(port, sw_b, n) == 0;
    bool from_root = n == 4 && strncmp(port, "root", 4) == 0, across = strcmp(sw_a, sw_b) != 0;
    if (from_b && strcmp(dash + 1, b) == 0)
        return true;
    return across && ((from_a && (strcmp(dash + 1, sw_b) == 0 || strcmp(dash + 1, "root") == 0)) ||
                      (from_root && strcmp(dash + 1, sw_b) == 0));
}

/* The queue on the way from one host to another that holds most on average; SIZE_MAX when none does. */
static size_t run_fullest(const struct results_queues *t, const char *from, const char *to)
{
    char sw_from[RESULTS_QUEUES_PORT], sw_to[RESULTS_QUEUES_PORT];
    size_t best = SIZE_MAX;
    run_switch_of(t, from, sw_from);
    run_switch_of(t, to, sw_to);
    for (size_t i = 0; i < t->n_ports; i++)
        if (run_on_path(t->ports[i].name, from, sw_from, to, sw_to) &&
            (best == SIZE_MAX || t->ports[i].mean_bytes > t->ports[best].mean_bytes))
            best = i;
    return best;
}

/* A pair of queues once, whichever way round. */
static bool run_has_turns(const struct study_explain_run *run, const char *a, const char *b)
{
    for (size_t i = 0; i < run->n_turns; i++) {
        const struct study_explain_run_turns *t = &run->turns[i];
        if ((strcmp(t->data, a) == 0 && strcmp(t->acks, b) == 0) ||
            (strcmp(t->data, b) == 0 && strcmp(t->acks, a) == 0))
            return true;
    }
    return false;
}

/* run->turns has room for one more. */
static bool run_add_turns(struct study_explain_run *run, const struct results_queues *queues, size_t data, size_t acks,
                          struct error *err)
{
    struct study_explain_run_turns *t = &run->turns[run->n_turns];
    size_t n_a, n_b;
    MEMORY_LOCAL struct analysis_depth *a = run_depths(queues, data, &n_a), *b = run_depths(queues, acks, &n_b);
    bool ok = analysis_pendulum_make(a, n_a, b, n_b, ANALYSIS_PENDULUM_BUSY, run->from_s, run->to_s, &t->busy, err);
    if (!ok || t->busy.neither > HARDLY_EVER)
        return ok;
    snprintf(t->data, sizeof t->data, "%s", queues->ports[data].name);
    snprintf(t->acks, sizeof t->acks, "%s", queues->ports[acks].name);
    run->n_turns++;
    return true;
}

static bool run_turns(struct study_explain_run *run, const struct results_queues *queues, struct error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < run->summary.n_flows; i++) {
        const struct results_flow *flow = &run->summary.flows[i];
        size_t a = run_fullest(queues, flow->src, flow->dst), b = run_fullest(queues, flow->dst, flow->src);
        if (a != SIZE_MAX && b != SIZE_MAX && !run_has_turns(run, queues->ports[a].name, queues->ports[b].name))
            ok = run_add_turns(run, queues, a, b, err);
    }
    return ok;
}

/* Directories of older versions do not know the waits. */
static void run_waits(struct study_explain_run *run)
{
    for (size_t i = 0; i < run->summary.n_flows; i++) {
        const struct results_flow *f = &run->summary.flows[i];
        if (!isfinite(f->floor_s))
            continue;
        run->waits[run->n_waits++] = (struct study_explain_run_waits){
            .flow = f,
            .ack_share = f->ack_wait_s / (f->floor_s + f->data_wait_s + f->ack_wait_s),
            .compressed_share =
                f->ack_groups > 0 ? (double)f->compressed_groups / (double)f->ack_groups : (double)NAN,
        };
    }
}

bool study_explain_run_read(const char *directory, struct study_explain_run *run, struct error *err)
{
    MEMORY_ENDS(results_queues_fini) struct results_queues queues = {0};
    *run = (struct study_explain_run){.n_waits = 0};
    if (!results_summary_read(&run->summary, directory, err))
        return false;
    size_t flows = run->summary.n_flows;
    run->from_s = (double)run->summary.warmup_ps / UNITS_PS_PER_S;
    run->to_s = (double)run->summary.ended_ps / UNITS_PS_PER_S;
    run->waits = memory_zeroed(flows, sizeof *run->waits, "the waits of flows");
    run->turns = memory_zeroed(flows, sizeof *run->turns, "the waits of flows");
    MEMORY_LOCAL char *path = results_directory_path(directory, "queues.csv");
    bool ok = results_queues_read(&queues, path, err);
    if (ok)
        run_waits(run);
    return ok && run_turns(run, &queues, err);
}

void study_explain_run_fini(struct study_explain_run *run)
{
    MEMORY_FREE(run->waits, run->turns);
    results_summary_fini(&run->summary);
    *run = (struct study_explain_run){.n_waits = 0};
}
