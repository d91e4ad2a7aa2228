/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/infer/kit.h"

#include "base/monotonic.h"
#include "study/infer/infer_parts.h"

#define KIT_FIRST 2      /* patterns that say what windows there are */
#define KIT_REPEATS 3
#define WAY 2        /* flows that share a direction, at most */
#define POINTS 13    /* of a grid, in the plan: every fourth of seven times seven */
#define FAR 18.0     /* nats behind the best of the plan: too far to be weighed in full, as in infer */
#define LEAST 16e3   /* bytes of a window or a buffer */
#define WINDOW_MOST 4e6
#define FULL_FRAME_BYTES 1538.0
#define KIT_LITTLE 0.01  /* nats: what a pattern tells less of would change odds by a hundredth */

const struct study_kit_words study_kit_causes[STUDY_KIT_CAUSES] = {
    [STUDY_KIT_BOTH] = {"queues", "ACKs wait behind data in hosts and at the switch's ports",
                        "serve small ACKs first, or flows by turns, at the switch's ports, and in hosts: tc qdisc replace dev "
                        "DEV root fq_codel"},
    [STUDY_KIT_PORT] = {"port", "ACKs wait behind data at the switch's ports, not in hosts",
                        "serve small ACKs first, or flows by turns, at the switch's ports; a host alone can shape what it "
                        "asks for: smaller windows"},
    [STUDY_KIT_NIC] = {"host", "ACKs wait behind data in hosts, not at the switch's ports",
                       "tc qdisc replace dev DEV root fq_codel on hosts"},
    [STUDY_KIT_APART] = {"apart", "ACKs do not wait behind data: queues serve them first, or flows by turns", "nothing to mend"},
    [STUDY_KIT_LOSSES] = {"losses", "ports lose frames before windows are full, and congestion control decides",
                          "deeper buffers or ECN at the switch; smaller windows"},
    [STUDY_KIT_PAUSE] = {"pause", "PAUSE frames stop senders", "ethtool -A DEV rx off tx off, on hosts or at the switch"},
    [STUDY_KIT_INSIDE] = {"inside", "both directions share a bus or a processor inside hosts",
                          "spread interrupts over processors (ethtool -L, /proc/irq/N/smp_affinity), merge frames (ethtool -K DEV "
                          "gro on tso on) or make them larger (MTU 9000); or a slot with lanes for each direction"},
    [STUDY_KIT_RING] = {"ring", "the receive ring of a host is too short for its processor", "ethtool -G DEV rx N, as large as it goes"},
};

static const struct {
    size_t in, out;
} kit_patterns[STUDY_KIT_PATTERNS] = {{0, 1}, {1, 0}, {1, 1}, {2, 1}, {1, 2}, {2, 2}};

/* Beside the usual ones. */
static const char *const kit_hosts[] = {"bus", "processor", "interrupts", "processor+ring"};

enum study_kit_cause study_kit_cause_of(const struct study_hypothesis *h)
{
    if (h->searched[STUDY_HYPOTHESIS_RING])
        return STUDY_KIT_RING;
    if (h->searched[STUDY_HYPOTHESIS_BUS] || h->searched[STUDY_HYPOTHESIS_PROCESSOR])
        return STUDY_KIT_INSIDE;
    if (strstr(h->changes, "pause"))
        return STUDY_KIT_PAUSE;
    if (strstr(h->changes, "cc="))
        return STUDY_KIT_LOSSES;
    bool placed = strchr(h->changes, '@'), queue = !placed && (!*h->changes || strcmp(h->changes, "fifo") == 0);
    bool nic = queue || strstr(h->changes, "fifo@nic"), port = queue || strstr(h->changes, "fifo@port");
    port = port || strstr(h->changes, "small-queues");
    return nic && port ? STUDY_KIT_BOTH : port ? STUDY_KIT_PORT : nic ? STUDY_KIT_NIC : STUDY_KIT_APART;
}

/* The points of all hypotheses, and what they say of every pattern: the mean logarithm of its flows' rates, out and in. */
struct kit_plan {
    size_t n, patterns;
    struct kit_point {
        double weight;
        size_t hypothesis;
        enum study_kit_cause cause;
        struct {
            double mean, variance;
        } way[STUDY_KIT_PATTERNS][2];
    } *point; /* owned */
};

