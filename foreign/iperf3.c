/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What iperf3 --json prints: of each stream the rate at which its receiver got data, or, in a file of the client alone,
 * its sender sent them; and that of each interval, as far as the streams lasted through it. rtt is Linux's smoothed one
 * at the host that wrote the file, taken once an interval: its least may never have met an empty queue. Of a stream that
 * this host receives it is that of the handshake: no round trip of data, but one more of little else. */
#include "foreign/parts.h"

#define PAYLOAD 1448.0 /* bytes of a segment, where the file does not say */
#define US 1e-6

static bool iperf3_fail(const char *path, const char *what, struct error *err)
{
    return error_set(err, ERROR_INPUT, "%s: %s; 'iperf3 --json' prints it", path, what);
}

static const json_t *iperf3_setup(const json_t *root)
{
    return json_object_get(json_object_get(root, "start"), "test_start");
}

/* Does the stream go from the host that wrote the file to the other? Since 3.7 each stream says so itself. */
static bool iperf3_forward(const json_t *root, const json_t *way)
{
    const json_t *sender = json_object_get(way, "sender");
    return json_is_boolean(sender) ? json_is_true(sender) : !(foreign_number(iperf3_setup(root), "reverse") > 0);
}

/* A stream by its socket: each interval of a file names all of them, which may be very many. */
struct iperf3_socket {
    json_int_t number;
    const json_t *end; /* of start.connected; NULL none */
    size_t flow;
};

struct iperf3_sockets {
    struct iperf3_socket *socket; /* by number, a number once */
    size_t n;
};

static json_int_t iperf3_number(const json_t *object)
{
    return json_integer_value(json_object_get(object, "socket"));
}

