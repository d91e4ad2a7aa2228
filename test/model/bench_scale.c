/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What completion times of many transfers cost: the window law step by step and the fluid, over scenarios/zhu-random.yaml
 * grown to many hosts, with the numbers of solutions and of steps behind each time.
 * usage: bench_scale zhu-random.yaml. test/cli/bench/bench_scale.py runs it beside packets; it judges nothing. */
#include "base/monotonic.h"
#include "model/fluid.h"
#include "model/timeline.h"
#include "model/window/window_rule.h"
#include "scenarios/load.h"
#include "scenarios/traffic/pattern.h"

static struct model_window_cost cost; /* of the law that was freed last */

static void *counted_new(const struct model_routes *routes, bool contra_flow, struct error *err)
{
    return model_rule_window.new(routes, contra_flow, err);
}

static bool counted_rates(void *state, const bool *active, double *rate_bps, struct error *err)
{
    return model_rule_window.rates(state, active, rate_bps, err);
}

static void counted_free(void *state)
{
    cost = model_window_costs(model_window_rule_window(state));
    model_rule_window.free(state);
}

static const struct model_rule counted = {counted_new, counted_rates, counted_free, false};

static void fail(const struct error *err)
{
    fprintf(stderr, "bench_scale: %s\n", err->message);
    exit(1);
}

static double bench_window(const struct model_routes *routes, double *end_s)
{
    struct error err = {0};
    double from_s = monotonic_now_s();
    if (!model_timeline_run(routes, &counted, end_s, NULL, NULL, &err))
        fail(&err);
    return monotonic_now_s() - from_s;
}

static double bench_fluid(const struct model_routes *routes, double *end_s, struct model_fluid_cost *steps)
{
    struct error err = {0};
    size_t n = routes->pattern.n;
    double *bytes MEMORY_LOCAL = memory_zeroed(2 * n, sizeof *bytes, "a benchmark"), from_s = monotonic_now_s();
    struct model_window_rule *law = model_window_rule_new(routes, &err);
    if (!law)
        fail(&err);
    for (size_t i = 0; i < n; i++) {
        bytes[i] = routes->pattern.transfers[i].bytes;
        bytes[n + i] = routes->pattern.transfers[i].start_s;
    }
    *steps = model_fluid_run(model_window_rule_network(law), bytes, bytes + n, NULL, end_s, NULL, NULL);
    model_window_rule_free(law);
    return monotonic_now_s() - from_s;
}

/* One scenario: hosts in two racks, transfers drawn as set, messages of so many bytes; without `law` the fluid alone. */
static void bench(const char *path, const char *racks, const char *draws, const char *bytes, bool law)
{
    struct error err = {0};
    MEMORY_ENDS(scenario_fini) struct scenario s;
    MEMORY_ENDS(scenario_pattern_fini) struct scenario_pattern pattern;
    MEMORY_ENDS(model_routes_fini) struct model_routes routes;
    struct model_fluid_cost steps;
    char text[2][64];
    snprintf(text[0], sizeof text[0], "traffic.random.bytes=%s", bytes);
    snprintf(text[1], sizeof text[1], "traffic.random={%s, bytes: 1MB}", draws);
    const struct document_set sets[] = {{.text = racks}, {.text = text[1]}, {.text = text[0]},
                                        {.text = "traffic.start_spread=0"},
                                        {.text = "network.backbone={rate: 400Gbps, goodput: 376Gbps, delay: 0s}"}};
    if (!scenario_load(&s, path, sets, sizeof sets / sizeof *sets, &err) || !scenario_pattern_init(&pattern, &s, &err) ||
        !model_routes_init(&routes, &pattern.platform, &pattern.pattern, &err))
        fail(&err);
    size_t n = routes.pattern.n;
    double *end_s MEMORY_LOCAL = memory_zeroed(2 * n, sizeof *end_s, "a benchmark"), mean = 0;
    cost = (struct model_window_cost){0};
    double window_s = law ? bench_window(&routes, end_s) : NAN, fluid_s = bench_fluid(&routes, end_s + n, &steps);
    for (size_t i = 0; i < n; i++)
        mean += law ? (end_s[n + i] / end_s[i] - 1) / (double)n : NAN;
    printf("%5d %6zu %6s  %8.3f %8zu %8zu %10zu  %8.3f %9zu %7zu %11.4g %8.2f\n", routes.platform.n_nodes, n, bytes,
           window_s, cost.solved_whole, cost.solved_near, cost.relaxed, fluid_s, steps.steps, steps.jumps,
           (double)steps.moves, 100 * mean);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: bench_scale zhu-random.yaml\n");
        return 2;
    }
    printf("%5s %6s %6s  %8s %8s %8s %10s  %8s %9s %7s %11s %8s\n", "hosts", "flows", "bytes", "window s", "whole",
           "near", "single", "fluid s", "steps", "jumps", "moves", "fluid %");
    static const char *const sizes[] = {"10MB", "40MB", "160MB", "1GB", "10GB", "1TB", "9000000TB"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        bench(argv[1], "network.racks=[500, 500]", "d: 3, probability: 0.5", sizes[i], true);
    bench(argv[1], "network.racks=[1000, 1000]", "d: 10, probability: 0.497", "10MB", false);
    return 0;
}
