/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/switch.h"

#define BUFFER_OVERHEAD_BYTES (EMU_FRAME_HEADER_BYTES + EMU_FRAME_FCS_BYTES)

struct emu_switch_config emu_switch_config_default(void)
{
    return (struct emu_switch_config){
        .queue = emu_queue_config_default(),
        .pool = {EMU_QUEUE_UNLIMITED, EMU_QUEUE_UNLIMITED},
    };
}

int emu_switch_lookup(const struct emu_switch *s, uint32_t station)
{
    return station < s->stations ? s->port_of[station] : -1;
}

int emu_switch_route(const struct emu_switch *s, const struct emu_frame *frame)
{
    return s->routes.port ? s->routes.port(s->routes.user, s->routes.node, frame) : emu_switch_lookup(s, frame->dst);
}

/* Stations are host numbers: a table of them all is small. */
static void switch_grow(struct emu_switch *s, uint32_t station)
{
    uint32_t stations = s->stations ? s->stations : 16;
    while (stations <= station)
        stations *= 2;
    int *port_of = memory_zeroed(stations, sizeof *port_of, "a switch");
    for (uint32_t i = 0; i < stations; i++)
        port_of[i] = i < s->stations ? s->port_of[i] : -1;
    free(s->port_of);
    s->port_of = port_of;
    s->stations = stations;
    s->straight = s->plain ? stations : 0;
}

/* Into the output's queue: what needs no crossing, or has crossed. Takes the frame. */
static void switch_arrive(void *owner, int in, int out, const struct emu_frame *frame)
{
    struct emu_switch *s = owner;
    if ((s->pause && !emu_pause_admits(s->pause, in, out, frame)) ||
        (s->architecture->admit && !s->architecture->admit(s, out, frame))) {
        emu_port_refuse(&s->ports[out], frame);
        return;
    }
    emu_port_send(&s->ports[out], frame);
    if (s->pause && s->architecture->place != EMU_ARCHITECTURE_AT_INPUTS)
        emu_pause_entered(s->pause, in, out, frame->traffic_class);
}

static void switch_accept(struct emu_switch *s, int in, int out, const struct emu_frame *frame)
{
    if (s->fabric)
        emu_fabric_offer(s->fabric, in, out, frame);
    else
        switch_arrive(s, in, out, frame);
}

/* Sends the frame to its port, or to all others. Takes it. */
static void switch_forward(struct emu_switch *s, int in, const struct emu_frame *frame)
{
    int out = emu_switch_route(s, frame);
    if (out == in) {
        s->filtered++; /* its destination shares the segment it came from */
        emu_frame_release(s->ops, frame->packet);
        return;
    }
    if (out >= 0) {
        switch_accept(s, in, out, frame);
        return;
    }
    s->flooded++;
    for (int i = 0; i < s->n_ports; i++) {
        if (i == in || !s->ports[i].far || (s->routes.floods && !s->routes.floods[i]))
            continue;
        struct emu_frame copy = *frame;
        copy.packet = emu_frame_share(s->ops, frame->packet);
        switch_accept(s, in, i, &copy);
    }
    emu_frame_release(s->ops, frame->packet);
}

static void switch_piped(void *arg)
{
    struct emu_switch *s = arg;
    int64_t now_ps = emu_clock_now(&s->clock);
    struct emu_frame frame;
    emu_ring_pop(&s->pipeline, &frame);
    s->piping = s->pipeline.count > 0;
    if (s->piping)
        emu_clock_schedule(&s->clock, emu_ring_peek(&s->pipeline)->time_ps - now_ps, switch_piped, s);
    switch_forward(s, frame.out, &frame);
}

static void switch_pipe(struct emu_switch *s, int in, const struct emu_frame *frame)
{
    if (s->config.latency_ps == 0) {
        switch_forward(s, in, frame);
        return;
    }
    struct emu_frame piped = *frame;
    piped.out = (uint16_t)in;
    emu_ring_push(&s->pipeline, &piped, emu_clock_now(&s->clock) + s->config.latency_ps);
    if (!s->piping)
        emu_clock_schedule(&s->clock, s->config.latency_ps, switch_piped, s);
    s->piping = true;
}

