/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/pause.h"

#include "base/memory.h"

#include <stdlib.h>

/* What PAUSE means to a port. */
struct pause_port {
    struct emu_pause *pause; /* borrowed */
    int index;
    int reasons;      /* buffers that keep it stopped */
    int64_t until_ps; /* it stays stopped by what it was last told */
    bool repeating;   /* an event to repeat it is pending */
};

struct emu_pause {
    struct emu_pause_config config;
    struct emu_pause_owner owner;
    struct pause_port *ports; /* owned */
    bool *stopped;            /* owned; [buffer * n + in]: that buffer keeps that port stopped */
    bool *congested;          /* owned; by buffer: it was at xoff, and has not been at xon since */
    int n, buffers;           /* ports; buffers that can fill up: outputs, one pool, or inputs */
};

static void pause_room(void *user, struct emu_port *port);

struct emu_pause *emu_pause_new(const struct emu_pause_config *config, const struct emu_pause_owner *owner)
{
    struct emu_pause *p = memory_zeroed(1, sizeof *p, "PAUSE");
    p->config = *config;
    p->owner = *owner;
    p->n = owner->n_ports;
    p->buffers = owner->place == EMU_ARCHITECTURE_IN_POOL ? 1 : p->n;
    p->ports = memory_zeroed((size_t)p->n, sizeof *p->ports, "PAUSE");
    p->congested = memory_zeroed((size_t)p->buffers, sizeof *p->congested, "PAUSE");
    p->stopped = memory_zeroed((size_t)p->buffers * (size_t)p->n, sizeof *p->stopped, "PAUSE");
    for (int i = 0; i < p->n; i++) {
        p->ports[i] = (struct pause_port){.pause = p, .index = i};
        emu_port_make_eager(&owner->ports[i]);
        if (owner->place != EMU_ARCHITECTURE_AT_INPUTS)
            owner->ports[i].room = (struct emu_port_room){pause_room, p};
    }
    return p;
}

void emu_pause_free(struct emu_pause *p)
{
    if (p) {
        free(p->ports);
        free(p->stopped);
        free(p->congested);
    }
    free(p);
}

static int pause_buffer(const struct emu_pause *p, int in, int out)
{
    const int buffers[] = {
        [EMU_ARCHITECTURE_AT_OUTPUTS] = out,
        [EMU_ARCHITECTURE_IN_POOL] = 0,
        [EMU_ARCHITECTURE_AT_INPUTS] = in,
    };
    return buffers[p->owner.place];
}

static void pause_send(struct emu_pause *p, int in);

/* Half of the time it was told to stop for is over. */
static void pause_repeat(void *arg)
{
    struct pause_port *port = arg;
    port->repeating = false;
    if (port->reasons > 0)
        pause_send(port->pause, port->index);
}

static void pause_send(struct emu_pause *p, int in)
{
    struct emu_port *port = &p->owner.ports[in];
    struct pause_port *state = &p->ports[in];
    uint16_t quanta = state->reasons > 0 ? p->config.quanta : 0;
    emu_port_send_pause(port, quanta);
    if (quanta == 0 || state->repeating)
        return;
    state->repeating = true;
    int64_t stop_ps = quanta * emu_port_wire_ps(&port->link, EMU_PORT_QUANTUM_BITS / 8);
    emu_clock_schedule(&p->owner.clock, stop_ps / 2, pause_repeat, state);
}

static void pause_stop(struct emu_pause *p, int buffer, int in)
{
    bool *stopped = &p->stopped[(size_t)buffer * (size_t)p->n + (size_t)in];
    if (*stopped || p->owner.ports[in].no_pause || !p->owner.ports[in].far)
        return;
    *stopped = true;
    if (p->ports[in].reasons++ == 0)
        pause_send(p, in);
}

/* Whoever sends into a congested buffer is stopped, also one that came late: else the others' rate could hold it
 * between xon and xoff for good, and those stopped first would starve. */
void emu_pause_entered(struct emu_pause *p, int in, int out)
{
    const struct emu_pause_config *config = &p->config;
    int buffer = pause_buffer(p, in, out);
    if (!p->congested[buffer]) {
        struct emu_level level = p->owner.level(p->owner.user, in, out);
        if (level.bytes < config->xoff.bytes && level.packets < config->xoff.packets)
            return;
        p->congested[buffer] = true;
        for (int i = 0; config->everybody && i < p->n; i++)
            pause_stop(p, buffer, i);
    }
    pause_stop(p, buffer, in);
}

void emu_pause_left(struct emu_pause *p, int in, int out)
{
    const struct emu_pause_config *config = &p->config;
    int buffer = pause_buffer(p, in, out);
    if (!p->congested[buffer])
        return;
    struct emu_level level = p->owner.level(p->owner.user, in, out);
    if (level.bytes > config->xon.bytes || level.packets > config->xon.packets)
        return;
    for (int i = 0; i < p->n; i++) {
        bool *stopped = &p->stopped[(size_t)buffer * (size_t)p->n + (size_t)i];
        if (!*stopped)
            continue;
        *stopped = false;
        if (--p->ports[i].reasons == 0)
            pause_send(p, i);
    }
    p->congested[buffer] = false;
}

static void pause_room(void *user, struct emu_port *port)
{
    emu_pause_left(user, port->index, port->index);
}
