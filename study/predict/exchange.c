/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/predict/exchange.h"

#include "results/csv.h"

#define EXCHANGE_PROCESSES_MOST 10000 /* of a file of sizes: their matrix is kept */

static struct study_exchange_row *exchange_add(struct study_exchange_answer *a, const char *model, const char *source,
                                               double time_s)
{
    struct study_exchange_row *row = &a->row[a->n++];
    *row = (struct study_exchange_row){.model = model, .source = source, .time_s = time_s, .rounds = NAN};
    return row;
}

/* Steffenel 2006, sections 8.1-8.3: what the paper measured. Myrinet has no start-up cost at any size. */
static const struct {
    const char *network;
    struct model_alltoall_signature signature;
} exchange_published[] = {
    {"fast-ethernet", {1.0195, 8.23e-3, 2048}},
    {"gigabit-ethernet", {4.3628, 4.93e-3, 8192}},
    {"myrinet", {2.49754, 0, 0}},
};

static bool exchange_sizes(const struct study_exchange_request *r, struct study_exchange_answer *a, struct error *err)
{
    if (isnan(r->processes) || r->processes < 2)
        return error_set(err, ERROR_INPUT, "--processes: %s; an exchange has 2 or more, such as --processes 16",
                         isnan(r->processes) ? "not given" : "1");
    a->processes = (size_t)r->processes;
    bool has_packets = !isnan(r->packets), has_message = !isnan(r->message_bytes);
    if (has_packets == has_message)
        return error_set(err, ERROR_INPUT, "%s; one of --packets 64 and --message 100kB gives what each sends to each",
                         has_packets ? "--packets and --message are both given" : "no message size is given");
    a->message_bytes = has_packets ? r->packets * r->tam.packet_bytes : r->message_bytes;
    if (!(study_exchange_needs(r) & STUDY_EXCHANGE_TAM))
        return true;
    if (has_packets) /* not through bytes, where a huge number would be rounded */
        a->packets = (size_t)r->packets;
    return has_packets || model_tam_packets(&r->tam, a->message_bytes, &a->packets, err);
}

static bool exchange_tree(const struct study_exchange_request *r, struct study_exchange_answer *a, struct error *err)
{
    bool more = !isnan(r->buffer_packets) || !isnan(r->control_packets) || !isnan(r->uplink_bps);
    a->uplink_s = NAN;
    if (isnan(r->switches))
        return !more || error_set(err, ERROR_INPUT,
                                  "--buffer, --control and --uplink describe switches with uplinks; --switches is not "
                                  "given");
    size_t switches = (size_t)r->switches;
    if (a->processes % switches != 0)
        return error_set(err, ERROR_INPUT, "--switches %zu: %zu processes are not the same number on each", switches,
                         a->processes);
    a->tree = (struct model_schedule_tree){a->processes / switches, switches};
    a->buffer_packets = isnan(r->buffer_packets) ? 45 : r->buffer_packets;
    a->control_packets = isnan(r->control_packets) ? 1 : r->control_packets;
    if (!model_schedule_window(&a->tree, a->buffer_packets, 0, &a->data_window, err) ||
        !model_schedule_window(&a->tree, a->buffer_packets, a->control_packets, &a->window, err))
        return false;
    if (isnan(r->uplink_bps))
        return true;
    if (!model_schedule_uplink_s(&a->tree, a->message_bytes, r->uplink_bps, &a->uplink_s, err))
        return false;
    exchange_add(a, "uplink", "Tam 2001, Eq. 6.4", a->uplink_s);
    return true;
}

