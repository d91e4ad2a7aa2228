/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/path.h"

#include "base/estimate.h"
#include "base/memory.h"
#include "judge/diagnosis.h"
#include "judge/limit.h"
#include "judge/noise.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDS 4        /* of what each direction leaves to the other: ACKs are a few per cent */
#define UNSEEN 0.01     /* of the round trip: as much wait comes from stamps and delayed ACKs */
#define MOST_OF_CYCLE 0.9
#define DOUBTFUL 1.1    /* times longer than all that is in flight takes to pass: a mean is less than the most, unless all
                         * come at the worst of times */
#define FASTER 30.0     /* than what it carries is a link at most whose rate does not show */
#define EVEN 0.05       /* of the segments come close together, at most: waits that seem to be ACKs' are data's in */
#define EVENLY 0.65     /* of emulated flows, */
#define BUNCHED 0.02    /* and in so many of others, where ACKs wait as long as the data that they wait behind, */
#define TWICE 2.0       /* within a factor, */
#define UNLIKE 0.3      /* and where they do not */
#define CHANCE 0.02     /* of emulated flows wait on the other side although the queue towards the host is full, */
#define ANYWHERE 0.6    /* and so many where it is not */
#define TOGETHER 1.05   /* a rate by dispersion is known to a sixteenth of an octave, */
#define BARELY 0.945    /* a medium rests hardly, by its class in test/corpus: lines of 25/5 Mb/s carry a little less, */
#define EITHER 0.13     /* and a direction that fills its link alone carries as much with a little the other way */
#define NOBODY_KNOWS 0.5 /* whether a link is full whose frames pass too fast for the capture's clock, or where neither way shows
                          * its rate (of 233 such captures in which ACKs may cost they did in 88); whether links are as fast one
                          * way as the other whose rates are none of an Ethernet's */
#define WAITS 0.5       /* of flows with data the other way ACKs wait a twentieth of the round trip and more, on eight corpora */
#define OTHERS_ACKS 0.15 /* others' ACKs are as uneven among them: so it was in 2 of 15 captures at a router */
#define USUAL 40.0     /* times as fast one way as the other are access lines on sale (1000/25 Mb/s, DOCSIS 3.1); */
#define RARER 3.3      /* one of 20 is 100 times, by the power law that this makes */
#define ALIKE 0.97     /* of links are as fast one way as the other: all of Ethernet, no access line */

double judge_path_room_bps(const struct judge_facts *s, bool incoming, double capacity_bps, double other_bps)
{
    return judge_path_room_of(capacity_bps - judge_facts_link(s, incoming)->other_bps, other_bps, s->segments_per_ack,
                              s->full_bytes);
}

/* Goodput of a direction whose ACKs, served first, fill the link that they take; INFINITY unknown. */
static double path_acked_bps(const struct judge_facts *s, double back_bps)
{
    double most_bps = back_bps / judge_facts_acks(s->segments_per_ack, s->full_bytes); /* before all other traffic */
    return isfinite(most_bps) ? most_bps : INFINITY;
}

/* What ACKs of a direction's data take of the other one's link. */
static double path_acks_bps(const struct judge_facts *s, bool incoming)
{
    return judge_facts_carried_bps(s, incoming) * judge_facts_acks(s->segments_per_ack, s->full_bytes);
}

/* P(ACKs and what else is seen to go their way fill it alone), where they wait after the tap and no data do: as likely as not,
 * were any line so unlike both ways. */
static double path_alone(const struct judge_facts *s, bool incoming)
{
    const struct judge_link *own = judge_facts_link(s, incoming), *back = judge_facts_link(s, !incoming);
    double passes_bps = path_acks_bps(s, incoming) + back->other_bps;
    if (back->source == JUDGE_CAPACITY_KNOWN)
        return passes_bps >= (1 - JUDGE_DIAGNOSIS_TOTAL) * back->capacity_bps;
    bool shows = own->source == JUDGE_CAPACITY_DISPERSION || own->source == JUDGE_CAPACITY_KNOWN;
    if (own->acks_mixed)
        return own->acks_beside ? 0 : OTHERS_ACKS;
    double line = shows ? pow(fmin(1, USUAL * passes_bps / own->capacity_bps), RARER) : 1;
    return line / (1 + line);
}

