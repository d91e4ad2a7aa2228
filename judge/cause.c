/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge/cause.h"

#include <stddef.h>

#define CAUSE(NAME, name, meaning, GAINS, what, what_if, ...)                                                         \
    [JUDGE_CAUSE_##NAME] = {name, meaning, JUDGE_GAINS_##GAINS, {what, what_if, {__VA_ARGS__}}},
static const struct judge_cause_row causes[] = {JUDGE_CAUSE_ROWS(CAUSE)};

#define WORDS_OF(number) #number
#define WORDS(number) WORDS_OF(number)
/* draft-ietf-quic-ack-frequency */
#define FEWER_ACKS                                                                                                    \
    "in the senders' QUIC: ask for one ACK of " WORDS(JUDGE_CAUSE_FEWER_ACKS) " packets (ACK_FREQUENCY), which wins " \
    "another FEWER"

/* Where it is not the same as TCP's. */
static const struct judge_advice quic_advice[JUDGE_CAUSES] = {
    [JUDGE_CAUSE_UNKNOWN] =
        {"what the ends themselves know: a qlog of QUIC's", NULL,
         {{JUDGE_REMEDY_ANY, "contraflow measure  # what TCP of its own gets there, with what waits"}}},
    [JUDGE_CAUSE_ACKS] =
        {"serve flows by turns in WHERE", "--what-if fair",
         {{JUDGE_REMEDY_IN, "on a Linux router or bridge there: tc qdisc replace dev DEV root fq_codel"},
          {JUDGE_REMEDY_OUT, "on HOST: tc qdisc replace dev DEV root fq_codel"},
          {JUDGE_REMEDY_OUT, "on HOST, when the queue is in a slower device after it: tc qdisc replace dev DEV root "
                             "cake bandwidth RATE"},
          {JUDGE_REMEDY_ANY, FEWER_ACKS}}},
    [JUDGE_CAUSE_THIN_ACKS] =
        {"shape the slow direction to RATE, a little below its own, and serve flows by turns there", "--what-if fair",
         {{JUDGE_REMEDY_ANY, "where the slow line begins: tc qdisc replace dev DEV root cake bandwidth RATE"},
          {JUDGE_REMEDY_ANY, FEWER_ACKS}}},
    [JUDGE_CAUSE_HIDDEN] =
        {"serve flows by turns where the line that all share begins", NULL,
         {{JUDGE_REMEDY_ANY, "on the Linux router there: tc qdisc replace dev DEV root cake bandwidth N  # a little less than "
                             "the line has"},
          {JUDGE_REMEDY_ANY, FEWER_ACKS}}},
    [JUDGE_CAUSE_THIN_PATH] =
        {"let receivers send fewer ACKs", NULL,
         {{JUDGE_REMEDY_ANY, FEWER_ACKS}}},
    [JUDGE_CAUSE_LOSSES] =
        {"give the queues that overflow more room", NULL,
         {{JUDGE_REMEDY_ANY, "on a switch: more of the shared buffer for the ports that drop"},
          {JUDGE_REMEDY_ANY, "to see who drops: tc -s qdisc show dev DEV; ethtool -S DEV | grep -i -e drop -e "
                             "discard"}}},
    [JUDGE_CAUSE_APPLICATION] =
        {"nothing in the network: the senders have to offer more", NULL,
         {{JUDGE_REMEDY_ANY, "of the senders: a qlog"}}},
    [JUDGE_CAUSE_RECEIVER] =
        {"nothing in the network: the readers have to be faster", NULL,
         {{JUDGE_REMEDY_ANY, "of the receivers: a qlog"}}},
    [JUDGE_CAUSE_WINDOW] =
        {"let QUIC have larger windows", NULL,
         {{JUDGE_REMEDY_ANY, "in the receivers' QUIC: more initial_max_data and initial_max_stream_data"}}},
    [JUDGE_CAUSE_SEND_BUFFER] =
        {"let QUIC have larger send buffers", NULL,
         {{JUDGE_REMEDY_ANY, "in the applications that send: hand QUIC more data at once"}}},
};

const struct judge_cause_row *judge_cause(enum judge_cause cause)
{
    return &causes[cause];
}

const struct judge_advice *judge_cause_advice(enum judge_cause cause, bool quic)
{
    return quic && quic_advice[cause].what ? &quic_advice[cause] : &causes[cause].advice;
}