static bool exchange_tam(const struct study_exchange_model *m UNUSED, const struct study_exchange_request *r,
                         struct study_exchange_answer *a, struct error *err)
{
    static const struct {
        enum model_exchange_algorithm algorithm;
        const char *model, *source;
    } rows[] = {
        {MODEL_EXCHANGE_SYNC, "tam sync", "Tam 2001, Eq. 5.3"},
        {MODEL_EXCHANGE_GROUP, "tam group", "Tam 2001, Eq. 5.4"},
        {MODEL_EXCHANGE_PAIRWISE, "tam pairwise", "Tam 2001, Eq. 5.2"},
        {MODEL_EXCHANGE_SHIFT, "tam shift", "Tam 2001, Eq. 5.2"},
    };
    struct model_exchange x = {a->processes, a->packets, 0};
    if (!isnan(r->group))
        x.group = (size_t)r->group;
    else
        x.group = x.processes - 1 < 5 ? x.processes - 1 : 5;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model_exchange_cost cost;
        if (!model_exchange_cost(&r->tam, rows[i].algorithm, &x, &cost, err))
            return false;
        if (i == 0) {
            a->group = x.group;
            a->gap_s = cost.gap_s;
            a->stage = cost.stage;
            a->latency_s = model_tam_latency_s(&r->tam, x.processes);
            exchange_add(a, "tam bound", "Tam 2001, Eq. 5.1", cost.bound_s);
        }
        /* Algorithms do not pass the uplinks faster than these carry; fmax() ignores a NAN. */
        double time_s = fmax(cost.time_s, a->uplink_s);
        exchange_add(a, rows[i].model, rows[i].source, time_s)->rounds = (double)cost.rounds;
    }
    return true;
}

static bool exchange_link(const struct study_exchange_request *r, struct model_alltoall_link *link, struct error *err)
{
    bool has_beta = !isnan(r->beta_s_per_byte), has_rate = !isnan(r->rate_bps);
    if (isnan(r->alpha_s))
        return error_set(err, ERROR_INPUT, "--alpha: not given; the time to start a message, such as --alpha 60us");
    if (has_beta == has_rate)
        return error_set(err, ERROR_INPUT,
                         "%s; one of --rate 941Mbps and --beta 8.502e-9 (seconds) gives how long a byte takes",
                         has_beta ? "--beta and --rate are both given" : "neither --beta nor --rate is given");
    *link = (struct model_alltoall_link){r->alpha_s, has_beta ? r->beta_s_per_byte : 8 / r->rate_bps};
    return model_alltoall_check(link, err);
}

static bool exchange_signature_of(const struct study_exchange_request *r, const struct study_exchange_answer *a,
                                  struct model_alltoall_signature *signature, const char **source, struct error *err)
{
    bool given = !isnan(r->gamma) || !isnan(r->delta_s) || !isnan(r->threshold_bytes);
    if ((r->fit_path != NULL) + (r->network != NULL) + given != 1)
        return error_set(err, ERROR_INPUT, "signature: wants one of --fit FILE.csv, --network NAME and --gamma G "
                         "[--delta TIME --threshold SIZE]");
    if (r->fit_path) {
        *signature = a->fit.signature;
        *source = "Steffenel 2006, Eq. 5, as fitted";
        return true;
    }
    if (r->network) {
        *source = "Steffenel 2006, Eq. 5, as published";
        for (size_t i = 0; i < sizeof exchange_published / sizeof *exchange_published; i++)
            if (strcmp(r->network, exchange_published[i].network) == 0) {
                *signature = exchange_published[i].signature;
                return true;
            }
        return error_set(err, ERROR_INPUT, "--network %s: fast-ethernet, gigabit-ethernet and myrinet are published",
                         r->network);
    }
    *source = isnan(r->delta_s) ? "Steffenel 2006, Eq. 4" : "Steffenel 2006, Eq. 5";
    if (isnan(r->gamma))
        return error_set(err, ERROR_INPUT, "--gamma: not given; the contention ratio, such as --gamma 4.36");
    if (isnan(r->delta_s) && !isnan(r->threshold_bytes))
        return error_set(err, ERROR_INPUT, "--threshold: nothing starts there without --delta");
    *signature = (struct model_alltoall_signature){r->gamma, isnan(r->delta_s) ? 0 : r->delta_s,
                                                   isnan(r->threshold_bytes) ? 0 : r->threshold_bytes};
    return true;
}