bool judge_path_beside(const struct judge_facts *s, bool incoming)
{
    return judge_facts_carried_bps(s, !incoming) > 0 ||
           judge_facts_link(s, !incoming)->other_bps > JUDGE_PATH_OTHERS * path_acks_bps(s, incoming);
}

bool judge_path_full(const struct judge_facts *s, bool incoming)
{
    const struct judge_link *l = judge_facts_link(s, incoming);
    double room_bps = judge_path_room_bps(s, incoming, l->capacity_bps, judge_facts_carried_bps(s, !incoming));
    return !(l->works > 0) && judge_facts_carried_bps(s, incoming) >= (1 - JUDGE_DIAGNOSIS_TOTAL) * room_bps;
}

static double path_wire_bps(const struct judge_facts *s, bool incoming)
{
    return judge_facts_carried_bps(s, incoming) * (s->full_bytes + JUDGE_AROUND) / s->full_bytes +
           path_acks_bps(s, !incoming) + judge_facts_link(s, incoming)->other_bps;
}

double judge_path_shared(const struct judge_facts *s)
{
    double in_bps = path_wire_bps(s, true), out_bps = path_wire_bps(s, false), both_bps = in_bps + out_bps;
    bool alike = false;
    for (int way = 0; way < 2; way++) {
        const struct judge_link *l = judge_facts_link(s, way == 0);
        double share = both_bps / l->capacity_bps;
        alike = alike || (l->source == JUDGE_CAPACITY_DISPERSION && share > BARELY && share < TOGETHER);
    }
    return alike && fmin(in_bps, out_bps) > EITHER * both_bps ? judge_noise.shared : 0;
}

/* Facts, and what follows from them for each flow in each draw. */
struct path_facts {
    const struct judge_facts *s; /* borrowed */
    double behind[2]; /* P(there is something but ACKs that the ACKs of incoming data may wait behind, and of outgoing data) */
    double moved;     /* P(what nobody placed is not where it is taken to be) */
};

static double path_behind(const struct judge_facts *s, bool incoming)
{
    if (judge_path_beside(s, incoming))
        return 1;
    /* Whoever else sends there does not show. */
    return judge_facts_link(s, incoming)->acks_hidden ? 1 - path_alone(s, incoming) : s->beside ? 0 : 0.5;
}

static struct path_facts path_facts_of(const struct judge_facts *s)
{
    /* It is taken to have stood in the queue towards the host, which is sure only where that one is full. */
    return (struct path_facts){s, {path_behind(s, true), path_behind(s, false)}, judge_path_full(s, true) ? CHANCE : ANYWHERE};
}

/* Do coarse stamps show as waits of ACKs what outgoing data wait after the tap? A slower link there lets their ACKs
 * come back evenly, and these let segments leave so; behind data of the other direction ACKs come in bunches, and wait
 * about as long as these data. */
static bool path_blurred(const struct judge_facts *s, const struct judge_flow *f, const double open[JUDGE_OPENS])
{
    if (!f->coarse || f->incoming)
        return false;
    double alike = f->ack_wait_s / judge_facts_data_wait_s(s, true);
    return open[JUDGE_OPEN_BLURRED] < (f->sender.tight_share < EVEN                 ? EVENLY
                                       : alike > 1 / TWICE && alike < TWICE ? BUNCHED
                                                                            : UNLIKE);
}

static double path_moved_s(const struct path_facts *p, const struct judge_flow *f, const double open[JUDGE_OPENS])
{
    return open[JUDGE_OPEN_UNPLACED] < p->moved ? f->unplaced_s : 0;
}

/* The most that it carries, whatever its ACKs do: while its data wait in a queue that does not run empty, a link there works, and
 * carries what it can, with others or alone. What it lacks is in the rest of the time. */
static double path_works_bps(const struct judge_flow *f, double moved_s)
{
    bool waits = f->data_wait_s - f->host_data_s - moved_s > JUDGE_PATH_FREE * judge_flow_trip_s(f);
    return waits && f->data_waits > 0 ? f->rate_bps / f->data_waits : INFINITY;
}

