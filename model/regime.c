/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/regime.h"

#include <math.h>

#define ETHERNET_WIRE_BYTES 38   /* header, FCS, preamble, gap */
#define ETHERNET_BUFFER_BYTES 18 /* header, FCS */
#define ROUNDING 1e-9

/* The two classes of flows, and the queue that each one's data wait in: the port's and the NIC's. */
enum class { IN, OUT, CLASSES };

struct law {
    double d, capacity, s, a;
    double w[CLASSES];   /* all windows, bits */
    bool waits[CLASSES]; /* its ACKs wait in the other one's queue */
    double x[CLASSES];   /* goodput of all flows */
    double q[CLASSES];
    bool split;          /* only the sum of q is determined: each may be all of it */
};

const char *model_regime_name(enum model_regime regime)
{
    static const char *const names[MODEL_REGIMES] = {"eq6", "window", "eq5", "loss", "none", "unsaturated", "unknown"};
    return names[regime];
}

double model_regime_round_trip_s(const struct model_regime_setup *s)
{
    double data = s->link.segment_bytes + s->link.header_bytes + ETHERNET_WIRE_BYTES;
    double ack = s->link.header_bytes + ETHERNET_WIRE_BYTES;
    return 4 * s->delay_s + ((s->link.segments_per_ack + 1) * data + 2 * ack) * 8 / s->link.rate_bps;
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
        l->x[i] = l->w[i] / l->d;
        l->q[i] = 0;
    }
    return fits(l);
}

static bool alone(struct law *l, enum class i)
{
    double t = (l->s * l->w[i] + l->a * l->w[!i]) / l->capacity;
    l->x[!i] = l->w[!i] / (l->waits[!i] ? t : l->d);
    l->x[i] = (l->capacity - l->a * l->x[!i]) / l->s;
    l->q[i] = l->w[i] / l->x[i] - l->d;
    l->q[!i] = 0;
    return fits(l);
}

static bool both(struct law *l)
{
    double t[CLASSES];
    for (int i = 0; i < CLASSES; i++) {
        l->x[i] = l->capacity / (l->s + l->a);
        t[i] = l->w[i] / l->x[i];
    }
    for (int i = 0; i < CLASSES; i++)
        l->q[i] = t[i] - (l->waits[i] ? t[!i] : l->d);
    return fits(l);
}

/* Two FIFOs that both fill up leave the first case that fits with all of the wait in the port. */
static void solve(struct law *l)
{
    if (!neither(l) && !alone(l, IN) && !alone(l, OUT))
        both(l);
    l->split = l->waits[IN] && l->waits[OUT] && l->q[IN] > 0 && fabs(l->w[IN] / l->w[OUT] - 1) <= ROUNDING;
}

