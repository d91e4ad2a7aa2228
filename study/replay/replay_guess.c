/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "study/replay/replay.h"

#define OTHER_TRAFFIC 0.05
#define TIMES 4
#define GUESS_NEAR 5
#define FEW 10 /* retransmissions more or less mean nothing */
#define SETTLED 0.3 /* what a what-if compares is the settled phase, but it is short */
#define RETRANSMITTED 0.2 /* a factor of e more or less weighs as much as a fifth of a rate: buffers show by it */

static void guess_add(study_replay_guess guess[STUDY_REPLAY_GUESSES], int *n, const char *queues, const char *control,
                      const double buffer_bytes[2])
{
    const char *parts[] = {queues, control};
    char *text = guess[*n];
    text[0] = '\0';
    for (int i = 0; i < 2; i++)
        if (*parts[i])
            text_add(text, sizeof *guess, "%s%s", *text ? "+" : "", parts[i]);
    for (int i = 0; i < 2; i++)
        if (buffer_bytes[i] > 0)
            text_add(text, sizeof *guess, "%sbuffer=%.0fB@%s", *text ? "+" : "", buffer_bytes[i], i ? "nic" : "port");
    ++*n;
}

/* Of datagrams that fill a direction, some may have been lost before they were seen. */
static void guess_add_datagrams(const struct study_replay *r, bool congestion,
                                study_replay_guess guess[STUDY_REPLAY_GUESSES], int *n)
{
    static const double sent[] = {1, 1.05, 1.15}, held[] = {0.75, 1, 1.35};
    for (int i = 0; i < 18 && (congestion || i < 9); i++) {
        char control[sizeof *guess];
        double bytes[] = {r->buffer_bytes[0], r->buffer_bytes[1]};
        bytes[r->overfull[0] ? 0 : 1] *= held[i % 3];
        snprintf(control, sizeof control, "%sdatagrams=%.0fkbps",
                 !congestion ? "" : i < 9 ? "cc=linuxreno+" : "cc=cubic+",
                 sent[i / 3 % 3] * (double)r->scenario.datagrams[0].rate_bps / 1e3);
        guess_add(guess, n, "", control, bytes);
    }
}

void study_replay_guesses(const struct study_replay *r, bool queues, bool congestion, bool buffers,
                          study_replay_guess guess[STUDY_REPLAY_GUESSES], int *n)
{
    static const double deep[2] = {0}, times[TIMES] = {0.75, 1, 1.35, 1.8};
    bool lossy = r->buffer_bytes[0] > 0 || r->buffer_bytes[1] > 0;
    *n = 0;
    guess_add(guess, n, "", congestion ? "cc=linuxreno" : "", deep);
    if (buffers && r->scenario.n_datagrams == 1 && (r->overfull[0] || r->overfull[1])) {
        guess_add_datagrams(r, congestion, guess, n);
        return;
    }
    if (lossy && buffers)
        for (int c = 0; c < (congestion ? 2 : 1); c++)
            for (int i = 0; i < TIMES * TIMES; i++) {
                double bytes[] = {times[i % TIMES] * r->buffer_bytes[0], times[i / TIMES] * r->buffer_bytes[1]};
                if ((r->buffer_bytes[0] > 0 || i % TIMES == 0) && (r->buffer_bytes[1] > 0 || i < TIMES))
                    guess_add(guess, n, "", congestion ? (c ? "cc=cubic" : "cc=linuxreno") : "", bytes);
            }
    double common = sqrt(r->buffer_bytes[0] * r->buffer_bytes[1]); /* both ends of a link often have the same */
    for (int c = 0; c < (congestion ? 2 : 1) && common > 0 && buffers; c++)
        for (int i = 0; i < TIMES; i++)
            guess_add(guess, n, "", congestion ? (c ? "cc=cubic" : "cc=linuxreno") : "",
                      (double[]){times[i] * common, times[i] * common});
    if (lossy)
        return;
    if (congestion)
        guess_add(guess, n, "", "cc=cubic", deep);
    if (queues) {
        guess_add(guess, n, "fair", congestion ? "cc=linuxreno" : "", deep);
        guess_add(guess, n, "ack-first", congestion ? "cc=linuxreno" : "", deep);
    }
}

void study_replay_guesses_given(study_replay_guess guess[STUDY_REPLAY_GUESSES], int *n)
{
    static const double deep[2] = {0};
    *n = 0;
    guess_add(guess, n, "fifo", "cc=given+buffer=20MB", deep); /* nothing is lost: losses are in the windows */
    guess_add(guess, n, "fair", "cc=given+buffer=20MB", deep);
    guess_add(guess, n, "ack-first", "cc=given+buffer=20MB", deep);
}

