/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/run.h"

#include "base/text.h"
#include "capture/writer.h"
#include "emu/headers.h"
#include "emu/network/windows.h"
#include "results/directory.h"
#include "scenarios/commands.h"
#include "scenarios/run/program.h"
#include "scenarios/run/record.h"
#include "scenarios/run/samples.h"
#include "scenarios/run/timed.h"
#include "scenarios/traffic/pauses.h"

#define VLAN_TAG_AT 12 /* after both addresses */
#define VLAN_TAG_BYTES 4
#define SAMPLES 500                         /* of queues and deliveries over the run */
#define BOUNDED_SAMPLE_PS (UNITS_PS_PER_MS) /* the same when every flow ends by itself, long before `duration` */
#define FIRST_WINDOW_PS UNITS_PS_PER_MS     /* connections may be made by then; else twice as late, and so on */
#define WATCH_PS (10 * UNITS_PS_PER_MS)     /* progress and interrupts: well under a second of wall time */
#define WATCHES 10000                       /* at most, where next to nothing happens in hours */

/* One capture: frames seen at a port go into its file. */
struct run_tap {
    struct run *run;
    struct capture_writer *writer; /* owned */
    uint32_t snaplen;
    int vlan; /* tag of its frames; 0: none */
    struct results_capture record;
    uint8_t bytes[65536]; /* of a frame; on the stack, AddressSanitizer would mark as much for each */
};

/* Losses of a flow since the warm-up; retransmissions of one round trip count once, for they halve its window once. */
struct run_losses {
    int64_t segments; /* retransmitted, when last looked at */
    int64_t last_ps;  /* when the latest of the events began */
    size_t events;
};

struct run {
    const struct scenario *scenario;
    struct scenario grown; /* the same with the flows that programs open, as they come */
    size_t room;           /* for so many flows */
    const struct scenario_run_options *options;
    struct emu_engine *engine;
    struct emu_network network;
    const int64_t *time_ps; /* borrowed; of all hosts; NULL: each has its own */
    bool straight; /* every frame tells its flow, and nobody but the engine looks at what comes */
    struct program *program;      /* owned; NULL: the engine's own flows */
    struct pauses *pauses;        /* owned; NULL: nobody pauses */
    struct datagrams *datagrams;  /* owned; NULL: TCP alone */
    struct windows *windows;      /* owned; NULL: TCP finds its own */
    struct emu_windows *by_window; /* owned; NULL: one event after the other */
    struct emu_lateness lateness; /* wall time */
    struct run_tap *taps;         /* owned; one a capture */
    struct record_queues queues;
    struct waits_flow *waits;     /* owned; one a flow */
    struct waits_flow *warm;      /* owned; the same, as they were after the warm-up; NULL before */
    int64_t sample_ps;
    struct run_losses *losses;    /* owned; one a flow */
    struct samples delivered;     /* bytes, after the warm-up */
    size_t samples_most;          /* of them */
    struct results_progress progress;
    int64_t progress_ps; /* to its next time; 0: there is none */
    uint16_t (*ports)[2]; /* owned; of the flows of programs */
    struct run_program {
        char *output;       /* owned; file */
        const char **words; /* owned; with a NULL after the last */
    } *programs;            /* owned */
    bool interrupted, failed, over;
    int64_t frames; /* sent by hosts' TCP where that is limited, and by others; and what applications wrote to send */
    struct error error;           /* why it failed */
};

static void run_stop(struct run *r)
{
    r->over = true;
    emu_engine_stop(r->engine);
}

static void run_fail(struct run *r)
{
    r->failed = true;
    run_stop(r);
}

/* Over when so much has been done as was allowed. */
static bool run_spend(struct run *r)
{
    bool spent = r->options->frames > 0 && r->frames >= r->options->frames;
    if (spent && !r->over)
        run_stop(r);
    return spent;
}

static void run_transmit(void *user, int host, const struct emu_frame *frame)
{
    struct run *r = user;
    if (r->options->frames > 0) {
        r->frames++;
        run_spend(r);
    }
    if (r->program && r->program->ops->sent && !emu_frame_is_tagged(frame->packet))
        r->program->ops->sent(r->program, frame);
    emu_network_transmit(&r->network, host, frame);
}

