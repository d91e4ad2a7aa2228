/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/infer/measurement.h"

void study_measurement_fini(struct study_measurement *m)
{
    for (size_t i = 0; i < m->n; i++) {
        MEMORY_FREE(m->patterns[i].name, m->patterns[i].flows);
        if (m->patterns[i].replay)
            study_replay_fini(m->patterns[i].replay);
        MEMORY_FREE(m->patterns[i].replay, m->patterns[i].scenario_path);
        if (m->patterns[i].scenario)
            scenario_fini(m->patterns[i].scenario);
        free(m->patterns[i].scenario);
    }
    for (size_t i = 0; i < m->n_placements; i++)
        MEMORY_FREE(m->placements[i].name, m->placements[i].at);
    MEMORY_FREE(m->patterns, m->placements, m->hosts);
    *m = (struct study_measurement){.n = 0};
}

struct study_measurement_pattern *study_measurement_pattern_of(struct study_measurement *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->patterns[i].name, name) == 0)
            return &m->patterns[i];
    m->patterns = memory_grown(m->patterns, m->n, &m->capacity, 8, sizeof *m->patterns, "a measurement");
    m->patterns[m->n] = (struct study_measurement_pattern){.name = memory_text("%s", name)};
    return &m->patterns[m->n++];
}

struct study_measurement_flow *study_measurement_flow_of(struct study_measurement *m,
                                                         struct study_measurement_pattern *p,
                                                         const struct study_measurement_flow *like)
{
    for (size_t i = 0; i < p->n; i++) {
        struct study_measurement_flow *f = &p->flows[i];
        if (strcmp(f->name, like->name) == 0 && f->from == like->from && f->to == like->to &&
            f->bytes == like->bytes && !(fabs(f->start_s - like->start_s) > 0))
            return f;
    }
    p->flows = memory_grown(p->flows, p->n, &p->capacity, 8, sizeof *p->flows, "a measurement");
    p->flows[p->n] = *like;
    m->flows++;
    return &p->flows[p->n++];
}

size_t study_measurement_host(struct study_measurement *m, const char *name)
{
    for (size_t i = 0; i < m->n_hosts; i++)
        if (strcmp(m->hosts[i], name) == 0)
            return i;
    m->hosts = memory_grown(m->hosts, m->n_hosts, &m->hosts_capacity, 8, sizeof *m->hosts, "hosts");
    snprintf(m->hosts[m->n_hosts], sizeof *m->hosts, "%s", name);
    return m->n_hosts++;
}

void study_measurement_add_s(struct study_measurement_flow *f, double seconds)
{
    estimate_add(&f->log, log(seconds));
}

void study_measurement_add_bps(struct study_measurement_flow *f, double bps)
{
    estimate_add(&f->log, f->bytes > 0 ? log(8 * (double)f->bytes / bps) : -log(bps));
}

double study_measurement_share(const struct study_measurement_flow *f)
{
    return 1 / sqrt((double)f->log.n);
}

double study_measurement_pooled(const struct study_measurement *m, double *degrees)
{
    double squares = 0;
    *degrees = 0;
    for (size_t p = 0; p < m->n; p++)
        for (size_t i = 0; i < m->patterns[p].n; i++) {
            const struct estimate_running *log = &m->patterns[p].flows[i].log;
            squares += log->m2;
            *degrees += (double)(log->n - 1);
        }
    return *degrees > 0 ? sqrt(squares / *degrees) : 0;
}

/* "h12" as 12; -1: another name. */
static int host_number(const char *name)
{
    int number = -1, length = 0;
    return sscanf(name, "h%5d%n", &number, &length) == 1 && name[length] == '\0' ? number : -1;
}

const struct scenario *study_measurement_base(const struct study_measurement_pattern *p, const struct scenario *base)
{
    return p->replay ? &p->replay->scenario : p->scenario ? p->scenario : base;
}

static bool pattern_uses(const struct study_measurement_pattern *p, size_t host)
{
    bool uses = !p;
    for (size_t i = 0; p && i < p->n; i++)
        uses = uses || p->flows[i].from == host || p->flows[i].to == host;
    return uses;
}

bool study_measurement_hosts(const struct study_measurement *m, const struct study_measurement_pattern *only,
                             const struct scenario *s, int **number, struct error *err)
{
    bool numbered = true, star = s->network.topology == EMU_TOPOLOGY_STAR;
    int hosts = star ? SCENARIO_HOSTS : s->network.hosts; /* a star has as many as the flows need */
    *number = memory_zeroed(m->n_hosts, sizeof **number, "hosts");
    for (size_t i = 0; i < m->n_hosts; i++)
        numbered = numbered && host_number(m->hosts[i]) >= 0;
    for (size_t i = 0; i < m->n_hosts; i++) {
        (*number)[i] = numbered ? host_number(m->hosts[i]) : (int)i;
        if (!pattern_uses(only, i))
            continue;
        if (!numbered && !star)
            return error_set(err, ERROR_INPUT, "hosts such as '%s' have no place in a %s: call them h0 to h%d",
                             m->hosts[host_number(m->hosts[0]) < 0 ? 0 : i], emu_topology_names[s->network.topology],
                             hosts - 1);
        if ((*number)[i] >= hosts)
            return error_set(err, ERROR_INPUT, "'%s' is not in the network, whose hosts are h0 to h%d", m->hosts[i],
                             hosts - 1);
    }
    return true;
}

bool study_measurement_windows(const struct study_measurement *m)
{
    return m->n > 0 && (m->patterns[0].replay || m->patterns[0].flows[0].window_bytes > 0);
}

double study_measurement_first_s(const struct study_measurement_pattern *p)
{
    double first_s = INFINITY;
    for (size_t i = 0; i < p->n; i++)
        first_s = fmin(first_s, p->flows[i].start_s);
    return first_s;
}

int64_t study_measurement_start_ps(const struct study_measurement_flow *f, double first_s)
{
    return (int64_t)((f->start_s - first_s) * (double)UNITS_PS_PER_S);
}

void study_measurement_scenario(const struct study_measurement_pattern *p, const int (*host)[2],
                                const struct scenario *base, struct scenario *s)
{
    int hosts = 2;
    double first_s = study_measurement_first_s(p);
    *s = *base;
    s->engine = SCENARIO_ENGINE_NATIVE;
    s->traffic = SCENARIO_TRAFFIC_FLOWS;
    s->barrier = false;
    s->precision = 0;
    s->n_captures = s->n_points = 0;
    s->n_flows = (int)p->n;
    s->flows = memory_zeroed(p->n, sizeof *s->flows, "flows");
    for (size_t i = 0; i < p->n; i++) {
        const struct study_measurement_flow *f = &p->flows[i];
        struct scenario_flow *to = &s->flows[i];
        *to = (struct scenario_flow){
            .from = host[i][0],
            .to = host[i][1],
            .bytes = f->bytes,
            .start_ps = study_measurement_start_ps(f, first_s),
            .repeat = 1,
            .tcp = scenario_flow_tcp(s, f->window_bytes > 0 ? f->window_bytes : s->tcp.receive_buffer_bytes),
        };
        snprintf(to->name, sizeof to->name, "f%zu", i);
        hosts = to->from >= hosts ? to->from + 1 : hosts;
        hosts = to->to >= hosts ? to->to + 1 : hosts;
    }
    if (s->network.topology == EMU_TOPOLOGY_STAR && hosts > s->network.hosts)
        s->network.hosts = hosts;
}
