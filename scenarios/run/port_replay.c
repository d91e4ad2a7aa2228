/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/port_replay.h"

#include "capture/inject.h"
#include "emu/native/scheduler.h"
#include "scenarios/run/record.h"

#define SAMPLE_PS UNITS_PS_PER_MS
#define SAMPLES 100000
#define LATEST_NS INT64_C(9000000000000000) /* 104 days: emulated picoseconds fit 64 bits */
#define PROGRESS_FRAMES 16384
#define LEAST_MSS 88 /* Linux takes none below; a damaged handshake does not make a frame of each byte */
#define OTHER_BYTES 1500
#define MOST_HEADERS CAPTURE_FRAME_HEADERS /* more around a TCP payload is a trailer, or damage */

struct port_replay {
    const struct port_replay_options *options;
    struct port_replay_result *result;
    struct native_scheduler scheduler;
    struct emu_port port, far;
    struct pace pace;
    struct record_queues queues;
    int64_t sample_ps, next_sample_ps, samples;
    struct emu_frame arriving;
};

/* A frame's handle is the time it came; its source the index of its flow. Its destination, the flow's hash, spreads
 * fair queueing's buckets. */
static struct port_flows_count *replay_count(struct port_replay *r, const struct emu_frame *frame)
{
    struct port_flow *flow = &r->result->flows.flow[frame->src];
    return frame->pure_ack ? &flow->ack : &flow->data;
}

static void replay_saw(void *user, enum emu_tap_event event, int64_t time_ps, const struct emu_frame *frame,
                       const struct emu_queue *queue UNUSED)
{
    struct port_replay *r = user;
    struct port_flows_count *count = replay_count(r, frame), *all = &r->result->flows.all;
    if (event == EMU_TAP_DROP) {
        count->dropped++;
        all->dropped++;
        return;
    }
    int64_t wait_ps = time_ps - (int64_t)emu_frame_tag_content(frame->packet);
    r->result->ended_ps = time_ps + emu_port_wire_ps(&r->port.link, emu_frame_wire_bytes(frame));
    port_flows_waited(count, wait_ps);
    port_flows_waited(all, wait_ps);
}

static void replay_delivered(void *owner UNUSED, int index UNUSED, const struct emu_frame *frame)
{
    (void)frame; /* its handle is a time: nothing to release */
}

static void replay_arrive(void *arg)
{
    struct port_replay *r = arg;
    emu_port_send(&r->port, &r->arriving);
    native_scheduler_stop(&r->scheduler);
}

static void replay_sample(struct port_replay *r, int64_t time_ps)
{
    emu_port_settle(&r->port);
    record_queues_port(&r->queues, 0, &r->port, &r->port.queue, time_ps);
}

/* Runs what is due before time_ps, sampling on the way. */
static void replay_run_until(struct port_replay *r, int64_t time_ps)
{
    while (r->queues.file.stream && r->next_sample_ps <= time_ps) {
        native_scheduler_run(&r->scheduler, r->next_sample_ps);
        replay_sample(r, r->next_sample_ps);
        if (++r->samples % SAMPLES == 0)
            r->sample_ps *= 2;
        r->next_sample_ps += r->sample_ps;
        if (emu_port_at_most(&r->port).packets == 0 && r->next_sample_ps < time_ps) /* nothing changes until then */
            r->next_sample_ps += (time_ps - r->next_sample_ps) / r->sample_ps * r->sample_ps;
    }
    native_scheduler_run(&r->scheduler, time_ps);
}

/* One frame to the port at time_ps, after all that happens then. */
static void replay_send(struct port_replay *r, int64_t time_ps, uint32_t payload_bytes)
{
    r->arriving.payload_bytes = (uint16_t)payload_bytes;
    struct port_flows_count *count = replay_count(r, &r->arriving), *all = &r->result->flows.all;
    int64_t wire_bytes = emu_frame_wire_bytes(&r->arriving);
    count->frames++;
    count->wire_bytes += wire_bytes;
    all->frames++;
    all->wire_bytes += wire_bytes;
    native_scheduler_at(&r->scheduler, time_ps, replay_arrive, r);
    native_scheduler_run(&r->scheduler, INT64_MAX); /* until the frame has come */
}

