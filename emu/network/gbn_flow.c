/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go-Back-N: what a sender and a receiver remember of a flow, and do. */
#include "emu/network/gbn_internal.h"

#include "base/memory.h"

void gbn_flow_init(struct gbn_flow *f, struct emu_gbn *g, int index, int from, int to)
{
    size_t window = (size_t)g->config.window_packets;
    *f = (struct gbn_flow){
        .g = g,
        .index = index,
        .from = from,
        .to = to,
        .back = -1,
        .deadline = memory_zeroed(window, sizeof *f->deadline, "flows"),
        .due = memory_zeroed(window, sizeof *f->due, "flows"),
        .timer_ps = INT64_MAX,
        .pack_ps = INT64_MAX,
        .stats = {.first_sent_ps = -1, .last_received_ps = -1},
    };
    for (size_t i = 0; i < window; i++)
        f->deadline[i] = INT64_MAX;
}

void gbn_flow_fini(struct gbn_flow *f)
{
    MEMORY_FREE(f->deadline, f->due);
}

static int64_t flow_ahead(const struct gbn_flow *f, int64_t of, uint32_t seq)
{
    return ((int64_t)seq - of) & ((INT64_C(1) << f->g->config.sequence_bits) - 1);
}

/* What a receiver expects, as a Pack or Nack says it: acknowledgements come in order, never behind base. */
static int64_t flow_acknowledged(const struct gbn_flow *f, uint32_t seq)
{
    return f->base + flow_ahead(f, f->base, seq);
}

static uint32_t flow_bits(const struct gbn_flow *f, int64_t number)
{
    return (uint32_t)(number & ((INT64_C(1) << f->g->config.sequence_bits) - 1));
}

static void flow_event(struct gbn_flow *f, enum emu_gbn_event event)
{
    f->stats.packs += event == EMU_GBN_PACK;
    f->stats.nacks += event == EMU_GBN_NACK;
    f->stats.timeouts += event == EMU_GBN_TIMEOUT;
    if (f->g->program.event)
        f->g->program.event(f->g->program.user, f->index, event);
}

static void flow_set_due(struct gbn_flow *f, int64_t number, bool due)
{
    bool *now = &f->due[number % f->g->config.window_packets];
    f->n_due += due - *now;
    f->g->hosts[f->from].n_due += due - *now;
    *now = due;
}

/* Everything before `number` has arrived. */
static bool flow_advance(struct gbn_flow *f, int64_t number)
{
    if (number <= f->base || number > f->next)
        return false;
    for (; f->base < number; f->base++) {
        f->deadline[f->base % f->g->config.window_packets] = INT64_MAX;
        flow_set_due(f, f->base, false);
    }
    f->stats.acknowledged = f->base;
    return true;
}

void gbn_flow_pack(struct gbn_flow *f, uint32_t seq)
{
    if (!flow_advance(f, flow_acknowledged(f, seq)))
        return;
    f->stalled = false;
    flow_event(f, EMU_GBN_PACK);
}

void gbn_flow_nack(struct gbn_flow *f, uint32_t seq)
{
    flow_advance(f, flow_acknowledged(f, seq));
    flow_event(f, EMU_GBN_NACK);
    for (int64_t n = f->base; n < f->next; n++)
        flow_set_due(f, n, true);
    f->stalled = f->base < f->next;
}

static void flow_timeout(void *arg);

static void flow_arm(struct gbn_flow *f, int64_t deadline_ps, int64_t now_ps)
{
    if (deadline_ps >= f->timer_ps)
        return;
    f->timer_ps = deadline_ps;
    emu_clock_schedule(&f->g->clock, deadline_ps - now_ps, flow_timeout, f);
}

