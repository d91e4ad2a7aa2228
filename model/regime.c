/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/regime.h"

#include "model/window/window.h"

#define ETHERNET_WIRE_BYTES 38   /* header, FCS, preamble, gap */
#define ETHERNET_BUFFER_BYTES 18 /* header, FCS */
#define ROUNDING 1e-9
#define ACKS_STOPPED 1.5 /* of a stop: the port runs over xoff until all have heard of it */
#define NEARLY_FULL 0.85 /* of a link whose host everybody's PAUSE stops too */
#define SMALL_SLACK 2.5  /* of what small queues let stand, at most, while PAUSE holds frames back */
#define LONG_S 0.15 /* of windows; the least retransmission timeout is 200 ms */

/* The two classes of flows, and the queue that each one's data wait in: the port's and the NIC's. */
enum class { IN, OUT, CLASSES };

struct law {
    double capacity, s, a;
    double d[CLASSES];   /* round trip through empty queues */
    double w[CLASSES];   /* all windows, bits */
    bool waits[CLASSES]; /* its ACKs wait in the other one's queue */
    double x[CLASSES];   /* goodput of all flows */
    double q[CLASSES];
    bool split;          /* only the sum of q is determined: each may be all of it */
};

/* Bytes of a full frame: in a buffer, per byte of payload there, and on the wire. */
struct frame {
    double bytes, framing, wire;
};

const struct model_regime_row model_regime_rows[MODEL_REGIMES] = {
    [MODEL_REGIME_EQ6] = {"eq6", "E", "eq6: B / max(in, out), the asymmetry"},
    [MODEL_REGIME_WINDOW] = {"window", "W", "window law"},
    [MODEL_REGIME_EQ5] = {"eq5", "F", "eq5: fairness, full duplex works"},
    [MODEL_REGIME_LOSS] = {"loss", "L", "losses decide"},
    [MODEL_REGIME_NONE] = {"none", "N", "no rule"},
    [MODEL_REGIME_UNSATURATED] = {"unsaturated", "U", "unsaturated"},
    [MODEL_REGIME_UNKNOWN] = {"unknown", "?", "no closed form"},
};

const char *model_regime_name(enum model_regime regime)
{
    return model_regime_rows[regime].name;
}

static struct frame frame_of(const struct model_link *link)
{
    double packet = link->segment_bytes + link->header_bytes;
    return (struct frame){packet + ETHERNET_BUFFER_BYTES, (packet + ETHERNET_BUFFER_BYTES) / link->segment_bytes,
                          packet + ETHERNET_WIRE_BYTES};
}

double model_regime_round_trip_s(const struct model_regime_setup *s)
{
    double ack = s->link.header_bytes + ETHERNET_WIRE_BYTES;
    return 4 * s->delay_s + ((s->link.segments_per_ack + 1) * frame_of(&s->link).wire + 2 * ack) * 8 / s->link.rate_bps;
}

static double busy(const struct law *l, enum class i) /* the link that carries i's data, as a share of what it can */
{
    return (l->s * l->x[i] + l->a * l->x[!i]) / l->capacity;
}

static bool fits(const struct law *l)
{
    return l->q[IN] >= 0 && l->q[OUT] >= 0 && l->x[IN] > 0 && l->x[OUT] > 0 && busy(l, IN) <= 1 + ROUNDING &&
           busy(l, OUT) <= 1 + ROUNDING;
}

static bool neither(struct law *l)
{
    for (int i = 0; i < CLASSES; i++) {
        l->x[i] = l->w[i] / l->d[i];
        l->q[i] = 0;
    }
    return fits(l);
}

/* The wait q in i's queue alone, if ACKs of the others wait there too:
 *   s w_i / (d_i + q) + a w_j / (d_j + q) = C, a quadratic equation */
static double alone_wait_s(const struct law *l, enum class i)
{
    double own = l->s * l->w[i] / l->capacity, others = l->a * l->w[!i] / l->capacity;
    double half = (l->d[i] + l->d[!i] - own - others) / 2;
    return sqrt(fmax(half * half - l->d[i] * l->d[!i] + own * l->d[!i] + others * l->d[i], 0)) - half;
}

static bool alone(struct law *l, enum class i)
{
    double q = alone_wait_s(l, i);
    l->x[!i] = l->w[!i] / (l->d[!i] + (l->waits[!i] ? q : 0));
    l->x[i] = (l->capacity - l->a * l->x[!i]) / l->s;
    l->q[i] = l->w[i] / l->x[i] - l->d[i];
    l->q[!i] = 0;
    return fits(l);
}

