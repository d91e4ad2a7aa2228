/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/native/ecn.h"

uint8_t native_ecn_syn_flags(const struct native_ecn *n, bool ack)
{
    if (ack)
        return n->on ? NATIVE_ECE : 0;
    return n->wanted ? NATIVE_ECE | NATIVE_CWR : 0;
}

void native_ecn_agree(struct native_ecn *n, uint8_t flags)
{
    const uint8_t asked = NATIVE_ECE | NATIVE_CWR;
    n->on = n->wanted && (flags & asked) == (flags & NATIVE_ACK ? NATIVE_ECE : asked);
}

void native_ecn_leaves(struct native_ecn *n, struct native_segment *s, uint64_t from, uint32_t bytes)
{
    bool fresh = bytes > 0 && from >= n->sent, syn = s->flags & NATIVE_SYN;
    if (fresh) {
        n->sent = from + bytes;
        s->flags |= n->reduced ? NATIVE_CWR : 0;
        n->reduced = false;
    }
    s->flags |= n->echo && !syn ? NATIVE_ECE : 0;
    s->ecn = fresh || n->dctcp ? NATIVE_ECN_CAPABLE : NATIVE_ECN_NOT;
}

unsigned native_ecn_due(const struct native_ecn *n, const struct native_segment *s)
{
    bool marked = s->ecn == NATIVE_ECN_EXPERIENCED;
    if (n->dctcp) /* RFC 8257, figure 1: what came before a change is acknowledged as it came */
        return marked != n->echo ? NATIVE_ECN_ACK_BEFORE | NATIVE_ECN_ACK_NOW : 0;
    bool reduced = s->flags & NATIVE_CWR, again = s->ecn == NATIVE_ECN_NOT && n->seen;
    return (reduced ? NATIVE_ECN_ACK_NOW_LINUX : 0) | /* the window may be a single segment */
           ((marked && (reduced || !n->echo)) || again ? NATIVE_ECN_QUICK_ACKS : 0);
}

void native_ecn_arrives(struct native_ecn *n, const struct native_segment *s)
{
    bool marked = s->ecn == NATIVE_ECN_EXPERIENCED;
    n->echo = marked || (n->echo && !n->dctcp && !(s->flags & NATIVE_CWR));
    n->seen = n->seen || s->ecn != NATIVE_ECN_NOT;
}

bool native_ecn_shrinks(const struct native_ecn *n, const struct native_segment *s, uint64_t una)
{
    return n->on && s->flags & NATIVE_ECE && !(s->flags & NATIVE_SYN) && una > n->until;
}

void native_ecn_shrunk(struct native_ecn *n, uint64_t nxt)
{
    n->reduced = n->on;
    n->until = nxt;
}
