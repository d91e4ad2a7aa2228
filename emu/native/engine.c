/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The native engine behind emu/engine.h: hosts, connections between them, and the flows that use them. */
#include "base/memory.h"
#include "emu/engine.h"

#include "emu/headers.h"
#include "emu/native/endpoint.h"
#include "emu/native/gro.h"
#include "emu/native/headers.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NATIVE_FIRST_CLIENT 49152
#define NATIVE_CLIENTS 16384
#define ENDLESS (UINT64_C(1) << 62) /* bytes: centuries */
#define PS_PER_NS 1000

/* A connection that carries a flow, one way or both. */
struct native_flow {
    struct emu_engine *engine; /* borrowed */
    struct emu_flow_config config;
    struct native_endpoint ends[2]; /* source, sink */
    struct emu_flow_stats stats;
    uint64_t due[2];           /* bytes that were handed over so far, by the source, the sink */
};

/* Segments of one thread. They are taken here and given back there: each pool keeps what it is given. */
struct native_pools {
    struct native_pool plain, sacked, ranged;
    struct native_pools *next;
};

/* Bytes, as native_endpoint_queued() counts them, that have left the NIC of an end's host. */
struct native_left {
    struct native_endpoint *end; /* borrowed */
    int64_t bytes;
};

/* What the hosts of one scheduler are to be told of: those of two may run at once. */
struct native_lefts {
    struct native_left *left; /* owned; [first, n) */
    size_t first, n, room;
};

/* A host of a parted engine. What every segment touches lies in two lines of the cache: of its environment, and of what its
 * scheduler has after the agenda, where a host has nothing. */
struct native_host {
    struct native_endpoint_env env __attribute__((aligned(NATIVE_LINE)));
    struct native_lefts lefts;
    struct native_scheduler scheduler;
};

struct emu_engine {
    struct emu_engine_config config;
    struct native_scheduler scheduler;
    struct native_endpoint_env env;
    struct native_host *hosts;  /* owned; NULL: they have one clock */
    struct native_gro *gro;     /* owned; a host each, made with the first flow whose frames are merged; NULL: none is */
    struct native_pools *pools; /* owned; the first is this thread's */
    pthread_mutex_t lock;       /* for the list of pools */
    struct native_flow **flows; /* owned */
    struct native_endpoint **ends; /* owned; of flows, two each */
    int n_flows, n_hosts;
    struct native_lefts lefts;
};

/* Frame handles are segments; the tap that wants bytes finds the connection here. One engine a process. */
static struct emu_engine *the_engine;
static _Thread_local struct native_pools *the_pools;

/* Where a segment with so many blocks comes from. */
static struct native_pool *native_pool_of(uint8_t n_sack)
{
    return n_sack == 0 ? &the_pools->plain : n_sack <= NATIVE_SACK_BLOCKS ? &the_pools->sacked : &the_pools->ranged;
}

static void *native_share(void *packet)
{
    const struct native_segment *s = packet;
    struct native_pool *pool = native_pool_of(s->n_sack);
    void *copy = native_pool_take(pool);
    memcpy(copy, s, pool->item_bytes);
    return copy;
}

static void native_release(void *packet)
{
    const struct native_segment *s = packet;
    native_pool_give(native_pool_of(s->n_sack), packet);
}

static struct native_endpoint *native_end(const struct emu_engine *e, uint32_t id)
{
    return e->ends[id];
}

/* Initial sequence numbers differ, and are the same in every run. */
static uint32_t native_isn(uint32_t id)
{
    return id * UINT32_C(2654435761) + 1;
}

