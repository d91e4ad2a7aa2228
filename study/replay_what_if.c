/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"
#include "base/names.h"
#include "base/units.h"
#include "study/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DISAGREE 0.1 /* of what would be carried */
#define COUNTS 0.05  /* of what both directions carry: what a lesser one loses does not matter */
#define PAYLOAD 0.95 /* of a link's rate, at most */
#define FILLS 0.88 /* of a link's rate is payload: no more goes through. A gain above the inverse is one */
#define LITTLE (JUDGE_DIAGNOSIS_TOTAL / 2) /* of a direction: its ACKs' queue is not where bandwidth is lost */

#define IF_NATIVE_0(name)
#define IF_NATIVE_1(name) " " name
#define NATIVE_NAME(NAME, name, native, ns3_type, linux_name, until_loss, meaning) IF_NATIVE_##native(#name)
#define NATIVE_CONTROLS EMU_CONGESTIONS(NATIVE_NAME)

#define DISCIPLINE_LIST(NAME, name, text, meaning) text ", "

#define GIVEN_ROOM 16000000 /* bytes */

static bool what_if_bad(const char *text, struct error *err)
{
    return error_set(err, ERROR_INPUT, "--what-if %s: not known; there are " EMU_DISCIPLINES(DISCIPLINE_LIST)
                     "buffer=SIZE, pause, pause-senders, window=SIZE, cc=NAME, datagrams=RATE and small-queues=SIZE, "
                     "queues also with @nic or @port", text);
}

static bool what_if_bytes(const char *text, const char *value, int64_t least, int64_t *bytes, struct error *err)
{
    if (!value || !units_parse_bytes(value, bytes, err))
        return value ? error_prefix(err, "--what-if %s: ", text) : what_if_bad(text, err);
    return *bytes >= least ||
           error_set(err, ERROR_INPUT, "--what-if %s: at least one full frame, %lld bytes", text, (long long)least);
}

bool study_replay_queue_limit(const char *text, struct emu_queue_config *queue, struct error *err)
{
    char *end;
    long long packets = strtoll(text, &end, 10);
    queue->limit_bytes = queue->limit_packets = EMU_QUEUE_UNLIMITED;
    if (end != text && strcmp(end, "p") == 0 && packets >= 1) {
        queue->limit_packets = packets;
        return true;
    }
    return units_parse_bytes(text, &queue->limit_bytes, err) &&
           (queue->limit_bytes >= 1518 || error_set(err, ERROR_INPUT, "at least one full frame, 1518 bytes"));
}

bool study_replay_discipline(const char *name, enum emu_discipline *discipline)
{
    int found = names_find(emu_discipline_names, name);
    if (found >= 0)
        *discipline = (enum emu_discipline)found;
    return found >= 0;
}

bool study_replay_discipline_fits(enum emu_discipline discipline, bool segments, struct error *err)
{
    const struct emu_discipline_ops *ops = emu_disciplines[discipline];
    if (ops->has & EMU_DISCIPLINE_HAS_BURST)
        return error_set(err, ERROR_INPUT, "%s needs a rate and a burst, which only a scenario can say",
                         emu_discipline_names[discipline]);
    if (ops->by_class)
        return error_set(err, ERROR_INPUT, "%s needs classes of flows, which only a scenario can say",
                         emu_discipline_names[discipline]);
    return segments || !(ops->has & EMU_DISCIPLINE_HAS_AGGRESSIVE) ||
           error_set(err, ERROR_INPUT, "%s reads TCP headers, which are not kept here", emu_discipline_names[discipline]);
}

static bool what_if_queues(struct scenario *s, const char *text, const char *name, const char *value, const char *place,
                           struct error *err)
{
    bool nic = !place || strcmp(place, "nic") == 0, port = !place || strcmp(place, "port") == 0;
    if (!nic && !port)
        return error_set(err, ERROR_INPUT, "--what-if %s: '%s' is no place; there are nic and port", text, place);
    struct emu_queue_config *queues[] = {nic ? &s->network.nic : NULL, port ? &s->network.sw.queue : NULL,
                                         port && s->network.root ? &s->network.root_sw.queue : NULL};
    if (port && emu_architectures[s->network.sw.architecture]->place == EMU_ARCHITECTURE_AT_INPUTS &&
        strcmp(name, "buffer") != 0)
        return error_set(err, ERROR_INPUT, "--what-if %s: this switch buffers at its inputs, FIFO", text);
    enum emu_discipline discipline = EMU_DISCIPLINE_FIFO;
    study_replay_discipline(name, &discipline);
    if (!study_replay_discipline_fits(discipline, true, err))
        return error_prefix(err, "--what-if %s: ", text);
    for (int q = 0; q < 3; q++) {
        if (queues[q] && value && !study_replay_queue_limit(value, queues[q], err))
            return error_prefix(err, "--what-if %s: ", text);
        if (queues[q])
            study_replay_discipline(name, &queues[q]->discipline);
    }
    return true;
}

