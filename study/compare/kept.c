/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/compare/compare.h"

#include "base/infile.h"
#include "results/directory.h"
#include "results/json.h"
#include "study/verdict/judge_run.h"

#define MOST (16u << 20) /* bytes */

static const char *kept_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool kept_flow(const json_t *from, struct analysis_check_flow *flow)
{
    const char *way = kept_text(from, "direction");
    *flow = (struct analysis_check_flow){
        .incoming = strcmp(way, "in") == 0, .rate_bps = results_json_real(from, "rate_bps"),
        .ci95_bps = results_json_real(from, "ci95_bps"), .window_bytes = results_json_real(from, "window_bytes"),
        .buffer_bytes = results_json_real(from, "buffer_bytes"), .loss_events = ANALYSIS_CHECK_LOSS_UNKNOWN,
        .retransmitted_segments = json_integer_value(json_object_get(from, "retransmitted_segments")),
        .floor_s = results_json_real(from, "floor_s"), .data_wait_s = results_json_real(from, "data_wait_s"),
        .ack_wait_s = results_json_real(from, "ack_wait_s")};
    snprintf(flow->src, sizeof flow->src, "%s", kept_text(from, "src"));
    snprintf(flow->dst, sizeof flow->dst, "%s", kept_text(from, "dst"));
    return (flow->incoming || strcmp(way, "out") == 0) && *flow->src && *flow->dst && flow->rate_bps >= 0;
}

static void kept_diagnosis(const json_t *from, struct judge_diagnosis *d)
{
    const char *answer = kept_text(from, "asymmetry"), *cause = kept_text(from, "cause");
    const json_t *lost = json_object_get(from, "lost_share");
    *d = (struct judge_diagnosis){.lost_share = results_json_real(lost, "total"), .ci95 = results_json_real(lost, "ci95"),
                                  .probability = results_json_real(from, "probability")};
    for (int i = 0; i <= JUDGE_ANSWER_YES; i++)
        d->answer = strcmp(answer, judge_answer_name((enum judge_answer)i)) == 0 ? (enum judge_answer)i : d->answer;
    for (int i = 0; i < JUDGE_CAUSES; i++)
        d->cause = strcmp(cause, judge_cause((enum judge_cause)i)->name) == 0 ? (enum judge_cause)i : d->cause;
    for (int i = 0; i <= JUDGE_POSSIBLE_MEASURED; i++)
        d->possible_from = strcmp(kept_text(from, "possible_from"), judge_possible_name((enum judge_possible)i)) == 0
                               ? (enum judge_possible)i : d->possible_from;
    snprintf(d->why, sizeof d->why, "%s", kept_text(from, "why"));
    for (int incoming = 0; incoming < 2; incoming++) {
        struct judge_way *w = incoming ? &d->in : &d->out;
        const char *way = incoming ? "in" : "out";
        *w = (struct judge_way){
            .carried_bps = results_json_real(json_object_get(from, "goodput_bps"), way),
            .possible_bps = results_json_real(json_object_get(from, "possible_bps"), way),
            .room_bps = NAN, .acks_bps = NAN, .floor_s = NAN, .lost_share = results_json_real(lost, way),
            .capacity_bps = results_json_real(json_object_get(from, "capacity_bps"), way),
            .data_wait_s = results_json_real(json_object_get(from, "data_wait_s"), way),
            .ack_wait_s = results_json_real(json_object_get(from, "ack_wait_s"), way)};
    }
}

static bool kept_resource(const json_t *from, struct analysis_resource *r)
{
    const json_t *flows = json_object_get(from, "flows"), *flow, *diagnosis = json_object_get(from, "diagnosis");
    size_t i;
    *r = (struct analysis_resource){.end_s = results_json_real(from, "end_s"), .n = json_array_size(flows),
                                    .diagnosed = json_is_object(diagnosis),
                                    .live = json_is_object(json_object_get(from, "measured"))};
    snprintf(r->host, sizeof r->host, "%s", kept_text(from, "host"));
    r->flows = memory_zeroed(r->n, sizeof *r->flows, "flows of a judged host");
    bool ok = *r->host != '\0' && r->n > 0;
    json_array_foreach(flows, i, flow)
        ok = kept_flow(flow, &r->flows[i]) && ok;
    if (r->diagnosed) {
        kept_diagnosis(diagnosis, &r->diagnosis);
        for (i = 0; i < r->n; i++)
            (r->flows[i].incoming ? &r->diagnosis.in : &r->diagnosis.out)->flows++;
    }
    return ok;
}

static json_t *kept_load(const char *directory, struct error *err)
{
    MEMORY_LOCAL char *path = results_directory_path(directory, "summary.json");
    size_t size;
    MEMORY_LOCAL char *text = infile_read(path, MOST, "judged hosts", &size, err);
    json_error_t said;
    json_t *root = text ? json_loadb(text, size, 0, &said) : NULL;
    if (text && !root)
        error_set(err, ERROR_INPUT, "%s:%d: not JSON: %.160s", path, said.line, said.text);
    return root;
}

bool study_kept_exists(const char *directory)
{
    struct error ignored = {0};
    if (!results_directory_has(directory, "summary.json") || study_judge_run_exists(directory))
        return false;
    json_auto_t *root = kept_load(directory, &ignored);
    return json_is_array(json_object_get(root, "resources"));
}

bool study_kept_read(const char *directory, struct analysis_resources *all, struct error *err)
{
    *all = (struct analysis_resources){0};
    json_t *root = kept_load(directory, err), *one;
    const json_t *list = json_object_get(root, "resources");
    bool ok = root != NULL;
    size_t i;
    all->resource = memory_zeroed(json_array_size(list), sizeof *all->resource, "judged hosts");
    json_array_foreach(list, i, one) {
        if (ok && !kept_resource(one, &all->resource[all->n++]))
            ok = error_set(err, ERROR_INPUT, "%s/summary.json: host %zu has no name, no flows, or one without \"src\", "
                           "\"dst\", \"direction\" or \"rate_bps\"; 'contraflow measure -o' writes one with them",
                           directory, i + 1);
    }
    json_decref(root);
    return ok;
}
