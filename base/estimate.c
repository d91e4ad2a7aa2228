/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/estimate.h"

#define SHORTEST ESTIMATE_SAMPLES_LEAST
#define QUARTERS 4
#define IN_COMMON 3.0 /* variance of their mean, over that of independent ones */
#define POINTS 128     /* means of consecutive samples that stand for a series: sixteen a period of the fastest */
#define FREQUENCIES 16 /* even, for estimate_t_within. Fewer know less; more hide what lasts long among what does not */
#define CORNERS 40     /* values of c: from a memory as long as the series, longer ones looking alike, to white noise */
#define CORNER_LEAST 0.3
#define CORNER_MOST (10.0 * FREQUENCIES)
#define DOUBT (1.0 / 3) /* weight of too few samples that silences a series: odds of one to two. A stricter test singles
                         * out those that look too short by chance, and leaves intervals that are too narrow */
#define HALVINGS 40   /* of an interval's half-width */
#define NARROWED 16    /* steps before, HALVED of them halves: the others double the digits in two or three */
#define HALVED 10
#define PARTS 20       /* few enough that fast changes do not show */

double estimate_t975(size_t df)
{
    /* Student's t, two-sided 95 %; any statistics table. */
    static const double table[] = {
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
        2.200985,  2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
        2.079614,  2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
        2.039513,  2.036933, 2.034515, 2.032245, 2.030108, 2.028094, 2.026192, 2.024394, 2.022691, 2.021075,
    };
    if (df == 0)
        return NAN;
    if (df <= sizeof table / sizeof *table)
        return table[df - 1];
    double z = 1.959963985, z3 = z * z * z, z5 = z3 * z * z, n = (double)df;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

/* Welford's update: stable for means far from zero. */
void estimate_add(struct estimate_running *r, double sample)
{
    double delta = sample - r->mean;
    r->mean += delta / (double)++r->n;
    r->m2 += delta * (sample - r->mean);
}

struct estimate estimate_slope(const struct estimate_line *l)
{
    double slope = l->xx > 0 ? l->xy / l->xx : NAN, left = fmax(0, l->yy - slope * l->xy);
    double error = l->n > 2 ? sqrt(left / (double)(l->n - 2) / l->xx) : NAN;
    return (struct estimate){slope, error, l->n > 2 ? estimate_t975(l->n - 2) * error : NAN};
}

double estimate_deviation(const struct estimate_running *r)
{
    return r->n > 1 ? sqrt(r->m2 / (double)(r->n - 1)) : NAN;
}

struct estimate estimate_of(const struct estimate_running *r)
{
    struct estimate e = {.value = r->n > 0 ? r->mean : NAN, .std_error = NAN, .ci95 = NAN};
    if (r->n > 1) {
        e.std_error = sqrt(r->m2 / (double)(r->n - 1) / (double)r->n);
        e.ci95 = estimate_t975(r->n - 1) * e.std_error;
    }
    return e;
}

int estimate_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

size_t estimate_below(const double *sorted, size_t n, double value)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct estimate estimate_mean(const double *samples, size_t n)
{
    struct estimate_running r = {0};
    for (size_t i = 0; i < n; i++)
        estimate_add(&r, samples[i]);
    return estimate_of(&r);
}

/* What the lowest frequencies of a series say about the length of its memory. */
struct estimate_memory {
    double weight[CORNERS]; /* of each c; they sum to 1 */
    double scale[CORNERS];  /* of the distance of the mean from the true one, were this its c */
};

/* A value of c, and what it makes of any series. */
struct estimate_corner {
    double c;
    double fall[FREQUENCIES]; /* how much stronger than white noise's the spectrum was there */
    double falls;             /* half of the sum of their logarithms */
    double known;             /* share of S(0) / n by which the mean of so short a series varies */
};

static const struct estimate_corner *estimate_corners(void)
{
    static _Thread_local struct estimate_corner corner[CORNERS];
    for (size_t i = 0; i < CORNERS && corner[CORNERS - 1].c == 0; i++) {
        const double c = CORNER_LEAST * pow(CORNER_MOST / CORNER_LEAST, (double)i / (CORNERS - 1)), tau = 1 / (M_PI * c);
        corner[i].c = c; /* tau: of the whole series */
        for (size_t j = 0; j < FREQUENCIES; j++) {
            corner[i].fall[j] = 1 + (double)((j + 1) * (j + 1)) / (c * c);
            corner[i].falls += log(corner[i].fall[j]) / 2;
        }
        corner[i].known = 1 - tau * (1 - exp(-1 / tau));
    }
    return corner;
}

/* Means of n parts of equal length; the first samples belong to none. */
static void estimate_parts(const struct estimate_series *s, size_t n, double *part)
{
    size_t length = s->n / n, at = s->n % n;
    for (size_t i = 0; i < n; i++, at += length) {
        part[i] = 0;
        for (size_t j = at; j < at + length; j++)
            part[i] += s->samples[j] / (double)length;
    }
}

/* False where parts differ by no more than two steps among their samples, for this is rounding. */
static bool estimate_varies(const struct estimate_series *s, const double *part)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < PARTS; i++) {
        least = fmin(least, part[i]);
        most = fmax(most, part[i]);
    }
    return most - least > 2 * s->step / (double)(s->n / PARTS);
}