static bool both(struct law *l)
{
    double queued[CLASSES];
    for (int i = 0; i < CLASSES; i++) {
        l->x[i] = l->capacity / (l->s + l->a);
        queued[i] = l->w[i] / l->x[i] - l->d[i];
    }
    for (int i = 0; i < CLASSES; i++)
        l->q[i] = queued[i] - (l->waits[i] ? queued[!i] : 0);
    return fits(l);
}

/* Two FIFOs that both fill up leave the first case that fits, with all of the wait in the port. */
static void solve(struct law *l)
{
    if (!neither(l) && !alone(l, IN) && !alone(l, OUT))
        both(l);
    l->split = l->waits[IN] && l->waits[OUT] && l->q[IN] > 0 && fabs(l->w[IN] / l->w[OUT] - 1) <= ROUNDING;
}

/* The senders keep no more than that in the NIC, and the rest of their windows to themselves. */
static void bind_small_queues(struct law *l, double most_s)
{
    double least = l->d[IN] + (l->waits[IN] ? most_s : 0);
    if (most_s >= l->q[OUT])
        return;
    l->split = false;
    l->q[OUT] = most_s;
    l->q[IN] = 0;
    l->x[IN] = l->w[IN] / least;
    l->x[OUT] = (l->capacity - l->a * l->x[IN]) / l->s;
    if (busy(l, IN) <= 1)
        return;
    l->x[IN] = l->x[OUT] = l->capacity / (l->s + l->a);
    l->q[IN] = l->w[IN] / l->x[IN] - least;
}

/* As analysis/rules/check.h: best B by relative errors, and both rates within the tolerance of it. */
static bool holds(const struct model_regime_setup *s, const struct law *l, double share_in, double share_out,
                  double tolerance)
{
    double in = l->x[IN] / s->incoming / share_in, out = l->x[OUT] / s->outgoing / share_out;
    double b = (s->incoming * in * in + s->outgoing * out * out) / (s->incoming * in + s->outgoing * out);
    return fabs(in / b - 1) <= tolerance && fabs(out / b - 1) <= tolerance;
}

static enum model_regime regime_of(const struct model_regime_setup *s, const struct law *l, double tolerance)
{
    if (busy(l, IN) < MODEL_REGIME_SATURATED && busy(l, OUT) < MODEL_REGIME_SATURATED)
        return MODEL_REGIME_UNSATURATED;
    if (holds(s, l, 1, 1, tolerance))
        return MODEL_REGIME_EQ6;
    if (holds(s, l, s->incoming_window_bytes, s->outgoing_window_bytes, tolerance))
        return MODEL_REGIME_WINDOW;
    if (holds(s, l, 1.0 / s->incoming, 1.0 / s->outgoing, tolerance))
        return MODEL_REGIME_EQ5;
    return MODEL_REGIME_NONE;
}

/* PAUSE acts, and the port's queue takes `q` seconds. `late_s`: how much longer than others X is stopped in a cycle;
 * `stopped_s`: what a stop makes data wait in their own NIC. */
static void paused(const struct model_regime_setup *s, struct law *l, double q, double late_s, double stopped_s,
                   double small_queue_bits)
{
    double n = s->incoming, cycle_s = stopped_s * n / (n - 1), stop_s = late_s > 0 ? stopped_s : 0;
    double most = l->w[OUT] / (l->d[OUT] + (l->waits[OUT] ? q : 0));
    l->x[IN] = l->x[OUT] = 0;
    for (int i = 0; i < 10; i++) { /* the share of ACKs in each other's direction, a/s = 0.03 of it, settles at once */
        l->x[IN] = (l->capacity - l->a * l->x[OUT]) / l->s;
        double room = (l->capacity - l->a * l->x[IN]) / l->s;
        double least = fmax((l->s * l->x[IN] / n - l->capacity * late_s / cycle_s - l->a * l->x[IN]) / l->s, 0);
        double t = l->w[IN] / l->x[IN], held = t - l->d[IN] - q; /* what ACKs would have to wait in X's own NIC */
        double by_window = l->w[OUT] / fmax(t - stop_s - (l->waits[OUT] ? 0 : q), l->d[OUT]);
        bool small = s->small_queue_bytes > 0 && held * by_window > small_queue_bits;
        if (s->pause == MODEL_REGIME_PAUSE_EVERYBODY)
            room = fmin(room, l->waits[IN] && held > 0 && !small ? fmax(least, by_window) : least);
        l->x[OUT] = fmin(most, room);
    }
}

