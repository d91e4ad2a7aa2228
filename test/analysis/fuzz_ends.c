/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two captures of one connection, or what says so. The input: "2", the length of the first in two bytes, both; or one
 * capture, which the other end shows later, without some of its packets, by a clock of its own. */
#include "analysis/ends/both_ends.h"
#include "base/random.h"
#include "test/fuzzing/captures.h"

#define SEGMENTS 4096

static void check(const struct analysis_both_ends *e)
{
    MUST(isfinite(analysis_both_ends_drift(e)));
    for (size_t i = 0; i < analysis_both_ends_slots(e); i++) {
        struct analysis_both_ends_flow f;
        if (analysis_both_ends_get(e, i, &f) != ANALYSIS_BOTH_ENDS_FLOW)
            continue;
        MUST(f.sender_file == 0 || f.sender_file == 1);
        MUST(f.data >= 0 && f.acks > 0 && f.lost_acks >= 0);
        MUST(f.compressed >= 0 && f.compressed <= f.groups);
        MUST(captures_amount(f.data_wait_s) && captures_amount(f.ack_wait_s) && captures_amount(f.hold_s));
    }
}

static void read_two(const uint8_t *data, size_t size)
{
    size_t first = captures_take(&data, &size, 2);
    first = first < size ? first : size;
    char path[2][CAPTURES_PATH];
    int fd[2] = {captures_file(data, first, path[0]), captures_file(data + first, size - first, path[1])};
    struct analysis_both_ends *e = analysis_both_ends_new();
    struct analysis_capture capture[2];
    struct error err = {0};
    if (analysis_both_ends_read(e, (const char *const[]){path[0], path[1]}, NULL, capture, &err))
        check(e);
    else
        MUST(err.code != ERROR_NONE);
    analysis_both_ends_free(e);
    for (int i = 0; i < 2; i++)
        close(fd[i]);
}

struct seen {
    int64_t time_ns;
    struct capture_segment segment;
};

/* When the other end sees a packet: data of the lower port sooner than those of the higher one, with a queue on the
 * way, a millisecond at most. */
static int64_t other_ns(const struct seen *seen, struct random *r, int64_t offset_ns)
{
    int64_t transit_ns = 1000000 + (int64_t)random_below(r, 1000000);
    uint64_t later = (uint64_t)seen->time_ns + (uint64_t)offset_ns;
    return (int64_t)(seen->segment.src_port < seen->segment.dst_port ? later + (uint64_t)transit_ns
                                                                     : later - (uint64_t)transit_ns);
}

static void read_one(const uint8_t *data, size_t size)
{
    static struct seen seen[SEGMENTS];
    char path[CAPTURES_PATH];
    int fd = captures_file(data, size, path);
    struct analysis_source source;
    struct analysis_capture capture;
    struct error err = {0};
    size_t n = 0;
    if (analysis_source_open(&source, path, NULL, NULL, &capture, &err)) {
        while (n < SEGMENTS && analysis_source_next(&source, &seen[n].time_ns, &seen[n].segment, &err) > 0)
            n++;
        analysis_source_close(&source);
    }
    close(fd);
    struct analysis_both_ends *e = analysis_both_ends_new();
    struct random r;
    for (int pass = 0; pass < 2; pass++) {
        r = random_of(size);
        int64_t offset_ns = (int64_t)random_next(&r) >> random_below(&r, 63);
        for (size_t i = 0; i < n; i++) {
            void (*take)(struct analysis_both_ends *, int, int64_t, const struct capture_segment *) =
                pass ? analysis_both_ends_add : analysis_both_ends_note;
            take(e, 0, seen[i].time_ns, &seen[i].segment);
            if (random_below(&r, 32) > 0)
                take(e, 1, other_ns(&seen[i], &r, offset_ns), &seen[i].segment);
        }
        if (pass == 0)
            analysis_both_ends_align(e);
    }
    analysis_both_ends_finish(e);
    check(e);
    analysis_both_ends_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 3 && data[0] == '2')
        read_two(data + 1, size - 1);
    else
        read_one(data, size);
    return 0;
}
