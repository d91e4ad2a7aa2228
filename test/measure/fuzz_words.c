/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of another end of a measurement that nobody chose, as they come over a connection: every number keeps its range,
 * and what is judged of such samples is a sentence with figures. `test/fuzz words`, or test/fuzzing/replay.c. */
#include "measure/line.h"
#include "measure/verdict.h"
#include "test/fuzzing/text.h"

#include <sys/socket.h>

#define PHASES 14
#define PIECES 8192 /* bytes that come at once */

static const enum measure_kind kinds[PHASES] = {
    MEASURE_IN, MEASURE_OUT, MEASURE_BOTH, MEASURE_PACED, MEASURE_BOTH, MEASURE_OUT, MEASURE_IN,
    MEASURE_OUT, MEASURE_BOTH, MEASURE_IN, MEASURE_PACED, MEASURE_IN, MEASURE_BOTH, MEASURE_OUT};

static void check_numbers(const char *line)
{
    static const struct {
        int decimals;
        int64_t least, most;
    } ranges[] = {{0, 0, 15}, {0, INT64_MIN, INT64_MAX}, {3, 0, 1000}, {6, 0, INT64_MAX}, {9, -5, INT64_MAX}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const char *at = line;
        int64_t value;
        if (measure_line_number(&at, ranges[i].decimals, ranges[i].least, ranges[i].most, &value) &&
            (value < ranges[i].least || value > ranges[i].most || at <= line || at > line + strlen(line)))
            abort();
    }
}

/* Samples go to both ends of the phases' flows in turn. */
static void take(struct measure_test *t, const struct measure_sample *s, size_t n)
{
    struct measure_phase *p = &t->phase[n / 8 % PHASES];
    struct measure_end *e = &p->end[n / 4 % p->n];
    measure_flow_add(n % 2 ? &e->near : &e->far, s);
    p->from_s = fmin(p->from_s, s->at_s);
    p->to_s = fmax(p->to_s, s->at_s);
}

static void hear(struct measure_test *t, struct measure_line *l, size_t *n)
{
    struct measure_sample s;
    measure_line_fill(l);
    for (const char *line; (line = measure_line_next(l)) != NULL;) {
        check_numbers(line);
        if (!measure_flow_read(line, &s))
            continue;
        if (!isfinite(s.at_s) || s.bytes < 0 || s.rtt_s < 0 || !(s.cwnd_bytes >= 0) || !isfinite(s.busy_s))
            abort();
        take(t, &s, (*n)++);
    }
}

static void judge(struct measure_test *t)
{
    struct measure_summary s;
    struct analysis_resource r;
    static const char *const servers[] = {"far"};
    measure_summary_settle(t, &s);
    measure_verdict_of(t, &s, "near", servers, &r);
    const char *why = r.diagnosis.why;
    if (!*why || strlen(why) >= sizeof r.diagnosis.why)
        abort();
    free(r.flows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fds[2];
    size_t n = 0;
    struct measure_line l;
    struct measure_test *t = calloc(1, sizeof *t);
    if (!t || socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    *t = (struct measure_test){.in = 1, .out = 1, .hosts = 1, .streams = 1, .n = PHASES};
    for (size_t p = 0; p < PHASES; p++) {
        bool both = kinds[p] == MEASURE_BOTH || kinds[p] == MEASURE_PACED;
        t->phase[p] = (struct measure_phase){.kind = kinds[p], .n = both ? 2 : 1, .from_s = INFINITY, .to_s = -INFINITY};
        for (size_t i = 0; i < t->phase[p].n; i++)
            t->phase[p].end[i].incoming = both ? i == 0 : kinds[p] == MEASURE_IN;
    }
    measure_line_open(&l, fds[0]);
    for (size_t at = 0; at < size && !l.ended;) {
        size_t piece = size - at < PIECES ? size - at : PIECES;
        ssize_t sent = send(fds[1], data + at, piece, MSG_DONTWAIT | MSG_NOSIGNAL);
        at += sent > 0 ? (size_t)sent : 0;
        hear(t, &l, &n);
    }
    bool whole = n > 0;
    for (size_t p = 0; p < PHASES; p++)
        whole = whole && t->phase[p].from_s < t->phase[p].to_s;
    if (whole)
        judge(t);
    measure_line_close(&l);
    close(fds[1]);
    measure_test_fini(t);
    free(t);
    return 0;
}