/* Does what was counted in these patterns exclude a cause? Counters of nobody exclude none, and what none has shown in some
 * patterns only once all are `done`. */
static bool kit_excludes(const struct study_kit_pattern *p, size_t n, bool done, enum study_kit_cause cause)
{
    bool lost = false, paused = false, whole = done, quiet = done;
    for (size_t i = 0; i < n; i++) {
        lost = lost || p[i].resent > STUDY_KIT_LOSS;
        whole = whole && p[i].resent <= 0;
        paused = paused || p[i].pauses > 0;
        quiet = quiet && p[i].pauses <= 0;
    }
    bool loses = cause == STUDY_KIT_LOSSES || cause == STUDY_KIT_RING, pauses = cause == STUDY_KIT_PAUSE;
    return (loses && whole) || (pauses && quiet) || (!loses && lost) || (!pauses && paused);
}

static bool kit_is_far(const struct kit_plan *plan, size_t hypothesis)
{
    double own = 0, best = 0;
    for (size_t i = 0; i < plan->n; i++) {
        own = fmax(own, plan->point[i].hypothesis == hypothesis ? plan->point[i].weight : 0);
        best = fmax(best, plan->point[i].weight);
    }
    return own < best * exp(-FAR);
}

/* All, or those that a plan has not left far behind. */
static bool kit_hypotheses(struct study_infer *x, const struct kit_plan *plan, const struct study_kit *k, struct error *err)
{
    struct study_hypothesis is;
    char text[STUDY_HYPOTHESIS_TEXT];
    const char *name;
    bool ok = true;
    for (size_t i = 0, n = 0, h = 0; ok; i++) {
        name = study_hypothesis_usual(i, x->options.base->network.link.rate_bps, text);
        if (!name && n < sizeof kit_hosts / sizeof *kit_hosts)
            name = kit_hosts[n++];
        if (!name)
            break;
        if (strstr(name, "ratio") || strstr(name, "autotuned")) /* windows are measured, and have grown */
            continue;
        ok = study_hypothesis_parse(&is, name, err);
        bool out = plan && (kit_is_far(plan, h) || kit_excludes(k->pattern, k->n, true, study_kit_cause_of(&is)));
        if (ok && !out)
            ok = study_infer_add(x, name, err);
        h++;
    }
    return ok;
}

/* Patterns as a measurement between h0 and the others. */
static void kit_measurement(const struct study_kit_pattern *p, size_t n, bool shared, struct study_measurement *m)
{
    char name[STUDY_MEASUREMENT_NAME];
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%zu/%zu", p[i].in, p[i].out);
        struct study_measurement_pattern *pattern = study_measurement_pattern_of(m, name);
        size_t hub = study_measurement_host(m, "h0");
        for (size_t f = 0; f < p[i].in + p[i].out; f++) {
            bool out = f < p[i].out;
            snprintf(name, sizeof name, "h%zu", shared && !out ? f + 1 - p[i].out : f + 1);
            size_t peer = study_measurement_host(m, name);
            struct study_measurement_flow like = {.from = out ? hub : peer, .to = out ? peer : hub,
                                                  .window_bytes = llround(p[i].rate[f].window_bytes),
                                                  .spread = hypot(p[i].rate[f].spread, STUDY_KIT_FLOOR)};
            snprintf(like.name, sizeof like.name, "%s%zu", out ? "out" : "in", out ? f + 1 : f + 1 - p[i].out);
            study_measurement_add_bps(study_measurement_flow_of(m, pattern, &like), p[i].rate[f].bps);
        }
    }
}

/* Parameters are where mechanisms do something, for beyond that they are FIFO queues by another name: a half-duplex bus
 * below the sum of both directions; a processor that takes a third of a frame's time and more, for a frame each way and an
 * ACK for two of either are three frames in the time of one; buffers and rings that all windows overflow. */