static bool exchange_two_gap(const struct study_exchange_model *m, const struct study_exchange_request *r,
                             struct study_exchange_answer *a, struct error *err)
{
    struct model_alltoall_gaps gaps = model_alltoall_gaps_default();
    struct model_alltoall_link link = {.alpha_s = r->alpha_s};
    bool own = !isnan(r->beta_free_s_per_byte) || !isnan(r->beta_contended_s_per_byte);
    if (isnan(r->alpha_s))
        return error_set(err, ERROR_INPUT, "--alpha: not given; the time to start a message, such as --alpha 60us");
    if (own && (isnan(r->beta_free_s_per_byte) || isnan(r->beta_contended_s_per_byte)))
        return error_set(err, ERROR_INPUT, "--beta-free and --beta-contended: one is not given; both or neither");
    if (own) {
        gaps.free_s_per_byte = r->beta_free_s_per_byte;
        gaps.contended_s_per_byte = r->beta_contended_s_per_byte;
    }
    if (!isnan(r->rho))
        gaps.rho = r->rho;
    double time_s = 0;
    if (!model_alltoall_gap(&gaps, &link.beta_s_per_byte, err) ||
        !model_alltoall_bound(&link, a->processes, a->message_bytes, &time_s, err))
        return false;
    const char *source = own ? "Steffenel 2006, Eq. 3" : "Steffenel 2006, Eq. 3, its gigabit gaps";
    exchange_add(a, m->name, source, time_s);
    return true;
}

static bool exchange_bound(const struct study_exchange_model *m, const struct study_exchange_request *r UNUSED,
                           struct study_exchange_answer *a, struct error *err UNUSED)
{
    exchange_add(a, m->name, m->source, a->bound_s);
    return true;
}

/* Eq. 2 is one message among n at once; a process sends n - 1 of them, one by one. */
static bool exchange_clement(const struct study_exchange_model *m, const struct study_exchange_request *r UNUSED,
                             struct study_exchange_answer *a, struct error *err)
{
    double time_s = 0;
    if (!model_alltoall_shared(&a->link, a->processes, a->message_bytes, &time_s, err))
        return false;
    exchange_add(a, m->name, m->source, (double)(a->processes - 1) * time_s);
    return true;
}

static bool exchange_signature(const struct study_exchange_model *m, const struct study_exchange_request *r,
                               struct study_exchange_answer *a, struct error *err)
{
    struct model_alltoall_signature signature = {0};
    const char *source = "";
    double time_s = 0;
    if (!exchange_signature_of(r, a, &signature, &source, err) ||
        !model_alltoall_contended(&a->link, &signature, a->processes, a->message_bytes, &time_s, err))
        return false;
    exchange_add(a, m->name, source, time_s);
    return true;
}

const struct study_exchange_model study_exchange_models[STUDY_EXCHANGE_MODELS] = {
    {"tam", NULL, STUDY_EXCHANGE_TAM, exchange_tam},
    {"hockney", "Steffenel 2006, Eq. 1", STUDY_EXCHANGE_LINK, exchange_bound},
    {"lower-bound", "Steffenel 2006, Prop. 1", STUDY_EXCHANGE_LINK, exchange_bound},
    {"clement", "Steffenel 2006, (n-1) Eq. 2", STUDY_EXCHANGE_LINK, exchange_clement},
    {"two-gap", NULL, STUDY_EXCHANGE_GAPS, exchange_two_gap},
    {"signature", NULL, STUDY_EXCHANGE_LINK | STUDY_EXCHANGE_SIGNATURE, exchange_signature},
};

int study_exchange_needs(const struct study_exchange_request *r)
{
    int needs = 0;
    needs |= r->sizes_path ? STUDY_EXCHANGE_LINK : 0;
    for (size_t m = 0; m < STUDY_EXCHANGE_MODELS; m++)
        needs |= r->wanted[m] ? study_exchange_models[m].needs : 0;
    return needs;
}

