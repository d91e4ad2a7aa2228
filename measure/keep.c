/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/keep.h"

#include "base/outfile.h"
#include "measure/figures.h"
#include "measure/series.h"

/* A cell; empty where it is not known. */
static void keep_number(FILE *f, int digits, double value)
{
    fputs(",", f);
    if (isfinite(value))
        fprintf(f, "%.*f", digits, value);
}

static void keep_head(FILE *f, const struct measure_test *t, const char *names)
{
    fprintf(f, "# contraflow measure, version %s, %zu in, %zu out\n%s\n", CONTRAFLOW_VERSION, t->in, t->out, names);
}

static void keep_end(FILE *f, const struct measure_test *t, size_t p, size_t i, bool near, const char *server)
{
    const struct measure_end *e = &t->phase[p].end[i];
    const struct measure_samples *s = near ? &e->near : &e->far;
    double zero_s = measure_series_zero_s(t);
    for (size_t k = 0; k < s->n; k++) {
        const struct measure_sample *m = &s->sample[k];
        fprintf(f, "%zu,%s,%zu,%s,%s,%s,%s,%.6f,%" PRId64, p, measure_kind_names[t->phase[p].kind], i,
                e->incoming ? "in" : "out", server, near ? "near" : "far",
                e->incoming == near ? "receiver" : "sender", m->at_s - zero_s, m->bytes);
        keep_number(f, 6, m->rtt_s);
        keep_number(f, 6, m->least_rtt_s);
        keep_number(f, 0, m->cwnd_bytes);
        keep_number(f, 0, m->delivery_bps);
        keep_number(f, 6, m->busy_s);
        keep_number(f, 6, m->rwnd_limited_s);
        keep_number(f, 6, m->sndbuf_limited_s);
        fprintf(f, ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", m->segments, m->retransmitted, m->delivered_bytes);
    }
}

static void keep_samples(FILE *f, const struct measure_test *t, const char *const *servers)
{
    keep_head(f, t, "phase,kind,flow,direction,server,end,role,time_s,bytes,rtt_s,least_rtt_s,cwnd_bytes,delivery_bps,"
              "busy_s,rwnd_limited_s,sndbuf_limited_s,segments,retransmitted,delivered_bytes");
    for (size_t p = 0; p < t->n; p++)
        for (size_t i = 0; i < t->phase[p].n; i++)
            for (int near = 1; near >= 0; near--)
                keep_end(f, t, p, i, near, servers[t->phase[p].end[i].host]);
}

static void keep_echoes(FILE *f, const struct measure_test *t, const char *const *servers)
{
    double zero_s = measure_series_zero_s(t);
    keep_head(f, t, "phase,kind,server,time_s,out_wait_s,in_wait_s");
    for (size_t p = 0; p < t->n; p++)
        for (size_t h = 0; h < t->hosts; h++)
            for (size_t i = 0; i < t->phase[p].n_echoes[h]; i++) {
                const struct measure_echo *e = &t->phase[p].echo[h][i];
                fprintf(f, "%zu,%s,%s,%.6f,%.6f,%.6f\n", p, measure_kind_names[t->phase[p].kind], servers[h],
                        e->at_s - zero_s, e->there_s - t->there_s[h], e->back_s - t->back_s[h]);
            }
}

static void keep_phases(FILE *f, const struct measure_test *t)
{
    double zero_s = measure_series_zero_s(t);
    keep_head(f, t, "phase,kind,first,direction,from_s,to_s,flows,rate_bps,rtt_s,wait_s,window_bytes,busy,rwnd_limited,"
              "sndbuf_limited,retransmitted,acks_bps,processor");
    for (size_t p = 0; p < t->n; p++) {
        const struct measure_phase *phase = &t->phase[p];
        struct measure_figures figures;
        measure_figures_of(t, phase, &figures);
        for (int incoming = 1; incoming >= 0; incoming--) {
            const struct measure_way *w = incoming ? &figures.in : &figures.out;
            fprintf(f, "%zu,%s,%s,%s,%.6f,%.6f,%zu", p, measure_kind_names[phase->kind],
                    phase->kind == MEASURE_IN || (phase->kind != MEASURE_OUT && !phase->out_first) ? "in" : "out",
                    incoming ? "in" : "out",
                    phase->from_s - zero_s, phase->to_s - zero_s, w->flows);
            keep_number(f, 0, w->rate_bps);
            keep_number(f, 6, w->rtt_s);
            keep_number(f, 6, w->wait_s);
            keep_number(f, 0, w->window_bytes);
            keep_number(f, 4, w->busy);
            keep_number(f, 4, w->rwnd_limited);
            keep_number(f, 4, w->sndbuf_limited);
            keep_number(f, 6, w->retransmitted);
            keep_number(f, 0, w->acks_bps);
            keep_number(f, 3, phase->processor);
            fputs("\n", f);
        }
    }
}

bool measure_keep_write(const char *directory, const struct measure_test *t, const char *const *servers,
                        struct error *err)
{
    static const char *const names[] = {"phases", "samples", "echoes"};
    bool ok = true;
    for (int i = 0; ok && i < 3; i++) {
        char *path = memory_text("%s/%s-%zu-%zu.csv", directory, names[i], t->in, t->out);
        struct outfile f = {0};
        ok = outfile_open(&f, path, err);
        if (ok && i == 0)
            keep_phases(f.stream, t);
        else if (ok && i == 1)
            keep_samples(f.stream, t, servers);
        else if (ok)
            keep_echoes(f.stream, t, servers);
        ok = ok && outfile_commit(&f, err);
        free(path);
    }
    return ok;
}
