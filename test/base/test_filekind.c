/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/filekind.h"
#include "test/cm.h"

#define KIND_OF(literal) kind_of(literal, sizeof literal - 1)

static enum filekind kind_of(const char *bytes, size_t n)
{
    char path[] = "/tmp/filekind-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), n);
    close(fd);
    enum filekind kind = filekind_of(path);
    unlink(path);
    return kind;
}

TEST(test_kinds_are_known_by_their_beginning)
{
    assert_ints({KIND_OF("\xd4\xc3\xb2\xa1\2\0\4\0"), FILEKIND_CAPTURE},
                {KIND_OF("\xa1\xb2\x3c\x4d\0\2\0\4"), FILEKIND_CAPTURE},
                {KIND_OF("\x0a\x0d\x0d\x0a\x1c\0\0\0"), FILEKIND_CAPTURE}, {KIND_OF("\x1f\x8b\x08"), FILEKIND_CAPTURE},
                {KIND_OF("\xfd" "7zXZ\0"), FILEKIND_CAPTURE}, {KIND_OF("\x28\xb5\x2f\xfd"), FILEKIND_CAPTURE},
                {KIND_OF("SQLite format 3\0\x10"), FILEKIND_DATABASE},
                {KIND_OF("# x\ntitle: a\nnetwork: {hosts: 3}\n"), FILEKIND_SCENARIO},
                {KIND_OF("title: a\nscenario: star.yaml\nset: {duration: 1s}\n"), FILEKIND_SWEEP},
                {KIND_OF("axes:\n  tcp.window: [1MB]\n"), FILEKIND_SWEEP});
}

TEST(test_other_files_are_nothing)
{
    assert_ints({KIND_OF(""), FILEKIND_UNKNOWN}, {KIND_OF("\xd4\xc3"), FILEKIND_UNKNOWN},
                {KIND_OF("title: a\n  network: x\n"), FILEKIND_UNKNOWN}, {KIND_OF("network:\0"), FILEKIND_UNKNOWN});
    assert_int_equal(filekind_of("/tmp"), FILEKIND_UNKNOWN);
    assert_int_equal(filekind_of("/dev/null"), FILEKIND_UNKNOWN);
    assert_int_equal(filekind_of("/absent"), FILEKIND_UNKNOWN);
}
