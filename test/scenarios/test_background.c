/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of sizes, and traffic drawn from them; argv[1]: the folder of the tables that come with the project. */
#include "scenarios/save.h"
#include "scenarios/traffic/sizes.h"
#include "test/scenarios/text.h"

#include <assert.h>

static const char *folder;

static void near(double a, double b, double within)
{
    if (!(fabs(a - b) <= within))
        fail_msg("%.9g is not %.9g within %.3g", a, b, within);
}

static struct sizes shipped(const char *name)
{
    char path[4096];
    struct sizes s;
    struct error err = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!sizes_read(&s, path, &err))
        fail_msg("%s", err.message);
    return s;
}

/* Trapezoids by hand: of the web search 0.15 x 5000 + 0.05 x 15000 + 0.1 x 25000 + 0.1 x 40000 + 0.13 x 65000 +
 * 0.07 x 140000 + 0.1 x 600000 + 0.1 x 1500000 + 0.1 x 3500000 + 0.07 x 7500000 + 0.03 x 20000000. */
TEST(test_means_of_the_published_tables)
{
    struct sizes web MEMORY_ENDS(sizes_fini) = shipped("web-search.csv"), mining = shipped("data-mining.csv");
    near(sizes_mean(&web), 1711250, 1e-3);
    near(sizes_mean(&mining), 12658198.6, 1e-3);
    sizes_fini(&mining);
}

/* Of 100000 draws, shares at the table's rows within five standard errors; the mean, too, whose deviation is 4 MB. */
TEST(test_draws_follow_the_table)
{
    enum { DRAWS = 100000 };
    MEMORY_ENDS(sizes_fini) struct sizes web = shipped("web-search.csv");
    int below[32] = {0};
    double sum = 0;
    struct random random = random_of(7);
    for (int i = 0; i < DRAWS; i++) {
        int64_t bytes = sizes_draw(&web, &random);
        assert_true(bytes >= 1 && bytes <= 30000000);
        sum += (double)bytes;
        for (size_t k = 0; k < web.n; k++)
            below[k] += (double)bytes <= web.row[k][0];
    }
    for (size_t k = 0; k < web.n; k++) {
        double p = web.row[k][1];
        near(below[k] / (double)DRAWS, p, 5 * sqrt(p * (1 - p) / DRAWS) + 1e-9);
    }
    near(sum / DRAWS, 1711250, 5 * 4e6 / sqrt(DRAWS));
}

