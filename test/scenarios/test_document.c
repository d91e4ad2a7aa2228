/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/scenarios/text.h"

static void rejects_file(const char *path, const char *message)
{
    struct error err = {0};
    assert_null(document_open(path, NULL, 0, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, ERROR_INPUT);
}

TEST(test_missing_file_and_directory_are_named)
{
    rejects_file("none.yaml", "none.yaml: No such file or directory");
    rejects_file("/tmp", "/tmp: Is a directory");
}

TEST(test_file_without_values_is_empty)
{
    text_rejects("", NULL, "s.yaml: is empty; a scenario has keys such as 'traffic:'");
    text_rejects("# nothing\n\n", NULL, "s.yaml: is empty; a scenario has keys such as 'traffic:'");
    text_rejects("", "seed=2", "s.yaml: is empty; a scenario has keys such as 'traffic:'");
}

TEST(test_syntax_error_has_its_line)
{
    text_rejects("network: {link: [\n", NULL,
                 "s.yaml:2: not YAML: did not find expected node content while parsing a flow node");
    text_rejects("seed: 1\ntitle: 'open\n", NULL,
                 "s.yaml:3: not YAML: found unexpected end of stream while scanning a quoted scalar");
    text_rejects("seed: *x\n", NULL, "s.yaml:1: not YAML: found undefined alias");
}

TEST(test_bytes_that_are_no_text_have_their_line)
{
    text_rejects("seed: 1\ntitle: \xff\n", NULL, "s.yaml:2: not UTF-8 text: invalid leading UTF-8 octet (0xff)");
    text_write("s.yaml", "a\nb\0c", 5);
    rejects_file("s.yaml", "s.yaml:2: not UTF-8 text: control characters are not allowed (0x00)");
    text_rejects("title: \"a\\0b\"\n", NULL, "s.yaml:1: a NUL character cannot be part of a value");
}

TEST(test_key_given_twice_names_both_lines)
{
    text_rejects("seed: 1\ntitle: x\nseed: 2\n", NULL, "s.yaml:3: seed: given twice, first in line 1");
    text_rejects("tcp:\n  window: 1MB\n  window: 2MB\n", NULL, "s.yaml:3: window: given twice, first in line 2");
    text_rejects("seed: 1", "tcp={sack: true, sack: false}", "--set tcp={sack: true, sack: false}: sack: given twice");
}

TEST(test_one_document_of_plain_keys)
{
    text_rejects("seed: 1\n---\nseed: 2\n", NULL, "s.yaml:3: a second document starts; a scenario is one");
    text_rejects("? [a]\n: b\n", NULL, "s.yaml:1: a key is a word, not a list or a mapping");
}

TEST(test_aliases_are_copies_and_cycles_end)
{
    struct scenario s = text_load("network:\n  nic: &q {limit: 1MB}\n  switch: *q\n", "network.nic.limit=2MB");
    assert_ints({s.network.nic.limit_bytes, 2000000}, {s.network.sw.queue.limit_bytes, 1000000});
    scenario_fini(&s);
    text_rejects("capture: &x [*x]\n", NULL, "s.yaml:1: nested too deeply, or an alias of itself");
    /* 12^6 values out of six short lines: "billion laughs". */
    text_rejects("a: &a [x,x,x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                 "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                 "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
                 NULL, "s.yaml:1: too many values (aliases count each time)");
}

/* Both are bounded while they are parsed: what would take minutes to compose is refused where the bound is reached, as
 * the lines named show. */
TEST(test_depth_and_anchors_are_bounded)
{
    char *yaml;
    size_t n;
    FILE *f = memory_stream(&yaml, &n);
    fputs("title:\n", f);
    for (size_t i = 0; i < 50000; i++)
        fputs(" [\n", f);
    for (size_t i = 0; i < 50000; i++)
        fputs(" ]\n", f);
    memory_stream_end(f, &yaml);
    text_rejects(yaml, NULL, "s.yaml:34: nested too deeply, or an alias of itself");
    free(yaml);
    f = memory_stream(&yaml, &n);
    fputs("title:\n", f);
    for (size_t i = 0; i < 40000; i++)
        fprintf(f, " - &a%zu x\n", i);
    memory_stream_end(f, &yaml);
    text_rejects(yaml, NULL, "s.yaml:202: more anchors (&name) than a scenario needs");
    free(yaml);
    f = memory_stream(&yaml, &n);
    for (size_t i = 0; i < 40000; i++) /* libyaml compares each with those before it */
        fprintf(f, "%%TAG !a%zu! x\n", i);
    fputs("--- {seed: 1}\n", f);
    memory_stream_end(f, &yaml);
    text_rejects(yaml, NULL, "s.yaml: more directives (%) than YAML needs");
    free(yaml);
    /* A single value of 1 MB, a thousand times: a gigabyte. */
    f = memory_stream(&yaml, &n);
    fprintf(f, "a: &a %0*d\nb:\n", 1000000, 0);
    for (size_t i = 0; i < 1000; i++)
        fputs(" - *a\n", f);
    memory_stream_end(f, &yaml);
    text_rejects(yaml, NULL, "s.yaml:18: too many values (aliases count each time)");
    free(yaml);
}

TEST(test_a_byte_order_mark_is_passed_over)
{
    MEMORY_ENDS(scenario_fini) struct scenario s = text_load("\xef\xbb\xbfseed: 7\ntcp:\n  window: 1MB\n", NULL);
    assert_int_equal(s.seed, 7);
}

TEST(test_nobody_is_blamed_for_what_the_program_sets)
{
    struct scenario s;
    static const struct document_set sets[] = {{"engine=warp", "--"}, {.text = "traffic.start_spread=0"}};
    text_write("s.yaml", "[seed]\n", 7);
    assert_false(scenario_load(&s, "s.yaml", &sets[1], 1, &err));
    assert_memory_equal(err.message, "s.yaml: a list found; ", 22);
    text_write("s.yaml", "traffic: 5\n", 11);
    assert_false(scenario_load(&s, "s.yaml", &sets[1], 1, &err));
    assert_memory_equal(err.message, "s.yaml:1: traffic: ", 19);
    text_write("s.yaml", "seed: 1\n", 8);
    assert_false(scenario_load(&s, "s.yaml", sets, 2, &err));
    assert_string_equal(err.message, "--engine=warp: 'warp' is not an engine; there are: ns3, native, linux");
}

TEST(test_set_overrides_adds_and_makes_what_lies_on_its_way)
{
    struct scenario s = text_load("seed: 1\n", "seed=7");
    assert_int_equal(s.seed, 7);
    scenario_fini(&s);
    s = text_load("title: x\n", "network.nic.limit=1MB");
    assert_int_equal(s.network.nic.limit_bytes, 1000000);
    scenario_fini(&s);
    s = text_load("title: x\n", "capture.0.at=h1"); /* a number makes a list */
    assert_int_equal(s.n_captures, 1);
    assert_string_equal(s.captures[0].at, "h1");
    scenario_fini(&s);
    s = text_load("capture:\n  - {at: h0}\n  - {at: h1}\n", "capture.1.snaplen=200");
    assert_ints({s.captures[0].snaplen, 96}, {s.captures[1].snaplen, 200});
    scenario_fini(&s);
    s = text_load("capture: [{at: h0}]\n", "capture.1.at=h2"); /* the entry after the last */
    assert_int_equal(s.n_captures, 2);
    scenario_fini(&s);
}

TEST(test_set_value_is_yaml_when_it_looks_like_it)
{
    struct scenario s = text_load("capture: [{at: h0}]\n", "capture=[{at: h1}, {at: h2, snaplen: 100}]");
    assert_ints({s.n_captures, 2}, {s.captures[1].snaplen, 100});
    scenario_fini(&s);
    s = text_load("seed: 1\n", "title=in: two, out: one # all");
    assert_string_equal(s.title, "in: two, out: one # all");
    scenario_fini(&s);
    s = text_load("seed: 1\n", "title= '[draft] '");
    assert_string_equal(s.title, "[draft] ");
    scenario_fini(&s);
    s = text_load("title: x\n", "title=");
    assert_string_equal(s.title, "");
    scenario_fini(&s);
}

TEST(test_later_set_wins)
{
    static const struct document_set sets[] = {{.text = "tcp.window=1MB"}, {.text = "tcp={window: 2MB}"},
                                                {.text = "tcp.sack=false"}};
    MEMORY_ENDS(scenario_fini) struct scenario s;
    text_write("s.yaml", "seed: 1\n", 8);
    assert_true(scenario_load(&s, "s.yaml", sets, 3, &err));
    assert_int_equal(s.tcp.receive_buffer_bytes, 2000000);
    assert_false(s.tcp.sack);
}

TEST(test_set_without_sense_is_blamed)
{
    text_rejects("seed: 1", "nonsense", "--set nonsense: write it as path=value, such as tcp.window=500kB");
    text_rejects("seed: 1", "=1", "--set =1: write it as path=value, such as tcp.window=500kB");
    text_rejects("seed: 1", "tcp..window=1", "--set tcp..window=1: write it as path=value, such as tcp.window=500kB");
    text_rejects("seed: 1", "tcp.=1", "--set tcp.=1: write it as path=value, such as tcp.window=500kB");
    text_rejects("seed: 1", "seed.x=1", "--set seed.x=1: '1' is a single value; 'x' cannot lie below it");
    text_rejects("capture: [{at: h0}]", "capture.5.at=h1",
                 "--set capture.5.at=h1: entry 5 does not exist; there are 1, counted from 0");
    text_rejects("capture: [{at: h0}]", "capture.x=h1", "--set capture.x=h1: 'x' is not the number of an entry");
    text_rejects("seed: 1", "capture=[1",
                 "--set capture=[1: not YAML: did not find expected ',' or ']' while parsing a flow sequence");
    text_rejects("seed: 1", "title=\xff", "--set title=\\xff: not UTF-8 text");
}

TEST(test_culprit_is_the_later_set_or_the_one_spelt_out)
{
    static const struct document_set sets[] = {{.text = "c=1"}, {.text = "b=2"}};
    text_write("s.yaml", "a: 1\nb: 1\n", 10);
    struct document *d = document_open("s.yaml", sets, 2, &err);
    assert_non_null(d);
    assert_string_equal(document_culprit(d, "a", "b"), "b");
    assert_string_equal(document_culprit(d, "b", "a"), "b");
    assert_string_equal(document_culprit(d, "b", "c"), "b");
    assert_string_equal(document_culprit(d, "absent", "a"), "a");
    assert_string_equal(document_culprit(d, "a", "absent"), "a");
    assert_int_equal(document_kind(d, document_node(d, "absent")), DOCUMENT_NONE);
    assert_int_equal(document_kind(d, document_node(d, "a")), DOCUMENT_SCALAR);
    assert_int_equal(document_kind(d, document_node(d, "")), DOCUMENT_MAPPING);
    const char *key;
    assert_int_not_equal(document_entry(d, 1, 2, &key), 0);
    assert_string_equal(key, "c");
    assert_int_equal(document_entry(d, 1, 3, &key), 0);
    document_free(d);
}

CM_GROUP(text_enter, text_leave)
