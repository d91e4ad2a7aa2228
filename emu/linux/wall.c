/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/wall.h"

#include "emu/linux/veth.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#define SLOT_BYTES 2048 /* a frame of 1514 bytes, and what the kernel says of it */
#define BLOCK_BYTES (64 * 1024)
#define SLOTS 8192 /* that hosts may send while nobody looks */
#define SEND_BYTES (16 * 1024 * 1024)
#define READY 64
#define PART_BYTES (16 * 1024) /* written at once: frames must not wait for megabytes to be copied */
#define NS_PER_S UINT64_C(1000000000)

/* A socket of the engine's applications. */
struct wall_socket {
    void *about;        /* borrowed */
    uint32_t events;    /* that are waited for */
    bool watched, writable, gone; /* gone: it will never be ready again */
};

struct linux_wall {
    int home;           /* the namespace */
    int packets, epoll;
    uint8_t *ring;      /* mapped */
    size_t slot;        /* the next to look at */
    int *links;         /* owned; of each host, its interface here */
    int n_links;
    int *hosts;         /* owned; of each interface here, its host */
    int n_hosts;
    struct wall_socket *sockets; /* owned; by descriptor */
    size_t n_sockets;
    struct epoll_event ready[READY];
    int n_ready;
    int *filling;       /* owned; sockets that take more still */
    size_t n_filling, filling_capacity;
    uint64_t zero_ns;   /* CLOCK_MONOTONIC where the engine's clock shows 0 */
    int64_t lost;
};

static uint64_t wall_read(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static uint64_t wall_now(const struct linux_wall *w)
{
    return wall_read(CLOCK_MONOTONIC) - w->zero_ns;
}

static bool wall_option(int fd, int name, int value)
{
    return setsockopt(fd, SOL_PACKET, name, &value, sizeof value) == 0;
}

/* The socket takes nothing before it is bound. */
static bool wall_open_packets(struct linux_wall *w)
{
    const struct tpacket_req ring = {.tp_block_size = BLOCK_BYTES,
                                     .tp_block_nr = SLOTS / (BLOCK_BYTES / SLOT_BYTES),
                                     .tp_frame_size = SLOT_BYTES,
                                     .tp_frame_nr = SLOTS};
    const int send_bytes = SEND_BYTES;
    w->packets = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (w->packets < 0 || !wall_option(w->packets, PACKET_VERSION, TPACKET_V2) ||
        !wall_option(w->packets, PACKET_QDISC_BYPASS, 1) || !wall_option(w->packets, PACKET_IGNORE_OUTGOING, 1) ||
        setsockopt(w->packets, SOL_PACKET, PACKET_RX_RING, &ring, sizeof ring) != 0)
        return false;
    setsockopt(w->packets, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof send_bytes); /* or what the system lets it have */
    void *at = mmap(NULL, (size_t)SLOTS * SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, w->packets, 0);
    w->ring = at == MAP_FAILED ? NULL : at;
    struct epoll_event in = {.events = EPOLLIN, .data.fd = w->packets};
    return w->ring && (w->epoll = epoll_create1(EPOLL_CLOEXEC)) >= 0 &&
           epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->packets, &in) == 0;
}

struct linux_wall *linux_wall_new(struct error *err)
{
    struct linux_wall *w = memory_zeroed(1, sizeof *w, "the engine");
    *w = (struct linux_wall){.home = -1, .packets = -1, .epoll = -1};
    w->home = linux_veth_unshare(err);
    if (w->home >= 0 && wall_open_packets(w)) {
        /* Waits end when they should, as far as the user may ask for that. */
        const struct sched_param first = {.sched_priority = 1};
        sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
        prctl(PR_SET_TIMERSLACK, 1UL);
        return w;
    }
    if (w->home >= 0)
        error_set_errno(err, "clock: wall needs packet sockets in a namespace of its own");
    linux_wall_free(w);
    return NULL;
}

void linux_wall_free(struct linux_wall *w)
{
    if (!w)
        return;
    if (w->ring)
        munmap(w->ring, (size_t)SLOTS * SLOT_BYTES);
    const int fds[] = {w->epoll, w->packets, w->home};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        error_close(fds[i]);
    MEMORY_FREE(w->links, w->hosts, w->sockets, w->filling, w);
}

