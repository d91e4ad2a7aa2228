/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/host.h"

#include "base/memory.h"

enum host_way { HOST_IN, HOST_OUT, HOST_WAYS };

/* Serves one frame after the other; where both ways wait they take turns. */
struct host_server {
    struct emu_host *host;             /* borrowed */
    struct emu_ring waits[HOST_WAYS];  /* the one under service is the oldest of its way */
    enum host_way way;                 /* of that, or of the latest */
    bool busy;
    int64_t (*takes_ps)(const struct emu_host *h, enum host_way way, const struct emu_frame *frame);
    void (*served)(struct emu_host *h, enum host_way way, const struct emu_frame *frame);
};

struct emu_host {
    struct emu_host_config config;
    int host;
    int64_t take_ps;
    const struct emu_clock *clock; /* borrowed */
    emu_host_pass *in, *out;
    void *user;
    struct host_server processor, bus[HOST_WAYS]; /* a half-duplex bus is the first alone */
    struct emu_ring raised;        /* in memory: they wait for an interrupt */
    int64_t interrupt_at_ps;
    int64_t in_ring, lost;
};

const char *const emu_host_duplex_names[] = {"half", "full", NULL};

/* Of a frame's bytes: 65,535 of them times 8e12 fit. To the nearest, as emu_port_wire_ps(). */
static int64_t host_rate_ps(int64_t bytes, int64_t rate_bps)
{
    return rate_bps > 0 ? (bytes * INT64_C(8000000000000) + rate_bps / 2) / rate_bps : 0;
}

static int64_t host_processor_ps(const struct emu_host *h, enum host_way way, const struct emu_frame *frame)
{
    return h->config.frame_ps + host_rate_ps(frame->payload_bytes, h->config.copy_bps) +
           (way == HOST_IN ? h->take_ps : 0);
}

static int64_t host_bus_ps(const struct emu_host *h, enum host_way way UNUSED, const struct emu_frame *frame)
{
    return h->config.bus_ps + host_rate_ps(emu_frame_host_bytes(frame), h->config.bus_bps);
}

static void server_done(void *arg);

static void server_begin(struct host_server *s)
{
    enum host_way other = s->way == HOST_IN ? HOST_OUT : HOST_IN;
    s->way = s->waits[other].count > 0 ? other : s->way;
    s->busy = s->waits[s->way].count > 0;
    if (s->busy)
        emu_clock_schedule(s->host->clock, s->takes_ps(s->host, s->way, &emu_ring_peek(&s->waits[s->way])->frame),
                           server_done, s);
}

static void server_done(void *arg)
{
    struct host_server *s = arg;
    struct emu_frame frame;
    enum host_way way = s->way;
    emu_ring_pop(&s->waits[way], &frame);
    server_begin(s);
    s->served(s->host, way, &frame);
}

/* What takes no time does not wait for what does: it is no work of this server. */
static void server_take(struct host_server *s, enum host_way way, const struct emu_frame *frame)
{
    if (s->takes_ps(s->host, way, frame) == 0) {
        s->served(s->host, way, frame);
        return;
    }
    emu_ring_push(&s->waits[way], frame, 0);
    if (!s->busy)
        server_begin(s);
}

static struct host_server *host_bus(struct emu_host *h, enum host_way way)
{
    return &h->bus[h->config.duplex == EMU_HOST_FULL_DUPLEX ? way : HOST_IN];
}

static void host_processed(struct emu_host *h, enum host_way way, const struct emu_frame *frame)
{
    if (way == HOST_IN) {
        h->in_ring--;
        h->in(h->user, h->host, frame);
        return;
    }
    server_take(host_bus(h, HOST_OUT), HOST_OUT, frame);
}

static void host_interrupt(struct emu_host *h)
{
    struct emu_frame frame;
    for (size_t n = h->raised.count; n > 0; n--) { /* not those that come because of them */
        emu_ring_pop(&h->raised, &frame);
        server_take(&h->processor, HOST_IN, &frame);
    }
}

/* Unless enough frames have raised it before, and others wait for the next one. */
static void host_interrupt_due(void *arg)
{
    struct emu_host *h = arg;
    if (h->raised.count > 0 && emu_clock_now(h->clock) >= h->interrupt_at_ps)
        host_interrupt(h);
}

