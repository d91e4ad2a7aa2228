/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How segments leave: the straight way, where it is open to them, and any other. */
#include "emu/native/straight.h"

uint32_t native_endpoint_window(const struct native_endpoint *e)
{
    return native_straight_window(e);
}

static void straight_send_closely(struct native_endpoint *e, uint8_t flags, uint64_t from, uint32_t bytes)
{
    struct native_receiver *rx = &e->rx;
    uint64_t blocks[NATIVE_SACK_BLOCKS][2];
    int n_sack = 0;
    if (bytes == 0 && e->config.sack && (flags & NATIVE_ACK)) {
        n_sack = e->tx.from_linux ? native_linux_blocks(e, blocks)
                                  : native_reassembly_blocks(&rx->reassembly, blocks, NATIVE_SACK_BLOCKS);
    }
    struct native_segment *s = native_pool_take(n_sack ? e->env->sacked : e->env->plain);
    uint32_t window = native_straight_window(e);
    uint16_t field = (uint16_t)(window >> e->window_scale);
    if (flags & NATIVE_SYN) /* not scaled there */
        field = window < 65535 ? (uint16_t)window : 65535;
    *s = (struct native_segment){
        .seq = (uint32_t)from,
        .ack = (uint32_t)rx->nxt,
        .window = field,
        .ip_id = e->next_ip_id++,
        .ts = rx->own.stamps_late ? rx->own.heard_us : (uint32_t)(native_scheduler_now(e->env->scheduler) / NATIVE_PS_PER_US),
        .ts_echo = rx->ts_recent,
        .end = e->id,
        .payload_bytes = (uint16_t)bytes,
        .flags = flags,
        .n_sack = (uint8_t)n_sack,
        .cut = e->tx.cuts,
    };
    for (int i = 0; i < n_sack; i++) {
        struct native_sacked_segment *sacked = (struct native_sacked_segment *)s;
        sacked->sack[i][0] = (uint32_t)blocks[i][0];
        sacked->sack[i][1] = (uint32_t)blocks[i][1];
    }
    if (e->ecn.on || flags & NATIVE_SYN)
        native_ecn_leaves(&e->ecn, s, from, bytes);
    if (flags & NATIVE_ACK)
        native_straight_acknowledges(e, window);
    e->env->transmit(e->env->user, e, s);
}

/* Segments of a stretch one by one. */
void native_endpoint_send_singly(struct native_endpoint *e, uint64_t from, uint64_t bytes, uint8_t last_flags,
                                 uint16_t window, int64_t now_ps, uint32_t ts)
{
    uint32_t segment = (uint32_t)e->config.segment_bytes;
    for (; bytes > segment; bytes -= segment, from += segment)
        native_straight_send(e, native_pool_take(e->env->plain), NATIVE_ACK, from, segment, window, now_ps, ts);
    native_straight_send(e, native_pool_take(e->env->plain), last_flags, from, (uint32_t)bytes, window, now_ps, ts);
}

static __attribute__((noinline)) void straight_send_alone(struct native_endpoint *e, uint64_t from, uint32_t bytes, uint8_t flags)
{
    int64_t now_ps = native_scheduler_now(e->env->scheduler);
    native_straight_send_stretch(e, from, bytes, 1, flags, now_ps, (uint32_t)((uint64_t)now_ps / NATIVE_PS_PER_US));
}

/* Where it receives plainly, there was no hole. */
static bool straight_has_blocks(const struct native_endpoint *e)
{
    const struct native_receiver *rx = &e->rx;
    return (e->way != NATIVE_RECEIVING && rx->reassembly.held.n > 0) ||
           (e->tx.from_linux && rx->own.twice_from != rx->own.twice_to);
}

/* An ACK alone. */
static __attribute__((noinline)) void straight_send_ack(struct native_endpoint *e)
{
    int64_t now_ps = native_scheduler_now(e->env->scheduler);
    uint32_t window = native_straight_window(e);
    native_straight_acknowledges(e, window);
    native_straight_send(e, native_pool_take(e->env->plain), NATIVE_ACK, e->tx.nxt, 0, (uint16_t)(window >> e->window_scale),
                         now_ps, (uint32_t)((uint64_t)now_ps / NATIVE_PS_PER_US));
}

void native_endpoint_send(struct native_endpoint *e, uint8_t flags, uint64_t from, uint32_t bytes)
{
    bool direct = e->direct && e->nic && (flags & ~NATIVE_PUSH) == NATIVE_ACK;
    if (direct && bytes > 0)
        straight_send_alone(e, from, bytes, flags);
    else if (direct && flags == NATIVE_ACK && from == e->tx.nxt && !straight_has_blocks(e))
        straight_send_ack(e);
    else
        straight_send_closely(e, flags, from, bytes);
}

void native_endpoint_send_ack(struct native_endpoint *e)
{
    if (e->direct && e->nic && !straight_has_blocks(e))
        straight_send_ack(e);
    else
        straight_send_closely(e, NATIVE_ACK, e->tx.nxt, 0);
}