/* Why no form of PAUSE holds, with the regime that it would give; NULL: it does. The regime is worked out for the least
 * and the most that stands in the port, and X stopped late; with senders stopped, also for ACKs to X that are stopped
 * too; with everybody stopped and small queues, for ones that hardly bind while the port runs empty. */
static const char *pause_regime(const struct model_regime_setup *s, struct law *l, double small_queue_bits,
                                double tolerance, enum model_regime *regime)
{
    enum { BOUNDED, DEEP, BETWEEN, SHALLOW, ENDS }; /* the last one's rates stay */
    double byte_s = 8 / l->capacity, d = l->d[OUT], n = s->incoming, frame = frame_of(&s->link).bytes;
    double stopped_s = (s->xoff_bytes - s->xon_bytes) * byte_s + n * 2 * s->delay_s;
    bool senders = s->pause == MODEL_REGIME_PAUSE_SENDERS;
    enum model_regime end[ENDS];
    const struct {
        double port_bytes, late_s, ack_s, small_bits;
    } at[ENDS] = {
        [BOUNDED] = {senders || !(s->small_queue_bytes > 0) ? s->xon_bytes : 0, 0,
                     senders ? ACKS_STOPPED * stopped_s : 0, (senders ? 1 : SMALL_SLACK) * small_queue_bits},
        [DEEP] = {s->port_limit_bytes, frame_of(&s->link).wire * byte_s, 0, small_queue_bits},
        [BETWEEN] = {s->xoff_bytes, 0, 0, small_queue_bits},
        [SHALLOW] = {s->xon_bytes, 0, 0, small_queue_bits},
    };
    for (int i = 0; i < ENDS; i++) {
        l->d[OUT] = d + at[i].ack_s;
        paused(s, l, at[i].port_bytes * byte_s, at[i].late_s, stopped_s, at[i].small_bits);
        l->d[OUT] = d;
        end[i] = regime_of(s, l, tolerance);
    }
    *regime = end[SHALLOW];
    if (l->s * fmax(l->w[IN], l->w[OUT]) / l->capacity > LONG_S)
        return "round trips are so long that retransmission timers may fire";
    if (s->xon_bytes < 2 * s->delay_s / byte_s + frame)
        return "the port runs empty before senders hear that they may go on";
    if (!senders && busy(l, OUT) > NEARLY_FULL && *regime != MODEL_REGIME_EQ6)
        return "PAUSE stops a host whose own link is nearly full";
    if (*regime != end[DEEP] || *regime != end[BETWEEN])
        return "PAUSE moves the port between depths with a regime each, or costs the host a frame more";
    if (*regime != end[BOUNDED])
        return senders ? "PAUSE may stop the ACKs of outgoing flows too" : "small queues may bind under PAUSE or not";
    if (senders && (n - 1) * (n - 1) / n * frame / (s->xoff_bytes - s->xon_bytes) > tolerance)
        return "PAUSE stops the senders a few frames apart, and some get a frame more in each cycle";
    return NULL;
}

/* Worst cases of what frames add to a fluid: groups of k that arrive together, and the turn of an ACK that passes data;
 * a last group that is not whole, and counts all the same. False: one of them has another regime. */
static bool bursts_agree(const struct model_regime_setup *s, const struct law *fluid, double small_s,
                         enum model_regime regime, double tolerance)
{
    double frame_s = frame_of(&s->link).wire * 8 / fluid->capacity, k = s->link.segments_per_ack;
    const double flows[CLASSES] = {s->incoming, s->outgoing};
    const double windows[CLASSES] = {s->incoming_window_bytes, s->outgoing_window_bytes};
    const enum model_regime_acks acks[CLASSES] = {s->nic_acks, s->port_acks}; /* where i's own pass */
    struct law l = *fluid;
    for (int i = 0; i < CLASSES; i++) {
        double turn = acks[i] == MODEL_REGIME_ACKS_WAIT   ? k * flows[!i]
                      : acks[i] == MODEL_REGIME_ACKS_TURN ? flows[!i]
                                                          : 1;
        l.d[i] += (k * (flows[i] - 1) + turn) * frame_s;
    }
    solve(&l);
    bind_small_queues(&l, small_s);
    bool agree = regime_of(s, &l, tolerance) == regime;
    l = *fluid;
    for (int i = 0; i < CLASSES; i++) {
        l.w[i] = 8 * flows[i] * windows[i];
        l.d[i] = model_regime_round_trip_s(s);
    }
    solve(&l);
    bind_small_queues(&l, small_s);
    return agree && regime_of(s, &l, tolerance) == regime;
}