static void host_crossed(struct emu_host *h, enum host_way way, const struct emu_frame *frame)
{
    const struct emu_host_config *c = &h->config;
    if (way == HOST_OUT) {
        h->out(h->user, h->host, frame);
    } else if (c->interrupt_ps == 0 || c->interrupt_frames == 1) {
        server_take(&h->processor, HOST_IN, frame);
    } else {
        emu_ring_push(&h->raised, frame, 0);
        if (h->raised.count == 1) {
            h->interrupt_at_ps = emu_clock_now(h->clock) + c->interrupt_ps;
            emu_clock_schedule(h->clock, c->interrupt_ps, host_interrupt_due, h);
        }
        if (c->interrupt_frames > 0 && h->raised.count >= (size_t)c->interrupt_frames)
            host_interrupt(h);
    }
}

bool emu_host_takes_time(const struct emu_host_config *c)
{
    return c->frame_ps > 0 || c->copy_bps > 0 || c->bus_bps > 0 || c->bus_ps > 0 || c->interrupt_ps > 0;
}

static double host_bus_busy(const struct emu_host_config *c, double frames, double bytes)
{
    bytes += EMU_FRAME_HEADER_BYTES * frames;
    return frames * (double)c->bus_ps / 1e12 + (c->bus_bps > 0 ? bytes * 8 / (double)c->bus_bps : 0);
}

double emu_host_busy(const struct emu_host_config *c, int64_t take_ps, const struct emu_host_load *in,
                     const struct emu_host_load *out)
{
    double frames = in->frames + out->frames, bytes = in->bytes + out->bytes;
    double processor = (frames * (double)c->frame_ps + in->frames * (double)take_ps) / 1e12 +
                       (c->copy_bps > 0 ? bytes * 8 / (double)c->copy_bps : 0);
    double bus = c->duplex == EMU_HOST_HALF_DUPLEX
                     ? host_bus_busy(c, frames, bytes)
                     : fmax(host_bus_busy(c, in->frames, in->bytes), host_bus_busy(c, out->frames, out->bytes));
    return fmax(processor, bus);
}

struct emu_host *emu_host_new(const struct emu_host_config *config, int host, int64_t take_ps,
                              const struct emu_clock *clock, emu_host_pass *in, emu_host_pass *out, void *user)
{
    struct emu_host *h = memory_zeroed(1, sizeof *h, "a host");
    *h = (struct emu_host){.config = *config, .host = host, .take_ps = take_ps, .clock = clock, .in = in, .out = out,
                           .user = user};
    h->processor = (struct host_server){.host = h, .takes_ps = host_processor_ps, .served = host_processed};
    for (int way = 0; way < HOST_WAYS; way++)
        h->bus[way] = (struct host_server){.host = h, .takes_ps = host_bus_ps, .served = host_crossed};
    return h;
}

void emu_host_free(struct emu_host *h, const struct emu_frame_ops *ops)
{
    if (!h)
        return;
    for (int way = 0; way < HOST_WAYS; way++) {
        emu_ring_fini(&h->processor.waits[way], ops);
        emu_ring_fini(&h->bus[HOST_IN].waits[way], ops);
        emu_ring_fini(&h->bus[HOST_OUT].waits[way], ops);
    }
    emu_ring_fini(&h->raised, ops);
    free(h);
}

bool emu_host_receive(struct emu_host *h, const struct emu_frame *frame)
{
    if (h->config.rx_ring > 0 && h->in_ring >= h->config.rx_ring) {
        h->lost++;
        return false;
    }
    h->in_ring++;
    server_take(host_bus(h, HOST_IN), HOST_IN, frame);
    return true;
}

int64_t emu_host_lost(const struct emu_host *h)
{
    return h && h->config.rx_ring > 0 ? h->lost : -1;
}

void emu_host_send(struct emu_host *h, const struct emu_frame *frame)
{
    server_take(&h->processor, HOST_OUT, frame);
}

int64_t emu_host_least_ps(const struct emu_host *h, const struct emu_frame *frame, bool outgoing)
{
    if (!h)
        return 0;
    const enum host_way way = outgoing ? HOST_OUT : HOST_IN;
    return host_processor_ps(h, way, frame) + host_bus_ps(h, way, frame);
}
