/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capture/keep.h - headers of one TCP port are kept in a file, as they pass an interface, while we do something else.
 *
 * Frames are taken by a process of its own: whoever measures at the same time shares no loop and no processor time with
 * it. It ends with us, however we end. */
#pragma once

#include "base/error.h"

#define CAPTURE_KEEP_FILE "headers.pcap"

struct capture_keep; /* opaque */

/* Opens the interface, as capture/live.h does, and then DIRECTORY/headers.pcap, which is made with what is missing of
 * its directory. The other process has the privileges no more that opening took (capture/confine.h): ours are given up by
 * whoever calls. `port` NULL: all of TCP. Before threads begin. NULL and *err: the interface is not there or may not be read, or the file cannot be written. */
struct capture_keep *capture_keep_begin(const char *interface, const char *port, const char *directory,
                                        struct error *err);

/* Frees, and has the file appear under its name. *frames are in it, *missed passed when the system had no room for
 * them.
 * False and *err when the interface went away or the disk is full: there is no file then. */
bool capture_keep_end(struct capture_keep *k, int64_t *frames, int64_t *missed, struct error *err);

/* Frees, and leaves no file. Safe on NULL. */
void capture_keep_discard(struct capture_keep *k);