/* Of QUIC, whose connection IDs tell its ends apart. */
static size_t native_quic_bytes(const struct native_endpoint *e, const struct native_segment *s, uint8_t *out, size_t limit)
{
    uint16_t client = (uint16_t)(NATIVE_FIRST_CLIENT + s->end / 2 % NATIVE_CLIENTS);
    struct native_quic_fields h = {
        .src_station = e->station,
        .dst_station = e->peer_station,
        .src_port = s->end & 1 ? NATIVE_QUIC_PORT : client,
        .dst_port = s->end & 1 ? client : NATIVE_QUIC_PORT,
        .ip_id = s->ip_id,
        .src_id = s->end,
        .dst_id = s->end ^ 1,
        .initial = s->flags & NATIVE_QUIC_HELLO,
        .handshake = s->flags & NATIVE_QUIC_LONG,
        .datagram_bytes = s->window,
    };
    return native_headers_write_quic(&h, out, limit);
}

/* Real bytes for a tap. */
static size_t native_bytes(const struct emu_frame *frame, uint8_t *out, size_t limit)
{
    const struct native_segment *s = frame->packet;
    const struct native_sacked_segment *sacked = frame->packet;
    const struct native_endpoint *e = native_end(the_engine, s->end);
    if (e->quic)
        return native_quic_bytes(e, s, out, limit);
    uint32_t isn = native_isn(s->end), peer_isn = native_isn(s->end ^ 1);
    bool syn = s->flags & NATIVE_SYN;
    uint16_t port = (uint16_t)(EMU_ENGINE_FIRST_PORT + s->end / 2), client = (uint16_t)(NATIVE_FIRST_CLIENT + s->end / 2 % NATIVE_CLIENTS);
    struct native_header_fields h = {
        .src_station = e->station,
        .dst_station = e->peer_station,
        .src_port = s->end & 1 ? port : client,
        .dst_port = s->end & 1 ? client : port,
        .seq = isn + (syn ? 0 : 1 + s->seq),
        .ack = s->flags & NATIVE_ACK ? peer_isn + 1 + s->ack : 0,
        .flags = s->flags,
        .window = s->window,
        .ecn = s->ecn,
        .ip_id = s->ip_id,
        .ts = s->ts / 1000,
        .ts_echo = s->ts_echo / 1000,
        .payload_bytes = s->payload_bytes,
        .mss = (uint16_t)(e->config.segment_bytes + 12),
        .window_scale = (uint8_t)e->window_scale,
        .sack_permitted = e->config.sack,
        .n_sack = s->n_sack,
    };
    for (int i = 0; i < s->n_sack; i++)
        for (int k = 0; k < 2; k++)
            h.sack[i][k] = peer_isn + 1 + sacked->sack[i][k];
    return native_headers_write(&h, out, limit);
}

static uint32_t native_flow_of(const struct emu_frame *frame)
{
    const struct native_segment *s = frame->packet;
    return s->end;
}

static bool native_mark(const struct emu_frame *frame)
{
    struct native_segment *s = frame->packet;
    if (s->ecn == NATIVE_ECN_NOT)
        return false;
    s->ecn = NATIVE_ECN_EXPERIENCED;
    return true;
}

/* The connection's end that gets it, and the flow that counts it. */
static void native_look(const struct emu_frame *frame)
{
    const struct native_segment *s = frame->packet;
    const struct native_endpoint *to = native_end(the_engine, s->end ^ 1);
    const char *hot[] = {(const char *)to, (const char *)&to->frame, (const char *)&to->tx, (const char *)&to->tx.rtt};
    for (size_t i = 0; i < sizeof hot / sizeof *hot; i++) {
        __builtin_prefetch(hot[i], 1);
        __builtin_prefetch(hot[i] + NATIVE_LINE, 1);
    }
}

const struct emu_frame_ops *emu_engine_frame_ops(void)
{
    static const struct emu_frame_ops ops = {native_share, native_release, native_flow_of, native_bytes, native_mark,
                                             native_look, true};
    _Static_assert(offsetof(struct native_segment, end) == 0, "flow_first");
    return &ops;
}

