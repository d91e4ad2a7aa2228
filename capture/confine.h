/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/confine.h - a process gives up what it does not need, before and after it opens an interface:
 * whoever finds a fault in the reading of captures gets no more than that. See SECURITY.md. */
#pragma once

#include "base/error.h"

/* Keeps, of the capabilities there are, those that open a capture and an interface (CAP_DAC_READ_SEARCH, CAP_NET_RAW);
 * nothing executed later gets any. False and *err (ERROR_SYSTEM). */
bool capture_confine_begin(struct error *err);

/* No capability, and a filter of system calls: reading and writing what is open, sending on `socket` to where it is
 * bound, memory, time, signals to itself, and the end. Any other fails with EPERM. A kernel without filters goes
 * without. For good. False and *err (ERROR_SYSTEM). */
bool capture_confine(int socket, struct error *err);

/* For a process that reads an interface which is open now, and writes to what is open: who was made root by sudo is
 * again who called it (SUDO_UID, SUDO_GID), there are no capabilities and never new ones. `filter`: and system calls are
 * those of capture_confine(), and waiting for `socket`: none that opens a file. False and *err (ERROR_SYSTEM). */
bool capture_confine_live(bool filter, int socket, struct error *err);

/* For a server that listens now and opens no file any more: root is who called sudo again, or nobody (65534) where nobody
 * did; capabilities go as above; system calls are those of capture_confine(), those of TCP connections that others make,
 * and new sockets without a way to connect them. False and *err (ERROR_SYSTEM). */
bool capture_confine_server(struct error *err);