static void refuses(const char *text, const char *sentence)
{
    struct sizes s;
    struct error err = {0};
    text_write("t.csv", text, strlen(text));
    assert_false(sizes_read(&s, "t.csv", &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_string_equal(err.message, sentence);
    unlink("t.csv");
}

TEST(test_what_is_no_distribution_is_refused)
{
    refuses("bytes,share\n1,1\n", "t.csv:1: no column 'cdf'; the first line names bytes,cdf");
    refuses("bytes,cdf\n1,0.5\n", "t.csv:2: a distribution ends with a share of 1, and its mean is above 0");
    refuses("bytes,cdf\n0,1\n", "t.csv:2: a distribution ends with a share of 1, and its mean is above 0");
    refuses("bytes,cdf\n5,0.5\n4,1\n", "t.csv:3: neither column may fall");
    refuses("bytes,cdf\n5,0.5\n6,0.4\n", "t.csv:3: neither column may fall");
    refuses("bytes,cdf\n5,1.5\n", "t.csv:2: bytes from 0 to 1e+15 and a share from 0 to 1 are wanted");
}

static void survives(struct scenario *s)
{
    char *first, *second MEMORY_LOCAL;
    size_t size;
    struct error err = {0};
    MEMORY_ENDS(scenario_fini) struct scenario again;
    FILE *f = open_memstream(&first, &size);
    assert_true(scenario_write(s, f, NULL, &err));
    fclose(f);
    if (!scenario_load_text(&again, "again", first, &err))
        fail_msg("%s", err.message);
    f = open_memstream(&second, &size);
    assert_true(scenario_write(&again, f, NULL, &err));
    fclose(f);
    assert_string_equal(first, second);
    assert_int_equal(s->n_flows, again.n_flows);
    for (int i = 0; i < s->n_flows; i++)
        assert_int_equal(s->flows[i].start_ps, again.flows[i].start_ps);
    scenario_fini(s);
    free(first);
}

/* 1000 B a flow and 8 hosts of 1 Gb/s: half of what they carry in full frames, 1448 of 1538 bytes. In 0.1 s that are
 * 0.5 x 8 x 0.9415e9 x 0.1 / 8000 = 47074 flows, or 9415 at a tenth of that load: within five standard deviations. Gaps of a
 * Poisson process have their mean as deviation. */
TEST(test_poisson_arrivals_have_their_load)
{
    text_write("one.csv", "bytes,cdf\n1000,1\n", 17);
    struct scenario s = text_load("duration: 1s\nnetwork: {hosts: 8, link: {rate: 1Gbps}}\n"
                                  "traffic: {background: {sizes: one.csv, load: 5%, stop: 100ms}}\n", NULL);
    double mean = 0.05 * 8 * 1e9 * 1448 / 1538 * 0.1 / 8000, gaps = 0, squares = 0;
    near(s.n_flows, mean, 5 * sqrt(mean));
    int from[8] = {0}, to[8] = {0};
    for (int i = 1; i < s.n_flows; i++) {
        double gap = (double)(s.flows[i].start_ps - s.flows[i - 1].start_ps);
        assert_true(gap >= 0);
        assert_int_equal(s.flows[i].bytes, 1000);
        assert_int_not_equal(s.flows[i].from, s.flows[i].to);
        gaps += gap;
        squares += gap * gap;
        from[s.flows[i].from]++;
        to[s.flows[i].to]++;
    }
    double n = s.n_flows - 1, average = gaps / n;
    near(sqrt(squares / n - average * average) / average, 1, 0.05);
    for (int h = 0; h < 8; h++) {
        near(from[h], n / 8, 5 * sqrt(n / 8));
        near(to[h], n / 8, 5 * sqrt(n / 8));
    }
    assert_true(s.flows[s.n_flows - 1].start_ps < 100 * UNITS_PS_PER_MS);
    survives(&s);
    text_rejects("duration: 1s\nnetwork: {hosts: 8, link: {rate: 1Gbps}}\ntraffic: {background: {sizes: one.csv}}\n", NULL,
                 "s.yaml:3: traffic.background: makes more than the 100000 flows that can run; lower its load, or stop it "
                 "sooner");
    text_rejects("traffic: {background: {sizes: one.csv}}\n", NULL,
                 "s.yaml:1: traffic: needs to know how many hosts there are: give network.hosts");
    text_rejects("network: {hosts: 3}\ntraffic: {background: {sizes: two.csv}}\n", NULL,
                 "s.yaml:2: traffic.background.sizes: two.csv: No such file or directory");
    text_rejects("network: {hosts: 3}\ntraffic: {background: {sizes: one.csv, hosts: [h1]}}\n", NULL,
                 "s.yaml:2: traffic.background.hosts: one host has nobody to send to; give 2 or more");
    text_rejects("network: {hosts: 3}\ntraffic: {exchange: {}, background: {sizes: one.csv}}\n", NULL,
                 "s.yaml:2: traffic.background: goes beside TCP's flows, collectives and GOAL texts alone");
    text_rejects("network: {hosts: 3}\ntraffic:\n  star: {points: [1/1, 2/1]}\n  background: {sizes: one.csv}\n", NULL,
                 "s.yaml:4: traffic.background: does not go with points, each a run of its own");
    unlink("one.csv");
}

/* Beside a star they follow its flows; beside a collective they are saved as flows beside it. */
TEST(test_background_goes_beside_others)
{
    text_write("one.csv", "bytes,cdf\n100000,1\n", 19);
    struct scenario s = text_load("network: {hosts: 4}\ntraffic:\n  star: {incoming: 2, bytes: 1MB}\n"
                                  "  background: {sizes: one.csv, load: 10%, hosts: [h1, h3], stop: 50ms}\n", NULL);
    assert_string_equal(s.flows[0].name, "in1");
    assert_true(s.n_flows > 4);
    for (int i = 2; i < s.n_flows; i++)
        assert_int_equal(s.flows[i].from + s.flows[i].to, 4);
    survives(&s);
    s = text_load("network: {hosts: 4}\ntraffic:\n  collective: {algorithm: ring-allreduce}\n"
                  "  beside: [{from: h0, to: h2, rate: 1Mbps, bytes: 1kB, pauses: [1s after 10]}]\n"
                  "  background: {sizes: one.csv, load: 10%, stop: 20ms}\n"
                  "  datagrams: [{from: h0, to: h1, rate: 1Mbps}]\n", NULL);
    assert_int_equal(s.n_played, 4);
    assert_string_equal(s.flows[4].name, "beside0");
    assert_int_equal(s.flows[4].n_pauses, 1);
    assert_string_equal(s.flows[5].name, "bg1");
    assert_int_equal(s.n_flows, 4 + s.n_beside);
    survives(&s);
    text_rejects("network: {hosts: 4}\ntraffic:\n  star: {incoming: 2}\n  beside: [{from: h0, to: h2}]\n", NULL,
                 "s.yaml:4: traffic.beside: is for collective, goal and requests; others' flows go into traffic.flows");
    unlink("one.csv");
}

/* 2 s of 10 ms on and 30 ms off in the mean at 8 Mb/s: 10 kB a time, a quarter of the rate. */
TEST(test_sources_go_on_and_off)
{
    struct scenario s = text_load("duration: 20s\nnetwork: {hosts: 3}\ntraffic:\n  on_off:\n"
                                  "    - {from: h1, to: h0, rate: 8Mbps, on: 10ms, off: 30ms}\n"
                                  "    - {from: h2, to: h0, rate: 8Mbps, on: 10ms, off: 30ms, start: 1s, stop: 2s}\n", NULL);
    assert_int_equal(s.n_flows, 2);
    const struct scenario_flow *f = &s.flows[0];
    double off_s = 0;
    for (int k = 0; k < f->n_pauses; k++)
        off_s += (double)f->pauses[k].pause_ps / 1e12;
    double n = f->n_pauses, on_s = (double)f->bytes / 1e6;
    near(n, 500, 5 * sqrt(500 * 0.7));
    near(on_s / n, 10e-3, 5 * 10e-3 / sqrt(n));
    near(off_s / n, 30e-3, 5 * 30e-3 / sqrt(n));
    assert_ints({f->rate_bps, 8000000}, {s.flows[1].start_ps, UNITS_PS_PER_S});
    assert_true(s.flows[1].n_pauses < 60);
    survives(&s);
    text_rejects("network: {hosts: 3}\ntraffic: {on_off: [{from: h1, to: h1, rate: 8Mbps, on: 1ms, off: 1ms}]}\n", NULL,
                 "s.yaml:2: traffic.on_off.0.to: 'h1' is also where it comes from");
    text_rejects("network: {hosts: 3}\ntraffic: {on_off: [{from: h1, to: h0, rate: 8Mbps, on: 1us, off: 1us}]}\n", NULL,
                 "s.yaml:2: traffic.on_off.0: more than 50000 pauses of all sources; shorten the run, or lengthen `on` and "
                 "`off`");
    text_rejects("network: {hosts: 3}\ntraffic: {on_off: [{from: h1, to: h0, rate: 8Mbps, on: 1s, off: 1s, start: 2s}]}\n",
                 NULL, "s.yaml:2: traffic.on_off.0.start: not before its stop, or the end of the run");
}

static void csv_rejects(const char *csv, const char *message)
{
    text_write("f.csv", csv, strlen(csv));
    text_rejects("traffic: {csv: f.csv}\n", NULL, message);
    unlink("f.csv");
}

TEST(test_flows_of_a_table)
{
    const char *csv = "# mine\nto,from,bytes,start,rate\nh0,h1,1448,0,\nh5,h0,3MB,0.25,10Mbps\nh2,h3,7,10us,64000\n";
    text_write("f.csv", csv, strlen(csv));
    struct scenario s = text_load("traffic: {csv: f.csv}\n", NULL);
    unlink("f.csv");
    assert_ints({s.n_flows, 3}, {s.network.hosts, 6}, {s.flows[0].from, 1}, {s.flows[0].rate_bps, 0},
                {s.flows[1].start_ps, 250 * UNITS_PS_PER_MS}, {s.flows[1].bytes, 3000000},
                {s.flows[1].rate_bps, 10000000}, {s.flows[2].start_ps, 10 * UNITS_PS_PER_US},
                {s.flows[2].rate_bps, 64000});
    survives(&s);
    csv_rejects("from,to,bytes\n", "s.yaml:1: traffic.csv: f.csv:1: no column 'start'; the first line names "
                                   "from,to,bytes,start");
    csv_rejects("from,to,bytes,start\n", "s.yaml:1: traffic.csv: f.csv:1: no flow");
    csv_rejects("from,to,bytes,start\nh1,x,5,0\n",
                "s.yaml:1: traffic.csv: f.csv:2: to: 'x' is not a host; hosts are h0, h1, ... h9999");
    csv_rejects("from,to,bytes,start\nh1,h1,5,0\n",
                "s.yaml:1: traffic.csv: f.csv:2: to: 'h1' is also where the flow comes from");
    csv_rejects("from,to,bytes,start\nh1,h2,0,0\n", "s.yaml:1: traffic.csv: f.csv:2: bytes: a flow sends 1 or more");
    csv_rejects("from,to,bytes,start\nh1,h2,5,2\n", "s.yaml:1: traffic.csv: f.csv:2: start: not before the end of the run");
    csv_rejects("from,to,bytes,start,rate\nh1,h2,5,0,5\n", "s.yaml:1: traffic.csv: f.csv:2: rate: outside 1kbps to 8Tbps");
    text_rejects("traffic: {csv: g.csv}\n", NULL, "s.yaml:1: traffic.csv: g.csv: No such file or directory");
}

/* Each client thinks, asks and hears; what is drawn is a GOAL text. */
TEST(test_requests_are_a_goal_text)
{
    struct scenario s = text_load("network: {hosts: 4}\ntraffic: {requests: {server: h1, count: 3, request: 300B}}\n", NULL);
    assert_ints({s.traffic, SCENARIO_TRAFFIC_GOAL}, {s.n_ranks, 4}, {s.ranks[0], 1}, {s.ranks[1], 0}, {s.ranks[2], 2},
                {s.n_flows, 3});
    assert_true(s.flows[0].duplex);
    int sends = 0;
    for (int i = 0; i < s.goal.n_lines; i++)
        sends += strstr(s.goal.lines[i].text, "send 300b to 0 tag 0") || strstr(s.goal.lines[i].text, "send 100000b to");
    assert_int_equal(sends, 2 * 3 * 3);
    survives(&s);
    text_rejects("network: {hosts: 4}\ntraffic: {requests: {server: h1, clients: [h2, h1]}}\n", NULL,
                 "s.yaml:2: traffic.requests.clients: 'h1' has two ranks; each needs a host of its own");
    text_rejects("traffic: {requests: {server: h1}}\n", NULL,
                 "s.yaml:1: traffic.requests: needs to know how many hosts there are: give network.hosts");
    /* 39 clients: each time 3 operations that wait for 3, but the first for 2, and 2 of the server that wait for 2, but
     * the first for 1; num_ranks, and two lines a rank */
    text_rejects("network: {hosts: 40}\ntraffic: {requests: {server: h1, count: 1000}}\n", NULL,
                 "s.yaml:2: traffic.requests.count: 390003 operations and dependencies; at most 100000 can be kept");
}

CM_GROUP(text_enter, text_leave)

int main(int argc, char **argv)
{
    assert(argc == 2);
    folder = argv[1];
    return cm_run(NULL);
}
