/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pairs of hosts across the network's middle that send one packet to and fro at the same time: Tam 2001, appendix A.5.
 * One number of pairs after another. */
#include "scenarios/run/program_gbn.h"
#include "results/directory.h"

struct pingpong_result {
    int64_t sum_ps, rounds;
};

struct pingpong {
    struct program *program; /* borrowed */
    int n, most;          /* tests; pairs of the largest */
    int test, running;    /* which; its pairs that have not ended */
    int64_t *start_ps;    /* owned; of each pair's round */
    struct pingpong_result *results; /* owned; [test * most + pair] */
};

static struct pingpong_result *pingpong_result(const struct pingpong *g, int pair)
{
    return &g->results[g->test * g->most + pair];
}

static void pingpong_send(struct pingpong *g, int flow)
{
    emu_gbn_write(g->program->gbn, flow, 1);
    emu_gbn_wake(g->program->gbn, g->program->env.scenario->flows[flow].from);
}

static void pingpong_serve(struct pingpong *g, int pair)
{
    g->start_ps[pair] = emu_clock_now(&g->program->clock);
    pingpong_send(g, 2 * pair);
}

static void pingpong_begin(void *arg)
{
    struct pingpong *g = arg;
    g->running = (int)g->program->env.scenario->pingpong.pairs[g->test];
    for (int i = 0; i < g->running; i++)
        pingpong_serve(g, i);
}

static int pingpong_next(void *user, int host)
{
    const struct pingpong *g = user;
    const struct scenario *s = g->program->env.scenario;
    int pair = host < s->network.hosts / 2 ? host : host - s->network.hosts / 2;
    int flow = 2 * pair + (host >= s->network.hosts / 2);
    return pair < g->most && emu_gbn_ready(g->program->gbn, flow) ? flow : -1;
}

static void pingpong_received(void *user, int flow)
{
    struct pingpong *g = user;
    const struct scenario_pingpong *config = &g->program->env.scenario->pingpong;
    int pair = flow / 2;
    if (flow % 2 == 0) {
        pingpong_send(g, flow + 1);
        return;
    }
    struct pingpong_result *r = pingpong_result(g, pair);
    r->sum_ps += emu_clock_now(&g->program->clock) - g->start_ps[pair];
    if (++r->rounds < config->rounds)
        pingpong_serve(g, pair);
    else if (--g->running == 0 && ++g->test < g->n)
        emu_clock_schedule(&g->program->clock, PROGRAM_SETTLE_PS, pingpong_begin, g);
}

static void pingpong_start(struct program *p)
{
    const struct scenario *s = p->env.scenario;
    struct pingpong *g = p->state;
    *g = (struct pingpong){.program = p, .n = s->pingpong.n_pairs, .most = s->n_flows / 2,
                           .start_ps = program_memory(p, (size_t)s->n_flows, sizeof *g->start_ps, "ping-pong")};
    g->results = program_memory(p, (size_t)g->n * (size_t)g->most, sizeof *g->results, "ping-pong");
    struct emu_gbn_config config = s->gbn; /* the answer is what acknowledges */
    config.ack_every = config.window_packets;
    program_gbn_start(p, &config, &(struct emu_gbn_program){pingpong_next, pingpong_received, NULL, g});
    program_introduce(p);
    emu_clock_schedule(&p->clock, PROGRAM_SETTLE_PS, pingpong_begin, g);
}

static bool pingpong_done(const struct program *p)
{
    const struct pingpong *g = p->state;
    return g->test == g->n;
}

static bool pingpong_finish(struct program *p, struct error *err)
{
    const struct pingpong *g = p->state;
    const struct scenario *s = p->env.scenario;
    struct outfile f;
    if (!results_directory_create(&f, p->env.directory, "pingpong.csv", err))
        return false;
    fputs("pairs,pair,rounds,rtt_s\n", f.stream);
    for (int t = 0; t < g->n; t++)
        for (int i = 0; i < s->pingpong.pairs[t]; i++) {
            const struct pingpong_result *r = &g->results[t * g->most + i];
            if (r->rounds == 0)
                continue;
            fprintf(f.stream, "%" PRId64 ",%d,%" PRId64 ",", s->pingpong.pairs[t], i, r->rounds);
            results_csv_time(f.stream, r->sum_ps / r->rounds);
            putc('\n', f.stream);
        }
    return outfile_commit(&f, err);
}

const struct program_ops program_pingpong = {
    .state_bytes = sizeof(struct pingpong),
    .start = pingpong_start,
    .deliver = program_gbn_deliver,
    .done = pingpong_done,
    .stats = program_gbn_stats,
    .finish = pingpong_finish,
};
