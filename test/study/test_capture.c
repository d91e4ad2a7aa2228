/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a listener hears while a capture is read. */
#include "study/capture.h"

#include "test/cm.h"

static int finished, warnings;
static char warning[512];

static void on_finished(void)
{
    finished++;
}

static void on_warning(const char *message)
{
    warnings++;
    snprintf(warning, sizeof warning, "%s", message);
}

static const struct study_capture_listener listener = {.finished = on_finished, .warn = on_warning};

static int forget(void **state)
{
    finished = warnings = 0;
    return 0;
}

TEST_WITH(test_a_capture_that_is_cut_is_read_and_warned_of, forget, NULL)
{
    struct analysis_capture capture;
    struct analysis_flows *f = study_capture_read(TEST_FUZZ "/truncated.pcap", false, &listener, &capture, &err);
    assert_non_null(f);
    assert_true(capture.truncated);
    assert_ints({finished, 1}, {warnings, 1});
    assert_non_null(strstr(warning, "truncated.pcap"));
    analysis_flows_free(f);
}

TEST_WITH(test_a_clock_that_steps_back_is_warned_of, forget, NULL)
{
    struct analysis_capture capture;
    struct analysis_flows *f = study_capture_read(TEST_FUZZ "/step-back.pcap", true, &listener, &capture, &err);
    assert_non_null(f);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(warning, "its clock steps back"));
    analysis_flows_free(f);
}

TEST_WITH(test_without_a_listener_nobody_hears_anything, forget, NULL)
{
    struct analysis_capture capture;
    struct analysis_flows *f = study_capture_read(TEST_FUZZ "/truncated.pcap", false, NULL, &capture, &err);
    assert_non_null(f);
    assert_int_equal(finished + warnings, 0);
    analysis_flows_free(f);
}

TEST_WITH(test_a_file_that_is_not_there_is_an_error_and_no_warning, forget, NULL)
{
    struct analysis_capture capture;
    assert_null(study_capture_read("/nowhere/x.pcap", false, &listener, &capture, &err));
    assert_ints({err.code, ERROR_INPUT}, {finished, 1}, {warnings, 0});
}
