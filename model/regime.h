/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/regime.h - which rule the flows of one shared host obey, in closed form, and how far off the next regime is.
 *
 * Host X on a star has n_in flows in and n_out out, each with a host of its own at the far end, warm and endless. Two
 * queues matter: X's NIC (wait q_up: data out, ACKs of what comes in) and the switch port towards X (q_down: data in,
 * ACKs of what goes out). With the windows W of each direction's flows, w_in = n_in W_in and w_out = n_out W_out,
 *
 *   X_in  = 8 w_in  / T_in,     T_in  = d + q_down + [ACKs wait in the NIC]  q_up
 *   X_out = 8 w_out / T_out,    T_out = d + q_up   + [ACKs wait in the port] q_down
 *   s X_in + a X_out <= C with q_down > 0 only at equality;  s X_out + a X_in <= C, at equality alone with q_up
 *
 * (s, a: wire bytes of data and of ACKs per byte of payload, as in model/degree.h). ACKs wait in a FIFO; they do not
 * where they are served first, or where each flow has a turn. It is the window law (model/window/window.h) of two classes, so
 * one of four cases holds, each with a formula:
 *
 *   neither queue   T = d: windows too small to fill the link: `unsaturated`
 *   port alone      FIFO: T_in = T_out = 8 (s w_in + a w_out) / C, rates as the windows: `window`, `eq6` where equal.
 *                   ACKs pass: X_out = 8 w_out / d, X_in = (C - a X_out) / s
 *   NIC alone       the mirror image
 *   both            X_in = X_out = C / (s + a), full duplex: `eq5`. Two FIFOs have this only where w_in = w_out, and
 *                   then only q_up + q_down is determined
 *
 * TCP Small Queues bound q_up by what the senders may keep in the NIC, 8 n_out (cap + a frame) / C. Where that binds,
 * the NIC is busy, and X_in = 8 w_in / (d + [..] q_up) unless the port fills up as well: then full duplex.
 *
 * Nothing is lost as long as what stands in the queues fits, in bytes of frames without preamble and gap,
 *   port: q_down (X_in  f / segment + [..] X_out f_ack / (k segment)) / 8        f = segment + header + 18, f_ack
 *   NIC:  q_up   (X_out f / segment + [..] X_in  f_ack / (k segment)) / 8        = header + 18, k segments an ACK
 * for one FIFO all windows less what the empty path holds. Less room: losses come back as often as windows do: `loss`.
 * Warm senders start with all of their windows at once: the NICs must hold n_out W_out (or the cap of small queues)
 * and W_in, the port (n_in - 1) W_in, since it drains while n_in arrive. Where that is more than what stands later and
 * does not fit, the start alone loses; windows then grow back, when is another question: `unknown`.
 *
 * Frames are no fluid. An ACK lets k segments go at once, and those of all flows may meet: a queue may hold n k frames
 * more (measured: up to three), and where none stands a round trip may take so much longer, and an ACK that passes data
 * still waits for the frame in the transmitter, or for one of each flow. W counts as model_window_flight() has it
 * (whole groups of k segments go round), and as all of its whole segments. The regime is worked out for these ends too,
 * and where one differs it is `unknown`: the boundary is that wide. So it is with a window of less than k segments,
 * which waits for the delayed ACK timer.
 *
 * PAUSE loses nothing. It acts where more than xoff would stand in the port; then q_down stays between xon and the
 * buffer, the rest of w_in waits elsewhere:
 *   senders    only who sends into the port stops, and how these share it is their chance. X goes on:
 *              X_out = min(C / (s + a), 8 w_out / (d + [ACKs wait] q_down))
 *   everybody  X sends only while the others do, s X_in / (n_in C) of the time, and its ACKs are part of that:
 *              X_out = ((s / n_in - a) X_in - C late / cycle) / s. It hears `late`, by up to a frame's time, that it
 *              may go on: the switch says so when it has just begun the next frame towards X. A cycle takes
 *              n_in / (n_in - 1) times what the port needs from xoff to xon, and 2 n_in delay for PAUSE to be heard.
 *              More if w_out in X's own NIC holds the incoming flows' ACKs back (FIFO, no small queues), which is the
 *              window law over again: X_out = 8 w_out / T_in. Never more than 8 w_out / (d + [ACKs wait] q_down)
 * Equal windows: Eq. 6 both ways, within what ACKs and `late` cost. The answer is `unknown`
 *   - where q_down of xon, xoff or the buffer, or late or not, give different regimes
 *   - senders: where X_out at d + 1.5 stops has another, since the switch may stop the ACKs of outgoing flows too
 *   - senders: where (n_in - 1)^2 / n_in frames are more than the tolerance of xoff - xon: each sender gets
 *     (xoff - xon) / (n_in - 1) in a cycle, and who is stopped last a frame more
 *   - everybody: with small queues, where 2.5 times their cap and an empty port give another; where X's own link is
 *     over 85 % busy and the regime not Eq. 6; where a start of (n_in - 1) W_in above xoff makes PAUSE act, two FIFOs
 *     make ACKs wait, and w_out > w_in, since it may then go on
 *   - where xon is less than 2 delay C / 8 and a frame: the port runs empty before senders hear
 *   - where what would stand is within a burst, k n_in frames, of xoff, or less than xoff - xon above it, and PAUSE
 *     makes another regime than none: it acts part of the time
 *   - where s w / C of a direction is over 150 ms: retransmission timers may fire
 * The bounds 1.5, 2.5, 85 % and 150 ms are from measurements at 800 random points at 100 Mb/s, 2 to 5 flows in, 1 to 3
 * out, windows of 3 to 500 kB, buffers of 40 kB to 2.5 MB, delays of 1 to 500 us.
 *
 * The round trip d through empty queues is that of a group of k segments, one ACK, over two cables a way:
 *   d = 4 delay + ((k + 1) (segment + header + 38) + 2 (header + 38)) 8 / C
 * and a frame's time less for each segment that is at the receiver already (model_window_flight()).
 * Congestion control does not enter: without losses a warm window stays at its buffer. Fluid: no bursts but the first.
 * After the project's own measurements; sources of the rules as in model/degree.h. */