/* The senders keep no more than that in the NIC, and the rest of their windows to themselves. */
static void bind_small_queues(struct law *l, double most_s)
{
    double least = l->d + (l->waits[IN] ? most_s : 0);
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

/* Bytes of frames that stand in the queue of i's data while it takes `wait_s` to pass. */
static double standing_bytes(const struct law *l, const struct model_link *link, enum class i, double wait_s)
{
    double around = link->header_bytes + ETHERNET_BUFFER_BYTES;
    double data = l->x[i] * (link->segment_bytes + around) / link->segment_bytes;
    double acks = l->x[!i] * around / (link->segments_per_ack * link->segment_bytes);
    return wait_s * (data + (l->waits[!i] ? acks : 0)) / 8;
}

/* As analysis/check.h: best B by relative errors, and both rates within the tolerance of it. */
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

/* PAUSE acts, and the port's queue takes `q` seconds. */
static void paused(const struct model_regime_setup *s, struct law *l, double q, double small_queue_bits)
{
    double most = l->w[OUT] / (l->d + (l->waits[OUT] ? q : 0));
    l->x[IN] = l->x[OUT] = 0;
    for (int i = 0; i < 10; i++) { /* the share of ACKs in each other's direction, a/s = 0.03 of it, settles at once */
        l->x[IN] = (l->capacity - l->a * l->x[OUT]) / l->s;
        double room = (l->capacity - l->a * l->x[IN]) / l->s;
        if (s->pause == MODEL_REGIME_PAUSE_SENDERS) {
            l->x[OUT] = fmin(most, room);
            continue;
        }
        double least = (l->capacity / s->incoming - l->a * l->x[IN]) / l->s;
        double t = l->w[IN] / l->x[IN], held = t - l->d - q; /* what ACKs would have to wait in X's own NIC */
        double by_window = l->w[OUT] / (t - (l->waits[OUT] ? 0 : q));
        bool holds_back = l->waits[IN] && held > 0 && (s->small_queue_bytes <= 0 || held * by_window <= small_queue_bits);
        l->x[OUT] = fmin(fmin(most, room), holds_back ? fmax(least, by_window) : least);
    }
}

static enum model_regime pause_regime(const struct model_regime_setup *s, struct law *l, double small_queue_bits,
                                      double tolerance)
{
    paused(s, l, s->xon_bytes * 8 / l->capacity, small_queue_bits);
    enum model_regime shallow = regime_of(s, l, tolerance);
    paused(s, l, s->port_limit_bytes * 8 / l->capacity, small_queue_bits);
    enum model_regime deep = regime_of(s, l, tolerance);
    return shallow == deep ? deep : MODEL_REGIME_UNKNOWN;
}

static bool sizes_valid(const struct model_regime_setup *s)
{
    const struct model_link *link = &s->link;
    double segment = link->segment_bytes;
    return s->incoming > 0 && s->outgoing > 0 && link->rate_bps > 0 && isfinite(link->rate_bps) && segment > 0 &&
           link->header_bytes >= 0 && link->segments_per_ack >= 1 && s->delay_s >= 0 && isfinite(s->delay_s) &&
           s->incoming_window_bytes >= segment && isfinite(s->incoming_window_bytes) &&
           s->outgoing_window_bytes >= segment && isfinite(s->outgoing_window_bytes) && s->nic_limit_bytes > 0 &&
           s->port_limit_bytes > 0 && s->small_queue_bytes >= 0 &&
           (s->pause == MODEL_REGIME_PAUSE_OFF || (s->xoff_bytes > 0 && s->xon_bytes >= 0 && isfinite(s->port_limit_bytes)));
}

static double whole_segments(double window_bytes, double segment_bytes)
{
    return floor(window_bytes / segment_bytes) * segment_bytes;
}

bool model_regime(const struct model_regime_setup *setup, double tolerance, struct model_regime_answer *answer)
{
    if (!sizes_valid(setup))
        return false;
    struct model_regime_setup s = *setup;
    const struct model_link *link = &s.link;
    double around = link->header_bytes + ETHERNET_WIRE_BYTES;
    double frame = link->segment_bytes + link->header_bytes + ETHERNET_BUFFER_BYTES, framing = frame / link->segment_bytes;
    s.incoming_window_bytes = whole_segments(s.incoming_window_bytes, link->segment_bytes);
    s.outgoing_window_bytes = whole_segments(s.outgoing_window_bytes, link->segment_bytes);
    struct law l = {
        .d = model_regime_round_trip_s(&s),
        .capacity = link->rate_bps,
        .s = (link->segment_bytes + around) / link->segment_bytes,
        .a = around / (link->segments_per_ack * link->segment_bytes),
        .w = {8 * s.incoming * s.incoming_window_bytes, 8 * s.outgoing * s.outgoing_window_bytes},
        .waits = {!s.nic_acks_pass, !s.port_acks_pass},
    };
    bool small = s.small_queue_bytes > 0;
    double small_each = s.small_queue_bytes + frame;
    double small_bits = 8 * s.outgoing * small_each;
    solve(&l);
    if (small)
        bind_small_queues(&l, small_bits / l.capacity);

    double all = l.q[IN] + l.q[OUT];
    struct model_regime_answer r = {.nic_s = l.q[OUT], .port_s = l.q[IN]};
    r.port_need_bytes = standing_bytes(&l, link, IN, l.split ? all : l.q[IN]);
    r.nic_need_bytes = standing_bytes(&l, link, OUT, l.split ? all : l.q[OUT]);
    double least_port = l.split ? 0 : r.port_need_bytes, least_nic = l.split ? 0 : r.nic_need_bytes;
    double out_start = s.outgoing * fmin(s.outgoing_window_bytes * framing, small ? small_each : INFINITY);
    double in_start = fmin(s.incoming_window_bytes * framing, small ? small_each : INFINITY);
    double port_start = (s.incoming - 1) * s.incoming_window_bytes * framing;
    bool pause = s.pause != MODEL_REGIME_PAUSE_OFF;
    r.margin_bytes = fmin(s.nic_limit_bytes - r.nic_need_bytes, (pause ? s.xoff_bytes : s.port_limit_bytes) -
                          r.port_need_bytes);
    bool lost = least_nic > s.nic_limit_bytes || (!pause && least_port > s.port_limit_bytes);
    bool both_overflow = l.split && !pause && standing_bytes(&l, link, IN, all) > s.port_limit_bytes + s.nic_limit_bytes;
    bool undecided = r.nic_need_bytes > s.nic_limit_bytes || (!pause && r.port_need_bytes > s.port_limit_bytes);
    bool start_lost = out_start > s.nic_limit_bytes || in_start > s.nic_limit_bytes ||
                      (!pause && port_start > s.port_limit_bytes);
    if (lost || both_overflow) {
        r.regime = MODEL_REGIME_LOSS;
    } else if (undecided) {
        r.regime = MODEL_REGIME_UNKNOWN;
        r.why = "only the sum of both queues is determined, and one of them cannot hold it";
    } else if (start_lost) {
        r.regime = MODEL_REGIME_UNKNOWN;
        r.why = "the start alone overflows a queue that holds what stands later";
    } else if (pause && l.split) {
        r.regime = MODEL_REGIME_UNKNOWN;
        r.why = "only the sum of both queues is determined: PAUSE may act or not";
    } else if (pause && r.port_need_bytes > s.xoff_bytes) {
        r.regime = pause_regime(&s, &l, small_bits, tolerance);
        r.why = r.regime == MODEL_REGIME_UNKNOWN ? "PAUSE keeps the port between two depths with a regime each" : NULL;
    } else {
        r.regime = regime_of(&s, &l, tolerance);
    }
    bool known = r.regime != MODEL_REGIME_LOSS && r.regime != MODEL_REGIME_UNKNOWN;
    r.in_bps = known ? l.x[IN] / s.incoming : (double)NAN;
    r.out_bps = known ? l.x[OUT] / s.outgoing : (double)NAN;
    *answer = r;
    return true;
}
