/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/predict/predict.h"
#include "model/timers.h"
#include "results/json.h"

#define PACKET_BYTES 1538     /* of Ethernet, with 1448 of TCP's payload */
#define NOT_BUFFERED_BYTES 20 /* preamble and gap */
#define NOT_PAYLOAD_BYTES 90  /* these and Ethernet's, IP's and TCP's headers with timestamps */
#define LINUX_LEAST_S 0.2

struct amount { /* a size, or a number of packets */
    int64_t bytes, packets;
};

struct timers_options {
    int64_t rate_bps, rtt_ps, packet_bytes, hosts, switches;
    struct amount buffer, window;
    bool json;
};

static bool options_amount(const struct cli_option *option, const char *text, struct error *err)
{
    struct amount *to = option->to;
    char number[24] = "";
    size_t digits = strspn(text, "0123456789");
    *to = (struct amount){0};
    if (digits > 0 && digits < sizeof number && strcmp(text + digits, "p") == 0)
        snprintf(number, sizeof number, "%.*s", (int)digits, text);
    bool ok = *number ? units_parse_integer(number, &to->packets, err) : units_parse_bytes(text, &to->bytes, err);
    return (ok && (to->packets > 0 || to->bytes > 0)) ||
           error_set(err, ERROR_INPUT, "--%s: '%s' is neither a size (128kB) nor packets (95p)", option->name, text);
}

/* As cli_options_read(). */
static int timers_options_read(struct timers_options *o, int argc, char **argv, struct error *err)
{
    *o = (struct timers_options){.rtt_ps = -1, .packet_bytes = PACKET_BYTES, .switches = 1};
    const struct cli_option options[] = {
        {"rate", 0, .whole = &o->rate_bps, .unit = CLI_OPTIONS_RATE},
        {"rtt", 0, .whole = &o->rtt_ps, .unit = CLI_OPTIONS_TIME},
        {"buffer", 0, .call = options_amount, .to = &o->buffer},
        {"hosts", 0, .whole = &o->hosts, .unit = CLI_OPTIONS_COUNT},
        {"window", 0, .call = options_amount, .to = &o->window},
        {"packet", 0, .whole = &o->packet_bytes, .unit = CLI_OPTIONS_BYTES},
        {"switches", 0, .whole = &o->switches, .unit = CLI_OPTIONS_COUNT},
        {"json", 0, .flag = &o->json},
        {0},
    };
    int at = cli_options_read("predict timers", argc, argv, options, err);
    if (at <= 0)
        return at;
    bool buffer = o->buffer.packets > 0 || o->buffer.bytes > 0;
    if (at < argc)
        error_set(err, ERROR_INPUT, "'%s' is not an option; see 'contraflow predict timers --help'", argv[at]);
    else if (o->rate_bps == 0 || o->rtt_ps < 0 || !buffer || o->hosts == 0)
        error_set(err, ERROR_INPUT, "--%s is missing; see 'contraflow predict timers --help'",
                  o->rate_bps == 0 ? "rate" : o->rtt_ps < 0 ? "rtt" : !buffer ? "buffer" : "hosts");
    else if (o->packet_bytes <= NOT_PAYLOAD_BYTES || o->packet_bytes > 65536)
        error_set(err, ERROR_INPUT, "--packet: must be from %d to 65536 bytes", NOT_PAYLOAD_BYTES + 1);
    else if (o->switches < 1 || o->hosts % o->switches != 0)
        error_set(err, ERROR_INPUT, "--switches: must divide the hosts");
    return err->code == ERROR_NONE ? at : -1;
}

static double in_packets(const struct amount *a, int64_t packet_bytes)
{
    return a->packets > 0 ? (double)a->packets : (double)a->bytes / (double)packet_bytes;
}

/* Eq. 6.1 and 6.2. On one switch every host sends the port a packet a step: nu = n. */
static bool global_window(const struct timers_options *o, double buffer, struct model_schedule_window *w, struct error *err)
{
    struct model_schedule_tree tree = {(size_t)(o->hosts / o->switches), (size_t)o->switches};
    double share = buffer / (double)o->hosts;
    *w = (struct model_schedule_window){(double)o->hosts, share, (size_t)fmax(1, share), share < 1};
    return o->switches == 1 || model_schedule_window(&tree, buffer, 0, w, err);
}

