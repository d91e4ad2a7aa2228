/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/measure/probe.h - pulses of load while an interface is captured: --probe of check. */
#ifndef CLI_MEASURE_PROBE_H
#define CLI_MEASURE_PROBE_H

#include "analysis/pulses.h"
#include "cli/options.h"

#include <netdb.h>

struct cli_probe {
    char host[NI_MAXHOST], port[8]; /* a numeric address */
    struct analysis_probe at;
};

/* --probe HOST[:PORT], HOST a name, an address, or [an address of IPv6]; `to`: a struct cli_probe. */
cli_options_call cli_probe_option;

#endif
