/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A capture into an emulated port, as 'contraflow replay --port' feeds it. The input: "P" and bytes of options, then a
 * capture; or a capture alone. */
#include "scenarios/run/port_replay.h"
#include "test/fuzzing/captures.h"

static const char *work; /* a directory for queues.csv; removed in the end */

static void work_remove(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/queues.csv", work);
    unlink(path);
    rmdir(work);
}

static const char *work_directory(void)
{
    static char name[] = "/tmp/contraflow-fuzz-XXXXXX";
    if (!work) {
        work = mkdtemp(name);
        MUST(work != NULL && atexit(work_remove) == 0);
    }
    return work;
}

static int64_t check_count(const struct port_flows_count *c)
{
    double p99_s = port_flows_p99_wait_s(c), max_s = port_flows_max_wait_s(c);
    MUST(c->frames >= 0 && c->dropped >= 0 && c->dropped <= c->frames && c->wire_bytes >= 84 * c->frames);
    MUST(captures_amount(port_flows_mean_wait_s(c)) && captures_amount(max_s));
    MUST(isnan(max_s) == isnan(p99_s) && (isnan(max_s) || (p99_s >= 0 && p99_s <= max_s)));
    return c->frames;
}

static void check(const struct port_replay_options *o, const struct port_replay_result *r)
{
    int64_t frames = 0;
    for (size_t i = 0; i < sizeof r->flows.flow / sizeof *r->flows.flow; i++)
        frames += check_count(&r->flows.flow[i].data) + check_count(&r->flows.flow[i].ack);
    MUST(frames == check_count(&r->flows.all));
    MUST(r->picked_frames > 0 && r->picked_frames <= r->captured_frames && frames >= r->picked_frames);
    MUST(r->queued_frames == 0 && r->last_ps >= 0 && (r->ended_ps >= r->last_ps || r->flows.all.dropped > 0));
    MUST(r->peak_packets >= 0 && r->peak_packets <= o->queue.limit_packets && r->peak_bytes <= o->queue.limit_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct port_replay_result result;
    static const struct capture_address a = {{10, 0, 0, 1}, 4};
    struct port_replay_options o = {.rate_bps = 1000000000, .queue = emu_queue_config_default(), .speed = 1};
    char path[CAPTURES_PATH];
    if (size > 0 && *data == 'P') {
        captures_take(&data, &size, 1);
        uint64_t flags = captures_take(&data, &size, 1), digits = captures_take(&data, &size, 1);
        o.rate_bps = (int64_t)((double)PORT_REPLAY_RATE_MIN * pow(10, (double)(digits % 10)));
        o.queue.discipline = (enum emu_discipline)(flags & 3);
        o.from = flags & 4 ? &a : NULL;
        o.to = flags & 8 ? &a : NULL;
        o.speed = flags & 16 ? pow(2, (double)(int8_t)captures_take(&data, &size, 1)) : 1;
        o.queue.limit_bytes = flags & 32 ? 1518 + (int64_t)captures_take(&data, &size, 2) : o.queue.limit_bytes;
        o.queue.limit_packets = flags & 64 ? 1 + (int64_t)captures_take(&data, &size, 1) : o.queue.limit_packets;
        o.directory = flags & 128 ? work_directory() : NULL;
    }
    int fd = captures_file(data, size, path);
    struct error err = {0};
    o.path = path;
    if (port_replay_run(&o, &result, &err))
        check(&o, &result);
    else
        MUST(err.code != ERROR_NONE && !strstr(err.message, "please report"));
    port_flows_fini(&result.flows);
    close(fd);
    return 0;
}
