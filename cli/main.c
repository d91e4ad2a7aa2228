/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"

#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} subcommands[] = {
    {"run", cmd_run, "emulate a scenario, write captures and flow rates"},
    {"sweep", cmd_sweep, "run a scenario at every point of a grid, into one SQLite file"},
    {"analyze", cmd_analyze, "per-flow goodput, losses and windows from pcap files; a report as HTML"},
    {"check", cmd_check, "judge a run or a pcap: fairness, delta_max rule, window law, or losses"},
    {"fit", cmd_fit, "which rule a whole sweep obeys, and with which bandwidth: forms fitted and compared"},
    {"report", cmd_report, "a page with the paper's figures drawn from sweeps, beside what the paper measured"},
    {"explain", cmd_explain, "where round trips go, what ACKs look like, what limits a flow: from a pcap"},
    {"predict", cmd_predict, "rates and completion times of a pattern by model; exchanges; losses"},
    {"replay", cmd_replay, "play a capture through an emulated network or port, and ask what if"},
    {"plot", cmd_plot, "draw a run: bandwidth against the rules, queue depth over time"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static void main_usage(FILE *f)
{
    fputs("contraflow - why TCP loses bandwidth when data flows both ways over full-duplex Ethernet\n\n"
          "usage: contraflow COMMAND [ARGUMENTS]\n\n",
          f);
    for (int i = 0; i < SUBCOMMANDS; i++)
        fprintf(f, "  %-10s%s\n", subcommands[i].name, subcommands[i].summary);
    fputs("\n"
          "  contraflow run scenarios/star.yaml -o star --set traffic.star.incoming=3\n"
          "  contraflow check star                 which rule the emulated rates follow\n"
          "  contraflow check capture.pcap         the same from a real capture\n\n"
          "'contraflow COMMAND --help' tells more. Exit status: 0 done; 1 the work ran and its answer\n"
          "is no; 2 bad input or usage; 3 the system failed (disk, memory, permission, engine).\n",
          f);
}

int main(int argc, char **argv)
{
    gsl_set_error_handler_off();
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is a failed write with a message, not a death */
    if (argc < 2) {
        main_usage(stderr);
        return ERROR_INPUT;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        main_usage(stdout);
        return 0;
    }
    if (strcmp(name, "--version") == 0) {
        puts("contraflow " CONTRAFLOW_VERSION);
        return 0;
    }
    for (int i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(name, subcommands[i].name) == 0)
            return cli_finish(subcommands[i].run(argc - 1, argv + 1));
    fprintf(stderr, "contraflow: unknown command '%s'; commands are", name);
    for (int i = 0; i < SUBCOMMANDS; i++)
        fprintf(stderr, "%s %s", i ? "," : "", subcommands[i].name);
    fputs("\n", stderr);
    return ERROR_INPUT;
}