/* Where nobody looks at frames on their way from stack to NIC. */
static struct emu_port *run_port(void *user, int host)
{
    struct run *r = user;
    bool seen = r->options->frames > 0 || (r->program && r->program->ops->sent);
    return seen ? NULL : emu_network_only_nic(&r->network, host);
}

/* What is no engine's. */
static __attribute__((noinline)) void run_deliver_tagged(struct run *r, int host, const struct emu_frame *frame)
{
    if (r->program && r->program->ops->deliver)
        r->program->ops->deliver(r->program, host, frame);
}

/* A frame of an engine whose clock has no one place, or of a program that looks. */
static __attribute__((noinline)) void run_deliver_closely(struct run *r, int host, const struct emu_frame *frame)
{
    uint32_t id = r->network.ops->flow(frame);
    const struct emu_clock *clock = &r->network.nics[r->network.first_nic[host]].clock;
    if (id / 2 < (uint32_t)r->scenario->n_flows && frame->dst == (uint32_t)host) /* else it is ARP, or flooded */
        waits_add(r->waits, id, &r->network, frame, emu_clock_now(clock));
    if (r->program && r->program->ops->arrives)
        r->program->ops->arrives(r->program, host, frame);
    emu_engine_deliver(r->engine, host, frame);
}

/* The first of its size that counts. */
static __attribute__((noinline)) void run_deliver_first(struct run *r, int host, const struct emu_frame *frame, int64_t now_ps)
{
    waits_add(r->waits, *(const uint32_t *)frame->packet, &r->network, frame, now_ps);
    emu_engine_deliver(r->engine, host, frame);
}

static void run_deliver(void *user, int host, const struct emu_frame *frame)
{
    struct run *r = user;
    if (__builtin_expect(emu_frame_is_tagged(frame->packet), 0)) {
        run_deliver_tagged(r, host, frame);
        return;
    }
    if (__builtin_expect(!r->straight, 0)) {
        run_deliver_closely(r, host, frame);
        return;
    }
    uint32_t id = *(const uint32_t *)frame->packet;
    if (frame->dst == (uint32_t)host && id / 2 < r->room && frame->pure_ack == (id & 1)) { /* else it was flooded, or does not count */
        int64_t now_ps = r->time_ps ? *r->time_ps : *r->network.nics[r->network.first_nic[host]].clock.time_ps;
        if (__builtin_expect(!waits_add_known(&r->waits[id / 2], frame, now_ps), 0)) {
            run_deliver_first(r, host, frame, now_ps);
            return;
        }
    }
    emu_engine_deliver(r->engine, host, frame);
}

static void run_look(void *user, const struct emu_frame *frame)
{
    const struct run *r = user;
    const struct emu_frame_ops *ops = r->network.ops;
    if (emu_frame_is_tagged(frame->packet))
        return;
    if (ops->look)
        ops->look(frame);
    if (r->straight && *(const uint32_t *)frame->packet / 2 < r->room) {
        const struct waits_flow *w = &r->waits[*(const uint32_t *)frame->packet / 2];
        __builtin_prefetch(frame->pure_ack ? &w->ack : &w->data, 1);
    }
}

static void run_delivered(void *user, int flow, int64_t bytes)
{
    struct run *r = user;
    if (r->program)
        r->program->ops->delivered(r->program, flow, bytes);
}

static void run_drained(void *user, int flow)
{
    struct run *r = user;
    if (r->pauses)
        pauses_drained(r->pauses, flow);
}

/* A flow of a program, from its first data on. */
static void run_found(void *user, const struct emu_flow_found *found)
{
    struct run *r = user;
    struct scenario *s = &r->grown;
    struct emu_clock clock = emu_engine_clock(r->engine);
    if ((size_t)s->n_flows == r->room) {
        if (!r->failed)
            error_set(&r->error, ERROR_INPUT, "traffic.programs: more than %d flows cannot be judged", SCENARIO_FLOWS);
        run_fail(r);
        return;
    }
    struct scenario_flow *flow = &s->flows[s->n_flows];
    int again = 1;
    *flow = (struct scenario_flow){.from = found->source,
                                   .to = found->sink,
                                   .start_ps = emu_clock_now(&clock),
                                   .repeat = 1,
                                   .tcp = scenario_flow_tcp(s, s->tcp.receive_buffer_bytes)};
    for (int i = 0; i < s->n_flows; i++) /* ports come again */
        again += s->flows[i].from == flow->from && s->flows[i].to == flow->to &&
                 r->ports[i][0] == found->source_port && r->ports[i][1] == found->sink_port;
    text_add(flow->name, sizeof flow->name, "h%d.%d-h%d.%d", flow->from, found->source_port, flow->to,
             found->sink_port);
    if (again > 1)
        text_add(flow->name, sizeof flow->name, ".%d", again);
    r->ports[s->n_flows][0] = found->source_port;
    r->ports[s->n_flows++][1] = found->sink_port;
}