/* Its last bit is there. */
static void switch_late(void *arg)
{
    struct emu_switch_late *late = arg;
    late->waiting = false;
    switch_pipe(late->owner, (int)(late - late->owner->late), &late->frame);
}

/* Cut-through: only the header is there. To a faster port, which would run dry, and to many ports the whole frame is
 * forwarded when it is there. */
static void switch_header(struct emu_switch *s, int in, const struct emu_frame *frame)
{
    int out = emu_switch_route(s, frame);
    const struct emu_link_config *link = &s->ports[in].far->link;
    if (out >= 0 && s->ports[out].link.rate_bps <= link->rate_bps) {
        switch_pipe(s, in, frame);
        return;
    }
    int64_t rest = emu_port_frame_bytes(link, frame) - EMU_PORT_GAP_BYTES - EMU_PORT_EARLY_BYTES;
    s->late[in] = (struct emu_switch_late){s, *frame, true};
    emu_clock_schedule(&s->clock, emu_port_wire_ps(link, rest), switch_late, &s->late[in]);
}

static __attribute__((noinline)) void switch_receive_closely(struct emu_switch *s, int index, const struct emu_frame *frame)
{
    if (!s->routes.port) {
        if (frame->src >= s->stations)
            switch_grow(s, frame->src);
        if (s->port_of[frame->src] != index) /* what all know is not written: several threads may read it */
            s->port_of[frame->src] = index;
    }
    int out = emu_switch_route(s, frame);
    if (s->plain && out >= 0 && out != index) {
        emu_port_send(&s->ports[out], frame);
    } else if (s->config.cut_through) {
        switch_header(s, index, frame);
    } else {
        switch_pipe(s, index, frame);
    }
}

/* Mostly there is nothing to learn, and nothing between arrival and the output's queue. */
static void switch_receive(void *owner, int index, const struct emu_frame *frame)
{
    struct emu_switch *s = owner;
    if (frame->src < s->straight && frame->dst < s->straight && s->port_of[frame->src] == index) {
        int out = s->port_of[frame->dst];
        if (out >= 0 && out != index) {
            emu_port_send(&s->ports[out], frame);
            return;
        }
    }
    switch_receive_closely(s, index, frame);
}

const struct emu_queue *emu_switch_buffer(const struct emu_switch *s, int port)
{
    return s->architecture->place == EMU_ARCHITECTURE_AT_INPUTS ? emu_fabric_input(s->fabric, port)
                                                                : &s->ports[port].queue;
}

/* What is in the buffer that a frame from `in` to `out` goes through, now; of one class or, -1, of all. */
static struct emu_level switch_level(void *owner, int in, int out, int class)
{
    struct emu_switch *s = owner;
    enum emu_architecture_place place = s->architecture->place;
    struct emu_level level = {0, 0};
    int first = place == EMU_ARCHITECTURE_AT_INPUTS ? in : place == EMU_ARCHITECTURE_AT_OUTPUTS ? out : 0;
    int end = place == EMU_ARCHITECTURE_IN_POOL ? s->n_ports : first + 1;
    for (int i = first; i < end; i++) {
        emu_port_settle(&s->ports[i]);
        const struct emu_queue *q = emu_switch_buffer(s, i);
        struct emu_level of = class < 0 ? (struct emu_level){q->depth_bytes, q->depth_packets}
                                        : emu_queue_class_level(q, class);
        level.bytes += of.bytes;
        level.packets += of.packets;
    }
    return level;
}

static void switch_entered(void *owner, int in, int out)
{
    struct emu_switch *s = owner;
    emu_pause_entered(s->pause, in, out, 0); /* PFC is for buffers at outputs */
}

static void switch_left(void *owner, int in, int out)
{
    struct emu_switch *s = owner;
    emu_pause_left(s->pause, in, out, 0);
}

