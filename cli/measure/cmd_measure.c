/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "capture/confine.h"
#include "capture/keep.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/measure/measure.h"
#include "cli/show.h"
#include "measure/client.h"
#include "measure/keep.h"
#include "measure/latency.h"
#include "measure/proof.h"
#include "measure/series.h"
#include "measure/server.h"
#include "measure/verdict.h"
#include "results/json.h"
#include "view/diagnosis.h"
#include "view/measured_page.h"

#define DEFAULT_TIME_S 30
#define BAR 8            /* characters: a line is shorter than 80 */
#define BIN_S 0.1        /* of the page's drawings, in a test of */
#define BINS_TIME_S 60.0 /* or less */

struct measure_options {
    bool json, quiet, terminal;
    const char *port, *token, *token_file, *directory, *report, *interface;
    double time_s;
    int64_t streams;
    const char *congestion;
    bool exit_zero;
    char token_text[MEASURE_PROOF_TOKEN_MOST + 1];
    json_t *list;        /* owned; a judged resource a test */
    struct outfile page; /* open with --report */
    struct capture_keep *headers; /* owned; with --interface */
    struct cli_check_answers answers;
};

/* A rate as a bar, of the most that either direction had. */
static const char *measure_bar(double rate_bps, double most_bps, char text[static BAR + 1])
{
    int n = most_bps > 0 ? (int)lround(BAR * fmin(1, rate_bps / most_bps)) : 0;
    memset(text, '#', (size_t)n);
    memset(text + n, '.', (size_t)(BAR - n));
    text[BAR] = '\0';
    return text;
}

static void measure_progress(void *user, const struct measure_progress *p)
{
    double *most_bps = user;
    char in[BAR + 1], out[BAR + 1];
    *most_bps = fmax(*most_bps, fmax(p->in_bps, p->out_bps));
    cli_progress("%zu in, %zu out: %2.0f of %.0f s, %-5s  in %s %7.2f  out %s %7.2f Mb/s", p->in, p->out, p->elapsed_s,
                 p->total_s, measure_kind_names[p->kind], measure_bar(p->in_bps, *most_bps, in), p->in_bps / 1e6,
                 measure_bar(p->out_bps, *most_bps, out), p->out_bps / 1e6);
}

static json_t *measure_way_json(const struct measure_summary_way *w, double pace_bps)
{
    const struct measure_way *m = &w->mean;
    if (m->flows == 0)
        return json_null();
    return results_json("flows:l rate_bps:o pace_bps:f rtt_s:f wait_s:f window_bytes:f busy:f rwnd_limited:f "
                        "sndbuf_limited:f retransmitted:f acks_bps:f", (int64_t)m->flows,
                        view_table_json_estimate(&w->rate_bps), pace_bps > 0 ? pace_bps : (double)NAN, m->rtt_s,
                        m->wait_s, m->window_bytes, m->busy, m->rwnd_limited, m->sndbuf_limited, m->retransmitted,
                        m->acks_bps);
}

static json_t *measure_summary_json(const struct measure_test *t, const struct measure_summary *s)
{
    json_t *kinds = json_object();
    for (int kind = 0; kind < MEASURE_KINDS; kind++) {
        bool paced = kind == MEASURE_PACED;
        json_object_set_new(kinds, measure_kind_names[kind],
                            results_json("in:o out:o", measure_way_json(&s->in[kind], paced ? s->pace_in_bps : 0),
                                         measure_way_json(&s->out[kind], paced ? s->pace_out_bps : 0)));
    }
    json_t *lost = results_json("in:o out:o total:o", view_table_json_estimate(&s->lost_in),
                                view_table_json_estimate(&s->lost_out), view_table_json_estimate(&s->lost));
    return results_json("in:l out:l streams:l took_s:f processor:f phases:o lost_share:o order_share:o transfer_s:f",
                        (int64_t)t->in, (int64_t)t->out, (int64_t)t->streams, t->took_s, s->processor, kinds, lost,
                        view_table_json_estimate(&s->order), s->transfer_s);
}

static void measure_table_row(struct view_table *t, const char *kind, const char *way,
                              const struct measure_summary_way *w)
{
    if (w->mean.flows == 0)
        return;
    view_table_add(t, "%s|%s|%f|%f|%.1f|%.1f|%.0f %%|%.0f %%", kind, way, w->rate_bps.value / 1e6,
                   w->rate_bps.ci95 / 1e6, w->mean.rtt_s * 1e3, w->mean.wait_s * 1e3,
                   100 * (w->mean.rwnd_limited + w->mean.sndbuf_limited), 100 * w->mean.retransmitted);
}

#define TABLE_TEXTS 2

