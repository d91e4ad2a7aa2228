/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/limit.h"

#include "judge/marks.h"

#include <math.h>

#define LOSS_EVENTS 2   /* one may be chance */
#define CLOSED 0.05     /* of ACKs offer less than two segments: a reader that is too slow for its sender */
#define SWING 0.04      /* of the window offered comes and goes: a reader that takes data now and then */
#define TAKEN 0.85      /* of the largest window is offered: the reader keeps up, but for what comes at once */
#define HALVED 0.5      /* of its most a congestion window is at least while nothing is lost twice in a round trip, and */
#define SAWTOOTH 0.75   /* on average (RFC 5681, section 3.1): who has less in flight, whom nothing is lost, no window holds */
#define STEADY 0.97     /* of the most in flight, on average, through round trips that change by CHANGES: a buffer of its
                         * own bounds it, as what an application paces follows the round trip */
#define CHANGES 0.1

/* From 0 at `none` to 1 at `full`; 0 where it is not known. */
static double mark(double value, double none, double full)
{
    return isfinite(value) ? fmax(0, fmin(1, (value - none) / (full - none))) : 0;
}

/* A window that only grows is tuned by its kernel. That it comes and goes shows whatever its scale, which a capture without
 * the handshake lacks; how small it is does not. */
bool judge_limit_reads(const struct judge_flow *f)
{
    const struct judge_sender *k = &f->sender;
    if (f->known != JUDGE_CAUSE_UNKNOWN)
        return f->known == JUDGE_CAUSE_RECEIVER;
    const bool closes = k->closed_share > CLOSED && !k->offered_guessed;
    return closes || (k->offered_swing > SWING && f->loss_events < LOSS_EVENTS && /* data wait for a lost one, too */
                      k->offered_bytes < TAKEN * k->offered_most_bytes);
}

/* In flight; where that does not show, by Little's law. */
static double limit_flight(const struct judge_flow *f)
{
    double seen = f->sender.flight_bytes, little = f->rate_bps / 8 * judge_flow_trip_s(f);
    return seen > 0 ? seen : isfinite(little) && !f->coarse ? little : 0;
}

void judge_marks_of(const struct judge_flow *f, double m[JUDGE_MARKS])
{
    const struct judge_sender *k = &f->sender;
    double flight = limit_flight(f), most = fmax(k->most_bytes, flight), two = 2 * k->full_bytes;
    bool seen = k->flight_bytes > 0, known = !k->offered_guessed; /* of no window offered mark() says nothing */
    /* Nobody's window is a whole number of segments, and ACKs free two at a time: so near is at its edge. */
    double edge = flight > 0 ? mark((flight + two) / k->offered_bytes, 0.85, 1) : 0;
    double reached = most > 0 ? mark((most + two) / k->offered_bytes, 0.93, 1) : 0;
    if (f->loss_events == 0 && k->peak_bytes > 0)
        reached *= mark(flight / k->peak_bytes, HALVED, SAWTOOTH);
    double even = 1 - mark(isfinite(k->tight_share) ? k->tight_share : 1, 0, 0.1);
    for (int i = 0; i < JUDGE_MARKS; i++)
        m[i] = 0;
    m[JUDGE_MARK_GUESSED_EDGE] = known ? 0 : reached;
    edge = known ? edge : 0;
    reached = known ? reached : 0;
    m[JUDGE_MARK_EDGE] = edge;
    m[JUDGE_MARK_REACHED] = reached;
    m[JUDGE_MARK_LOSSES] = mark((double)f->loss_events, 0, 2 * LOSS_EVENTS);
    m[JUDGE_MARK_GROWS] = mark(k->grows - k->grows_ci95, 0, 0.1);
    m[JUDGE_MARK_SHORTS] = mark(k->short_share, 0, 0.05) * (1 - reached);
    m[JUDGE_MARK_IDLE] = mark(k->idle, 0, 0.125);
    m[JUDGE_MARK_JITTER] = mark(k->jitter, 0, 0.25) * (1 - m[JUDGE_MARK_LOSSES]);
    m[JUDGE_MARK_EVEN] = even * (1 - edge);
    m[JUDGE_MARK_FASTER] = mark(log2(k->fastest_bps / f->rate_bps), 0.07, 3) * (1 - edge);
    m[JUDGE_MARK_NO_FASTER] = isfinite(k->free_bps) ? 1 - mark(k->free_bps / f->rate_bps, 1, 1.2) : 0;
    m[JUDGE_MARK_LITTLE] = known && most > 0 && most < 4 * two && flight < k->offered_bytes / 2;
    m[JUDGE_MARK_BLIND] = !seen;
}

double judge_limit_else(const struct judge_flow *f)
{
    double m[JUDGE_MARKS], odds = judge_noise_odds + f->paced_odds;
    if (f->known != JUDGE_CAUSE_UNKNOWN)
        return f->known == JUDGE_CAUSE_APPLICATION || f->known == JUDGE_CAUSE_RECEIVER;
    if (judge_limit_reads(f))
        return 1;
    judge_marks_of(f, m);
    for (int i = 0; i < JUDGE_MARKS; i++)
        odds += judge_noise_marks[i].weight * m[i];
    return 1 / (1 + exp(-odds));
}

enum judge_cause judge_limit_of(const struct judge_flow *f)
{
    const struct judge_sender *k = &f->sender;
    if (f->known != JUDGE_CAUSE_UNKNOWN)
        return f->known;
    if (judge_limit_reads(f))
        return JUDGE_CAUSE_RECEIVER;
    if (judge_limit_else(f) > 0.5)
        return JUDGE_CAUSE_APPLICATION;
    if (f->loss_events >= LOSS_EVENTS)
        return f->policed ? JUDGE_CAUSE_POLICING : JUDGE_CAUSE_LOSSES;
    bool bounded = f->lossless && k->fullness > STEADY && k->range > CHANGES && !k->offered_guessed &&
                   k->most_bytes + 2 * k->full_bytes < TAKEN * k->offered_bytes && !(k->grows > k->grows_ci95);
    return bounded ? JUDGE_CAUSE_SEND_BUFFER : JUDGE_CAUSE_WINDOW;
}
