/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a prediction costs, and how that grows with the number of transfers |E|. Max-min fairness, the textbook
 * algorithm, runs over the same patterns in the same run: ratios to it survive a noisy machine.
 * usage: bench_rules. `meson test --benchmark` runs it; it judges nothing. */
#include "model/timeline.h"
#include "test/model/patterns.h"

#include <sys/resource.h>
#include <time.h>

#define ROUNDS 201

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_rules: %s\n", what);
    exit(1);
}

/* Median time of a rule's rates (temporal: of the whole Algorithm 2 over it), s. */
static double median(const struct model_routes *routes, const struct model_rule *rule, bool temporal, int rounds)
{
    static double time_s[ROUNDS], out[PATTERN_MOST];
    struct error err;
    for (int i = 0; i < rounds; i++) {
        double start_s = now();
        if (temporal) {
            if (!model_timeline_run(routes, rule, out, NULL, NULL, &err))
                fail(err.message);
        } else {
            void *state = rule->new(routes, rule->contra_flow, &err);
            if (!state || !rule->rates(state, NULL, out, &err))
                fail(err.message);
            rule->free(state);
        }
        time_s[i] = now() - start_s;
    }
    qsort(time_s, (size_t)rounds, sizeof *time_s, compare);
    return time_s[rounds / 2];
}

static void bench(int nodes, int d, uint64_t seed, size_t exactly, int rounds, bool temporal)
{
    static struct model_transfer transfers[PATTERN_MOST];
    int *rack = calloc((size_t)nodes, sizeof *rack);
    struct error err;
    struct model_routes routes;
    size_t n = 0;
    if (!rack)
        fail("out of memory");
    struct model_platform platform = pattern_two_racks(nodes, rack);
    do
        n = pattern_random(transfers, nodes, d, true, seed++);
    while (exactly > 0 && n != exactly);
    if (!model_routes_init(&routes, &platform, &(struct model_pattern){.transfers = transfers, .n = n}, &err))
        fail(err.message);
    double maxmin_s = median(&routes, &model_rule_maxmin, temporal, rounds);
    const struct model_rule *const rules[] = {&model_rule_maxmin, &model_rule_algorithm1, &model_rule_window};
    static const char *const names[] = {"maxmin", "algorithm1", "window"};
    for (int i = 0; i < 3; i++) {
        double s = median(&routes, rules[i], temporal, rounds);
        printf("%6d %7zu  %-10s %-8s %12.1f %10.1f\n", nodes, n, names[i], temporal ? "temporal" : "rates",
               s * 1e6, s / maxmin_s);
    }
    model_routes_fini(&routes);
    free(rack);
}

int main(void)
{
    struct rusage usage;
    printf("%6s %7s  %-10s %-8s %12s %10s\n", "nodes", "|E|", "rule", "what", "median us", "x maxmin");
    bench(30, 4, 1, 57, ROUNDS, false);
    bench(30, 4, 1, 57, ROUNDS, true);
    bench(100, 5, 1, 0, 21, false);
    bench(300, 7, 1, 0, 11, false);
    bench(700, 8, 1, 0, 5, false);
    bench(2000, 10, 1, 10000, 3, false);
    getrusage(RUSAGE_SELF, &usage);
    printf("peak memory %ld MB\n", usage.ru_maxrss / 1024);
    return 0;
}