double estimate_drift_p(const struct estimate_series *s)
{
    double part[PARTS], sum = 0;
    if (s->n < SHORTEST)
        return 1;
    estimate_parts(s, PARTS, part);
    for (size_t i = 1; i < PARTS; i++)
        for (size_t before = 0; before < i; before++)
            sum += (part[i] > part[before]) - (part[i] < part[before]);
    return estimate_varies(s, part) ? erfc(fabs(sum) / sqrt(PARTS * (PARTS - 1) * (2 * PARTS + 5) / 9.0)) : 1;
}

double estimate_stall(const struct estimate_series *s)
{
    size_t longest = 0, still = 0;
    for (size_t i = 0; i < s->n; i++) {
        still = s->samples[i] > 0 ? 0 : still + 1;
        longest = still > longest ? still : longest;
    }
    return longest > 0 ? (double)(longest + 1) * (double)s->cycles / (double)s->n : 0; /* and parts at its ends */
}

/* The cosines of the lowest FREQUENCIES of n points: a run's flows have as many each, and take them from here. */
static const double (*estimate_cosines(size_t n))[POINTS]
{
    static _Thread_local double cosine[FREQUENCIES][POINTS];
    static _Thread_local size_t points;
    if (points != n)
        for (size_t j = 0; j < FREQUENCIES; j++)
            for (size_t t = 0; t < n; t++)
                cosine[j][t] = cos(M_PI * (double)(j + 1) * ((double)t + 0.5) / (double)n);
    points = n;
    return (const double (*)[POINTS])cosine;
}

/* The series has SHORTEST samples or more. */
static struct estimate_memory estimate_remember(const struct estimate_series *s, bool varies)
{
    double point[POINTS], square[FREQUENCIES], sum = 0, best = -INFINITY;
    size_t n = s->n / ((s->n + POINTS - 1) / POINTS);
    struct estimate_memory m = {0};
    const double (*cosine)[POINTS] = estimate_cosines(n);
    const struct estimate_corner *corner = estimate_corners();
    estimate_parts(s, n, point);
    for (size_t j = 0; j < FREQUENCIES; j++) {
        double y = 0;
        for (size_t t = 0; t < n; t++)
            y += point[t] * cosine[j][t];
        square[j] = 2 * y * y / (double)n;
    }
    for (size_t i = 0; i < CORNERS; i++) {
        double squares = 0;
        for (size_t j = 0; j < FREQUENCIES; j++)
            squares += square[j] * corner[i].fall[j];
        m.weight[i] = corner[i].falls; /* a logarithm as yet */
        m.weight[i] -= varies ? FREQUENCIES / 2.0 * log(squares) : 0;
        best = fmax(best, m.weight[i]);
        m.scale[i] = sqrt(squares / FREQUENCIES / (double)n * corner[i].known);
    }
    for (size_t i = 0; i < CORNERS; i++) {
        m.weight[i] = varies ? exp(m.weight[i] - best) : i == CORNERS - 1;
        sum += m.weight[i];
    }
    for (size_t i = 0; i < CORNERS; i++)
        m.weight[i] /= sum;
    return m;
}

/* Chances of Student's t with FREQUENCIES degrees of freedom to be within +-t, for each c's t (Abramowitz and Stegun
 * 26.7.4): side by side, as a processor has several at once. */
static void estimate_t_within(const double t[static CORNERS], double within[static CORNERS])
{
    double cosine2[CORNERS], term[CORNERS];
    for (size_t c = 0; c < CORNERS; c++) {
        cosine2[c] = FREQUENCIES / (FREQUENCIES + t[c] * t[c]);
        term[c] = within[c] = 1;
    }
    for (int i = 2; i < FREQUENCIES; i += 2)
        for (size_t c = 0; c < CORNERS; c++)
            within[c] += term[c] *= cosine2[c] * (i - 1) / i;
    for (size_t c = 0; c < CORNERS; c++)
        within[c] *= sqrt(1 - cosine2[c]);
}

/* How likely the true mean is no farther than `half` from that of the series. */
static double estimate_within(const struct estimate_memory *m, double half)
{
    double within = 0, t[CORNERS], chance[CORNERS];
    for (size_t i = 0; i < CORNERS; i++)
        t[i] = half / m->scale[i];
    estimate_t_within(t, chance);
    for (size_t i = 0; i < CORNERS; i++)
        within += m->scale[i] > 0 ? m->weight[i] * chance[i] : m->weight[i];
    return within;
}

