/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Full frames without a protocol: the burst test of Tam 2001, appendix A.1, and saturated uniform traffic. */
#include "scenarios/run/program.h"
#include "results/directory.h"

#define RAW_PAYLOAD 1500
#define RAW_WIRE (RAW_PAYLOAD + EMU_FRAME_OVERHEAD_BYTES)

static void raw_send(const struct program *p, int from, int to, uint32_t number)
{
    struct emu_frame frame = {.packet = emu_frame_tag(number), .dst = (uint32_t)to, .src = (uint32_t)from,
                              .payload_bytes = RAW_PAYLOAD, .ethertype = PROGRAM_RAW_ETHERTYPE};
    emu_network_transmit(p->env.network, from, &frame);
}

static int64_t raw_wire_ps(const struct program *p, int host)
{
    const struct emu_frame towards_first = {.packet = emu_frame_tag(0)};
    return emu_port_wire_ps(&emu_network_nic(p->env.network, host, &towards_first)->link, RAW_WIRE);
}

/* A burst: sources h0, ..., sinks the last hosts; source i sends to sink i modulo R. */
struct burst_row {
    int64_t sources, sinks, packets, received;
    int64_t send_gap_ps;               /* of one source */
    int64_t gaps_ps, gaps;             /* at the sinks: sum and number */
};

struct burst {
    struct program *program; /* borrowed */
    struct burst_row *rows;  /* owned */
    int64_t *last_ps;        /* owned; by host: when its last frame of this burst came; -1: none */
    int n, at;               /* bursts; the one under way, -1 before the first */
};

static void burst_begin(void *arg)
{
    struct burst *b = arg;
    const struct program *p = b->program;
    int hosts = p->env.scenario->network.hosts;
    if (++b->at == b->n)
        return;
    struct burst_row *row = &b->rows[b->at];
    for (int h = 0; h < hosts; h++)
        b->last_ps[h] = -1;
    int64_t longest_ps = 0;
    for (int i = 0; i < row->sources; i++) {
        int64_t count = row->packets / row->sources + (i < row->packets % row->sources);
        int sink = hosts - (int)row->sinks + (int)(i % row->sinks);
        for (int64_t k = 0; k < count; k++)
            raw_send(p, i, sink, (uint32_t)b->at);
        int64_t send_ps = count * raw_wire_ps(p, i), drain_ps = row->packets * raw_wire_ps(p, sink);
        longest_ps = send_ps + drain_ps > longest_ps ? send_ps + drain_ps : longest_ps;
    }
    row->send_gap_ps = raw_wire_ps(p, 0);
    emu_clock_schedule(&p->clock, longest_ps + PROGRAM_SETTLE_PS, burst_begin, b);
}

static void burst_start(struct program *p)
{
    const struct scenario_burst *config = &p->env.scenario->burst;
    struct burst *b = p->state;
    size_t most = (size_t)config->n_sources * (size_t)config->n_sinks * (size_t)config->n_packets;
    *b = (struct burst){
        .program = p,
        .at = -1,
        .rows = program_memory(p, most, sizeof *b->rows, "bursts"),
        .last_ps = program_memory(p, (size_t)p->env.scenario->network.hosts, sizeof *b->last_ps, "bursts"),
    };
    for (int i = 0; i < config->n_sources; i++)
        for (int j = 0; j < config->n_sinks; j++)
            for (int k = 0; k < config->n_packets && config->sources[i] > config->sinks[j]; k++)
                b->rows[b->n++] = (struct burst_row){.sources = config->sources[i], .sinks = config->sinks[j],
                                                     .packets = config->packets[k]};
    program_introduce(p);
    emu_clock_schedule(&p->clock, PROGRAM_SETTLE_PS, burst_begin, b);
}

static void burst_deliver(struct program *p, int host, const struct emu_frame *frame)
{
    struct burst *b = p->state;
    if (frame->dst != (uint32_t)host || frame->payload_bytes != RAW_PAYLOAD || b->at < 0 || b->at >= b->n ||
        emu_frame_tag_content(frame->packet) != (uint64_t)b->at)
        return;
    struct burst_row *row = &b->rows[b->at];
    int64_t now_ps = emu_clock_now(&p->clock);
    row->received++;
    if (b->last_ps[host] >= 0) {
        row->gaps_ps += now_ps - b->last_ps[host];
        row->gaps++;
    }
    b->last_ps[host] = now_ps;
}

static bool burst_done(const struct program *p)
{
    const struct burst *b = p->state;
    return b->at == b->n;
}

