/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contraflow measure --mpi, as processes of mpirun: the first has the options, the table and the file. */
#include "base/outfile.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/measure/measure.h"
#include "measure/mpi.h"
#include "results/json.h"
#include "view/table.h"

#define DEFAULT_BYTES 10000000 /* the paper's least */
#define DEFAULT_TIME_S 60
#define FLOW_NAME 32
#define WIRE (1538.0 / 1448)   /* bytes on the wire for one of payload, with timestamps, at an MTU of 1500 */

struct mpi_options {
    const char *output, *degrees;
    bool mpi, study, json, quiet, terminal;
    double until_s;
    struct measure_mpi_repeat repeat;
};

/* What was measured of a pattern. */
struct mpi_row {
    struct measure_degrees d;
    struct measure_degrees_flow *flows; /* owned; out first */
    struct estimate_running *times_s;   /* owned; a flow each, as the windows */
    double *windows_bytes;              /* owned; 0 unknown */
};

struct mpi_table {
    const struct mpi_options *o;
    const struct measure_mpi *m;
    struct mpi_row *rows; /* owned */
    size_t n, done;
};

static double row_rate_bps(const struct mpi_table *t, const struct mpi_row *r, size_t flow)
{
    return 8.0 * t->o->repeat.bytes / r->times_s[flow].mean;
}

static struct estimate row_flow_bps(const struct mpi_table *t, const struct mpi_row *r, size_t flow)
{
    struct estimate time_s = estimate_of(&r->times_s[flow]);
    double rate_bps = row_rate_bps(t, r, flow);
    return (struct estimate){rate_bps, rate_bps * time_s.std_error / time_s.value,
                             rate_bps * time_s.ci95 / time_s.value};
}

/* The mean of the flows of one direction with its 95 % interval, flows taken as independent; NAN without any. */
static struct estimate row_mean(const struct mpi_table *t, const struct mpi_row *r, bool in)
{
    size_t first = in ? r->d.out : 0, n = in ? r->d.in : r->d.out;
    struct estimate e = {.value = 0};
    for (size_t i = first; i < first + n; i++) {
        struct estimate flow_bps = row_flow_bps(t, r, i);
        e.value += flow_bps.value / (double)n;
        e.ci95 = hypot(e.ci95, flow_bps.ci95 / (double)n);
    }
    return n ? e : (struct estimate){(double)NAN, (double)NAN, (double)NAN};
}

static void table_heard(void *user)
{
    const struct mpi_table *t = user;
    const struct mpi_row *r = &t->rows[t->done];
    struct estimate in = row_mean(t, r, true), out = row_mean(t, r, false);
    if (t->o->terminal)
        cli_progress("pattern %zu of %zu, %zu in, %zu out: %zu messages, %.2f Mb/s in, %.2f out", t->done + 1, t->n,
                     r->d.in, r->d.out, r->times_s[0].n, fmax(in.value, 0) / 1e6, fmax(out.value, 0) / 1e6);
}

/* Where no terminal shows progress, a line a pattern; mpirun makes such a place of everything. */
static void table_log(const struct mpi_table *t)
{
    const struct mpi_row *r = &t->rows[t->done];
    if (t->o->terminal)
        cli_progress_clear();
    else if (!t->o->quiet)
        fprintf(stderr, "contraflow: pattern %zu of %zu, %zu in, %zu out: %zu messages\n", t->done + 1, t->n, r->d.in,
                r->d.out, r->times_s[0].n);
}

/* out1, out2, ..., in1, ... */
static void row_flow_name(const struct mpi_row *r, size_t flow, char name[static FLOW_NAME])
{
    bool in = flow >= r->d.out;
    snprintf(name, FLOW_NAME, "%s%zu", in ? "in" : "out", in ? flow - r->d.out + 1 : flow + 1);
}

static void table_write(const struct mpi_table *t, FILE *f)
{
    const struct mpi_row *r = &t->rows[t->done];
    for (size_t i = 0; i < r->d.in + r->d.out; i++) {
        char name[FLOW_NAME];
        struct estimate bps = row_flow_bps(t, r, i);
        row_flow_name(r, i, name);
        fprintf(f, "%s,%s,%s,%zu/%zu,%.0f", t->m->names[r->flows[i].from], t->m->names[r->flows[i].to], name, r->d.in,
                r->d.out, bps.value);
        fputc(',', f);
        if (isfinite(bps.std_error)) /* Never 0: the rate is rounded to whole bits per second. */
            fprintf(f, "%.6g", fmax(bps.std_error, 0.5) / bps.value);
        fputc(',', f);
        if (r->windows_bytes[i] > 0)
            fprintf(f, "%.0f", r->windows_bytes[i]);
        fputc('\n', f);
    }
}