static bool what_if_window(struct scenario *s, const char *text, const char *value, struct error *err)
{
    int64_t bytes;
    if (!what_if_bytes(text, value, s->tcp.segment_bytes, &bytes, err))
        return false;
    for (int i = 0; i < s->n_flows; i++)
        s->flows[i].tcp.send_buffer_bytes = s->flows[i].tcp.receive_buffer_bytes = bytes;
    return true;
}

static bool what_if_datagrams(struct scenario *s, const char *text, const char *value, struct error *err)
{
    int64_t rate_bps;
    if (!units_parse_rate(value, &rate_bps, err))
        return error_prefix(err, "--what-if %s: ", text);
    if (rate_bps < 1000)
        return error_set(err, ERROR_INPUT, "--what-if %s: at least 1 kbit/s", text);
    for (int i = 0; i < s->n_datagrams; i++)
        s->datagrams[i].rate_bps = rate_bps;
    return true;
}

static bool what_if_congestion(struct scenario *s, const char *text, const char *value, struct error *err)
{
    int found = names_find(emu_congestion_names, value);
    if (found < 0 || !emu_congestion_rows[found].native)
        return error_set(err, ERROR_INPUT, "--what-if %s: congestion controls here are" NATIVE_CONTROLS, text);
    s->tcp.congestion = (enum emu_congestion)found;
    for (int i = 0; i < s->n_flows; i++) {
        s->flows[i].tcp.congestion = s->tcp.congestion;
        if (s->tcp.congestion == EMU_CONGESTION_GIVEN && s->flows[i].n_windows > 0) /* they alone decide */
            s->flows[i].tcp.send_buffer_bytes = s->flows[i].tcp.receive_buffer_bytes = GIVEN_ROOM;
    }
    return true;
}

static bool what_if_one(struct scenario *s, const char *text, char *part, struct error *err)
{
    char *place = strchr(part, '@'), *value;
    if (place)
        *place++ = '\0';
    value = strchr(part, '=');
    if (value)
        *value++ = '\0';
    bool queues = names_find(emu_discipline_names, part) >= 0 || strcmp(part, "buffer") == 0;
    if (queues && (strcmp(part, "buffer") == 0) == (value != NULL))
        return what_if_queues(s, text, part, value, place, err);
    if (place)
        return what_if_bad(text, err);
    if (strcmp(part, "window") == 0)
        return what_if_window(s, text, value, err);
    if (strcmp(part, "datagrams") == 0 && value)
        return what_if_datagrams(s, text, value, err);
    if (strcmp(part, "cc") == 0)
        return what_if_congestion(s, text, value, err);
    if (strcmp(part, "small-queues") == 0) {
        if (!what_if_bytes(text, value, 0, &s->tcp.small_queue_bytes, err))
            return false;
        for (int i = 0; i < s->n_flows; i++)
            s->flows[i].tcp.small_queue_bytes = s->tcp.small_queue_bytes;
        return true;
    }
    if (value || (strcmp(part, "pause") != 0 && strcmp(part, "pause-senders") != 0))
        return what_if_bad(text, err);
    struct emu_pause_config *pause = &s->network.sw.pause;
    *pause = (struct emu_pause_config){.on = true, .everybody = strcmp(part, "pause") == 0, .quanta = 65535};
    return true; /* thresholds follow from the buffer, when the engine loads the scenario */
}

double study_replay_expected(const struct judge_diagnosis *d, const char *what_if)
{
    static const char *const ends[] = {"ack-first", "fair"};
    const char *place = NULL;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !place; i++)
        if (strncmp(what_if, ends[i], strlen(ends[i])) == 0)
            place = what_if + strlen(ends[i]);
    bool nic = place && strcmp(place, "@nic") == 0, port = place && strcmp(place, "@port") == 0;
    double gain = d->lost_share / (1 - d->lost_share);
    /* incoming data lose by the host's own queue, which their ACKs leave by */
    bool by_nic = d->in.lost_share > LITTLE, by_port = d->out.lost_share > LITTLE;
    if ((nic && !by_nic) || (port && !by_port))
        return isfinite(gain) ? 0 : gain;
    return (place && !*place) || (nic && !by_port) || (port && !by_nic) ? gain : (double)NAN;
}

