/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/inject.h"

#include "base/monotonic.h"
#include "capture/confine.h"
#include "capture/pace.h"
#include "capture/packet.h"

#include <net/if.h>
#include <pcap/pcap.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)
#define SPIN_NS 60000         /* a sleep ends late by up to this; the rest is waited for awake */
#define SLEEP_NS 100000000    /* at most in one piece: a signal between the look at the flag and the sleep is seen */
#define LEAD_NS 1000000       /* from reading the first frame to sending it, so that it is waited for like others */
#define PROGRESS_NS 500000000
#define PROGRESS_SLACK_NS 1000000 /* there is time to tell progress when the next frame is due later than this */
#define BUSY_NS NS_PER_S      /* a queue that takes nothing for so long has failed */

struct capture_inject {
    char *interface; /* owned */
    pcap_t *pcap;    /* owned */
    uint32_t mtu;
    uint8_t *frame; /* owned: CAPTURE_INJECT_FRAME_BYTES(mtu) */
};

bool capture_inject_accepts(const struct capture_reader *reader, const char *source, struct error *err)
{
    int type = capture_reader_link_type(reader);
    const char *name = pcap_datalink_val_to_name(type);
    return type == DLT_EN10MB ||
           error_set(err, ERROR_INPUT, "%s: frames of link type %s (%d) cannot be sent, only EN10MB (Ethernet) ones",
                     source, name ? name : "unknown", type);
}

static bool inject_read_device(struct capture_inject *inject, struct error *err)
{
    struct ifreq request = {0};
    memcpy(request.ifr_name, inject->interface, strlen(inject->interface)); /* capture_inject_open() has looked */
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_set_errno(err, "%s: cannot be looked at", inject->interface);
    bool ok = ioctl(fd, SIOCGIFFLAGS, &request) == 0;
    bool up = ok && (request.ifr_flags & IFF_UP);
    ok = ok && ioctl(fd, SIOCGIFMTU, &request) == 0;
    if (!ok)
        error_set_errno(err, "%s: cannot be looked at", inject->interface);
    close(fd);
    inject->mtu = ok ? (uint32_t)request.ifr_mtu : 0;
    if (ok && !up)
        return error_set(err, ERROR_SYSTEM, "%s: is down; 'ip link set %s up' starts it", inject->interface,
                         inject->interface);
    return ok;
}

/* libpcap reads, too, once it is open: a program that takes nothing keeps the kernel from copying what passes by. */
static bool inject_read_nothing(pcap_t *pcap)
{
    struct bpf_insn none = {.code = BPF_RET | BPF_K, .k = 0};
    struct bpf_program program = {.bf_len = 1, .bf_insns = &none};
    return pcap_setfilter(pcap, &program) == 0;
}

static bool inject_activate(struct capture_inject *inject, struct error *err)
{
    char said[PCAP_ERRBUF_SIZE] = "";
    inject->pcap = pcap_create(inject->interface, said);
    if (!inject->pcap)
        return error_set(err, ERROR_SYSTEM, "%s: %s", inject->interface, said);
    int status = pcap_activate(inject->pcap);
    if (status == PCAP_ERROR_PERM_DENIED)
        return error_set(err, ERROR_SYSTEM, "sending raw frames on %s needs CAP_NET_RAW (root has it)",
                         inject->interface);
    if (status < 0 || !inject_read_nothing(inject->pcap)) {
        const char *why = pcap_geterr(inject->pcap);
        return error_set(err, ERROR_SYSTEM, "%s: cannot be opened for sending: %s", inject->interface,
                         why[0] ? why : pcap_statustostr(status));
    }
    int type = pcap_datalink(inject->pcap);
    const char *name = pcap_datalink_val_to_name(type);
    return type == DLT_EN10MB || error_set(err, ERROR_INPUT, "%s: is not an Ethernet interface (link type %s)",
                                           inject->interface, name ? name : "unknown");
}