static void table_print(const struct mpi_table *t)
{
    size_t wide = 0;
    printf("%zu patterns of messages of %d bytes, in to and out of %s\n", t->n, t->o->repeat.bytes, t->m->names[0]);
    struct view_table v = view_table_of("in/out|in Mb/s|+-|out Mb/s|+-|messages");
    for (size_t i = 0; i < t->n; i++) {
        const struct mpi_row *r = &t->rows[i];
        view_table_add(&v, "%zu/%zu", r->d.in, r->d.out);
        for (int in = 1; in >= 0; in--) {
            struct estimate e = row_mean(t, r, in);
            view_table_add(&v, "%f|%f", e.value / 1e6, e.ci95 / 1e6);
        }
        view_table_add(&v, "%zu", r->times_s[0].n);
        wide += !measure_mpi_precise(r->times_s, r->d.in + r->d.out);
    }
    view_table_print(&v, "  ", 1, stdout);
    if (wide > 0)
        printf("  %zu of them ended before every mean time's 95 %% interval was 2 %% of it wide: --time lets them go on\n",
               wide);
}

/* What one direction carries at most, all flows together. */
static double table_most_bps(const struct mpi_table *t)
{
    double most_bps = 0;
    for (size_t i = 0; i < t->n; i++) {
        double way_bps[2] = {0};
        for (size_t k = 0; k < t->rows[i].d.in + t->rows[i].d.out; k++)
            way_bps[k < t->rows[i].d.out] += row_rate_bps(t, &t->rows[i], k);
        most_bps = fmax(most_bps, fmax(way_bps[0], way_bps[1]));
    }
    return most_bps;
}

/* How 'contraflow fit' says which rule the cluster obeys: the link is taken to carry the fastest direction in full
 * frames. */
static void table_advise(const struct mpi_table *t)
{
    char rate[UNITS_TEXT];
    units_format_rate_rounded(table_most_bps(t) * WIRE, 3, rate); /* so that a link of 1 Gb/s is one */
    printf("  written: %s\n  which rule, and what a pattern takes here: contraflow fit --set network.link.rate=%s %s\n",
           cli_name(t->o->output), rate, cli_name(t->o->output));
}

static json_t *row_json(const struct mpi_table *t, const struct mpi_row *r)
{
    struct estimate in = row_mean(t, r, true), out = row_mean(t, r, false);
    json_t *flows = json_array();
    for (size_t i = 0; i < r->d.in + r->d.out; i++) {
        char name[FLOW_NAME];
        struct estimate bps = row_flow_bps(t, r, i), time_s = estimate_of(&r->times_s[i]);
        double window = r->windows_bytes[i];
        row_flow_name(r, i, name);
        json_array_append_new(flows, results_json("flow:s direction:s from:s to:s rate_bps:o message_s:o window_bytes:f",
                                                  name, i < r->d.out ? "out" : "in", t->m->names[r->flows[i].from],
                                                  t->m->names[r->flows[i].to], view_table_json_estimate(&bps),
                                                  view_table_json_estimate(&time_s),
                                                  window > 0 ? window : (double)NAN));
    }
    return results_json("in:l out:l messages:l precise:b in_bps:o out_bps:o flows:o", (int64_t)r->d.in,
                        (int64_t)r->d.out, (int64_t)r->times_s[0].n,
                        measure_mpi_precise(r->times_s, r->d.in + r->d.out), view_table_json_estimate(&in),
                        view_table_json_estimate(&out), flows);
}

static void table_print_json(const struct mpi_table *t)
{
    json_t *patterns = json_array();
    for (size_t i = 0; i < t->n; i++)
        json_array_append_new(patterns, row_json(t, &t->rows[i]));
    cli_print_json(cli_json("measure-mpi:1", results_json("table:s host:s processes:l message_bytes:l link_rate_bps:f "
                                                          "patterns:o", t->o->output, t->m->names[0],
                                                          (int64_t)t->m->processes, (int64_t)t->o->repeat.bytes,
                                                          table_most_bps(t) * WIRE, patterns)));
}

