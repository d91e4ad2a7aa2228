/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/veth.h - a network of this process's own on the system's kernel, and pairs of interfaces from there to
 * hosts.
 *
 * The namespaces end with the last process in them: nothing is left, however that ends. */
#pragma once

#include "base/error.h"

/* The process goes into a network namespace of its own; where it may not make one as it is, into a user namespace,
 * too, in which it is root. Returns a descriptor of the network namespace; -1 and *err, ERROR_SYSTEM, where the
 * system permits neither. */
int linux_veth_unshare(struct error *err);

/* Makes eth0 in the process's network namespace, and its other end in that of descriptor `home`, up. What leaves
 * eth0 is as on a wire: cut to the MTU, with checksums. Returns the other end's index there; -1 and errno. */
int linux_veth_add(int home, int number, const uint8_t mac[static 6]);

/* Returns how many frames interfaces of the process's network namespace have dropped in sending; -1 and errno. */
int64_t linux_veth_dropped(void);
