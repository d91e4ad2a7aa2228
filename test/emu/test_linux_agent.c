/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a line as a shell would read them, or its refusal (POSIX XCU, sections 2.2 and 2.3). */
#include "emu/linux/agent.h"

#include "test/cm.h"

static void reads(const char *line, const char *const *wanted)
{
    struct error err = {0};
    MEMORY_LOCAL char **words = linux_agent_words(line, &err);
    size_t n = 0;
    assert_non_null(words);
    for (; wanted[n]; n++) {
        assert_non_null(words[n]);
        assert_string_equal(words[n], wanted[n]);
    }
    assert_null(words[n]);
}

static void refuses(const char *line, const char *what)
{
    struct error err = {0};
    assert_null(linux_agent_words(line, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_memory_equal(err.message, what, strlen(what));
    assert_non_null(strstr(err.message, "is for a shell"));
}

TEST(test_words)
{
    /* what mpirun 4.1.4 sends */
    reads(" orted --daemonize -mca ess \"env\" -mca orte_node_regex \"vm,h[1:0-3]@0(5)\" -mca orte_hnp_uri "
          "\"7.0;tcp://10.0.0.1:47253\" --mca btl \"tcp,self\" -mca pmix \"^s1,s2\"",
          (const char *const[]){"orted", "--daemonize", "-mca", "ess", "env", "-mca", "orte_node_regex",
                                "vm,h[1:0-3]@0(5)", "-mca", "orte_hnp_uri", "7.0;tcp://10.0.0.1:47253", "--mca", "btl",
                                "tcp,self", "-mca", "pmix", "^s1,s2", NULL});
    reads("a\t b=c  'd $(e) \"f' g\"h 'i\"'' \"\" ", (const char *const[]){"a", "b=c", "d $(e) \"f", "gh 'i", "", NULL});
    reads("a", (const char *const[]){"a", NULL});
    reads("a b", (const char *const[]){"a", "b", NULL});
    reads("  ", (const char *const[]){NULL});
    reads("", (const char *const[]){NULL});
}

TEST(test_what_a_shell_would_do_is_refused)
{
    /* what it sends where mpirun has a prefix */
    refuses("  PATH=/usr/bin:$PATH ; export PATH ;   /usr/bin/orted -mca ess \"env\"", "'='");
    refuses("a; b", "';'");
    refuses("a $HOME", "'$'");
    refuses("a \"$HOME\"", "'$'");
    refuses("a `b`", "'`'");
    refuses("a \"`b`\"", "'`'");
    refuses("a *", "'*'");
    refuses("a > b", "'>'");
    refuses("a\nb", "'\\x0a'");
    refuses("a \\b", "'\\'");
    refuses("a \"b", "'\"'");
    refuses("a 'b", "'''");
}

TEST(test_the_name_that_calls_it)
{
    assert_true(linux_agent_called("on") && linux_agent_called("/dev/hosts/on"));
    assert_false(linux_agent_called("contraflow-linux") || linux_agent_called("/on/it") || linux_agent_called(NULL));
}
