/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/exchange/alltoall.h"

static bool is_at_least_zero(double x)
{
    return isfinite(x) && x >= 0;
}

static bool is_positive(double x)
{
    return isfinite(x) && x > 0;
}

bool model_alltoall_check(const struct model_alltoall_link *link, struct error *err)
{
    if (!is_at_least_zero(link->alpha_s))
        return error_set(err, ERROR_INPUT, "alpha is %g s: want a start-up time of 0 s or more", link->alpha_s);
    if (!is_positive(link->beta_s_per_byte))
        return error_set(err, ERROR_INPUT, "beta is %g s/byte: want a gap per byte above 0", link->beta_s_per_byte);
    return true;
}

static bool check_size(double bytes, struct error *err)
{
    return is_at_least_zero(bytes) || error_set(err, ERROR_INPUT, "message is %g bytes: want 0 or more", bytes);
}

static bool check_processes(size_t processes, struct error *err)
{
    return processes > 0 || error_set(err, ERROR_INPUT, "number of processes is 0: want 1 or more");
}

/* Finite parameters can still make a product too large for a double. */
static bool set_time(double value_s, double *time_s, struct error *err)
{
    if (!isfinite(value_s))
        return error_set(err, ERROR_INPUT, "time is beyond the range of numbers: want smaller alpha, beta or message");
    *time_s = value_s;
    return true;
}

bool model_alltoall_message(const struct model_alltoall_link *link, double bytes, double *time_s, struct error *err)
{
    if (!model_alltoall_check(link, err) || !check_size(bytes, err))
        return false;
    return set_time(link->alpha_s + link->beta_s_per_byte * bytes, time_s, err);
}

bool model_alltoall_bound(const struct model_alltoall_link *link, size_t processes, double bytes, double *time_s,
                          struct error *err)
{
    double message_s = 0;
    if (!model_alltoall_message(link, bytes, &message_s, err) || !check_processes(processes, err))
        return false;
    return set_time((double)(processes - 1) * message_s, time_s, err);
}

bool model_alltoall_shared(const struct model_alltoall_link *link, size_t processes, double bytes, double *time_s,
                           struct error *err)
{
    if (!model_alltoall_check(link, err) || !check_size(bytes, err) || !check_processes(processes, err))
        return false;
    return set_time(link->alpha_s + link->beta_s_per_byte * bytes * (double)processes, time_s, err);
}

/* One direction of one process. */
struct port {
    size_t messages;
    double bytes;
};

static struct port sum_port(const double *bytes, size_t processes, size_t process, bool sending)
{
    struct port port = {0, 0};
    for (size_t other = 0; other < processes; other++) {
        double w = sending ? bytes[process * processes + other] : bytes[other * processes + process];
        if (other == process || w <= 0)
            continue;
        port.messages++;
        port.bytes += w;
    }
    return port;
}

static bool check_matrix(const double *bytes, size_t processes, struct error *err)
{
    if (!check_processes(processes, err))
        return false;
    for (size_t i = 0; i < processes; i++)
        for (size_t j = 0; j < processes; j++)
            if (i != j && !is_at_least_zero(bytes[i * processes + j]))
                return error_set(err, ERROR_INPUT, "message from process %zu to %zu is %g bytes: want 0 or more", i, j,
                                 bytes[i * processes + j]);
    return true;
}

