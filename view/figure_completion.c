/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/csv.h"
#include "view/figures.h"
#include "view/gnuplot.h"

#include <math.h>
#include <stdlib.h>

#define BINS 100.0 /* over the longest time of all runs */

/* Completion times of one run as a data block; *longest_s grows with them. */
static bool completion_data(struct view_gnuplot *g, const char *directory, size_t panel, double *longest_s,
                            struct error *err)
{
    static const char *const columns[] = {"start_s", "end_s"};
    struct results_csv csv;
    char *v[2];
    if (!results_csv_open_in(&csv, directory, "operations.csv", columns, 2, err))
        return false;
    fprintf(g->data, "$t%zu << EOD\n", panel);
    while (results_csv_next(&csv, v, err) == RESULTS_CSV_ROW) {
        double took_s = results_csv_number(v[1]) - results_csv_number(v[0]);
        *longest_s = fmax(*longest_s, took_s);
        fprintf(g->data, "%.9g\n", took_s * 1e3);
    }
    fputs("EOD\n", g->data);
    results_csv_close(&csv);
    return err->code == ERROR_NONE;
}

bool view_figure_completion(const struct view_figure_run *runs, size_t n, const char *directory, struct error *err)
{
    struct view_gnuplot g;
    double longest_s = 0;
    if (!view_gnuplot_open(&g, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!completion_data(&g, runs[i].directory, i, &longest_s, err)) {
            view_gnuplot_discard(&g);
            return false;
        }
    double width_ms = longest_s > 0 ? longest_s * 1e3 / BINS : 1;
    fprintf(g.data, "set grid lc rgb '#dddddd'\nset border 3\nset tics nomirror\nset ylabel 'processes'\n"
                    "set xlabel 'simulated completion time, ms'\nset xrange [0:%.6g]\nset boxwidth %.6g\n"
                    "set style fill solid 0.8 noborder\nbin(x) = %.6g * (floor(x / %.6g) + 0.5)\n",
            longest_s * 1e3 * 1.03, width_ms, width_ms, width_ms);
    fprintf(g.body, "set multiplot layout %zu,1\n", n);
    for (size_t i = 0; i < n; i++) {
        fputs("set title ", g.body);
        view_figure_quote(g.body, runs[i].label);
        fprintf(g.body, "\nplot $t%zu using (bin($1)):(1.0) smooth frequency with boxes lc rgb '#1f77b4' notitle\n", i);
    }
    fputs("unset multiplot\n", g.body);
    return view_gnuplot_draw(&g, directory, "completion", 760, (int)(240 * n + 60), err);
}