/* All patterns into the file. A row is there when its pattern is done, under its name the file is when all are. */
static bool table_measure(struct mpi_table *t, struct outfile *f, bool *ended, struct error *err)
{
    fprintf(f->stream, "# contraflow measure --mpi, version %s: messages of %d bytes between %d processes\n"
            "from,to,flow,pattern,bits_per_second,spread,window\n", CONTRAFLOW_VERSION, t->o->repeat.bytes,
            t->m->processes);
    for (t->done = 0; t->done < t->n; t->done++) {
        struct mpi_row *r = &t->rows[t->done];
        size_t n = r->d.in + r->d.out;
        r->flows = memory_zeroed(n, sizeof *r->flows, "flows");
        r->times_s = memory_zeroed(n, sizeof *r->times_s, "flows");
        r->windows_bytes = memory_zeroed(n, sizeof *r->windows_bytes, "flows");
        measure_degrees_place(t->m->host, t->m->processes, r->d, r->flows);
        if (!measure_mpi_run(t->m, r->d, &t->o->repeat, r->flows, r->times_s, r->windows_bytes, NULL, table_heard, t)) {
            *ended = true;
            return false;
        }
        table_write(t, f->stream);
        table_log(t);
    }
    return outfile_commit(f, err);
}

static bool mpi_bytes(const struct cli_option *option, const char *text, struct error *err)
{
    int64_t bytes = 0;
    if (!units_parse_bytes(text, &bytes, err))
        return error_prefix(err, "--bytes: ");
    *(int *)option->to = (int)bytes;
    return (bytes >= 1 && bytes <= MEASURE_MPI_BYTES_MOST) ||
           error_set(err, ERROR_INPUT, "--bytes %s: 1 to %d bytes are possible; try 10MB", text, MEASURE_MPI_BYTES_MOST);
}

static bool mpi_time(const struct cli_option *option, const char *text, struct error *err)
{
    int64_t time_ps;
    if (!units_parse_time(text, &time_ps, err))
        return error_prefix(err, "--time: ");
    *(double *)option->to = (double)time_ps / (double)UNITS_PS_PER_S;
    return (time_ps > 0 && time_ps <= 86400 * UNITS_PS_PER_S) ||
           error_set(err, ERROR_INPUT, "--time %s: up to a day is possible; try 60s", text);
}

/* 1: go on; 0: --help was printed; -1: *err. */
static int mpi_read(struct mpi_options *o, int argc, char **argv, struct error *err)
{
    const struct cli_option options[] = {
        {"mpi", 0, .flag = &o->mpi},
        {"output", 'o', .text = &o->output},
        {"degrees", 0, .text = &o->degrees},
        {"bytes", 0, .call = mpi_bytes, .to = &o->repeat.bytes},
        {"study", 0, .flag = &o->study},
        {"budget", 0, .call = cli_options_budget, .to = &o->until_s},
        {"time", 0, .call = mpi_time, .to = &o->repeat.most_s},
        {"json", 0, .flag = &o->json},
        {"quiet", 'q', .flag = &o->quiet},
        {0},
    };
    int at = cli_options_read("measure mpi", argc, argv, options, err);
    if (at <= 0)
        return at;
    if (at < argc)
        error_set(err, ERROR_INPUT, "measure --mpi: '%s' is too much: hosts are those of mpirun", cli_name(argv[at]));
    else if (!text_ends(o->output, ".csv"))
        error_set(err, ERROR_INPUT, "--output %s: a name that ends in .csv is needed, so that 'contraflow fit' knows what "
                  "it is", cli_name(o->output));
    o->terminal = !o->quiet && isatty(STDERR_FILENO);
    return err->code == ERROR_NONE ? 1 : -1;
}

struct mpi_asked {
    const struct mpi_options *o;
    const struct measure_mpi *m;
    bool ended;
};

