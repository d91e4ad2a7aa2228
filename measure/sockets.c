/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/sockets.h"

#include "base/hash.h"
#include "base/memory.h"

#include <dirent.h>
#include <linux/tcp.h> /* glibc's struct tcp_info ends before the fields wanted here */
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>

static bool sockets_connected(int fd)
{
    int type = 0;
    struct sockaddr_storage peer;
    socklen_t type_size = sizeof type, peer_size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 && type == SOCK_STREAM &&
           getpeername(fd, (struct sockaddr *)&peer, &peer_size) == 0 &&
           (peer.ss_family == AF_INET || peer.ss_family == AF_INET6);
}

static void sockets_add(struct measure_sockets *s, int fd)
{
    s->fds = memory_grown(s->fds, s->n, &s->room, 8, sizeof *s->fds, "connections");
    s->fds[s->n++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

void measure_sockets_find(struct measure_sockets *s)
{
    DIR *all = opendir("/proc/self/fd");
    s->n = 0;
    for (const struct dirent *e; all && (e = readdir(all));) {
        int fd = atoi(e->d_name); /* "." is 0, which is no connection of a library's */
        if (fd > 2 && sockets_connected(fd))
            sockets_add(s, fd);
    }
    if (all)
        closedir(all);
}

void measure_sockets_wait(const struct measure_sockets *s, long most_ns)
{
    ppoll(s->fds, s->n, &(struct timespec){.tv_nsec = most_ns}, NULL);
}

/* With an end's address and port mixed in. */
static uint64_t sockets_mix(uint64_t name, const struct sockaddr_storage *end)
{
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    uint64_t words[2] = {0};
    memcpy(&four, end, sizeof four);
    memcpy(&six, end, sizeof six);
    if (end->ss_family == AF_INET)
        words[0] = four.sin_addr.s_addr;
    else
        memcpy(words, &six.sin6_addr, sizeof words);
    in_port_t port = end->ss_family == AF_INET ? four.sin_port : six.sin6_port;
    return hash_mix(hash_mix(hash_mix(name, words[0]), words[1]), port);
}

/* From this end to the other, or back; 0: it is gone. */
static uint64_t sockets_name(int fd, bool back)
{
    struct sockaddr_storage own = {0}, peer = {0};
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    if (getsockname(fd, (struct sockaddr *)&own, &own_size) != 0 ||
        getpeername(fd, (struct sockaddr *)&peer, &peer_size) != 0)
        return 0;
    return sockets_mix(sockets_mix(1, back ? &peer : &own), back ? &own : &peer);
}

void measure_sockets_name(const struct measure_sockets *s, uint64_t *names, size_t most)
{
    for (size_t i = 0; i < most; i++)
        names[i] = i < s->n ? sockets_name(s->fds[i].fd, true) : 0;
}

void measure_sockets_match(const struct measure_sockets *all, const uint64_t *names, size_t n,
                           struct measure_sockets *found)
{
    found->n = 0;
    for (size_t i = 0; i < all->n; i++) {
        uint64_t name = sockets_name(all->fds[i].fd, false);
        bool named = false;
        for (size_t k = 0; k < n; k++)
            named = named || (name != 0 && names[k] == name);
        if (named)
            sockets_add(found, all->fds[i].fd);
    }
}

double measure_sockets_window(const struct measure_sockets *s)
{
    double bytes = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct tcp_info info = {0};
        socklen_t size = sizeof info;
        if (getsockopt(s->fds[i].fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || info.tcpi_snd_wnd == 0)
            return 0;
        bytes += fmin((double)info.tcpi_snd_cwnd * info.tcpi_snd_mss, info.tcpi_snd_wnd);
    }
    return bytes;
}

void measure_sockets_fini(struct measure_sockets *s)
{
    free(s->fds);
    *s = (struct measure_sockets){0};
}