static enum model_regime fluid_regime(const struct model_regime_setup *s, const struct law *l, double small_queue_bits,
                                      double tolerance, const char **why)
{
    enum model_regime regime = regime_of(s, l, tolerance);
    if (!bursts_agree(s, l, small_queue_bits / l->capacity, regime, tolerance))
        *why = "a burst, or a segment of the window, more or less decides";
    return regime;
}

/* The regime with PAUSE, where r->regime is the one without it and r->why its doubt. Replaces r->why, and *l where
 * PAUSE acts. */
static enum model_regime apply_pause(const struct model_regime_setup *s, struct law *l, double small_queue_bits,
                                     double tolerance, struct model_regime_answer *r)
{
    double above = r->port_need_bytes - s->xoff_bytes;
    double burst = s->link.segments_per_ack * s->incoming * frame_of(&s->link).bytes;
    enum model_regime without = r->regime, with;
    const char *without_why = r->why;
    struct law acts = *l;
    if (above < -burst)
        return without;
    r->why = pause_regime(s, &acts, small_queue_bits, tolerance, &with);
    if (above < burst && (r->why || without_why || with != without))
        r->why = "a burst decides whether PAUSE acts";
    else if (!r->why && with != without && above < s->xoff_bytes - s->xon_bytes)
        r->why = "little more than xoff would stand in the port: PAUSE acts part of the time";
    if (above <= 0)
        return without;
    *l = acts;
    return with;
}

static bool valid(const struct model_regime_setup *s)
{
    const struct model_link *link = &s->link;
    double segment = link->segment_bytes;
    return s->incoming > 0 && s->outgoing > 0 && link->rate_bps > 0 && isfinite(link->rate_bps) && segment > 0 &&
           link->header_bytes >= 0 && link->segments_per_ack >= 1 && s->delay_s >= 0 && isfinite(s->delay_s) &&
           s->incoming_window_bytes >= segment && isfinite(s->incoming_window_bytes) &&
           s->outgoing_window_bytes >= segment && isfinite(s->outgoing_window_bytes) && s->nic_limit_bytes > 0 &&
           s->port_limit_bytes > 0 && s->small_queue_bytes >= 0 &&
           (s->pause == MODEL_REGIME_PAUSE_OFF ||
            (s->xoff_bytes > 0 && s->xon_bytes >= 0 && isfinite(s->port_limit_bytes)));
}

/* Bytes of frames that stand in the queue of i's data when it takes `wait_s` to pass. */
static double standing_bytes(const struct law *l, const struct model_link *link, enum class i, double wait_s)
{
    double ack = link->header_bytes + ETHERNET_BUFFER_BYTES;
    double acks = l->waits[!i] ? l->x[!i] * ack / (link->segments_per_ack * link->segment_bytes) : 0;
    return wait_s * (l->x[i] * frame_of(link).framing + acks) / 8;
}

