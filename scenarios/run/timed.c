/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/timed.h"

struct datagrams_source {
    struct datagrams *owner;
    const struct scenario_datagrams *config; /* borrowed */
};

struct datagrams {
    struct emu_network *network; /* borrowed */
    struct emu_clock clock;
    int64_t *sent; /* borrowed */
    struct datagrams_source sources[]; /* owned; one an entry of the scenario */
};

static void datagrams_send(void *arg)
{
    const struct datagrams_source *source = arg;
    const struct scenario_datagrams *c = source->config;
    struct datagrams *d = source->owner;
    if (c->stop_ps > 0 && emu_clock_now(&d->clock) >= c->stop_ps)
        return;
    struct emu_frame frame = {.packet = emu_frame_tag((uint64_t)(source - d->sources)), .dst = (uint32_t)c->to,
                              .src = (uint32_t)c->from, .payload_bytes = (uint16_t)c->packet_bytes, .ethertype = EMU_FRAME_IPV4,
                              .traffic_class = c->traffic_class};
    struct emu_link_config pace = {.rate_bps = c->rate_bps};
    ++*d->sent;
    emu_network_transmit(d->network, c->from, &frame);
    emu_clock_schedule(&d->clock, emu_port_wire_ps(&pace, emu_frame_wire_bytes(&frame)), datagrams_send, arg);
}

struct datagrams *datagrams_new(const struct scenario *s, struct emu_network *network, const struct emu_clock *clock,
                                int64_t *sent)
{
    if (s->n_datagrams == 0)
        return NULL;
    struct datagrams *d = memory_zeroed(1, sizeof *d + (size_t)s->n_datagrams * sizeof *d->sources, "datagrams");
    d->network = network;
    d->clock = *clock;
    d->sent = sent;
    for (int i = 0; i < s->n_datagrams; i++) {
        d->sources[i] = (struct datagrams_source){d, &s->datagrams[i]};
        emu_clock_schedule(&d->clock, s->datagrams[i].start_ps, datagrams_send, &d->sources[i]);
    }
    return d;
}

/* Of one flow; as many in an array as the scenario has flows. */
struct windows {
    struct emu_engine *engine; /* borrowed, as all here */
    const struct scenario_flow *config;
    int flow, next;
};

static void windows_set(void *arg)
{
    struct windows *w = arg;
    const struct scenario_window *now = &w->config->windows[w->next++];
    struct emu_clock clock = emu_engine_clock(w->engine);
    emu_engine_set_window(w->engine, w->flow, now->bytes);
    if (w->next < w->config->n_windows)
        emu_clock_schedule(&clock, now[1].at_ps - now->at_ps, windows_set, w);
}

struct windows *windows_new(const struct scenario *s, struct emu_engine *e)
{
    struct windows *w = NULL;
    struct emu_clock clock = emu_engine_clock(e);
    for (int i = 0; i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        if (f->tcp.congestion != EMU_CONGESTION_GIVEN || f->n_windows == 0)
            continue;
        if (!w)
            w = memory_zeroed((size_t)s->n_flows, sizeof *w, "windows");
        w[i] = (struct windows){e, f, i, 0};
        emu_clock_schedule(&clock, f->windows[0].at_ps, windows_set, &w[i]);
    }
    return w;
}
