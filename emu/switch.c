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

static size_t switch_slot(const struct emu_switch *s, uint64_t address)
{
    size_t i = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->table_capacity - 1);
    while (s->table[i].address && s->table[i].address != address)
        i = (i + 1) & (s->table_capacity - 1);
    return i;
}

int emu_switch_lookup(const struct emu_switch *s, uint64_t address)
{
    const struct emu_switch_entry *e = &s->table[switch_slot(s, address)];
    return e->address ? e->port : -1;
}

static void switch_learn(struct emu_switch *s, uint64_t address, int port)
{
    if (address == 0)
        return; /* no host has it, and it marks a free entry */
    struct emu_switch_entry *e = &s->table[switch_slot(s, address)];
    if (!e->address && 2 * (s->table_used + 1) > s->table_capacity) {
        struct emu_switch_entry *old = s->table;
        size_t n = s->table_capacity;
        s->table_capacity = 2 * n;
        s->table = switch_allocate(s->table_capacity, sizeof *s->table);
        for (size_t i = 0; i < n; i++)
            if (old[i].address)
                s->table[switch_slot(s, old[i].address)] = old[i];
        free(old);
        e = &s->table[switch_slot(s, address)];
    }
    s->table_used += !e->address;
    *e = (struct emu_switch_entry){address, port};
}

static void switch_receive(void *owner, int index, const struct emu_frame *frame)
{
    struct emu_switch *s = owner;
    bool source_is_group = frame->src >> 40 & 1;
    if (!source_is_group)
        switch_learn(s, frame->src, index);
    bool group = frame->dst >> 40 & 1;
    int out = group ? -1 : emu_switch_lookup(s, frame->dst);
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
    *s = (struct emu_switch){.n_ports = n_ports, .ops = ops, .table_capacity = 64};
    s->ports = switch_allocate((size_t)n_ports, sizeof *s->ports);
    s->table = switch_allocate(s->table_capacity, sizeof *s->table);
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
    free(s->table);
    *s = (struct emu_switch){0};
}