static bool burst_finish(struct program *p, struct error *err)
{
    const struct burst *b = p->state;
    struct outfile f;
    if (!results_directory_create(&f, p->env.directory, "bursts.csv", err))
        return false;
    fputs("sources,sinks,packets,received,send_gap_s,receive_gap_s\n", f.stream);
    for (int i = 0; i < b->n && i < b->at; i++) {
        const struct burst_row *row = &b->rows[i];
        fprintf(f.stream, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", row->sources, row->sinks, row->packets,
                row->received);
        results_csv_time(f.stream, row->send_gap_ps);
        putc(',', f.stream);
        results_csv_time(f.stream, row->gaps > 0 ? row->gaps_ps / row->gaps : -1);
        putc('\n', f.stream);
    }
    return outfile_commit(&f, err);
}

const struct program_ops program_burst = {
    .state_bytes = sizeof(struct burst),
    .start = burst_start,
    .deliver = burst_deliver,
    .done = burst_done,
    .finish = burst_finish,
};

struct uniform_source {
    struct uniform *owner; /* borrowed */
    int host;
};

struct uniform {
    struct program *program; /* borrowed */
    struct uniform_source *sources; /* owned */
    int64_t *offered, *received;    /* owned; by sink, after the warm-up */
    struct random random;
};

static bool uniform_counts(const struct uniform *u)
{
    return emu_clock_now(&u->program->clock) >= u->program->env.scenario->warmup_ps;
}

/* The next frame of a source, and when the one after it comes: at full load back to back, below it a geometric
 * number of frame times later. */
static void uniform_send(void *arg)
{
    struct uniform_source *source = arg;
    struct uniform *u = source->owner;
    const struct scenario *s = u->program->env.scenario;
    int sink = (int)random_below(&u->random, (uint64_t)s->uniform.ports);
    u->offered[sink] += uniform_counts(u);
    raw_send(u->program, source->host, s->network.hosts - (int)s->uniform.ports + sink, 1);
    int64_t slots = 1;
    while (random_share(&u->random) >= s->uniform.load)
        slots++;
    emu_clock_schedule(&u->program->clock, slots * raw_wire_ps(u->program, source->host), uniform_send, source);
}

static void uniform_start(struct program *p)
{
    const struct scenario *s = p->env.scenario;
    size_t ports = (size_t)s->uniform.ports;
    struct uniform *u = p->state;
    *u = (struct uniform){
        .program = p,
        .sources = program_memory(p, ports, sizeof *u->sources, "uniform traffic"),
        .offered = program_memory(p, ports, sizeof *u->offered, "uniform traffic"),
        .received = program_memory(p, ports, sizeof *u->received, "uniform traffic"),
    };
    u->random = random_of(s->seed);
    program_introduce(p);
    for (int i = 0; i < (int)ports; i++) {
        u->sources[i] = (struct uniform_source){u, i};
        emu_clock_schedule(&p->clock, PROGRAM_SETTLE_PS, uniform_send, &u->sources[i]);
    }
}

static void uniform_deliver(struct program *p, int host, const struct emu_frame *frame)
{
    struct uniform *u = p->state;
    int sink = host - (p->env.scenario->network.hosts - (int)p->env.scenario->uniform.ports);
    if (frame->dst == (uint32_t)host && frame->payload_bytes == RAW_PAYLOAD && sink >= 0)
        u->received[sink] += uniform_counts(u);
}

static bool uniform_done(const struct program *p UNUSED)
{
    return false; /* it ends with the run */
}

static bool uniform_finish(struct program *p, struct error *err)
{
    const struct uniform *u = p->state;
    const struct scenario *s = p->env.scenario;
    int64_t span_ps = emu_clock_now(&p->clock) - s->warmup_ps;
    struct outfile f;
    if (!results_directory_create(&f, p->env.directory, "uniform.csv", err))
        return false;
    fputs("sink,offered_frames,received_frames,utilization\n", f.stream);
    for (int i = 0; i < s->uniform.ports; i++) {
        int host = s->network.hosts - (int)s->uniform.ports + i;
        fprintf(f.stream, "h%d,%" PRId64 ",%" PRId64 ",%.6f\n", host, u->offered[i], u->received[i],
                (double)u->received[i] * (double)raw_wire_ps(p, host) / (double)span_ps);
    }
    return outfile_commit(&f, err);
}

const struct program_ops program_uniform = {
    .state_bytes = sizeof(struct uniform),
    .start = uniform_start,
    .deliver = uniform_deliver,
    .done = uniform_done,
    .finish = uniform_finish,
};
