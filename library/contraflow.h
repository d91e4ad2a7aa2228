/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library/contraflow.h - contraflow as a library, for programs in any language: text in, text out.
 *
 * These functions keep their meaning and their ABI as long as the library's soname is the same. Programs in C may
 * include the headers of the rooms beside it, too (analysis/flows/flows.h, ...): those go with one version of the library.
 *
 * A function that fails says why in one line, as the program does after "contraflow: ". No function prints, none exits
 * but for want of memory, and none may be called by two threads at once. */
#ifndef LIBRARY_CONTRAFLOW_H
#define LIBRARY_CONTRAFLOW_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONTRAFLOW_WHY 512 /* room for the line, its NUL included */

/* "0.1.0" */
const char *contraflow_version(void);

/* The bulk flows and others of a capture (pcap, pcapng; gzip, xz, Zstandard) as a JSON array, by start: objects with
 * "src", "dst" (address:port), "payload_bytes", "start_s", "end_s" (since the first frame), "goodput_bps",
 * "steady_goodput_bps", "steady_ci95_bps" (half the width of a 95 % interval), "retransmitted_segments" and
 * "loss_events". Rates are unique TCP payload in bit/s; null is unknown. For contraflow_free(). NULL and why. */
char *contraflow_flows(const char *path, char why[CONTRAFLOW_WHY]);

/* What `contraflow check` says of a capture, a run's directory or a directory of runs, as a JSON array: an object a
 * host, with "source", "host" and its "diagnosis" as `contraflow help check` defines it. For contraflow_free(). NULL and
 * why. */
char *contraflow_diagnose(const char *path, char why[CONTRAFLOW_WHY]);

/* Emulates a scenario, given as YAML (`contraflow run --keys`), on the native engine, and leaves what `contraflow run`
 * leaves in the directory, which is made where need be. A scenario that starts programs is refused. False and why. */
bool contraflow_emulate(const char *scenario, const char *directory, char why[CONTRAFLOW_WHY]);

void contraflow_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
