/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A schedule (scenarios/traffic/schedule.h), a collective's or a GOAL text's, over the engine's TCP, on connections that stay
 * open: each operation begins as soon as those it waits for are over. Nobody waits for anybody else but by a message.
 *
 * Processors cost nothing but what `calc` says. A message of up to `eager` bytes leaves at once, and waits at the receiver
 * if it comes before its receive; a longer one leaves when its receive has begun, as by MPI's rendezvous, whose own two
 * short messages are not there. Receivers always read: windows stay open. Processes begin a repetition within
 * start_spread of each other.
 *
 * A message waits for ACKs behind data while its sender has bytes left and its NIC none of them, from when the ACK that
 * lets it go on would have come through empty queues until it comes and, in the same instant, the sender goes on: what
 * ACKs waited in queues, as far as that cost the message time. Whatever has an ACK for it counts, data of the other way,
 * too. A sender that is paced is not told apart. */
#include "base/order.h"
#include "capture/decode.h"
#include "results/directory.h"
#include "scenarios/traffic/played.h"
#include "scenarios/run/program.h"

#define GREETING 1 /* bytes that each way begins with: who connects says who it is, and the receiver opens its window */
#define ETHERNET 1                            /* DLT_EN10MB */
#define HEADERS 134                           /* of a frame: Ethernet 14, IPv4 60, TCP 60 at most */

/* A message that is not delivered yet. */
struct play_parcel {
    size_t op; /* its send */
    int64_t end; /* of its way's bytes, in all */
    int64_t start_ps, ack_wait_ps;
};

/* Operations in the order in which they began. */
struct play_list {
    size_t *ops, n, capacity; /* owned */
};

/* One way of a connection. */
struct play_way {
    int flow;
    bool back;
    struct play_parcel *parcels;        /* owned; sent, in order; those before `first` are delivered */
    size_t first, over, n, capacity;    /* those before `over` have left the stack, and their sends are over */
    size_t sending;                     /* whose bytes leave next */
    struct play_list sent, posted;      /* sends that no receive has met; receives that no send has */
    struct play *owner;                 /* borrowed */
    int64_t written, delivered;         /* bytes, in all */
    int64_t left;                       /* bytes that have been on the wire once */
    int64_t in_nic;                     /* frames of these that wait in the NIC's queue */
    int64_t idle_ps;                    /* when the last one of these is on the wire whole */
    uint32_t sequence;                  /* of the next byte, once the connection is there */
    int64_t ack_due_ps, ack_came_ps;    /* of the latest frame with an ACK: through empty queues, and when it came */
    int ack_bytes;                      /* of a frame whose way was worked out last: */
    int64_t ack_transit_ps;             /* this long through empty queues */
};

struct play_rank {
    size_t first, left; /* number of its first operation; operations that are not over */
};

struct play_op {
    struct play *owner; /* borrowed, as is op */
    const struct schedule_op *op;
    int rank, waits, needs;
    size_t way;     /* of a message */
    size_t partner; /* of a send: its receive, once they have met */
    bool delivered; /* of a send */
};

/* What became of a send's messages, one a repetition. */
struct play_message {
    struct estimate_running time_s;
    double ack_wait_s, ack_wait_most_s; /* sum; most */
};

struct play {
    struct program *program; /* borrowed */
    struct schedule schedule;
    struct play_op *ops;           /* owned; of all ranks */
    struct play_message *messages; /* owned; one an operation */
    struct play_rank *ranks;       /* owned */
    size_t *begin, *later;         /* owned; after operation i come later[begin[i]] ...: twice their number, plus 1 when they
                                    * wait for its start alone */
    struct play_queue {
        size_t *ops, n, next;      /* owned */
    } ready, sends;                /* operations whose needs are met, in order; sends */
    int64_t *cpu_free_ps;          /* owned; SCHEDULE_CPUS a rank */
    struct play_way *ways;         /* owned; two a flow */
    size_t n, n_ways, greetings;   /* greetings: that have not come */
};