static void native_transmit(void *user, struct native_endpoint *end, struct native_segment *s)
{
    struct emu_engine *e = user;
    bool ack = s->payload_bytes == 0 && (s->flags & ~(NATIVE_ECE | NATIVE_CWR)) == NATIVE_ACK;
    if (!end->nic && !end->quic && e->config.port)
        end->nic = e->config.port(e->config.user, (int)end->station);
    struct emu_frame frame = {
        .packet = s,
        .dst = end->peer_station,
        .src = end->station,
        .payload_bytes = (uint16_t)(end->quic ? EMU_HEADERS_UDP + s->window
                                              : native_headers_ip_bytes(s->flags & NATIVE_SYN, s->n_sack, s->payload_bytes)),
        .ethertype = EMU_FRAME_IPV4,
        /* One of QUIC that overtook data of its own sender would make them look lost: it is none there. */
        .pure_ack = ack && !(end->quic && end->tx.nxt > end->tx.una),
    };
    if (end->config.small_queue_bytes > 0 && s->payload_bytes > 0)
        end->tx.queued_bytes += native_endpoint_queued(end, s->payload_bytes, s->cut, emu_frame_buffer_bytes(&frame));
    e->config.transmit(e->config.user, (int)end->station, &frame);
}

/* Linux's clock tells whole ns, and a host acts at the first one after what happens to it: frames of several hosts that
 * come to a port at one time keep the order that this gives them. Returns the time that native_leave() sets again. */
static inline int64_t native_enter(const struct native_endpoint *end)
{
    int64_t exact_ps = end->env->scheduler->now_ps;
    if (end->tx.from_linux) {
        end->env->scheduler->now_ps = (int64_t)(((uint64_t)exact_ps + PS_PER_NS - 1) / PS_PER_NS * PS_PER_NS);
        end->env->scheduler->acts = true;
    }
    return exact_ps;
}

static inline void native_leave(const struct native_endpoint *end, int64_t exact_ps)
{
    end->env->scheduler->now_ps = exact_ps;
    end->env->scheduler->acts = false;
}

/* To a host that has frames merged, or whose clock is Linux's and tells another time. */
static __attribute__((noinline)) void native_deliver_closely(struct emu_engine *e, int host, struct native_endpoint *to,
                                                             struct native_segment *s)
{
    if (e->gro && e->gro[host].within_ps > 0) {
        native_gro_add(&e->gro[host], to->env->scheduler, s);
        return;
    }
    int64_t exact_ps = native_enter(to);
    native_endpoint_receive(to, s);
    native_leave(to, exact_ps);
}

void emu_engine_deliver(struct emu_engine *e, int host, const struct emu_frame *frame)
{
    struct native_segment *s = frame->packet; /* who receives may send, and the frame is no longer there */
    struct native_endpoint *to = native_end(e, s->end ^ 1);
    if (__builtin_expect(frame->dst != (uint32_t)host, 0)) /* it was flooded */
        native_release(s);
    else if (e->gro || (to->tx.from_linux && (uint64_t)native_scheduler_now(to->env->scheduler) % PS_PER_NS != 0))
        native_deliver_closely(e, host, to, s);
    else
        native_endpoint_receive(to, s);
}

/* The interrupt of a host. */
static void native_interrupt(void *user, struct native_gro *g)
{
    struct emu_engine *e = user;
    const struct native_endpoint *any = native_end(e, g->came[0]->end ^ 1);
    int64_t exact_ps = native_enter(any);
    size_t n = native_gro_merge(g->came, g->n, any->env->plain);
    struct native_endpoint *first = NULL, **last = &first;
    for (size_t i = 0; i < n; i++) {
        struct native_endpoint *to = native_end(e, g->came[i]->end ^ 1);
        if (!to->rx.own.gathers) {
            native_linux_gather(to);
            *last = to;
            last = &to->rx.own.gathered;
        }
    }
    for (size_t i = 0; i < n; i++)
        native_endpoint_receive(native_end(e, g->came[i]->end ^ 1), g->came[i]);
    for (; first; first = first->rx.own.gathered)
        native_endpoint_gathered(first);
    g->n = 0;
    native_leave(any, exact_ps);
}