static struct emu_flow_stats run_flow_stats(const struct run *r, int flow)
{
    return r->program && r->program->ops->stats ? r->program->ops->stats(r->program, flow)
                                                : emu_engine_flow_stats(r->engine, flow);
}

/* Puts an IEEE 802.1Q tag after the addresses; returns the length. */
static size_t run_tag(uint8_t *bytes, size_t n, size_t most, int vlan)
{
    const uint8_t tag[VLAN_TAG_BYTES] = {0x81, 0x00, (uint8_t)(vlan >> 8), (uint8_t)vlan};
    size_t kept = n + VLAN_TAG_BYTES > most ? most : n + VLAN_TAG_BYTES;
    memmove(bytes + VLAN_TAG_AT + VLAN_TAG_BYTES, bytes + VLAN_TAG_AT, kept - VLAN_TAG_BYTES - VLAN_TAG_AT);
    memcpy(bytes + VLAN_TAG_AT, tag, sizeof tag);
    return kept;
}

static void run_saw(void *user, enum emu_tap_event event, int64_t time_ps, const struct emu_frame *frame,
                    const struct emu_queue *queue UNUSED)
{
    struct run_tap *t = user;
    if (event == EMU_TAP_DROP || event == EMU_TAP_LOST || t->run->failed)
        return; /* a dropped frame never passes the tap, nor does a lost one reach it */
    size_t (*bytes)(const struct emu_frame *, uint8_t *, size_t) =
        !emu_frame_is_tagged(frame->packet)   ? emu_engine_frame_ops()->bytes
        : frame->ethertype == EMU_FRAME_IPV4 ? emu_headers_datagram
                                             : emu_gbn_bytes;
    size_t n = bytes(frame, t->bytes, t->snaplen);
    uint32_t wire = (uint32_t)(emu_frame_buffer_bytes(frame) - EMU_FRAME_FCS_BYTES);
    if (t->vlan) {
        n = run_tag(t->bytes, n, t->snaplen, t->vlan);
        wire += VLAN_TAG_BYTES;
    }
    enum capture_direction direction = event == EMU_TAP_IN ? CAPTURE_DIRECTION_IN : CAPTURE_DIRECTION_OUT;
    t->record.frames++;
    if (!capture_writer_write(t->writer, time_ps / UNITS_PS_PER_NS, t->bytes, (uint32_t)n, wire, direction,
                              &t->run->error))
        run_fail(t->run);
}

static bool run_open_taps(struct run *r)
{
    const struct scenario *s = r->scenario;
    for (int i = 0; i < s->n_captures; i++) {
        const struct scenario_capture *c = &s->captures[i];
        struct run_tap *t = &r->taps[i];
        struct emu_port *port = emu_network_find(&r->network, c->at);
        if (!port)
            return error_set(&r->error, ERROR_INPUT, "capture.%d.at: no port is called '%s'", i, c->at);
        bool ng = c->format == SCENARIO_FORMAT_PCAPNG;
        *t = (struct run_tap){.run = r, .snaplen = (uint32_t)c->snaplen, .vlan = port->link.framing.vlan};
        snprintf(t->record.at, sizeof t->record.at, "%s", c->at);
        snprintf(t->record.file, sizeof t->record.file, "%s.%s", c->at, ng ? "pcapng" : "pcap");
        MEMORY_LOCAL char *path = results_directory_path(r->options->directory, t->record.file);
        t->writer = capture_writer_open(
            path,
            &(struct capture_writer_config){.format = ng ? CAPTURE_FORMAT_PCAPNG : CAPTURE_FORMAT_PCAP,
                                            .snaplen = t->snaplen,
                                            .interface = c->at,
                                            .application = "contraflow " CONTRAFLOW_VERSION,
                                            .link_rate_bps = port->link.rate_bps},
            &r->error);
        if (!t->writer)
            return false;
        port->tap = (struct emu_tap){run_saw, t};
    }
    return true;
}