struct capture_inject *capture_inject_open(const char *interface, struct error *err)
{
    if (strlen(interface) >= IFNAMSIZ || if_nametoindex(interface) == 0) { /* a longer name is cut, to another's */
        error_set(err, ERROR_INPUT, "%s: no such interface; 'ip link' lists them", interface);
        return NULL;
    }
    struct capture_inject *inject = memory_zeroed(1, sizeof *inject, "an interface");
    inject->interface = memory_text("%s", interface);
    if (!inject_read_device(inject, err) || !inject_activate(inject, err)) {
        capture_inject_close(inject);
        return NULL;
    }
    inject->frame = memory_zeroed(CAPTURE_INJECT_FRAME_BYTES(inject->mtu), 1, "a frame");
    return inject;
}

void capture_inject_close(struct capture_inject *inject)
{
    if (!inject)
        return;
    if (inject->pcap)
        pcap_close(inject->pcap);
    MEMORY_FREE(inject->interface, inject->frame, inject);
}

bool capture_inject_confine(const struct capture_inject *inject, struct error *err)
{
    return capture_confine(pcap_fileno(inject->pcap), err);
}

bool capture_inject_frame(const struct capture_frame *frame, int64_t number, const char *interface, uint32_t mtu,
                          const struct capture_inject_options *options, uint8_t *out,
                          struct capture_inject_result *result, struct error *err)
{
    bool tagged = frame->captured_bytes >= 14 && packet_u16(frame->bytes + 12) == 0x8100;
    if (frame->wire_bytes < 14)
        return error_set(err, ERROR_INPUT, "%s: frame %" PRId64 " of %" PRIu32 " bytes is shorter than an Ethernet "
                         "header", options->source, number, frame->wire_bytes);
    if (frame->wire_bytes > (uint64_t)mtu + 14 + (tagged ? 4 : 0))
        return error_set(err, ERROR_INPUT, "%s: frame %" PRId64 " of %" PRIu32 " bytes does not fit %s, whose MTU of "
                         "%" PRIu32 " allows %" PRIu64 "; a capture taken with segmentation offload on holds such "
                         "frames", options->source, number, frame->wire_bytes, interface, mtu, (uint64_t)mtu + 14);
    memcpy(out, frame->bytes, frame->captured_bytes);
    memset(out + frame->captured_bytes, 0, frame->wire_bytes - frame->captured_bytes);
    result->padded_frames += frame->captured_bytes < frame->wire_bytes;
    result->rewritten_frames +=
        capture_rewrite_frame(options->rewrites, options->n_rewrites, out, frame->captured_bytes);
    return true;
}

struct inject_run {
    struct capture_inject *inject;
    const struct capture_inject_options *options;
    struct capture_inject_result *result;
    struct pace pace;
    struct pace_errors gaps;
    int64_t start_ns;      /* when the first frame is due; monotonic clock, as all below */
    int64_t due_ns, sent_ns; /* of the last frame */
    int64_t told_ns;       /* progress */
};

static bool inject_interrupted(const struct inject_run *run)
{
    return run->options->interrupted && *run->options->interrupted;
}

static void inject_tell(struct inject_run *run, int64_t now, int64_t due)
{
    if (!run->options->progress || now - run->told_ns < PROGRESS_NS || due - now < PROGRESS_SLACK_NS)
        return;
    run->told_ns = now;
    run->options->progress(run->options->user, run->result->frames, now - run->start_ns);
}

/* False when interrupted before the frame is due. */
static bool inject_wait(struct inject_run *run, int64_t due)
{
    int64_t now = monotonic_now_ns();
    while (due - now > SPIN_NS && !inject_interrupted(run)) {
        inject_tell(run, now, due);
        int64_t until = due - SPIN_NS < now + SLEEP_NS ? due - SPIN_NS : now + SLEEP_NS;
        struct timespec t = {.tv_sec = until / NS_PER_S, .tv_nsec = until % NS_PER_S};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        now = monotonic_now_ns();
    }
    while (now < due && !inject_interrupted(run))
        now = monotonic_now_ns();
    return !inject_interrupted(run);
}

/* A full queue of the interface is waited for: the frame is late then, not lost. False and an error of code NONE when
 * interrupted meanwhile. */
