/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/netlink.h - messages for rtnetlink(7): a header, the family's struct, attributes; and netdevice(7). */
#pragma once

#include "base/std.h"

#include <linux/netlink.h>
#include <net/if.h>

struct linux_netlink {
    struct nlmsghdr head;
    char rest[256];
};

/* A request of `type` that makes or replaces something, with the family's struct. */
struct linux_netlink linux_netlink_new(uint16_t type, const void *family, size_t bytes);

/* Adds an attribute. */
void linux_netlink_add(struct linux_netlink *m, unsigned short type, const void *data, size_t bytes);

/* Begins an attribute that holds data, and those added until linux_netlink_end() gets what this returns. */
size_t linux_netlink_begin(struct linux_netlink *m, unsigned short type, const void *data, size_t bytes);
void linux_netlink_end(struct linux_netlink *m, size_t begun);

/* Sends it and reads the answer, whose error becomes errno. */
bool linux_netlink_ask(int fd, const struct linux_netlink *m);

/* An ioctl of netdevice(7) about an interface of the process's namespace, whose name *r gets. False and errno. */
bool linux_interface_ioctl(const char *name, unsigned long request, struct ifreq *r);