static void run_left(void *user, const struct emu_frame *frame)
{
    struct run *r = user;
    if (!emu_frame_is_tagged(frame->packet))
        emu_engine_left(r->engine, (int)frame->src, frame);
    if (r->program && r->program->ops->left && !emu_frame_is_tagged(frame->packet))
        r->program->ops->left(r->program, frame);
}

static bool run_add_traffic(struct run *r)
{
    const struct scenario *s = r->scenario;
    for (int i = 0; i < emu_network_nic_count(&r->network) && (s->tcp.small_queue_bytes > 0 || s->n_played > 0); i++)
        emu_network_port(&r->network, i)->watch = (struct emu_port_watch){run_left, r};
    for (int h = 0; h < s->network.hosts; h++) {
        if (emu_engine_add_host(r->engine, &r->error) < 0)
            return false;
    }
    for (int i = 0; i < s->n_flows; i++)
        if (s->flows[i].traffic_class > 0)
            emu_network_classify(&r->network, i, s->flows[i].traffic_class);
    for (int i = 0; i < s->n_flows && scenario_has_streams(s); i++) {
        const struct scenario_flow *f = &s->flows[i];
        struct emu_flow_config config = {f->from, f->to,     f->start_ps,
                                         f->bytes, f->tcp, f->duplex, program_writes(s, i) || pauses_has(f)};
        if (emu_engine_add_flow(r->engine, &config, &r->error) < 0)
            return error_prefix(&r->error, "flow %s: ", f->name);
    }
    struct emu_tcp_config tcp = scenario_flow_tcp(s, s->tcp.receive_buffer_bytes);
    for (int i = 0; i < s->n_programs; i++) {
        const struct scenario_program *p = &s->programs[i];
        struct run_program *own = &r->programs[i];
        own->output = scenario_commands_output(p);
        own->words = memory_zeroed((size_t)p->n_words + 1, sizeof *own->words, "a command");
        for (int k = 0; k < p->n_words; k++)
            own->words[k] = p->command[k].text;
        struct emu_program_config config = {p->host, p->start_ps, own->words, r->options->directory, own->output, tcp};
        if (!emu_engine_add_program(r->engine, &config, &r->error))
            return error_prefix(&r->error, "traffic.programs.%d: ", i);
    }
    r->pauses = pauses_any(s) ? pauses_new(s, r->engine, &r->frames) : NULL;
    struct emu_clock clock = emu_engine_clock(r->engine);
    r->windows = scenario_has_streams(s) ? windows_new(s, r->engine) : NULL;
    r->datagrams = datagrams_new(s, &r->network, &clock, &r->frames);
    struct program_env env = {s, r->engine, &r->network, r->options->directory};
    r->program = program_wanted(s) ? program_new(&env) : NULL;
    return true;
}

static bool run_all_done(const struct run *r)
{
    if (r->program)
        return r->program->ops->done(r->program);
    if (r->scenario->n_programs > 0)
        return emu_engine_programs_done(r->engine);
    for (int i = 0; i < r->scenario->n_flows; i++)
        if (!emu_engine_flow_stats(r->engine, i).done)
            return false;
    return true;
}

static void run_count_losses(struct run *r, int flow, int64_t segments, int64_t now_ps)
{
    struct run_losses *l = &r->losses[flow];
    if (r->delivered.n > 0 && segments > l->segments) {
        const struct waits_flow *w = &r->waits[flow];
        double since_s = (double)(now_ps - l->last_ps) / (double)UNITS_PS_PER_S;
        double round_trip_s = waits_floor_s(w) + waits_mean_s(&w->data, NULL) + waits_mean_s(&w->ack, NULL);
        if (!(l->events > 0 && since_s < round_trip_s)) {
            l->events++;
            l->last_ps = now_ps;
        }
    }
    l->segments = segments;
}

