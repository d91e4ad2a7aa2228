/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What flows have done by some times: kept, thinned, written, read back, and taken apart. */
#include "results/progress.h"

#include "results/directory.h"
#include "test/cm.h"

#define FLOWS 2

static char directory[] = "/tmp/contraflow-progress-XXXXXX";

static const struct results_flow rows[FLOWS] = {{.name = "a"}, {.name = "b,c"}};

/* Flow 0 gets 100 bytes a second for as long as there are times, flow 1 stops after 2 s. */
static struct results_progress progress_of(int times)
{
    struct results_progress p = {.flows = FLOWS};
    for (int i = 1; i <= times; i++) {
        struct results_progress_point *point = results_progress_add(&p, i);
        point[0] = (struct results_progress_point){100.0 * i, 0, 2.0 * i, 0.5 * i, i, 0.25 * i};
        point[1].bytes = fmin(200, 100.0 * i);
    }
    return p;
}

TEST(test_what_is_written_is_read)
{
    struct results_progress p = progress_of(8), back;
    assert_true(results_progress_write(&p, rows, directory, &err));
    assert_true(results_progress_read(&back, rows, FLOWS, directory, &err));
    assert_true(back.n == 8 && back.flows == FLOWS);
    assert_memory_equal(back.time_s, p.time_s, 8 * sizeof *p.time_s);
    assert_memory_equal(back.point, p.point, 8 * FLOWS * sizeof *p.point); /* flow 1 has rows up to 2 s */
    results_progress_fini(&p);
    results_progress_fini(&back);
    assert_true(results_directory_remove(directory, "progress.csv", &err));
    assert_true(results_progress_read(&back, rows, FLOWS, directory, &err) && back.n == 0);
}

/* A flow that lives from 0.5 to 3.5 s: 100 bytes in the half second before 1, 50 of the next 100 in the half after. */
TEST(test_between_is_what_was_done_then)
{
    MEMORY_ENDS(results_progress_fini) struct results_progress p = progress_of(8);
    struct results_progress_point did = results_progress_between(&p, 0, 0.5, 3.5, 0.75, 1.5);
    assert_all(fabs(did.bytes - 100) < 1e-9, fabs(did.data_frames - 2) < 1e-9 && fabs(did.data_wait_s - 0.5) < 1e-9,
               fabs(did.ack_frames - 1) < 1e-9 && fabs(did.ack_wait_s - 0.25) < 1e-9);
    did = results_progress_between(&p, 0, 0, 3.5, 3, 3.25); /* the fourth hundred came in half a second */
    assert_true(fabs(did.bytes - 50) < 1e-9);
    assert_true(fabs(did.data_frames - 1) < 1e-9 && fabs(did.data_wait_s - 0.25) < 1e-9); /* halves of what a second brings */
    assert_true(fabs(did.ack_frames - 0.5) < 1e-9 && fabs(did.ack_wait_s - 0.125) < 1e-9);
    did = results_progress_between(&p, 1, 0, 2, 2, 8);
    assert_true(did.bytes == 0);
    assert_int_equal(results_progress_times(&p, 2, 5), 3); /* 2, 3 and 4 */
}

TEST(test_every_other_time_goes_when_there_are_many)
{
    struct results_progress p = progress_of(1023);
    assert_false(results_progress_thin(&p));
    results_progress_fini(&p);
    p = progress_of(1024);
    assert_true(results_progress_thin(&p));
    assert_int_equal(p.n, 512);
    assert_true(p.time_s[0] == 2 && p.time_s[511] == 1024 && p.point[511 * FLOWS].bytes == 102400);
    results_progress_fini(&p);
}

TEST(test_what_is_no_progress_is_refused)
{
    static const char head[] = "time_s,flow,bytes,back_bytes,data_frames,data_wait_s,ack_frames,ack_wait_s\n";
    static const char *const bad[] = {"1,a,1,0,1,0,1,0\n0.5,a,2,0,1,0,1,0\n", "1,d,1,0,1,0,1,0\n", "1,a,x,0,1,0,1,0\n",
                                      "-1,a,1,0,1,0,1,0\n", "1,a,1\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct results_progress p;
        struct outfile f;
        assert_true(results_directory_create(&f, directory, "progress.csv", &err));
        fprintf(f.stream, "%s%s", head, bad[i]);
        assert_true(outfile_commit(&f, &err));
        assert_false(results_progress_read(&p, rows, FLOWS, directory, &err));
        assert_int_equal(err.code, ERROR_INPUT);
        assert_non_null(strstr(err.message, "progress.csv:"));
        assert_true(p.n == 0);
    }
    assert_true(results_directory_remove(directory, "progress.csv", &err));
}

static int enter(void **state)
{
    return mkdtemp(directory) ? 0 : -1;
}

static int leave(void **state)
{
    return rmdir(directory);
}

CM_GROUP(enter, leave)
