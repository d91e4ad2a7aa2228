/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge/trial.h - what a path carried one way at a time, both ways at once, and both ways at a pace that leaves queues
 * empty: facts of an experiment, which are stronger than those of a capture, and what follows from them.
 *
 *   possible  what a direction carries alone, less the other's ACKs where it fills its link
 *   lost      1 - carried / possible
 *
 * What is lost is normal about its estimate, and is that with or without room for ACKs (`least`), either as likely. Of a
 * direction whose ACKs wait w of its round trip T, waits cost no more than
 *
 *   x ((T / (T - w))^2 - 1)
 *
 * as without them a window comes round T / (T - w) times as often, and one that grows with each round trip is so many
 * times larger, too; unless the waits are wrong. What is lost may be lost to them or to something else: the
 * probability of that follows from three marks (judge_trial_accuses()), and
 *
 *   P(yes) = max over directions of P(lost to waits) P(enough for a yes is lost, and no more than waits can cost)
 *
 * The numbers are in judge/noise.c. Pure. */
#pragma once

#include "base/estimate.h"
#include "judge/diagnosis.h"

/* How long a full frame takes where a direction carries so much goodput. */
double judge_trial_frame_s(double goodput_bps);

/* One direction. Rates are goodput in bit/s, of all its flows; NAN: not known, 0 of a pace: not tried. */
struct judge_trial_way {
    double alone_bps, possible_bps;
    struct estimate lost;  /* value and ci95 */
    struct estimate least; /* the same as if the other's ACKs took their share, full or not: one whose window just fills
                            * its link waits nowhere, and has no room for them either */
    bool full;             /* alone it fills its link */
    double growth;         /* alone: of the second half of what is judged over the first, less 1 */
    double catches_up;     /* the same ratio with both at once over that alone: beyond 1 less is lost later */
    double pace_bps, paced_bps; /* asked for while both are paced; carried */
    double again, alone_again, paced_again; /* share of segments sent again: with both, alone, paced */
    double window_bytes, alone_window_bytes; /* congestion windows */
    double acks_bps;       /* on the wire: ACKs that go this way when the other direction is alone */
    /* What goes this way waits with both at once, the median and what nine of ten do not exceed; and while only the other
     * direction has data, whose ACKs go this way. */
    double wait_s, most_wait_s, back_wait_s;
};

struct judge_trial {
    struct judge_trial_way in, out;
    struct estimate lost, least; /* of both together */
    struct estimate order;  /* how much more of what is possible who begins first carries */
    double transfer_s;      /* how long transfers of both at once last; 0 unknown */
    bool words;             /* waits are those of words sent besides; else guessed by round trips */
};

/* Is what a direction loses lost to waits of its ACKs? It is where all of three are so. (1) Connections that still
 * change would lose a tenth of what is possible all the same were they to change on as from half to half for as long
 * again. (2) The path is able to carry more: paced, both carry what they are asked for; or this one has half of its loss back, and the other what it is asked for or both together half of theirs. (3) With
 * the window that it has the waits cost enough for a yes, or half of what is lost; or they are why its window is small,
 * which a slow start that looks at delays (HyStart, Ha and Rhee 2011) ends as ACKs begin to wait, which grows by the
 * round trip, and is cut as ACKs that waited come in bunches, and call for bursts of data. And what goes the ACKs' way
 * waits less than half as long with this direction alone: it is the other one's data that it waits for. */
bool judge_trial_accuses(const struct judge_facts *s, bool incoming);

/* Do both directions share one medium, or one processor: paced, with more asked for than either brings alone, do they bring
 * just that together, and at once no more? No where one asks for so little that its share would not show in that. */
bool judge_trial_shares(const struct judge_facts *s);

/* Answer, probability, what is possible and lost; neither cause nor words. */
void judge_trial_decide(const struct judge_facts *s, struct judge_diagnosis *d);

/* What an open answer lacks, into d->why. */
void judge_trial_open(const struct judge_facts *s, struct judge_diagnosis *d);

/* Of a yes that depends on who began first: that it is one for transfers of that length. */
void judge_trial_transfers(const struct judge_facts *s, struct judge_diagnosis *d);
