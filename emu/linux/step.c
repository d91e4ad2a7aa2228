/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/step.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#define DEVICE "/dev/contraflow"
#define OUT_BYTES (256 * 1024) /* several frames of the largest size */

bool linux_step_open(struct linux_step *s, bool wall, struct error *err)
{
    *s = (struct linux_step){.device = -1};
    if (wall) {
        s->wall = linux_wall_new(err);
        if (!s->wall)
            return false;
    } else if ((s->device = open(DEVICE, O_RDWR | O_CLOEXEC)) < 0) {
        return error_set_errno(err, "the kernel inside: " DEVICE);
    }
    s->out = memory_zeroed(1, OUT_BYTES, "frames");
    return true;
}

static void list_fini(struct linux_step_list *l)
{
    MEMORY_FREE(l->ops, l->about);
}

void linux_step_close(struct linux_step *s)
{
    error_close(s->device);
    linux_wall_free(s->wall);
    list_fini(&s->next);
    list_fini(&s->last);
    free(s->out);
    *s = (struct linux_step){.device = -1};
}

int linux_step_nic(const struct linux_step *s, const struct contraflow_add *add)
{
    return s->wall ? linux_wall_add(s->wall, add) : ioctl(s->device, CONTRAFLOW_ADD, add);
}

void linux_step_add(struct linux_step *s, enum contraflow_kind kind, int at, const void *bytes, int64_t n, void *about)
{
    struct linux_step_list *l = &s->next;
    l->ops = memory_grown(l->ops, l->n, &l->capacity, 64, sizeof *l->ops, "operations");
    l->about = memory_grown(l->about, l->n, &l->capacity_about, 64, sizeof *l->about, "operations");
    l->ops[l->n] = (struct contraflow_op){kind, (uint32_t)at, (uintptr_t)bytes, n, 0};
    l->about[l->n++] = about;
}

static bool step_ask(struct linux_step *s, struct contraflow_step *step, void *const *about, struct error *err)
{
    step->out = (uintptr_t)s->out;
    step->room = OUT_BYTES;
    if (s->wall && !linux_wall_step(s->wall, step, about, err))
        return false;
    if (!s->wall && ioctl(s->device, CONTRAFLOW_STEP, step) != 0)
        return error_set_errno(err, "the kernel inside");
    s->now_ns = step->now_ns;
    s->n_frames = step->n_frames;
    s->more = step->more;
    return true;
}

bool linux_step_more(struct linux_step *s, struct error *err)
{
    struct contraflow_step step = {0};
    return step_ask(s, &step, NULL, err);
}

bool linux_step_begin(struct linux_step *s, uint64_t begin_ns, struct error *err)
{
    struct contraflow_step step = {.deadline_ns = begin_ns};
    if (s->wall)
        return linux_wall_begin(s->wall, begin_ns, err);
    if (!step_ask(s, &step, NULL, err))
        return false;
    return (step.now_ns == begin_ns && step.n_frames == 0) ||
           error_set(err, ERROR_SYSTEM, "the kernel inside began at %llu ns with %u frames, not at %llu ns with none",
                     (unsigned long long)step.now_ns, step.n_frames, (unsigned long long)begin_ns);
}

bool linux_step_run(struct linux_step *s, uint64_t deadline_ns, uint64_t linger_ns,
                    void (*done)(void *user, const struct contraflow_op *op, void *about), void *user,
                    struct error *err)
{
    struct linux_step_list list = s->next;
    s->next = s->last;
    s->next.n = 0;
    s->last = list;
    struct contraflow_step step = {.ops = (uintptr_t)list.ops,
                                   .n_ops = (uint32_t)list.n,
                                   .deadline_ns = deadline_ns,
                                   .linger_ns = linger_ns};
    if (!step_ask(s, &step, list.about, err))
        return false;
    for (size_t i = 0; i < list.n; i++)
        done(user, &list.ops[i], list.about[i]);
    return true;
}

void linux_step_ready(struct linux_step *s, bool (*ready)(void *user, void *about, bool readable, bool writable),
                      void *user)
{
    if (s->wall)
        linux_wall_ready(s->wall, ready, user);
}

void linux_step_frames(const struct linux_step *s,
                       void (*sent)(void *user, const struct contraflow_frame *head, const uint8_t *bytes), void *user)
{
    const uint8_t *at = s->out;
    for (uint32_t i = 0; i < s->n_frames; i++) {
        struct contraflow_frame head;
        memcpy(&head, at, sizeof head);
        sent(user, &head, at + sizeof head);
        at += (sizeof head + head.bytes + 7) & ~(size_t)7;
    }
}