static int64_t play_now(const struct play *y)
{
    return emu_clock_now(&y->program->clock);
}

static void play_less(struct play *y, size_t i)
{
    struct play_queue *q = y->ops[i].op->kind == SCHEDULE_SEND ? &y->sends : &y->ready;
    if (--y->ops[i].waits == 0)
        q->ops[q->n++] = i;
}

/* What waits for operation i to start, or to end. */
static void play_release(struct play *y, size_t i, bool started)
{
    for (size_t k = y->begin[i]; k < y->begin[i + 1]; k++)
        if ((y->later[k] & 1) == started)
            play_less(y, y->later[k] / 2);
}

static void play_end(struct play *y, size_t i)
{
    int rank = y->ops[i].rank;
    play_release(y, i, false);
    if (--y->ranks[rank].left == 0)
        operations_through(&y->program->operations, rank);
}

static bool play_fits(const struct play *y, size_t receive, size_t send)
{
    int wanted = y->ops[receive].op->tag;
    return wanted == SCHEDULE_ANY_TAG || wanted == y->ops[send].op->tag;
}

/* Takes the first operation that fits out of a list, whose order stays; y->n: there is none. */
static size_t play_take(const struct play *y, struct play_list *l, size_t other, bool receives)
{
    for (size_t k = 0; k < l->n; k++)
        if (receives ? play_fits(y, l->ops[k], other) : play_fits(y, other, l->ops[k])) {
            size_t found = l->ops[k];
            memmove(&l->ops[k], &l->ops[k + 1], (--l->n - k) * sizeof *l->ops);
            return found;
        }
    return y->n;
}

static void play_put(struct play_list *l, size_t i)
{
    l->ops = memory_grown(l->ops, l->n, &l->capacity, 4, sizeof *l->ops, "messages");
    l->ops[l->n++] = i;
}

static void play_write(struct play *y, size_t i)
{
    struct play_way *w = &y->ways[y->ops[i].way];
    int64_t bytes = y->ops[i].op->amount;
    if (w->first == w->n && w->over == w->n)
        w->first = w->over = w->sending = w->n = 0;
    w->written += bytes;
    w->parcels = memory_grown(w->parcels, w->n, &w->capacity, 4, sizeof *w->parcels, "messages");
    w->parcels[w->n++] = (struct play_parcel){i, w->written, play_now(y), 0};
    emu_engine_write_way(y->program->env.engine, w->flow, w->back, bytes);
}

static bool play_is_held(const struct play *y, size_t send)
{
    return y->ops[send].op->amount > y->program->env.scenario->eager_bytes;
}

static void play_send(struct play *y, size_t i)
{
    struct play_way *w = &y->ways[y->ops[i].way];
    y->ops[i].partner = play_take(y, &w->posted, i, true);
    if (y->ops[i].partner == y->n)
        play_put(&w->sent, i);
    if (y->ops[i].partner < y->n || !play_is_held(y, i))
        play_write(y, i);
}

static void play_receive(struct play *y, size_t i)
{
    struct play_way *w = &y->ways[y->ops[i].way];
    size_t send = play_take(y, &w->sent, i, false);
    if (send == y->n) {
        play_put(&w->posted, i);
        return;
    }
    y->ops[send].partner = i;
    if (play_is_held(y, send))
        play_write(y, send);
    else if (y->ops[send].delivered)
        play_end(y, i);
}

static void play_run(struct play *y);

/* The sends whose last bytes have left. */
static void play_left(void *arg)
{
    struct play_way *w = arg;
    while (w->over < w->n && w->parcels[w->over].end <= w->left)
        play_end(w->owner, w->parcels[w->over++].op);
    play_run(w->owner);
}

static void play_calculated(void *arg)
{
    struct play_op *op = arg;
    play_end(op->owner, (size_t)(op - op->owner->ops));
    play_run(op->owner);
}

