/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/model/patterns.h"

#include "scenarios/traffic/random_pattern.h"

const struct model_transfer pattern_figure1[5] = {
    {0, 5, 10e6, 500e3, 0}, /* e1 X1 -> Y3 */
    {0, 1, 20e6, 500e3, 0}, /* e2 X1 -> X2 */
    {1, 4, 20e6, 500e3, 0}, /* e3 X2 -> Y2 */
    {2, 6, 20e6, 500e3, 0}, /* e4 X3 -> Y4 */
    {3, 4, 20e6, 500e3, 0}, /* e5 Y1 -> Y2 */
};

struct model_platform pattern_platform(void)
{
    struct model_platform p = {
        .n_racks = 1,
        .nic = {.rate_bps = 1e9},
        .backbone = {.rate_bps = 1e9},
        .segment_bytes = 1448,
        .header_bytes = 52,
        .ack_wire_bytes = 90,
        .segments_per_ack = 2,
        .ack_timeout_s = 40e-3,
    };
    p.nic.goodput_bps = p.backbone.goodput_bps = model_platform_goodput_bps(&p, 1e9);
    return p;
}

struct model_platform pattern_figure1_platform(void)
{
    static const int rack[7] = {0, 0, 0, 1, 1, 1, 1};
    struct model_platform p = pattern_platform();
    p.n_nodes = 7;
    p.n_racks = 2;
    p.rack = rack;
    p.nic.goodput_bps = p.backbone.goodput_bps = 940e6;
    return p;
}

size_t pattern_random(struct model_transfer *transfers, int nodes, int d, bool unequal, uint64_t seed)
{
    static struct random_pattern_pair pairs[PATTERN_MOST];
    static const double windows[] = {64e3, 250e3, 500e3, 3e6};
    struct random r = random_of(seed);
    size_t n = random_pattern_draw(nodes, d, 0.5, &r, pairs);
    for (size_t i = 0; i < n; i++)
        transfers[i] = (struct model_transfer){
            pairs[i].from, pairs[i].to, 10e6, unequal ? windows[random_below(&r, 4)] : 250e3, 0};
    return n;
}

struct model_platform pattern_two_racks(int nodes, int *rack)
{
    struct model_platform p = pattern_platform();
    for (int i = 0; i < nodes; i++)
        rack[i] = i >= nodes / 2;
    p.n_nodes = nodes;
    p.n_racks = 2;
    p.rack = rack;
    p.nic = (struct model_cable){1e9, 50e-6, 940e6};
    p.backbone = (struct model_cable){10e9, 50e-6, 9.4e9};
    return p;
}

size_t pattern_star(struct model_transfer *transfers, int n_in, int n_out)
{
    for (int i = 0; i < n_in + n_out; i++)
        transfers[i] = (struct model_transfer){i < n_in ? i + 1 : 0, i < n_in ? 0 : i + 1, 10e6, 3e6, 0};
    return (size_t)(n_in + n_out);
}

struct model_platform pattern_star_platform(int n_in, int n_out)
{
    struct model_platform p = pattern_platform();
    p.n_nodes = 1 + n_in + n_out;
    p.nic.goodput_bps = 940e6;
    p.nic.delay_s = 50e-6;
    return p;
}
