/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/measure/probe.h - pulses of load while an interface is captured: --probe of check. */
#ifndef CLI_MEASURE_PROBE_H
#define CLI_MEASURE_PROBE_H

#include "analysis/pulses.h"
#include "cli/options.h"
#include "measure/proof.h"

#include <netdb.h>

struct cli_probe {
    char host[NI_MAXHOST], port[8]; /* a numeric address */
    struct analysis_probe at;       /* port 0: there is none */
    int pipe;                       /* from the process that sends them, where one does */
    struct error err;               /* why it could not */
};

/* --probe HOST[:PORT], HOST a name, an address, or [an address of IPv6]; `to`: a struct cli_probe. */
cli_options_call cli_probe_option;

/* Begins to send them, in a process of its own without privileges that ends with us. Before anything is captured. */
bool cli_probe_begin(struct cli_probe *p, const char *token, struct error *err);

/* Is it done? If it failed p->err says why. Never waits. */
bool cli_probe_done(struct cli_probe *p);

#endif