/* Buffers against what stands in them: MODEL_REGIME_LOSS, MODEL_REGIME_UNKNOWN and why, or EQ6 for `all fits`. */
static enum model_regime overflow(const struct model_regime_setup *s, const struct law *l,
                                  struct model_regime_answer *r)
{
    struct frame f = frame_of(&s->link);
    double all = l->q[IN] + l->q[OUT], k = s->link.segments_per_ack;
    double small = s->small_queue_bytes > 0 ? s->small_queue_bytes + f.bytes : (double)INFINITY;
    double in_start = fmin(s->incoming_window_bytes * f.framing, small);
    double nic_start = fmax(in_start, s->outgoing * fmin(s->outgoing_window_bytes * f.framing, small));
    double port_start = (s->incoming - 1) * s->incoming_window_bytes * f.framing;
    bool pause = s->pause != MODEL_REGIME_PAUSE_OFF;
    double port_limit = pause ? (double)INFINITY : s->port_limit_bytes;
    r->port_need_bytes = standing_bytes(l, &s->link, IN, l->split ? all : l->q[IN]);
    r->nic_need_bytes = standing_bytes(l, &s->link, OUT, l->split ? all : l->q[OUT]);
    r->margin_bytes = fmin(s->nic_limit_bytes - r->nic_need_bytes,
                           (pause ? s->xoff_bytes : s->port_limit_bytes) - r->port_need_bytes);
    if (r->nic_need_bytes > s->nic_limit_bytes || r->port_need_bytes > port_limit) {
        if (!l->split || r->port_need_bytes > port_limit + s->nic_limit_bytes)
            return MODEL_REGIME_LOSS;
        r->why = "only the sum of both queues is determined, and one of them cannot hold it";
    } else if (nic_start > s->nic_limit_bytes || port_start > port_limit) {
        r->why = "the start alone overflows a queue that holds what stands later";
    } else if (r->port_need_bytes + k * s->incoming * f.bytes > port_limit ||
               r->nic_need_bytes + k * s->outgoing * f.bytes > s->nic_limit_bytes) {
        r->why = "what stands in a queue leaves no room for a burst";
    } else if (s->pause == MODEL_REGIME_PAUSE_EVERYBODY && l->waits[IN] && l->waits[OUT] && l->w[IN] < l->w[OUT] &&
               port_start > s->xoff_bytes) {
        r->why = "the start alone makes PAUSE act, which may last where the host's own queue is the longer one";
    } else if (pause && l->split && r->port_need_bytes > s->xoff_bytes) {
        r->why = "only the sum of both queues is determined: PAUSE may act or not";
    }
    return r->why ? MODEL_REGIME_UNKNOWN : MODEL_REGIME_EQ6;
}

static double whole_segments(double window_bytes, double segment_bytes)
{
    return floor(window_bytes / segment_bytes) * segment_bytes;
}

bool model_regime(const struct model_regime_setup *setup, double tolerance, struct model_regime_answer *answer)
{
    struct model_regime_setup s = *setup;
    if (!valid(&s))
        return false;
    struct frame f = frame_of(&s.link);
    s.incoming_window_bytes = whole_segments(s.incoming_window_bytes, s.link.segment_bytes);
    s.outgoing_window_bytes = whole_segments(s.outgoing_window_bytes, s.link.segment_bytes);
    double d = model_regime_round_trip_s(&s), frame_s = f.wire * 8 / s.link.rate_bps, k = s.link.segments_per_ack;
    struct model_window_flight in = model_window_flight(s.incoming_window_bytes, s.link.segment_bytes, k);
    struct model_window_flight out = model_window_flight(s.outgoing_window_bytes, s.link.segment_bytes, k);
    struct law l = {
        .capacity = s.link.rate_bps,
        .s = f.wire / s.link.segment_bytes,
        .a = (s.link.header_bytes + ETHERNET_WIRE_BYTES) / (k * s.link.segment_bytes),
        .d = {d - (k - 1 - in.mates) * frame_s, d - (k - 1 - out.mates) * frame_s},
        .w = {8 * s.incoming * in.bytes, 8 * s.outgoing * out.bytes},
        .waits = {s.nic_acks == MODEL_REGIME_ACKS_WAIT, s.port_acks == MODEL_REGIME_ACKS_WAIT},
    };
    double small_bits = s.small_queue_bytes > 0 ? 8 * s.outgoing * (s.small_queue_bytes + f.bytes) : (double)INFINITY;
    solve(&l);
    bind_small_queues(&l, small_bits / l.capacity);
    struct model_regime_answer r = {.in_bps = NAN, .out_bps = NAN, .nic_s = l.q[OUT], .port_s = l.q[IN]};
    r.regime = overflow(&s, &l, &r);
    bool timer = in.waits_timer || out.waits_timer, fit = !timer && r.regime == MODEL_REGIME_EQ6;
    if (timer) {
        r.regime = MODEL_REGIME_UNKNOWN;
        r.why = "a window is shorter than an ACK waits for, and the delayed ACK timer decides";
    } else if (fit) {
        r.regime = fluid_regime(&s, &l, small_bits, tolerance, &r.why);
        if (s.pause != MODEL_REGIME_PAUSE_OFF)
            r.regime = apply_pause(&s, &l, small_bits, tolerance, &r);
        if (r.why)
            r.regime = MODEL_REGIME_UNKNOWN;
    }
    if (fit) {
        r.in_bps = l.x[IN] / s.incoming;
        r.out_bps = l.x[OUT] / s.outgoing;
    }
    *answer = r;
    return true;
}