static struct study_infer kit_infer(const struct study_kit *k, const struct study_measurement *m)
{
    struct study_infer x = {.measured = m, .options = {.base = k->base, .jobs = k->jobs, .messages = 1}};
    double rate = (double)k->base->network.link.rate_bps, window = 0, frame_s = FULL_FRAME_BYTES * 8 / rate;
    bool known = study_measurement_windows(m);
    for (size_t i = 0; i < KIT_FIRST; i++)
        window = fmax(window, k->pattern[i].rate[0].window_bytes);
    const double all = WAY * (known ? window : WINDOW_MOST);
    const double range[STUDY_HYPOTHESIS_PARAMETERS][2] = {
        [STUDY_HYPOTHESIS_WINDOW] = {known ? 1 : LEAST, known ? 1 : WINDOW_MOST},
        [STUDY_HYPOTHESIS_BUFFER] = {LEAST, fmax(all, 2 * LEAST)},
        [STUDY_HYPOTHESIS_BUS] = {rate / 2, 2 * rate},
        [STUDY_HYPOTHESIS_PROCESSOR] = {frame_s / 3, 4 * frame_s},
        [STUDY_HYPOTHESIS_INTERRUPTS] = {5e-6, 1e-3},
        [STUDY_HYPOTHESIS_RING] = {16, fmax(all / FULL_FRAME_BYTES, 32)},
    };
    memcpy(x.options.range, range, sizeof range);
    return x;
}

/* A direction of a pattern that begins at a flow of a point's. */
static double kit_way(const double *m, const struct study_kit_pattern *p, int in)
{
    double sum = 0;
    size_t from = in ? p->out : 0, n = in ? p->in : p->out;
    for (size_t f = from; f < from + n; f++)
        sum -= m[f];
    return n > 0 ? sum / (double)n : 0;
}

/* What lies between a point and the next is uniform: a twelfth of its square, on average. */
static void kit_between(struct kit_point *point, size_t n, size_t patterns)
{
    for (size_t p = 0; p < patterns; p++)
        for (int in = 0; in < 2; in++) {
            double sum = 0;
            for (size_t k = 0; k + 1 < n; k++)
                sum += pow(point[k + 1].way[p][in].mean - point[k].way[p][in].mean, 2) / 12;
            for (size_t k = 0; k < n; k++)
                point[k].way[p][in].variance = STUDY_KIT_FLOOR * STUDY_KIT_FLOOR + (n > 1 ? sum / (double)(n - 1) : 0);
        }
}

static void kit_points(struct kit_plan *plan, const struct study_infer *x, const struct study_kit_pattern *p)
{
    for (size_t h = 0; h < x->n; h++) {
        size_t n = x->h[h].n, first = 0;
        plan->point = memory_resized(plan->point, plan->n + n, sizeof *plan->point, "a plan");
        struct kit_point *points = plan->point + plan->n;
        for (size_t k = 0; k < n; k++)
            points[k] = (struct kit_point){.weight = 1 / (double)(x->n * n), .hypothesis = h,
                                           .cause = study_kit_cause_of(&x->h[h].is)};
        for (size_t i = 0; i < plan->patterns; first += p[i].in + p[i].out, i++)
            for (size_t k = 0; k < n; k++)
                for (int in = 0; in < 2; in++)
                    points[k].way[i][in].mean = kit_way(x->h[h].points[k].m + first, &p[i], in);
        kit_between(points, n, plan->patterns);
        plan->n += n;
    }
}

/* All patterns that there are processes for, in *p, the first ones as they were measured; windows are theirs. */
static bool kit_plan_make(const struct study_kit *k, struct study_kit_pattern *p, struct kit_plan *plan, struct error *err)
{
    for (size_t i = 0; i < STUDY_KIT_PATTERNS; i++) {
        if (kit_patterns[i].in + kit_patterns[i].out > k->flows)
            continue;
        struct study_kit_pattern *to = &p[plan->patterns++];
        *to = (struct study_kit_pattern){.in = kit_patterns[i].in, .out = kit_patterns[i].out, .nats = NAN};
        for (size_t f = 0; f < to->in + to->out; f++)
            to->rate[f] = (struct study_kit_rate){1, 0, k->pattern[f < to->out ? 0 : 1].rate[0].window_bytes};
    }
    MEMORY_ENDS(study_measurement_fini) struct study_measurement m = {.n = 0};
    kit_measurement(p, plan->patterns, k->shared, &m);
    MEMORY_ENDS(study_infer_fini) struct study_infer x = kit_infer(k, &m);
    bool ok = kit_hypotheses(&x, NULL, k, err) && study_infer_points(&x, POINTS, err);
    if (ok && !x.signal)
        kit_points(plan, &x, p);
    return ok;
}

