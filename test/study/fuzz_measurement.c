/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measurements nobody made: the first byte says whether it is a table, iperf3's JSON, or where flows may have been in a
 * measurement of two patterns. What is read is finite, lies between hosts there are, and becomes a scenario.
 * `test/fuzz measurement`, or test/fuzzing/replay.c. */
#include "study/infer/measurement.h"

#include "test/fuzzing/text.h"

static const char two_patterns[] = "pattern,flow,from,to,bytes,seconds\na,e1,h0,h1,1MB,0.1\na,e2,h1,h2,1MB,0.2\n"
                                   "b,e1,h2,h0,2MB,0.3\n";

static void check_flow(const struct study_measurement *m, const struct study_measurement_flow *f)
{
    if (f->from >= m->n_hosts || f->to >= m->n_hosts || f->log.n == 0 || !isfinite(f->log.mean) || f->bytes < 0 ||
        !isfinite(f->start_s) || (isfinite(f->spread) && !(f->spread > 0 && f->spread < 1)))
        abort();
}

static void check_scenario(const struct study_measurement *m, const struct study_measurement_pattern *p, const int *host,
                           size_t first)
{
    struct scenario base = {.network = {.hosts = 2}, .tcp = {.receive_buffer_bytes = 1000000, .segment_bytes = 1448}},
                    s;
    int(*at)[2] = calloc(p->n, sizeof *at);
    for (size_t i = 0; i < p->n; i++) {
        const size_t *placed = m->n_placements > 0 ? m->placements[0].at[first + i] : NULL;
        at[i][0] = host[placed ? placed[0] : p->flows[i].from];
        at[i][1] = host[placed ? placed[1] : p->flows[i].to];
    }
    study_measurement_scenario(p, (const int(*)[2])at, &base, &s);
    for (int i = 0; i < s.n_flows; i++)
        if (s.flows[i].start_ps < 0 || s.flows[i].from < 0 || s.flows[i].from >= s.network.hosts ||
            s.flows[i].to >= s.network.hosts)
            abort();
    free(s.flows);
    free(at);
}

static void check(const struct study_measurement *m)
{
    const struct scenario star = {.network = {.topology = EMU_TOPOLOGY_STAR}};
    struct error err;
    size_t flows = 0;
    int *host = NULL;
    for (size_t i = 0; i < m->n; i++) {
        flows += m->patterns[i].n;
        for (size_t k = 0; k < m->patterns[i].n; k++)
            check_flow(m, &m->patterns[i].flows[k]);
    }
    for (size_t i = 0; i < m->n_placements; i++)
        for (size_t k = 0; k < m->flows; k++)
            if (m->placements[i].at[k][0] >= m->n_hosts || m->placements[i].at[k][1] >= m->n_hosts)
                abort();
    if (flows != m->flows)
        abort();
    if (!study_measurement_hosts(m, NULL, &star, &host, &err))
        text_check(&err);
    flows = 0;
    for (size_t i = 0; host && err.code == ERROR_NONE && i < m->n; flows += m->patterns[i++].n)
        check_scenario(m, &m->patterns[i], host, flows);
    free(host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[40], other[40];
    struct study_measurement m = {.n = 0};
    struct error err = {.code = ERROR_NONE};
    if (size == 0)
        return 0;
    int fd = text_file(data + 1, size - 1, path);
    bool ok;
    if (*data == 'p') {
        int measured = text_file(two_patterns, strlen(two_patterns), other);
        ok = study_measurement_read_csv(&m, other, &err) && study_measurement_read_placements(&m, path, &err);
        close(measured);
    } else {
        ok = *data == 'j' ? study_measurement_read_foreign(&m, path, true, &err)
                          : study_measurement_read_csv(&m, path, &err);
    }
    if (ok)
        check(&m);
    else
        text_check(&err);
    study_measurement_fini(&m);
    close(fd);
    return 0;
}