/* What flows carry once they are settled, those towards h0 and the others; those that had ended by then carry nothing
 * more. */
static void what_if_settled_bps(const struct study_replay *r, const struct study_replay_run *run, double bps[static 2])
{
    bps[0] = bps[1] = 0;
    for (int i = 0; i < r->n_flows; i++)
        bps[r->scenario.flows[i].to != 0] += isfinite(run->settled_bps[i]) ? run->settled_bps[i] : 0;
}

/* A way whose rate nobody knows, and which the change fills as far as it was assumed to go; -1: none. */
static int what_if_fills(const struct study_replay *r, const double before_bps[static 2],
                         const double after_bps[static 2])
{
    for (int i = 0; i < 2 && r->reads_network; i++)
        if (!r->rate_known[i] && after_bps[i] > FILLS * r->rate_bps[i] && after_bps[i] > before_bps[i] / FILLS)
            return i;
    return -1;
}

/* The most that both ways can carry. */
static double what_if_room_bps(const struct study_replay *r, const double before_bps[static 2])
{
    double bps = 0;
    for (int i = 0; i < 2; i++)
        bps += r->rate_known[i] ? fmax(before_bps[i], PAYLOAD * r->rate_bps[i]) : INFINITY;
    return bps;
}

/* Says so where the diagnosis expects another share of both directions together to be lost, or of one. It reads what
 * data wait for where a replay guesses it: an application or a reader that holds a flow looks like a window there. What
 * little a direction carries of all does not matter. */
static void what_if_disagrees(const struct judge_diagnosis *d, const double before_bps[static 2],
                              const double after_bps[static 2], double expected, const char *label, char why[static 240])
{
    double was_bps[] = {before_bps[0] + before_bps[1], before_bps[0], before_bps[1]};
    double is_bps[] = {after_bps[0] + after_bps[1], after_bps[0], after_bps[1]};
    double gains[] = {expected, 1 / (1 - d->in.lost_share) - 1, 1 / (1 - d->out.lost_share) - 1};
    static const char *const of[] = {"", " of incoming data", " of outgoing data"};
    for (int i = 0; i < (strcmp(label, "ack-first") == 0 ? 3 : 1); i++)
        if (fmax(was_bps[i] / was_bps[0], is_bps[i] / is_bps[0]) > COUNTS &&
            fabs(was_bps[i] / is_bps[i] - 1 / (1 + gains[i])) > DISAGREE) {
            snprintf(why, 240,
                     "%.60s wins back %.0f %%%s in the replay, and the diagnosis expects %.0f %%: one of them is wrong",
                     label, 100 * (is_bps[i] / was_bps[i] - 1), of[i], 100 * gains[i]);
            return;
        }
}

bool study_replay_refuses_gain(const struct study_replay *r, const struct judge_diagnosis *d,
                               const struct study_replay_run *baseline, const struct study_replay_run *played,
                               char why[static 240])
{
    why[0] = '\0';
    bool ends = strncmp(played->label, "ack-first", strlen("ack-first")) == 0 || strncmp(played->label, "fair", 4) == 0;
    double before_bps[2], after_bps[2];
    what_if_settled_bps(r, baseline, before_bps);
    what_if_settled_bps(r, played, after_bps);
    int fills = what_if_fills(r, before_bps, after_bps);
    if (fills >= 0)
        snprintf(why, 240,
                 "%.60s fills the link %s h0, whose rate does not show, as it was never full: --set network.link.rate",
                 played->label, fills ? "from" : "towards");
    if (fills >= 0 || !d || !ends)
        return fills >= 0;
    double expected = study_replay_expected(d, played->label);
    if (r->reads_network)
        expected = fmin(expected, what_if_room_bps(r, before_bps) / (before_bps[0] + before_bps[1]) - 1);
    if (d->answer == JUDGE_ANSWER_UNKNOWN)
        snprintf(why, 240, "the capture does not show what waiting ACKs cost, so that a replay only guesses it");
    else
        what_if_disagrees(d, before_bps, after_bps, expected, played->label, why);
    return why[0] != '\0';
}

bool study_replay_what_if(struct scenario *s, const char *text, struct error *err)
{
    char *copy = memory_text("%s", text), *rest = copy, *part;
    bool ok = *text || what_if_bad(text, err);
    while (ok && (part = strsep(&rest, "+")))
        ok = what_if_one(s, text, part, err);
    free(copy);
    return ok;
}
