/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts nobody chose as sweeps over the scenario `base`: grids, ranges, seeds and what they skip. `test/fuzz sweep`, or
 * test/fuzzing/replay.c. */
#include "sweep/grid.h"
#include "test/fuzzing/text.h"

#define POINTS 5 /* that are loaded of a sweep */

static char directory[] = "/tmp/fuzz-sweep-XXXXXX", base[64], path[64];

static void end(void)
{
    unlink(base);
    unlink(path);
    rmdir(directory);
}

static void start(void)
{
    static const char yaml[] = "duration: 1s\nnetwork: {hosts: 4}\ntraffic: {flows: [{from: h1, to: h0}]}\n";
    if (*base)
        return;
    if (!mkdtemp(directory))
        abort();
    atexit(end);
    snprintf(base, sizeof base, "%s/base", directory);
    snprintf(path, sizeof path, "%s/w.yaml", directory);
    FILE *f = fopen(base, "w");
    fputs(yaml, f);
    fclose(f);
}

static bool take(void *user, const struct sweep_grid_point *p, struct error *err)
{
    int64_t *n = user;
    if (!p->axes || !p->yaml || p->number < ++*n)
        abort();
    return *n < POINTS || error_set(err, ERROR_INPUT, "enough");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    start();
    FILE *f = fopen(path, "w");
    fwrite(data, 1, size, f);
    fclose(f);
    struct sweep *s = sweep_grid_load(path, size % 3 ? -1 : (int64_t)size, &err);
    if (!s) {
        text_check(&err);
        return 0;
    }
    int64_t points = sweep_grid_points(s), n = 0;
    if (points < 0 || points > SWEEP_GRID_POINTS)
        abort();
    if (!sweep_grid_expand(s, take, &n, &err))
        text_check(&err);
    sweep_grid_free(s);
    return 0;
}