static bool inject_send(struct inject_run *run, uint32_t bytes, struct error *err)
{
    int64_t began = 0;
    while (pcap_inject(run->inject->pcap, run->inject->frame, bytes) < 0) {
        int why = errno;
        if (inject_interrupted(run))
            return false;
        if (why != ENOBUFS && why != EAGAIN && why != EINTR)
            return error_set(err, ERROR_SYSTEM, "%s: sending frame %" PRId64 " of %" PRIu32 " bytes fails: %s",
                             run->inject->interface, run->result->frames + 1, bytes, strerror(why));
        int64_t now = monotonic_now_ns();
        began = began ? began : now;
        if (now - began > BUSY_NS)
            return error_set(err, ERROR_SYSTEM, "%s: has taken no frame after %" PRId64 " for a second: %s",
                             run->inject->interface, run->result->frames, strerror(why));
        sched_yield();
    }
    return true;
}

static void inject_record(struct inject_run *run, int64_t due, uint32_t bytes)
{
    int64_t sent = monotonic_now_ns();
    if (run->result->frames > 0)
        pace_errors_add(&run->gaps, (sent - run->sent_ns) - (due - run->due_ns));
    run->due_ns = due;
    run->sent_ns = sent;
    run->result->frames++;
    run->result->bytes += bytes;
    run->result->late_frames += sent - due > CAPTURE_INJECT_LATE_NS;
}

static bool inject_one(struct inject_run *run, const struct capture_frame *frame, struct error *err)
{
    struct capture_inject *inject = run->inject;
    if (!capture_inject_frame(frame, run->result->frames + 1, inject->interface, inject->mtu, run->options,
                              inject->frame, run->result, err))
        return false;
    if (!run->start_ns)
        run->told_ns = run->start_ns = monotonic_now_ns() + LEAD_NS;
    int64_t due = run->start_ns + pace_next(&run->pace, frame->time_ns, frame->wire_bytes);
    if (!inject_wait(run, due) || !inject_send(run, frame->wire_bytes, err))
        return false;
    inject_record(run, due, frame->wire_bytes);
    return true;
}

static bool inject_all(struct inject_run *run, struct capture_reader *reader, struct error *err)
{
    struct capture_frame frame;
    for (;;) {
        switch (capture_reader_next(reader, &frame, err)) {
        case CAPTURE_NEXT_FRAME:
            break;
        case CAPTURE_NEXT_IDLE: /* of no file */
            continue;
        case CAPTURE_NEXT_END:
            return true;
        case CAPTURE_NEXT_TRUNCATED:
            run->result->truncated = true;
            run->result->stopped = *err;
            *err = (struct error){0};
            return true;
        case CAPTURE_NEXT_FAILED:
            return false;
        }
        if (!inject_one(run, &frame, err)) {
            run->result->interrupted = err->code == ERROR_NONE;
            return run->result->interrupted;
        }
    }
}

bool capture_inject_run(struct capture_inject *inject, struct capture_reader *reader,
                        const struct capture_inject_options *options, struct capture_inject_result *result,
                        struct error *err)
{
    struct inject_run run = {.inject = inject, .options = options, .result = result,
                             .pace = {.speed = options->speed, .rate_bps = options->rate_bps}};
    *result = (struct capture_inject_result){0};
    *err = (struct error){0}; /* a code of NONE below means interrupted */
    if (!capture_inject_accepts(reader, options->source, err))
        return false;
    int slack = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1L); /* the usual 50 us of leeway would use up the time for spinning */
    bool ok = inject_all(&run, reader, err);
    if (slack > 0)
        prctl(PR_SET_TIMERSLACK, (long)slack);
    result->back_frames = run.pace.back;
    if (result->frames > 0) {
        result->scheduled_ns = run.due_ns - run.start_ns;
        result->elapsed_ns = run.sent_ns - run.start_ns;
    }
    result->gap_p50_ns = pace_errors_quantile(&run.gaps, 0.5);
    result->gap_p99_ns = pace_errors_quantile(&run.gaps, 0.99);
    result->gap_max_ns = run.gaps.max_ns;
    return ok;
}
