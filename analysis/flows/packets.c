/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/packets.h"

#include "base/memory.h"

#include <stdlib.h>

#define LONGEST 160 /* of one packet: 16 numbers of up to ten digits, most of them less */
#define FIRST_ROOM 256

enum { /* bits of the head */
    HEAD_FRAME = 2, HEAD_AS_LONG = 4, HEAD_PAYLOAD = 8, HEAD_ACK = 16, HEAD_WINDOW = 32, HEAD_SEQ = 64, HEAD_WHAT = 128,
};

static char *put(char *at, uint64_t value)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (; value > 31; value >>= 5)
        *at++ = digits[32 | (value & 31)];
    *at++ = digits[value];
    return at;
}

static char *put_signed(char *at, int64_t value)
{
    return put(at, value < 0 ? (uint64_t)-value << 1 | 1 : (uint64_t)value << 1);
}

static char *put_blocks(char *at, const struct capture_segment *s, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        at = put_signed(at, (int32_t)(s->sack[i].start - s->ack));
        at = put(at, s->sack[i].end - s->sack[i].start);
    }
    return at;
}

static void note_numbers(struct analysis_packets_end *e, const struct analysis_packet *p, unsigned blocks, bool has_ack)
{
    uint32_t frame = (uint32_t)p->frame;
    if (p->payload_bytes > 0 || p->what & (ANALYSIS_PACKET_SYN | ANALYSIS_PACKET_FIN)) {
        e->first_frame = e->data++ == 0 ? frame : e->first_frame;
        e->last_frame = frame;
    }
    e->acks += has_ack;
    e->sacks += blocks;
    if (p->what & ANALYSIS_PACKET_AGAIN && e->again++ < ANALYSIS_PACKETS_AGAIN)
        e->again_frame[e->again - 1] = frame;
}

bool analysis_packets_add(struct analysis_packets **packets, const struct analysis_packet *p, size_t *left)
{
    char text[LONGEST], *at = text;
    if (*left < LONGEST)
        return false;
    if (!*packets)
        *packets = memory_zeroed(1, sizeof **packets, "the packets of a connection");
    struct analysis_packets *k = *packets;
    struct analysis_packets_end *e = &k->end[p->end];
    const struct capture_segment *s = p->segment;
    bool has_ack = !(p->what & ANALYSIS_PACKET_UNPLACED);
    bool placed = p->payload_bytes > 0 || p->what & (ANALYSIS_PACKET_SYN | ANALYSIS_PACKET_FIN);
    unsigned blocks = has_ack ? s->n_sack < 4 ? s->n_sack : 4u : 0, what = p->what + ANALYSIS_PACKET_SACK * blocks;
    unsigned head = (unsigned)p->end | (p->frame != k->frame + 1 ? HEAD_FRAME : 0) |
                    (p->payload_bytes == 0 ? 0 : p->payload_bytes == e->payload_bytes ? HEAD_AS_LONG : HEAD_PAYLOAD) |
                    (has_ack && p->ack != e->ack ? HEAD_ACK : 0) | (s->window != e->window ? HEAD_WINDOW : 0) |
                    (placed && p->seq != e->next ? HEAD_SEQ : 0) | (what ? HEAD_WHAT : 0);
    at = put_signed(put(at, head), p->time_ns - k->time_ns);
    at = head & HEAD_FRAME ? put_signed(at, p->frame - k->frame - 1) : at;
    at = head & HEAD_PAYLOAD ? put(at, p->payload_bytes) : at;
    at = head & HEAD_ACK ? put_signed(at, p->ack - e->ack) : at;
    at = head & HEAD_WINDOW ? put_signed(at, (int64_t)s->window - e->window) : at;
    at = head & HEAD_SEQ ? put_signed(at, p->seq - e->next) : at;
    at = head & HEAD_WHAT ? put_blocks(put(at, what), s, blocks) : at;
    size_t n = (size_t)(at - text);
    if (k->room - k->bytes < n) {
        k->room = k->room > 0 ? 2 * k->room : FIRST_ROOM;
        k->text = memory_resized(k->text, k->room, 1, "the packets of a connection");
    }
    for (size_t i = 0; i < n; i++)
        k->text[k->bytes + i] = text[i];
    k->bytes += n;
    *left -= n;
    k->time_ns = p->time_ns;
    k->frame = p->frame;
    e->window = s->window;
    e->ack = has_ack ? p->ack : e->ack;
    e->payload_bytes = p->payload_bytes > 0 ? p->payload_bytes : e->payload_bytes;
    e->next = placed ? p->seq + p->payload_bytes : e->next;
    note_numbers(e, p, blocks, has_ack);
    return true;
}

void analysis_packets_free(struct analysis_packets *p)
{
    if (p)
        free(p->text);
    free(p);
}