/* What flows have had done, more rarely as the run becomes longer. */
static void run_keep_progress(void *arg)
{
    struct run *r = arg;
    const struct scenario *s = r->scenario;
    struct emu_clock clock = emu_engine_clock(r->engine);
    struct results_progress_point *point =
        results_progress_add(&r->progress, (double)emu_clock_now(&clock) / UNITS_PS_PER_S);
    bool over = s->barrier; /* behind one the first messages show all */
    for (int i = 0; i < s->n_flows; i++) {
        struct emu_flow_stats stats = run_flow_stats(r, i);
        const struct waits_flow *w = &r->waits[i];
        point[i] = (struct results_progress_point){(double)stats.delivered_bytes,
                                                   (double)stats.delivered_back_bytes,
                                                   (double)w->data.frames,
                                                   w->data.wait_sum_ps / UNITS_PS_PER_S,
                                                   (double)w->ack.frames,
                                                   w->ack.wait_sum_ps / UNITS_PS_PER_S};
        over = over && stats.delivered_bytes >= s->flows[i].bytes;
    }
    if (results_progress_thin(&r->progress))
        r->progress_ps *= 2;
    if (over)
        r->progress_ps = 0;
    else
        emu_clock_schedule(&clock, r->progress_ps, run_keep_progress, r);
}

/* Every sample_ps: queue depths, deliveries, and whether all is delivered. */
static void run_sample(void *arg)
{
    struct run *r = arg;
    const struct scenario *s = r->scenario;
    struct emu_clock clock = emu_engine_clock(r->engine);
    int64_t now_ps = emu_clock_now(&clock);
    record_queues_sample(&r->queues, &r->network, now_ps);
    if (now_ps >= s->warmup_ps && !r->warm) {
        r->warm = memory_zeroed(r->room, sizeof *r->warm, "the flows of a run");
        memcpy(r->warm, r->waits, (size_t)s->n_flows * sizeof *r->warm);
    }
    if (now_ps >= s->warmup_ps && r->delivered.n < r->samples_most) {
        for (int i = 0; i < s->n_flows; i++) {
            struct emu_flow_stats stats = run_flow_stats(r, i);
            run_count_losses(r, i, stats.retransmitted_segments, now_ps);
            samples_add(&r->delivered, stats.delivered_bytes);
        }
        samples_end(&r->delivered);
    }
    if (run_all_done(r))
        run_stop(r);
    else
        r->straight = clock.time_ps && r->network.ops->flow_first && s->n_programs == 0 &&
                  !(r->program && r->program->ops->arrives);
    emu_clock_schedule(&clock, r->sample_ps, run_sample, r);
}

/* How much of the run is done: of its time, or of the messages that its precision or its end asks for. */
static double run_fraction(const struct run *r, int64_t now_ps)
{
    const struct scenario *s = r->scenario;
    double time = (double)now_ps / (double)s->duration_ps, least = 1;
    if (!(s->precision > 0) || !r->program || !r->program->ops->times)
        return time;
    for (int i = 0; i < s->n_flows; i++) {
        struct estimate_running times = r->program->ops->times(r->program, i);
        if (program_writes(s, i))
            least = fmin(least, fmax(scenario_precise_share(s, &times), (double)times.n / (double)s->flows[i].repeat));
    }
    return fmax(time, least);
}

static void run_watch(void *arg)
{
    struct run *r = arg;
    struct emu_clock clock = emu_engine_clock(r->engine);
    if (r->options->progress)
        r->options->progress(r->options->user, run_fraction(r, emu_clock_now(&clock)));
    r->interrupted = r->options->interrupt && *r->options->interrupt;
    if (r->interrupted)
        run_stop(r);
    else if (!run_spend(r)) {
        int64_t watch_ps = r->scenario->duration_ps / WATCHES > WATCH_PS ? r->scenario->duration_ps / WATCHES : WATCH_PS;
        emu_clock_schedule(&clock, r->sample_ps < watch_ps ? r->sample_ps : watch_ps, run_watch, r);
    }
}

/* Goodput after the warm-up, over samples in which the flow was running. In place of the bytes it had by each. */
static struct estimate_series run_series(const struct run *r, int flow, double *bytes, size_t cycles)
{
    int64_t total = r->scenario->flows[flow].bytes;
    double seconds = (double)r->sample_ps / (double)UNITS_PS_PER_S;
    size_t n = 0, samples = r->delivered.n;
    for (; samples > 0 && bytes[0] == 0 && bytes[samples - 1] > 0; samples--) /* not begun */
        bytes++;
    while (n + 1 < samples && !(total && bytes[n + 1] >= (double)total)) {
        bytes[n] = (bytes[n + 1] - bytes[n]) * 8 / seconds; /* bytes[n] is not needed again */
        n++;
    }
    return (struct estimate_series){bytes, n, 8.0 * (double)r->scenario->flows[flow].tcp.segment_bytes / seconds,
                                    cycles};
}