/* Bytes of TCP payload a frame of the wire takes; 0: this one is as it was. */
static uint32_t replay_segment_bytes(const struct capture_segment *s, uint32_t around, uint16_t mss)
{
    if (s->payload_bytes <= (mss ? mss : PORT_REPLAY_LONGEST) || around > MOST_HEADERS)
        return 0;
    uint32_t unknown = s->src.family == 6 ? 1440 : 1460; /* of an MTU of 1500 */
    uint32_t bytes = mss && mss < LEAST_MSS ? LEAST_MSS : (mss ? mss : unknown) - (s->has_timestamps ? 12u : 0u);
    return bytes + around > UINT16_MAX ? UINT16_MAX - around : bytes;
}

static bool replay_fits(const struct port_replay *r, int64_t time_ns, int64_t number, struct error *err)
{
    const struct emu_level queued = emu_port_at_most(&r->port);
    const char *path = r->options->path;
    if (time_ns > LATEST_NS)
        return error_set(err, ERROR_INPUT, "%s: frame %" PRId64 " comes %.0f days after the first, beyond the 104 of "
                         "emulated time; editcap or --speed brings it closer", path, number, (double)time_ns / 864e11);
    if (queued.packets > PORT_REPLAY_QUEUED)
        return error_set(err, ERROR_INPUT, "%s: at frame %" PRId64 " more than %d frames wait at %" PRId64 " bit/s, more "
                         "than memory is taken for; --buffer SIZE bounds the queue, or --port takes a higher rate",
                         path, number, PORT_REPLAY_QUEUED, r->options->rate_bps);
    double bits = 8 * (double)(queued.bytes + 20 * queued.packets);
    return (double)time_ns + bits / (double)r->options->rate_bps * 1e9 < (double)LATEST_NS ||
           error_set(err, ERROR_INPUT, "%s: at frame %" PRId64 " the queue takes more than 104 days of emulated time "
                     "to send; --buffer SIZE bounds it", path, number);
}

static bool replay_picks(const struct port_replay_options *o, const struct capture_segment *s)
{
    return (!o->from || capture_address_same(o->from, &s->src)) && (!o->to || capture_address_same(o->to, &s->dst));
}

static bool replay_frame(struct port_replay *r, int link_type, const struct capture_frame *frame, struct error *err)
{
    struct capture_segment s;
    struct port_replay_result *result = r->result;
    bool tcp = capture_decode(link_type, frame->bytes, frame->captured_bytes, frame->wire_bytes, &s) ==
               CAPTURE_DECODE_TCP;
    size_t flow = tcp ? port_flows_find(&result->flows, &s) : PORT_FLOWS_OTHER;
    result->captured_frames++;
    if (!replay_picks(r->options, &s))
        return true;
    int64_t due_ns = pace_next(&r->pace, frame->time_ns, frame->wire_bytes);
    if (!replay_fits(r, due_ns, result->captured_frames, err))
        return false;
    int64_t time_ps = due_ns * UNITS_PS_PER_NS;
    replay_run_until(r, time_ps);
    result->picked_frames++;
    result->last_ps = time_ps;
    r->arriving = (struct emu_frame){
        .packet = emu_frame_tag((uint64_t)time_ps), .src = (uint32_t)flow, .dst = port_flows_hash(&s)};
    r->arriving.pure_ack = tcp && capture_segment_is_bare(&s);
    uint32_t left = frame->wire_bytes > EMU_FRAME_HEADER_BYTES ? frame->wire_bytes - EMU_FRAME_HEADER_BYTES : 0;
    uint32_t around = tcp && s.payload_bytes < left ? left - s.payload_bytes : 0; /* IP and TCP headers */
    uint32_t step = tcp ? replay_segment_bytes(&s, around, result->flows.flow[flow].mss) : 0;
    if (step == 0) {
        around = 0;
        step = left > PORT_REPLAY_LONGEST ? OTHER_BYTES : left;
    }
    result->split_frames += left - around > step;
    for (left -= around; left > step; left -= step)
        replay_send(r, time_ps, around + step);
    replay_send(r, time_ps, around + left);
    return true;
}

static bool replay_read(struct port_replay *r, struct capture_reader *reader, struct error *err)
{
    const struct port_replay_options *o = r->options;
    struct capture_frame frame;
    int link_type = capture_reader_link_type(reader);
    for (;;) {
        if (o->progress && r->result->captured_frames % PROGRESS_FRAMES == 0)
            o->progress(o->user, capture_reader_bytes_read(reader), capture_reader_file_bytes(reader));
        enum capture_next next = capture_reader_next(reader, &frame, err);
        if (o->interrupted && *o->interrupted) { /* it may have cut the reading short, too */
            r->result->interrupted = true;
            return true;
        }
        switch (next) {
        case CAPTURE_NEXT_FRAME:
            if (!replay_frame(r, link_type, &frame, err))
                return false;
            break;
        case CAPTURE_NEXT_IDLE: /* of no file */
            break;
        case CAPTURE_NEXT_END:
            return true;
        case CAPTURE_NEXT_TRUNCATED:
            r->result->truncated = true;
            r->result->stopped = *err;
            return true;
        case CAPTURE_NEXT_FAILED:
            return false;
        }
    }
}

