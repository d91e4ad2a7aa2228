/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flows over Go-Back-N: many to one, pairs, whatever is listed; and their senders' traces. */
#include "results/directory.h"
#include "scenarios/run/program_gbn.h"

#define WORDS 32 /* a line */

/* So many of one event in a row. */
struct flows_events {
    enum emu_gbn_event event;
    int64_t count;
};

struct flows_sender {
    struct flows *owner; /* borrowed */
    int flow, host;
    int after;           /* the next flow of the same host; -1: none */
    struct flows_events *trace; /* owned */
    size_t n, capacity;
};

struct flows {
    struct program *program; /* borrowed */
    struct flows_sender *senders; /* owned; one a flow */
    int *first, *turn;        /* owned; of each host: its first flow, and it looks at next; -1: it has none */
    int n, done;
};

static void program_gbn_transmit(void *user, int host, const struct emu_frame *frame)
{
    const struct program *p = user;
    emu_network_transmit(p->env.network, host, frame);
}

static int64_t program_gbn_rate(void *user, int host, int to)
{
    const struct program *p = user;
    const struct emu_frame frame = {.packet = emu_frame_tag(0), .src = (uint32_t)host, .dst = (uint32_t)to};
    return emu_network_nic(p->env.network, host, &frame)->link.rate_bps;
}

void program_gbn_start(struct program *p, const struct emu_gbn_config *config, const struct emu_gbn_program *callbacks)
{
    const struct scenario *s = p->env.scenario;
    struct emu_gbn_carrier carrier = {program_gbn_transmit, program_gbn_rate, p};
    p->gbn = emu_gbn_new(config ? config : &s->gbn, s->network.hosts, &p->clock, &carrier, callbacks);
    for (int i = 0; i < s->n_flows; i++)
        emu_gbn_add_flow(p->gbn, s->flows[i].from, s->flows[i].to);
}

void program_gbn_deliver(struct program *p, int host, const struct emu_frame *frame)
{
    emu_gbn_deliver(p->gbn, host, frame);
}

struct emu_flow_stats program_gbn_stats(const struct program *p, int flow)
{
    struct emu_gbn_stats stats = emu_gbn_flow_stats(p->gbn, flow);
    int64_t bytes = p->env.scenario->gbn.packet_bytes;
    return (struct emu_flow_stats){
        .delivered_bytes = stats.received * bytes,
        .retransmitted_segments = stats.repeated,
        .retransmitted_bytes = stats.repeated * bytes,
        .first_data_ps = stats.first_sent_ps,
        .last_delivery_ps = stats.last_received_ps,
        .connected = stats.received > 0,
    };
}

static int64_t flows_packets(const struct flows *f, int flow)
{
    const struct scenario *s = f->program->env.scenario;
    int64_t bytes = s->flows[flow].bytes;
    return bytes > 0 ? (bytes + s->gbn.packet_bytes - 1) / s->gbn.packet_bytes : EMU_QUEUE_UNLIMITED;
}

static int flows_next(void *user, int host)
{
    struct flows *f = user;
    int first = f->turn[host], flow = first;
    if (first < 0)
        return -1;
    do {
        int after = f->senders[flow].after >= 0 ? f->senders[flow].after : f->first[host];
        if (emu_gbn_ready(f->program->gbn, flow)) {
            f->turn[host] = after;
            return flow;
        }
        flow = after;
    } while (flow != first);
    return -1;
}

static void flows_received(void *user, int flow)
{
    struct flows *f = user;
    f->done += emu_gbn_flow_stats(f->program->gbn, flow).received == flows_packets(f, flow);
}

static void flows_event(void *user, int flow, enum emu_gbn_event event)
{
    struct flows *f = user;
    struct flows_sender *t = &f->senders[flow];
    if (t->n > 0 && t->trace[t->n - 1].event == event) {
        t->trace[t->n - 1].count++;
        return;
    }
    t->trace = memory_grown(t->trace, t->n, &t->capacity, 64, sizeof *t->trace, "a sender's trace");
    t->trace[t->n++] = (struct flows_events){event, 1};
}

static void flows_begin(void *arg)
{
    struct flows_sender *sender = arg;
    struct flows *f = sender->owner;
    emu_gbn_write(f->program->gbn, sender->flow, flows_packets(f, sender->flow));
    emu_gbn_wake(f->program->gbn, sender->host);
}

static void flows_start(struct program *p)
{
    const struct scenario *s = p->env.scenario;
    struct flows *f = p->state;
    *f = (struct flows){.program = p, .n = s->n_flows,
                        .senders = program_memory(p, (size_t)s->n_flows, sizeof *f->senders, "flows"),
                        .first = program_memory(p, (size_t)s->network.hosts, sizeof *f->first, "flows"),
                        .turn = program_memory(p, (size_t)s->network.hosts, sizeof *f->turn, "flows")};
    for (int h = 0; h < s->network.hosts; h++)
        f->turn[h] = -1;
    for (int i = f->n - 1; i >= 0; i--) { /* each host's flows in a chain, turn at the first */
        int *turn = &f->turn[s->flows[i].from];
        f->senders[i] = (struct flows_sender){.owner = f, .flow = i, .host = s->flows[i].from, .after = *turn};
        *turn = i;
        emu_clock_schedule(&p->clock, s->flows[i].start_ps, flows_begin, &f->senders[i]);
    }
    memcpy(f->first, f->turn, (size_t)s->network.hosts * sizeof *f->first);
    program_introduce(p);
    program_gbn_start(p, NULL, &(struct emu_gbn_program){flows_next, flows_received, flows_event, f});
}

static bool flows_done(const struct program *p)
{
    const struct flows *f = p->state;
    return f->done == f->n;
}

static struct emu_flow_stats flows_stats(const struct program *p, int flow)
{
    const struct flows *f = p->state;
    struct emu_flow_stats stats = program_gbn_stats(p, flow);
    stats.done = emu_gbn_flow_stats(f->program->gbn, flow).received == flows_packets(f, flow);
    return stats;
}

static bool flows_write(const struct flows *f, const struct flows_sender *t, struct error *err)
{
    static const char *const words[] = {[EMU_GBN_PACK] = "P", [EMU_GBN_NACK] = "N", [EMU_GBN_TIMEOUT] = "TO"};
    const struct program *p = f->program;
    char name[SCENARIO_NAME + 16];
    struct outfile file;
    int64_t written = 0;
    snprintf(name, sizeof name, "%s.events", p->env.scenario->flows[t->flow].name);
    if (!results_directory_create(&file, p->env.directory, name, err))
        return false;
    for (size_t i = 0; i < t->n; i++)
        for (int64_t k = 0; k < t->trace[i].count; k++)
            fprintf(file.stream, "%s%c", words[t->trace[i].event], ++written % WORDS ? ' ' : '\n');
    if (written % WORDS)
        putc('\n', file.stream);
    return outfile_commit(&file, err);
}

static bool flows_finish(struct program *p, struct error *err)
{
    const struct flows *f = p->state;
    bool ok = true;
    for (int i = 0; ok && i < f->n; i++)
        ok = flows_write(f, &f->senders[i], err);
    return ok;
}

static void flows_free(void *state)
{
    struct flows *f = state;
    for (int i = 0; i < f->n; i++)
        free(f->senders[i].trace);
}

const struct program_ops program_flows = {
    .state_bytes = sizeof(struct flows),
    .start = flows_start,
    .deliver = program_gbn_deliver,
    .done = flows_done,
    .stats = flows_stats,
    .finish = flows_finish,
    .free = flows_free,
};