static void native_leaves(const struct native_left *left)
{
    int64_t exact_ps = native_enter(left->end);
    native_endpoint_departed(left->end, left->bytes);
    native_leave(left->end, exact_ps);
}

/* What has left since is told of after that. */
static void native_tell_left(void *user)
{
    struct native_lefts *l = user;
    struct native_scheduler *s = l->left[l->first].end->env->scheduler;
    for (size_t n = l->n; l->first < n; l->first++) {
        struct native_left left = l->left[l->first]; /* a copy: more may come */
        native_leaves(&left);
    }
    if (l->first < l->n)
        native_scheduler_at(s, s->now_ps, native_tell_left, l);
    else
        l->first = l->n = 0;
}

/* A host of Linux's that does something hears of what leaves its NIC meanwhile when that is done, and all that is due in the
 * same ns. */
void emu_engine_left(struct emu_engine *e, int host, const struct emu_frame *frame)
{
    (void)host;
    const struct native_segment *s = frame->packet;
    struct native_left left = {.end = native_end(e, s->end)};
    if (left.end->config.small_queue_bytes == 0 || s->payload_bytes == 0)
        return;
    left.bytes = native_endpoint_queued(left.end, s->payload_bytes, s->cut, emu_frame_buffer_bytes(frame));
    if (!left.end->env->scheduler->acts) {
        native_leaves(&left);
        return;
    }
    struct native_lefts *l = left.end->env->lefts;
    l->left = memory_grown(l->left, l->n, &l->room, 16, sizeof *l->left, "frames that have left");
    l->left[l->n++] = left;
    if (l->n == 1)
        native_scheduler_at(left.end->env->scheduler, left.end->env->scheduler->now_ps, native_tell_left, l);
}

/* A stream with an end closes after its last byte. */
static void flow_write(struct native_flow *f, int end, uint64_t bytes)
{
    native_endpoint_write(&f->ends[end], bytes);
    if (!f->config.written && f->config.bytes > 0)
        native_endpoint_close(&f->ends[end]);
}

static struct native_flow *native_flow_at(struct native_endpoint *end)
{
    return (struct native_flow *)(void *)((char *)(end - (end->id & 1)) - offsetof(struct native_flow, ends));
}

static void native_delivered(void *user, struct native_endpoint *end, uint64_t bytes)
{
    struct emu_engine *e = user;
    struct native_flow *f = native_flow_at(end);
    uint64_t whole = f->ends[1].rx.delivered;
    (void)bytes;
    if (f->config.duplex && f->ends[0].rx.delivered < whole)
        whole = f->ends[0].rx.delivered;
    f->stats.done = f->config.bytes > 0 && whole >= (uint64_t)f->config.bytes;
    if (f->config.written)
        e->config.delivered(e->config.user, (int)(end->id / 2), (int64_t)whole);
}

static void native_drained(void *user, struct native_endpoint *end)
{
    struct emu_engine *e = user;
    const struct native_flow *f = e->flows[end->id / 2];
    if (f->config.written && e->config.drained && !(end->id & 1))
        e->config.drained(e->config.user, (int)(end->id / 2));
}

static void native_connected(void *user, struct native_endpoint *end)
{
    struct emu_engine *e = user;
    if (end->id & 1)
        return;
    struct native_flow *f = e->flows[end->id / 2];
    f->stats.connected = true;
    for (int i = 0; i < 2; i++)
        if (f->due[i] > 0)
            flow_write(f, i, f->due[i]);
}

void emu_engine_write_way(struct emu_engine *e, int flow, bool back, int64_t bytes)
{
    struct native_flow *f = e->flows[flow];
    f->due[back] += (uint64_t)bytes;
    if (f->stats.connected)
        flow_write(f, back, (uint64_t)bytes);
}