/* How long its ACKs wait behind something, but for a frame that has begun, which no order of service interrupts:
 * full frames of their own length meet any part of one. */
static double path_ack_wait_s(const struct path_facts *p, const struct judge_flow *f, double back_bps,
                              const double open[JUDGE_OPENS])
{
    const struct judge_facts *s = p->s;
    const struct judge_link *back = judge_facts_link(s, !f->incoming);
    if (!(f->behind || open[JUDGE_OPEN_PLACE] < p->behind[!f->incoming]) || path_blurred(s, f, open))
        return 0;
    double moved_s = path_moved_s(p, f, open);
    double ack_s = f->ack_wait_s - f->host_ack_s + moved_s, data_s = f->data_wait_s - f->host_data_s - moved_s;
    bool beside = ack_s < JUDGE_PATH_ELSEWHERE * f->beside_s;
    double longer = (ack_s / back->drain_s - DOUBTFUL) / (JUDGE_PATH_ELSEWHERE - DOUBTFUL);
    bool elsewhere = back->apart || open[JUDGE_OPEN_PLACE] < longer;
    if (elsewhere && !beside)
        return 0;
    double off_s = f->wait_sd_s * open[JUDGE_OPEN_TICK];
    ack_s = ack_s * (1 + judge_noise.wait * open[JUDGE_OPEN_WAIT]) + (ack_s > 0 ? off_s : 0);
    double begun_s = open[JUDGE_OPEN_BEGUN] * (s->full_bytes + JUDGE_AROUND) * 8 / back_bps;
    ack_s -= judge_facts_carried_bps(s, !f->incoming) > 0 && begun_s > 0 ? fmin(begun_s, fmax(ack_s, 0)) : 0;
    return ack_s > UNSEEN * judge_flow_trip_s(f) ? fmin(ack_s, ack_s + data_s) : 0;
}

/* How much of what data wait is for each other, as ACKs that waited let them go in bunches: no longer than these ACKs waited,
 * unless bunches of many round trips have gathered. */
static double path_bunched_s(double data_s, double ack_s, double vanishes)
{
    double gathered = (vanishes - (1 - JUDGE_PATH_GATHERED)) / JUDGE_PATH_GATHERED;
    return gathered > 0 ? gathered * data_s : vanishes / (1 - JUDGE_PATH_GATHERED) * fmin(data_s, ack_s);
}

/* What a flow whose ACKs wait so long would carry through a link without an end. */
static double path_wanted_bps(const struct path_facts *p, const struct judge_flow *f, double otherwise, double ack_s,
                              double vanishes, const double open[JUDGE_OPENS])
{
    double x = f->rate_bps, trip_s = judge_flow_trip_s(f);
    if (open[JUDGE_OPEN_LIMIT] < otherwise) {
        bool answered = !judge_limit_reads(f) &&
                        f->clocked + f->clocked_sd * open[JUDGE_OPEN_CYCLE] < JUDGE_PATH_CLOCKED; /* false without cycles */
        double share = answered && ack_s > 0 ? fmin(f->cycle_wait_s / f->cycle_s, MOST_OF_CYCLE) : 0;
        return fmax(x, fmin(x / (1 - fmax(0, share)), f->most_bps));
    }
    if (!isfinite(trip_s)) /* how long they wait does not show: any share of what the windows let pass */
        return isfinite(f->window_bps) ? fmax(x, x + vanishes * (f->window_bps - x))
                                       : x / fmax(1 - vanishes, 0.1);
    if (!(ack_s > 0) || f->policed)
        return x;
    bool fills = f->loss_events > 0 && !f->lossless;
    bool stays = fills || judge_facts_link(p->s, f->incoming)->apart;
    double stands_s = fmax(0, f->data_least_s); /* no order of service spares it; 0 where nobody knows */
    double data_s = fmax(0, trip_s - f->floor_s - ack_s - f->host_data_s - stands_s);
    double bunched_s = stays ? 0 : path_bunched_s(data_s, ack_s, vanishes);
    double spared_s = fmin(ack_s + bunched_s, trip_s - fmax(f->floor_s, UNSEEN * trip_s));
    double left_s = trip_s - (1 - f->rests) * spared_s;
    double most_bps = fmin(f->most_bps, path_works_bps(f, path_moved_s(p, f, open)));
    return fmax(x, fmin(x * trip_s / left_s, most_bps));
}