#pragma once

#include "model/degree.h"

#define MODEL_REGIME_SATURATED 0.9 /* of the goodput a link can carry; below, it is not what bounds the flows */

enum model_regime {
    MODEL_REGIME_EQ6,
    MODEL_REGIME_WINDOW,
    MODEL_REGIME_EQ5,
    MODEL_REGIME_LOSS,
    MODEL_REGIME_NONE,        /* rates are known, and no rule has them */
    MODEL_REGIME_UNSATURATED,
    MODEL_REGIME_UNKNOWN,     /* no closed form, see why */
    MODEL_REGIMES,
};

/* A regime in words. A new one is its row, and the code that decides it: model/regime.c from a setup, analysis/rules/check.c
 * from rates. */
struct model_regime_row {
    const char *name;    /* "eq6": in tables, JSON and figures */
    const char *letter;  /* of a cell in a map */
    const char *meaning; /* a line for a legend */
};

extern const struct model_regime_row model_regime_rows[MODEL_REGIMES];

/* What an ACK in a queue waits for: all data before it (FIFO), the frame that is being sent (ACKs first), or a frame of
 * each flow (fair). */
enum model_regime_acks { MODEL_REGIME_ACKS_WAIT, MODEL_REGIME_ACKS_FIRST, MODEL_REGIME_ACKS_TURN };

enum model_regime_pause { MODEL_REGIME_PAUSE_OFF, MODEL_REGIME_PAUSE_SENDERS, MODEL_REGIME_PAUSE_EVERYBODY };

struct model_regime_setup {
    int incoming, outgoing;                              /* flows, at least one each */
    double incoming_window_bytes, outgoing_window_bytes; /* of each flow, payload */
    struct model_link link;
    double delay_s;                                      /* of a cable, one way */
    enum model_regime_acks nic_acks, port_acks;
    double nic_limit_bytes, port_limit_bytes; /* INFINITY: no bound */
    double small_queue_bytes;                 /* 0: none */
    enum model_regime_pause pause;
    double xoff_bytes, xon_bytes;
};

struct model_regime_answer {
    enum model_regime regime;
    double in_bps, out_bps;       /* goodput of each flow, as a fluid; NAN where the buffers may not hold */
    double nic_s, port_s;         /* q_up, q_down without a bound on buffers or PAUSE */
    double nic_need_bytes, port_need_bytes; /* what would stand in the queues */
    double margin_bytes;          /* least room beyond that; negative: so much short */
    const char *why;              /* of `unknown`; else NULL */
};

/* s = 1538 / 1448 and the like; round trip d above. */
double model_regime_round_trip_s(const struct model_regime_setup *s);

/* A window counts as its whole segments. Rules are told apart as analysis/rules/check.h does: one holds when both rates are
 * within `tolerance` of it for the best B. False, and *answer is untouched, when a count, size, rate or window (less
 * than a segment) is out of range. */
bool model_regime(const struct model_regime_setup *setup, double tolerance, struct model_regime_answer *answer);

const char *model_regime_name(enum model_regime regime);