static void measure_table(struct view_table *t, const struct measure_summary *s)
{
    *t = view_table_of("traffic|data|Mb/s|+-|round trip ms|queue ms|window-limited %|sent again %");
    for (int kind = 0; kind < MEASURE_KINDS; kind++) {
        measure_table_row(t, measure_kind_names[kind], "in", &s->in[kind]);
        measure_table_row(t, measure_kind_names[kind], "out", &s->out[kind]);
    }
}

static void measure_show(const char *source, const struct measure_summary *s, const struct analysis_resource *r)
{
    struct view_table t;
    view_diagnosis_print(stdout, source, r);
    measure_table(&t, s);
    view_table_print(&t, "  ", TABLE_TEXTS, stdout);
}

static void measure_page(struct measure_options *o, const char *source, const struct measure_test *t,
                         const struct measure_summary *s, const struct analysis_resource *r)
{
    struct view_measured_phase phase[MEASURE_PHASES];
    MEMORY_ENDS(measure_series_fini) struct measure_series series;
    struct view_table table;
    measure_series_of(t, BIN_S * fmax(1, t->took_s / BINS_TIME_S), &series);
    for (size_t i = 0; i < t->n; i++)
        phase[i] = (struct view_measured_phase){measure_kind_names[t->phase[i].kind],
                                                t->phase[i].from_s - series.zero_s, t->phase[i].to_s - series.zero_s};
    const struct view_measured m = {.servers = source, .resource = r, .phase = phase, .phases = t->n,
                                    .width_s = series.width_s, .n = series.n,
                                    .rate_bps = {series.rate_bps[0], series.rate_bps[1]},
                                    .wait_s = {series.wait_s[0], series.wait_s[1]}, .round_s = series.round_s,
                                    .idle_s = r->diagnosis.latency.idle.median_s};
    measure_table(&table, s);
    view_measured_page_add(o->page.stream, json_array_size(o->list), &m, &table, TABLE_TEXTS);
}

static bool measure_test(struct measure_options *o, const char *const *hosts, size_t in, size_t out, struct error *err)
{
    size_t n = in > out ? in : out;
    char source[256] = "", host[ANALYSIS_CHECK_NAME] = "";
    double most_bps = 0;
    struct measure_client c = {.host = hosts, .hosts = n, .port = o->port, .token = o->token_text,
                               .time_s = o->time_s, .streams = (size_t)o->streams, .congestion = o->congestion,
                               .user = &most_bps,
                               .progress = o->terminal ? measure_progress : NULL};
    MEMORY_LOCAL struct measure_test *t = memory_zeroed(1, sizeof *t, "a test");
    bool ok = measure_client_run(&c, in, out, t, err);
    if (o->terminal)
        cli_progress_clear();
    for (size_t h = 0; h < n; h++)
        text_add(source, sizeof source, "%s%s", h ? ", " : "", hosts[h]);
    if (gethostname(host, sizeof host - 1) != 0 || !*host)
        snprintf(host, sizeof host, "this");
    if (ok) {
        struct measure_summary s;
        struct analysis_resource r;
        measure_summary_settle(t, &s);
        measure_verdict_of(t, &s, host, hosts, &r);
        measure_latency_of(t, &r.diagnosis.latency);
        if (o->report)
            measure_page(o, source, t, &s, &r);
        json_t *json = cli_check_show_resource_json(source, false, &r);
        json_object_set_new(json, "measured", measure_summary_json(t, &s));
        json_array_append_new(o->list, json);
        cli_check_answers_add(&o->answers, &r);
        if (!o->json)
            measure_show(source, &s, &r);
        free(r.flows);
    }
    ok = ok && (!o->directory || measure_keep_write(o->directory, t, hosts, err));
    measure_test_fini(t);
    return ok;
}

