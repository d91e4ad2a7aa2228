/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/random.h"
#include "base/units.h"
#include "test/cm.h"

typedef bool parser(const char *text, int64_t *value, struct error *err);
struct good {
    const char *text;
    int64_t value;
};
struct bad {
    const char *text, *words;
};
#define GOOD(parse, ...) good(parse, (const struct good[]){__VA_ARGS__, {0}})
#define BAD(parse, ...) bad(parse, (const struct bad[]){__VA_ARGS__, {0}})

static void good(parser *parse, const struct good *row)
{
    struct error err = {0};
    for (int64_t value = -1; row->text; row++)
        if (!parse(row->text, &value, &err) || value != row->value)
            fail_msg("'%s' is no %lld: %s", row->text, (long long)row->value, err.message);
}

static void bad(parser *parse, const struct bad *row)
{
    for (; row->text; row++) {
        struct error err = {0};
        int64_t value = -1;
        if (parse(row->text, &value, &err) || err.code != ERROR_INPUT || value != -1 || !strstr(err.message, row->words))
            fail_msg("'%s': '%s' lacks '%s', or the text is taken", row->text, err.message, row->words);
    }
}

TEST(test_rates_are_bits_per_second)
{
    GOOD(units_parse_rate, {"1Gbps", 1000000000}, {"100 Mb/s", 100000000}, {"2.5Gbit/s", 2500000000}, {"9600bps", 9600},
         {" 0.4Tbps ", 400000000000});
}

TEST(test_sizes_are_bytes_with_decimal_and_binary_units)
{
    GOOD(units_parse_bytes, {"3MB", 3000000}, {"500kB", 500000}, {"500K", 500000}, {"64KiB", 65536}, {"1448", 1448},
         {"1.5kB", 1500});
}

TEST(test_rates_are_taken_as_tc_and_iperf3_write_them)
{
    GOOD(units_parse_rate, {"10gbit", 10000000000}, {"100mbit", 100000000}, {"64Kbit", 64000}, {"9600bit", 9600},
         {"1 GBIT", 1000000000}, {"25G", 25000000000}, {"2.5g", 2500000000}, {"100M", 100000000}, {"500k", 500000},
         {"1gbps", 1000000000}, /* bits, where tc has bytes */
         {"1tbit/s", 1000000000000});
    BAD(units_parse_rate, {"1GB/s", "unknown unit 'GB/s'"}, {"1GBps", "unknown unit 'GBps'"},
        {"1MB", "unknown unit 'MB'"}, {"1Gib", "unknown unit 'Gib'"});
}

TEST(test_sizes_are_taken_as_iperf3_writes_them)
{
    GOOD(units_parse_bytes, {"3M", 3000000}, {"3m", 3000000}, {"64k", 64000}, {"2G", 2000000000}, {"1T", 1000000000000},
         {"1MiB", 1048576}, {"64kib", 65536}, {"500KB", 500000});
    BAD(units_parse_bytes, {"3Mbit", "unknown unit 'Mbit'"}, {"64Kb", "unknown unit 'Kb'"}, {"1i", "unknown unit 'i'"});
}

TEST(test_times_are_picoseconds)
{
    GOOD(units_parse_time, {"2s", 2 * UNITS_PS_PER_S}, {"600ms", 600 * UNITS_PS_PER_MS}, {"50us", 50 * UNITS_PS_PER_US},
         {"0.1ns", 100}, {"0", 0});
}

TEST(test_shares_are_percent_or_plain)
{
    static const char *const bad[] = {"", "%", "two", "2%%", "5 %", "2% ", "inf", "nan%"};
    double share = -1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(units_parse_share(bad[i], &share));
    assert_true(share < 0);
    assert_true(units_parse_share("5%", &share));
    assert_float_equal(share, 0.05, 0);
    assert_true(units_parse_share("0.02", &share));
    assert_float_equal(share, 0.02, 0);
    assert_true(units_parse_share("-250%", &share));
    assert_float_equal(share, -2.5, 0);
}

TEST(test_wrong_units_are_named)
{
    BAD(units_parse_rate, {"1Gb", "unknown unit 'Gb'"}, {"1000", "no unit"}, {"fast", "is not a rate"});
    BAD(units_parse_time, {"5", "no unit"}, {"5 minutes", "unknown unit 'minutes'"});
    BAD(units_parse_bytes, {"3mb", "unknown unit 'mb'"}, {"", "is not a size"}, {".", "is not a size"},
        {"-1", "negative"}, {"1.5", "finer than"});
    BAD(units_parse_time, {"0.5ps", "finer than"}, {"99999999s", "too large"});
    BAD(units_parse_bytes, {"99999999999999999999999999999999999999999999", "too large"});
}

TEST(test_integers_are_whole)
{
    GOOD(units_parse_integer, {"12", 12}, {"-3", -3});
    BAD(units_parse_integer, {"", "whole number"}, {"1.0", "whole number"}, {"0x10", "whole number"},
        {" 1", "whole number"}, {"9223372036854775808", "64 bits"}); /* 2^63 */
    GOOD(units_parse_integer, {"9223372036854775807", INT64_MAX});
}

/* What is formatted parses back to the same value, for any value. */
TEST(test_formatting_round_trips)
{
    struct random r = random_of(7);
    for (int i = 0; i < 20000; i++) {
        int64_t value = (int64_t)(random_next(&r) >> (1 + random_below(&r, 62))), back;
        if (i % 3 == 0)
            value = (int64_t)random_below(&r, 1000) * 1000000;
        char text[UNITS_TEXT];
        units_format_rate(value, text);
        assert_true(units_parse_rate(text, &back, &err));
        assert_int_equal(back, value);
        units_format_bytes(value, text);
        assert_true(units_parse_bytes(text, &back, &err));
        assert_int_equal(back, value);
        units_format_time(value, text);
        assert_true(units_parse_time(text, &back, &err));
        assert_int_equal(back, value);
    }
    char text[UNITS_TEXT];
    units_format_time(50 * UNITS_PS_PER_US, text);
    assert_string_equal(text, "50us");
    units_format_rate(1000000000, text);
    assert_string_equal(text, "1Gbps");
    units_format_bytes(1500000, text);
    assert_string_equal(text, "1500kB");
}

TEST(test_rates_have_a_digit_after_the_point_and_slow_ones_three)
{
    static const struct {
        double bps;
        const char *text;
    } rates[] = {{1829.44e6, "1829.4"}, {1e6, "1.0"},    {0.9999e6, "1.0"}, {0.68612e6, "0.686"},
                 {64e3, "0.064"},       {0, "0.0"},      {-0.5e6, "-0.5"},  {123.4, "0.000123"},
                 {NAN, "-"}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        assert_string_equal(UNITS_MBPS(rates[i].bps), rates[i].text);
}

TEST(test_figures_have_no_exponent)
{
    static const struct {
        double value;
        int digits;
        const char *text;
    } figures[] = {
        {5072.4, 3, "5072"},      {93.84, 3, "93.8"}, {0.02571, 3, "0.0257"}, {2, 3, "2"},     {100, 3, "100"},
        {18285.6, 4, "18286"},    {999.97, 4, "1000"}, {0.00000123, 2, "0.0000012"}, {0, 3, "0"}, {-0.0, 3, "0"},
        {-1234.5678, 3, "-1235"}, {20.004, 4, "20"},  {NAN, 3, "-"},          {-INFINITY, 3, "-"},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        assert_string_equal(UNITS_FIGURE(figures[i].value, figures[i].digits), figures[i].text);
}
