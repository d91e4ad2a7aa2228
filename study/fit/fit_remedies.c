/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/fit/fit_remedies.h"

#include "base/order.h"
#include "base/text.h"

#define LABEL 256

/* Endless flows both ways between h0 of a star and others, all of one kind. */
static bool remedies_is(const struct scenario *s, int count[static 2])
{
    count[0] = count[1] = 0;
    for (int i = 0; i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        if (f->bytes > 0 || f->duplex || f->from == f->to || (f->from != 0 && f->to != 0) ||
            f->tcp.congestion != s->flows[0].tcp.congestion)
            return false;
        count[f->from == 0]++;
    }
    return scenario_has_streams(s) && s->traffic == SCENARIO_TRAFFIC_FLOWS &&
           s->network.topology == EMU_TOPOLOGY_STAR && count[0] > 0 && count[1] > 0;
}

/* What tells two of one discipline apart. */
static void remedies_told(char text[static LABEL], const struct emu_discipline_parameters *p)
{
    const struct {
        const char *name;
        int64_t value;
        void (*format)(int64_t value, char *text);
    } rows[] = {
        {"target", p->target_ps, units_format_time},      {"interval", p->interval_ps, units_format_time},
        {"quantum", p->quantum_bytes, units_format_bytes}, {"min", p->min_bytes, units_format_bytes},
        {"max", p->max_bytes, units_format_bytes},        {"rate", p->rate_bps, units_format_rate},
        {"burst", p->burst_bytes, units_format_bytes},
    };
    char number[UNITS_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value > 0) {
            rows[i].format(rows[i].value, number);
            text_add(text, LABEL, " %s %s", rows[i].name, number);
        }
    for (int i = 0; i < p->n_quanta; i++)
        text_add(text, LABEL, "%s%" PRId64, i == 0 ? " quanta " : "/", p->quanta_bytes[i]);
    if (p->probability > 0)
        text_add(text, LABEL, " probability %g", p->probability);
    if (p->ecn != EMU_DISCIPLINE_ECN_USUAL)
        text_add(text, LABEL, p->ecn == EMU_DISCIPLINE_ECN_TRUE ? " ecn" : " noecn");
    if (p->aggressive)
        text_add(text, LABEL, " aggressive");
}

static void remedies_queue(char text[static LABEL], const struct emu_queue_config *q, const char *kernel)
{
    char number[UNITS_TEXT];
    if (*kernel) {
        text_add(text, LABEL, "%s", kernel);
        return;
    }
    text_add(text, LABEL, "%s", emu_discipline_names[q->discipline]);
    if (q->limit_bytes != EMU_QUEUE_UNLIMITED) {
        units_format_bytes(q->limit_bytes, number);
        text_add(text, LABEL, " %s", number);
    } else if (q->limit_packets != EMU_QUEUE_UNLIMITED) {
        text_add(text, LABEL, " %" PRId64 "p", q->limit_packets);
    }
    remedies_told(text, &q->parameters);
    if (q->mark_bytes > 0) {
        units_format_bytes(q->mark_bytes, number);
        text_add(text, LABEL, " mark %s", number);
    }
}

static bool remedies_leads(const struct emu_queue_config *q, const char *kernel)
{
    return !*kernel && emu_disciplines[q->discipline]->acks == EMU_DISCIPLINE_ACKS_LEAD;
}

static bool remedies_is_fifo(const struct emu_queue_config *q, const char *kernel)
{
    return !*kernel && emu_disciplines[q->discipline]->in_order;
}

/* The axes that no queue hangs on, and the seed: owned. */
static char *remedies_axes(const struct sweep_result *r)
{
    json_auto_t *rest = json_copy(r->axes);
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(rest, next, key, value)
        if (strcmp(key, "network") == 0 || strncmp(key, "network.nic", 11) == 0 || strncmp(key, "network.switch", 14) == 0)
            json_object_del(rest, key);
    json_object_set_new(rest, "seed", json_integer(r->seed));
    return json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS);
}

