/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/figures.h"

#include "results/csv.h"
#include "results/directory.h"
#include "results/queues.h"
#include "view/palette.h"
#include "view/svg.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#define FIGURES_WIDTH 700
#define FIGURES_LEFT 64
#define FIGURES_TOP 62 /* of the first panel: title and a line are above */
#define QUEUES 3      /* deepest queues of a run, by mean depth */
#define QUEUE_WIDTH 612 /* of a panel alone */
#define QUEUE_GAP 54    /* between two beside each other */
#define QUEUE_HEIGHT 150
#define NAMES 32      /* ports with colours of their own */
#define FIGURES_BINS 100      /* of completion times, over the longest of all runs */
#define BINS_HEIGHT 110

bool view_figures_png(const char *svg, const char *png, bool *made, struct error *err)
{
    char *const command[] = {(char[]){"rsvg-convert"}, (char[]){"--zoom=2"}, NULL};
    posix_spawn_file_actions_t files;
    struct outfile f;
    char bytes[BUFSIZ];
    ssize_t n = 0;
    pid_t pid;
    int status = -1, picture[2];
    unlink(png);
    *made = false;
    if (!outfile_open(&f, png, err))
        return false;
    if (pipe2(picture, O_CLOEXEC) != 0) {
        outfile_discard(&f);
        return error_set_errno(err, "%s: cannot be made", png);
    }
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, svg, O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, picture[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&pid, command[0], &files, NULL, command, environ);
    posix_spawn_file_actions_destroy(&files);
    close(picture[1]);
    /* It does not look whether its own writes succeed: ours do. */
    while (!failed && !ferror(f.stream) && (n = read(picture[0], bytes, sizeof bytes)) > 0)
        fwrite(bytes, 1, (size_t)n, f.stream);
    int why = errno;
    close(picture[0]);
    bool ended = !failed && waitpid(pid, &status, 0) == pid && status == 0;
    errno = why;
    if ((ended && n == 0) || ferror(f.stream))
        *made = outfile_commit(&f, err);
    else if (failed != ENOENT)
        error_set(err, ERROR_SYSTEM, "%s: rsvg-convert cannot make a picture of %s", png, svg);
    outfile_discard(&f);
    return *made || failed == ENOENT;
}

/* A file with the head of a figure in it. */
static bool figures_open(struct outfile *f, const char *path, double height, const char *title, const char *subtitle,
                         struct error *err)
{
    if (!outfile_open(f, path, err))
        return false;
    view_svg_begin_picture(f->stream, FIGURES_WIDTH, (int)height, title, subtitle);
    return true;
}

static bool figures_close(struct outfile *f, struct error *err)
{
    view_svg_end(f->stream);
    return outfile_commit(f, err);
}

static const struct {
    const char *name, *class;
    enum analysis_rule rule;
} levels[] = {
    {"Eq. 5", "wide c-eq5", ANALYSIS_RULE_EQ5},
    {"window", "broad c-window", ANALYSIS_RULE_WINDOW},
    {"Eq. 6", "c-eq6", ANALYSIS_RULE_EQ6},
};
enum { LEVELS = sizeof levels / sizeof *levels };

#define BAR_HEIGHT 190
#define BAR_BELOW 54   /* under a row of groups */
#define BAR_ROOM 550   /* pixels of a row */
#define BAR_GAP 22     /* between groups */
#define CHARACTER 6.3  /* pixels, about */

/* The pixels that a group takes: its flows, or the name below them. */
static double group_width(const struct view_figures_group *g, double pitch)
{
    return fmax(pitch * (double)g->n, CHARACTER * (double)strlen(g->label));
}

/* Groups that go into a row, at least one. */
static size_t row_end(const struct view_figures_group *groups, size_t n, size_t from, double pitch)
{
    double used = group_width(&groups[from], pitch);
    size_t end = from + 1;
    while (end < n && (used += BAR_GAP + group_width(&groups[end], pitch)) <= BAR_ROOM)
        end++;
    return end;
}

/* Names of the rules beside their levels for a flow. */
static void name_levels(FILE *f, const struct view_svg_frame *a, const struct analysis_check_flow *flow, double x)
{
    struct view_svg_label label[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
        double y = view_svg_place(&a->y, flow ? flow->predicted_bps[levels[i].rule] : (double)NAN);
        label[i] = (struct view_svg_label){.x = x, .y = y + 4};
        snprintf(label[i].class, sizeof label[i].class, "%s", strstr(levels[i].class, "c-"));
        snprintf(label[i].text, sizeof label[i].text, "%s", levels[i].name);
    }
    view_svg_labels(f, label, LEVELS);
}

