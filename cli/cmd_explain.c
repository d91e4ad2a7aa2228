/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "study/explain_both_ends.h"
#include "study/explain_run.h"
#include "study/pendulum.h"
#include "study/explanation.h"
#include "cli/read.h"
#include "view/table.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: contraflow explain FILE|DIR... [--json]\n"
    "       contraflow explain --both-ends FILE FILE [--json]\n\n"
    "Where the round trips of bulk TCP flows go, what their ACKs look like, and what holds them back: from a capture\n"
    "at one place.\n\n"
    "Columns\n"
    "  floor      round trip of the handshake: propagation, and what queues held then\n"
    "  data wait  mean time data waited beyond the least, on the way to the receiver, ms\n"
    "  ACK wait   the same for ACKs on the way back. TCP timestamps cut the round trip into legs at the tap: tap time\n"
    "             less the stamp of what passes, and stamp of the first echo less tap time. Clocks differ by a\n"
    "             constant, so a leg's wait is its mean less its minimum, less half a clock tick; at least that when\n"
    "             the flow, or what is captured of it, began behind somebody's backlog. Waits before the tap\n"
    "             count, too: Linux shows a sender's packets to tcpdump behind its queue, but stamps them in\n"
    "             front of it\n"
    "  ACK share  ACK wait / (floor + data wait + ACK wait)\n"
    "  compressed share of groups of ACKs in a row that came within 0.75 of the span they left in (xi, Paxson 1997,\n"
    "             15.4); a group has 3 ACKs, and more until it left over 100 us. When they left: beside the receiver\n"
    "             when their data passed, so that its own host and NIC show and queues beyond the tap do not; beside\n"
    "             the sender by their own timestamps, from one tick of the receiver's clock to another. Without\n"
    "             timestamps: share of bytes whose ACKs came faster than the flow's fastest bin by 1 / 0.75.\n"
    "             A symptom: where windows keep both queues busy it costs nothing (Heusse et al. 2011)\n"
    "  tap        beside the sender or the receiver: by the handshake's two halves; where they are too short, the\n"
    "             host that most flows share; for a lone flow, whether ACKs pass half a round trip after data\n"
    "  limit      loss: two loss events once settled; receiver: in flight is the offered window; window: in flight is\n"
    "             steady below it, as with a sender's buffer; application: idle in a tenth of its time; sender: in\n"
    "             flight still moves. Below the table phase by phase: stretches of the same limit, of at least an\n"
    "             eighth of the flow; between losses, whatever moves counts as loss\n"
    "Waits from and to the host that the capture is beside, over time: of outgoing data and incoming flows' ACKs, and\n"
    "the other way round. The share of time in which only one of the two is long, both or neither; their correlation;\n"
    "and, where they take turns, how often (data pendulum, Heusse et al. 2011). Long: a tick of the timestamps, 1 ms\n"
    "at least.\n\n"
    "For a run DIR, what it knows exactly instead: the mean time that each flow's data frames and pure ACKs waited\n"
    "between stacks (beyond what they take through empty queues), xi from when ACKs left the receiver's stack; and\n"
    "the queues that a flow's data and ACKs meet: the share of time in which exactly one, both or neither hold more\n"
    "than two frames, the correlation of their depths, and the period at which they take turns (data pendulum, Heusse\n"
    "et al. 2011). Against that, from captures of star.yaml and pendulum.yaml, ACKs first and not: ACK shares are off\n"
    "by 0.03 at most, compressed shares by 0.07 where the queue does not lie beyond the tap.\n\n";

static const char help_end[] =
    "      --json     {\"flows\": [...], \"simulated\": [...], \"queues\": [...]}, of both ends\n"
    "                 {\"both_ends\": [...], \"drift\": of the clocks, \"resolution_s\": [...]}; seconds; null when\n"
    "                 unknown\n\n"
    "  contraflow explain capture.pcap\n"
    "  contraflow explain --both-ends client.pcap server.pcap\n"
    "  contraflow check capture.pcap          which rule the rates obey\n"
    "  contraflow replay capture.pcap ...     what would have been otherwise\n\n"
    "Exit status: 0 done; 1 no bulk flow; 2 bad input; 3 the system failed.\n";