static void play_calc(struct play *y, size_t i)
{
    struct play_op *op = &y->ops[i];
    int64_t *free_ps = &y->cpu_free_ps[op->rank * SCHEDULE_CPUS + op->op->cpu], now_ps = play_now(y);
    *free_ps = (*free_ps > now_ps ? *free_ps : now_ps) + op->op->amount * UNITS_PS_PER_NS;
    if (*free_ps > now_ps)
        emu_clock_schedule(&y->program->clock, *free_ps - now_ps, play_calculated, op);
    else
        play_end(y, i);
}

/* All that can start now; receives first, so that nobody waits for one that begins in the same instant. */
static void play_run(struct play *y)
{
    while (y->ready.next < y->ready.n || y->sends.next < y->sends.n) {
        struct play_queue *q = y->ready.next < y->ready.n ? &y->ready : &y->sends;
        size_t i = q->ops[q->next++];
        enum schedule_kind kind = y->ops[i].op->kind;
        play_release(y, i, true);
        if (kind == SCHEDULE_SEND)
            play_send(y, i);
        else if (kind == SCHEDULE_RECEIVE)
            play_receive(y, i);
        else
            play_calc(y, i);
    }
}

static void play_entered(void *arg)
{
    play_run(arg);
}

static void play_enter(void *user, int rank)
{
    struct play *y = user;
    const struct play_rank *r = &y->ranks[rank];
    size_t n = r->left;
    for (size_t i = 0; i < n; i++)
        play_less(y, r->first + i);
    if (n == 0)
        operations_through(&y->program->operations, rank);
    emu_clock_schedule(&y->program->clock, 0, play_entered, y); /* after all that come in this instant */
}

static void play_begin(void *user)
{
    struct play *y = user;
    y->ready.n = y->ready.next = y->sends.n = y->sends.next = 0;
    for (size_t i = 0; i < y->n; i++) {
        y->ops[i].waits = y->ops[i].needs + 1;
        y->ops[i].partner = y->n;
        y->ops[i].delivered = false;
    }
    for (int r = 0; r < y->schedule.n; r++)
        y->ranks[r].left = y->schedule.ranks[r].n;
}

/* Everybody is there: the first repetition, once the last greeting is acknowledged, which takes no longer than it did. */
static void play_greeted(struct play *y)
{
    operations_begin(&y->program->operations, play_now(y) + y->program->env.scenario->tcp.delayed_ack_timeout_ps);
}

/* Messages of one way that are there now. */
static void play_way_delivered(struct play *y, struct play_way *w, int64_t bytes)
{
    if (w->delivered == 0 && --y->greetings == 0)
        play_greeted(y);
    w->delivered = bytes;
    while (w->first < w->n && w->parcels[w->first].end <= bytes) {
        const struct play_parcel *parcel = &w->parcels[w->first++];
        struct play_message *m = &y->messages[parcel->op];
        double wait_s = (double)parcel->ack_wait_ps / (double)UNITS_PS_PER_S;
        estimate_add(&m->time_s, (double)(play_now(y) - parcel->start_ps) / (double)UNITS_PS_PER_S);
        m->ack_wait_s += wait_s;
        m->ack_wait_most_s = wait_s > m->ack_wait_most_s ? wait_s : m->ack_wait_most_s;
        y->ops[parcel->op].delivered = true;
        if (y->ops[parcel->op].partner < y->n)
            play_end(y, y->ops[parcel->op].partner);
    }
}

static void play_delivered(struct program *p, int flow, int64_t bytes)
{
    struct play *y = p->state;
    (void)bytes; /* of one way; a duplex connection has two */
    if ((size_t)flow >= y->n_ways / 2)
        return;
    struct emu_flow_stats stats = emu_engine_flow_stats(p->env.engine, flow);
    struct play_way *there = &y->ways[2 * flow], *back = there + 1;
    if (stats.delivered_bytes > there->delivered)
        play_way_delivered(y, there, stats.delivered_bytes);
    if (stats.delivered_back_bytes > back->delivered)
        play_way_delivered(y, back, stats.delivered_back_bytes);
    play_run(y);
}

