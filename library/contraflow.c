/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "library/contraflow.h"

#include "base/order.h"
#include "base/text.h"
#include "results/json.h"
#include "scenarios/load.h"
#include "scenarios/run/run.h"
#include "scenarios/save.h"
#include "study/verdict/judge.h"
#include "view/diagnosis.h"

#include <gsl/gsl_errno.h>

static bool fail(const struct error *err, char why[CONTRAFLOW_WHY])
{
    *why = '\0';
    text_add(why, CONTRAFLOW_WHY, "%s", err->message);
    return false;
}

/* Takes the value. */
static char *text_of(json_t *value, bool ok, const struct error *err, char why[CONTRAFLOW_WHY])
{
    char *text = ok ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(value);
    if (!ok)
        fail(err, why);
    return text;
}

const char *contraflow_version(void)
{
    return CONTRAFLOW_VERSION;
}

static json_t *flow_json(const struct analysis_flow *flow)
{
    char src[ANALYSIS_ENDPOINT_TEXT], dst[ANALYSIS_ENDPOINT_TEXT];
    analysis_flows_endpoint(&flow->src, flow->src_port, src);
    analysis_flows_endpoint(&flow->dst, flow->dst_port, dst);
    return results_json("src:s dst:s payload_bytes:l start_s:f end_s:f goodput_bps:f steady_goodput_bps:f "
                        "steady_ci95_bps:f retransmitted_segments:l loss_events:l", src, dst,
                        (int64_t)flow->payload_bytes, flow->start_s, flow->end_s, flow->goodput_bps,
                        flow->steady_goodput_bps.value, flow->steady_goodput_bps.ci95,
                        (int64_t)flow->retransmitted_segments, (int64_t)flow->loss_events);
}

static ORDER_OF(by_start, struct analysis_flow, ORDER(start_s))

char *contraflow_flows(const char *path, char why[CONTRAFLOW_WHY])
{
    struct error err = {0};
    struct analysis_capture capture;
    struct analysis_flows *flows = study_capture_read(path, false, NULL, &capture, &err);
    if (!flows) {
        fail(&err, why);
        return NULL;
    }
    json_t *list = json_array();
    size_t slots = analysis_flows_slots(flows), n = 0;
    MEMORY_LOCAL struct analysis_flow *flow = memory_zeroed(slots, sizeof *flow, "flows");
    for (size_t i = 0; i < slots; i++)
        n += analysis_flows_get(flows, i, &flow[n]);
    qsort(flow, n, sizeof *flow, by_start);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, flow_json(&flow[i]));
    analysis_flows_free(flows);
    return text_of(list, true, &err, why);
}

static bool diagnose_visit(void *user, const char *source, const char *run UNUSED,
                           const struct analysis_resources *resources, struct error *err)
{
    const struct analysis_resource *r;
    if (!resources)
        return error_set(err, ERROR_INPUT, "%s: a run of other traffic than bulk flows", source);
    for (size_t i = 0; (r = analysis_resources_get(resources, i)); i++)
        json_array_append_new(user, results_json("source:s host:s diagnosis:o", source, r->host,
                                                 view_diagnosis_json(source, r)));
    return true;
}

char *contraflow_diagnose(const char *path, char why[CONTRAFLOW_WHY])
{
    struct error err = {0};
    const struct study_judge_options judging = study_judge_options_default();
    json_t *list = json_array();
    gsl_set_error_handler_off(); /* what cannot be computed is unknown, and ends nobody */
    bool ok = study_judge_source(path, &judging, NULL, diagnose_visit, list, &err);
    return text_of(list, ok, &err, why);
}

bool contraflow_emulate(const char *scenario, const char *directory, char why[CONTRAFLOW_WHY])
{
    struct error err = {0};
    MEMORY_ENDS(scenario_fini) struct scenario s = {0};
    struct scenario_run_result result = {0};
    const struct scenario_run_options options = {.directory = directory, .threads = 1};
    if (!scenario_load_text(&s, "scenario", scenario, &err))
        return fail(&err, why);
    bool ok = s.n_points > 0 ? error_set(&err, ERROR_INPUT, "scenario: a list of points is several runs; give one")
                             : scenario_save_directory(&s, directory, "contraflow_emulate()", &err) &&
                                   scenario_run(&s, &options, &result, &err);
    return ok || fail(&err, why);
}

void contraflow_free(char *text)
{
    free(text);
}
