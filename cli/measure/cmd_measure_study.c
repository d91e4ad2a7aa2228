/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/measure/measure.h"
#include "measure/client.h"
#include "measure/proof.h"
#include "measure/server.h"
#include "measure/summary.h"

/* What a study asks of servers: a test, of which the phases count that have the pattern's directions. */
struct study_asked {
    const struct measure_client *client;
    struct cli_study *study; /* hears of the least round trip */
};

static bool study_measure(void *user, struct study_kit_pattern *p, struct error *err)
{
    struct study_asked *asked = user;
    MEMORY_LOCAL struct measure_test *t = memory_zeroed(1, sizeof *t, "a test");
    struct measure_summary s;
    bool ok = measure_client_run(asked->client, p->in ? p->in : 1, p->out ? p->out : 1, t, err);
    if (ok) {
        measure_summary_of(t, &s);
        enum measure_kind kind = p->in == 0 ? MEASURE_OUT : p->out == 0 ? MEASURE_IN : MEASURE_BOTH;
        for (size_t f = 0; f < p->in + p->out; f++) {
            bool out = f < p->out;
            const struct measure_summary_way *way = out ? &s.out[kind] : &s.in[kind];
            double n = (double)(out ? p->out : p->in);
            p->rate[f] = (struct study_kit_rate){way->rate_bps.value / n, way->rate_bps.std_error / way->rate_bps.value,
                                                 way->mean.window_bytes};
            ok = ok && (way->rate_bps.value > 0 || error_set(err, ERROR_SYSTEM, "nothing came through"));
        }
        double trip_s = fmax(s.floor_in_s, s.floor_out_s), before_s = asked->study->round_trip_s;
        asked->study->round_trip_s = before_s > 0 ? fmin(before_s, trip_s) : trip_s;
    }
    measure_test_fini(t);
    return ok;
}


/* Of servers. */
static int study_servers(struct cli_study *s, const char *port, const char *token, const char *const *hosts, size_t n,
                         struct error *err)
{
    char where[256] = "";
    for (size_t h = 0; h < n; h++)
        text_add(where, sizeof where, "%s%s", h ? ", " : "", hosts[h]);
    struct measure_client c = {.host = hosts, .hosts = n, .port = port, .token = token,
                               .time_s = MEASURE_CLIENT_LEAST_S, .streams = 1};
    struct study_asked asked = {&c, s};
    s->where = where;
    s->measure = study_measure;
    s->user = &asked;
    s->kit.flows = 2 * n;
    s->kit.shared = true;
    return cli_study_run(s, err);
}

int cli_measure_study(int argc, char **argv)
{
    struct error err = {0};
    struct cli_study s = {.json = false};
    const char *port = MEASURE_SERVER_PORT, *token = NULL, *token_file = NULL, *emulate = NULL;
    char text[MEASURE_PROOF_TOKEN_MOST + 1];
    bool study;
    const struct cli_option options[] = {
        {"study", 0, .flag = &study},
        {"emulate", 0, .text = &emulate},
        {"token", 0, .text = &token},
        {"token-file", 0, .text = &token_file},
        {"port", 0, .call = cli_measure_port, .to = &port, .least = 1},
        {"budget", 0, .call = cli_options_budget, .to = &s.kit.until_s},
        {"jobs", 'j', .call = cli_options_jobs, .to = &s.kit.jobs},
        {"json", 0, .flag = &s.json},
        {0},
    };
    int at = cli_options_read("measure study", argc, argv, options, &err), status = -1;
    if (at == 0)
        return 0;
    if (at > 0 && (emulate ? at < argc : at == argc))
        error_set(&err, ERROR_INPUT, "measure --study: either servers or --emulate SCENARIO; try 'contraflow measure --study "
                  "--help'");
    else if (at > 0 && argc - at > MEASURE_HOSTS)
        error_set(&err, ERROR_INPUT, "measure --study: %d servers; %d at most are possible", argc - at, MEASURE_HOSTS);
    else if (at > 0 && emulate)
        status = cli_study_emulated(&s, emulate, &err);
    else if (at > 0 && measure_proof_choose(token, token_file, text, &err))
        status = study_servers(&s, port, text, (const char *const *)(argv + at), (size_t)(argc - at), &err);
    return status < 0 ? cli_fail(&err) : status;
}
