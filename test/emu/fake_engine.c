/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/emu/fake_engine.h"

struct event {
    int64_t time_ps;
    void (*fn)(void *);
    void *arg;
};

static struct event events[100000]; /* sorted by time, then by order of scheduling */
static int n_events;
static int64_t now;
int64_t fake_live;

void fake_reset(void)
{
    n_events = 0;
    now = 0;
    fake_live = 0;
}

static int64_t now_ps(void *engine)
{
    (void)engine;
    return now;
}

static void schedule(void *engine, int64_t delay_ps, void (*fn)(void *), void *arg)
{
    (void)engine;
    if (delay_ps < 0 || n_events == (int)(sizeof events / sizeof *events))
        abort();
    int i = n_events++;
    for (; i > 0 && events[i - 1].time_ps > now + delay_ps; i--)
        events[i] = events[i - 1];
    events[i] = (struct event){now + delay_ps, fn, arg};
}

struct emu_clock fake_clock(void)
{
    return (struct emu_clock){.now_ps = now_ps, .schedule = schedule};
}

void fake_run(void)
{
    while (n_events > 0) {
        struct event e = events[0];
        n_events--;
        for (int i = 0; i < n_events; i++)
            events[i] = events[i + 1];
        now = e.time_ps;
        e.fn(e.arg);
    }
}

static void *share(void *packet)
{
    fake_live++;
    return packet;
}

static void release(void *packet)
{
    (void)packet;
    fake_live--;
}

static size_t bytes(const struct emu_frame *frame, uint8_t *out, size_t limit)
{
    (void)frame;
    (void)out;
    return limit * 0;
}

const struct emu_frame_ops fake_ops = {.share = share, .release = release, .bytes = bytes};

struct emu_frame fake_frame(int src, int dst, uint32_t payload, int id)
{
    fake_live++;
    return (struct emu_frame){.src = (uint32_t)src + 1,
                              .dst = dst < 0 ? EMU_FRAME_BROADCAST : (uint32_t)dst + 1,
                              .payload_bytes = (uint16_t)payload,
                              .ethertype = 0x0800,
                              .packet = (void *)((intptr_t)(id + 1) << 1)};
}

int fake_id(const struct emu_frame *frame)
{
    return (int)((intptr_t)frame->packet >> 1) - 1;
}