void study_replay_guesses_around(const char *best, study_replay_guess guess[STUDY_REPLAY_GUESSES], int *n)
{
    static const double times[GUESS_NEAR] = {0.84, 0.92, 1, 1.09, 1.19};
    const char *port = strstr(best, "@port"), *nic = strstr(best, "@nic"), *first = strstr(best, "buffer=");
    char control[sizeof *guess];
    double bytes[2] = {0, 0};
    *n = 0;
    if (!first)
        return;
    const char *second = strstr(first + 1, "buffer=");
    bytes[port ? 0 : 1] = strtod(first + strlen("buffer="), NULL);
    if (port && nic && second)
        bytes[1] = strtod(second + strlen("buffer="), NULL);
    snprintf(control, sizeof control, "%.*s", (int)(first > best ? first - best - 1 : 0), best);
    for (int i = 0; i < GUESS_NEAR * GUESS_NEAR; i++)
        if ((bytes[0] > 0 || i % GUESS_NEAR == 0) && (bytes[1] > 0 || i < GUESS_NEAR) && i != GUESS_NEAR * GUESS_NEAR / 2)
            guess_add(guess, n, "", control, (double[]){times[i % GUESS_NEAR] * bytes[0], times[i / GUESS_NEAR] * bytes[1]});
}

bool study_replay_rate_known(const struct study_replay *r, int way)
{
    return r->rate_source[way] != JUDGE_CAPACITY_UNKNOWN && r->rate_source[way] != JUDGE_CAPACITY_ASSUMED;
}

/* Of the link's rate that way; "" where the capture shows it. */
static void guess_rate_text(const struct study_replay *r, int way, char text[static STUDY_REPLAY_TEXT])
{
    const char *name = way ? "from" : "towards";
    const char *mbps = UNITS_FIGURE(r->rate_bps[way] / 1e6, 4);
    text[0] = '\0';
    if (r->rate_source[way] == JUDGE_CAPACITY_ASSUMED)
        snprintf(text, STUDY_REPLAY_TEXT, "the link is as fast %s h0 as the other way, %s Mb/s: its rate does not show",
                 name, mbps);
    else if (r->rate_source[way] == JUDGE_CAPACITY_UNKNOWN)
        snprintf(text, STUDY_REPLAY_TEXT, "the link carries %s Mb/s %s h0: its rate does not show, and 100 ms carried "
                 "%s Mb/s at most", mbps, name, UNITS_FIGURE(r->carried_most_bps[way] / 1e6, 4));
    else if (r->rate_most_bps[way] > r->rate_bps[way])
        snprintf(text, STUDY_REPLAY_TEXT, "the link carries no more than %s Mb/s %s h0: by how long data wait it could "
                 "carry up to %s", mbps, name, UNITS_FIGURE(r->rate_most_bps[way] / 1e6, 4));
    else if (r->apart[way])
        snprintf(text, STUDY_REPLAY_TEXT, "data %s h0 wait behind one link, though each flow seems to have one of its own",
                 name);
}

/* Of what limits the flows: the one of which the judge is least sure. */
static void guess_limit_text(const struct study_replay *r, char text[static STUDY_REPLAY_TEXT])
{
    int doubtful = 0, most = -1;
    text[0] = '\0';
    for (int i = 0; i < r->n_flows; i++) {
        double p = r->flows[i].otherwise;
        if (!(p > 1 - JUDGE_DIAGNOSIS_SURE && p < JUDGE_DIAGNOSIS_SURE))
            continue;
        doubtful++;
        most = most < 0 || fabs(p - 0.5) < fabs(r->flows[most].otherwise - 0.5) ? i : most;
    }
    if (most < 0)
        return;
    const struct study_replay_flow *f = &r->flows[most];
    snprintf(text, STUDY_REPLAY_TEXT, "%s > %s is held by its %s, which is %.0f %% likely%s", f->from, f->to,
             f->otherwise > 0.5 ? "application or its reader" : "window",
             100 * (f->otherwise > 0.5 ? f->otherwise : 1 - f->otherwise),
             doubtful > 1 ? "; others are not sure, either" : "");
}