bool model_alltoall_bounds(const struct model_alltoall_link *link, const double *bytes, size_t processes,
                           struct model_alltoall_bounds *bounds, struct error *err)
{
    if (!model_alltoall_check(link, err) || !check_matrix(bytes, processes, err))
        return false;
    double most_bytes[2] = {0, 0}; /* received, sent */
    struct model_alltoall_bounds b = {.startups = 0};
    for (size_t i = 0; i < processes; i++) {
        for (int sending = 0; sending < 2; sending++) {
            struct port port = sum_port(bytes, processes, i, sending);
            if (port.messages > b.startups)
                b.startups = port.messages;
            most_bytes[sending] = fmax(most_bytes[sending], port.bytes);
            b.port_s = fmax(b.port_s, (double)port.messages * link->alpha_s + port.bytes * link->beta_s_per_byte);
        }
    }
    double most = fmax(most_bytes[0], most_bytes[1]);
    for (size_t i = 0; i < processes && !b.claim3; i++) {
        for (int sending = 0; sending < 2; sending++) {
            struct port port = sum_port(bytes, processes, i, sending);
            b.claim3 |= port.messages == b.startups && port.bytes >= most;
        }
    }
    b.send_s = most_bytes[1] * link->beta_s_per_byte;
    b.receive_s = most_bytes[0] * link->beta_s_per_byte;
    b.bytes_s = fmax(b.send_s, b.receive_s);
    b.rounds_s = (double)b.startups * link->alpha_s + b.bytes_s;
    double largest_s;
    if (!set_time(b.rounds_s, &largest_s, err))
        return false;
    *bounds = b;
    return true;
}

struct model_alltoall_gaps model_alltoall_gaps_default(void)
{
    return (struct model_alltoall_gaps){.free_s_per_byte = 8.502e-9, .contended_s_per_byte = 8.498189e-8, .rho = 0.5};
}

static bool check_gaps(const struct model_alltoall_gaps *gaps, struct error *err)
{
    if (!is_positive(gaps->free_s_per_byte))
        return error_set(err, ERROR_INPUT, "beta_F is %g s/byte: want a gap per byte above 0", gaps->free_s_per_byte);
    if (!isfinite(gaps->contended_s_per_byte) || gaps->contended_s_per_byte < gaps->free_s_per_byte)
        return error_set(err, ERROR_INPUT, "beta_C is %g s/byte: want beta_F (%g) or more", gaps->contended_s_per_byte,
                         gaps->free_s_per_byte);
    return true;
}

bool model_alltoall_gap(const struct model_alltoall_gaps *gaps, double *beta_s_per_byte, struct error *err)
{
    if (!check_gaps(gaps, err))
        return false;
    if (!(gaps->rho >= 0 && gaps->rho <= 1))
        return error_set(err, ERROR_INPUT, "rho is %g: want a share from 0 to 1", gaps->rho);
    *beta_s_per_byte = (1 - gaps->rho) * gaps->free_s_per_byte + gaps->rho * gaps->contended_s_per_byte;
    return true;
}

bool model_alltoall_rho(const struct model_alltoall_gaps *gaps, double beta_s_per_byte, double *rho, struct error *err)
{
    if (!check_gaps(gaps, err))
        return false;
    double f = gaps->free_s_per_byte, c = gaps->contended_s_per_byte;
    if (f >= c)
        return error_set(err, ERROR_INPUT, "beta_F and beta_C are both %g s/byte: want two different gaps", f);
    if (!(beta_s_per_byte >= f && beta_s_per_byte <= c))
        return error_set(err, ERROR_INPUT, "beta is %g s/byte: want beta_F (%g) to beta_C (%g)", beta_s_per_byte, f, c);
    *rho = (beta_s_per_byte - f) / (c - f);
    return true;
}

static bool check_signature(const struct model_alltoall_signature *s, struct error *err)
{
    if (!is_positive(s->gamma))
        return error_set(err, ERROR_INPUT, "gamma is %g: want a contention ratio above 0", s->gamma);
    if (!is_at_least_zero(s->delta_s))
        return error_set(err, ERROR_INPUT, "delta is %g s: want a start-up cost of 0 s or more", s->delta_s);
    if (!is_at_least_zero(s->threshold_bytes))
        return error_set(err, ERROR_INPUT, "threshold M is %g bytes: want 0 or more", s->threshold_bytes);
    return true;
}

bool model_alltoall_contended(const struct model_alltoall_link *link, const struct model_alltoall_signature *signature,
                              size_t processes, double bytes, double *time_s, struct error *err)
{
    double bound_s = 0;
    if (!check_signature(signature, err) || !model_alltoall_bound(link, processes, bytes, &bound_s, err))
        return false;
    double delta_s = bytes >= signature->threshold_bytes ? signature->delta_s : 0;
    return set_time(bound_s * signature->gamma + (double)(processes - 1) * delta_s, time_s, err);
}
