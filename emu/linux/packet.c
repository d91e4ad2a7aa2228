/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/packet.h"

#define SIZES 4
static const uint32_t sizes[SIZES] = {128, 1600, EMU_FRAME_HEADER_BYTES + EMU_FRAME_MOST_PAYLOAD,
                                      EMU_FRAME_HEADER_BYTES + UINT16_MAX}; /* an ACK, a segment, a jumbo frame, any */
static struct linux_packet *unused[SIZES];

static int packet_size(uint32_t bytes)
{
    int i = 0;
    while (bytes > sizes[i])
        i++;
    return i;
}

static uint32_t get16(const uint8_t *at)
{
    return at[0] * 256u + at[1];
}

static uint32_t station(const uint8_t *mac)
{
    uint64_t address = 0;
    for (int i = 0; i < 6; i++)
        address = address << 8 | mac[i];
    return mac[0] & 1 ? EMU_FRAME_BROADCAST : (uint32_t)(address - emu_frame_mac(0));
}

/* TCP over IPv4: its flow by the sink's port, which only it has in its range; clients' are above. */
static void packet_decode(struct linux_packet *p, struct emu_frame *frame)
{
    const uint8_t *ip = p->frame + EMU_FRAME_HEADER_BYTES;
    uint32_t n = frame->payload_bytes, header = n >= 20 ? (ip[0] & 15u) * 4 : 0, total = n >= 20 ? get16(ip + 2) : 0;
    if (frame->ethertype != 0x0800 || header < 20 || total > n || total < header + 20 || ip[9] != 6)
        return;
    const uint8_t *tcp = ip + header;
    uint32_t tcp_bytes = (tcp[12] >> 4) * 4u, from = get16(tcp), to = get16(tcp + 2);
    if (tcp_bytes < 20 || total < header + tcp_bytes)
        return;
    bool back = from < to;
    uint32_t port = back ? from : to;
    p->data_bytes = (uint16_t)(total - header - tcp_bytes);
    p->sequence = get16(tcp + 4) << 16 | get16(tcp + 6);
    p->acknowledgement = get16(tcp + 8) << 16 | get16(tcp + 10);
    p->from_port = (uint16_t)from;
    p->to_port = (uint16_t)to;
    p->tcp = true;
    p->fin = tcp[13] & 1;
    p->syn = tcp[13] & 2;
    p->rst = tcp[13] & 4;
    p->acknowledges = tcp[13] & 0x10;
    frame->pure_ack = p->data_bytes == 0 && (tcp[13] & 0x17) == 0x10;
    if (port >= EMU_ENGINE_FIRST_PORT)
        p->flow = 2 * (port - EMU_ENGINE_FIRST_PORT) + back;
}

struct linux_packet *linux_packet_new(const uint8_t *bytes, uint32_t n, struct emu_frame *frame)
{
    int size = packet_size(n);
    struct linux_packet *p = unused[size];
    if (p)
        unused[size] = p->next;
    else
        p = memory_resized(NULL, 1, sizeof *p + sizes[size], "frames");
    *p = (struct linux_packet){.references = 1, .flow = EMU_FRAME_NO_FLOW, .bytes = n};
    memcpy(p->frame, bytes, n);
    *frame = (struct emu_frame){.packet = p,
                                .dst = station(bytes),
                                .src = station(bytes + 6),
                                .payload_bytes = (uint16_t)(n - EMU_FRAME_HEADER_BYTES),
                                .ethertype = (uint16_t)get16(bytes + 12)};
    packet_decode(p, frame);
    return p;
}

static struct linux_packet *packet_share(struct linux_packet *p)
{
    p->references++;
    return p;
}

void linux_packet_release(struct linux_packet *p)
{
    if (--p->references > 0)
        return;
    int size = packet_size(p->bytes);
    p->next = unused[size];
    unused[size] = p;
}

void linux_packet_free_all(void)
{
    for (int i = 0; i < SIZES; i++)
        for (struct linux_packet *p; (p = unused[i]);) {
            unused[i] = p->next;
            free(p);
        }
}

void linux_packet_count(const struct linux_packet *p, uint32_t *next, struct emu_flow_stats *stats)
{
    int32_t again = (int32_t)(*next - p->sequence);
    uint32_t after = p->sequence + p->data_bytes;
    if (again > 0) {
        stats->retransmitted_segments++;
        stats->retransmitted_bytes += again < p->data_bytes ? again : p->data_bytes;
    }
    if ((int32_t)(after - *next) > 0)
        *next = after;
}

void linux_packet_rewrite(struct linux_packet *p, const uint8_t *head, uint32_t n)
{
    memcpy(p->frame, head, n < p->bytes ? n : p->bytes);
}

/* RFC 3168: ECT becomes CE; RFC 1624: the checksum follows. */
static bool ops_mark(const struct emu_frame *frame)
{
    struct linux_packet *p = frame->packet;
    uint8_t *ip = p->frame + EMU_FRAME_HEADER_BYTES;
    if (frame->ethertype != 0x0800 || frame->payload_bytes < 20 || (ip[1] & 3) == 0)
        return false;
    if ((ip[1] & 3) == 3)
        return true;
    uint32_t before = get16(ip), sum = (get16(ip + 10) ^ 0xffffu) + (before ^ 0xffffu) + (before | 3u);
    ip[1] |= 3;
    sum = (sum & 0xffffu) + (sum >> 16);
    sum = ~((sum & 0xffffu) + (sum >> 16)) & 0xffffu;
    ip[10] = (uint8_t)(sum >> 8);
    ip[11] = (uint8_t)sum;
    return true;
}

static void *ops_share(void *packet)
{
    return packet_share(packet);
}

static void ops_release(void *packet)
{
    linux_packet_release(packet);
}

static uint32_t ops_flow(const struct emu_frame *frame)
{
    const struct linux_packet *p = frame->packet;
    return p->flow;
}

static size_t ops_bytes(const struct emu_frame *frame, uint8_t *out, size_t limit)
{
    const struct linux_packet *p = frame->packet;
    size_t n = p->bytes < limit ? p->bytes : limit;
    memcpy(out, p->frame, n);
    const size_t least = EMU_FRAME_HEADER_BYTES + EMU_FRAME_MIN_PAYLOAD;
    if (n < least && n < limit) { /* padded on the wire */
        size_t end = least < limit ? least : limit;
        memset(out + n, 0, end - n);
        n = end;
    }
    return n;
}

const struct emu_frame_ops linux_packet_ops = {ops_share, ops_release, ops_flow, ops_bytes, ops_mark, NULL, false};