/* Every process of a collective on a host of a star, over TCP. */
static bool remedies_is_collective(const struct sweep_result *r)
{
    const struct scenario *s = r->scenario;
    return s->traffic == SCENARIO_TRAFFIC_COLLECTIVE && scenario_has_streams(s) && s->n_flows > 0 &&
           s->network.topology == EMU_TOPOLOGY_STAR && r->operations.n > 0 && r->operations.mean_s > 0 &&
           model_collective_bus(s->collective.algorithm, s->n_ranks) > 0;
}

/* Bus bandwidth of an operation that takes so long. */
static double remedies_bus_bps(const struct scenario *s, double time_s)
{
    return 8 * (double)s->collective.bytes / time_s * model_collective_bus(s->collective.algorithm, s->n_ranks);
}

/* The same if nothing were acknowledged and every window were open. */
static double remedies_ideal_bps(const struct scenario *s)
{
    const struct emu_network_config *n = &s->network;
    const struct model_collective_link link = {
        .rate_bps = (double)n->link.rate_bps,
        .latency_s = (2 * (double)n->link.delay_ps + (double)n->sw.latency_ps) * 1e-12,
        .stores = 1,
        .segment_bytes = s->tcp.segment_bytes,
        .overhead_bytes = SCENARIO_SEGMENT_HEADERS + EMU_FRAME_OVERHEAD_BYTES,
        .least_bytes = EMU_FRAME_MIN_WIRE_BYTES,
    };
    const struct model_collective_call call = {.algorithm = s->collective.algorithm, .ranks = s->n_ranks,
                                               .bytes = s->collective.bytes};
    struct error ignored = {0};
    double time_s;
    return model_collective_time(&link, &call, &time_s, &ignored) ? remedies_bus_bps(s, time_s) : (double)NAN;
}

/* What differs between points of a group: queues. What they share: the rest. */
static void remedies_name(struct study_fit_remedies_point *p, const struct sweep_result *r)
{
    const struct scenario *s = r->scenario;
    const struct emu_network_config *n = &s->network;
    const struct emu_tcp_config *tcp = &s->flows[0].tcp;
    char queues[LABEL] = "", stack[LABEL] = "", window[UNITS_TEXT];
    remedies_queue(queues, &n->sw.queue, n->sw.kernel);
    if (p->first) {
        text_add(queues, LABEL, ", all");
    } else if (!remedies_is_fifo(&n->nic, n->nic_kernel)) {
        text_add(queues, LABEL, ", NIC ");
        if (p->collective && !*n->nic_kernel)
            text_add(queues, LABEL, "%s", emu_discipline_names[n->nic.discipline]);
        else
            remedies_queue(queues, &n->nic, n->nic_kernel);
    }
    units_format_bytes(tcp->receive_buffer_bytes, window);
    text_add(stack, LABEL, "%s, %s%s%s", emu_congestion_names[tcp->congestion],
             tcp->linux_own.autotuning ? "autotuned to " : "", window,
             tcp->small_queue_bytes > 0 ? "" : ", no small queues");
    if (tcp->segment_bytes + SCENARIO_SEGMENT_HEADERS > SCENARIO_MTU)
        text_add(stack, LABEL, ", jumbo");
    p->queues = memory_text("%s", queues);
    p->stack = memory_text("%s", stack);
    if (p->collective) {
        units_format_bytes(s->collective.bytes, window);
        p->panel = memory_text("%s", stack);
        p->row = memory_text("%d hosts, %s", s->n_ranks, window);
    } else {
        p->panel = memory_text("%d in, %d out", p->in, p->out);
        p->row = memory_text("%s", stack);
    }
    MEMORY_LOCAL char *axes = remedies_axes(r);
    MEMORY_LOCAL char *size = p->collective ? memory_text("%012" PRId64, s->collective.bytes) : memory_text("%03d", p->out);
    p->group = memory_text("%016" PRId64 " %s, %03d/%s, %" PRId64 " ps, %s", n->link.rate_bps, stack,
                           p->collective ? s->n_ranks : p->in, size, n->link.delay_ps, axes);
}

