/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/switch.h"

#include <stdio.h>
#include <stdlib.h>

static void *switch_allocate(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) {
        fputs("contraflow: out of memory for a switch\n", stderr);
        abort();
    }
    return p;
}

int emu_switch_lookup(const struct emu_switch *s, uint32_t station)
{
    return station < s->stations ? s->port_of[station] : -1;
}

/* Stations are host numbers: a table of them all is small. */
static void switch_grow(struct emu_switch *s, uint32_t station)
{
    uint32_t stations = s->stations ? s->stations : 16;
    while (stations <= station)
        stations *= 2;
    int *port_of = switch_allocate(stations, sizeof *port_of);
    for (uint32_t i = 0; i < stations; i++)
        port_of[i] = i < s->stations ? s->port_of[i] : -1;
    free(s->port_of);
    s->port_of = port_of;
    s->stations = stations;
}

static void switch_receive(void *owner, int index, const struct emu_frame *frame)
{
    struct emu_switch *s = owner;
    if (frame->src >= s->stations)
        switch_grow(s, frame->src);
    s->port_of[frame->src] = index;
    int out = emu_switch_lookup(s, frame->dst);
    if (out == index) {
        s->filtered++; /* its destination shares the segment it came from */
        s->ops->release(frame->packet);
        return;
    }
    if (out >= 0) {
        s->forwarded++;
        emu_port_send(&s->ports[out], frame);
        return;
    }
    s->flooded++;
    for (int i = 0; i < s->n_ports; i++) {
        if (i == index || !s->ports[i].far)
            continue;
        struct emu_frame copy = *frame;
        copy.packet = s->ops->share(frame->packet);
        emu_port_send(&s->ports[i], &copy);
    }
    s->ops->release(frame->packet);
}

void emu_switch_init(struct emu_switch *s, const char *name, int n_ports, const struct emu_clock *clock,
                     const struct emu_frame_ops *ops, const struct emu_queue_config *queue)
{
    *s = (struct emu_switch){.n_ports = n_ports, .ops = ops};
    s->ports = switch_allocate((size_t)n_ports, sizeof *s->ports);
    for (int i = 0; i < n_ports; i++) {
        char port_name[EMU_PORT_NAME];
        snprintf(port_name, sizeof port_name, "%.16s-%d", name, i);
        emu_port_init(&s->ports[i], port_name, clock, ops, queue);
        s->ports[i].receive = switch_receive;
        s->ports[i].owner = s;
        s->ports[i].index = i;
    }
}

void emu_switch_fini(struct emu_switch *s)
{
    for (int i = 0; i < s->n_ports; i++)
        emu_port_fini(&s->ports[i]);
    free(s->ports);
    free(s->port_of);
    *s = (struct emu_switch){0};
}