/* The way whose data a frame carries (`acks`: acknowledges); NULL: none of ours. */
static struct play_way *play_way_of(struct play *y, const struct emu_frame *frame, bool acks)
{
    uint32_t id = emu_frame_flow(emu_engine_frame_ops(), frame);
    return id < y->n_ways ? &y->ways[id ^ acks] : NULL;
}

/* A frame leaves the queue of its sender's NIC. */
static void play_gone(struct program *p, const struct emu_frame *frame)
{
    struct play *y = p->state;
    struct play_way *w = frame->pure_ack ? NULL : play_way_of(y, frame, false);
    if (!w)
        return;
    const struct emu_port *nic = emu_network_nic(p->env.network, (int)frame->src, frame);
    w->in_nic--;
    w->idle_ps = play_now(y) + emu_port_wire_ps(&nic->link, emu_port_frame_bytes(&nic->link, frame));
}

/* A frame leaves its sender's stack. */
static void play_sent(struct program *p, const struct emu_frame *frame)
{
    struct play *y = p->state;
    struct play_way *w = frame->pure_ack ? NULL : play_way_of(y, frame, false);
    uint8_t bytes[HEADERS];
    struct capture_segment segment;
    if (!w)
        return;
    int64_t in_nic = w->in_nic++;
    size_t n = emu_engine_frame_ops()->bytes(frame, bytes, sizeof bytes);
    uint32_t wire = (uint32_t)(frame->payload_bytes + EMU_FRAME_HEADER_BYTES);
    if (capture_decode(ETHERNET, bytes, (uint32_t)n, wire, &segment) != CAPTURE_DECODE_TCP)
        return;
    if (segment.flags & CAPTURE_TCP_SYN)
        w->sequence = segment.seq + 1;
    int32_t more = (int32_t)(segment.seq + segment.payload_bytes - w->sequence);
    if (segment.payload_bytes == 0 || more <= 0) /* sent before */
        return;
    while (w->sending < w->n && w->parcels[w->sending].end <= w->left)
        w->sending++;
    struct play_parcel *parcel = w->sending < w->n ? &w->parcels[w->sending] : NULL; /* NULL: the greeting */
    int64_t now_ps = play_now(y), since_ps = w->ack_due_ps > w->idle_ps ? w->ack_due_ps : w->idle_ps;
    if (parcel && parcel->start_ps > since_ps)
        since_ps = parcel->start_ps;
    if (parcel && in_nic == 0 && w->ack_came_ps == now_ps && since_ps < now_ps)
        parcel->ack_wait_ps += now_ps - since_ps;
    w->left += more;
    w->sequence += (uint32_t)more;
    if (parcel && parcel->end <= w->left) /* an event of its own: TCP is in the midst of sending */
        emu_clock_schedule(&p->clock, 0, play_left, w);
}

/* A frame comes to its receiver's stack. */
static void play_arrives(struct program *p, int host, const struct emu_frame *frame)
{
    struct play *y = p->state;
    struct play_way *w = frame->dst == (uint32_t)host ? play_way_of(y, frame, true) : NULL;
    if (!w)
        return;
    if (w->ack_bytes != frame->payload_bytes) { /* a path does not change */
        w->ack_bytes = frame->payload_bytes;
        w->ack_transit_ps = emu_network_transit_ps(p->env.network, (int)frame->src, frame);
    }
    w->ack_came_ps = play_now(y);
    w->ack_due_ps = frame->sent_ps + w->ack_transit_ps;
}

/* Needs turned round. */
static void play_turn(struct play *y)
{
    size_t needs = 0;
    for (int r = 0; r < y->schedule.n; r++)
        needs += y->schedule.ranks[r].n_needs;
    y->begin = program_memory(y->program, y->n + 2, sizeof *y->begin, "a schedule");
    y->later = program_memory(y->program, needs + 1, sizeof *y->later, "a schedule");
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < y->schedule.n; r++)
            for (size_t i = 0; i < y->schedule.ranks[r].n_needs; i++) {
                const struct schedule_need *need = &y->schedule.ranks[r].needs[i];
                size_t earlier = y->ranks[r].first + (size_t)need->earlier, op = y->ranks[r].first + (size_t)need->op;
                if (pass == 0)
                    y->begin[earlier + 2]++;
                else
                    y->later[y->begin[earlier + 1]++] = 2 * op + need->started;
                y->ops[op].needs += pass;
            }
        for (size_t i = 2; pass == 0 && i < y->n + 2; i++)
            y->begin[i] += y->begin[i - 1];
    }
}

