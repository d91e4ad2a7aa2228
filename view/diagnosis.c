/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/diagnosis.h"

#include "base/text.h"
#include "judge/ground.h"
#include "results/json.h"
#include "study/verdict/judge.h"
#include "study/verdict/judge_run.h"
#include "view/beside.h"
#include "view/table.h"
#include "view/text.h"

#define SHAPED 0.95 /* of a queue's rate: a shaper before it keeps it empty */

static const struct judge_advice *diagnosis_advice(const struct judge_diagnosis *d)
{
    return judge_cause_advice(d->cause, d->quic);
}

/* Do ACKs wait in the queue that data of this direction pass? The other direction loses by that. */
static bool diagnosis_queue_matters(const struct judge_diagnosis *d, bool incoming)
{
    double lost = incoming ? d->out.lost_share : d->in.lost_share;
    if (*d->place)
        return !incoming; /* it is that port's own queue */
    return lost > 0 && lost >= JUDGE_DIAGNOSIS_MOST * fmax(d->in.lost_share, d->out.lost_share);
}

static double diagnosis_queue_bps(const struct judge_diagnosis *d, enum judge_remedy_way way)
{
    const struct judge_way *w = way == JUDGE_REMEDY_IN    ? &d->in
                                             : way == JUDGE_REMEDY_OUT ? &d->out
                                             : d->in.capacity_bps < d->out.capacity_bps ? &d->in : &d->out;
    bool unseen = w->source == JUDGE_CAPACITY_ASSUMED || d->cause == JUDGE_CAUSE_POLICING ||
                  d->cause == JUDGE_CAUSE_THIN_PATH; /* no data queue where the shaper belongs */
    return unseen ? (double)NAN : SHAPED * judge_diagnosis_tc_bps(d, w);
}

/* As tc reads it. */
static void diagnosis_rate(double bps, char *text, size_t size)
{
    if (!isfinite(bps))
        snprintf(text, size, "RATE");
    else if (bps >= 1e9)
        snprintf(text, size, "%.3ggbit", floor(bps / 1e7) / 100);
    else
        snprintf(text, size, "%.0fkbit", floor(bps / 1e3));
}

#define WORD (2 * ANALYSIS_CHECK_NAME + 80)

/* The words that follow from the diagnosis. A longer one comes before those in it. */
struct diagnosis_words {
    char on[WORD], port[WORD], host[WORD], where[WORD], rate[32], fewer[UNITS_TEXT + 8];
};

static void diagnosis_words(const struct analysis_resource *r, enum judge_remedy_way way, struct diagnosis_words *w)
{
    const struct judge_diagnosis *d = &r->diagnosis;
    bool in = diagnosis_queue_matters(d, true), out = diagnosis_queue_matters(d, false);
    bool port = r->port || *d->place;
    const char *name = *d->place ? d->place : r->host;
    snprintf(w->on, WORD, port ? "at the port %s" : "on %s", name);
    snprintf(w->port, WORD, port ? "the port at the other end of %s's cable" : "the port to %s", name);
    snprintf(w->host, WORD, port ? "the port %s" : "%s", name);
    snprintf(w->where, WORD, port ? in && out ? "both queues, that of the port %s and the one towards it"
                                    : in      ? "the queue towards the port %s"
                                              : "the queue of the port %s"
                                  : in && out ? "both queues, %s's own and the one towards it"
                                  : in      ? "the queue towards %s"
                                            : "%s's own queue", name);
    diagnosis_rate(diagnosis_queue_bps(d, way), w->rate, sizeof w->rate);
    snprintf(w->fewer, sizeof w->fewer, "%s Mb/s", UNITS_FIGURE(d->fewer_acks_bps / 1e6, 3));
}