bool study_replay_assumes(const struct study_replay *r, int i, char text[static STUDY_REPLAY_TEXT])
{
    int n = 0;
    for (int way = 0; way < 2 && r->reads_network; way++) {
        guess_rate_text(r, way, text);
        n += text[0] != '\0';
        if (n > i)
            return true;
    }
    snprintf(text, STUDY_REPLAY_TEXT, "%s, which comes nearest", r->assumed);
    n += *r->assumed != '\0';
    if (n > i)
        return true;
    guess_limit_text(r, text);
    n += text[0] != '\0';
    if (n > i)
        return true;
    snprintf(text, STUDY_REPLAY_TEXT, "%d of %d flows, whose windows do not show, have the scenario's", r->windows_unknown,
             r->n_flows);
    n += r->windows_unknown > 0;
    if (n > i)
        return true;
    snprintf(text, STUDY_REPLAY_TEXT, "an ACK is for %d segments, and in the capture for %.1f", STUDY_REPLAY_ACKS,
             r->segments_per_ack);
    n += r->segments_per_ack > STUDY_REPLAY_ACKS + 0.5;
    if (n > i)
        return true;
    snprintf(text, STUDY_REPLAY_TEXT, "what is not TCP has a steady rate, and does not react");
    return r->reads_network && r->scenario.n_datagrams > 0 && n == i;
}

double study_replay_error(const struct study_replay *r, const struct study_replay_run *run)
{
    double worst = 0;
    for (int i = 0; i < r->n_flows; i++) {
        double error = fabs(run->goodput_bps[i] / r->flows[i].measured_bps - 1);
        worst = fmax(worst, isfinite(error) ? error : 1);
    }
    return worst;
}

/* The same once all were settled, of the flows that were. */
static double guess_settled_error(const struct study_replay *r, const struct study_replay_run *run)
{
    double worst = 0;
    for (int i = 0; i < r->n_flows && run->settled_bps; i++) {
        double error = fabs(run->settled_bps[i] / r->flows[i].settled_bps - 1);
        worst = isfinite(error) ? fmax(worst, error) : worst;
    }
    return worst;
}

double study_replay_distance(const struct study_replay *r, const struct study_replay_run *run)
{
    double more = log((FEW + (double)run->retransmitted) / (FEW + (double)r->retransmitted));
    return study_replay_error(r, run) + SETTLED * guess_settled_error(r, run) + RETRANSMITTED * fabs(more);
}

/* The first flow whose window shrank though nothing was lost; n_flows: none. */
static int guess_shrinks(const struct study_replay *r)
{
    int i = 0;
    while (i < r->n_flows && !r->flows[i].shrinks)
        i++;
    return i;
}

bool study_replay_needs_windows(const struct study_replay *r, const struct study_replay_run *run)
{
    for (int i = 0; i < r->n_flows; i++)
        if (r->flows[i].window_unknown)
            return false;
    return study_replay_error(r, run) > STUDY_REPLAY_NEAR || guess_shrinks(r) < r->n_flows;
}

bool study_replay_refuses(const struct study_replay *r, const struct study_replay_run *baseline, char why[static 240])
{
    int worst = 0;
    double off = 0;
    why[0] = '\0';
    for (int i = 0; i < r->n_flows; i++) {
        double error = baseline->goodput_bps[i] / r->flows[i].measured_bps - 1;
        error = isfinite(error) ? error : -1;
        if (fabs(error) > fabs(off)) {
            off = error;
            worst = i;
        }
    }
    bool unknown = r->reads_network && r->rate_source[0] == JUDGE_CAPACITY_UNKNOWN &&
                   r->rate_source[1] == JUDGE_CAPACITY_UNKNOWN;
    const char *reason = r->flows[worst].lossy          ? "losses strike at random, or the buffers are others"
                         : unknown                      ? "the link's rate does not show: --set network.link.rate"
                         : r->windows_unknown > 0       ? "windows do not show without timestamps"
                                                        : "something holds it that a replay does not have";
    double other = fmax(r->other_share[0], r->other_share[1]);
    int shrinks = guess_shrinks(r);
    if (shrinks < r->n_flows && r->scenario.tcp.congestion != EMU_CONGESTION_GIVEN)
        snprintf(why, 240,
                 "the window of %s > %s shrank though nothing was lost, as BBR's does: played as Reno or CUBIC, it "
                 "would not answer a change as it did", r->flows[shrinks].from, r->flows[shrinks].to);
    else if (other > OTHER_TRAFFIC && r->scenario.n_datagrams == 0)
        snprintf(why, 240, "%.0f %% of a direction's bytes are not TCP: a replay does not have them", 100 * other);
    else if (fabs(off) > STUDY_REPLAY_NEAR)
        snprintf(why, 240, "the baseline gives %s > %s %+.0f %%: %s", r->flows[worst].from, r->flows[worst].to,
                 100 * off, reason);
    return why[0] != '\0';
}

bool study_replay_refuses_change(const struct study_replay *r, const char *what_if, char why[static 240])
{
    static const char *const changes[] = {"buffer=", "cc=", "codel", "pause"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (r->scenario.tcp.congestion == EMU_CONGESTION_GIVEN && strstr(what_if, changes[i])) {
            snprintf(why, 240,
                     "windows are played as captured, for no congestion control here comes near: they would not answer "
                     "%.60s", what_if);
            return true;
        }
    return false;
}
