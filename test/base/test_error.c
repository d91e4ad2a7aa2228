/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/cm.h"

TEST(test_set_returns_false_and_keeps_code_and_text)
{
    assert_false(error_set(&err, ERROR_INPUT, "%s:%d: bad", "star.yaml", 12));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_string_equal(err.message, "star.yaml:12: bad");
}

TEST(test_errno_text_is_appended)
{
    errno = ENOSPC;
    assert_false(error_set_errno(&err, "%s", "h0.pcap"));
    assert_int_equal(err.code, ERROR_SYSTEM);
    assert_string_equal(err.message, "h0.pcap: No space left on device");
}

TEST(test_prefix_goes_in_front_and_keeps_the_code)
{
    error_set(&err, ERROR_INPUT, "'9x' is not a rate");
    error_prefix(&err, "a.yaml:%d: ", 3);
    assert_string_equal(err.message, "a.yaml:3: '9x' is not a rate");
    assert_int_equal(err.code, ERROR_INPUT);
}

TEST(test_message_stays_one_line_and_in_bounds)
{
    char big[2 * sizeof err.message];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    big[5] = '\n';
    error_set(&err, ERROR_INPUT, "%s", big);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    assert_null(strchr(err.message, '\n'));
    error_prefix(&err, "ctx: ");
    assert_memory_equal(err.message, "ctx: xxxxx\\x0axx", 16);
    error_set(&err, ERROR_INPUT, "%s", "\033[2J\303\251\351");
    assert_string_equal(err.message, "\\x1b[2J\303\251\\xe9");
}
