/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/figures.h"

#include "view/gnuplot.h"
#include "results/queues.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define QUEUES_SHOWN 3   /* deepest queues of a run, by mean depth */
#define COLOURS 8        /* a port has the same colour in every panel */

void view_figure_quote(FILE *f, const char *text)
{
    putc('\'', f);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', f);
        putc(*text, f);
    }
    putc('\'', f);
}

static void figure_number(FILE *f, double bps)
{
    if (isfinite(bps))
        fprintf(f, " %.3f", bps / 1e6);
    else
        fputs(" NaN", f);
}

bool view_figure_bandwidth(const struct view_figure_group *groups, size_t n, bool simulated, const char *directory,
                      struct error *err)
{
    struct view_gnuplot g;
    if (!view_gnuplot_open(&g, err))
        return false;
    /* x measured ci eq5 eq6 window direction */
    fputs("$flows << EOD\n", g.data);
    double x = 0, top = 0;
    for (size_t i = 0; i < n; i++, x += 1.2)
        for (size_t j = 0; j < groups[i].n_flows; j++, x += 1) {
            const struct view_figure_flow *f = &groups[i].flows[j];
            fprintf(g.data, "%.1f", x);
            figure_number(g.data, f->measured_bps);
            figure_number(g.data, isfinite(f->ci95_bps) ? f->ci95_bps : 0);
            figure_number(g.data, f->eq5_bps);
            figure_number(g.data, f->eq6_bps);
            figure_number(g.data, f->window_bps);
            fprintf(g.data, " %d\n", f->incoming);
            top = fmax(top, fmax(f->measured_bps, fmax(f->eq5_bps, f->eq6_bps)) / 1e6);
        }
    fputs("EOD\n", g.data);
    fputs("set xtics () scale 0\nset xtics (", g.data);
    x = 0;
    for (size_t i = 0; i < n; i++) {
        double centre = x + ((double)groups[i].n_flows - 1) / 2;
        if (i)
            fputs(", ", g.data);
        view_figure_quote(g.data, groups[i].label);
        fprintf(g.data, " %.2f", centre);
        x += (double)groups[i].n_flows + 1.2;
    }
    fprintf(g.data, ")\nset xrange [-1:%.2f]\nset yrange [0:%.0f]\n", x - 1.2, ceil(top * 1.25 / 10) * 10);
    fprintf(g.data,
            "set ylabel '%s goodput, Mb/s'\nset xlabel 'flows into and out of the shared host; one mark a flow'\n"
            "set grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror\n"
            "set key above center horizontal samplen 2 maxrows 2\n",
            simulated ? "simulated" : "measured");
    fputs("plot $flows using ($1-0.42):4:(0.84):(0) with vectors nohead lw 2 lc rgb '#7f7f7f' "
          "title 'Eq. 5 (fairness)', \\\n"
          "     '' using ($1-0.42):5:(0.84):(0) with vectors nohead lw 2 lc rgb '#d62728' "
          "title 'Eq. 6 (delta max)', \\\n"
          "     '' using ($1-0.30):6:(0.60):(0) with vectors nohead lw 5 lc rgb '#80ff7f0e' "
          "title 'window law', \\\n"
          "     '' using 1:($7==1?$2:NaN):3 with yerrorbars pt 7 ps 0.9 lc rgb '#1f77b4' title 'incoming', \\\n"
          "     '' using 1:($7==0?$2:NaN):3 with yerrorbars pt 9 ps 1.1 lc rgb '#2ca02c' title 'outgoing'\n",
          g.body);
    size_t flows = 0;
    for (size_t i = 0; i < n; i++)
        flows += groups[i].n_flows;
    int width = 420 + (int)(26 * flows + 20 * n);
    return view_gnuplot_draw(&g, directory, "bandwidth", width < 700 ? 700 : width > 2400 ? 2400 : width, 460, err);
}

/* Ports seen so far, over all panels. */
struct figure_legend {
    char name[COLOURS][RESULTS_QUEUES_PORT];
    size_t n;
};

static size_t figure_colour(struct figure_legend *legend, const char *name)
{
    for (size_t i = 0; i < legend->n; i++)
        if (strcmp(legend->name[i], name) == 0)
            return i;
    if (legend->n < COLOURS)
        snprintf(legend->name[legend->n++], RESULTS_QUEUES_PORT, "%s", name);
    return legend->n - 1;
}

/* Data blocks of one panel, and its plot command. */
static void figure_panel(struct view_gnuplot *g, const struct results_queues *t, size_t panel, const char *label,
                         struct figure_legend *legend)
{
    static const char *const colours[COLOURS] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                                 "#9467bd", "#8c564b", "#e377c2", "#7f7f7f"};
    size_t chosen[QUEUES_SHOWN], n = results_queues_deepest(t, chosen, QUEUES_SHOWN);
    double peak = 0;
    for (size_t i = 0; i < n; i++) {
        peak = fmax(peak, t->ports[chosen[i]].peak_bytes / 1e6);
        fprintf(g->data, "$q%zu_%zu << EOD\n0 0\n", panel, i);
        for (size_t r = 0; r < t->n_rows; r++)
            if (t->rows[r].port == chosen[i])
                fprintf(g->data, "%.6g %.6g\n", t->rows[r].time_s, t->rows[r].depth_bytes / 1e6);
        fputs("EOD\n", g->data);
    }
    fputs("set title ", g->body);
    view_figure_quote(g->body, label);
    /* headroom for the legend */
    fprintf(g->body, "\nset yrange [0:%.4g]\nplot ", peak > 0 ? 1.35 * peak : 1);
    for (size_t i = 0; i < n; i++) {
        const char *name = t->ports[chosen[i]].name;
        fprintf(g->body, "%s$q%zu_%zu using 1:2 with steps lw 1.5 lc rgb '%s' title ", i ? ", " : "", panel, i,
                colours[figure_colour(legend, name)]);
        view_figure_quote(g->body, name);
    }
    fputs(n ? "\n" : "NaN notitle\n", g->body);
}

bool view_figure_queues(const struct view_figure_run *runs, size_t n, const char *directory, struct error *err)
{
    struct view_gnuplot g;
    if (!view_gnuplot_open(&g, err))
        return false;
    size_t columns = n < 3 ? n : 3, rows = (n + columns - 1) / columns;
    fputs("set grid lc rgb '#dddddd'\nset border 3\nset tics nomirror\nset key top right\n"
          "set key horizontal\nset xlabel 'simulated time, s'\nset ylabel 'queue depth, MB'\n",
          g.data);
    fprintf(g.body, "set multiplot layout %zu,%zu\n", rows, columns);
    bool ok = true;
    struct figure_legend legend = {.n = 0};
    for (size_t i = 0; ok && i < n; i++) {
        struct results_queues trace;
        ok = results_queues_read(&trace, runs[i].queues_csv, err);
        if (ok) {
            figure_panel(&g, &trace, i, runs[i].label, &legend);
            results_queues_fini(&trace);
        }
    }
    fputs("unset multiplot\n", g.body);
    if (ok)
        return view_gnuplot_draw(&g, directory, "queues", (int)(420 * columns + 60), (int)(280 * rows + 40), err);
    view_gnuplot_discard(&g);
    return false;
}
