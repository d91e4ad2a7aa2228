/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion times of a repeated operation: how they are spread (Vaughan et al. 2003), how near the optimum they come
 * (Tam 2001, Eq. 5.1), and over several runs of MPI_Alltoall its contention signature (Steffenel 2006). */
#include "study/verdict/workload.h"
#include "results/csv.h"

#define LEAST_POINTS 4 /* of a signature */
#define OPERATION_PART 3         /* clusters are a third of a timer apart at least */

enum operations_column { OPERATION, PROCESS, OPERATION_START, END, OPERATION_COLUMNS };
static const char *const operations_columns[OPERATION_COLUMNS] = {"operation", "process", "start_s", "end_s"};

struct operations_times {
    double *process_s; /* owned; of every process in every operation */
    size_t *process;   /* owned; which it was */
    size_t n_own;      /* one more than the largest of these */
    double *whole_s;   /* owned; of every operation: until its last process was through */
    size_t n, n_whole;
};

static bool operations_read(const char *directory, struct operations_times *o, struct error *err)
{
    MEMORY_ENDS(results_csv_close) struct results_csv csv;
    char *v[OPERATION_COLUMNS];
    double x[OPERATION_COLUMNS];
    if (!results_csv_open_in(&csv, directory, "operations.csv", operations_columns, OPERATION_COLUMNS, err))
        return false;
    while (results_csv_next(&csv, v, err) == RESULTS_CSV_ROW && results_csv_numbers(&csv, v, OPERATION_COLUMNS, x, err)) {
        double took = x[END] - x[OPERATION_START];
        size_t operation = x[OPERATION] <= (double)o->n ? (size_t)x[OPERATION] : SIZE_MAX; /* SIZE_MAX: empty, too */
        size_t process = x[PROCESS] < SCENARIO_FLOWS ? (size_t)x[PROCESS] : SIZE_MAX;
        size_t whole = operation + 1 > o->n_whole ? operation + 1 : o->n_whole;
        if (operation == SIZE_MAX) {
            results_csv_fail(&csv, err, "operation %s is not the next one", v[OPERATION]);
            break;
        }
        if (process == SIZE_MAX) {
            results_csv_fail(&csv, err, "process is '%s'; must be a number from 0 to %d", v[PROCESS], SCENARIO_FLOWS - 1);
            break;
        }
        o->process_s = memory_resized(o->process_s, o->n + 1, sizeof *o->process_s, "completion times");
        o->process = memory_resized(o->process, o->n + 1, sizeof *o->process, "completion times");
        o->whole_s = memory_resized(o->whole_s, whole, sizeof *o->whole_s, "completion times");
        for (; o->n_whole < whole; o->n_whole++)
            o->whole_s[o->n_whole] = 0;
        o->process[o->n] = process;
        o->n_own = process >= o->n_own ? process + 1 : o->n_own;
        o->process_s[o->n++] = took;
        o->whole_s[operation] = fmax(o->whole_s[operation], took);
    }
    return err->code == ERROR_NONE;
}

/* Means of every process. */
static void operations_by_process(const struct operations_times *times, struct study_workload_operations *o)
{
    o->n_own = times->n_own;
    o->process = memory_zeroed(o->n_own, sizeof *o->process, "processes of an operation");
    for (size_t i = 0; i < times->n; i++) {
        struct study_workload_process *p = &o->process[times->process[i]];
        p->n++;
        p->mean_s += (times->process_s[i] - p->mean_s) / (double)p->n;
    }
}

/* Who was late, and in how many operations somebody was: beyond the first cluster. */
static void operations_late(const struct operations_times *times, const double *took, struct study_workload_operations *o)
{
    double in_time_s = o->processes.cluster[0].max_s;
    for (size_t i = 0; i < times->n; i++)
        o->process[times->process[i]].late += took[i] > in_time_s;
    for (size_t i = 0; i < times->n_whole; i++)
        o->late_whole += times->whole_s[i] > in_time_s;
}

/* The shortest timer that an operation may wait for: with Nagle's rule that of a delayed ACK, too. */
static double operations_timer_s(const struct scenario *s, const char **name)
{
    const struct emu_tcp_config *tcp = &s->tcp;
    bool gbn = s->transport == SCENARIO_TRANSPORT_GBN, acks = !gbn && tcp->nagle && tcp->delayed_ack > 1 &&
                                                            tcp->delayed_ack_timeout_ps < tcp->min_rto_ps;
    *name = gbn ? "timeout" : acks ? "delayed ACK" : "minimum RTO";
    return (double)(gbn ? s->gbn.timeout_ps : acks ? tcp->delayed_ack_timeout_ps : tcp->min_rto_ps) * 1e-12;
}