/* Whether no host both sends and receives data. */
static bool run_one_way(const struct scenario *s)
{
    MEMORY_LOCAL bool *sends = memory_zeroed((size_t)s->network.hosts, sizeof *sends, "hosts");
    bool one = true;
    for (int i = 0; i < s->n_flows; i++)
        sends[s->flows[i].from] = true;
    for (int i = 0; i < s->n_flows; i++)
        one = one && !sends[s->flows[i].to] && !s->flows[i].duplex;
    return one;
}

/* Mean goodput of each flow. What one flow does to another is over no sooner than the slowest of them forgets it, nor
 * while one of them drifts, nor where one may be shut out. */
static void run_steady(const struct run *r, struct record_flow *flows)
{
    int n = r->scenario->n_flows;
    size_t slowest = 0;
    double drift_p = 1, stall = 0, *bytes MEMORY_LOCAL = memory_zeroed(r->delivered.n, sizeof *bytes, "the flows of a run");
    MEMORY_ENDS(samples_reader_fini) struct samples_reader delivered;
    samples_reader_init(&delivered, &r->delivered);
    for (int i = 0; i < n; i++)
        if (r->losses[i].events > 0 && (slowest == 0 || r->losses[i].events < slowest))
            slowest = r->losses[i].events;
    for (int i = 0; i < n; i++) {
        samples_read(&delivered, bytes);
        struct estimate_series series = run_series(r, i, bytes, slowest);
        flows[i].steady_bps = estimate_steady(&series);
        drift_p = fmin(drift_p, estimate_drift_p(&series));
        stall = fmax(stall, estimate_stall(&series));
    }
    bool silent = drift_p * n < ESTIMATE_DRIFT_P || (stall > ESTIMATE_STALL_MOST && run_one_way(r->scenario));
    for (int i = 0; i < n && silent; i++)
        flows[i].steady_bps.std_error = flows[i].steady_bps.ci95 = NAN;
}

/* Figures of a run in wall time are worth something only where frames were in time. */
static bool run_in_time(struct run *r)
{
    const struct emu_lateness *l = &r->lateness;
    const double us = 1e-6, most = r->scenario->late_share;
    struct emu_clock clock = emu_engine_clock(r->engine);
    double share = emu_lateness_share(l);
    double overdue = fmin((double)l->overdue_ps / fmax((double)emu_clock_now(&clock), 1), 1);
    if (l->lost > 0)
        return error_set(&r->error, ERROR_SYSTEM, "void: the kernel itself lost %lld frames between hosts and our "
                         "switches; the machine is too slow for this rate", (long long)l->lost);
    return (share <= most && overdue <= most) ||
           error_set(&r->error, ERROR_SYSTEM,
                     "void: %.3g %% of %lld frames were late by more than %.5g us, and for %.3g %% of the time one was "
                     "overdue, where wall.late_share is %.3g %%; %.1f us (median), %.1f us (99 %%), %.1f us (most)",
                     100 * share, (long long)l->frames, us * (double)l->bound_ps, 100 * overdue, 100 * most,
                     us * (double)emu_lateness_quantile_ps(l, 0.5), us * (double)emu_lateness_quantile_ps(l, 0.99),
                     us * (double)l->most_ps);
}

