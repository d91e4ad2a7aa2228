/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sides whose figures are chosen here: what is printed of them is arithmetic on paper. */
#include "test/cm.h"
#include "view/compare.h"

static struct study_compare_value value(double before, double before_ci95, double after, double after_ci95)
{
    return (struct study_compare_value){.mean = {before, after}, .ci95 = {before_ci95, after_ci95}};
}

static struct analysis_resource sides[STUDY_COMPARE_SIDES];
static struct study_compare_flow flow;

/* One flow in: 20 +- 3 become 25 +- 4 Mb/s, 5 +- 5 more. */
static struct study_compare_host host(void)
{
    struct study_compare_value none = value((double)NAN, (double)NAN, (double)NAN, (double)NAN);
    struct study_compare_host h = {.lost_share = none, .retransmitted = value(3, (double)NAN, 1, (double)NAN),
                                   .flow = &flow, .n = 1};
    for (int side = 0; side < STUDY_COMPARE_SIDES; side++) {
        sides[side] = (struct analysis_resource){.end_s = 10};
        snprintf(sides[side].host, sizeof sides[side].host, "%c", side ? 'b' : 'a');
        h.side[side] = &sides[side];
    }
    for (int way = 0; way < STUDY_COMPARE_WAYS; way++) {
        h.rate_bps[way] = way == STUDY_COMPARE_OUT ? value(0, 0, 0, 0) : value(20e6, 3e6, 25e6, 4e6);
        h.data_wait_s[way] = h.ack_wait_s[way] = none;
    }
    h.ack_wait_s[STUDY_COMPARE_IN] = value(0.012, (double)NAN, 0.003, (double)NAN);
    flow = (struct study_compare_flow){.src = "x:1", .dst = "a:2", .incoming = true, .rate_bps = value(20e6, 3e6, 25e6, 4e6)};
    return h;
}

static char *printed(const struct study_compare_host *h)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    view_compare_print(f, h);
    fclose(f);
    return text;
}

/* The first line; and numbers of the row that begins with these words, as many as there are. */
static void first_line_is(const struct study_compare_host *h, const char *line)
{
    MEMORY_LOCAL char *text = printed(h);
    text[strcspn(text, "\n")] = '\0';
    assert_string_equal(text, line);
}

static void row_is(const char *text, const char *words, const double *wanted, size_t n, const char *answer)
{
    const char *at = strstr(text, words);
    if (!at)
        fail_msg("no '%s' in %s", words, text);
    at += strlen(words);
    for (size_t i = 0; i < n; i++) {
        char *end;
        double is = strtod(at, &end);
        if (end == at && at[strspn(at, " ")] == '-') { /* unknown */
            is = NAN;
            end += strspn(at, " ") + 1;
        }
        if (isnan(wanted[i]) != isnan(is) || fabs(is - wanted[i]) > 0.0006)
            fail_msg("%s: %zu is %g, not %g, in %s", words, i, is, wanted[i], text);
        at = end;
    }
    at += strspn(at, " ");
    assert_int_equal(strncmp(at, answer, strlen(answer)), 0);
}

TEST(test_a_sentence_has_the_change_its_interval_and_its_share)
{
    struct study_compare_host h = host();
    first_line_is(&h, "host a, then b: 25.0 instead of 20.0 Mb/s in both directions: +5.0 +- 5.0 Mb/s (+25.0 %), which is no "
                      "change; lost to waiting ACKs: not judged, as before");
    h.rate_bps[STUDY_COMPARE_BOTH].mean[STUDY_COMPARE_AFTER] = 14e6;
    first_line_is(&h, "host a, then b: 14.0 instead of 20.0 Mb/s in both directions: -6.0 +- 5.0 Mb/s (-30.0 %), less; lost "
                      "to waiting ACKs: not judged, as before");
    h.rate_bps[STUDY_COMPARE_BOTH] = value(0.5e6, 0.03e6, 0.75e6, 0.04e6); /* below 1 Mb/s changes have three digits */
    first_line_is(&h, "host a, then b: 0.75 instead of 0.5 Mb/s in both directions: +0.250 +- 0.050 Mb/s (+50.0 %), more; "
                      "lost to waiting ACKs: not judged, as before");
    h.side[STUDY_COMPARE_BEFORE] = NULL;
    first_line_is(&h, "host b: only after: 0.75 Mb/s in both directions");
}

/* A flow of which nothing is known but that its window was never cut: five times as long would do. */
TEST(test_what_is_too_short_says_what_would_do)
{
    struct analysis_check_flow short_flow = {.ci95_bps = NAN};
    struct study_compare_host h = host();
    h.rate_bps[STUDY_COMPARE_BOTH] = value(20e6, (double)NAN, 10e6, 1e6);
    first_line_is(&h, "host a, then b: 10.0 instead of 20.0 Mb/s in both directions: -10.0 Mb/s (-50.0 %), no interval; lost "
                      "to waiting ACKs: not judged, as before");
    sides[0].flows = &short_flow;
    sides[0].n = 1;
    sides[0].end_s = 4; /* 20 s; 9.96 would be 10.0, with a digit */
    first_line_is(&h, "host a, then b: 10.0 instead of 20.0 Mb/s in both directions: -10.0 Mb/s (-50.0 %), no interval: 4.0 s "
                      "are too short, some 20 s would do; lost to waiting ACKs: not judged, as before");
    sides[0].end_s = 10;
    first_line_is(&h, "host a, then b: 10.0 instead of 20.0 Mb/s in both directions: -10.0 Mb/s (-50.0 %), no interval: 10 s "
                      "are too short, some 50 s would do; lost to waiting ACKs: not judged, as before");
}

TEST(test_tables_have_both_sides_and_what_became_of_them)
{
    const double rate[] = {20, 3, 25, 4, 5, 5, 25}, wait[] = {12, NAN, 3, NAN, -9, NAN, -75}, again[] = {3, NAN, 1, NAN, -2, NAN, -66.7};
    struct study_compare_difference both[] = {{.what = (char[]){"tcp.window"}, .side = {(char[]){"1kB"}, (char[]){"2kB"}}},
                                              {.what = (char[]){"flows in"}, .side = {(char[]){"1"}, (char[]){"2"}}, .unlike = true}};
    struct study_compare_host h = host();
    h.difference = both;
    h.n_differences = 2;
    MEMORY_LOCAL char *text = printed(&h);
    row_is(text, "goodput both, Mb/s", rate, 7, "no");
    row_is(text, "ACKs wait, ms, of data in", wait, 7, "");
    row_is(text, "segments sent again", again, 7, "");
    row_is(text, "  a:2  in ", rate, 7, "no"); /* the flow's */
    assert_non_null(strstr(text, "  what differs: tcp.window: 1kB, then 2kB\n"));
    assert_non_null(strstr(text, "which alone changes rates: flows in: 1, then 2\n"));
    assert_null(strstr(text, "data wait"));
}
