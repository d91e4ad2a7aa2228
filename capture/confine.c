/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/confine.h"

#include "base/units.h"

#include <grp.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1 /* its search for leaks at the end needs calls that no filter should allow */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define NOBODY 65534 /* who owns no files, by Linux's own use of the number */

/* Of the capabilities there are, those in `kept`. glibc has no wrapper. */
static bool confine_capabilities(uint64_t kept, struct error *err)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, data) != 0)
        return error_set_errno(err, "capabilities cannot be read");
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        data[i].permitted &= (uint32_t)(kept >> 32 * i);
        data[i].effective = data[i].permitted;
        data[i].inheritable = 0; /* ambient ones go with them */
    }
    return syscall(SYS_capset, &header, data) == 0 || error_set_errno(err, "capabilities cannot be given up");
}

bool capture_confine_begin(struct error *err)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0)
        return error_set_errno(err, "new privileges cannot be given up");
    return confine_capabilities(UINT64_C(1) << CAP_NET_RAW | UINT64_C(1) << CAP_DAC_READ_SEARCH, err);
}

enum confine_for { CONFINE_SEND, CONFINE_READ, CONFINE_SERVE };

/* Sending to whom a connection is with: no address. */
static int confine_filter_server(scmp_filter_ctx filter)
{
    static const int allowed[] = {SCMP_SYS(accept4), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(recvfrom),
                                  SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(fcntl), SCMP_SYS(socket)};
    const struct scmp_arg_cmp nowhere = {4, SCMP_CMP_EQ, 0, 0}, unread = {1, SCMP_CMP_EQ, FIONREAD, 0};
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof allowed / sizeof *allowed; i++)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    failed = failed ? failed : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(sendto), 1, &nowhere);
    return failed ? failed : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, &unread);
}

/* Returns 0, or what libseccomp says: a negative errno. `socket`: that is read, or sent on. */
static int confine_filter(scmp_filter_ctx filter, int socket, enum confine_for what)
{
    bool reads = what == CONFINE_READ;
    static const int allowed[] = {
        SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(lseek), SCMP_SYS(close),
        SCMP_SYS(fstat), SCMP_SYS(newfstatat), /* of an open file; stdio asks for its kind */
        SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
        SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(sched_yield),
        SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(restart_syscall),
        SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getrandom), SCMP_SYS(futex),
        SCMP_SYS(exit), SCMP_SYS(exit_group)};
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree: a frame is a call */
    for (size_t i = 0; !failed && i < sizeof allowed / sizeof *allowed; i++)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    /* Sending to where the socket is bound: no address. Memory that is never code. Signals to itself: how it ended. */
    const struct {
        int call;
        unsigned n;
        struct scmp_arg_cmp argument[2];
    } limited[] = {
        {SCMP_SYS(prctl), 1, {{0, SCMP_CMP_EQ, PR_GET_TIMERSLACK, 0}}},
        {SCMP_SYS(prctl), 1, {{0, SCMP_CMP_EQ, PR_SET_TIMERSLACK, 0}}},
        {SCMP_SYS(sendto), 2, {{0, SCMP_CMP_EQ, (scmp_datum_t)socket, 0}, {4, SCMP_CMP_EQ, 0, 0}}},
        {SCMP_SYS(mmap), 1, {{2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}}},
        {SCMP_SYS(tgkill), 1, {{0, SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0}}},
        {SCMP_SYS(ioctl), 1, {{1, SCMP_CMP_EQ, TCGETS, 0}}},
    };
    for (size_t i = 0; !failed && i < sizeof limited / sizeof *limited; i++)
        if (what == CONFINE_SEND || limited[i].call != SCMP_SYS(sendto))
            failed = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, limited[i].call, limited[i].n, limited[i].argument);
    /* Statistics and frames of the socket; how wide the terminal is. */
    const struct {
        int call;
        struct scmp_arg_cmp argument;
    } reading[] = {{SCMP_SYS(getsockopt), {0, SCMP_CMP_EQ, (scmp_datum_t)socket, 0}},
                   {SCMP_SYS(recvfrom), {0, SCMP_CMP_EQ, (scmp_datum_t)socket, 0}},
                   {SCMP_SYS(recvmsg), {0, SCMP_CMP_EQ, (scmp_datum_t)socket, 0}},
                   {SCMP_SYS(ioctl), {1, SCMP_CMP_EQ, TIOCGWINSZ, 0}}};
    for (size_t i = 0; !failed && reads && i < sizeof reading / sizeof *reading; i++)
        failed = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, reading[i].call, 1, &reading[i].argument);
    if (!failed && reads)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(poll), 0);
    if (!failed && what == CONFINE_SERVE)
        failed = confine_filter_server(filter);
    return failed ? failed : seccomp_load(filter);
}

static bool confine_calls(int socket, enum confine_for what, struct error *err)
{
    if (SANITIZED || (prctl(PR_GET_SECCOMP, 0L, 0L, 0L, 0L) < 0 && errno == EINVAL)) /* a kernel without */
        return true;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int failed = filter ? confine_filter(filter, socket, what) : -ENOMEM;
    seccomp_release(filter);
    errno = -failed;
    return failed == 0 || error_set_errno(err, "system calls cannot be given up");
}

bool capture_confine(int socket, struct error *err)
{
    return confine_capabilities(0, err) && confine_calls(socket, CONFINE_SEND, err);
}

/* The number of a user or a group that sudo leaves; -1: none. */
static int64_t confine_number(const char *name)
{
    const char *text = getenv(name);
    int64_t number;
    bool parsed = text && units_parse_integer(text, &number, &(struct error){0});
    return parsed && number > 0 && number < INT_MAX ? number : -1;
}

/* From root to who called sudo, or to `otherwise` if nobody did; < 0: then it stays. Root of a user namespace in which
 * there is no such user is nobody outside of it anyway. */
static bool confine_user(int64_t otherwise, struct error *err)
{
    int64_t user = confine_number("SUDO_UID"), group = confine_number("SUDO_GID");
    bool sudo = user >= 0 && group >= 0;
    if (!sudo)
        user = group = otherwise;
    if (geteuid() != 0 || user < 0)
        return true;
    gid_t gid = (gid_t)group;
    bool changed = setgroups(1, &gid) == 0 && setresgid(gid, gid, gid) == 0 &&
                   setresuid((uid_t)user, (uid_t)user, (uid_t)user) == 0;
    return changed || (!sudo && (errno == EINVAL || errno == EPERM)) || error_set_errno(err, "root cannot be given up");
}

/* `what` of a socket that is open; no filter with < 0. */
static bool confine_for_good(int64_t otherwise, int what, int socket, struct error *err)
{
    if (!confine_user(otherwise, err))
        return false;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0)
        return error_set_errno(err, "new privileges cannot be given up");
    return confine_capabilities(0, err) && (what < 0 || confine_calls(socket, (enum confine_for)what, err));
}

bool capture_confine_live(bool filter, int socket, struct error *err)
{
    return confine_for_good(-1, filter ? CONFINE_READ : -1, socket, err);
}

bool capture_confine_server(struct error *err)
{
    return confine_for_good(NOBODY, CONFINE_SERVE, -1, err);
}
