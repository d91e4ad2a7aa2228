/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does a host of a capture lose bandwidth because ACKs wait behind data?
 *
 *   cc diagnosis.c -o diagnosis $(pkg-config --cflags --libs contraflow)
 *   ./diagnosis capture.pcap */
#include <analysis/rules/check_capture.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    struct contraflow_error err = {0};
    struct analysis_capture capture;
    struct analysis_resources hosts = {0};
    const struct analysis_resource *host;
    struct analysis_flows *flows = analysis_flows_new();
    analysis_flows_keep_explanations(flows);
    if (argc != 2 || !analysis_flows_read(flows, argv[1], NULL, NULL, &capture, &err)) {
        fprintf(stderr, "diagnosis: %s\n", argc == 2 ? err.message : "usage: diagnosis CAPTURE");
        return 2;
    }
    analysis_check_capture(flows, ANALYSIS_CHECK_TOLERANCE, NULL, &hosts);
    for (size_t i = 0; (host = analysis_resources_get(&hosts, i)); i++)
        printf("host %s: %s: %s\n", host->host, judge_answer_name(host->diagnosis.answer), host->diagnosis.why);
    analysis_resources_fini(&hosts);
    analysis_flows_free(flows);
    return 0;
}