/* Flows of a direction from *x on; returns the last one, NULL without any. */
static const struct analysis_check_flow *draw_direction(FILE *f, const struct view_svg_frame *a,
                                                        const struct view_figures_group *g, bool incoming,
                                                        double pitch, double *x)
{
    const struct analysis_check_flow *last = NULL;
    double begin = *x;
    char tip[3 * ANALYSIS_CHECK_NAME], interval[40];
    for (size_t i = 0; i < g->n; i++) {
        const struct analysis_check_flow *flow = &g->flows[i];
        if (flow->incoming != incoming)
            continue;
        for (int k = 0; k < LEVELS; k++)
            view_svg_level(f, a, levels[k].class, *x, *x + pitch, flow->predicted_bps[levels[k].rule]);
        snprintf(interval, sizeof interval, isfinite(flow->ci95_bps) ? ", +- %.3f" : ", no interval", flow->ci95_bps / 1e6);
        snprintf(tip, sizeof tip, "%s > %s: %.3f Mb/s%s", flow->src, flow->dst, flow->rate_bps / 1e6, interval);
        view_svg_mark(f, a, incoming ? "c-in" : "c-out", incoming ? VIEW_SVG_CIRCLE : VIEW_SVG_TRIANGLE,
                      *x + pitch / 2, flow->rate_bps, flow->ci95_bps, 0, tip);
        *x += pitch;
        last = flow;
    }
    if (*x > begin)
        view_svg_text(f, (*x + begin) / 2, a->y.first + 16, incoming ? "mid own c-in" : "mid own c-out",
                      incoming ? "in" : "out");
    return last;
}

bool view_figures_bandwidth(const char *path, const struct view_figures_group *groups, size_t n, bool simulated,
                            struct error *err)
{
    double top = 0, flows = 0, rows = 0, words = 0;
    char title[96];
    struct outfile file;
    for (size_t i = 0; i < n; i++) {
        flows += (double)groups[i].n;
        words = fmax(words, (double)groups[i].n);
        for (size_t k = 0; k < groups[i].n; k++) {
            const struct analysis_check_flow *flow = &groups[i].flows[k];
            top = fmax(top, flow->rate_bps + (isfinite(flow->ci95_bps) ? flow->ci95_bps : 0));
            for (int r = 0; r < LEVELS; r++) /* the larger one, where one is NAN */
                top = fmax(top, flow->predicted_bps[levels[r].rule]);
        }
    }
    double pitch = fmin(fmax(16, fmin(40, (BAR_ROOM - BAR_GAP * (double)n) / flows)), BAR_ROOM / words);
    for (size_t i = 0; i < n; i = row_end(groups, n, i, pitch))
        rows++;
    snprintf(title, sizeof title, "Bandwidth of flows at the shared host: %s goodput",
             simulated ? "simulated" : "measured");
    if (!figures_open(&file, path, FIGURES_TOP + rows * (BAR_HEIGHT + BAR_BELOW), title, "A mark a flow, with its 95 % "
                      "interval; lines: what Eq. 5 (fairness), Eq. 6 (delta max) and the window law predict", err))
        return false;
    struct view_svg_frame a = {.x = {FIGURES_LEFT, FIGURES_LEFT + BAR_ROOM, FIGURES_LEFT, FIGURES_LEFT + BAR_ROOM, false},
                               .y = {0, top * 1.06, FIGURES_TOP + BAR_HEIGHT, FIGURES_TOP, false},
                               .y_label = "goodput", .y_unit = "b/s", .y_ticks = 5};
    for (size_t i = 0; i < n;) {
        size_t end = row_end(groups, n, i, pitch);
        double x = FIGURES_LEFT + BAR_GAP / 2.0;
        view_svg_axes(file.stream, &a);
        for (; i < end; i++) {
            double width = group_width(&groups[i], pitch), at = x + (width - pitch * (double)groups[i].n) / 2;
            const struct analysis_check_flow *in = draw_direction(file.stream, &a, &groups[i], true, pitch, &at);
            const struct analysis_check_flow *out = draw_direction(file.stream, &a, &groups[i], false, pitch, &at);
            view_svg_text(file.stream, x + width / 2, a.y.first + 34, "mid name", groups[i].label);
            x += width + BAR_GAP;
            if (i + 1 == end)
                name_levels(file.stream, &a, out ? out : in, at + 6);
        }
        a.y.first += BAR_HEIGHT + BAR_BELOW;
        a.y.last += BAR_HEIGHT + BAR_BELOW;
    }
    return figures_close(&file, err);
}

