/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/logp.h - time of messages by LogP and LogGP: one, a train of small ones, a pattern.
 *
 * LogP: Culler, Karp, Patterson, Sahay, Schauser, Santos, Subramonian, von Eicken 1993, "LogP: towards a realistic
 * model of parallel computation". LogGP, with a gap per byte for long messages: Alexandrov, Ionescu, Schauser,
 * Scheiman 1995, "LogGP: incorporating long messages into the LogP model". P, the number of processors, is a
 * parameter of the pattern here.
 *
 * Functions return false with ERROR_INPUT, and answer nothing, when a parameter is out of its domain. */
#pragma once

#include "base/error.h"

/* All finite and >= 0; where one is not, the functions below return false and *err (ERROR_INPUT). */
struct model_logp {
    double latency_s;      /* L: network, from the last byte sent to the last byte received */
    double overhead_s;     /* o: processor time to send a message, and again to receive one */
    double gap_s;          /* g: least time between messages sent, or received, by one node */
    double gap_per_byte_s; /* G: least time between bytes of a long message; 0: plain LogP */
};

struct model_logp_message {
    int src, dst;   /* two different nodes, 0 .. nodes - 1 */
    double bytes;   /* k: finite and >= 1 */
    double start_s; /* not sent before; finite and >= 0 */
};

/* LogGP of n messages among `nodes` nodes. done_s[i], an array of n, becomes the time message i has been received.
 *
 *   sending     b_i = max(start_i, b_h + (k_h - 1) * G + max(g, o))   h: the message before i of the same source
 *   arrival     a_i = b_i + o + L                                    its first byte
 *   receiving   r_i = max(a_i, r_h + (k_h - 1) * G + max(g, o))       h: the message received before i at dst
 *   done_i      r_i + (k_i - 1) * G + o
 *
 * so that a node is busy o + (k - 1) * G with each message, and messages of one byte follow each other every max(g, o)
 * as in LogP: g is counted from the last byte of a message to the first of the next, and o runs within it.
 * A source sends its messages in the order of the array, waiting for the start of the first unsent one.
 * A destination receives in order of (arrival, source, index in the array): the answer is the same on every machine,
 * and does not depend on how the array mixes messages of different sources.
 *
 * Nodes are full duplex: sending and receiving do not hold each other up, though LogP has one processor do both; for
 * long messages (k * G much above o) that matters little. There is no contention inside the network, no limit of
 * ceil(L / g) messages under way, and no message waits for another to be received.
 * O(n log n + nodes) time. n = 0 answers nothing. ERROR_SYSTEM when memory runs out. */
bool model_logp_pattern(const struct model_logp *p, int nodes, const struct model_logp_message *messages, size_t n,
                        double *done_s, struct error *err);