enum { EXCHANGE_PROCESSES, EXCHANGE_MESSAGE, EXCHANGE_TIME, EXCHANGE_STD_ERROR, EXCHANGE_COLUMNS };
static const char *const exchange_columns[EXCHANGE_COLUMNS] = {"processes", "message_bytes", "time_s", "std_error_s"};

/* One measured time; the last column may be missing. */
static bool exchange_point(const struct results_csv *csv, char **text, struct model_signature_point *point,
                           struct error *err)
{
    double value[EXCHANGE_COLUMNS] = {0};
    for (size_t c = 0; c < EXCHANGE_COLUMNS; c++) {
        if (c == EXCHANGE_STD_ERROR && *text[c] == '\0')
            continue;
        if (!results_csv_number(csv, text, c, &value[c], err))
            return false;
        if (!(value[c] > 0))
            return results_csv_fail(csv, err, "%s is '%s'; must be a number above 0", exchange_columns[c], text[c]);
    }
    double processes = value[EXCHANGE_PROCESSES];
    if (processes < 2 || processes > 1e9 || floor(processes) < processes)
        return results_csv_fail(csv, err, "processes is %g; must be a whole number from 2", processes);
    *point = (struct model_signature_point){(size_t)processes, value[EXCHANGE_MESSAGE], value[EXCHANGE_TIME],
                                            value[EXCHANGE_STD_ERROR]};
    return true;
}

/* The points of a file with columns processes,message_bytes,time_s[,std_error_s]. *point is the caller's. */
static bool exchange_read(const char *path, struct model_signature_point **point, size_t *n, struct error *err)
{
    MEMORY_ENDS(results_csv_close) struct results_csv csv;
    char *text[EXCHANGE_COLUMNS];
    size_t capacity = 0;
    *point = NULL;
    *n = 0;
    bool ok = results_csv_open(&csv, path, exchange_columns, EXCHANGE_COLUMNS, EXCHANGE_STD_ERROR, err);
    enum results_csv_next next = RESULTS_CSV_ROW;
    while (ok && (next = results_csv_next(&csv, text, err)) == RESULTS_CSV_ROW) {
        *point = memory_grown(*point, *n, &capacity, 64, sizeof **point, "the points of a fit");
        ok = exchange_point(&csv, text, &(*point)[*n], err);
        *n += ok;
    }
    return ok && next == RESULTS_CSV_END;
}

static bool exchange_fit(const struct study_exchange_request *r, struct study_exchange_answer *a, struct error *err)
{
    MEMORY_LOCAL struct model_signature_point *point = NULL;
    struct model_alltoall_link link;
    bool ok = exchange_link(r, &link, err) && exchange_read(r->fit_path, &point, &a->fit_points, err);
    if (ok) {
        a->fit_weighted = point && a->fit_points > 0 && point[0].std_error_s > 0;
        ok = model_signature_fit(&link, point, a->fit_points, &a->fit, NULL, err) ||
             error_prefix(err, "%s: ", r->fit_path);
    }
    return ok;
}

enum { SIZES_FROM, SIZES_TO, SIZES_BYTES, SIZES_COLUMNS };
static const char *const sizes_columns[SIZES_COLUMNS] = {"from", "to", "bytes"};

/* The message exchange digraph: an arc a row. */
struct exchange_arc {
    size_t from, to;
    double bytes;
};

static bool exchange_arc(const struct results_csv *csv, char **text, struct exchange_arc *arc, struct error *err)
{
    double value[SIZES_COLUMNS];
    for (size_t c = 0; c < SIZES_COLUMNS; c++) {
        if (!results_csv_number(csv, text, c, &value[c], err))
            return false;
        if (!(value[c] >= 0) || (c < SIZES_BYTES && (floor(value[c]) < value[c] || value[c] >= EXCHANGE_PROCESSES_MOST)))
            return results_csv_fail(csv, err, c < SIZES_BYTES ? "%s is '%s'; must be a process, 0 to %d"
                                                              : "%s is '%s'; must be a number from 0",
                                    sizes_columns[c], text[c], EXCHANGE_PROCESSES_MOST - 1);
    }
    if (value[SIZES_FROM] == value[SIZES_TO])
        return results_csv_fail(csv, err, "process %s sends to itself, which crosses no link", text[SIZES_FROM]);
    *arc = (struct exchange_arc){(size_t)value[SIZES_FROM], (size_t)value[SIZES_TO], value[SIZES_BYTES]};
    return true;
}