/* Do data of a direction wait as those do whose link is full? */
static bool path_waits(const struct judge_facts *s, bool incoming)
{
    return judge_facts_data_wait_s(s, incoming) > JUDGE_PATH_FREE * judge_facts_trip_s(s, incoming);
}

/* The rate of a direction's link; INFINITY: it is not what bounds it. */
static double path_capacity_bps(const struct judge_facts *s, bool incoming, const double open[JUDGE_OPENS])
{
    const struct judge_link *l = judge_facts_link(s, incoming);
    const bool unknown = l->source == JUDGE_CAPACITY_UNKNOWN, assumed = l->source == JUDGE_CAPACITY_ASSUMED;
    const double carried_bps = path_wire_bps(s, incoming);
    double spread = open[JUDGE_OPEN_LINK];
    const bool neither = unknown && judge_facts_link(s, !incoming)->source == JUDGE_CAPACITY_UNKNOWN;
    if ((l->hidden && (unknown || assumed)) || (neither && path_waits(s, incoming))) {
        if (spread < NOBODY_KNOWS)
            return carried_bps;
        spread = (spread - NOBODY_KNOWS) / (1 - NOBODY_KNOWS);
    }
    /* To carry just what the other direction's rate has room for would be chance if that were not its own, or the work of
     * windows that are as large as the other direction's: flows behind the same queues have them over one round trip. */
    const double alike = !judge_path_full(s, incoming) ? ALIKE : l->unlike ? NOBODY_KNOWS : 1;
    if (assumed && spread > alike)
        return carried_bps * pow(FASTER, (spread - alike) / (1 - alike));
    if (unknown)
        return carried_bps * pow(FASTER, spread);
    if (l->works > 0) /* it works for a share of the time between that and all of it */
        return l->capacity_bps * l->works / (l->works + spread * (1 - l->works));
    return l->capacity_bps * (1 + (l->source == JUDGE_CAPACITY_KNOWN ? 0 : judge_noise.capacity * open[JUDGE_OPEN_CAPACITY]));
}

/* How far what waiting ACKs cost is off, by how well links are known; more, where losses set what flows do then. */
static double path_gain_noise(const struct judge_facts *s)
{
    return hypot(fmax(judge_noise.gain[s->in.source], judge_noise.gain[s->out.source]),
                 judge_facts_lossy(s) ? judge_noise.gain_lossy : 0);
}

/* Does a flow carry what it carries, whatever is drawn? Its ACKs wait too little to matter, with as much more as that makes it. */
static bool path_still(const struct path_facts *p, const struct judge_flow *f, double wait, double tick)
{
    double ack_s = f->ack_wait_s - f->host_ack_s + fmax(0, f->unplaced_s), trip_s = judge_flow_trip_s(f);
    bool waits = ack_s * (1 + judge_noise.wait * wait) + f->wait_sd_s * tick > UNSEEN * trip_s && ack_s > 0;
    return isfinite(trip_s) && trip_s >= 0 && (!waits || !(f->behind || p->behind[!f->incoming] > 0));
}

/* May ACKs of a flow wait whose round trip does not show? */
static bool path_may_wait(const struct path_facts *p, const struct judge_flow *f, const double open[JUDGE_OPENS])
{
    return f->behind || open[JUDGE_OPEN_PLACE] < WAITS * p->behind[!f->incoming];
}

/* What flows want in a draw beyond what they carry: as data go on waiting, and where nothing waits any more. */
struct path_draw {
    struct path_want {
        double wanted_bps, most_bps;
    } way[2]; /* in, out */
};