#define TOTALS_ROW 8      /* groups beside each other */
#define TOTALS_HEIGHT 190
#define TOTALS_BELOW 40
#define TOTALS_LINE 17
#define TOTALS_ROOM 612   /* pixels of a row */
#define TOTALS_CUT 96    /* characters of a line */

static const struct {
    const char *name, *class;
    enum view_svg_shape shape;
} totals[] = {{"in", "c-in", VIEW_SVG_CIRCLE}, {"out", "c-out", VIEW_SVG_TRIANGLE}, {"both", "c-c6", VIEW_SVG_SQUARE}};
enum { TOTALS_IN, TOTALS_OUT, TOTALS_BOTH, TOTALS };

/* Sums of a group's flows, with those of their intervals: flows that share a link are not independent. */
static void totals_sum(const struct view_figures_group *g, double mean[static TOTALS], double ci95[static TOTALS])
{
    for (int k = 0; k < TOTALS; k++) {
        size_t n = 0;
        mean[k] = ci95[k] = 0;
        for (size_t i = 0; i < g->n; i++) {
            if (k != TOTALS_BOTH && g->flows[i].incoming != (k == TOTALS_IN))
                continue;
            mean[k] += g->flows[i].rate_bps;
            ci95[k] += g->flows[i].ci95_bps;
            n++;
        }
        mean[k] = n ? mean[k] : (double)NAN; /* no flow this way is no rate of 0 */
    }
}

static void totals_draw(FILE *f, const struct view_svg_frame *a, const struct view_figures_group *g, size_t number,
                        double x, double pitch)
{
    double mean[TOTALS], ci95[TOTALS];
    char tip[VIEW_FIGURES_LABEL + 80], interval[40];
    totals_sum(g, mean, ci95);
    for (int k = 0; k < TOTALS; k++) {
        snprintf(interval, sizeof interval, isfinite(ci95[k]) ? ", +- %.3f" : ", no interval", ci95[k] / 1e6);
        snprintf(tip, sizeof tip, "%s, %s: %.3f Mb/s%s", g->label, totals[k].name, mean[k] / 1e6, interval);
        view_svg_mark(f, a, totals[k].class, totals[k].shape, x, mean[k], ci95[k], pitch / 5 * (k - 1), tip);
    }
    snprintf(tip, sizeof tip, "%zu", number);
    bool fits = CHARACTER * (double)strlen(g->label) < pitch;
    view_svg_text(f, view_svg_place(&a->x, x), a->y.first + 18, "mid name", fits ? g->label : tip);
}

/* "2 remedy: network.nic.queue ack-first" */
static void figures_say(FILE *f, const char *label, const char *differs, size_t number, double y)
{
    MEMORY_LOCAL char *line = memory_text("%zu  %s%s%s", number, label, differs && *differs ? ": " : "", differs ? differs : "");
    MEMORY_LOCAL char *cut = strlen(line) > TOTALS_CUT ? memory_text("%.*s...", TOTALS_CUT - 3, line) : NULL;
    view_svg_text(f, FIGURES_LEFT, y, "name", cut ? cut : line);
}