struct way_of {
    int from, to;
    size_t way;
};

static ORDER_OF(way_compare, struct way_of, 2 * ORDER(from) + ORDER(to))

/* The ways of the connections, and which of them each message takes. */
static void play_connect(struct play *y, bool apart)
{
    size_t flows;
    MEMORY_LOCAL struct schedule_flow *flow = schedule_flows(&y->schedule, apart, &flows);
    MEMORY_LOCAL struct way_of *by_ranks = memory_zeroed(2 * flows + 1, sizeof *by_ranks, "connections");
    size_t n = 0;
    y->n_ways = 2 * flows;
    y->ways = program_memory(y->program, y->n_ways + 1, sizeof *y->ways, "connections");
    for (size_t i = 0; i < y->n_ways; i++)
        y->ways[i] = (struct play_way){.owner = y, .flow = (int)(i / 2), .back = i & 1, .ack_came_ps = -1};
    for (size_t i = 0; i < flows; i++) {
        by_ranks[n++] = (struct way_of){flow[i].from, flow[i].to, 2 * i};
        if (flow[i].duplex)
            by_ranks[n++] = (struct way_of){flow[i].to, flow[i].from, 2 * i + 1};
    }
    y->greetings = n;
    for (size_t i = 0; i < n; i++) {
        struct play_way *w = &y->ways[by_ranks[i].way];
        w->written = GREETING;
        emu_engine_write_way(y->program->env.engine, w->flow, w->back, GREETING);
    }
    qsort(by_ranks, n, sizeof *by_ranks, way_compare);
    for (size_t i = 0; i < y->n; i++) {
        struct play_op *op = &y->ops[i];
        struct way_of ranks = {op->rank, op->op->peer, 0};
        if (op->op->kind == SCHEDULE_RECEIVE)
            ranks = (struct way_of){op->op->peer, op->rank, 0};
        const struct way_of *found = bsearch(&ranks, by_ranks, n, sizeof ranks, way_compare);
        op->way = found ? found->way : 0; /* every message has one: schedule_finishes() */
    }
}

static void play_start(struct program *p)
{
    const struct scenario *s = p->env.scenario;
    struct play *y = p->state;
    y->program = p;
    played_schedule(s, &y->schedule);
    y->n = schedule_count(&y->schedule);
    y->ops = program_memory(y->program, y->n + 1, sizeof *y->ops, "a schedule");
    y->messages = program_memory(y->program, y->n + 1, sizeof *y->messages, "a schedule");
    y->ready.ops = program_memory(p, y->n + 1, sizeof *y->ready.ops, "a schedule");
    y->sends.ops = program_memory(p, y->n + 1, sizeof *y->sends.ops, "a schedule");
    y->ranks = program_memory(y->program, (size_t)y->schedule.n, sizeof *y->ranks, "a schedule");
    y->cpu_free_ps = program_memory(y->program, (size_t)y->schedule.n * SCHEDULE_CPUS, sizeof *y->cpu_free_ps, "a schedule");
    size_t number = 0;
    for (int r = 0; r < y->schedule.n; r++) {
        y->ranks[r].first = number;
        for (size_t i = 0; i < y->schedule.ranks[r].n; i++)
            y->ops[number++] = (struct play_op){.owner = y, .op = &y->schedule.ranks[r].ops[i], .rank = r};
    }
    play_turn(y);
    play_connect(y, s->connections_apart);
    bool repeats = s->traffic == SCENARIO_TRAFFIC_COLLECTIVE;
    operations_start(&p->operations, &(struct operations_plan){
        s, &p->clock, y->schedule.n, repeats ? s->collective.repeat : 1, repeats ? s->collective.period_ps : 0,
        ~s->seed /* other numbers than those the connections' starts were drawn with */, play_begin, play_enter, y});
    if (y->greetings == 0)
        play_greeted(y);
}