/* Closes everything; what the run leaves depends on how it ended. */
static bool run_finish(struct run *r, struct scenario_run_result *result)
{
    const struct scenario *s = r->scenario;
    struct emu_clock clock = emu_engine_clock(r->engine);
    int64_t ended_ps = emu_clock_now(&clock);
    *result = (struct scenario_run_result){r->interrupted, ended_ps};
    MEMORY_LOCAL struct record_flow *flows = memory_zeroed((size_t)s->n_flows, sizeof *flows, "the flows of a run");
    MEMORY_LOCAL struct results_capture *captures = memory_zeroed((size_t)s->n_captures, sizeof *captures, "captures");
    struct estimate_running operations = {0};
    struct results_messages messages = {0};
    bool wall = s->clock == SCENARIO_CLOCK_WALL, ok = true;
    size_t samples = r->delivered.n;
    if (r->program && r->program->ops->operations)
        operations = r->program->ops->operations(r->program);
    if (r->program && r->program->ops->messages)
        r->program->ops->messages(r->program, &messages);
    for (int i = 0; i < s->n_captures; i++) {
        struct run_tap *t = &r->taps[i];
        captures[i] = t->record;
        ok = capture_writer_close(t->writer, ok ? &r->error : &(struct error){0}) && ok;
        t->writer = NULL;
    }
    for (int i = 0; i < s->n_flows && s->n_programs > 0; i++) {
        struct emu_flow_stats stats = run_flow_stats(r, i);
        r->grown.flows[i].bytes = stats.done ? stats.delivered_bytes : 0;
    }
    run_steady(r, flows);
    samples_fini(&r->delivered); /* what follows needs much for its own */
    if (r->progress_ps > 0)
        run_keep_progress(r);
    for (int i = 0; ok && i < s->n_flows; i++) {
        flows[i].stats = run_flow_stats(r, i);
        flows[i].waits = flows[i].warm = r->waits[i];
        if (r->warm)
            flows[i].warm = r->warm[i];
        flows[i].steady_loss_events = samples > 1 ? (int64_t)r->losses[i].events : -1;
        if (r->program && r->program->ops->times)
            flows[i].message_s = r->program->ops->times(r->program, i);
    }
    ok = ok && emu_network_audit(&r->network, &r->error) &&
         record_queues_close(&r->queues, true, &r->error) &&
         (!r->program || r->interrupted || r->program->ops->finish(r->program, &r->error)) &&
         record_run(s, flows, &r->network, &r->progress, captures, &operations, &messages, wall ? &r->lateness : NULL,
                    ended_ps, !r->interrupted, r->options->directory, &r->error);
    return ok;
}

static bool run_bounded(const struct scenario *s)
{
    for (int i = 0; i < s->n_flows; i++)
        if (s->flows[i].bytes == 0 && s->traffic == SCENARIO_TRAFFIC_FLOWS)
            return false;
    return s->traffic != SCENARIO_TRAFFIC_UNIFORM && s->n_programs == 0;
}

static bool run_start(struct run *r, const struct emu_engine_config *config)
{
    const struct scenario *s = r->scenario;
    r->room = (size_t)s->n_flows;
    if (s->n_programs > 0) {
        r->grown = *s;
        r->room = SCENARIO_FLOWS;
        r->grown.flows = memory_zeroed(r->room, sizeof *r->grown.flows, "the flows of a run");
        r->ports = memory_zeroed(r->room, sizeof *r->ports, "the flows of a run");
        r->programs = memory_zeroed((size_t)s->n_programs, sizeof *r->programs, "the programs of a run");
        r->scenario = s = &r->grown;
    }
    r->sample_ps = s->duration_ps / SAMPLES;
    if (run_bounded(s) && r->sample_ps > BOUNDED_SAMPLE_PS)
        r->sample_ps = BOUNDED_SAMPLE_PS;
    r->samples_most = (size_t)((s->duration_ps - s->warmup_ps) / r->sample_ps) + 2;
    if (r->samples_most > 100 * SAMPLES)
        r->samples_most = 100 * SAMPLES; /* flows that end by themselves are over by then or have long been steady */
    if (s->precision > 0) { /* nothing is steady that starts anew with each message; queues.csv is to stay small */
        r->samples_most = 0;
        if (r->sample_ps < s->duration_ps / (100 * SAMPLES))
            r->sample_ps = s->duration_ps / (100 * SAMPLES);
    }
    samples_init(&r->delivered, r->room);
    r->taps = memory_zeroed((size_t)s->n_captures, sizeof *r->taps, "captures");
    r->waits = memory_zeroed(r->room, sizeof *r->waits, "the flows of a run");
    r->losses = memory_zeroed(r->room, sizeof *r->losses, "the flows of a run");
    r->engine = emu_engine_new(config, &r->error);
    if (!r->engine)
        return false;
    struct emu_clock clock = emu_engine_clock(r->engine);
    r->time_ps = clock.time_ps;
    emu_network_init(&r->network, &s->network, &clock, emu_engine_frame_ops(), run_deliver, r);
    r->network.look = run_look;
    if (clock.schedule_ahead)
        emu_engine_set_ahead(r->engine, emu_network_look_ahead(&r->network));
    if (!run_open_taps(r) ||
        !record_queues_open(&r->queues, emu_network_port_count(&r->network), r->options->directory, &r->error) ||
        !run_add_traffic(r))
        return false;
    r->straight = clock.time_ps && r->network.ops->flow_first && s->n_programs == 0 &&
                  !(r->program && r->program->ops->arrives);
    emu_clock_schedule(&clock, r->sample_ps, run_sample, r);
    emu_clock_schedule(&clock, 0, run_watch, r);
    if (scenario_has_streams(s) && s->traffic == SCENARIO_TRAFFIC_FLOWS && s->n_flows > 0) {
        r->progress.flows = (size_t)s->n_flows;
        r->progress_ps = r->sample_ps < BOUNDED_SAMPLE_PS ? r->sample_ps : BOUNDED_SAMPLE_PS;
        emu_clock_schedule(&clock, r->progress_ps, run_keep_progress, r);
    }
    return true;
}

