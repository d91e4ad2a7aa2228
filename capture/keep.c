/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/keep.h"

#include "base/outfile.h"
#include "capture/confine.h"
#include "capture/live.h"

#include <pcap/pcap.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct capture_keep {
    pid_t pid;
    int socket; /* a byte from us: commit. Its end: that is all */
};

struct keep_report {
    bool ok;
    struct error err;
    int64_t frames, missed;
};

static bool keep_filter(pcap_t *pcap, const char *port, struct error *err)
{
    struct bpf_program program;
    MEMORY_LOCAL char *text = port ? memory_text("tcp port %s", port) : memory_text("tcp");
    bool ok = pcap_compile(pcap, &program, text, 1, PCAP_NETMASK_UNKNOWN) == 0;
    if (!ok)
        return error_set(err, ERROR_INPUT, "%s: %s", text, pcap_geterr(pcap));
    ok = pcap_setfilter(pcap, &program) == 0;
    pcap_freecode(&program);
    return ok || error_set(err, ERROR_SYSTEM, "%s cannot be filtered: %s", text, pcap_geterr(pcap));
}

static bool keep_open(const char *interface, const char *port, const char *directory, pcap_t **pcap, struct outfile *f,
                      struct error *err)
{
    *pcap = capture_live_open(interface, err);
    if (!*pcap || !keep_filter(*pcap, port, err) || !capture_confine_live(false, -1, err) ||
        !outfile_make_directory(directory, err))
        return false;
    MEMORY_LOCAL char *path = memory_text("%s/" CAPTURE_KEEP_FILE, directory);
    bool ok = outfile_open(f, path, err);
    return ok && (pcap_dump_fopen(*pcap, f->stream) || error_set(err, ERROR_SYSTEM, "%s: %s", f->part,
                                                                   pcap_geterr(*pcap)));
}

struct keep_to {
    pcap_dumper_t *dumper;
    int64_t frames;
};

static void keep_frame(u_char *user, const struct pcap_pkthdr *header, const u_char *bytes)
{
    struct keep_to *to = (struct keep_to *)(void *)user;
    pcap_dump((u_char *)to->dumper, header, bytes);
    to->frames++;
}

/* Until there is word from the socket, or something fails. What passed before the word is taken, too. */
static bool keep_frames(pcap_t *pcap, FILE *stream, int socket, struct keep_report *report)
{
    struct keep_to to = {.dumper = (pcap_dumper_t *)stream};
    struct pcap_stat stat;
    int taken;
    do {
        bool last = poll(&(struct pollfd){.fd = socket, .events = POLLIN}, 1, 0) != 0;
        capture_live_wait(pcap);
        taken = pcap_dispatch(pcap, -1, keep_frame, (u_char *)&to);
        if (last)
            break;
    } while (taken >= 0 && !ferror(stream));
    report->frames = to.frames;
    report->missed = pcap_stats(pcap, &stat) == 0 ? (int64_t)stat.ps_drop : 0;
    return taken >= 0 ||
           error_set(&report->err, ERROR_SYSTEM, "the interface cannot be read on: %s", pcap_geterr(pcap));
}

/* Says when it is ready, and how it ended. */
static void keep_run(const char *interface, const char *port, const char *directory, int socket)
{
    static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT}; /* to whoever waits for us: the socket's end tells */
    struct keep_report report = {0};
    struct outfile f = {0};
    pcap_t *pcap = NULL;
    char word;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        signal(ours[i], SIG_IGN);
    report.ok = keep_open(interface, port, directory, &pcap, &f, &report.err);
    if (send(socket, &report, sizeof report, MSG_NOSIGNAL) > 0 && report.ok) {
        report.ok = keep_frames(pcap, f.stream, socket, &report) && recv(socket, &word, 1, 0) == 1 &&
                    outfile_commit(&f, &report.err);
        send(socket, &report, sizeof report, MSG_NOSIGNAL); /* nobody may be left to hear it */
    }
    outfile_discard(&f);
    if (!report.ok)
        outfile_unmake_directories();
    if (pcap)
        pcap_close(pcap);
}

/* Of the other process. */
static bool keep_hear(const struct capture_keep *k, struct keep_report *report, struct error *err)
{
    if (recv(k->socket, report, sizeof *report, MSG_WAITALL) != (ssize_t)sizeof *report)
        return error_set(err, ERROR_SYSTEM, CAPTURE_KEEP_FILE ": the process that captures is gone");
    if (!report->ok)
        *err = report->err;
    return report->ok;
}

struct capture_keep *capture_keep_begin(const char *interface, const char *port, const char *directory,
                                        struct error *err)
{
    int sockets[2];
    struct keep_report report;
    struct capture_keep *k = memory_zeroed(1, sizeof *k, "a capture");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 || (k->pid = fork()) < 0) {
        error_set_errno(err, "%s: no process can be made for it", interface);
        free(k);
        return NULL;
    }
    if (k->pid == 0) {
        close(sockets[0]);
        keep_run(interface, port, directory, sockets[1]);
        _exit(0);
    }
    close(sockets[1]);
    k->socket = sockets[0];
    if (keep_hear(k, &report, err))
        return k;
    capture_keep_discard(k);
    return NULL;
}

bool capture_keep_end(struct capture_keep *k, int64_t *frames, int64_t *missed, struct error *err)
{
    struct keep_report report = {0};
    bool ok = send(k->socket, "c", 1, MSG_NOSIGNAL) == 1;
    ok = keep_hear(k, &report, err) && ok;
    *frames = report.frames;
    *missed = report.missed;
    capture_keep_discard(k);
    return ok;
}

void capture_keep_discard(struct capture_keep *k)
{
    if (!k)
        return;
    close(k->socket);
    waitpid(k->pid, NULL, 0);
    free(k);
}