bool view_figures_totals(const char *path, const struct view_figures_group *groups, size_t n, struct error *err)
{
    double top = 0, mean[TOTALS], ci95[TOTALS];
    size_t rows = (n + TOTALS_ROW - 1) / TOTALS_ROW, row = n < TOTALS_ROW ? n : TOTALS_ROW;
    struct outfile file;
    for (size_t i = 0; i < n; i++) {
        totals_sum(&groups[i], mean, ci95);
        for (int k = 0; k < TOTALS; k++)
            top = fmax(top, mean[k] + (isfinite(ci95[k]) ? ci95[k] : 0));
    }
    double height = FIGURES_TOP + (double)rows * (TOTALS_HEIGHT + TOTALS_BELOW) + TOTALS_LINE * (double)n + 20;
    if (!figures_open(&file, path, height, "Goodput of all flows at the shared host",
                      "Marks: into the host, out of it, and both, each with its 95 % interval", err))
        return false;
    struct view_svg_frame a = {.x = {0, (double)row, FIGURES_LEFT, FIGURES_LEFT + TOTALS_ROOM, false},
                               .y = {0, (top > 0 ? top : 1) * 1.06, FIGURES_TOP + TOTALS_HEIGHT, FIGURES_TOP, false},
                               .y_label = "goodput", .y_unit = "b/s", .y_ticks = 5};
    for (int k = 0; k < TOTALS; k++)
        view_svg_text(file.stream, FIGURES_LEFT + TOTALS_ROOM - 40.0 * (TOTALS - 1 - k), FIGURES_TOP - 8,
                      k == TOTALS_IN ? "end own c-in" : k == TOTALS_OUT ? "end own c-out" : "end own c-c6", totals[k].name);
    double y = FIGURES_TOP + (double)rows * (TOTALS_HEIGHT + TOTALS_BELOW) + 8;
    for (size_t i = 0; i < n; i++) {
        if (i % TOTALS_ROW == 0)
            view_svg_axes(file.stream, &a);
        totals_draw(file.stream, &a, &groups[i], i + 1, (double)(i % TOTALS_ROW) + 0.5, TOTALS_ROOM / (double)row);
        figures_say(file.stream, groups[i].label, groups[i].differs, i + 1, y + TOTALS_LINE * (double)i);
        if (i % TOTALS_ROW + 1 == TOTALS_ROW) {
            a.y.first += TOTALS_HEIGHT + TOTALS_BELOW;
            a.y.last += TOTALS_HEIGHT + TOTALS_BELOW;
        }
    }
    return figures_close(&file, err);
}

#define TRIPS_HEIGHT 230
#define TRIPS_BELOW 58
#define TRIPS_LINES 2   /* of words a source */
#define TRIPS_COLOURS 7 /* c-c0 to c-c6 */

/* Whole decades of ms around all round trips. */
static void trips_scale(const struct view_figures_trips *source, size_t n, struct view_svg_scale *x,
                        struct view_svg_scale *y)
{
    double least_s = INFINITY, most_s = 0, end_s = 0;
    for (size_t i = 0; i < n; i++) {
        const struct study_round_trips *t = &source[i].trips;
        least_s = fmin(least_s, t->latency.idle.median_s);
        for (size_t k = 0; k < t->n; k++) {
            least_s = fmin(least_s, t->round_s[k]);
            most_s = fmax(most_s, t->round_s[k]);
        }
        end_s = t->n > 0 ? fmax(end_s, t->time_s[t->n - 1]) : end_s;
    }
    double from = floor(log10(fmax(1e3 * least_s, 1e-6)));
    y->from = pow(10, from);
    y->to = pow(10, fmax(from + 1, ceil(log10(1e3 * most_s))));
    x->to = end_s;
}

bool view_figures_latency(const char *path, const struct view_figures_trips *sources, size_t n, struct error *err)
{
    struct view_svg_frame a = {.x = {0, 1, FIGURES_LEFT, FIGURES_LEFT + TOTALS_ROOM - 12, false},
                               .y = {1e-3, 1, FIGURES_TOP + TRIPS_HEIGHT, FIGURES_TOP, true},
                               .x_label = "time", .x_unit = "s", .x_ticks = 10, .y_label = "round trip, ms",
                               .y_ticks = 8};
    double below = FIGURES_TOP + TRIPS_HEIGHT + TRIPS_BELOW, height = TRIPS_LINES * TOTALS_LINE * (double)n;
    MEMORY_LOCAL struct view_svg_label *label = memory_zeroed(n, sizeof *label, "what to plot");
    struct outfile file;
    trips_scale(sources, n, &a.x, &a.y);
    bool ok = figures_open(&file, path, below + height, "Round trips over time", "A line a source, the median of its flows; "
                           "the level in its colour: through empty queues", err);
    if (ok)
        view_svg_axes(file.stream, &a);
    for (size_t i = 0; ok && i < n; i++) {
        const struct study_round_trips *t = &sources[i].trips;
        char class[24], said[JUDGE_LATENCY_TEXT];
        double y = below + TRIPS_LINES * TOTALS_LINE * (double)i;
        snprintf(class, sizeof class, "thin c-c%zu", i % TRIPS_COLOURS);
        MEMORY_LOCAL double *round_ms = memory_zeroed(t->n + 1, sizeof *round_ms, "what to plot");
        for (size_t k = 0; k < t->n; k++)
            round_ms[k] = 1e3 * t->round_s[k];
        view_svg_level(file.stream, &a, class, a.x.from, a.x.to, 1e3 * t->latency.idle.median_s);
        view_svg_line(file.stream, &a, class + strlen("thin "), t->time_s, round_ms, t->n);
        label[i].x = a.x.last + 6;
        label[i].y = NAN;
        for (size_t k = 0; k < t->n; k++)
            label[i].y = isfinite(round_ms[k]) ? view_svg_place(&a.y, round_ms[k]) + 4 : label[i].y;
        snprintf(label[i].class, sizeof label[i].class, "%s", class + strlen("thin "));
        snprintf(label[i].text, sizeof label[i].text, "%zu", i + 1);
        figures_say(file.stream, sources[i].label, sources[i].differs, i + 1, y);
        judge_latency_say(&t->latency, said);
        view_svg_text(file.stream, FIGURES_LEFT + 16, y + TOTALS_LINE - 2, "small", said);
    }
    if (ok)
        view_svg_labels(file.stream, label, n);
    return ok && figures_close(&file, err);
}