/* Whether a run may go by windows: flows alone, nobody who sees two hosts at once. */
static bool run_fits_windows(struct run *r)
{
    const struct scenario *s = r->scenario;
    return scenario_has_streams(s) && s->traffic == SCENARIO_TRAFFIC_FLOWS && s->n_programs == 0 &&
           s->clock != SCENARIO_CLOCK_WALL && r->options->frames == 0 && !r->program && !r->pauses && !r->windows && !r->datagrams &&
           emu_engine_hosts_apart(r->engine) && emu_windows_fit(&r->network);
}

static bool run_knows_ways(const struct run *r)
{
    const struct scenario *s = r->scenario;
    for (int i = 0; i < s->n_flows; i++)
        if (!emu_network_knows(&r->network, s->flows[i].from, s->flows[i].to))
            return false;
    return true;
}

/* A large network goes by windows as soon as it can. When that is does not depend on the number of threads. */
static bool run_all(struct run *r)
{
    int64_t duration_ps = r->scenario->duration_ps, until_ps = FIRST_WINDOW_PS;
    if (!run_fits_windows(r))
        return emu_engine_run(r->engine, duration_ps, &r->error);
    for (; until_ps < duration_ps; until_ps *= 2) {
        if (!emu_engine_run(r->engine, until_ps, &r->error))
            return false;
        if (r->over)
            return true;
        if (!run_knows_ways(r))
            continue;
        r->by_window = emu_windows_new(&r->network, r->engine, r->options->threads);
        r->time_ps = r->by_window ? NULL : r->time_ps;
        return r->by_window ? emu_windows_run(r->by_window, duration_ps, &r->error)
                            : emu_engine_run(r->engine, duration_ps, &r->error);
    }
    return emu_engine_run(r->engine, duration_ps, &r->error);
}

bool scenario_run(const struct scenario *s, const struct scenario_run_options *options,
                  struct scenario_run_result *result, struct error *err)
{
    if (!options->programs && !scenario_commands_refuse(s, options->directory, "nobody allowed it", err))
        return false;
    struct run r = {.scenario = s, .options = options};
    r.lateness.bound_ps = scenario_late_by_ps(s);
    struct emu_engine_config config = {s->seed, run_transmit, run_delivered, run_drained, run_found, &r,
                                       s->clock == SCENARIO_CLOCK_WALL ? &r.lateness : NULL, run_port};
    bool ok = run_start(&r, &config) && run_all(&r) && !r.failed &&
              (s->clock != SCENARIO_CLOCK_WALL || run_in_time(&r)) && run_finish(&r, result);
    if (!ok) {
        for (int i = 0; r.taps && i < s->n_captures; i++)
            capture_writer_discard(r.taps[i].writer);
        record_queues_close(&r.queues, false, &(struct error){0});
        *err = r.error;
    }
    program_free(r.program);
    free(r.pauses);
    free(r.datagrams);
    free(r.windows);
    emu_windows_free(r.by_window);
    if (r.engine) {
        emu_network_fini(&r.network); /* gives its frames back to the engine */
        emu_engine_free(r.engine);
    }
    for (int i = 0; r.programs && i < s->n_programs; i++) {
        free(r.programs[i].output);
        free(r.programs[i].words);
    }
    free(r.programs);
    free(r.ports);
    free(r.grown.flows);
    samples_fini(&r.delivered);
    free(r.losses);
    results_progress_fini(&r.progress);
    free(r.taps);
    free(r.waits);
    free(r.warm);
    return ok;
}
