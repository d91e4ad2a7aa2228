/* SPDX-License-Identifier: GPL-2.0-or-later */

#include "test/scenarios/text.h"

static const char *rejection(const char *yaml)
{
    static struct error err;
    struct scenario s;
    text_write("s.yaml", yaml, strlen(yaml));
    assert_false(scenario_load(&s, "s.yaml", NULL, 0, &err));
    return err.message;
}

TEST(test_rates_of_every_link_are_held)
{
    static const char *const rates[] = {"1kbps",  "10Mbps", "50Mbps",  "100Mbps", "1Gbps",   "2.5Gbps", "5Gbps",
                                        "10Gbps", "25Gbps", "40Gbps", "50Gbps",  "100Gbps", "200Gbps", "400Gbps",
                                        "800Gbps",
                                        /* a byte takes no whole number of picoseconds: */
                                        "300Mbps", "9.99Gbps"};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        char yaml[64];
        snprintf(yaml, sizeof yaml, "network: {link: {rate: %s}}\n", rates[i]);
        MEMORY_ENDS(scenario_fini) struct scenario s = text_load(yaml, NULL);
        assert_true(s.network.link.rate_bps >= 1000);
    }
}

TEST(test_rate_out_of_range_is_refused)
{
    assert_string_equal(rejection("network: {link: {rate: 999bps}}\n"),
                        "s.yaml:1: network.link.rate: '999bps' is outside 1kbps to 8Tbps");
}

TEST(test_limits_are_bytes_or_packets)
{
    static const struct {
        const char *text;
        int64_t bytes, packets;
    } limits[] = {
        {"20MB", 20000000, EMU_QUEUE_UNLIMITED},      {"64 KiB", 65536, EMU_QUEUE_UNLIMITED},
        {"2000", 2000, EMU_QUEUE_UNLIMITED},          {"1000p", EMU_QUEUE_UNLIMITED, 1000},
        {"1 packet", EMU_QUEUE_UNLIMITED, 1},         {"85packets", EMU_QUEUE_UNLIMITED, 85},
        {"1000000000p", EMU_QUEUE_UNLIMITED, 1000000000},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        char yaml[64];
        snprintf(yaml, sizeof yaml, "network: {nic: {limit: %s}}\n", limits[i].text);
        MEMORY_ENDS(scenario_fini) struct scenario s = text_load(yaml, NULL);
        assert_all(s.network.nic.limit_bytes == limits[i].bytes, s.network.nic.limit_packets == limits[i].packets);
    }
    assert_string_equal(rejection("network: {nic: {limit: 0p}}\n"),
                        "s.yaml:1: network.nic.limit: '0' is outside 1 to 1000000000");
    assert_string_equal(rejection("network: {nic: {limit: 10 frames}}\n"),
                        "s.yaml:1: network.nic.limit: neither bytes (20MB), nor packets (1000p), nor none: '10 frames' "
                        "has unknown unit 'frames'; a size looks like 3MB, 500kB or 64KiB");
    assert_string_equal(rejection("network: {nic: {limit: p}}\n"),
                        "s.yaml:1: network.nic.limit: neither bytes (20MB), nor packets (1000p), nor none: 'p' is not "
                        "a size; try 3MB, 500kB or 64KiB");
}

TEST(test_every_congestion_control_is_known_by_its_whole_name)
{
    int n = 0;
    for (; emu_congestion_names[n]; n++) {
        char yaml[64];
        snprintf(yaml, sizeof yaml, "tcp: {congestion: %s}\n", emu_congestion_names[n]);
        MEMORY_ENDS(scenario_fini) struct scenario s = text_load(yaml, NULL);
        assert_int_equal(s.tcp.congestion, n);
    }
    assert_true(n >= 11);
    assert_non_null(strstr(rejection("tcp: {congestion: cub}\n"), "'cub' is not a congestion control"));
    assert_non_null(strstr(rejection("tcp: {congestion: 'cubic, bic'}\n"), "is not a congestion control"));
}

CM_GROUP(text_enter, text_leave)
