/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/degrees.h"

#include "base/text.h"
#include "base/units.h"

/* 0, 1, 2, 3, 4, 6, 8, 12, ... */
static size_t degrees_step(size_t k)
{
    return k < 2 ? k : (k % 2 ? (size_t)3 << (k - 3) / 2 : (size_t)2 << (k - 2) / 2);
}

static size_t degrees_larger(const struct measure_degrees *d)
{
    return d->in > d->out ? d->in : d->out;
}

static int degrees_before(const void *a, const void *b)
{
    const struct measure_degrees *x = a, *y = b;
    size_t most_x = degrees_larger(x), most_y = degrees_larger(y);
    if (most_x != most_y)
        return most_x < most_y ? -1 : 1;
    if (x->in != y->in)
        return x->in < y->in ? -1 : 1;
    return (x->out > y->out) - (x->out < y->out);
}

size_t measure_degrees_all(size_t flows, struct measure_degrees **list)
{
    size_t n = 0, capacity = 0;
    *list = NULL;
    for (size_t i = 0; degrees_step(i) <= flows; i++)
        for (size_t k = i == 0 ? 1 : 0; degrees_step(i) + degrees_step(k) <= flows; k++) {
            *list = memory_grown(*list, n, &capacity, 16, sizeof **list, "degrees");
            (*list)[n++] = (struct measure_degrees){degrees_step(i), degrees_step(k)};
        }
    qsort(*list, n, sizeof **list, degrees_before);
    return n;
}

/* "2/1", which ends at a comma or at the end; *text goes on there. */
static bool degrees_parse_one(const char **text, size_t flows, struct measure_degrees *d, struct error *err)
{
    char word[64] = "";
    size_t length = strcspn(*text, ",");
    text_add(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word, *text);
    *text += length;
    char *slash = strchr(word, '/');
    int64_t in = -1, out = -1;
    if (slash)
        *slash = '\0';
    if (!slash || !units_parse_integer(word, &in, err) || !units_parse_integer(slash + 1, &out, err) || in < 0 || out < 0)
        return error_set(err, ERROR_INPUT, "'%s%s%s' is not a number of flows in and one out, such as 2/1", word,
                         slash ? "/" : "", slash ? slash + 1 : "");
    if (in > MEASURE_DEGREES_MOST || out > MEASURE_DEGREES_MOST || in + out < 1 || in + out > (int64_t)flows)
        return error_set(err, ERROR_INPUT, "%" PRId64 "/%" PRId64 ": from 1 to %zu flows are possible here, each of which "
                         "has a process of its own on another host", in, out, flows);
    *d = (struct measure_degrees){(size_t)in, (size_t)out};
    return true;
}

bool measure_degrees_parse(const char *text, size_t flows, struct measure_degrees **list, size_t *n, struct error *err)
{
    size_t capacity = 0;
    *list = NULL;
    *n = 0;
    for (;; text++) {
        *list = memory_grown(*list, *n, &capacity, 16, sizeof **list, "degrees");
        if (!degrees_parse_one(&text, flows, &(*list)[*n], err)) {
            free(*list);
            *list = NULL;
            return false;
        }
        ++*n;
        if (!*text)
            return true;
    }
}

size_t measure_degrees_flows_most(const int *host, int n)
{
    size_t flows = 0;
    for (int i = 0; i < n; i++)
        flows += host[i] != host[0];
    return flows < MEASURE_DEGREES_MOST ? flows : MEASURE_DEGREES_MOST;
}

/* How many of the processes before this one are on its host. */
static int degrees_turn(const int *host, int process)
{
    int turn = 0;
    for (int i = 0; i < process; i++)
        turn += host[i] == host[process];
    return turn;
}

void measure_degrees_place(const int *host, int n, struct measure_degrees d, struct measure_degrees_flow *flows)
{
    int shared = -1;
    size_t k = 0;
    for (int turn = 0; k < d.in + d.out && turn < n; turn++)
        for (int i = 0; k < d.in + d.out && i < n; i++) {
            if (host[i] == host[0] || degrees_turn(host, i) != turn)
                continue;
            do
                shared = (shared + 1) % n;
            while (host[shared] != host[0]);
            flows[k] = k < d.out ? (struct measure_degrees_flow){shared, i} : (struct measure_degrees_flow){i, shared};
            k++;
        }
}
