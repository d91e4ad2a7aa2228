/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/diagnosis.h"

#include "base/memory.h"
#include "base/text.h"
#include "study/judge.h"
#include "study/judge_run.h"
#include "view/beside.h"
#include "view/offloads.h"
#include "view/table.h"
#include "view/text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHAPED 0.95 /* of a queue's rate: a shaper before it keeps it empty */

/* Do ACKs wait in the queue that data of this direction pass? The other direction loses by that. */
static bool diagnosis_queue_matters(const struct judge_diagnosis *d, bool incoming)
{
    double lost = incoming ? d->out.lost_share : d->in.lost_share;
    if (*d->place)
        return !incoming; /* it is that port's own queue */
    return lost > 0 && lost >= JUDGE_DIAGNOSIS_BOTH * fmax(d->in.lost_share, d->out.lost_share);
}

static double diagnosis_queue_bps(const struct judge_diagnosis *d, enum judge_remedy_way way)
{
    const struct judge_way *w = way == JUDGE_REMEDY_IN    ? &d->in
                                             : way == JUDGE_REMEDY_OUT ? &d->out
                                             : d->in.capacity_bps < d->out.capacity_bps ? &d->in : &d->out;
    bool unseen = w->source == JUDGE_CAPACITY_ASSUMED || d->cause == JUDGE_CAUSE_POLICING ||
                  d->cause == JUDGE_CAUSE_THIN_PATH; /* no data queue where the shaper belongs */
    return unseen ? (double)NAN : SHAPED * w->capacity_bps;
}

/* As tc reads it. */
static void diagnosis_rate(double bps, char *text, size_t size)
{
    if (!isfinite(bps))
        snprintf(text, size, "RATE");
    else if (bps >= 1e9)
        snprintf(text, size, "%.3ggbit", bps / 1e9);
    else
        snprintf(text, size, "%.0fkbit", bps / 1e3);
}

/* Puts in the words that follow from the diagnosis. */
static void diagnosis_expand(const struct analysis_resource *r, enum judge_remedy_way way, const char *words,
                             char text[static VIEW_DIAGNOSIS_TEXT])
{
    const struct judge_diagnosis *d = &r->diagnosis;
    bool in = diagnosis_queue_matters(d, true), out = diagnosis_queue_matters(d, false);
    const char *host = *d->place ? d->place : r->host;
    char where[2 * ANALYSIS_CHECK_NAME + 80], rate[32];
    snprintf(where, sizeof where, in && out ? "both queues, %s's own and the one towards it"
                                  : in      ? "the queue towards %s"
                                            : "%s's own queue", host);
    diagnosis_rate(diagnosis_queue_bps(d, way), rate, sizeof rate);
    const struct {
        const char *word, *text;
    } known[] = {{"HOST", host}, {"WHERE", where}, {"RATE", rate}};
    char *at = text, *end = text + VIEW_DIAGNOSIS_TEXT - 1;
    while (*words && at < end) {
        size_t k = 0;
        while (k < sizeof known / sizeof *known && strncmp(words, known[k].word, strlen(known[k].word)) != 0)
            k++;
        if (k == sizeof known / sizeof *known) {
            *at++ = *words++;
            continue;
        }
        for (const char *from = known[k].text; *from && at < end;)
            *at++ = *from++;
        words += strlen(known[k].word);
    }
    *at = '\0';
}

const char *view_diagnosis_answer(const struct judge_diagnosis *d)
{
    return d->answer == JUDGE_ANSWER_UNKNOWN ? "cannot tell" : judge_answer_name(d->answer);
}

void view_diagnosis_what(const struct analysis_resource *r, char text[static VIEW_DIAGNOSIS_TEXT])
{
    const struct judge_diagnosis *d = &r->diagnosis;
    diagnosis_expand(r, JUDGE_REMEDY_ANY, judge_cause(d->cause)->what, text);
    const struct judge_way *slow = d->in.capacity_bps < d->out.capacity_bps ? &d->in : &d->out;
    if (d->cause == JUDGE_CAUSE_THIN_ACKS) /* its price */
        text_add(text, VIEW_DIAGNOSIS_TEXT, " (its price: ACKs take up to %.2g of the %.3g Mb/s %s)",
                 slow->acks_bps / 1e6, slow->capacity_bps / 1e6, slow == &d->in ? "in" : "out");
}