/* The matrix of model_alltoall_bounds(), for free(); several messages of one pair add up to one. */
static bool exchange_sizes_read(const char *path, double **bytes, struct study_exchange_answer *a, struct error *err)
{
    struct results_csv csv;
    MEMORY_LOCAL struct exchange_arc *arc = NULL;
    char *text[SIZES_COLUMNS];
    size_t n = 0, capacity = 0;
    enum results_csv_next next = RESULTS_CSV_ROW;
    bool ok = true;
    *bytes = NULL;
    if (!results_csv_open(&csv, path, sizes_columns, SIZES_COLUMNS, SIZES_COLUMNS, err))
        return false;
    while (ok && (next = results_csv_next(&csv, text, err)) == RESULTS_CSV_ROW) {
        arc = memory_grown(arc, n, &capacity, 64, sizeof *arc, "messages");
        ok = exchange_arc(&csv, text, &arc[n], err);
        size_t last = !ok ? 0 : arc[n].from > arc[n].to ? arc[n].from : arc[n].to;
        a->processes = last >= a->processes ? last + 1 : a->processes;
        n += ok;
    }
    results_csv_close(&csv);
    ok = ok && next == RESULTS_CSV_END;
    if (ok && n == 0)
        ok = error_set(err, ERROR_INPUT, "%s: no message; a line has from,to,bytes", path);
    *bytes = memory_zeroed(a->processes * a->processes, sizeof **bytes, "messages");
    for (size_t i = 0; ok && i < n; i++) {
        double *cell = &(*bytes)[arc[i].from * a->processes + arc[i].to];
        a->messages += *cell <= 0 && arc[i].bytes > 0;
        *cell += arc[i].bytes;
        a->total_bytes += arc[i].bytes;
    }
    return ok;
}

static bool exchange_claims(const struct study_exchange_request *r, struct study_exchange_answer *a, struct error *err)
{
    MEMORY_LOCAL double *bytes = NULL;
    bool other = r->fit_path || !isnan(r->processes) || !isnan(r->packets) || !isnan(r->message_bytes);
    for (size_t m = 0; m < STUDY_EXCHANGE_MODELS; m++)
        other |= r->wanted[m];
    if (other)
        return error_set(err, ERROR_INPUT, "--sizes: has every message; --processes, --message, --packets, --model and "
                         "--fit do not go with it");
    return exchange_link(r, &a->link, err) && exchange_sizes_read(r->sizes_path, &bytes, a, err) &&
           model_alltoall_bounds(&a->link, bytes, a->processes, &a->claims, err);
}

bool study_exchange_predict(const struct study_exchange_request *r, struct study_exchange_answer *a, struct error *err)
{
    *a = (struct study_exchange_answer){0};
    if (r->sizes_path)
        return exchange_claims(r, a, err);
    if (r->fit_path && !exchange_fit(r, a, err))
        return false;
    if (r->fit_path && isnan(r->processes) && isnan(r->packets) && isnan(r->message_bytes))
        return true; /* the fit is the answer */
    bool ok = exchange_sizes(r, a, err) && exchange_tree(r, a, err);
    if (ok && study_exchange_needs(r) & STUDY_EXCHANGE_LINK)
        ok = exchange_link(r, &a->link, err) &&
             model_alltoall_bound(&a->link, a->processes, a->message_bytes, &a->bound_s, err);
    for (size_t i = 0; ok && i < STUDY_EXCHANGE_MODELS; i++)
        ok = !r->wanted[i] || study_exchange_models[i].run(&study_exchange_models[i], r, a, err);
    return ok;
}
