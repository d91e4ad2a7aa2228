/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/traffic/sizes.h"

#include "results/csv.h"

#define MOST 1e15 /* bytes of a flow */

static bool sizes_row(struct sizes *s, const struct results_csv *c, const double value[2], struct error *err)
{
    const double *before = s->n > 0 ? s->row[s->n - 1] : (const double[2]){0, 0};
    if (!(value[0] <= MOST) || !(value[1] <= 1)) /* NAN, too */
        return results_csv_fail(c, err, "bytes from 0 to %g and a share from 0 to 1 are wanted", MOST);
    if (value[0] < before[0] || value[1] < before[1])
        return results_csv_fail(c, err, "neither column may fall");
    s->row = memory_resized(s->row, s->n + 1, sizeof *s->row, "a table of sizes");
    s->row[s->n][0] = value[0];
    s->row[s->n++][1] = value[1];
    return true;
}

bool sizes_read(struct sizes *s, const char *path, struct error *err)
{
    static const char *const columns[] = {"bytes", "cdf"};
    struct results_csv c;
    char *text[2];
    double value[2];
    enum results_csv_next next = RESULTS_CSV_FAILED;
    *s = (struct sizes){0};
    if (!results_csv_open(&c, path, columns, 2, 2, err))
        return false;
    bool ok = true;
    while (ok && (next = results_csv_next(&c, text, err)) == RESULTS_CSV_ROW)
        ok = results_csv_numbers(&c, text, 2, value, err) && sizes_row(s, &c, value, err);
    ok = ok && next == RESULTS_CSV_END;
    if (ok && (s->n == 0 || s->row[s->n - 1][1] < 1 || !(sizes_mean(s) > 0)))
        ok = results_csv_fail(&c, err, "a distribution ends with a share of 1, and its mean is above 0");
    results_csv_close(&c);
    if (!ok)
        sizes_fini(s);
    return ok;
}

void sizes_fini(struct sizes *s)
{
    free(s->row);
    *s = (struct sizes){0};
}

double sizes_mean(const struct sizes *s)
{
    double mean = s->row[0][0] * s->row[0][1];
    for (size_t i = 1; i < s->n; i++)
        mean += (s->row[i][1] - s->row[i - 1][1]) * (s->row[i][0] + s->row[i - 1][0]) / 2;
    return mean;
}

int64_t sizes_draw(const struct sizes *s, struct random *random)
{
    double u = random_share(random), bytes = s->row[0][0];
    for (size_t i = 1; i < s->n; i++) {
        const double *a = s->row[i - 1], *b = s->row[i];
        if (u >= a[1] && u < b[1])
            bytes = a[0] + (b[0] - a[0]) * (u - a[1]) / (b[1] - a[1]);
    }
    return bytes > 1 ? (int64_t)bytes : 1;
}

double sizes_draw_exponential(double mean, struct random *random)
{
    return -mean * log1p(-random_share(random));
}