void emu_engine_write(struct emu_engine *e, int flow, int64_t bytes)
{
    emu_engine_write_way(e, flow, false, bytes);
    if (e->flows[flow]->config.duplex)
        emu_engine_write_way(e, flow, true, bytes);
}

bool emu_engine_add_program(struct emu_engine *e, const struct emu_program_config *config, struct error *err)
{
    (void)e;
    (void)config;
    return error_set(err, ERROR_INPUT, "the native engine runs no programs");
}

bool emu_engine_programs_done(const struct emu_engine *e)
{
    (void)e;
    return true;
}

void emu_engine_set_window(struct emu_engine *e, int flow, int64_t bytes)
{
    struct native_endpoint *source = &e->flows[flow]->ends[0];
    source->tx.window.cwnd = source->tx.window.ssthresh = (uint64_t)bytes;
    native_sender_push(source);
}

static void flow_start(void *arg)
{
    struct native_flow *f = arg;
    int64_t exact_ps = native_enter(&f->ends[0]);
    native_endpoint_connect(&f->ends[0]);
    native_leave(&f->ends[0], exact_ps);
}

static void native_thread_begin(struct emu_engine *e)
{
    struct native_pools *p = memory_zeroed(1, sizeof *p, "segments");
    native_pool_init(&p->plain, sizeof(struct native_segment));
    native_pool_init(&p->sacked, sizeof(struct native_sacked_segment));
    native_pool_init(&p->ranged, sizeof(struct native_ranged_segment));
    pthread_mutex_lock(&e->lock);
    p->next = e->pools;
    e->pools = p;
    pthread_mutex_unlock(&e->lock);
    the_pools = p;
}

static void native_thread_end(struct emu_engine *e)
{
    (void)e; /* others hold segments of its pools, which the engine keeps */
    the_pools = NULL;
}

static struct emu_clock native_host_clock(struct emu_engine *e, int host)
{
    return native_scheduler_clock(&e->hosts[host].scheduler);
}

/* A host's events are all among its timers. */
static int64_t native_host_next_ps(struct emu_engine *e, int host)
{
    return e->hosts[host].scheduler.timers.first_ps;
}

/* This thread's segments. */
static void native_host_visit(struct emu_engine *e, int host)
{
    struct native_host *h = &e->hosts[host];
    h->env.plain = &the_pools->plain;
    h->env.sacked = &the_pools->sacked;
    h->env.ranged = &the_pools->ranged;
}

/* Whether nothing happens before then but what comes from elsewhere. */
static inline bool native_host_rests(const struct native_scheduler *s, int64_t until_ps)
{
    return s->timers.first_ps >= until_ps;
}

static void native_host_run(struct emu_engine *e, int host, int64_t until_ps)
{
    struct native_scheduler *s = &e->hosts[host].scheduler;
    if (native_host_rests(s, until_ps))
        s->now_ps = until_ps; /* as mostly */
    else
        native_scheduler_run(s, until_ps);
}

static void native_host_run_to(struct emu_engine *e, int host, int64_t time_ps)
{
    struct native_scheduler *s = &e->hosts[host].scheduler;
    if (native_host_rests(s, time_ps + 1))
        s->now_ps = time_ps;
    else
        native_scheduler_run_to(s, time_ps);
}

static void native_host_look(const struct emu_engine *e, int host)
{
    const struct native_host *h = &e->hosts[host];
    __builtin_prefetch(h, 1);
    __builtin_prefetch(&h->env.ranged, 1);
    __builtin_prefetch(&h->scheduler.now_ps, 1);
}

static int64_t native_rest_ps(struct emu_engine *e)
{
    return native_scheduler_next(&e->scheduler);
}

static bool native_stopped(const struct emu_engine *e)
{
    return e->scheduler.stopped;
}

