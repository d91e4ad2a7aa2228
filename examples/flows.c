/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flows of a capture, with the headers of the rooms:
 *
 *   cc flows.c -o flows $(pkg-config --cflags --libs contraflow)
 *   ./flows capture.pcap */
#include <analysis/flows/flows.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct contraflow_error err = {0};
    struct analysis_capture capture;
    struct analysis_flows *flows = analysis_flows_new();
    if (argc != 2 || !analysis_flows_read(flows, argv[1], NULL, NULL, &capture, &err)) {
        fprintf(stderr, "flows: %s\n", argc == 2 ? err.message : "usage: flows CAPTURE");
        return 2;
    }
    for (size_t i = 0; i < analysis_flows_slots(flows); i++) {
        struct analysis_flow flow;
        char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
        if (!analysis_flows_get(flows, i, &flow))
            continue; /* a direction without data */
        analysis_flows_endpoint(&flow.src, flow.src_port, src);
        analysis_flows_endpoint(&flow.dst, flow.dst_port, dst);
        if (isfinite(flow.steady_goodput_bps.ci95))
            printf("%s > %s: %.2f Mb/s +- %.2f\n", src, dst, flow.steady_goodput_bps.value / 1e6,
                   flow.steady_goodput_bps.ci95 / 1e6);
        else if (isfinite(flow.steady_goodput_bps.value))
            printf("%s > %s: %.2f Mb/s\n", src, dst, flow.steady_goodput_bps.value / 1e6);
        else /* too short for a rate, as a control connection is */
            printf("%s > %s: %" PRId64 " B\n", src, dst, flow.payload_bytes);
    }
    analysis_flows_free(flows);
    return 0;
}
