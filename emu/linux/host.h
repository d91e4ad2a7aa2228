/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/host.h - hosts as network namespaces of a kernel: an interface, routes, neighbours, sysctls. */
#pragma once

#include "emu/linux/step.h"

struct linux_host {
    int number, nic;
    int namespace; /* descriptor, as netlink */
    int netlink;
    int64_t mtu;
    int64_t buffer_bytes; /* that autotuning may reach; 0: nobody asked */
    bool hold; /* frames are their sender's until the engine says that they have left */
};

/* What connections to another host begin with. */
struct linux_route {
    uint32_t initial_window_segments;
    uint32_t min_rto_ms;
    bool quickack; /* every segment is acknowledged at once */
    uint32_t segment_bytes; /* at most, TCP's timestamps in it; 0: as many as fit */
};

/* Makes host `number` with an interface eth0. The process is in its namespace then. ERROR_SYSTEM. */
bool linux_host_open(struct linux_host *h, int number, const struct linux_step *step, struct error *err);
void linux_host_close(struct linux_host *h);

/* In the process's namespace. */
bool linux_interface_up(const char *name);

/* The process goes into the host's namespace: sockets are made there from then on. */
bool linux_host_enter(const struct linux_host *h, struct error *err);

/* In the host's namespace: frames of so many payload bytes fit. */
bool linux_host_fit(struct linux_host *h, int64_t mtu, struct error *err);

/* In the host's namespace: TCP hands over a segment at a time, no bursts. */
bool linux_host_no_gso(const struct linux_host *h, struct error *err);

/* A host's small queues. */
bool linux_host_hold(struct linux_host *h, int device, struct error *err);

/* A permanent neighbour and the route to it. */
bool linux_host_route(const struct linux_host *h, int to, const struct linux_route *route, struct error *err);

/* Writes a word to such a file as below. */
bool linux_host_write(const char *path, const char *text, struct error *err);

/* Writes a number to a file below /proc/sys or /sys; of /proc/sys/net in the process's namespace. */
bool linux_host_set(const char *path, int64_t value, struct error *err);

/* The same for a sysctl of three numbers. */
bool linux_host_set3(const char *path, const int64_t value[static 3], struct error *err);