bool cli_measure_keep(const char *directory, const char *name, const json_t *root, struct error *err)
{
    MEMORY_LOCAL char *path = memory_text("%s/%s", directory, name);
    struct outfile f = {0};
    bool ok = outfile_open(&f, path, err);
    if (ok) {
        json_dumpf(root, f.stream, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        fputs("\n", f.stream);
        ok = outfile_commit(&f, err);
    }
    return ok;
}

/* The interface first: opening it may take privileges, which are given up before any file is made. */
static bool measure_headers_begin(struct measure_options *o, struct error *err)
{
    if (o->interface)
        o->headers = capture_keep_begin(o->interface, o->port, o->directory, err);
    return !o->interface || (o->headers && capture_confine_live(false, -1, err));
}

static bool measure_headers_end(struct measure_options *o, struct error *err)
{
    int64_t frames, missed;
    if (!o->headers)
        return true;
    bool ok = capture_keep_end(o->headers, &frames, &missed, err);
    o->headers = NULL;
    if (ok)
        fprintf(stderr, "wrote %s/" CAPTURE_KEEP_FILE ", %" PRId64 " frames of %s\n", cli_name(o->directory), frames,
                cli_name(o->interface));
    if (ok && missed > 0)
        fprintf(stderr, "contraflow: %s: %" PRId64 " more frames are missing, for which the system had no room\n",
                cli_name(o->interface), missed);
    return ok;
}

/* One to one; of more servers also all in to one out, and one in to all out. */
static bool measure_tests(struct measure_options *o, const char *const *hosts, size_t n, struct error *err)
{
    return measure_headers_begin(o, err) && (!o->directory || outfile_make_directory(o->directory, err)) &&
           (!o->report || view_measured_page_open(&o->page, o->report, err)) && measure_test(o, hosts, 1, 1, err) &&
           (n == 1 || (measure_test(o, hosts, n, 1, err) && measure_test(o, hosts, 1, n, err)));
}

static bool measure_streams(const struct cli_option *option, const char *text, struct error *err)
{
    int64_t *n = option->to;
    return (units_parse_integer(text, n, err) && *n >= 1 && *n <= MEASURE_STREAMS) ||
           error_set(err, ERROR_INPUT, "--streams %s: a number from 1 to %d is wanted; try 4", text, MEASURE_STREAMS);
}

int cmd_measure(int argc, char **argv)
{
    struct measure_options o = {.port = MEASURE_SERVER_PORT, .time_s = DEFAULT_TIME_S, .streams = 1};
    struct error err = {0};
    if (argc > 1 && strcmp(argv[1], "serve") == 0)
        return cli_measure_serve(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "--study") == 0)
        return cli_measure_study(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--experiment") == 0)
        return cli_measure_experiment(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--mpi") == 0)
        return cli_mpi_measure(argc, argv);
    const struct cli_option options[] = {
        {"output", 'o', .text = &o.directory},
        {"report", 0, .text = &o.report},
        {"interface", 'i', .text = &o.interface},
        {"port", 0, .call = cli_measure_port, .to = &o.port, .least = 1},
        {"token", 0, .text = &o.token},
        {"token-file", 0, .text = &o.token_file},
        {"time", 0, .call = cli_measure_seconds, .to = &o.time_s},
        {"streams", 0, .call = measure_streams, .to = &o.streams},
        {"congestion", 0, .text = &o.congestion},
        {"exit-zero", 0, .flag = &o.exit_zero},
        {"json", 0, .flag = &o.json},
        {"quiet", 'q', .flag = &o.quiet},
        {0},
    };
    int at = cli_options_read("measure", argc, argv, options, &err);
    if (at == argc)
        error_set(&err, ERROR_INPUT, "measure: no server given; try 'contraflow measure --help'");
    else if (at > 0 && argc - at > MEASURE_HOSTS)
        error_set(&err, ERROR_INPUT, "measure: %d servers; %d at most are possible", argc - at, MEASURE_HOSTS);
    else if (at > 0 && !o.token && !o.token_file)
        error_set(&err, ERROR_INPUT, "measure: no --token or --token-file; 'contraflow measure serve' on the server "
                  "shows its own when it starts");
    else if (at > 0 && o.interface && !o.directory)
        error_set(&err, ERROR_INPUT, "measure: -i keeps headers in the directory of -o: give one");
    if (at <= 0 || err.code != ERROR_NONE || !measure_proof_choose(o.token, o.token_file, o.token_text, &err))
        return at ? cli_fail(&err) : 0;
    o.terminal = !o.quiet && isatty(STDERR_FILENO);
    o.list = json_array();
    cli_end_on_interrupt();
    bool ok = measure_tests(&o, (const char *const *)(argv + at), (size_t)(argc - at), &err);
    json_t *root = cli_json("measure:1", results_json("resources:o programs:o", o.list, json_array()));
    ok = ok && (!o.directory || cli_measure_keep(o.directory, "summary.json", root, &err)) &&
         (!o.report || view_measured_page_finish(&o.page, &err)) && measure_headers_end(&o, &err);
    capture_keep_discard(o.headers);
    outfile_discard(&o.page);
    if (!ok)
        outfile_unmake_directories();
    if (ok && o.report)
        fprintf(stderr, "wrote %s/report.html\n", cli_name(o.report));
    if (ok && o.json)
        cli_print_json(root);
    else
        json_decref(root);
    return !ok ? cli_fail(&err) : o.exit_zero ? 0 : cli_check_answers_status(&o.answers);
}
