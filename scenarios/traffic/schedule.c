/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/traffic/schedule.h"

#include "base/order.h"

static const char what[] = "a schedule";

void schedule_init(struct schedule *s, int ranks)
{
    *s = (struct schedule){memory_zeroed((size_t)ranks, sizeof *s->ranks, what), ranks};
}

void schedule_fini(struct schedule *s)
{
    for (int r = 0; r < s->n; r++)
        MEMORY_FREE(s->ranks[r].ops, s->ranks[r].needs);
    free(s->ranks);
    *s = (struct schedule){0};
}

int schedule_add(struct schedule *s, int rank, const struct schedule_op *op)
{
    struct schedule_rank *r = &s->ranks[rank];
    r->ops = memory_grown(r->ops, r->n, &r->capacity, 16, sizeof *r->ops, what);
    r->ops[r->n] = *op;
    return (int)r->n++;
}

void schedule_require(struct schedule *s, int rank, int op, int earlier, bool started)
{
    struct schedule_rank *r = &s->ranks[rank];
    r->needs = memory_grown(r->needs, r->n_needs, &r->needs_capacity, 16, sizeof *r->needs, what);
    r->needs[r->n_needs++] = (struct schedule_need){op, earlier, started};
}

size_t schedule_count(const struct schedule *s)
{
    size_t n = 0;
    for (int r = 0; r < s->n; r++)
        n += s->ranks[r].n;
    return n;
}