static void native_part(struct emu_engine *e)
{
    e->hosts = memory_aligned(NATIVE_LINE, (size_t)e->n_hosts * sizeof *e->hosts, "hosts");
    for (int h = 0; h < e->n_hosts; h++) {
        struct native_host *host = &e->hosts[h];
        *host = (struct native_host){0};
        native_scheduler_init_small(&host->scheduler);
        host->scheduler.now_ps = native_scheduler_now(&e->scheduler);
        host->env = e->env;
        host->env.scheduler = &host->scheduler;
        host->env.lefts = &host->lefts;
    }
    for (int i = 0; i < e->n_flows; i++)
        for (int k = 0; k < 2; k++) {
            struct native_endpoint *end = &e->flows[i]->ends[k];
            native_endpoint_move(end, &e->hosts[end->station].env);
        }
}

const struct emu_engine_hosts *emu_engine_hosts_apart(const struct emu_engine *e)
{
    static const struct emu_engine_hosts hosts = {native_part, native_host_clock, native_host_next_ps, native_host_visit, native_host_run,
                                                  native_host_run_to, native_host_look, native_rest_ps, native_stopped,
                                                  native_thread_begin, native_thread_end};
    for (int i = 0; i < e->n_flows; i++)
        if (e->flows[i]->config.duplex || e->flows[i]->config.written)
            return NULL; /* both ends count what has been delivered, or somebody writes */
    return &hosts;
}

struct emu_engine *emu_engine_new(const struct emu_engine_config *config, struct error *err)
{
    if (the_engine) {
        error_set(err, ERROR_SYSTEM, "a process holds one simulation engine, and it has one already");
        return NULL;
    }
    struct emu_engine *e = memory_zeroed(1, sizeof *e, "the engine");
    e->config = *config;
    native_scheduler_init(&e->scheduler);
    pthread_mutex_init(&e->lock, NULL);
    native_thread_begin(e);
    e->env = (struct native_endpoint_env){
        .scheduler = &e->scheduler,
        .plain = &the_pools->plain,
        .sacked = &the_pools->sacked,
        .ranged = &the_pools->ranged,
        .transmit = native_transmit,
        .delivered = native_delivered,
        .connected = native_connected,
        .drained = native_drained,
        .user = e,
        .lefts = &e->lefts,
    };
    the_engine = e;
    return e;
}

void emu_engine_free(struct emu_engine *e)
{
    if (!e)
        return;
    for (int i = 0; i < e->n_flows; i++) {
        native_endpoint_fini(&e->flows[i]->ends[0]);
        native_endpoint_fini(&e->flows[i]->ends[1]);
        free(e->flows[i]);
    }
    for (int h = 0; e->gro && h < e->n_hosts; h++)
        free(e->gro[h].came);
    MEMORY_FREE(e->flows, e->ends, e->gro);
    for (int h = 0; e->hosts && h < e->n_hosts; h++) {
        native_scheduler_fini(&e->hosts[h].scheduler);
        free(e->hosts[h].lefts.left);
    }
    free(e->hosts);
    native_scheduler_fini(&e->scheduler);
    for (struct native_pools *p = e->pools, *next; p; p = next) {
        next = p->next;
        native_pool_fini(&p->plain);
        native_pool_fini(&p->sacked);
        native_pool_fini(&p->ranged);
        free(p);
    }
    pthread_mutex_destroy(&e->lock);
    free(e->lefts.left);
    free(e);
    the_engine = NULL;
    the_pools = NULL;
}

const char *emu_engine_name(void)
{
    return "native " CONTRAFLOW_VERSION;
}

int emu_engine_add_host(struct emu_engine *e, struct error *err)
{
    (void)err;
    return e->n_hosts++;
}