int linux_wall_add(struct linux_wall *w, const struct contraflow_add *add)
{
    int host = w->n_links, link = linux_veth_add(w->home, host, add->mac);
    if (link < 0)
        return -1;
    w->links = memory_resized(w->links, (size_t)host + 1, sizeof *w->links, "hosts");
    w->links[w->n_links++] = link;
    if (link >= w->n_hosts)
        w->hosts = memory_resized(w->hosts, (size_t)link + 1, sizeof *w->hosts, "hosts");
    while (w->n_hosts <= link)
        w->hosts[w->n_hosts++] = -1;
    w->hosts[link] = host;
    return host;
}

bool linux_wall_begin(struct linux_wall *w, uint64_t begin_ns, struct error *err)
{
    const struct sockaddr_ll all = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    if (bind(w->packets, (const struct sockaddr *)&all, sizeof all) != 0)
        return error_set_errno(err, "Linux: the packet socket");
    w->zero_ns = wall_read(CLOCK_MONOTONIC) - begin_ns;
    return true;
}

static struct wall_socket *wall_socket(struct linux_wall *w, int fd, void *about)
{
    size_t n = w->n_sockets;
    if ((size_t)fd >= n) {
        w->n_sockets = 2 * (size_t)fd + 64;
        w->sockets = memory_resized(w->sockets, w->n_sockets, sizeof *w->sockets, "sockets");
        memset(w->sockets + n, 0, (w->n_sockets - n) * sizeof *w->sockets);
    }
    struct wall_socket *s = &w->sockets[fd];
    if (s->about != about)
        *s = (struct wall_socket){.about = about}; /* another one with an old number */
    return s;
}

static void wall_watch(struct linux_wall *w, int fd, struct wall_socket *s, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.fd = fd};
    if (s->gone || (s->watched && s->events == events))
        return;
    epoll_ctl(w->epoll, s->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e);
    s->watched = true;
    s->events = events;
}

static int64_t wall_deliver(struct linux_wall *w, const struct contraflow_op *op)
{
    const struct sockaddr_ll to = {.sll_family = AF_PACKET,
                                   .sll_protocol = htons(ETH_P_IP),
                                   .sll_ifindex = w->links[op->at]};
    uint64_t now_ns = wall_now(w);
    ssize_t n;
    do
        n = sendto(w->packets, (const void *)(uintptr_t)op->address, (size_t)op->bytes, 0, (const struct sockaddr *)&to,
                   sizeof to);
    while (n < 0 && errno == EINTR);
    w->lost += n < 0 && errno == ENOBUFS;
    return n < 0 && errno != ENOBUFS ? -errno : (int64_t)now_ns;
}

static int64_t wall_receive(struct linux_wall *w, const struct contraflow_op *op, struct wall_socket *s)
{
    wall_watch(w, (int)op->at, s, s->events | EPOLLIN);
    ssize_t n = recv((int)op->at, NULL, 1 << 30, MSG_DONTWAIT | MSG_TRUNC);
    int64_t result = n < 0 ? -errno : n;
    if (n <= 0 && result != -EAGAIN)
        wall_watch(w, (int)op->at, s, s->events & ~(uint32_t)EPOLLIN); /* nothing more comes */
    return result;
}

/* As a program that poll() has told of room, and that fills it. It is told again for every part, so that only one of
 * the operations of a step writes. */
static int64_t wall_send(struct linux_wall *w, const struct contraflow_op *op, struct wall_socket *s)
{
    static const uint8_t zeros[PART_BYTES];
    size_t part = op->bytes < PART_BYTES ? (size_t)op->bytes : PART_BYTES;
    int fd = (int)op->at;
    ssize_t n = -1;
    errno = EAGAIN;
    if (s->writable && (n = send(fd, zeros, part, MSG_DONTWAIT | MSG_NOSIGNAL)) == PART_BYTES && n < op->bytes) {
        w->filling = memory_grown(w->filling, w->n_filling, &w->filling_capacity, 16, sizeof *w->filling, "sockets");
        w->filling[w->n_filling++] = fd;
    }
    int64_t result = n < 0 ? -errno : n;
    s->writable = false;
    if (n == op->bytes && op->kind == CONTRAFLOW_SEND_LAST)
        shutdown(fd, SHUT_WR);
    wall_watch(w, fd, s, s->events | EPOLLOUT);
    return result;
}

static void wall_do(struct linux_wall *w, struct contraflow_op *op, void *about)
{
    if (op->kind == CONTRAFLOW_DELIVER)
        op->result = wall_deliver(w, op);
    else if (op->kind == CONTRAFLOW_RECEIVE)
        op->result = wall_receive(w, op, wall_socket(w, (int)op->at, about));
    else if (op->kind != CONTRAFLOW_DONE)
        op->result = wall_send(w, op, wall_socket(w, (int)op->at, about));
}