static int iperf3_order(const void *a, const void *b)
{
    const struct iperf3_socket *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* NULL: no stream has it. */
static struct iperf3_socket *iperf3_find(const struct iperf3_sockets *s, json_int_t number)
{
    const struct iperf3_socket key = {.number = number};
    return s->n > 0 ? bsearch(&key, s->socket, s->n, sizeof key, iperf3_order) : NULL;
}

static void iperf3_fini(struct iperf3_sockets *s)
{
    free(s->socket);
}

/* The sockets of end.streams, with what start.connected says of them. False: two streams have one. */
static bool iperf3_sockets(const json_t *root, const json_t *streams, struct iperf3_sockets *s)
{
    json_t *connected = json_object_get(json_object_get(root, "start"), "connected"), *one;
    size_t i;
    s->socket = memory_zeroed(json_array_size(streams) + 1, sizeof *s->socket, "streams of a test");
    json_array_foreach(streams, i, one)
        s->socket[s->n++] = (struct iperf3_socket){iperf3_number(json_object_get(one, "sender")), NULL, i};
    qsort(s->socket, s->n, sizeof *s->socket, iperf3_order);
    for (i = 1; i < s->n; i++)
        if (s->socket[i].number == s->socket[i - 1].number)
            return false;
    json_array_foreach(connected, i, one) {
        struct iperf3_socket *found = iperf3_find(s, iperf3_number(one));
        if (found)
            found->end = one;
    }
    return true;
}

/* Each interval's rates, to the flows of their sockets: those are in the order of end.streams. */
static void iperf3_samples(const json_t *root, const struct iperf3_sockets *s, struct foreign_test *t)
{
    json_t *intervals = json_object_get(root, "intervals"), *interval, *stream;
    size_t i, k;
    json_array_foreach(intervals, i, interval) {
        json_array_foreach(json_object_get(interval, "streams"), k, stream) {
            double seconds = foreign_number(stream, "seconds"), bps = foreign_number(stream, "bits_per_second");
            double start_s = foreign_number(stream, "start");
            const struct iperf3_socket *of = iperf3_find(s, iperf3_number(stream));
            if (!of || !(bps > 0) || !(seconds > 0) || json_is_true(json_object_get(stream, "omitted")))
                continue;
            struct foreign_flow *f = &t->flow[of->flow];
            start_s = isfinite(start_s) ? start_s : (double)f->n;
            foreign_test_sample(f, start_s, start_s + seconds, bps);
        }
    }
}

static double iperf3_positive(const json_t *object, const char *key, double scale)
{
    double value = foreign_number(object, key);
    return value > 0 ? value * scale : (double)NAN;
}

static void iperf3_figures(const json_t *root, const json_t *sender, bool sends, struct foreign_flow *f)
{
    double mss = foreign_number(json_object_get(root, "start"), "tcp_mss_default");
    double bytes = foreign_number(sender, "bytes"), again = foreign_number(sender, "retransmits");
    double pace_bps = foreign_number(iperf3_setup(root), "target_bitrate");
    f->rtt_s = sends ? iperf3_positive(sender, "mean_rtt", US) : (double)NAN;
    f->least_rtt_s = iperf3_positive(sender, "min_rtt", US);
    f->retransmitted = again >= 0 && bytes > 0 ? again * (mss > 0 ? mss : PAYLOAD) / bytes : (double)NAN;
    f->segments_again = again >= 0 ? again : (double)NAN;
    f->pace_bps = pace_bps > 0 ? pace_bps : 0;
}

static bool iperf3_stream(struct foreign_test *t, const char *path, const json_t *root, const json_t *stream,
                          const struct iperf3_sockets *sockets, struct error *err)
{
    const json_t *sender = json_object_get(stream, "sender"), *way = json_object_get(stream, "receiver");
    way = foreign_number(way, "bits_per_second") > 0 ? way : sender;
    const struct iperf3_socket *of = iperf3_find(sockets, iperf3_number(sender));
    const json_t *end = of ? of->end : NULL;
    double bps = foreign_number(way, "bits_per_second");
    char name[FOREIGN_NAME];
    const char *local = json_string_value(json_object_get(end, "local_host"));
    const char *remote = json_string_value(json_object_get(end, "remote_host"));
    if (!local || !remote || strlen(local) >= FOREIGN_NAME || strlen(remote) >= FOREIGN_NAME)
        return iperf3_fail(path, "a stream of end.streams is not among start.connected", err);
    if (!(bps > 0))
        return iperf3_fail(path, "a stream has no bits_per_second", err);
    bool forward = iperf3_forward(root, way);
    snprintf(name, sizeof name, "%lld:%lld", (long long)json_integer_value(json_object_get(end, "local_port")),
             (long long)json_integer_value(json_object_get(end, "remote_port")));
    struct foreign_flow *f = foreign_test_flow(t, name, forward ? local : remote, forward ? remote : local);
    snprintf(t->host, sizeof t->host, "%s", local);
    f->mean_bps = bps;
    iperf3_figures(root, sender, forward, f);
    return true;
}

bool foreign_iperf3_read(struct foreign_test *t, const char *path, const json_t *root, struct error *err)
{
    json_t *end = json_object_get(root, "end"), *streams = json_object_get(end, "streams"), *stream;
    json_t *used = json_object_get(end, "cpu_utilization_percent");
    MEMORY_ENDS(iperf3_fini) struct iperf3_sockets sockets = {0};
    size_t i;
    t->start_s = foreign_number(json_object_get(json_object_get(root, "start"), "timestamp"), "timesecs");
    t->to_s = foreign_number(iperf3_setup(root), "duration");
    t->processor = fmax(foreign_number(used, "host_total"), foreign_number(used, "remote_total")) / 100;
    bool ok = (isfinite(t->start_s) && json_array_size(streams) > 0) ||
              iperf3_fail(path, json_is_string(json_object_get(root, "error"))
                                    ? "the test failed: it has an \"error\""
                                    : "no start.timestamp.timesecs, or no end.streams: not a test of TCP", err);
    ok = ok && (iperf3_sockets(root, streams, &sockets) ||
                iperf3_fail(path, "two streams of end.streams have one socket", err));
    json_array_foreach(streams, i, stream)
        ok = ok && iperf3_stream(t, path, root, stream, &sockets, err);
    if (ok)
        iperf3_samples(root, &sockets, t);
    return ok;
}