/* Packets whose time is over are sent again; the timer goes for the next. */
static void flow_timeout(void *arg)
{
    struct gbn_flow *f = arg;
    int64_t now_ps = emu_clock_now(&f->g->clock), next_ps = INT64_MAX, window = f->g->config.window_packets;
    if (now_ps != f->timer_ps)
        return; /* an earlier one took its place */
    f->timer_ps = INT64_MAX;
    if (f->base < f->next && f->deadline[f->base % window] <= now_ps)
        flow_event(f, EMU_GBN_TIMEOUT); /* those of the packets behind it come with it (Tam 2001, footnote 6) */
    for (int64_t n = f->base; n < f->next; n++) {
        int64_t *deadline = &f->deadline[n % window];
        if (*deadline <= now_ps) {
            *deadline = INT64_MAX;
            flow_set_due(f, n, true);
        }
        next_ps = *deadline < next_ps ? *deadline : next_ps;
    }
    if (next_ps < INT64_MAX)
        flow_arm(f, next_ps, now_ps);
    gbn_host_work(&f->g->hosts[f->from]);
}

struct gbn_packet gbn_flow_submit(struct gbn_flow *f, bool repeat)
{
    int64_t number = f->next, window = f->g->config.window_packets, now_ps = emu_clock_now(&f->g->clock);
    if (repeat) {
        for (number = f->base; !f->due[number % window];)
            number++;
        flow_set_due(f, number, false);
        f->stats.repeated++;
    } else {
        f->next++;
    }
    f->stats.sent++;
    if (f->stats.first_sent_ps < 0)
        f->stats.first_sent_ps = now_ps;
    f->deadline[number % window] = now_ps + f->g->config.timeout_ps;
    flow_arm(f, f->deadline[number % window], now_ps);
    struct gbn_packet p = {.kind = GBN_DATA, .flow = f->index, .seq = flow_bits(f, number)};
    struct gbn_flow *back = f->back >= 0 ? f->g->flows[f->back] : NULL;
    if (back && back->owed > 0) {
        p.kind = GBN_DATA_PACK;
        p.ack = flow_bits(back, back->expected);
        back->owed = 0;
        back->pack_ps = INT64_MAX;
    }
    return p;
}

static void flow_send_control(struct gbn_flow *f, enum gbn_kind kind)
{
    struct gbn_packet p = {.kind = kind, .flow = f->index, .seq = flow_bits(f, f->expected)};
    struct emu_frame frame = gbn_frame(f->g, f->to, f->from, &p);
    f->owed = 0;
    f->pack_ps = INT64_MAX;
    emu_ring_push(&f->g->hosts[f->to].control, &frame, 0);
}

/* A Pack has waited long enough. */
static void flow_pack_now(void *arg)
{
    struct gbn_flow *f = arg;
    int64_t now_ps = emu_clock_now(&f->g->clock);
    f->pack_pending = f->pack_ps != INT64_MAX && f->pack_ps > now_ps;
    if (f->pack_pending) {
        emu_clock_schedule(&f->g->clock, f->pack_ps - now_ps, flow_pack_now, f);
    } else if (f->pack_ps != INT64_MAX) {
        flow_send_control(f, GBN_PACK);
        gbn_host_work(&f->g->hosts[f->to]);
    }
}

static void flow_owe(struct gbn_flow *f)
{
    if (++f->owed >= f->g->config.ack_every) {
        flow_send_control(f, GBN_PACK);
        return;
    }
    if (f->owed > 1)
        return;
    f->pack_ps = emu_clock_now(&f->g->clock) + f->g->config.ack_delay_ps;
    if (!f->pack_pending)
        emu_clock_schedule(&f->g->clock, f->g->config.ack_delay_ps, flow_pack_now, f);
    f->pack_pending = true;
}

void gbn_flow_data(struct gbn_flow *f, uint32_t seq)
{
    /* The packet a receiver has got: up to W behind the one it expects, or less than W before it. */
    int64_t space = INT64_C(1) << f->g->config.sequence_bits, ahead = flow_ahead(f, f->expected, seq);
    int64_t number = f->expected + (ahead >= space / 2 ? ahead - space : ahead);
    if (number == f->expected) {
        f->expected++;
        f->discarding = false;
        f->stats.received++;
        f->stats.last_received_ps = emu_clock_now(&f->g->clock);
        flow_owe(f);
        f->g->program.received(f->g->program.user, f->index);
        return;
    }
    f->stats.discarded++;
    if (number < f->expected) {
        flow_send_control(f, GBN_PACK); /* the Pack for it must have been lost, or was late */
    } else if (!f->discarding && !f->g->config.simple) {
        f->discarding = true;
        flow_send_control(f, GBN_NACK);
    }
}