static bool remedies_take(void *state, const char *source, const struct sweep_result *r, struct error *err)
{
    struct study_fit_remedies *m = state;
    const struct scenario *s = r->scenario;
    int count[2] = {0, 0};
    int64_t groups = 0, compressed = 0;
    bool collective = remedies_is_collective(r);
    (void)source, (void)err;
    if (!collective && !remedies_is(s, count))
        return true;
    m->points = memory_grown(m->points, m->n, &m->capacity, 64, sizeof *m->points, "points of queues");
    struct study_fit_remedies_point *p = &m->points[m->n++];
    *p = (struct study_fit_remedies_point){
        .number = r->number,
        .rate_bps = (double)s->network.link.rate_bps,
        .in = count[0],
        .out = count[1],
        .collective = collective ? model_collective_names[s->collective.algorithm] : NULL,
        .ideal_bps = collective ? remedies_ideal_bps(s) : (double)NAN,
        .first = remedies_leads(&s->network.nic, s->network.nic_kernel) &&
                 remedies_leads(&s->network.sw.queue, s->network.sw.kernel),
        .fifo = remedies_is_fifo(&s->network.nic, s->network.nic_kernel) &&
                remedies_is_fifo(&s->network.sw.queue, s->network.sw.kernel),
    };
    for (int i = 0; i < s->n_flows; i++) {
        const struct results_flow *f = &r->flows[i];
        double *way = s->flows[i].from == 0 ? &p->out_bps : &p->in_bps;
        *way += collective ? 0 : results_flow_rate_bps(f, 0);
        p->data_wait_s += f->data_wait_s / s->n_flows;
        p->ack_wait_s += f->ack_wait_s / s->n_flows;
        p->retransmitted += f->retransmitted_segments;
        groups += f->ack_groups;
        compressed += f->compressed_groups;
    }
    p->compressed = groups > 0 ? (double)compressed / (double)groups : (double)NAN;
    if (collective)
        p->in_bps = p->out_bps = remedies_bus_bps(s, r->operations.mean_s);
    remedies_name(p, r);
    return true;
}

/* With ACKs first before the others of its group. */
static ORDER_OF(remedies_by_group, struct study_fit_remedies_point, 2 * ORDER_TEXT(group) - ORDER(first))

static void remedies_free_point(struct study_fit_remedies_point *p)
{
    MEMORY_FREE(p->group, p->queues, p->stack, p->panel, p->row);
}

/* Keeps the points of groups that have one with ACKs first, and more. */
static void remedies_compare(struct study_fit_remedies *m)
{
    size_t kept = 0;
    for (size_t i = 0, end; i < m->n; i = end) {
        const struct study_fit_remedies_point with = m->points[i];
        for (end = i + 1; end < m->n && strcmp(m->points[end].group, with.group) == 0; end++)
            ;
        bool use = with.first && end > i + 1 && with.in_bps > 0 && with.out_bps > 0;
        for (size_t k = i; k < end; k++) {
            struct study_fit_remedies_point p = m->points[k];
            if (!use) {
                remedies_free_point(&p);
                continue;
            }
            p.lost = 1 - (p.in_bps + p.out_bps) / (with.in_bps + with.out_bps);
            p.lost_most = fmax(1 - p.in_bps / with.in_bps, 1 - p.out_bps / with.out_bps);
            m->points[kept++] = p;
        }
    }
    m->n = kept;
}

static int remedies_by_loss(const void *a, const void *b)
{
    const struct study_fit_remedies_row *x = a, *y = b;
    int kind = (x->collective != NULL) - (y->collective != NULL);
    return kind ? kind : x->rate_bps != y->rate_bps ? (x->rate_bps > y->rate_bps) - (x->rate_bps < y->rate_bps)
                                      : (x->lost < y->lost) - (x->lost > y->lost);
}