/* Log likelihood of rates in one pattern under a point. */
static double kit_likelihood(const struct kit_point *point, size_t p, const double *way)
{
    double sum = 0;
    for (int in = 0; in < 2; in++) {
        double d = way[in] - point->way[p][in].mean, v = point->way[p][in].variance;
        sum -= d * d / v / 2 + log(v) / 2;
    }
    return sum;
}

static void kit_weigh(struct kit_plan *plan, size_t p, const struct study_kit_pattern *measured)
{
    double m[STUDY_KIT_FLOWS], best = -INFINITY, sum = 0;
    for (size_t f = 0; f < measured->in + measured->out; f++)
        m[f] = -log(measured->rate[f].bps);
    const double way[2] = {kit_way(m, measured, 0), kit_way(m, measured, 1)};
    for (size_t i = 0; i < plan->n; i++)
        if (kit_excludes(measured, 1, false, plan->point[i].cause))
            plan->point[i].weight = 0;
        else
            best = fmax(best, log(plan->point[i].weight) + kit_likelihood(&plan->point[i], p, way));
    for (size_t i = 0; i < plan->n; i++) {
        struct kit_point *point = &plan->point[i];
        point->weight = exp(log(point->weight) + kit_likelihood(point, p, way) - best);
        sum += point->weight;
    }
    for (size_t i = 0; i < plan->n; i++)
        plan->point[i].weight /= sum;
}

/* What a pattern is expected to tell of the cause. */
static double kit_tells(const struct kit_plan *plan, size_t p)
{
    double nats = 0, before[STUDY_KIT_CAUSES] = {0};
    for (size_t i = 0; i < plan->n; i++)
        before[plan->point[i].cause] += plan->point[i].weight;
    for (size_t i = 0; i < plan->n; i++) {
        const struct kit_point *truth = &plan->point[i];
        const double way[2] = {truth->way[p][0].mean, truth->way[p][1].mean};
        double own = 0, all = 0, at = kit_likelihood(truth, p, way);
        for (size_t k = 0; k < plan->n; k++) {
            double likely = plan->point[k].weight * exp(kit_likelihood(&plan->point[k], p, way) - at);
            all += likely;
            own += plan->point[k].cause == truth->cause ? likely : 0;
        }
        if (truth->weight > 0) /* so is `own`, of which it is a part */
            nats += truth->weight * log(own / all / before[truth->cause]);
    }
    return nats;
}

static bool kit_measure(struct study_kit *k, size_t in, size_t out, double nats, struct error *err)
{
    struct study_kit_pattern *p = &k->pattern[k->n];
    *p = (struct study_kit_pattern){.in = in, .out = out, .nats = nats};
    if (!k->measure(k->user, p, err))
        return false;
    k->n++;
    return true;
}

static bool kit_patterns_measure(struct study_kit *k, struct kit_plan *plan, struct error *err)
{
    struct study_kit_pattern p[STUDY_KIT_PATTERNS];
    bool done[STUDY_KIT_PATTERNS] = {true, true};
    bool ok = kit_plan_make(k, p, plan, err);
    for (size_t i = 0; ok && i < KIT_FIRST && plan->n > 0; i++)
        kit_weigh(plan, i, &k->pattern[i]);
    while (ok && plan->n > 0 && (k->until_s <= 0 || monotonic_now_s() < k->until_s)) {
        size_t best = 0;
        double nats[STUDY_KIT_PATTERNS] = {KIT_LITTLE};
        for (size_t i = KIT_FIRST; i < plan->patterns; i++)
            if (!done[i] && (nats[i] = kit_tells(plan, i)) > nats[best])
                best = i;
        if (best == 0)
            break;
        done[best] = true;
        ok = kit_measure(k, p[best].in, p[best].out, nats[best], err);
        if (ok)
            kit_weigh(plan, best, &k->pattern[k->n - 1]);
    }
    return ok;
}

