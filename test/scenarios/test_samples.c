/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/samples.h"

#include "base/random.h"
#include "test/cm.h"

#define FLOWS 300
#define SAMPLES 200

/* What was put in comes out, whatever it does: stands still, grows by a byte or by 2^62, falls back, or begins late. */
TEST(test_what_goes_in_comes_out)
{
    static int64_t value[SAMPLES][FLOWS];
    MEMORY_ENDS(samples_fini) struct samples s;
    struct random random = random_of(1);
    samples_init(&s, FLOWS);
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t there = i < SAMPLES / 2 ? FLOWS - 7 : FLOWS; /* seven come later */
        for (size_t f = 0; f < there; f++) {
            int64_t last = i > 0 ? value[i - 1][f] : 0;
            uint64_t kind = random_below(&random, 8), grows = random_next(&random) >> (2 + random_below(&random, 61));
            value[i][f] = kind < 4 ? last : kind < 7 ? (int64_t)(grows >> 1) : last - (last > 5 ? 5 : 0);
            samples_add(&s, value[i][f]);
        }
        samples_end(&s);
    }
    assert_int_equal(s.n, SAMPLES);
    MEMORY_ENDS(samples_reader_fini) struct samples_reader r;
    samples_reader_init(&r, &s);
    for (size_t f = 0; f < FLOWS; f++) {
        double read[SAMPLES];
        samples_read(&r, read);
        for (size_t i = 0; i < SAMPLES; i++)
            assert_true(read[i] == (double)value[i][f]);
    }
}

/* By arithmetic: 12,500 bytes more, doubled, are 15 bits and take three bytes; flows that stand still take two of a
 * sample, however many there are, and one byte more where they are 128 or more. */
TEST(test_few_bytes_are_kept)
{
    struct samples s;
    samples_init(&s, FLOWS);
    for (int64_t i = 0; i < 10; i++) {
        for (int f = 0; f < FLOWS; f++)
            samples_add(&s, f < 100 ? i * 12500 : 77);
        samples_end(&s);
    }
    size_t first = 2 + 200 * 2, later = 100 * 3 + 1 + 2; /* 77 doubled takes two bytes */
    assert_ints({s.end[0], first}, {s.used, first + 9 * later});
    samples_fini(&s);
    samples_init(&s, 5); /* no sample: nothing to read */
    MEMORY_ENDS(samples_reader_fini) struct samples_reader r;
    samples_reader_init(&r, &s);
    samples_read(&r, NULL);
    samples_fini(&s);
}