static struct study_fit_remedies_row *remedies_row(struct study_fit_remedies *m, const struct study_fit_remedies_point *p)
{
    for (size_t i = 0; i < m->n_rows; i++)
        if (m->rows[i].rate_bps == p->rate_bps && m->rows[i].collective == p->collective &&
            strcmp(m->rows[i].queues, p->queues) == 0)
            return &m->rows[i];
    m->rows[m->n_rows] = (struct study_fit_remedies_row){
        .rate_bps = p->rate_bps, .collective = p->collective, .queues = p->queues};
    return &m->rows[m->n_rows++];
}

static void remedies_fit(void *state)
{
    struct study_fit_remedies *m = state;
    qsort(m->points, m->n, sizeof *m->points, remedies_by_group);
    remedies_compare(m);
    m->rows = memory_zeroed(m->n, sizeof *m->rows, "queues");
    for (size_t i = 0; i < m->n; i++) {
        const struct study_fit_remedies_point *p = &m->points[i];
        struct study_fit_remedies_row *row = remedies_row(m, p);
        row->n++;
        row->lost += (p->lost - row->lost) / (double)row->n;
        row->lost_most += (p->lost_most - row->lost_most) / (double)row->n;
        row->data_wait_s += (p->data_wait_s - row->data_wait_s) / (double)row->n;
        row->ack_wait_s += (p->ack_wait_s - row->ack_wait_s) / (double)row->n;
        row->lacks += (1 - p->in_bps / p->ideal_bps - row->lacks) / (double)row->n;
        if (isfinite(p->compressed))
            row->compressed += (p->compressed - row->compressed) / (double)++row->n_compressed;
        row->suffer += p->lost > STUDY_FIT_REMEDIES_SUFFER;
        if (!row->worst || p->lost > row->worst->lost)
            row->worst = p;
    }
    qsort(m->rows, m->n_rows, sizeof *m->rows, remedies_by_loss);
}

/* The queues that leave least at worst, of those that are not FIFOs and need not be everywhere. */
static const char *remedies_best(const struct study_fit_remedies *m, double *worst)
{
    const char *best = NULL;
    for (size_t i = 0; i < m->n; i++) {
        const struct study_fit_remedies_point *p = &m->points[i];
        double most = -INFINITY;
        if (!p->collective || p->first || p->fifo)
            continue;
        for (size_t k = 0; k < m->n; k++)
            if (m->points[k].collective && strcmp(m->points[k].queues, p->queues) == 0)
                most = fmax(most, m->points[k].lost);
        if (!best || most < *worst) {
            best = p->queues;
            *worst = most;
        }
    }
    return best;
}

char *study_fit_remedies_sentence(const struct study_fit_remedies *m)
{
    const struct study_fit_remedies_point *worst = NULL;
    size_t n = 0, suffer = 0;
    double mean = 0, left = 0;
    char rate[UNITS_TEXT];
    for (size_t i = 0; i < m->n; i++) {
        const struct study_fit_remedies_point *p = &m->points[i];
        if (!p->collective || !p->fifo || p->retransmitted > 0)
            continue;
        mean += (p->lost - mean) / (double)++n;
        suffer += p->lost > STUDY_FIT_REMEDIES_SUFFER;
        worst = !worst || p->lost > worst->lost ? p : worst;
    }
    if (!worst)
        return NULL;
    const char *best = remedies_best(m, &left);
    units_format_rate((int64_t)worst->rate_bps, rate);
    MEMORY_LOCAL char *remedy = best ? memory_text("; '%s' leaves %.1f %% of that at most", best, 100 * left) : memory_text("%s", "");
    return memory_text("Over FIFOs that drop nothing a %s loses %.1f %% of its bus bandwidth to ACKs behind data on average, and more "
                       "than %.0f %% at %zu of %zu points, at worst %.0f %% (%s, %s, %s)%s.", worst->collective,
                       100 * mean, 100 * STUDY_FIT_REMEDIES_SUFFER, suffer, n, 100 * worst->lost, worst->panel,
                       worst->row, rate, remedy);
}

static void remedies_fini(void *state)
{
    struct study_fit_remedies *m = state;
    for (size_t i = 0; i < m->n; i++)
        remedies_free_point(&m->points[i]);
    MEMORY_FREE(m->points, m->rows);
}

STUDY_FIT_PART(remedies, n);