/* What a study asks for. */
static bool mpi_pattern_measure(void *user, struct study_kit_pattern *p, struct error *err)
{
    struct mpi_asked *asked = user;
    struct measure_degrees d = {p->in, p->out};
    struct measure_degrees_flow flows[STUDY_KIT_FLOWS];
    struct estimate_running times_s[STUDY_KIT_FLOWS] = {{.n = 0}};
    double windows_bytes[STUDY_KIT_FLOWS] = {0}, pauses = -1;
    measure_degrees_place(asked->m->host, asked->m->processes, d, flows);
    if (!measure_mpi_run(asked->m, d, &asked->o->repeat, flows, times_s, windows_bytes, &pauses, NULL, NULL)) {
        asked->ended = true;
        return error_set(err, ERROR_SYSTEM, "interrupted in pattern %zu/%zu", p->in, p->out);
    }
    for (size_t f = 0; f < p->in + p->out; f++) {
        struct estimate time_s = estimate_of(&times_s[f]);
        p->rate[f] = (struct study_kit_rate){8.0 * asked->o->repeat.bytes / time_s.value, time_s.std_error / time_s.value,
                                             windows_bytes[f]};
    }
    p->pauses = pauses >= 0 ? pauses : (double)NAN;
    if (!asked->o->quiet)
        fprintf(stderr, "contraflow: pattern %zu/%zu: %zu messages\n", p->in, p->out, times_s[0].n);
    return true;
}


static int mpi_study(const struct mpi_options *o, const struct measure_mpi *m)
{
    struct error err = {0};
    size_t most = measure_degrees_flows_most(m->host, m->processes);
    struct mpi_asked asked = {o, m, false};
    struct cli_study s = {.where = m->names[0], .json = o->json, .measure = mpi_pattern_measure, .user = &asked,
                          .kit = {.until_s = o->until_s, .flows = most < STUDY_KIT_FLOWS ? most : STUDY_KIT_FLOWS}};
    int status = cli_study_run(&s, &err);
    if (status >= 0)
        return status;
    status = cli_fail(&err);
    if (asked.ended)
        measure_mpi_abort(ERROR_SYSTEM);
    return status;
}

/* Process 0. `unfit`: why it is no cluster to measure; NULL when it is. */
static int mpi_command(const struct measure_mpi *m, const struct error *unfit, int argc, char **argv)
{
    struct error err = {0};
    struct mpi_options o = {.output = "measured.csv", .repeat = {DEFAULT_BYTES, DEFAULT_TIME_S}};
    struct mpi_table t = {.o = &o, .m = m};
    struct outfile f = {0};
    struct measure_degrees *degrees = NULL;
    bool ended = false;
    int status = mpi_read(&o, argc, argv, &err);
    if (status <= 0)
        return status ? cli_fail(&err) : 0;
    if (unfit)
        return cli_fail(unfit);
    if (o.study)
        return mpi_study(&o, m);
    size_t most = measure_degrees_flows_most(m->host, m->processes);
    bool ok = true;
    if (o.degrees)
        ok = measure_degrees_parse(o.degrees, most, &degrees, &t.n, &err) || error_prefix(&err, "--degrees: ");
    else
        t.n = measure_degrees_all(most, &degrees);
    t.rows = memory_zeroed(t.n, sizeof *t.rows, "patterns");
    for (size_t i = 0; ok && i < t.n; i++)
        t.rows[i].d = degrees[i];
    ok = ok && outfile_open(&f, o.output, &err) && table_measure(&t, &f, &ended, &err);
    outfile_discard(&f);
    if (ended) {
        if (o.terminal)
            cli_progress_clear();
        fprintf(stderr, "contraflow: interrupted after %zu of %zu patterns; %s is not written\n", t.done, t.n,
                cli_name(o.output));
        measure_mpi_abort(ERROR_SYSTEM);
    }
    if (ok && o.json) {
        table_print_json(&t);
    } else if (ok) {
        table_print(&t);
        table_advise(&t);
    }
    for (size_t i = 0; i < t.n; i++)
        MEMORY_FREE(t.rows[i].flows, t.rows[i].times_s, t.rows[i].windows_bytes);
    MEMORY_FREE(t.rows, degrees);
    return ok ? 0 : cli_fail(&err);
}

int cli_measure_mpi(int argc, char **argv)
{
    struct measure_mpi m;
    struct error err = {0};
    int status = 0;
    bool started = measure_mpi_start(&m, &err);
    if (m.rank == 0) {
        status = cli_finish(mpi_command(&m, started ? NULL : &err, argc, argv));
        measure_mpi_dismiss();
    } else {
        measure_mpi_work(&m);
    }
    measure_mpi_end(&m);
    return status;
}
