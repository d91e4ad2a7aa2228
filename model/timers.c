/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/timers.h"

#define HOSTS_MOST 1e9

static double timers_gap_s(const struct model_timers_port *port)
{
    return 8 * port->packet_bytes / port->rate_bps;
}

static bool timers_positive(const char *name, double value, struct error *err)
{
    return (isfinite(value) && value > 0) ||
           error_set(err, ERROR_INPUT, "%s: %g; must be a finite number above 0", name, value);
}

bool model_timers(const struct model_timers_port *port, struct model_timers *t, struct error *err)
{
    if (!timers_positive("rate", port->rate_bps, err) || !timers_positive("packet", port->packet_bytes, err) ||
        !timers_positive("buffer", port->buffer_packets, err))
        return false;
    if (!isfinite(port->rtt_s) || port->rtt_s < 0)
        return error_set(err, ERROR_INPUT, "round trip: %g s; must be a finite number from 0", port->rtt_s);
    if (!(port->hosts >= 1 && port->hosts <= HOSTS_MOST) || floor(port->hosts) < port->hosts)
        return error_set(err, ERROR_INPUT, "hosts: %g; must be a whole number from 1 to %g", port->hosts, HOSTS_MOST);
    double g = timers_gap_s(port), b = port->buffer_packets, n = port->hosts, e = exp(1);
    double drained = port->rtt_s + b * g, low = b * e * g, high = b * e * e * g;
    double burst = n > 1 ? b / (n - 1) : INFINITY, steady = n > 1 ? (b + port->rtt_s / g) / n : INFINITY;
    *t = (struct model_timers){.gap_s = g,
                               .burst_packets = burst,
                               .steady_packets = steady,
                               .window_packets = fmin(burst, steady),
                               .drained_s = drained,
                               .output_low_s = low,
                               .output_high_s = high,
                               .input_low_s = 2 * b * n * g,
                               .input_high_s = 3 * b * n * g,
                               .least_s = fmax(low, drained),
                               .most_s = fmax(high, drained)};
    return true;
}

double model_timers_peak(const struct model_timers_port *port, double hosts, double window_packets)
{
    if (hosts <= 1)
        return 0;
    return fmax((hosts - 1) * window_packets, hosts * window_packets - port->rtt_s / timers_gap_s(port));
}

double model_timers_fit(const struct model_timers_port *port, double window_packets)
{
    double b = port->buffer_packets, path = port->rtt_s / timers_gap_s(port);
    return fmax(1, floor(fmin(1 + b / window_packets, (b + path) / window_packets)));
}