static void say(const struct study_explanation *e)
{
    char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT], text[STUDY_EXPLANATION_TEXT];
    analysis_flows_endpoint(&e->flow.src, e->flow.src_port, src);
    analysis_flows_endpoint(&e->flow.dst, e->flow.dst_port, dst);
    study_explanation_say(e, text);
    printf("  %s > %s: %s\n", src, dst, text);
    study_explanation_phases(e, text);
    if (*text)
        printf("    %s\n", text);
}

static void say_swing(const struct study_pendulum *swing)
{
    char text[STUDY_EXPLANATION_TEXT];
    study_pendulum_say(swing, text);
    printf("  %s\n", text);
}

static bool explain_file(const char *path, bool as_json, json_t *list, json_t *queues, size_t *n, struct error *err)
{
    struct analysis_capture capture;
    struct analysis_flows *f = cli_read_capture_explained(path, &capture, err);
    if (!f)
        return false;
    struct study_explanation *all = NULL;
    size_t bulk = 0;
    bool ok = study_explanation_bulk(f, &all, &bulk, err);
    struct view_table t;
    view_table_start(&t, study_explanation_head, STUDY_EXPLANATION_COLUMNS);
    for (size_t i = 0; ok && i < bulk; i++) {
        study_explanation_row(&t, &all[i]);
        if (as_json)
            json_array_append_new(list, study_explanation_json(path, &all[i]));
    }
    if (ok && !as_json && bulk > 0) {
        printf("%s%s\n", *n ? "\n" : "", path);
        ok = view_table_print(&t, "  ", 2, stdout, err);
        for (size_t i = 0; ok && i < bulk; i++)
            say(&all[i]);
    } else {
        view_table_fini(&t);
    }
    struct study_pendulum swing = {0};
    ok = ok && study_pendulum_make(f, all, bulk, &swing, err);
    if (swing.known && as_json)
        json_array_append_new(queues, study_pendulum_json(path, &swing));
    else if (swing.known)
        say_swing(&swing);
    if (ok && bulk == 0)
        fprintf(stderr, "contraflow: %s: no bulk TCP flow\n", path);
    *n += bulk;
    free(all);
    analysis_flows_free(f);
    return ok;
}

int cmd_explain(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'},
        {"both-ends", no_argument, NULL, 'b'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct error err = {0};
    bool as_json = false, both_ends = false;
    size_t n = 0;
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'h') {
            printf("%s%s%s", help, study_explain_both_ends_help, help_end);
            return 0;
        }
        if (option != 'j' && option != 'b') {
            fputs("contraflow: 'contraflow explain --help' lists the options\n", stderr);
            return ERROR_INPUT;
        }
        as_json |= option == 'j';
        both_ends |= option == 'b';
    }
    if (optind == argc) {
        error_set(&err, ERROR_INPUT, "explain: no file given; see 'contraflow explain --help'");
        return cli_fail(&err);
    }
    if (both_ends && argc - optind != 2) {
        error_set(&err, ERROR_INPUT, "explain --both-ends: %d files given; it takes two, a capture beside either end",
                  argc - optind);
        return cli_fail(&err);
    }
    if (both_ends)
        return !study_explain_both_ends((const char *[]){argv[optind], argv[optind + 1]}, as_json, &n, &err)
                   ? cli_fail(&err)
                   : n == 0;
    json_t *list = json_array(), *simulated = json_array(), *queues = json_array();
    bool ok = true;
    for (int i = optind; ok && i < argc; i++) {
        struct stat st;
        bool directory = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode);
        ok = directory ? study_explain_run(argv[i], as_json, simulated, queues, &n, &err)
                       : explain_file(argv[i], as_json, list, queues, &n, &err);
    }
    if (ok && as_json) {
        json_t *all = json_pack("{s:O, s:O, s:O}", "flows", list, "simulated", simulated, "queues", queues);
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        putchar('\n');
        json_decref(all);
    }
    json_decref(list);
    json_decref(simulated);
    json_decref(queues);
    return !ok ? cli_fail(&err) : n == 0;
}
