/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/kernel/contraflow.h - what the kernel inside and contraflow-linux say to each other: /dev/contraflow.
 *
 * A network interface whose other end is a program. CONTRAFLOW_ADD makes one in the caller's network namespace.
 * CONTRAFLOW_STEP does what is due now, then waits for a time, or until a stack sends something, and hands over every
 * frame that was sent: one system call an event. */
#ifndef _UAPI_LINUX_CONTRAFLOW_H
#define _UAPI_LINUX_CONTRAFLOW_H

#include <linux/ioctl.h>
#include <linux/types.h>

struct contraflow_add {
    __u8 mac[6];
    __u16 max_mtu;
};

enum contraflow_kind {
    CONTRAFLOW_DELIVER, /* at: interface (0, 1, ... as added), address and bytes: of a frame for its stack */
    CONTRAFLOW_GATHER,  /* the same; it and those right after it for the same interface come in one poll, which merges
                         * segments that follow each other (GRO) */
    CONTRAFLOW_DONE,    /* at: the slot of a held frame, which has left the NIC */
    CONTRAFLOW_RECEIVE, /* at: socket; takes everything there is, as recv(MSG_TRUNC) does. result: bytes or -errno */
    CONTRAFLOW_SEND,    /* at: socket; if poll() says writable, writes up to `bytes` zeros. result: bytes or -errno */
    CONTRAFLOW_SEND_LAST, /* the same; after the last of them no more: shutdown(SHUT_WR) */
};

struct contraflow_op {
    __u32 kind, at;
    __u64 address;
    __s64 bytes;
    __s64 result;
};

/* Before each frame in `out`; frames begin at multiples of 8. */
struct contraflow_frame {
    __u32 at, slot; /* interface; of a held frame */
    __u32 bytes, zero;
    __u64 time_ns; /* CLOCK_MONOTONIC, when it was sent */
};

struct contraflow_step {
    __u64 ops;         /* address of n_ops operations, done in order */
    __u64 out;         /* address of `room` bytes for frames */
    __u32 n_ops, room;
    __u64 deadline_ns; /* CLOCK_MONOTONIC: the wait's end, */
    __u64 linger_ns;   /* or so much after the first frame was sent */
    __u64 now_ns;      /* returned: when it ended */
    __u32 n_frames, more; /* returned: in `out`; there are more */
};

/* A queue of an emulated port, kept by the discipline of interface `at`, which is up and sends nothing by itself. */
enum contraflow_queue_kind {
    CONTRAFLOW_PUSH, /* `bytes` at `address` are offered to the discipline, as `frame` */
    CONTRAFLOW_POP,  /* returned: the next `frame` and its first bytes as they are now; 0: the discipline gives none */
    CONTRAFLOW_LOST, /* only what is lost */
};

#define CONTRAFLOW_HEAD 34 /* Ethernet and IPv4: where a discipline marks */
#define CONTRAFLOW_LOST_MOST 16

struct contraflow_queue {
    __u32 kind, at;
    __u64 address;
    __u32 bytes, frame; /* a frame's number, from 1 */
    __u32 waiting;      /* returned: frames that the discipline holds */
    __u32 n_lost;       /* returned: frames lost since; CONTRAFLOW_LOST_MOST: there may be more */
    __u64 ready_ns;     /* pop, returned without a frame: CLOCK_MONOTONIC, when the discipline wants to be asked again;
                         * 0: it does not say */
    __u32 priority;     /* push: what disciplines tell classes by, as SO_PRIORITY of a socket */
    __u32 zero;
    __u32 lost[CONTRAFLOW_LOST_MOST];
    __u8 head[CONTRAFLOW_HEAD + 6];
};

#define CONTRAFLOW_ADD _IOW('C', 1, struct contraflow_add) /* returns its number */
#define CONTRAFLOW_HOLD _IO('C', 3) /* of interface arg a frame is its sender's until CONTRAFLOW_DONE, from now on */
#define CONTRAFLOW_STEP _IOWR('C', 2, struct contraflow_step)
#define CONTRAFLOW_QUEUE _IOWR('C', 4, struct contraflow_queue)

#ifdef __KERNEL__
struct sk_buff;
extern int contraflow_emulator; /* the process that opened the device first; those after it are programs */
extern unsigned long long contraflow_watchdog_ns; /* the least that a discipline's watchdog was set to */
void contraflow_lose(struct sk_buff *skb); /* destructor of a port's frames */
#endif

#endif
