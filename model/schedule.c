/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/schedule.h"

#define PROCESSES_MAX ((size_t)1 << 40) /* products of two counts of this size are not formed as integers */

size_t model_schedule_rounds(size_t processes)
{
    if (processes < 2)
        return 0;
    return processes % 2 ? processes : processes - 1;
}

size_t model_schedule_partner(size_t processes, size_t round, size_t me)
{
    size_t chi = model_schedule_rounds(processes);
    if (me >= processes || round < 1 || round > chi)
        return MODEL_SCHEDULE_IDLE;
    if (me == chi) /* chi is odd: one of round and round + chi is even */
        return (round % 2 ? (round + chi) / 2 : round / 2) % chi;
    size_t partner = (round + chi - me) % chi;
    if (partner != me)
        return partner;
    return processes % 2 ? MODEL_SCHEDULE_IDLE : chi;
}

static bool schedule_tree_valid(const struct model_schedule_tree *tree)
{
    return tree->nodes_per_switch >= 1 && tree->switches >= 1 &&
           tree->nodes_per_switch <= PROCESSES_MAX / tree->switches;
}

size_t model_schedule_logical(const struct model_schedule_tree *tree, size_t physical)
{
    size_t d1 = tree->nodes_per_switch, d2 = tree->switches;
    if (!schedule_tree_valid(tree) || physical >= d1 * d2)
        return SIZE_MAX;
    return physical / d1 + physical % d1 * d2;
}

size_t model_schedule_physical(const struct model_schedule_tree *tree, size_t logical)
{
    size_t d1 = tree->nodes_per_switch, d2 = tree->switches;
    if (!schedule_tree_valid(tree) || logical >= d1 * d2)
        return SIZE_MAX;
    return logical / d2 + logical % d2 * d1;
}

static bool schedule_positive(const char *name, const char *unit, double value, struct error *err)
{
    if (isfinite(value) && value > 0)
        return true;
    return error_set(err, ERROR_INPUT, "%s: %g%s; must be a finite number above 0", name, value, unit);
}

/* (p - d1) d1: packets up an uplink, and as many down, while everybody sends one to everybody else. */
static bool schedule_cross_packets(const struct model_schedule_tree *tree, double *cross, struct error *err)
{
    if (!schedule_tree_valid(tree) || tree->switches < 2)
        return error_set(err, ERROR_INPUT,
                         "switches: %zu of %zu nodes; must be at least 2 of at least 1, or there is no uplink",
                         tree->switches, tree->nodes_per_switch);
    double d1 = (double)tree->nodes_per_switch;
    *cross = d1 * (double)(tree->switches - 1) * d1;
    return true;
}

bool model_schedule_window(const struct model_schedule_tree *tree, double buffer_packets, double control_packets,
                           struct model_schedule_window *window, struct error *err)
{
    double cross = 0;
    if (!schedule_cross_packets(tree, &cross, err) || !schedule_positive("buffer", " packets", buffer_packets, err))
        return false;
    if (!isfinite(control_packets) || control_packets < 0)
        return error_set(err, ERROR_INPUT, "control packets: %g for each data packet; must be a finite number from 0",
                         control_packets);
    double steps = (double)(tree->nodes_per_switch * tree->switches - 1);
    double nu = cross / steps * (1 + control_packets);
    double share = buffer_packets / nu;
    if (share >= (double)PROCESSES_MAX)
        return error_set(err, ERROR_INPUT, "buffer: %g packets, %g for each process; too many to count",
                         buffer_packets, share);
    *window = (struct model_schedule_window){.uplink_packets = nu,
                                             .share = share,
                                             .window_packets = share < 1 ? 1 : (size_t)share,
                                             .overrun = share < 1};
    return true;
}

bool model_schedule_uplink_s(const struct model_schedule_tree *tree, double message_bytes, double rate_bps,
                             double *time_s, struct error *err)
{
    double cross = 0;
    if (!schedule_cross_packets(tree, &cross, err) || !schedule_positive("message", " bytes", message_bytes, err) ||
        !schedule_positive("uplink rate", " bit/s", rate_bps, err))
        return false;
    *time_s = 2 * cross * message_bytes * 8 / rate_bps;
    return true;
}