/* The parameters of Tam's model that this network has: L is store and forward through one switch, or cut through. */
static struct model_tam operations_tam(const struct scenario *s)
{
    const struct emu_gbn_config *g = &s->gbn;
    const struct emu_network_config *n = &s->network;
    double wire = (double)(g->packet_bytes + EMU_GBN_HEADER_BYTES + EMU_FRAME_OVERHEAD_BYTES);
    double frame_s = wire * 8 / (double)n->link.rate_bps, once_s = n->sw.cut_through ? 0 : frame_s;
    return (struct model_tam){
        .send_overhead_s = (double)g->send_overhead_ps * 1e-12,
        .send_gap_s = fmax((double)g->send_gap_ps * 1e-12, frame_s),
        .receive_overhead_s = (double)g->receive_overhead_ps * 1e-12,
        .receive_gap_s = frame_s,
        .user_overhead_s = (double)g->user_overhead_ps * 1e-12,
        .latency_s = frame_s + once_s + (double)(n->sw.latency_ps + 2 * n->link.delay_ps) * 1e-12,
        .packet_bytes = (double)g->packet_bytes,
    };
}

/* The optimum, and the time by the algorithm's own formula; false where there is none. */
static bool operations_optimum(const struct scenario *s, struct model_exchange_cost *cost)
{
    static const enum model_exchange_algorithm names[] = {
        [SCENARIO_ALGORITHM_SHIFT] = MODEL_EXCHANGE_SHIFT,
        [SCENARIO_ALGORITHM_PAIRWISE] = MODEL_EXCHANGE_PAIRWISE,
        [SCENARIO_ALGORITHM_SYNCHRONOUS] = MODEL_EXCHANGE_SYNC,
        [SCENARIO_ALGORITHM_GROUP] = MODEL_EXCHANGE_GROUP,
    };
    struct error none;
    struct model_tam tam = operations_tam(s);
    struct model_exchange x = {(size_t)s->network.hosts, (size_t)s->exchange.packets, (size_t)s->exchange.group};
    return s->traffic == SCENARIO_TRAFFIC_EXCHANGE && s->transport == SCENARIO_TRANSPORT_GBN &&
           model_exchange_cost(&tam, names[s->exchange.algorithm], &x, cost, &none);
}

struct model_alltoall_link study_workload_link(const struct scenario *s)
{
    const struct emu_link_config *link = &s->network.link;
    double segment = (double)s->tcp.segment_bytes, wire = segment + 52 + EMU_FRAME_OVERHEAD_BYTES;
    double frame_s = wire * 8 / (double)link->rate_bps;
    return (struct model_alltoall_link){
        .alpha_s = 2 * (double)link->delay_ps * 1e-12 + (double)s->network.sw.latency_ps * 1e-12 + frame_s,
        .beta_s_per_byte = frame_s / segment,
    };
}

static void operations_add_point(struct study_workload_signature *signature, const struct scenario *s, double mean_s)
{
    if (signature->n == 0)
        signature->link = study_workload_link(s);
    signature->points = memory_resized(signature->points, signature->n + 1, sizeof *signature->points,
                                       "points of a signature");
    signature->points[signature->n++] = (struct model_signature_point){(size_t)s->network.hosts,
                                                                       (double)s->exchange.bytes, mean_s, 0};
}

bool study_workload_operations(const char *directory, const struct scenario *s, struct study_workload_operations *o,
                               struct study_workload_signature *signature, struct error *err)
{
    struct operations_times times = {0};
    double *took = NULL;
    bool ok = operations_read(directory, &times, err);
    if (ok && times.n == 0)
        ok = error_set(err, ERROR_INPUT, "%s: no operation ended within %.3g s", directory,
                       (double)s->duration_ps * 1e-12);
    if (ok) {
        *o = (struct study_workload_operations){
            .n_processes = times.n,
            .n_whole = times.n_whole,
            .whole = estimate_mean(times.whole_s, times.n_whole),
        };
        took = memory_resized(NULL, times.n, sizeof *took, "completion times");
        memcpy(took, times.process_s, times.n * sizeof *took); /* the distribution sorts its own */
        o->timer_s = operations_timer_s(s, &o->timer);
        o->has_optimum = operations_optimum(s, &o->cost);
        operations_by_process(&times, o);
        ok = analysis_distribution_make(times.process_s, times.n, o->timer_s / OPERATION_PART, &o->processes, err) ||
             error_prefix(err, "%s/operations.csv: ", directory);
        if (ok)
            operations_late(&times, took, o);
    }
    if (ok && s->traffic == SCENARIO_TRAFFIC_EXCHANGE && scenario_has_streams(s))
        operations_add_point(signature, s, o->whole.value);
    MEMORY_FREE(times.process_s, times.process, times.whole_s, took);
    return ok;
}

enum study_workload_signature_answer study_workload_signature_fit(const struct study_workload_signature *signature,
                                                                  struct model_signature_fit *fit, struct error *err)
{
    if (signature->n < LEAST_POINTS)
        return STUDY_WORKLOAD_SIGNATURE_NONE;
    return model_signature_fit(&signature->link, signature->points, signature->n, fit, NULL, err)
               ? STUDY_WORKLOAD_SIGNATURE_FITTED : STUDY_WORKLOAD_SIGNATURE_REFUSED;
}

void study_workload_signature_fini(struct study_workload_signature *signature)
{
    free(signature->points);
    *signature = (struct study_workload_signature){.n = 0};
}
