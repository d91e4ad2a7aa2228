/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/names.h"
#include "study/replay/replay.h"

#define WAYS STUDY_REPLAY_WAYS
#define PLAYED 0.04 /* of what would be carried: nine of ten what-ifs of a near baseline come as near to the experiment */
#define FILLS 0.88 /* of a link's rate is payload: no more goes through. A gain above the inverse is one */
#define LITTLE (JUDGE_DIAGNOSIS_TOTAL / 2) /* of a direction: its ACKs' queue is not where bandwidth is lost */

#define IF_NATIVE_0(name)
#define IF_NATIVE_1(name) " " name
#define NATIVE_NAME(NAME, name, native, ns3_type, linux_name, until_loss, meaning) IF_NATIVE_##native(#name)
#define NATIVE_CONTROLS EMU_CONGESTIONS(NATIVE_NAME)

#define DISCIPLINE_LIST(NAME, name, text, meaning) text ", "

#define GIVEN_ROOM 16000000 /* bytes */
#define QUIC_ACKS 64        /* packets; as tcp.delayed_ack */

static bool what_if_bad(const char *text, struct error *err)
{
    return error_set(err, ERROR_INPUT, "--what-if %s: not known; there are " EMU_DISCIPLINES(DISCIPLINE_LIST)
                     "buffer=SIZE, pause, pause-senders, window=SIZE, cc=NAME, quic=PACKETS, datagrams=RATE and small-queues=SIZE, "
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

/* The same flows over QUIC, whose receivers acknowledge so many packets at once. */
static bool what_if_quic(struct scenario *s, const char *text, const char *value, struct error *err)
{
    int64_t packets;
    if (!units_parse_integer(value, &packets, err))
        return error_prefix(err, "--what-if %s: ", text);
    if (packets < 1 || packets > QUIC_ACKS)
        return error_set(err, ERROR_INPUT, "--what-if %s: an ACK for 1 to %d packets", text, QUIC_ACKS);
    if (s->tcp.segment_bytes < SCENARIO_QUIC_SEGMENT_MIN)
        return error_set(err, ERROR_INPUT, "--what-if %s: the capture's segments of %lld bytes make packets shorter than "
                         "QUIC's, which have 1200 bytes at least", text, (long long)s->tcp.segment_bytes);
    s->transport = SCENARIO_TRANSPORT_QUIC;
    s->tcp.quic = true;
    s->tcp.delayed_ack = packets;
    s->tcp.delayed_ack_timeout_ps = SCENARIO_QUIC_ACK_DELAY_PS;
    for (int i = 0; i < s->n_flows; i++)
        s->flows[i].tcp.quic = true;
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
    if (strcmp(part, "quic") == 0 && value)
        return what_if_quic(s, text, value, err);
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

/* What flows carry once they are settled, and half the width of its 95 % interval: of both directions together, towards h0
 * and from it. Those that had ended by then carry nothing more. */
struct what_if_rates {
    double bps[WAYS], ci95_bps[WAYS], captured_bps[WAYS]; /* captured: the same flows, as they were */
};

static struct what_if_rates what_if_settled(const struct study_replay *r, const struct study_replay_run *run)
{
    struct what_if_rates x = {.bps = {0}};
    for (int i = 0; i < r->n_flows; i++)
        for (int way = 0; way < WAYS && isfinite(run->settled_bps[i]); way++)
            if (way == 0 || r->judged_host == (way == 1 ? r->scenario.flows[i].to : r->scenario.flows[i].from)) {
                x.bps[way] += run->settled_bps[i];
                x.captured_bps[way] += r->flows[i].settled_bps;
                if (isfinite(run->settled_ci95_bps[i]))
                    x.ci95_bps[way] = hypot(x.ci95_bps[way], run->settled_ci95_bps[i]);
            }
    return x;
}

/* A way whose rate nobody knows, and which the change fills as far as it was taken to go; -1: none. */
static int what_if_fills(const struct study_replay *r, const struct what_if_rates *before,
                         const struct what_if_rates *after)
{
    for (int i = 0; i < 2 && r->reads_network && r->judged_host == 0; i++)
        if (r->rate_source[i] == JUDGE_CAPACITY_UNKNOWN && after->bps[i + 1] > FILLS * r->rate_bps[i] &&
            after->bps[i + 1] > before->bps[i + 1] / FILLS)
            return i;
    return -1;
}

struct study_replay_lost study_replay_lost(const struct study_replay *r, const struct study_replay_run *baseline,
                                           const struct study_replay_run *played, int way)
{
    struct what_if_rates before = what_if_settled(r, baseline), after = what_if_settled(r, played);
    double left = before.bps[way] / after.bps[way], off = before.bps[way] / before.captured_bps[way] - 1;
    double chance = hypot(before.ci95_bps[way] / before.bps[way], after.ci95_bps[way] / after.bps[way]);
    return (struct study_replay_lost){1 - left, hypot(PLAYED, left * hypot(chance, isfinite(off) ? off : 0))};
}

struct study_replay_lost study_replay_expected(const struct judge_diagnosis *d, const char *what_if, int way)
{
    static const char *const ends[] = {"ack-first", "fair"};
    static const struct study_replay_lost unknown = {NAN, NAN};
    const char *place = NULL;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !place; i++)
        if (strncmp(what_if, ends[i], strlen(ends[i])) == 0)
            place = what_if + strlen(ends[i]);
    bool nic = place && strcmp(place, "@nic") == 0, port = place && strcmp(place, "@port") == 0;
    const struct judge_way *ways[] = {NULL, &d->in, &d->out};
    struct study_replay_lost all = way == 0 ? (struct study_replay_lost){d->lost_share, d->ci95}
                                            : (struct study_replay_lost){ways[way]->lost_share, ways[way]->lost_ci95};
    /* incoming data lose by the host's own queue, which their ACKs leave by */
    bool by_nic = d->in.lost_share > LITTLE, by_port = d->out.lost_share > LITTLE;
    if ((nic && !by_nic) || (port && !by_port))
        return isfinite(all.share) ? (struct study_replay_lost){0, all.ci95} : unknown;
    return (place && !*place) || (nic && !by_port) || (port && !by_nic) ? all : unknown;
}

/* Whole, and no "-0". */
static double what_if_percent(double share)
{
    double percent = round(100 * share);
    return percent == 0 ? 0 : percent;
}

/* Says so where the judge and the replay disagree, of both directions together or of one, by more than both intervals.
 * Neither asks the other: the judge reads what data and ACKs wait for, the replay plays what was in flight. What little a
 * direction carries of all does not matter. */
static void what_if_disagrees(const struct study_replay *r, const struct judge_diagnosis *d,
                              const struct study_replay_run *baseline, const struct study_replay_run *played,
                              char why[static 240])
{
    static const char *const of[WAYS] = {"", " of incoming data", " of outgoing data"};
    struct what_if_rates before = what_if_settled(r, baseline), after = what_if_settled(r, played);
    for (int way = 0; way < WAYS && !*why; way++) {
        struct study_replay_lost by_replay = study_replay_lost(r, baseline, played, way);
        struct study_replay_lost by_judge = study_replay_expected(d, played->label, way);
        bool counts = fmax(before.bps[way] / before.bps[0], after.bps[way] / after.bps[0]) > JUDGE_DIAGNOSIS_TOTAL;
        if (counts && fabs(by_replay.share - by_judge.share) > by_replay.ci95 + by_judge.ci95)
            snprintf(why, 240, "without %.60s %.0f +- %.0f %%%s are lost by the replay, and %.0f +- %.0f %% by the "
                     "judge: they disagree by more than both intervals", played->label, what_if_percent(by_replay.share),
                     100 * by_replay.ci95, of[way], what_if_percent(by_judge.share), 100 * by_judge.ci95);
    }
}

bool study_replay_doubts(const struct study_replay *r, const struct judge_diagnosis *d,
                         const struct study_replay_run *baseline, const struct study_replay_run *played,
                         char why[static 240])
{
    why[0] = '\0';
    bool ends = strncmp(played->label, "ack-first", strlen("ack-first")) == 0 || strncmp(played->label, "fair", 4) == 0;
    struct what_if_rates before = what_if_settled(r, baseline), after = what_if_settled(r, played);
    int fills = what_if_fills(r, &before, &after);
    if (fills >= 0)
        snprintf(why, 240,
                 "%.60s fills the link %s h0, whose rate does not show, as it was never full: --set network.link.rate",
                 played->label, fills ? "from" : "towards");
    else if (d && ends && d->answer == JUDGE_ANSWER_UNKNOWN)
        snprintf(why, 240, "the capture does not show what waiting ACKs cost, so that a replay only guesses it");
    else if (d && ends)
        what_if_disagrees(r, d, baseline, played, why);
    return why[0] != '\0';
}

bool study_replay_what_if(struct scenario *s, const char *text, struct error *err)
{
    char *copy MEMORY_LOCAL = memory_text("%s", text), *rest = copy, *part;
    bool ok = *text || what_if_bad(text, err);
    while (ok && (part = strsep(&rest, "+")))
        ok = what_if_one(s, text, part, err);
    return ok;
}
