/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/outfile.h"
#include "test/cm.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>

static char directory[] = "/tmp/contraflow-outfile-XXXXXX";

static const char *in_directory(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static bool exists(const char *name)
{
    return access(in_directory(name), F_OK) == 0;
}

TEST(test_file_appears_on_commit_only)
{
    struct outfile f;
    assert_true(outfile_open(&f, in_directory("a"), &err));
    fputs("whole\n", f.stream);
    assert_false(exists("a"));
    assert_true(exists("a.part"));
    assert_true(outfile_commit(&f, &err));
    assert_true(exists("a"));
    assert_false(exists("a.part"));
    outfile_discard(&f); /* harmless afterwards */
}

TEST(test_discard_leaves_nothing)
{
    struct outfile f;
    assert_true(outfile_open(&f, in_directory("b"), &err));
    outfile_discard(&f);
    assert_false(exists("b"));
    assert_false(exists("b.part"));
}

TEST(test_missing_directory_is_a_system_error)
{
    struct outfile f;
    assert_false(outfile_open(&f, in_directory("no/such/c"), &err));
    assert_int_equal(err.code, ERROR_SYSTEM);
    assert_non_null(strstr(err.message, "No such file or directory"));
}

/* A file size limit stands in for a full disk: the write fails, the name never appears. */
TEST(test_failed_write_does_not_look_whole)
{
    struct outfile f;
    struct rlimit old, small = {4096, RLIM_INFINITY};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_true(outfile_open(&f, in_directory("d"), &err));
    setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 100000; i++)
        putc('x', f.stream);
    bool ok = outfile_commit(&f, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_false(ok);
    assert_int_equal(err.code, ERROR_SYSTEM);
    assert_non_null(strstr(err.message, "File too large"));
    assert_false(exists("d"));
    assert_false(exists("d.part"));
}

/* A process exits with the part of `e`: those that it began before and after it are done, and no more its own. */
TEST(test_exit_leaves_no_part)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct outfile before, f, after;
        bool ok = outfile_open(&before, in_directory("before"), &err) && outfile_open(&f, in_directory("e"), &err) &&
                  outfile_open(&after, in_directory("after"), &err) && outfile_commit(&after, &err) &&
                  outfile_commit(&before, &err) && exists("e.part");
        for (int i = 0; i < 2; i++) /* others' files of these names */
            fclose(fopen(in_directory(i ? "after.part" : "before.part"), "w"));
        exit(ok ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_all(!exists("e"), !exists("e.part"), exists("before"), exists("after"), exists("before.part"), exists("after.part"));
}

/* What a process that is gone left, and what others put there, is replaced; what a process writes now is not. */
TEST(test_part_belongs_to_one)
{
    struct outfile first, second;
    char target[128], part[128];
    snprintf(target, sizeof target, "%s", in_directory("target"));
    snprintf(part, sizeof part, "%s", in_directory("g.part"));
    FILE *f = fopen(target, "w");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(symlink(target, part), 0);
    assert_true(outfile_open(&first, in_directory("g"), &err));
    fputs("first\n", first.stream);
    assert_false(outfile_open(&second, in_directory("g"), &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_non_null(strstr(err.message, "another process is writing it"));
    assert_true(outfile_commit(&first, &err));
    struct stat st;
    assert_int_equal(lstat(in_directory("g"), &st), 0);
    assert_true(S_ISREG(st.st_mode) && st.st_size == 6);
    assert_int_equal(stat(target, &st), 0);
    assert_int_equal(st.st_size, 0);
}

/* What a failure leaves: nothing that was not there, and nothing that holds something. */
TEST(test_directories_made_in_vain_go)
{
    struct outfile f;
    assert_int_equal(mkdir(in_directory("there"), 0777), 0);
    assert_true(outfile_make_directory(in_directory("there/new/deep"), &err));
    outfile_unmake_directories();
    assert_false(exists("there/new"));
    assert_true(exists("there"));
    assert_true(outfile_make_directory(in_directory("there/full/deep"), &err));
    assert_true(outfile_open(&f, in_directory("there/full/f"), &err) && outfile_commit(&f, &err));
    outfile_unmake_directories();
    assert_true(exists("there/full/f"));
    assert_false(exists("there/full/deep"));
    unlink(in_directory("there/full/f"));
    rmdir(in_directory("there/full"));
    rmdir(in_directory("there"));
}

TEST(test_directories_are_made_with_parents)
{
    assert_true(outfile_make_directory(in_directory("x/y/z"), &err));
    assert_true(outfile_make_directory(in_directory("x/y/z"), &err));
    assert_true(exists("x/y/z"));
    assert_true(exists("a"));
    assert_false(outfile_make_directory(in_directory("a/below-a-file"), &err));
    assert_int_equal(err.code, ERROR_SYSTEM);
}

int main(void)
{
    if (!mkdtemp(directory))
        return 1;
    int failed = cm_run(NULL);
    char command[160];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command) || failed;
}