/* Ports met so far: one has the same colour in every panel. */
struct names {
    char name[NAMES][RESULTS_QUEUES_PORT];
    size_t n;
};

static size_t name_index(struct names *names, const char *name)
{
    size_t i = 0;
    while (i < names->n && strcmp(names->name[i], name) != 0)
        i++;
    if (i == names->n && names->n < NAMES)
        snprintf(names->name[names->n++], RESULTS_QUEUES_PORT, "%s", name);
    return i;
}

static void draw_queues(FILE *f, const struct view_svg_frame *a, const char *label, const struct results_queues *t,
                        struct names *names)
{
    struct results_queues_bin bins[QUEUE_WIDTH];
    double low[QUEUE_WIDTH], high[QUEUE_WIDTH], time[QUEUE_WIDTH], mean[QUEUE_WIDTH];
    double end = a->x.last, width = a->x.to / (a->x.last - a->x.first);
    size_t chosen[QUEUES], n = results_queues_deepest(t, chosen, QUEUES), columns = (size_t)(a->x.last - a->x.first);
    char class[32];
    view_svg_axes(f, a);
    view_svg_text(f, a->x.first, a->y.last - 8, "name", label);
    for (size_t i = n; i-- > 0;) { /* the deepest one's name is the first */
        const char *name = t->ports[chosen[i]].name;
        size_t colour = name_index(names, name) % VIEW_PALETTE_SERIES;
        results_queues_bins(t, chosen[i], 0, width, columns, bins);
        for (size_t k = 0; k < columns; k++) {
            low[k] = bins[k].least_bytes;
            high[k] = bins[k].most_bytes;
            time[k] = width * ((double)k + 0.5);
            mean[k] = bins[k].mean_bytes;
        }
        snprintf(class, sizeof class, "thin c-c%zu", colour);
        view_svg_band(f, a, class, 0, width, low, high, columns);
        view_svg_line(f, a, class, time, mean, columns);
        snprintf(class, sizeof class, "end own c-c%zu", colour);
        view_svg_text(f, end, a->y.last - 8, class, name);
        end -= 7.4 * (double)strlen(name) + 10;
    }
}