static bool replay_any(const struct port_replay *r, struct error *err)
{
    const struct port_replay_options *o = r->options;
    char from[CAPTURE_ADDRESS_TEXT] = "", to[CAPTURE_ADDRESS_TEXT] = "";
    if (r->result->picked_frames > 0 || r->result->interrupted)
        return true;
    if (r->result->captured_frames == 0)
        return r->result->truncated ? error_set(err, ERROR_INPUT, "%s", r->result->stopped.message)
                                    : error_set(err, ERROR_INPUT, "%s: there is no frame in it", o->path);
    if (o->from)
        capture_address_format(o->from, from);
    if (o->to)
        capture_address_format(o->to, to);
    return error_set(err, ERROR_INPUT, "%s: none of its %" PRId64 " frames goes%s%s%s%s; 'contraflow analyze' lists "
                     "addresses", o->path, r->result->captured_frames, o->from ? " from " : "", from,
                     o->to ? " to " : "", to);
}

/* Lets the queue run dry, unless somebody is in a hurry. */
static bool replay_finish(struct port_replay *r, struct error *err)
{
    struct port_replay_result *result = r->result;
    const struct port_replay_options *o = r->options;
    while (!result->interrupted && r->queues.file.stream && emu_port_at_most(&r->port).packets > 0) {
        replay_run_until(r, r->next_sample_ps);
        result->interrupted = o->interrupted && *o->interrupted;
    }
    if (!result->interrupted)
        native_scheduler_run(&r->scheduler, INT64_MAX);
    if (!emu_port_audit(&r->port, err))
        return false;
    const struct emu_queue_stats *q = &r->port.queue.stats;
    const struct port_flows_count *all = &result->flows.all;
    result->queued_frames = r->port.queue.depth_packets;
    result->sent_wire_bytes = emu_port_sent_wire_bytes(&r->port);
    result->peak_bytes = q->peak_bytes;
    result->peak_packets = q->peak_packets;
    result->back_frames = r->pace.back;
    /* What the flows counted and what the port did are two accounts of the same frames. */
    if (all->frames != q->enqueued + q->dropped || all->dropped != q->dropped ||
        (all->waits ? all->waits->n : 0) != r->port.stats.sent)
        return error_set(err, ERROR_SYSTEM, "%s: flows and port disagree about frames; please report this", o->path);
    if (r->queues.file.stream)
        replay_sample(r, native_scheduler_now(&r->scheduler));
    return !o->directory || record_queues_close(&r->queues, !result->interrupted, err);
}

bool port_replay_run(const struct port_replay_options *options, struct port_replay_result *result, struct error *err)
{
    static const struct emu_frame_ops no_ops; /* handles are tagged: nobody asks */
    MEMORY_LOCAL struct port_replay *r = memory_zeroed(1, sizeof *r, "a port");
    memset(result, 0, sizeof *result);
    r->options = options;
    r->result = result;
    r->pace.speed = options->speed;
    r->sample_ps = r->next_sample_ps = SAMPLE_PS;
    native_scheduler_init(&r->scheduler);
    struct emu_clock clock = native_scheduler_clock(&r->scheduler);
    emu_port_init(&r->port, "port", &clock, &no_ops, &options->queue);
    emu_port_init(&r->far, "wire", &clock, &no_ops, &options->queue);
    emu_port_connect(&r->port, &r->far, &(struct emu_link_config){.rate_bps = options->rate_bps});
    r->port.tap = (struct emu_tap){replay_saw, r};
    r->far.receive = replay_delivered;
    struct capture_reader *reader = capture_reader_open(options->path, err);
    bool ok = reader && capture_inject_accepts(reader, options->path, err) &&
              (!options->directory || record_queues_open(&r->queues, 1, options->directory, err)) &&
              replay_read(r, reader, err) && replay_any(r, err) && replay_finish(r, err);
    record_queues_close(&r->queues, false, &(struct error){0});
    capture_reader_close(reader);
    emu_port_fini(&r->port);
    emu_port_fini(&r->far);
    native_scheduler_fini(&r->scheduler);
    return ok;
}
