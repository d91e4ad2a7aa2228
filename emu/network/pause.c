/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/pause.h"

/* What PAUSE means to a port, or to one of its classes. */
struct pause_port {
    struct emu_pause *pause; /* borrowed */
    int index, class;
    int reasons;      /* buffers that keep it stopped */
    bool repeating;   /* an event to repeat it is pending */
};

/* With PFC all of it is there for each class; without, for class 0. */
struct emu_pause {
    struct emu_pause_config config;
    struct emu_pause_owner owner;
    struct pause_port *ports; /* owned; [class * n + in] */
    bool *stopped;            /* owned; [(class * buffers + buffer) * n + in]: that buffer keeps that port stopped */
    bool *congested;          /* owned; [class * buffers + buffer]: it was at xoff, and has not been at xon since */
    unsigned lossless;        /* classes, by bit; 0: PAUSE, for all of them */
    int n, buffers, classes;  /* ports; buffers that can fill up: outputs, one pool, or inputs */
};

static void pause_room(void *user, struct emu_port *port)
{
    struct emu_pause *p = user;
    for (int c = 0; c < p->classes; c++)
        emu_pause_left(p, port->index, port->index, c);
}

struct emu_pause *emu_pause_new(const struct emu_pause_config *config, const struct emu_pause_owner *owner)
{
    struct emu_pause *p = memory_zeroed(1, sizeof *p, "PAUSE");
    p->config = *config;
    p->owner = *owner;
    p->n = owner->n_ports;
    p->buffers = owner->place == EMU_ARCHITECTURE_IN_POOL ? 1 : p->n;
    p->classes = config->n_classes > 0 ? EMU_FRAME_CLASSES : 1;
    for (int i = 0; i < config->n_classes; i++)
        p->lossless |= 1u << config->classes[i];
    size_t n = (size_t)p->n, buffers = (size_t)p->classes * (size_t)p->buffers;
    p->ports = memory_zeroed((size_t)p->classes * n, sizeof *p->ports, "PAUSE");
    p->congested = memory_zeroed(buffers, sizeof *p->congested, "PAUSE");
    p->stopped = memory_zeroed(buffers * n, sizeof *p->stopped, "PAUSE");
    for (int i = 0; i < p->n; i++) {
        for (int c = 0; c < p->classes; c++)
            p->ports[c * p->n + i] = (struct pause_port){.pause = p, .index = i, .class = c};
        emu_port_make_eager(&owner->ports[i]);
        if (owner->place != EMU_ARCHITECTURE_AT_INPUTS)
            owner->ports[i].room = (struct emu_port_room){pause_room, p};
    }
    return p;
}

void emu_pause_free(struct emu_pause *p)
{
    if (p)
        MEMORY_FREE(p->ports, p->stopped, p->congested);
    free(p);
}

/* Which buffer of a class it is. */
static int pause_buffer(const struct emu_pause *p, int in, int out, int class)
{
    const int buffers[] = {
        [EMU_ARCHITECTURE_AT_OUTPUTS] = out,
        [EMU_ARCHITECTURE_IN_POOL] = 0,
        [EMU_ARCHITECTURE_AT_INPUTS] = in,
    };
    return class * p->buffers + buffers[p->owner.place];
}

static struct emu_level pause_level(const struct emu_pause *p, int in, int out, int class)
{
    return p->owner.level(p->owner.user, in, out, p->lossless ? class : -1);
}

static void pause_send(struct pause_port *state);

/* Half of the time it was told to stop for is over. */
static void pause_repeat(void *arg)
{
    struct pause_port *state = arg;
    state->repeating = false;
    if (state->reasons > 0)
        pause_send(state);
}

static void pause_send(struct pause_port *state)
{
    const struct emu_pause *p = state->pause;
    struct emu_port *port = &p->owner.ports[state->index];
    uint16_t quanta = state->reasons > 0 ? p->config.quanta : 0;
    if (p->lossless)
        emu_port_send_class_pause(port, state->class, quanta);
    else
        emu_port_send_pause(port, quanta);
    if (quanta == 0 || state->repeating)
        return;
    state->repeating = true;
    int64_t stop_ps = quanta * emu_port_wire_ps(&port->link, EMU_PORT_QUANTUM_BITS / 8);
    emu_clock_schedule(&p->owner.clock, stop_ps / 2, pause_repeat, state);
}

static void pause_stop(struct emu_pause *p, int buffer, int in, int class)
{
    bool *stopped = &p->stopped[(size_t)buffer * (size_t)p->n + (size_t)in];
    if (*stopped || p->owner.ports[in].no_pause || !p->owner.ports[in].far)
        return;
    *stopped = true;
    struct pause_port *state = &p->ports[class * p->n + in];
    if (state->reasons++ == 0)
        pause_send(state);
}

bool emu_pause_admits(const struct emu_pause *p, int in, int out, const struct emu_frame *frame)
{
    if (!p->lossless || p->lossless >> frame->traffic_class & 1)
        return true;
    struct emu_level rest = {emu_frame_buffer_bytes(frame), 1};
    for (int c = 0; c < EMU_FRAME_CLASSES; c++) {
        struct emu_level level = p->lossless >> c & 1 ? (struct emu_level){0, 0} : pause_level(p, in, out, c);
        rest.bytes += level.bytes;
        rest.packets += level.packets;
    }
    return rest.bytes <= p->config.rest.bytes && rest.packets <= p->config.rest.packets;
}

/* Whoever sends into a congested buffer is stopped, also one that came late: else the others' rate could hold it
 * between xon and xoff for good, and those stopped first would starve. */
void emu_pause_entered(struct emu_pause *p, int in, int out, int class)
{
    const struct emu_pause_config *config = &p->config;
    if (p->lossless && !(p->lossless >> class & 1))
        return;
    class = p->lossless ? class : 0;
    int buffer = pause_buffer(p, in, out, class);
    if (!p->congested[buffer]) {
        struct emu_level level = pause_level(p, in, out, class);
        if (level.bytes < config->xoff.bytes && level.packets < config->xoff.packets)
            return;
        p->congested[buffer] = true;
        for (int i = 0; config->everybody && i < p->n; i++)
            pause_stop(p, buffer, i, class);
    }
    pause_stop(p, buffer, in, class);
}

void emu_pause_left(struct emu_pause *p, int in, int out, int class)
{
    const struct emu_pause_config *config = &p->config;
    class = p->lossless ? class : 0;
    int buffer = pause_buffer(p, in, out, class);
    if (!p->congested[buffer])
        return;
    struct emu_level level = pause_level(p, in, out, class);
    if (level.bytes > config->xon.bytes || level.packets > config->xon.packets)
        return;
    for (int i = 0; i < p->n; i++) {
        bool *stopped = &p->stopped[(size_t)buffer * (size_t)p->n + (size_t)i];
        if (!*stopped)
            continue;
        *stopped = false;
        struct pause_port *state = &p->ports[class * p->n + i];
        if (--state->reasons == 0)
            pause_send(state);
    }
    p->congested[buffer] = false;
}