int cmd_predict_timers(int argc, char **argv)
{
    struct timers_options o;
    struct error err = {0};
    struct model_timers t;
    struct model_schedule_window w;
    int at = timers_options_read(&o, argc, argv, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    int64_t payload = o.packet_bytes - NOT_PAYLOAD_BYTES;
    double buffer = in_packets(&o.buffer, o.packet_bytes - NOT_BUFFERED_BYTES);
    struct model_timers_port port = {(double)o.rate_bps, (double)o.rtt_ps / (double)UNITS_PS_PER_S,
                                     (double)o.packet_bytes, buffer, (double)o.hosts};
    if (!model_timers(&port, &t, &err) || !global_window(&o, buffer, &w, &err))
        return cli_fail(&err);
    double window = in_packets(&o.window, payload), most = floor(t.window_packets);
    double fit = window > 0 ? model_timers_fit(&port, window) : NAN;
    double excess = window > 0 ? fmax(0, model_timers_peak(&port, port.hosts, window) - buffer) : NAN;
    /* Linux waits for its mean round trip and rto_min more, in whole milliseconds. */
    double linux_s = port.rtt_s + LINUX_LEAST_S, rto_min_ms = fmax(1, ceil((t.most_s - port.rtt_s) * 1e3 - 1e-9));
    const char *linux_is = linux_s > t.most_s ? "too long" : linux_s > t.least_s ? "within" : "too short";
    if (o.json) {
        cli_print_json(cli_json("predict-timers:1", results_json(
            "gap_s:f buffer_packets:f window_packets:f hosts_that_fit:f excess_packets:f lossless_packets:f "
            "burst_packets:f steady_packets:f global_window_packets:z overrun:b packets_per_step:f drained_s:f "
            "output_low_s:f output_high_s:f input_low_s:f input_high_s:f least_s:f most_s:f linux_s:f linux:s "
            "rto_min_ms:f",
            t.gap_s, buffer, window > 0 ? window : NAN, fit, excess, most, t.burst_packets, t.steady_packets,
            w.window_packets, w.overrun, w.uplink_packets, t.drained_s, t.output_low_s, t.output_high_s, t.input_low_s,
            t.input_high_s, t.least_s, t.most_s, linux_s, linux_is, rto_min_ms)));
        return 0;
    }
    printf("%.0f hosts to a port that buffers %.1f packets; a packet takes g_r = %.3f us\n", port.hosts,
           buffer, t.gap_s * 1e6);
    if (window > 0)
        printf("  windows of %.1f packets: %.0f fit, %.0f overflow the buffer; with all hosts %.0f packets are too "
               "many\n", window, fit, fit + 1, ceil(excess));
    if (isinf(most))
        puts("  one host: nothing is lost, whatever its window");
    else
        printf("  nothing is lost up to a window of %.0f packets (%.0f bytes): B / (n - 1) = %.2f at once, "
               "(B + T / g_r) / n = %.2f later\n", most, most * (double)payload, t.burst_packets, t.steady_packets);
    printf("  W_g %zu packets, B_L over %.2f packets a step (Tam 2001, Eq. 6.2)%s\n", w.window_packets,
           w.uplink_packets, w.overrun ? ": even one packet of each is too many" : "");
    printf("  round trip %.3f ms, with a full buffer %.3f ms\n", port.rtt_s * 1e3, t.drained_s * 1e3);
    printf("  timeout, output-buffered: above %.3f, up to %.3f ms (B_L e < TO / g_r <= B_L e^2)\n",
           t.output_low_s * 1e3, t.output_high_s * 1e3);
    printf("  timeout, input-buffered: %.3f to %.3f ms (2 B_L n <= TO / g_r <= 3 B_L n)\n", t.input_low_s * 1e3,
           t.input_high_s * 1e3);
    printf("Linux waits %.1f ms or longer. This is %s for %.3f to %.3f ms, output-buffered\n", linux_s * 1e3, linux_is,
           t.least_s * 1e3, t.most_s * 1e3);
    if (strcmp(linux_is, "within") != 0)
        printf("  ip route change ROUTE rto_min %.0fms    # ROUTE as 'ip route' shows it\n", rto_min_ms);
    if (strcmp(linux_is, "too long") == 0)
        printf("  sysctl -w net.ipv4.tcp_rto_min_us=%.0f    # instead, for all new connections, since Linux 6.11\n",
               rto_min_ms * 1e3);
    return 0;
}