/* What links let pass of what flows want. */
static void path_bound(const struct judge_facts *s, const double capacity_bps[2], const struct path_draw *draw,
                       const double open[JUDGE_OPENS], double possible_bps[2])
{
    double carried_bps[2], wanted_bps[2], most_bps[2];
    for (int way = 0; way < 2; way++) {
        const bool full = judge_facts_link(s, way == 0)->slower && open[JUDGE_OPEN_PLACE] < 0.5; /* that link may be */
        carried_bps[way] = possible_bps[way] = judge_facts_carried_bps(s, way == 0);
        wanted_bps[way] = carried_bps[way] + (full ? 0 : draw->way[way].wanted_bps);
        most_bps[way] = carried_bps[way] + (full ? 0 : draw->way[way].most_bps);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < 2; way++) {
            double room_bps = fmin(judge_path_room_bps(s, way == 0, capacity_bps[way], possible_bps[!way]),
                                   fmax(carried_bps[way], path_acked_bps(s, capacity_bps[!way])));
            /* Windows that fill the link through empty queues fill it, whatever waits there then. */
            bool fill = most_bps[way] >= room_bps && judge_facts_link(s, way == 0)->source != JUDGE_CAPACITY_UNKNOWN;
            bool bounds = isfinite(room_bps) && room_bps > 0;
            possible_bps[way] = bounds && (fill || wanted_bps[way] > room_bps) ? room_bps : wanted_bps[way];
        }
    for (int way = 0; way < 2; way++) {
        double off = path_gain_noise(s) * open[JUDGE_OPEN_GAIN];
        possible_bps[way] += (possible_bps[way] - carried_bps[way]) * expm1(off) +
                             possible_bps[way] * judge_noise.model * open[JUDGE_OPEN_MODEL];
        if (possible_bps[way] < 0) /* the other direction's ACKs take all of its link */
            possible_bps[way] = 0;
    }
}

void judge_path_possible(const struct judge_facts *s, const double *otherwise, const double *open, size_t n,
                         double *possible_bps)
{
    MEMORY_LOCAL struct path_draw *draw = memory_zeroed(n, sizeof *draw, "a diagnosis");
    MEMORY_LOCAL double *room = memory_zeroed(3 * n, sizeof *room, "a diagnosis");
    double wait = 0, tick = 0, *capacity_bps[2] = {room, room + n}, *limit = room + 2 * n;
    const struct path_facts p = path_facts_of(s);
    for (size_t k = 0; k < n; k++) {
        const double *one = open + k * JUDGE_OPENS;
        wait = fmax(wait, one[JUDGE_OPEN_WAIT]);
        tick = fmax(tick, one[JUDGE_OPEN_TICK]);
        limit[k] = one[JUDGE_OPEN_LIMIT];
        for (int way = 0; way < 2; way++)
            capacity_bps[way][k] = path_capacity_bps(s, way == 0, one);
    }
    for (size_t i = 0; i < s->n; i++) {
        const struct judge_flow *f = &s->flow[i];
        const bool still = path_still(&p, f, wait, tick), shows = isfinite(judge_flow_trip_s(f));
        /* What else holds it than its window holds it, but for who waits for answers. */
        const bool answers = !isnan(f->clocked) && !judge_limit_reads(f);
        const size_t held = still ? n : answers ? 0 : estimate_below(limit, n, otherwise[i]);
        for (size_t k = held; k < n; k++) {
            const double *one = open + k * JUDGE_OPENS, vanishes = one[JUDGE_OPEN_VANISHES];
            double ack_s = path_ack_wait_s(&p, f, capacity_bps[f->incoming][k], one);
            struct path_want *want = &draw[k].way[!f->incoming];
            if (!(ack_s > 0) && (shows || !path_may_wait(&p, f, one)))
                continue;
            const double wanted_bps = path_wanted_bps(&p, f, otherwise[i], ack_s, vanishes, one);
            const bool trips = shows && one[JUDGE_OPEN_LIMIT] >= otherwise[i]; /* set its rate, less what vanishes of them */
            want->wanted_bps += wanted_bps - f->rate_bps;
            const double most_bps = trips ? path_wanted_bps(&p, f, otherwise[i], ack_s, 1 - JUDGE_PATH_GATHERED, one) : wanted_bps;
            want->most_bps += most_bps - f->rate_bps;
        }
    }
    for (size_t k = 0; k < n; k++)
        path_bound(s, (double[]){capacity_bps[0][k], capacity_bps[1][k]}, &draw[k], open + k * JUDGE_OPENS, possible_bps + 2 * k);
}