static void diagnosis_expand(const struct analysis_resource *r, enum judge_remedy_way way, const char *words,
                             char text[static VIEW_DIAGNOSIS_TEXT])
{
    struct diagnosis_words w;
    diagnosis_words(r, way, &w);
    const struct {
        const char *word, *text;
    } known[] = {{"on HOST", w.on}, {"the port to HOST", w.port}, {"HOST", w.host}, {"WHERE", w.where}, {"RATE", w.rate}, {"FEWER", w.fewer}};
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

#define FILTERED 3 /* flows named one by one in a filter; of more all of the host are shown */

/* "[2001:db8::1]:5201" as "ipv6.src == 2001:db8::1 && tcp.srcport == 5201". False: this is no end of a connection. */
static bool diagnosis_end_filter(const char *end, const char *address, const char *port_of, char *text)
{
    bool six = *end == '[';
    const char *port = six ? strstr(end, "]:") : strrchr(end, ':');
    if (port && *address)
        text_add(text, VIEW_DIAGNOSIS_TEXT, "%s.%s == %.*s && ", six ? "ipv6" : "ip", address, (int)(port - end - six),
                 end + six);
    if (port)
        text_add(text, VIEW_DIAGNOSIS_TEXT, "tcp.%s == %s", port_of, port + (six ? 2 : 1));
    return port != NULL;
}

/* A flow's pure ACKs, or its connection. */
static bool diagnosis_flow_filter(const struct analysis_check_flow *flow, bool acks, char *text)
{
    const char *peer = flow->incoming ? flow->src : flow->dst, *own = flow->incoming ? flow->dst : flow->src;
    bool ok = acks ? diagnosis_end_filter(flow->dst, "src", "srcport", text)
                   : diagnosis_end_filter(peer, "addr", "port", text);
    text_add(text, VIEW_DIAGNOSIS_TEXT, " && ");
    ok = ok && (acks ? diagnosis_end_filter(flow->src, "dst", "dstport", text)
                     : diagnosis_end_filter(own, "", "port", text));
    text_add(text, VIEW_DIAGNOSIS_TEXT, acks ? " && tcp.len == 0" : "");
    return ok;
}

/* All pure ACKs that leave or reach a host, or all that it has to do with. */
static void diagnosis_host_filter(const struct analysis_resource *r, bool acks, bool in, bool out,
                                  char text[static VIEW_DIAGNOSIS_TEXT])
{
    snprintf(text, VIEW_DIAGNOSIS_TEXT, "%s.%s == %s && %s", strchr(r->host, ':') ? "ipv6" : "ip",
             acks && in && !out   ? "src"
             : acks && out && !in ? "dst"
                                  : "addr",
             r->host, acks ? "tcp.len == 0" : "tcp");
}

bool view_diagnosis_filter(const struct analysis_resource *r, char text[static VIEW_DIAGNOSIS_TEXT])
{
    const struct judge_diagnosis *d = &r->diagnosis;
    bool acks = d->answer == JUDGE_ANSWER_YES;
    bool in = !acks || diagnosis_queue_matters(d, false), out = !acks || diagnosis_queue_matters(d, true);
    size_t n = 0;
    *text = '\0';
    if (r->port || r->live)
        return false;
    for (size_t i = 0; i < r->n; i++) {
        const struct analysis_check_flow *flow = &r->flows[i];
        if (!(flow->incoming ? in : out))
            continue;
        text_add(text, VIEW_DIAGNOSIS_TEXT, n++ ? " || " : "");
        text_add(text, VIEW_DIAGNOSIS_TEXT, "(");
        if (n > FILTERED) {
            diagnosis_host_filter(r, acks, in, out, text);
            return true;
        }
        if (!diagnosis_flow_filter(flow, acks, text))
            return false;
        text_add(text, VIEW_DIAGNOSIS_TEXT, ")");
    }
    return n > 0;
}

const char *view_diagnosis_answer(const struct judge_diagnosis *d)
{
    return d->answer == JUDGE_ANSWER_UNKNOWN ? "cannot tell" : judge_answer_name(d->answer);
}

/* Is there nothing to do, as what helps against the cause would bring nothing here? */
static bool diagnosis_in_vain(const struct judge_diagnosis *d)
{
    return judge_cause(d->cause)->gains != JUDGE_GAINS_NOTHING && judge_ground_gain(d) == JUDGE_GAIN_NONE;
}

void view_diagnosis_what(const struct analysis_resource *r, char text[static VIEW_DIAGNOSIS_TEXT])
{
    const struct judge_diagnosis *d = &r->diagnosis;
    if (diagnosis_in_vain(d)) {
        snprintf(text, VIEW_DIAGNOSIS_TEXT, "nothing for more bandwidth: the link has no room for it");
        return;
    }
    diagnosis_expand(r, JUDGE_REMEDY_ANY, diagnosis_advice(d)->what, text);
    const struct judge_way *slow = d->in.capacity_bps < d->out.capacity_bps ? &d->in : &d->out;
    if (d->cause == JUDGE_CAUSE_THIN_ACKS) /* its price */
        text_add(text, VIEW_DIAGNOSIS_TEXT, " (its price: ACKs take up to %s of the %s Mb/s %s)",
                 UNITS_FIGURE(slow->acks_bps / 1e6, 2), UNITS_FIGURE(slow->capacity_bps / 1e6, 3), slow == &d->in ? "in" : "out");
    if (judge_ground_gain(d) == JUDGE_GAIN_UNSEEN)
        text_add(text, VIEW_DIAGNOSIS_TEXT, " (what that would win does not show)");
}

/* The i-th that applies; NULL after the last. */
static const struct judge_remedy *diagnosis_remedy_row(const struct analysis_resource *r, size_t i)
{
    const struct judge_remedy *remedy = diagnosis_advice(&r->diagnosis)->remedies;
    if (diagnosis_in_vain(&r->diagnosis))
        return false;
    for (;; remedy++) {
        if (!remedy->text)
            return false;
        if (remedy->way != JUDGE_REMEDY_ANY && !diagnosis_queue_matters(&r->diagnosis, remedy->way == JUDGE_REMEDY_IN))
            continue;
        if (strstr(remedy->text, "FEWER") && !(r->diagnosis.fewer_acks_bps > 0))
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

/* A run is run again, with other queues, or with fewer ACKs of QUIC. */
static char *diagnosis_command_of_run(const char *directory, const struct judge_diagnosis *d)
{
    const char *what_if = diagnosis_advice(d)->what_if, *name = what_if ? what_if + strlen("--what-if ") : "";
    bool queues = strcmp(name, "ack-first") == 0 || strcmp(name, "fair") == 0, fewer = d->fewer_acks_bps > 0;
    if (!queues && !fewer)
        return NULL;
    MEMORY_LOCAL char *scenario = memory_text("%s/scenario.yaml", directory), *from = view_text_shell_word(scenario);
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    MEMORY_LOCAL char *output = memory_text("%.*s-%s", (int)length, directory, queues ? name : "fewer-acks");
    MEMORY_LOCAL char *to = view_text_shell_word(output);
    MEMORY_LOCAL char *sets = queues ? study_ack_first_words(directory, name) : memory_text("%s", "");
    char acks[40] = "";
    if (fewer)
        snprintf(acks, sizeof acks, " --set tcp.delayed_ack=%d", JUDGE_CAUSE_FEWER_ACKS);
    return memory_text("contraflow run %s -o %s%s%s", from, to, sets, acks);
}

char *view_diagnosis_command(const char *source, const struct analysis_resource *r)
{
    char directory[PATH_MAX];
    const char *what_if = diagnosis_advice(&r->diagnosis)->what_if;
    if (r->live || diagnosis_in_vain(&r->diagnosis))
        return NULL;
    if (study_judge_run_exists(source))
        return diagnosis_command_of_run(source, &r->diagnosis);
    if (!what_if)
        return NULL;
    const char *run = strcmp(source, "-") == 0 ? NULL : study_judge_run_of(source, directory);
    MEMORY_LOCAL char *file = view_text_shell_word(strcmp(source, "-") == 0 ? "my.pcap" : source);
    MEMORY_LOCAL char *scenario = memory_text("%s/scenario.yaml", run ? run : "."), *network = view_text_shell_word(scenario);
    char *command =
        memory_text("contraflow replay %s%s%s %s", file, run ? " --scenario " : "", run ? network : "", what_if);
    return command;
}

void view_diagnosis_name(const struct analysis_resource *r, char text[static VIEW_DIAGNOSIS_NAME])
{
    snprintf(text, VIEW_DIAGNOSIS_NAME, "%s %s", r->port ? "port" : "host", r->host);
    if (*r->also)
        text_add(text, VIEW_DIAGNOSIS_NAME, " (the same flows at %s)", r->also);
}

/* Of an answer, in per cent; no more than so many draws can tell. */
static double diagnosis_sure(const struct judge_diagnosis *d)
{
    double share = d->answer == JUDGE_ANSWER_YES ? d->probability : 1 - d->probability;
    return 100 * fmin(share, 0.999);
}

/* What the figures are of; "" of a measurement, which says so itself. */
static void diagnosis_part(const struct analysis_resource *r, char *text, size_t size)
{
    *text = '\0';
    if (r->diagnosis.possible_from != JUDGE_POSSIBLE_MEASURED && r->end_s > r->steady_start_s)
        snprintf(text, size, "in the steady part, %s to %s s", UNITS_FIGURE(r->steady_start_s, 3),
                 UNITS_FIGURE(r->end_s, 3));
}

/* The interval of what is lost, and how sure the answer is: " (22 to 27 %, 99.8 % sure)"; "" where nobody can tell. */
static void diagnosis_add_sure(const struct judge_diagnosis *d, char text[static VIEW_DIAGNOSIS_TEXT])
{
    const char *gap = "";
    char sure[96] = "";
    if (isfinite(d->ci95)) {
        text_add(sure, sizeof sure, "%.0f to %.0f %%", 100 * fmax(0, d->lost_share - d->ci95),
                 100 * fmax(0, fmin(1, d->lost_share + d->ci95)));
        gap = ", ";
    }
    if (isfinite(d->probability))
        text_add(sure, sizeof sure, "%s%.3g %% sure", gap, diagnosis_sure(d));
    else if (d->possible_from == JUDGE_POSSIBLE_EMULATED)
        text_add(sure, sizeof sure, "%semulated with ACKs first", gap);
    if (*sure && d->answer != JUDGE_ANSWER_UNKNOWN)
        text_add(text, VIEW_DIAGNOSIS_TEXT, " (%s)", sure);
}

void view_diagnosis_figures(const struct analysis_resource *r, char text[static VIEW_DIAGNOSIS_TEXT])
{
    char part[64];
    judge_diagnosis_figures(&r->diagnosis, text, VIEW_DIAGNOSIS_TEXT);
    diagnosis_add_sure(&r->diagnosis, text);
    diagnosis_part(r, part, sizeof part);
    if (*part)
        text_add(text, VIEW_DIAGNOSIS_TEXT, ", %s", part);
}

bool view_diagnosis_latency(const struct judge_diagnosis *d, char text[static JUDGE_LATENCY_TEXT])
{
    judge_latency_say(&d->latency, text);
    return d->latency.loaded.n > 0;
}

void view_diagnosis_print_answer(FILE *f, const char *source, const struct analysis_resource *r)
{
    char name[VIEW_DIAGNOSIS_NAME], figures[VIEW_DIAGNOSIS_TEXT];
    view_diagnosis_name(r, name);
    view_diagnosis_figures(r, figures);
    fprintf(f, "%s: %s: %s: %s\n", source, name, view_diagnosis_answer(&r->diagnosis), figures);
    if (*judge_diagnosis_reason(&r->diagnosis))
        fprintf(f, "  why: %s\n", judge_diagnosis_reason(&r->diagnosis));
}

/* The answer itself shows what would tell: a capture of a run whose flows lived at different times, a measurement of what
 * may be one medium, or the rate of a link, or of what was measured already, which says more than a capture would. */
static bool diagnosis_says_all(const char *source, const struct analysis_resource *r)
{
    return r->diagnosis.answer == JUDGE_ANSWER_UNKNOWN &&
           (r->diagnosis.second == JUDGE_CAUSE_SHARED || r->diagnosis.second == JUDGE_CAUSE_FULL ||
            r->diagnosis.possible_from == JUDGE_POSSIBLE_MEASURED ||
            study_judge_run_exists(source));
}

void view_diagnosis_print(FILE *f, const char *source, const struct analysis_resource *r)
{
    const struct judge_diagnosis *d = &r->diagnosis;
    char what[VIEW_DIAGNOSIS_TEXT], remedy[VIEW_DIAGNOSIS_TEXT], filter[VIEW_DIAGNOSIS_TEXT];
    char latency[JUDGE_LATENCY_TEXT];
    MEMORY_LOCAL char *command = view_diagnosis_command(source, r);
    bool any = view_diagnosis_remedy(r, 0, remedy);
    view_diagnosis_what(r, what);
    view_diagnosis_print_answer(f, source, r);
    if (view_diagnosis_latency(d, latency))
        fprintf(f, "  %s\n", latency);
    if (!diagnosis_says_all(source, r))
        fprintf(f, "  what %s: %s%s%s\n", d->answer == JUDGE_ANSWER_UNKNOWN ? "would tell" : "to do", what,
            any ? "; " : "", any ? remedy : "");
    if (command)
        fprintf(f, "  try: %s\n", command);
    if (view_diagnosis_filter(r, filter))
        fprintf(f, "  Wireshark: %s\n", filter);
    char offloads[VIEW_OFFLOADS_TEXT];
    if (view_offloads_say(r, offloads))
        fprintf(f, "  offloads: %s\n", offloads);
    char beside[VIEW_BESIDE_TEXT];
    for (size_t i = 0; view_beside_say(r, i, beside); i++)
        fprintf(f, "  beside TCP: %s\n", beside);
}

static json_t *diagnosis_both(double in, double out)
{
    return results_json("in:f out:f", in, out);
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
    MEMORY_LOCAL char *command = view_diagnosis_command(source, r);
    if (command)
        json_array_append_new(list, json_string(command));
    return list;
}

static json_t *diagnosis_times_json(const struct judge_latency_times *t)
{
    return results_json("n:l median_s:f p95_s:f p99_s:f", (int64_t)t->n, t->median_s, t->p95_s, t->p99_s);
}

json_t *view_diagnosis_latency_json(const struct judge_latency *l)
{
    if (l->loaded.n == 0)
        return json_null();
    return results_json("idle:o loaded:o bufferbloat:s", diagnosis_times_json(&l->idle),
                        diagnosis_times_json(&l->loaded), judge_latency_grade(l));
}

json_t *view_diagnosis_json(const char *source, const struct analysis_resource *r)
{
    const struct judge_diagnosis *d = &r->diagnosis;
    const struct judge_way *in = &d->in, *out = &d->out;
    static const char *const gains[] = {"no", "unknown", "yes"};
    char filter[VIEW_DIAGNOSIS_TEXT];
    if (!r->diagnosed)
        return json_null();
    bool of_in = in->source == JUDGE_CAPACITY_DISPERSION || out->source == JUDGE_CAPACITY_UNKNOWN;
    json_t *lost = results_json("in:f out:f total:f ci95:f", in->lost_share, out->lost_share, d->lost_share, d->ci95);
    json_t *capacity = results_json("in:f out:f source:s", in->capacity_bps, out->capacity_bps,
                                    judge_capacity_source_name(of_in ? in->source : out->source));
    return results_json("asymmetry:s probability:f cause:s second_cause:s why:s goodput_bps:o possible_bps:o "
                        "possible_from:s lost_share:o capacity_bps:o saturated:o data_wait_s:o ack_wait_s:o "
                        "ack_first_price_bps:o remedies:o remedies_gain:s display_filter:s same_as:s latency:o "
                        "offloads:o beside:o", judge_answer_name(d->answer), d->probability,
                        judge_cause(d->cause)->name,
                        d->second == JUDGE_CAUSE_UNKNOWN ? NULL : judge_cause(d->second)->name, d->why,
                        diagnosis_both(in->carried_bps, out->carried_bps),
                        diagnosis_both(in->possible_bps, out->possible_bps), judge_possible_name(d->possible_from), lost,
                        capacity, results_json("in:b out:b", in->saturated, out->saturated),
                        diagnosis_both(in->data_wait_s, out->data_wait_s),
                        diagnosis_both(in->ack_wait_s, out->ack_wait_s), diagnosis_both(in->acks_bps, out->acks_bps),
                        diagnosis_remedies(source, r), gains[judge_ground_gain(d)],
                        view_diagnosis_filter(r, filter) ? filter : NULL, *r->same_as ? r->same_as : NULL,
                        view_diagnosis_latency_json(&d->latency), view_offloads_json(r), view_beside_json(r));
}
