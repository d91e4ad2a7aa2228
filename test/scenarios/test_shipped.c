/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scenario files that come with the project; argv[1] is their folder. */
#include "scenarios/save.h"
#include "test/scenarios/text.h"

#include <dirent.h>

static const char *folder;

static struct scenario shipped(const char *name)
{
    char path[4096];
    struct scenario s;
    struct error err = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!scenario_load(&s, path, NULL, 0, &err))
        fail_msg("%s", err.message);
    assert_string_not_equal(s.title, "");
    assert_string_equal(s.captures[0].at, "h0");
    assert_int_equal(s.captures[0].snaplen, 96);
    return s;
}

TEST(test_star_is_two_in_one_out)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = shipped("star.yaml");
    assert_ints({s.n_flows, 3}, {s.network.hosts, 4}, {s.tcp.receive_buffer_bytes, 3000000});
}

TEST(test_ack_first_is_so_in_both_queues)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = shipped("ack-first.yaml");
    assert_ints({s.network.nic.discipline, EMU_DISCIPLINE_ACK_FIRST},
                {s.network.sw.queue.discipline, EMU_DISCIPLINE_ACK_FIRST}, {s.n_flows, 3});
}

TEST(test_windows_are_w_w_and_2w)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = shipped("windows.yaml");
    int64_t w = s.flows[0].tcp.receive_buffer_bytes;
    assert_ints({s.n_flows, 3}, {s.flows[1].tcp.receive_buffer_bytes, w}, {s.flows[2].from, 0},
                {s.flows[2].tcp.receive_buffer_bytes, 2 * w});
}

TEST(test_backbone_is_three_in_twelve_out_for_its_first_rack)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = shipped("backbone.yaml");
    int out = 0;
    for (int i = 0; i < s.n_flows; i++) {
        assert_int_not_equal(s.flows[i].from < 40, s.flows[i].to < 40);
        out += s.flows[i].from < 40;
    }
    assert_ints({s.n_flows, 15}, {out, 12}, {s.network.racks[0], 40});
    /* windows of twenty flows one way and as many ACKs wait in a port: they fit */
    assert_true(20 * s.tcp.receive_buffer_bytes < s.network.sw.queue.limit_bytes / 2);
}

TEST(test_figure4_has_the_points_of_the_paper)
{
    static const struct scenario_point points[] = {{1, 1}, {2, 1}, {3, 1}, {1, 2}, {2, 2}, {4, 2}};
    MEMORY_ENDS(scenario_fini) struct scenario s = shipped("zhu-figure4.yaml");
    assert_int_equal(s.n_points, 6);
    assert_memory_equal(s.points, points, sizeof points);
}

TEST(test_figure1_has_the_five_links_of_table_1)
{
    /* Zhu et al. 2014, Table I: X1..X3 are h0..h2, Y1..Y4 h3..h6. */
    static const struct {
        const char *name;
        int from, to, mb;
    } links[] = {{"e1", 0, 5, 10}, {"e2", 0, 1, 20}, {"e3", 1, 4, 20}, {"e4", 2, 6, 20}, {"e5", 3, 4, 20}};
    MEMORY_ENDS(scenario_fini) struct scenario s = shipped("zhu-figure1.yaml");
    assert_int_equal(s.n_flows, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(s.flows[i].name, links[i].name);
        assert_ints({s.flows[i].from, links[i].from}, {s.flows[i].to, links[i].to},
                    {s.flows[i].bytes, links[i].mb * 1000000}, {s.flows[i].tcp.receive_buffer_bytes, 500000});
    }
    assert_int_equal(s.network.backbone.rate_bps, 1000000000);
    /* Six delays and three hops of 1538 + 84 bytes at 8 ns a byte: 360 + 38.9 = 399 us, the 0.4 ms base RTT. */
    int64_t rtt_ps = 4 * s.network.link.delay_ps + 2 * s.network.backbone.delay_ps +
                     3 * (1538 + 84) * INT64_C(8) * UNITS_PS_PER_NS;
    assert_in_range(rtt_ps, 395 * UNITS_PS_PER_US, 405 * UNITS_PS_PER_US);
}

/* Every file, and what a run directory holds of it, is the same scenario: resolving twice changes nothing. */
static char *resolved(const char *path)
{
    MEMORY_ENDS(scenario_fini) struct scenario s;
    struct error err = {0};
    char *text = NULL;
    size_t size;
    if (!scenario_load(&s, path, NULL, 0, &err))
        fail_msg("%s", err.message);
    FILE *f = open_memstream(&text, &size);
    assert_true(scenario_write(&s, f, NULL, &err));
    fclose(f);
    return text;
}

TEST(test_every_file_survives_being_resolved)
{
    struct dirent **names;
    int n = scandir(folder, &names, NULL, alphasort), files = 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        if (strstr(names[i]->d_name, ".yaml")) {
            snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
            char *once = resolved(path);
            text_write("resolved.yaml", once, strlen(once));
            char *twice = resolved("resolved.yaml");
            assert_string_equal(once, twice);
            free(once);
            free(twice);
            files++;
        }
        free(names[i]);
    }
    free(names);
    assert_true(files > 20);
}

CM_GROUP(text_enter, text_leave)

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    folder = argv[1];
    return cm_run(NULL);
}