int64_t emu_switch_headroom_bytes(const struct emu_link_config *link, int64_t packet_bytes)
{
    int64_t both_ways_ps = 2 * (link->delay_ps + link->faults.jitter_ps);
    double bytes = (double)both_ways_ps * 1e-12 * (double)link->rate_bps / 8;
    return (int64_t)bytes + 2 * (packet_bytes + EMU_FRAME_OVERHEAD_BYTES) + EMU_FRAME_MIN_WIRE_BYTES + packet_bytes +
           BUFFER_OVERHEAD_BYTES;
}

static struct emu_fabric *switch_fabric(struct emu_switch *s, bool inputs)
{
    const struct emu_switch_config *c = &s->config;
    return emu_fabric_new(&(struct emu_fabric_config){
        .ports = s->ports,
        .n_ports = s->n_ports,
        .buffers = inputs,
        .per_output = s->architecture->per_output,
        .queue = c->queue,
        .arbitration = c->arbitration,
        .backplane_bps = c->backplane_bps,
        .seed = c->seed,
        .clock = s->clock,
        .ops = s->ops,
        .arrive = switch_arrive,
        .entered = inputs && c->pause.on ? switch_entered : NULL,
        .left = inputs && c->pause.on ? switch_left : NULL,
        .user = s,
    });
}

void emu_switch_init(struct emu_switch *s, const char *name, int n_ports, const struct emu_clock *clock,
                     const struct emu_frame_ops *ops, const struct emu_switch_config *config)
{
    const struct emu_architecture_ops *architecture = emu_architectures[config->architecture];
    bool inputs = architecture->place == EMU_ARCHITECTURE_AT_INPUTS;
    struct emu_queue_config queue = inputs ? emu_queue_config_default() : config->queue;
    *s = (struct emu_switch){
        .n_ports = n_ports, .ops = ops, .clock = *clock, .config = *config, .architecture = architecture};
    s->ports = emu_port_array((size_t)n_ports);
    queue.kernel = s->config.kernel;
    for (int i = 0; i < n_ports; i++) {
        char port_name[EMU_PORT_NAME];
        struct emu_port *p = &s->ports[i];
        snprintf(port_name, sizeof port_name, "%.16s-%d", name, i);
        emu_port_init(p, port_name, clock, ops, &queue);
        p->receive = switch_receive;
        p->owner = s;
        p->index = i;
        p->wants_early = config->cut_through;
        if (inputs)
            emu_port_make_eager(p);
    }
    if (inputs || config->backplane_bps > 0)
        s->fabric = switch_fabric(s, inputs);
    if (config->pause.on)
        s->pause = emu_pause_new(&config->pause, &(struct emu_pause_owner){s->ports, n_ports, architecture->place,
                                                                           *clock, switch_level, s});
    if (config->cut_through)
        s->late = memory_zeroed((size_t)n_ports, sizeof *s->late, "a switch");
    s->plain = !architecture->admit && !s->fabric && !s->pause && !config->cut_through && config->latency_ps == 0;
}

void emu_switch_fini(struct emu_switch *s)
{
    for (int i = 0; i < s->n_ports; i++) {
        emu_port_fini(&s->ports[i]);
        if (s->late && s->late[i].waiting)
            emu_frame_release(s->ops, s->late[i].frame.packet);
    }
    emu_ring_fini(&s->pipeline, s->ops);
    emu_fabric_free(s->fabric);
    emu_pause_free(s->pause);
    MEMORY_FREE(s->ports, s->port_of, s->late);
    *s = (struct emu_switch){0};
}

bool emu_switch_audit(struct emu_switch *s, struct error *err)
{
    for (int i = 0; i < s->n_ports; i++)
        if (!emu_port_audit(&s->ports[i], err))
            return false;
    return (!s->fabric || emu_fabric_audit(s->fabric, err)) &&
           (!s->architecture->audit || s->architecture->audit(s, err));
}