/* Half-width of the interval, by halving. Where it lies is narrowed by false position first (Dowell and Jarratt 1971, the
 * Illinois way), so that most halves are known to be too small or large enough without being asked for. */
static double estimate_half(const struct estimate_memory *m)
{
    double least = 0, most = 0;
    for (size_t i = 0; i < CORNERS; i++)
        most = fmax(most, estimate_t975(FREQUENCIES) * m->scale[i]);
    double below = 0, above = most, lacks = -0.95, exceeds = estimate_within(m, most) - 0.95;
    for (int step = 0, side = 0; step < NARROWED && exceeds > 0 && below < above; step++) {
        double half = step < HALVED ? (below + above) / 2 : (below * exceeds - above * lacks) / (exceeds - lacks);
        double more = estimate_within(m, half) - 0.95;
        if (more < 0) {
            below = half;
            lacks = more;
            exceeds = side < 0 && step > HALVED ? exceeds / 2 : exceeds;
            side = -1;
        } else {
            above = half;
            exceeds = more;
            lacks = side > 0 && step > HALVED ? lacks / 2 : lacks;
            side = 1;
        }
    }
    for (int step = 0; step < HALVINGS; step++) {
        double half = (least + most) / 2;
        if (half <= below || (half < above && estimate_within(m, half) < 0.95))
            least = half;
        else
            most = half;
    }
    return most;
}

static bool estimate_knows(const struct estimate_memory *m)
{
    const struct estimate_corner *corner = estimate_corners();
    double few = 0;
    for (size_t i = 0; i < CORNERS && M_PI * corner[i].c / 2 < ESTIMATE_EFFECTIVE_LEAST; i++)
        few += m->weight[i];
    return few <= DOUBT;
}

/* Summed by parts, which keeps rounding small. */
double estimate_series_mean(const struct estimate_series *s)
{
    double sum = 0;
    if (s->n <= PARTS)
        return estimate_mean(s->samples, s->n).value;
    size_t length = s->n / PARTS, from = s->n % PARTS;
    for (size_t i = 0; i < from; i++)
        sum += s->samples[i];
    for (; from < s->n; from += length) {
        double part = 0;
        for (size_t i = from; i < from + length; i++)
            part += s->samples[i];
        sum += part;
    }
    return sum / (double)s->n;
}

/* Half-width of the interval for what lies beyond the ends of a series whose sum over time goes in steps, as windows sent
 * in bursts do: the distance of that sum from a straight line, at two samples taken at random. */
static double estimate_ends(const struct estimate_series *s, double mean)
{
    double n = (double)s->n, sum = 0, along = 0, squares = 0, middle = n / 2;
    double total = 0; /* less that of the straight line from first to last */
    for (size_t i = 0; i <= s->n; i++) {
        sum += total;
        along += total * ((double)i - middle);
        squares += total * total;
        total += i < s->n ? s->samples[i] - mean : 0;
    }
    squares -= sum * sum / (n + 1) + along * along / (n * (n + 1) * (n + 2) / 12);
    return estimate_t975(s->n - 1) * sqrt(2 * fmax(squares, 0) / (n - 1)) / n;
}

struct estimate estimate_steady(const struct estimate_series *s)
{
    struct estimate e = {.value = estimate_series_mean(s), .std_error = NAN, .ci95 = NAN};
    if (s->n < SHORTEST || (s->cycles > 0 && s->cycles < ESTIMATE_CYCLES_LEAST))
        return e;
    double part[PARTS];
    estimate_parts(s, PARTS, part);
    struct estimate_memory m = estimate_remember(s, estimate_varies(s, part));
    if (estimate_knows(&m) && estimate_drift_p(s) >= ESTIMATE_DRIFT_P) {
        e.ci95 = fmax(estimate_half(&m), estimate_ends(s, e.value));
        e.ci95 = fmax(e.ci95, s->step / (double)s->n); /* a segment more or less at the ends */
        e.std_error = e.ci95 / estimate_t975(FREQUENCIES);
    }
    return e;
}

struct estimate estimate_rough(const struct estimate_series *s)
{
    struct estimate e = {.value = estimate_series_mean(s), .std_error = NAN, .ci95 = NAN};
    double quarter[QUARTERS];
    if (s->n < SHORTEST)
        return e;
    estimate_parts(s, QUARTERS, quarter);
    struct estimate of_quarters = estimate_mean(quarter, QUARTERS);
    e.std_error = sqrt(IN_COMMON) * of_quarters.std_error;
    e.ci95 = fmax(sqrt(IN_COMMON) * of_quarters.ci95, s->step / (double)s->n);
    return e;
}