/* Sends, those that waited longest for ACKs first. */
static const struct play *sorted_play; /* qsort() has no room for it */

static int messages_compare(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    double left = sorted_play->messages[x].ack_wait_s, right = sorted_play->messages[y].ack_wait_s;
    if (left > right || left < right)
        return left > right ? -1 : 1;
    return x < y ? -1 : x > y;
}

static size_t play_sends(const struct play *y, size_t *sends)
{
    size_t n = 0;
    for (size_t i = 0; i < y->n; i++)
        if (y->ops[i].op->kind == SCHEDULE_SEND)
            sends[n++] = i;
    sorted_play = y;
    qsort(sends, n, sizeof *sends, messages_compare);
    return n;
}

static void play_results(const struct program *p, struct results_messages *r)
{
    const struct play *y = p->state;
    size_t worst = y->n;
    *r = (struct results_messages){0};
    for (size_t i = 0; i < y->n; i++) {
        const struct play_message *m = &y->messages[i];
        r->n += (int64_t)m->time_s.n;
        r->time_s += (double)m->time_s.n * m->time_s.mean;
        r->ack_wait_s += m->ack_wait_s;
        if (m->ack_wait_s > 0 && (worst == y->n || m->ack_wait_s > y->messages[worst].ack_wait_s))
            worst = i;
    }
    if (worst == y->n)
        return;
    const struct play_op *op = &y->ops[worst];
    r->worst_from = op->rank;
    r->worst_to = op->op->peer;
    r->worst_tag = op->op->tag;
    r->worst_bytes = op->op->amount;
    r->worst_wait_s = y->messages[worst].ack_wait_s / (double)y->messages[worst].time_s.n;
}

/* messages.csv */
static bool play_table(const struct play *y, const char *directory, struct error *err)
{
    const struct scenario *s = y->program->env.scenario;
    struct outfile f;
    if (!results_directory_create(&f, directory, "messages.csv", err))
        return false;
    size_t *sends MEMORY_LOCAL = memory_zeroed(y->n + 1, sizeof *sends, "messages"), n = play_sends(y, sends);
    fputs("from_rank,from,to_rank,to,tag,bytes,messages,mean_s,ack_wait_s,ack_wait_most_s\n", f.stream);
    for (size_t i = 0; i < n; i++) {
        const struct play_op *op = &y->ops[sends[i]];
        const struct play_message *m = &y->messages[sends[i]];
        fprintf(f.stream, "%d,h%d,%d,h%d,%d,%" PRId64 ",%zu,%.12g,%.12g,%.12g\n", op->rank, s->ranks[op->rank],
                op->op->peer, s->ranks[op->op->peer], op->op->tag, op->op->amount, m->time_s.n, m->time_s.mean,
                m->time_s.n > 0 ? m->ack_wait_s / (double)m->time_s.n : 0, m->ack_wait_most_s);
    }
    return outfile_commit(&f, err);
}

static bool play_finish(struct program *p, struct error *err)
{
    return program_operations_finish(p, err) && play_table(p->state, p->env.directory, err);
}

static void play_free(void *state)
{
    struct play *y = state;
    for (size_t i = 0; i < y->n_ways; i++)
        MEMORY_FREE(y->ways[i].parcels, y->ways[i].sent.ops, y->ways[i].posted.ops);
    schedule_fini(&y->schedule);
}

const struct program_ops program_schedule = {
    .state_bytes = sizeof(struct play),
    .start = play_start,
    .delivered = play_delivered,
    .sent = play_sent,
    .left = play_gone,
    .arrives = play_arrives,
    .done = program_operations_done,
    .operations = program_operations,
    .messages = play_results,
    .finish = play_finish,
    .free = play_free,
};
