/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/flows/source.h"

#include "capture/reader.h"

#define PROGRESS_FRAMES 65536

bool analysis_source_open(struct analysis_source *source, const char *path, analysis_progress *progress,
                          const void *user, struct analysis_capture *capture, struct error *err)
{
    *capture = (struct analysis_capture){0};
    *source = (struct analysis_source){
        .reader = capture_reader_open(path, err), .capture = capture, .progress = progress, .user = user};
    if (!source->reader)
        return false;
    source->link_type = capture_reader_link_type(source->reader);
    capture->link_rate_bps = capture_reader_link_rate_bps(source->reader);
    return true;
}

void analysis_source_open_reader(struct analysis_source *source, struct capture_reader *reader,
                                 struct analysis_capture *capture)
{
    *capture = (struct analysis_capture){.link_rate_bps = capture_reader_link_rate_bps(reader)};
    *source = (struct analysis_source){
        .reader = reader, .capture = capture, .link_type = capture_reader_link_type(reader)};
}

void analysis_source_close(struct analysis_source *source)
{
    source->capture->missed = capture_reader_missed(source->reader);
    capture_reader_close(source->reader);
}

static void note_step(struct analysis_capture *c, int64_t time_ns)
{
    int64_t step_ns;
    if (__builtin_sub_overflow(c->last_ns, time_ns, &step_ns))
        step_ns = INT64_MAX;
    c->steps_back += step_ns >= ANALYSIS_STEP_NS;
    if (step_ns >= ANALYSIS_STEP_NS && step_ns > c->largest_step_ns)
        c->largest_step_ns = step_ns;
}

/* Is it an IP packet? */
static bool note_other(struct analysis_source *source, const struct capture_frame *frame,
                       const struct capture_segment *s)
{
    struct analysis_capture *c = source->capture;
    uint32_t quanta;
    c->other_frames++;
    if (!s->src.family && capture_decode_pause(source->link_type, frame->bytes, frame->captured_bytes, &quanta))
        capture_paused_add(&c->paused, frame->bytes + 6, quanta, c->link_rate_bps, frame->time_ns);
    return s->src.family != 0;
}

static void note_frame(struct analysis_source *source, int64_t time_ns)
{
    struct analysis_capture *c = source->capture;
    if (c->frames++ == 0)
        c->first_ns = time_ns;
    else if (__builtin_expect(time_ns < c->last_ns, 0))
        note_step(c, time_ns);
    c->last_ns = time_ns;
    if (source->progress && c->frames % PROGRESS_FRAMES == 0)
        source->progress(source->user, capture_reader_bytes_read(source->reader),
                         capture_reader_file_bytes(source->reader));
}

int analysis_source_next(struct analysis_source *source, int64_t *time_ns, struct capture_segment *s,
                         struct error *err)
{
    struct analysis_capture *c = source->capture;
    struct capture_frame frame;
    enum capture_next next;
    while ((next = capture_reader_next(source->reader, &frame, &c->stopped)) == CAPTURE_NEXT_FRAME) {
        note_frame(source, frame.time_ns);
        switch (capture_decode(source->link_type, frame.bytes, frame.captured_bytes, frame.wire_bytes, s)) {
        case CAPTURE_DECODE_TCP:
            c->tcp_segments++;
            *time_ns = frame.time_ns;
            source->other_bytes = 0;
            return 1;
        case CAPTURE_DECODE_OTHER:
            if (!note_other(source, &frame, s) || !source->others)
                break;
            *time_ns = frame.time_ns;
            source->other_bytes = frame.wire_bytes;
            return 1;
        case CAPTURE_DECODE_SHORT:
            c->short_frames++;
            break;
        case CAPTURE_DECODE_MALFORMED:
            c->malformed_frames++;
            break;
        }
    }
    if (next == CAPTURE_NEXT_IDLE)
        return ANALYSIS_SOURCE_IDLE;
    c->truncated = next == CAPTURE_NEXT_TRUNCATED;
    if (next != CAPTURE_NEXT_FAILED)
        return 0;
    *err = c->stopped;
    return -1;
}