/* By the lesser process, the other one, and then the way. */
static int flows_compare(const void *a, const void *b)
{
    const struct schedule_flow *x = a, *y = b;
    const int left[] = {x->from < x->to ? x->from : x->to, x->from + x->to, x->from};
    const int right[] = {y->from < y->to ? y->from : y->to, y->from + y->to, y->from};
    for (int i = 0; i < 3; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

struct schedule_flow *schedule_flows(const struct schedule *s, bool apart, size_t *n)
{
    struct schedule_flow *flows = memory_zeroed(schedule_count(s) + 1, sizeof *flows, what);
    size_t sends = 0;
    *n = 0;
    for (int r = 0; r < s->n; r++)
        for (size_t i = 0; i < s->ranks[r].n; i++)
            if (s->ranks[r].ops[i].kind == SCHEDULE_SEND)
                flows[sends++] = (struct schedule_flow){r, s->ranks[r].ops[i].peer, false};
    qsort(flows, sends, sizeof *flows, flows_compare);
    for (size_t i = 0; i < sends; i++) {
        struct schedule_flow *last = *n > 0 ? &flows[*n - 1] : NULL;
        bool again = last && last->from == flows[i].from && last->to == flows[i].to;
        bool back = last && last->from == flows[i].to && last->to == flows[i].from;
        if (back && !apart)
            last->duplex = true;
        else if (!again && !(back && last->duplex))
            flows[(*n)++] = flows[i];
    }
    return flows;
}

/* Does it end? Messages that were sent, and receives, sorted so that those that match meet; then operations in any order
 * that their needs allow. */
struct match {
    int from, to, tag, rank;
    size_t op; /* of all operations, rank after rank */
    size_t partner;
    int64_t bytes;
    int line;
};

static ORDER_OF(match_compare, struct match, 8 * ORDER(from) + 4 * ORDER(to) + 2 * ORDER(tag) + ORDER(op))

static bool finishes_fail(const struct match *m, const char *does, const char *why, struct error *err)
{
    error_set(err, ERROR_INPUT, "rank %d %s rank %d%s", m->rank, does, m->rank == m->to ? m->from : m->to, why);
    return m->line > 0 ? error_prefix(err, "%d: ", m->line) : false;
}

struct finishes {
    const struct schedule *s; /* borrowed */
    size_t *first;            /* owned; number of each process's first operation */
    struct match *sent, *wanted; /* owned */
    size_t n_sent, n_wanted, n;
    int64_t eager_bytes;
    bool any_tag;
};

static void finishes_list(struct finishes *f)
{
    f->n = schedule_count(f->s);
    f->first = memory_zeroed((size_t)f->s->n + 1, sizeof *f->first, what);
    f->sent = memory_zeroed(f->n + 1, sizeof *f->sent, what);
    f->wanted = memory_zeroed(f->n + 1, sizeof *f->wanted, what);
    size_t number = 0;
    for (int r = 0; r < f->s->n; r++) {
        f->first[r] = number;
        for (size_t i = 0; i < f->s->ranks[r].n; i++, number++) {
            const struct schedule_op *op = &f->s->ranks[r].ops[i];
            bool sends = op->kind == SCHEDULE_SEND;
            struct match m = {sends ? r : op->peer, sends ? op->peer : r, op->tag, r, number, 0, op->amount, op->line};
            if (sends)
                f->sent[f->n_sent++] = m;
            else if (op->kind == SCHEDULE_RECEIVE)
                f->wanted[f->n_wanted++] = m;
            f->any_tag = f->any_tag || (op->kind == SCHEDULE_RECEIVE && op->tag == SCHEDULE_ANY_TAG);
        }
    }
    f->first[f->s->n] = number;
}

/* Every message has its receive. With receives of any tag only their numbers are compared. */
static bool finishes_match(struct finishes *f, struct error *err)
{
    for (size_t i = 0; i < f->n && f->any_tag; i++)
        f->sent[i].tag = f->wanted[i].tag = 0;
    qsort(f->sent, f->n_sent, sizeof *f->sent, match_compare);
    qsort(f->wanted, f->n_wanted, sizeof *f->wanted, match_compare);
    for (size_t i = 0; i < f->n_sent || i < f->n_wanted; i++) {
        struct match *sent = i < f->n_sent ? &f->sent[i] : NULL, *wanted = i < f->n_wanted ? &f->wanted[i] : NULL;
        struct match a = sent ? *sent : *wanted, b = wanted ? *wanted : *sent;
        a.op = b.op = 0;
        int order = sent && wanted ? match_compare(&a, &b) : sent ? -1 : 1;
        if (order < 0)
            return finishes_fail(sent, "sends to", ", which receives no such message", err);
        if (order > 0)
            return finishes_fail(wanted, "waits for a message from", ", which sends no such one", err);
        if (wanted->bytes < sent->bytes && !f->any_tag)
            return finishes_fail(wanted, "receives less than is sent from", "", err);
        sent->partner = wanted->op;
    }
    return true;
}

/* Every operation is two events, its start 2 i and its end 2 i + 1; what has to come before is an edge. */
struct events {
    size_t n, *begin, *later; /* owned; after event i come later[begin[i]] to later[begin[i + 1] - 1] */
    int *missing;             /* owned; events before it that have not happened */
};

/* The first pass counts the edges of each event, the second notes them. */
static void events_edge(struct events *e, bool counts, size_t from, size_t to)
{
    if (counts) {
        e->begin[from + 2]++;
    } else {
        e->later[e->begin[from + 1]++] = to;
        e->missing[to]++;
    }
}

static struct events events_of(const struct finishes *f)
{
    size_t edges = f->n + 2 * f->n_sent;
    for (int r = 0; r < f->s->n; r++)
        edges += f->s->ranks[r].n_needs;
    struct events e = {2 * f->n, memory_zeroed(2 * f->n + 2, sizeof *e.begin, what),
                       memory_zeroed(edges + 1, sizeof *e.later, what), memory_zeroed(2 * f->n + 1, sizeof *e.missing, what)};
    for (int pass = 0; pass < 2; pass++) {
        bool counts = pass == 0;
        for (size_t i = 0; i < f->n; i++)
            events_edge(&e, counts, 2 * i, 2 * i + 1);
        for (int r = 0; r < f->s->n; r++)
            for (size_t i = 0; i < f->s->ranks[r].n_needs; i++) {
                const struct schedule_need *need = &f->s->ranks[r].needs[i];
                size_t earlier = f->first[r] + (size_t)need->earlier, later = f->first[r] + (size_t)need->op;
                events_edge(&e, counts, 2 * earlier + !need->started, 2 * later);
            }
        for (size_t i = 0; i < f->n_sent; i++) {
            const struct match *m = &f->sent[i];
            events_edge(&e, counts, 2 * m->op, 2 * m->partner + 1);
            if (m->bytes > f->eager_bytes)
                events_edge(&e, counts, 2 * m->partner, 2 * m->op + 1);
        }
        for (size_t i = 2; counts && i < e.n + 2; i++)
            e.begin[i] += e.begin[i - 1];
    }
    return e;
}

/* The first operation that never starts, or never ends. */
static bool finishes_blame(const struct finishes *f, const struct events *e, struct error *err)
{
    for (int r = 0; r < f->s->n; r++)
        for (size_t i = f->first[r]; i < f->first[r + 1]; i++) {
            int line = f->s->ranks[r].ops[i - f->first[r]].line;
            if (e->missing[2 * i] == 0 && e->missing[2 * i + 1] == 0)
                continue;
            error_set(err, ERROR_INPUT, "operation %zu of rank %d waits for itself, by way of others", i - f->first[r] + 1,
                      r);
            return line > 0 ? error_prefix(err, "%d: ", line) : false;
        }
    return true;
}

static bool finishes_ends(const struct finishes *f, struct error *err)
{
    struct events e = events_of(f);
    size_t *ready MEMORY_LOCAL = memory_zeroed(e.n + 1, sizeof *ready, what), n_ready = 0;
    for (size_t i = 0; i < e.n; i++)
        if (e.missing[i] == 0)
            ready[n_ready++] = i;
    for (size_t done = 0; done < n_ready; done++)
        for (size_t k = e.begin[ready[done]]; k < e.begin[ready[done] + 1]; k++)
            if (--e.missing[e.later[k]] == 0)
                ready[n_ready++] = e.later[k];
    bool ok = finishes_blame(f, &e, err);
    MEMORY_FREE(e.begin, e.later, e.missing);
    return ok;
}

bool schedule_finishes(const struct schedule *s, int64_t eager_bytes, struct error *err)
{
    struct finishes f = {.s = s, .eager_bytes = eager_bytes};
    finishes_list(&f);
    bool ok = finishes_match(&f, err) && finishes_ends(&f, err);
    MEMORY_FREE(f.first, f.sent, f.wanted);
    return ok;
}

void schedule_write(const struct schedule *s, FILE *f)
{
    fprintf(f, "num_ranks %d\n", s->n);
    for (int r = 0; r < s->n; r++) {
        const struct schedule_rank *rank = &s->ranks[r];
        fprintf(f, "rank %d {\n", r);
        for (size_t i = 0; i < rank->n; i++) {
            const struct schedule_op *op = &rank->ops[i];
            if (op->kind == SCHEDULE_CALC)
                fprintf(f, "l%zu: calc %" PRId64, i + 1, op->amount);
            else
                fprintf(f, "l%zu: %s %" PRId64 "b %s %d tag %d", i + 1, op->kind == SCHEDULE_SEND ? "send" : "recv",
                        op->amount, op->kind == SCHEDULE_SEND ? "to" : "from", op->peer, op->tag);
            if (op->cpu > 0)
                fprintf(f, " cpu %d", op->cpu);
            putc('\n', f);
        }
        for (size_t i = 0; i < rank->n_needs; i++)
            fprintf(f, "l%d %s l%d\n", rank->needs[i].op + 1, rank->needs[i].started ? "irequires" : "requires",
                    rank->needs[i].earlier + 1);
        fputs("}\n", f);
    }
}