bool view_figures_queues(const char *path, const struct view_figures_run *runs, size_t n, struct error *err)
{
    MEMORY_LOCAL struct results_queues *trace = memory_zeroed(n, sizeof *trace, "queues to draw");
    struct view_svg_frame a = {.x_label = "simulated time", .y_label = "queue", .x_unit = "s", .y_unit = "B",
                               .x_ticks = 5, .y_ticks = 4};
    struct names names = {.n = 0};
    struct outfile file = {0};
    size_t columns = n > 1 ? 2 : 1;
    double width = n > 1 ? (QUEUE_WIDTH - QUEUE_GAP) / 2 : QUEUE_WIDTH;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        MEMORY_LOCAL char *queues = results_directory_path(runs[i].directory, "queues.csv");
        ok = results_queues_read(&trace[i], queues, err);
        for (size_t p = 0; ok && p < trace[i].n_ports; p++)
            a.y.to = fmax(a.y.to, trace[i].ports[p].peak_bytes * 1.05);
        a.x.to = ok && trace[i].n_rows ? fmax(a.x.to, trace[i].rows[trace[i].n_rows - 1].time_s) : a.x.to;
    }
    double step = view_svg_step(a.x.to > 0 ? a.x.to : 1, 5) / 10;
    a.x.to = fmax(1, ceil(a.x.to / step)) * step;
    a.y.to = a.y.to > 0 ? a.y.to : 1;
    ok = ok && figures_open(&file, path, FIGURES_TOP + 14 + (double)((n + columns - 1) / columns * (QUEUE_HEIGHT + 70)),
                            "Queue depth over time, simulated", "Line: mean; band: from the least to the most in each "
                            "column of pixels. All panels have one scale.", err);
    for (size_t i = 0; ok && i < n; i++) {
        a.x.first = FIGURES_LEFT + (double)(i % columns) * (width + QUEUE_GAP);
        a.x.last = a.x.first + width;
        a.y.last = FIGURES_TOP + 14 + (double)(i / columns * (QUEUE_HEIGHT + 70));
        a.y.first = a.y.last + QUEUE_HEIGHT;
        draw_queues(file.stream, &a, runs[i].label, &trace[i], &names);
    }
    ok = ok && figures_close(&file, err);
    outfile_discard(&file);
    for (size_t i = 0; i < n; i++)
        results_queues_fini(&trace[i]);
    return ok;
}

/* The longest time that a process of the run took; with width_s, counts of them in bins of it, too. */
static bool completion_read(const char *directory, double *longest_s, double width_s, double *count, struct error *err)
{
    static const char *const columns[] = {"start_s", "end_s"};
    MEMORY_ENDS(results_csv_close) struct results_csv csv;
    char *v[2];
    double x[2];
    enum results_csv_next next = RESULTS_CSV_ROW;
    bool ok = results_csv_open_in(&csv, directory, "operations.csv", columns, 2, err);
    while (ok && (next = results_csv_next(&csv, v, err)) == RESULTS_CSV_ROW &&
           (ok = results_csv_numbers(&csv, v, 2, x, err))) {
        double took_s = x[1] - x[0];
        *longest_s = fmax(*longest_s, took_s);
        if (width_s > 0)
            count[(size_t)fmin(fmax(took_s / width_s, 0), FIGURES_BINS - 1)]++;
    }
    return ok && next == RESULTS_CSV_END;
}

bool view_figures_completion(const char *path, const struct view_figures_run *runs, size_t n, struct error *err)
{
    double (*count)[FIGURES_BINS] = memory_zeroed(n, sizeof *count, "completion times to draw"), longest_s = 0, most = 1;
    MEMORY_ENDS(outfile_discard) struct outfile file = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = completion_read(runs[i].directory, &longest_s, 0, NULL, err);
    double width_s = longest_s > 0 ? longest_s / FIGURES_BINS : 1;
    for (size_t i = 0; ok && i < n; i++) {
        ok = completion_read(runs[i].directory, &longest_s, width_s, count[i], err);
        for (size_t k = 0; k < FIGURES_BINS; k++)
            most = fmax(most, count[i][k]);
    }
    ok = ok && figures_open(&file, path, FIGURES_TOP + 14 + (double)n * (BINS_HEIGHT + 64), "Completion times, simulated",
                            "Processes whose part of an operation took so long. All panels have one scale.", err);
    for (size_t i = 0; ok && i < n; i++) {
        double top = FIGURES_TOP + 14 + (double)i * (BINS_HEIGHT + 64);
        struct view_svg_frame a = {.x = {0, width_s * FIGURES_BINS, FIGURES_LEFT, FIGURES_WIDTH - 24, false},
                                   .y = {0, most * 1.05, top + BINS_HEIGHT, top, false},
                                   .x_label = "completion time", .x_unit = "s", .y_label = "processes",
                                   .x_ticks = 10, .y_ticks = 4};
        view_svg_axes(file.stream, &a);
        view_svg_text(file.stream, FIGURES_LEFT, top - 8, "name", runs[i].label);
        for (size_t k = 0; k < FIGURES_BINS; k++) {
            char tip[96];
            double from = width_s * (double)k, to = width_s * (double)(k + 1);
            snprintf(tip, sizeof tip, "%.0f from %.6g to %.6g s", count[i][k], from, to);
            if (count[i][k] > 0)
                view_svg_bar(file.stream, &a, "c-c0", from, to, count[i][k], tip);
        }
    }
    ok = ok && figures_close(&file, err);
    free(count);
    return ok;
}