static struct tpacket2_hdr *wall_slot(const struct linux_wall *w)
{
    struct tpacket2_hdr *h = (void *)(w->ring + w->slot * SLOT_BYTES);
    return __atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER ? h : NULL;
}

/* The frames that are there, as many as there is room for. The kernel tells their times by the other clock. */
static void wall_take(struct linux_wall *w, struct contraflow_step *step)
{
    uint64_t now_ns = wall_now(w), shift_ns = wall_read(CLOCK_REALTIME) - now_ns;
    uint8_t *out = (void *)(uintptr_t)step->out;
    size_t used = 0;
    step->now_ns = now_ns;
    step->n_frames = 0;
    for (struct tpacket2_hdr *h; (h = wall_slot(w)); w->slot = (w->slot + 1) % SLOTS) {
        const struct sockaddr_ll *from = (void *)((uint8_t *)h + TPACKET_ALIGN((int)sizeof *h));
        int host = from->sll_ifindex < w->n_hosts ? w->hosts[from->sll_ifindex] : -1;
        struct contraflow_frame head = {.at = (uint32_t)host,
                                        .bytes = h->tp_snaplen,
                                        .time_ns = h->tp_sec * NS_PER_S + h->tp_nsec - shift_ns};
        size_t size = (sizeof head + head.bytes + 7) & ~(size_t)7;
        if (size > step->room - used)
            break;
        if ((int64_t)head.time_ns < 0 || head.time_ns > now_ns + NS_PER_S)
            head.time_ns = now_ns; /* somebody has set the other clock */
        if (host >= 0 && h->tp_snaplen == h->tp_len) {
            memcpy(out + used, &head, sizeof head);
            memcpy(out + used + sizeof head, (const uint8_t *)h + h->tp_mac, head.bytes);
            used += size;
            step->n_frames++;
            if (head.time_ns > step->now_ns)
                step->now_ns = head.time_ns; /* it came while we looked */
        } else {
            w->lost++;
        }
        __atomic_store_n(&h->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    }
    step->more = wall_slot(w) != NULL;
}

bool linux_wall_step(struct linux_wall *w, struct contraflow_step *step, void *const *about, struct error *err)
{
    struct contraflow_op *ops = (void *)(uintptr_t)step->ops;
    for (uint32_t i = 0; i < step->n_ops; i++)
        wall_do(w, &ops[i], about[i]);
    w->n_ready = 0;
    if (!wall_slot(w) && w->n_filling == 0) {
        uint64_t now_ns = wall_now(w), wait_ns = step->deadline_ns > now_ns ? step->deadline_ns - now_ns : 0;
        const struct timespec wait = {(time_t)(wait_ns / NS_PER_S), (long)(wait_ns % NS_PER_S)};
        w->n_ready = epoll_pwait2(w->epoll, w->ready, READY, &wait, NULL);
        if (w->n_ready < 0 && errno != EINTR)
            return error_set_errno(err, "Linux: waiting");
    }
    wall_take(w, step);
    return true;
}

void linux_wall_ready(struct linux_wall *w, bool (*ready)(void *user, void *about, bool readable, bool writable),
                      void *user)
{
    for (size_t i = 0; i < w->n_filling; i++) {
        struct wall_socket *s = &w->sockets[w->filling[i]];
        s->writable = true;
        ready(user, s->about, false, true);
    }
    w->n_filling = 0;
    for (int i = 0; i < w->n_ready; i++) {
        int fd = w->ready[i].data.fd;
        uint32_t events = w->ready[i].events;
        if (fd == w->packets)
            continue;
        struct wall_socket *s = &w->sockets[fd];
        s->writable = events & EPOLLOUT;
        if (!ready(user, s->about, events & (EPOLLIN | EPOLLHUP | EPOLLERR), s->writable) && s->writable)
            wall_watch(w, fd, s, s->events & ~(uint32_t)EPOLLOUT);
        if (events & (EPOLLHUP | EPOLLERR)) {
            epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL);
            s->gone = true;
        }
    }
    w->n_ready = 0;
}

int64_t linux_wall_lost(struct linux_wall *w)
{
    struct tpacket_stats stats = {0};
    socklen_t bytes = sizeof stats;
    if (getsockopt(w->packets, SOL_PACKET, PACKET_STATISTICS, &stats, &bytes) == 0)
        w->lost += stats.tp_drops;
    int64_t dropped = setns(w->home, CLONE_NEWNET) == 0 ? linux_veth_dropped() : 0;
    return w->lost + (dropped > 0 ? dropped : 0);
}
