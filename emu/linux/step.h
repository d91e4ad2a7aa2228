/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/linux/step.h - operations for the kernel, gathered, done together at one time: by the kernel inside, through its
 * device, in virtual time, or by the system's own in wall time. */
#pragma once

#include "emu/linux/wall.h"

struct linux_step_list {
    struct contraflow_op *ops; /* owned */
    void **about;              /* owned; whom the result of each concerns */
    size_t n, capacity, capacity_about;
};

struct linux_step {
    struct linux_wall *wall; /* owned; wall time: the system's own kernel. NULL: the kernel inside */
    int device;              /* -1: in wall time */
    struct linux_step_list next, last; /* to be done; done, while their results are looked at */
    uint8_t *out;                      /* owned; frames */
    uint64_t now_ns;                   /* of the kernel */
    uint32_t n_frames;                 /* in `out` */
    bool more;                         /* which had no room for all of them */
};

/* In wall time the process is in namespaces of its own from then on. */
bool linux_step_open(struct linux_step *s, bool wall, struct error *err);
void linux_step_close(struct linux_step *s);

/* Adds an interface eth0 in the process's network namespace. Returns its number: 0, 1, ...; -1 and errno. */
int linux_step_nic(const struct linux_step *s, const struct contraflow_add *add);

/* Adds an operation; what it points to stays until it is done. */
void linux_step_add(struct linux_step *s, enum contraflow_kind kind, int at, const void *bytes, int64_t n, void *about);

/* Waits until the kernel's clock shows `begin_ns`, from where the engine counts. */
bool linux_step_begin(struct linux_step *s, uint64_t begin_ns, struct error *err);

/* Wall time: who became ready in the wait (linux_wall_ready()). Virtual time: nobody. */
void linux_step_ready(struct linux_step *s, bool (*ready)(void *user, void *about, bool readable, bool writable),
                      void *user);

/* Does them, and done() hears of each; then waits until deadline_ns of the kernel's clock or until linger_ns after a
 * frame was sent. done() may add operations, for the next time: it looks at the time before the wait. */
bool linux_step_run(struct linux_step *s, uint64_t deadline_ns, uint64_t linger_ns,
                    void (*done)(void *user, const struct contraflow_op *op, void *about), void *user,
                    struct error *err);

/* Where there are more: takes those that come next, at the same time. */
bool linux_step_more(struct linux_step *s, struct error *err);

/* The frames taken, which were sent until now_ns; what sent() adds is for the next time. */
void linux_step_frames(const struct linux_step *s,
                       void (*sent)(void *user, const struct contraflow_frame *head, const uint8_t *bytes),
                       void *user);
