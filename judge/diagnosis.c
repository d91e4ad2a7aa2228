/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/diagnosis.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AROUND_TC 24.0   /* bytes of a frame on the wire that tc does not count */
#define ACKS_DELAYED 2.0

const char *judge_answer_name(enum judge_answer answer)
{
    static const char *const names[] = {"unknown", "no", "yes"};
    return names[answer];
}

const char *judge_possible_name(enum judge_possible from)
{
    static const char *const names[] = {"model", "emulated", "measured"};
    return names[from];
}

bool judge_diagnosis_matters(const double carried_bps[2], const double possible_bps[2])
{
    double all_bps = possible_bps[0] + possible_bps[1];
    bool matters = 1 - (carried_bps[0] + carried_bps[1]) / all_bps >= JUDGE_DIAGNOSIS_TOTAL;
    for (int way = 0; way < 2; way++)
        matters = matters || (carried_bps[way] > 0 && possible_bps[way] >= JUDGE_DIAGNOSIS_TOTAL * all_bps &&
                              1 - carried_bps[way] / possible_bps[way] >= JUDGE_DIAGNOSIS_DIRECTION);
    return matters;
}

enum judge_answer judge_diagnosis_answer(double probability)
{
    return probability > JUDGE_DIAGNOSIS_SURE       ? JUDGE_ANSWER_YES
           : probability < 1 - JUDGE_DIAGNOSIS_SURE ? JUDGE_ANSWER_NO
                                                    : JUDGE_ANSWER_UNKNOWN;
}

/* Who loses how much, and by what. */
static void diagnosis_losers(const struct judge_diagnosis *d, char *text, size_t size)
{
    const struct judge_way *in = &d->in, *out = &d->out;
    /* NAN: it would get nothing, so it loses nothing */
    bool in_worst = out->flows == 0 || fmax(0, in->lost_share) > fmax(0, out->lost_share);
    const struct judge_way *worst = in_worst ? in : out, *other = in_worst ? out : in;
    double rtt_s = worst->floor_s + worst->data_wait_s + worst->ack_wait_s;
    if (other->flows > 0 && other->lost_share >= JUDGE_DIAGNOSIS_MOST * worst->lost_share)
        snprintf(text, size, "incoming data get %s of %s Mb/s, outgoing data %s of %s", UNITS_MBPS(in->carried_bps),
                 UNITS_MBPS(in->possible_bps), UNITS_MBPS(out->carried_bps), UNITS_MBPS(out->possible_bps));
    else if (isfinite(rtt_s))
        snprintf(text, size,
                 "%s data get %s of %s Mb/s, as their ACKs wait behind %s for %.1f ms of a round trip of %.1f ms",
                 in_worst ? "incoming" : "outgoing", UNITS_MBPS(worst->carried_bps), UNITS_MBPS(worst->possible_bps),
                 d->cause == JUDGE_CAUSE_OTHER ? "other traffic"
                 : other->flows == 0           ? "data of others"
                 : in_worst ? "outgoing data" : "incoming data",
                 1e3 * worst->ack_wait_s, 1e3 * rtt_s);
    else
        snprintf(text, size, "%s data get %s of %s Mb/s", in_worst ? "incoming" : "outgoing",
                 UNITS_MBPS(worst->carried_bps), UNITS_MBPS(worst->possible_bps));
}

double judge_diagnosis_tc_bps(const struct judge_diagnosis *d, const struct judge_way *w)
{
    const struct judge_way *other = w == &d->in ? &d->out : &d->in;
    double full = d->full_bytes > 0 ? d->full_bytes : JUDGE_FULL;
    double acks = d->segments_per_ack > 0 ? d->segments_per_ack : ACKS_DELAYED;
    double data_frames = w->carried_bps / full;
    double ack_frames = other->carried_bps / (acks * full);
    if (!(data_frames + ack_frames > 0))
        data_frames = 1;
    return w->capacity_bps * (1 - AROUND_TC * (data_frames + ack_frames) /
                                      (data_frames * (full + JUDGE_AROUND) + ack_frames * JUDGE_AROUND));
}

/* The first ": " with a figure before it. */
static const char *diagnosis_seam(const struct judge_diagnosis *d)
{
    const char *figure = d->why + strcspn(d->why, "0123456789");
    return strstr(figure, ": ");
}

void judge_diagnosis_figures(const struct judge_diagnosis *d, char *text, size_t size)
{
    const char *seam = diagnosis_seam(d);
    snprintf(text, size, "%.*s", seam ? (int)(seam - d->why) : (int)strlen(d->why), d->why);
}

const char *judge_diagnosis_reason(const struct judge_diagnosis *d)
{
    const char *seam = diagnosis_seam(d);
    return seam ? seam + 2 : "";
}

void judge_diagnosis_say(struct judge_diagnosis *d)
{
    double carried = d->in.carried_bps + d->out.carried_bps, possible = d->in.possible_bps + d->out.possible_bps;
    char who[160];
    if (d->answer == JUDGE_ANSWER_YES)
        diagnosis_losers(d, who, sizeof who);
    else
        snprintf(who, sizeof who, "%s", judge_cause(d->cause)->meaning);
    snprintf(d->why, sizeof d->why, "%s of %s Mb/s; %.0f %% lost to waiting ACKs: %s", UNITS_MBPS(carried),
             UNITS_MBPS(fmax(carried, possible)), 100 * fmax(0, d->lost_share), who);
}