/* The i-th that applies; NULL after the last. */
static const struct judge_remedy *diagnosis_remedy_row(const struct analysis_resource *r, size_t i)
{
    for (const struct judge_remedy *remedy = judge_cause(r->diagnosis.cause)->remedies; remedy->text; remedy++) {
        if (remedy->way != JUDGE_REMEDY_ANY &&
            !diagnosis_queue_matters(&r->diagnosis, remedy->way == JUDGE_REMEDY_IN))
            continue;
        if (i-- == 0)
            return remedy;
    }
    return NULL;
}

bool view_diagnosis_remedy(const struct analysis_resource *r, size_t i, char text[static VIEW_DIAGNOSIS_TEXT])
{
    const struct judge_remedy *remedy = diagnosis_remedy_row(r, i);
    if (remedy)
        diagnosis_expand(r, remedy->way, remedy->text, text);
    return remedy != NULL;
}

enum judge_remedy_way view_diagnosis_remedy_way(const struct analysis_resource *r, size_t i)
{
    return diagnosis_remedy_row(r, i)->way;
}

/* A run is run again, with ACKs first. */
static char *diagnosis_command_of_run(const char *directory, const char *what_if)
{
    if (strcmp(what_if, "--what-if ack-first") != 0)
        return NULL;
    char *scenario = memory_text("%s/scenario.yaml", directory), *from = view_text_shell_word(scenario);
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    char *output = memory_text("%.*s-ack-first", (int)length, directory), *to = view_text_shell_word(output);
    char *command = memory_text("contraflow run %s -o %s --set network.nic.queue=ack-first --set "
                                "network.switch.queue=ack-first", from, to);
    free(scenario);
    free(from);
    free(output);
    free(to);
    return command;
}

char *view_diagnosis_command(const char *source, const struct analysis_resource *r)
{
    char directory[PATH_MAX];
    const char *what_if = judge_cause(r->diagnosis.cause)->what_if;
    if (r->live)
        return NULL;
    if (!what_if || study_judge_run_exists(source))
        return what_if ? diagnosis_command_of_run(source, what_if) : NULL;
    const char *run = strcmp(source, "-") == 0 ? NULL : study_judge_run_of(source, directory);
    char *file = view_text_shell_word(strcmp(source, "-") == 0 ? "my.pcap" : source);
    char *scenario = memory_text("%s/scenario.yaml", run ? run : "."), *network = view_text_shell_word(scenario);
    char *command =
        memory_text("contraflow replay %s%s%s %s", file, run ? " --scenario " : "", run ? network : "", what_if);
    free(network);
    free(scenario);
    free(file);
    return command;
}

void view_diagnosis_print_answer(FILE *f, const char *source, const struct analysis_resource *r)
{
    fprintf(f, "%s: host %s: %s: %s\n", source, r->host, view_diagnosis_answer(&r->diagnosis), r->diagnosis.why);
}

/* Of a run whose flows lived at different times the answer itself shows what would tell: a capture of it. */
static bool diagnosis_says_all(const char *source, const struct analysis_resource *r)
{
    return r->diagnosis.answer == JUDGE_ANSWER_UNKNOWN && study_judge_run_exists(source);
}

/* Of an answer, in per cent; no more than so many draws can tell. */
static double diagnosis_sure(const struct judge_diagnosis *d)
{
    double share = d->answer == JUDGE_ANSWER_YES ? d->probability : 1 - d->probability;
    return 100 * fmin(share, 0.999);
}

