/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/directory.h"
#include "base/infile.h"
#include "base/outfile.h"
#include "test/cm.h"

#include <fcntl.h>
#include <sys/stat.h>

static char directory[] = "/tmp/contraflow-directory-XXXXXX";

static const char *in_directory(const char *name)
{
    static char paths[4][128];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(in_directory(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool holds(const char *name, const char *text)
{
    char bytes[16] = "";
    FILE *f = fopen(in_directory(name), "r");
    size_t n = f ? fread(bytes, 1, sizeof bytes - 1, f) : 0;
    if (f)
        fclose(f);
    return f && n == strlen(text) && strcmp(bytes, text) == 0;
}

/* "run" is held; then its name becomes a link to "victim", and what was held is "moved". */
static void hold_and_swap(void)
{
    assert_int_equal(mkdir(in_directory("run"), 0777), 0);
    assert_int_equal(mkdir(in_directory("victim"), 0777), 0);
    directory_hold(in_directory("run"), open(in_directory("run"), O_RDONLY | O_DIRECTORY));
    assert_true(directory_held(in_directory("run")) >= 0);
    assert_int_equal(rename(in_directory("run"), in_directory("moved")), 0);
    assert_int_equal(symlink("victim", in_directory("run")), 0);
}

static void end(void)
{
    directory_release(in_directory("run"));
    assert_int_equal(directory_held(in_directory("run")), -1);
    directory_remove(in_directory("run"));
    directory_remove(in_directory("moved"));
    directory_remove(in_directory("victim"));
    assert_true(access(in_directory("victim"), F_OK) != 0 && access(in_directory("moved"), F_OK) != 0);
}

TEST(test_files_go_where_it_is_held)
{
    struct outfile f;
    size_t size;
    hold_and_swap();
    put("victim/a", "kept");
    put("victim/a.part", "kept");
    assert_true(outfile_open(&f, in_directory("run/a"), &err));
    fputs("new", f.stream);
    assert_true(outfile_commit(&f, &err));
    assert_true(holds("moved/a", "new") && holds("victim/a", "kept") && holds("victim/a.part", "kept"));
    char *text = infile_read(in_directory("run/a"), 100, "a text", &size, &err);
    assert_string_equal(text, "new");
    free(text);
    assert_true(outfile_open(&f, in_directory("run/b"), &err));
    outfile_discard(&f);
    assert_true(access(in_directory("moved/b.part"), F_OK) != 0);
    assert_true(outfile_make_directory(in_directory("run/deep"), &err));
    assert_true(access(in_directory("moved/deep"), F_OK) == 0 && access(in_directory("victim/deep"), F_OK) != 0);
    end();
}

TEST(test_a_name_that_is_not_held_is_what_it_leads_to)
{
    const char *name, *path = in_directory("a");
    assert_int_equal(directory_at(path, &name), AT_FDCWD);
    assert_string_equal(name, path);
    assert_int_equal(directory_at("a", &name), AT_FDCWD);
    directory_release("never held");
}

/* A link is removed itself, in the place of the directory and in it; what it leads to stays. */
TEST(test_removing_follows_nothing)
{
    assert_int_equal(mkdir(in_directory("keep"), 0777), 0);
    put("keep/a", "kept");
    assert_int_equal(mkdir(in_directory("go"), 0777), 0);
    assert_int_equal(mkdir(in_directory("go/deep"), 0777), 0);
    assert_int_equal(symlink(in_directory("keep"), in_directory("go/deep/link")), 0);
    put("go/deep/file", "x");
    directory_remove(in_directory("go"));
    assert_true(access(in_directory("go"), F_OK) != 0 && holds("keep/a", "kept"));
    assert_int_equal(symlink("keep", in_directory("go")), 0);
    directory_remove(in_directory("go"));
    assert_true(access(in_directory("go"), F_OK) != 0 && holds("keep/a", "kept"));
    directory_remove(in_directory("never-there"));
    directory_remove(in_directory("keep"));
}

int main(void)
{
    if (!mkdtemp(directory))
        return 1;
    int failed = cm_run(NULL);
    return rmdir(directory) || failed;
}
