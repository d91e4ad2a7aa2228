/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/reading.h - what this host says of its own network interfaces, to anybody: no root is needed. */
#pragma once

#include "base/std.h"

#define MEASURE_READING_NAME 16
#define MEASURE_READING_MOST 16

/* -1 where the interface does not say. */
struct measure_reading {
    char name[MEASURE_READING_NAME];
    int64_t rate_bps;                /* of its link */
    int64_t rx_usecs, rx_frames, adaptive; /* ethtool -c */
    int64_t ring, ring_most;         /* ethtool -g, rx */
    int64_t gro, lro, gso, tso;      /* ethtool -k: 0 or 1 */
    int64_t pause_rx, pause_tx;      /* ethtool -a */
    int64_t pause_frames;            /* all counters of ethtool -S that have pause, xon or xoff in their names */
    int64_t processors;              /* that have had an interrupt of it (/proc/interrupts) */
};

/* Interfaces that are up, but for lo. Returns how many. */
size_t measure_reading_all(struct measure_reading list[static MEASURE_READING_MOST]);

/* PAUSE frames that all of them have counted; -1: none says. */
double measure_reading_pauses(void);

/* TCP's counters of this host since it began: segments that were sent again or came out of order, and all that were sent
 * or came (/proc/net/snmp, /proc/net/netstat). False where the system does not say. */
struct measure_reading_segments {
    double again, all;
};
bool measure_reading_tcp(struct measure_reading_segments *s);

/* A counter of such a file's text, whose lines of names and of numbers begin with `group`; -1: it is not there. */
double measure_reading_counter(const char *text, const char *group, const char *name);

/* For tests: how many columns of /proc/interrupts, read as text, have had one that names the interface; -1: none names
 * it. */
int64_t measure_reading_processors(const char *interrupts, const char *name);