bool study_kit_begin(struct study_kit *k, struct error *err)
{
    return kit_measure(k, kit_patterns[0].in, kit_patterns[0].out, NAN, err) &&
           kit_measure(k, kit_patterns[1].in, kit_patterns[1].out, NAN, err);
}

bool study_kit_run(struct study_kit *k, struct error *err)
{
    struct kit_plan plan = {.n = 0};
    bool ok = kit_patterns_measure(k, &plan, err);
    kit_measurement(k->pattern, k->n, k->shared, &k->measured);
    k->infer = kit_infer(k, &k->measured);
    ok = ok && kit_hypotheses(&k->infer, &plan, k, err) && (k->infer.n == 0 || study_infer_run(&k->infer, err));
    k->infer.none_weight = k->infer.n > 0 ? k->infer.none_weight : 1;
    free(plan.point);
    k->signal = k->infer.signal;
    for (size_t i = 0; ok && !k->signal && i < k->infer.n; i++)
        k->weight[study_kit_cause_of(&k->infer.h[i].is)] += k->infer.h[i].weight;
    return ok;
}

int study_kit_named(const struct study_kit *k)
{
    for (int c = 0; c < STUDY_KIT_CAUSES && k->infer.n > 0; c++)
        if (k->weight[c] >= STUDY_KIT_NAMED && !study_infer_misses(&k->infer.h[0]))
            return c;
    return -1;
}

void study_kit_fini(struct study_kit *k)
{
    study_infer_fini(&k->infer);
    study_measurement_fini(&k->measured);
}

bool study_kit_emulate(void *user, struct study_kit_pattern *p, struct error *err)
{
    struct study_kit_emulated *e = user;
    static const struct study_hypothesis as_it_is = {.text = "the network"};
    const struct emu_tcp_config *tcp = &e->hidden->tcp;
    double out[KIT_REPEATS][STUDY_KIT_FLOWS], resent[KIT_REPEATS], pauses[KIT_REPEATS] = {0};
    int host[STUDY_KIT_FLOWS][2];
    struct infer_play plays[KIT_REPEATS];
    MEMORY_ENDS(study_measurement_fini) struct study_measurement m = {.n = 0};
    for (size_t f = 0; f < p->in + p->out; f++) {
        host[f][f >= p->out] = 0;
        host[f][f < p->out] = (int)f + 1;
        p->rate[f] = (struct study_kit_rate){1, 0, fmin((double)tcp->send_buffer_bytes, (double)tcp->receive_buffer_bytes)};
    }
    kit_measurement(p, 1, false, &m);
    struct study_infer x = {.measured = &m, .options = {.base = e->hidden, .jobs = e->jobs, .messages = 1}};
    for (size_t r = 0; r < KIT_REPEATS; r++) {
        plays[r] = (struct infer_play){.base = e->hidden, .pattern = &m.patterns[0], .host = (const int (*)[2])host,
                                       .is = &as_it_is, .engine = e->hidden->engine, .seed = ++e->seed, .messages = 1,
                                       .out = out[r], .resent = &resent[r], .pauses = &pauses[r]};
        for (int v = 0; v < STUDY_HYPOTHESIS_PARAMETERS; v++)
            plays[r].value[v] = NAN;
    }
    bool ok = infer_play_all(&x, plays, KIT_REPEATS, err) &&
              (!x.signal || error_set(err, ERROR_SYSTEM, "interrupted"));
    for (size_t f = 0; ok && f < p->in + p->out; f++) {
        struct estimate_running log_bps = {.n = 0};
        for (size_t r = 0; r < KIT_REPEATS; r++)
            estimate_add(&log_bps, -out[r][f]);
        p->rate[f].bps = exp(log_bps.mean);
        p->rate[f].spread = estimate_of(&log_bps).std_error;
    }
    p->pauses = ok ? pauses[0] + pauses[1] + pauses[2] : (double)NAN;
    p->resent = ok ? (resent[0] + resent[1] + resent[2]) / KIT_REPEATS : (double)NAN;
    return ok;
}