static void flow_gather(struct emu_engine *e, const struct emu_flow_config *c)
{
    const int ends[2] = {c->source, c->sink};
    if (c->tcp.linux_own.gro_ps <= 0)
        return;
    if (!e->gro)
        e->gro = memory_zeroed((size_t)e->n_hosts, sizeof *e->gro, "hosts");
    for (int i = 0; i < 2; i++) {
        e->gro[ends[i]].within_ps = c->tcp.linux_own.gro_ps;
        e->gro[ends[i]].deliver = native_interrupt;
        e->gro[ends[i]].user = e;
    }
}

int emu_engine_add_flow(struct emu_engine *e, const struct emu_flow_config *config, struct error *err)
{
    if (config->tcp.congestion >= EMU_CONGESTION_COUNT || !native_congestions[config->tcp.congestion]) {
        error_set(err, ERROR_INPUT, "the native engine has no such congestion control");
        return -1;
    }
    e->flows = memory_resized(e->flows, (size_t)e->n_flows + 1, sizeof(struct native_flow *), "flows");
    struct native_flow *f = memory_aligned(NATIVE_LINE, sizeof *f, "a flow");
    *f = (struct native_flow){.engine = e, .config = *config, .stats = {.first_data_ps = -1, .last_delivery_ps = -1}};
    for (int i = 0; i < (config->duplex ? 2 : 1) && !config->written; i++)
        f->due[i] = config->bytes > 0 ? (uint64_t)config->bytes : ENDLESS;
    uint32_t id = 2 * (uint32_t)e->n_flows, source = (uint32_t)config->source, sink = (uint32_t)config->sink;
    native_endpoint_init(&f->ends[0], &e->env, &config->tcp, id, source, sink);
    native_endpoint_init(&f->ends[1], &e->env, &config->tcp, id + 1, sink, source);
    native_endpoint_listen(&f->ends[1]);
    flow_gather(e, config);
    if (!config->duplex && !config->written) /* who waits, waits for all of it */
        f->ends[1].rx.told_from = config->bytes > 0 ? (uint64_t)config->bytes : NATIVE_OPEN_STREAM;
    e->ends = memory_resized(e->ends, 2 * (size_t)e->n_flows + 2, sizeof(struct native_endpoint *), "flows");
    e->ends[id] = &f->ends[0];
    e->ends[id + 1] = &f->ends[1];
    e->flows[e->n_flows] = f;
    struct emu_clock clock = emu_engine_clock(e);
    emu_clock_schedule(&clock, config->start_ps, flow_start, f);
    return e->n_flows++;
}

void emu_engine_set_ahead(struct emu_engine *e, int64_t ahead_ps)
{
    (void)e; /* its clock does not ask */
    (void)ahead_ps;
}

struct emu_clock emu_engine_clock(struct emu_engine *e)
{
    return native_scheduler_clock(&e->scheduler);
}

struct emu_flow_stats emu_engine_flow_stats(const struct emu_engine *e, int flow)
{
    const struct native_flow *f = e->flows[flow];
    struct emu_flow_stats stats = f->stats;
    stats.delivered_bytes = (int64_t)f->ends[1].rx.delivered;
    stats.delivered_back_bytes = (int64_t)f->ends[0].rx.delivered;
    for (int i = 0; i < 2; i++) {
        const struct native_endpoint_stats *s = &f->ends[i].stats;
        if (f->ends[i].rx.delivered_ps > stats.last_delivery_ps)
            stats.last_delivery_ps = f->ends[i].rx.delivered_ps;
        stats.retransmitted_segments += s->retransmitted_segments;
        stats.retransmitted_bytes += s->retransmitted_bytes;
    }
    stats.first_data_ps = f->ends[0].stats.first_data_ps;
    return stats;
}

bool emu_engine_run(struct emu_engine *e, int64_t until_ps, struct error *err)
{
    (void)err;
    native_scheduler_run(&e->scheduler, until_ps);
    return true;
}

void emu_engine_stop(struct emu_engine *e)
{
    native_scheduler_stop(&e->scheduler);
}