void view_diagnosis_print(FILE *f, const char *source, const struct analysis_resource *r)
{
    const struct judge_diagnosis *d = &r->diagnosis;
    char what[VIEW_DIAGNOSIS_TEXT], remedy[VIEW_DIAGNOSIS_TEXT];
    char *command = view_diagnosis_command(source, r);
    bool any = view_diagnosis_remedy(r, 0, remedy);
    view_diagnosis_what(r, what);
    view_diagnosis_print_answer(f, source, r);
    if (d->answer != JUDGE_ANSWER_UNKNOWN && isfinite(d->probability))
        fprintf(f, "  how sure: %.3g %%; %.0f to %.0f %% are lost\n", diagnosis_sure(d), 100 * fmax(0, d->lost_share - d->ci95),
                100 * fmax(0, fmin(1, d->lost_share + d->ci95)));
    if (!diagnosis_says_all(source, r))
        fprintf(f, "  what %s: %s%s%s\n", d->answer == JUDGE_ANSWER_UNKNOWN ? "would tell" : "to do", what,
            any ? "; " : "", any ? remedy : "");
    if (command)
        fprintf(f, "  try: %s\n", command);
    free(command);
    char offloads[VIEW_OFFLOADS_TEXT];
    if (view_offloads_say(r, offloads))
        fprintf(f, "  offloads: %s\n", offloads);
    char beside[VIEW_BESIDE_TEXT];
    for (size_t i = 0; view_beside_say(r, i, beside); i++)
        fprintf(f, "  beside TCP: %s\n", beside);
}

static json_t *diagnosis_both(double in, double out)
{
    return json_pack("{s:o, s:o}", "in", view_table_json_number(in), "out", view_table_json_number(out));
}

static json_t *diagnosis_remedies(const char *source, const struct analysis_resource *r)
{
    char text[VIEW_DIAGNOSIS_TEXT];
    json_t *list = json_array();
    if (diagnosis_says_all(source, r))
        return list;
    view_diagnosis_what(r, text);
    json_array_append_new(list, json_string(text));
    for (size_t i = 0; view_diagnosis_remedy(r, i, text); i++)
        json_array_append_new(list, json_string(text));
    char *command = view_diagnosis_command(source, r);
    if (command)
        json_array_append_new(list, json_string(command));
    free(command);
    return list;
}

json_t *view_diagnosis_json(const char *source, const struct analysis_resource *r)
{
    const struct judge_diagnosis *d = &r->diagnosis;
    const struct judge_way *in = &d->in, *out = &d->out;
    if (!r->diagnosed)
        return json_null();
    json_t *lost = diagnosis_both(in->lost_share, out->lost_share);
    json_t *capacity = diagnosis_both(in->capacity_bps, out->capacity_bps);
    json_object_set_new(lost, "total", view_table_json_number(d->lost_share));
    json_object_set_new(lost, "ci95", view_table_json_number(d->ci95));
    json_object_set_new(capacity, "source",
                        json_string(judge_capacity_source_name(in->source == JUDGE_CAPACITY_DISPERSION ||
                                                                       out->source == JUDGE_CAPACITY_UNKNOWN
                                                                   ? in->source
                                                                   : out->source)));
    return json_pack("{s:s, s:o, s:s, s:s?, s:s, s:o, s:o, s:s, s:o, s:o, s:{s:b, s:b}, s:o, s:o, s:o, s:o, s:o, s:o}", "asymmetry",
                     judge_answer_name(d->answer), "probability", view_table_json_number(d->probability), "cause", judge_cause(d->cause)->name, "second_cause",
                     d->second == JUDGE_CAUSE_UNKNOWN ? NULL : judge_cause(d->second)->name, "why", d->why,
                     "goodput_bps", diagnosis_both(in->carried_bps, out->carried_bps), "possible_bps",
                     diagnosis_both(in->possible_bps, out->possible_bps), "possible_from",
                     judge_possible_name(d->possible_from), "lost_share", lost, "capacity_bps", capacity,
                     "saturated", "in", in->saturated, "out", out->saturated, "data_wait_s",
                     diagnosis_both(in->data_wait_s, out->data_wait_s), "ack_wait_s",
                     diagnosis_both(in->ack_wait_s, out->ack_wait_s), "ack_first_price_bps",
                     diagnosis_both(in->acks_bps, out->acks_bps), "remedies", diagnosis_remedies(source, r), "offloads",
                     view_offloads_json(r), "beside", view_beside_json(r));
}
