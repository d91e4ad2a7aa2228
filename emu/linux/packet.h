/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/packet.h - a frame that a stack of the kernel inside has sent: bytes, and what they say of its flow. */
#pragma once

#include "emu/engine.h"

struct linux_packet {
    int references;
    uint32_t flow;       /* as emu_frame_ops' */
    uint32_t sequence;   /* TCP's */
    uint32_t slot;       /* that the kernel holds it in */
    uint32_t acknowledgement;
    bool held, tcp, syn, fin, rst, acknowledges;
    uint16_t data_bytes; /* TCP payload */
    uint16_t from_port, to_port;
    uint32_t bytes;      /* from the Ethernet header on */
    int64_t late_ps, due_ps; /* wall time: it came so late to its NIC; its host should get it then */
    struct linux_packet *next; /* while it is free */
    uint8_t frame[];
};

/* Copies a frame of at least an Ethernet header; `frame` gets what the network needs to know. */
struct linux_packet *linux_packet_new(const uint8_t *bytes, uint32_t n, struct emu_frame *frame);
void linux_packet_release(struct linux_packet *p);
void linux_packet_free_all(void); /* those released */

/* Counts a data segment that a stack hands to its NIC, and one that it did before. *next: after the highest byte so far. */
void linux_packet_count(const struct linux_packet *p, uint32_t *next, struct emu_flow_stats *stats);

/* Its first n bytes are these now. */
void linux_packet_rewrite(struct linux_packet *p, const uint8_t *head, uint32_t n);

extern const struct emu_frame_ops linux_packet_ops;
