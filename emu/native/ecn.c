/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/endpoint.h"

#define QUICK_ACKS 2 /* after a mark (tcp_enter_quickack_mode()) */

static bool ecn_is_dctcp(const struct native_endpoint *e)
{
    return e->config.congestion == EMU_CONGESTION_DCTCP;
}

bool native_ecn_wanted(const struct native_endpoint *e)
{
    return e->config.ecn || ecn_is_dctcp(e);
}

uint8_t native_ecn_syn_flags(const struct native_endpoint *e, bool ack)
{
    if (ack)
        return e->ecn.on ? NATIVE_ECE : 0;
    return native_ecn_wanted(e) ? NATIVE_ECE | NATIVE_CWR : 0;
}

void native_ecn_agree(struct native_endpoint *e, uint8_t flags)
{
    const uint8_t asked = NATIVE_ECE | NATIVE_CWR;
    e->ecn.on = native_ecn_wanted(e) && (flags & asked) == (flags & NATIVE_ACK ? NATIVE_ECE : asked);
}

void native_ecn_leaves(struct native_endpoint *e, struct native_segment *s, uint64_t from, uint32_t bytes)
{
    struct native_ecn *ecn = &e->ecn;
    bool fresh = bytes > 0 && from >= ecn->sent, syn = s->flags & NATIVE_SYN;
    if (fresh) {
        ecn->sent = from + bytes;
        s->flags |= ecn->reduced ? NATIVE_CWR : 0;
        ecn->reduced = false;
    }
    s->flags |= ecn->echo && !syn ? NATIVE_ECE : 0;
    s->ecn = fresh || ecn_is_dctcp(e) ? NATIVE_ECN_CAPABLE : NATIVE_ECN_NOT;
}

static void ecn_quick_acks(struct native_endpoint *e)
{
    if (e->tx.from_linux && e->rx.quick_acks < QUICK_ACKS)
        e->rx.quick_acks = QUICK_ACKS;
}

/* RFC 8257, figure 1: what came before a change is acknowledged as it came. */
static void ecn_arrives_dctcp(struct native_endpoint *e, bool marked)
{
    if (marked == e->ecn.echo)
        return;
    if (e->rx.unacked > 0)
        native_endpoint_send(e, NATIVE_ACK, e->tx.nxt, 0);
    e->ecn.echo = marked;
    e->rx.ack_now = true;
}

void native_ecn_arrives(struct native_endpoint *e, const struct native_segment *s)
{
    struct native_ecn *ecn = &e->ecn;
    bool marked = s->ecn == NATIVE_ECN_EXPERIENCED;
    if (ecn_is_dctcp(e)) {
        ecn_arrives_dctcp(e, marked);
        return;
    }
    if (s->flags & NATIVE_CWR) {
        ecn->echo = false;
        e->rx.ack_now = e->rx.ack_now || e->tx.from_linux; /* the window may be a single segment */
    }
    if ((marked && !ecn->echo) || (s->ecn == NATIVE_ECN_NOT && ecn->seen)) /* the latter is sent again */
        ecn_quick_acks(e);
    ecn->echo = ecn->echo || marked;
    ecn->seen = ecn->seen || s->ecn != NATIVE_ECN_NOT;
}

bool native_ecn_shrinks(const struct native_endpoint *e, const struct native_segment *s)
{
    return e->ecn.on && s->flags & NATIVE_ECE && !(s->flags & NATIVE_SYN) && e->tx.una > e->ecn.until;
}

void native_ecn_shrunk(struct native_endpoint *e)
{
    e->ecn.reduced = e->ecn.on;
    e->ecn.until = e->tx.nxt;
}
