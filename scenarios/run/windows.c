/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/windows.h"

/* Of one flow; as many in an array as the scenario has flows. */
struct windows {
    struct emu_engine *engine; /* borrowed, as all here */
    const struct scenario_flow *config;
    int flow, next;
};

static void windows_set(void *arg)
{
    struct windows *w = arg;
    const struct scenario_window *now = &w->config->windows[w->next++];
    struct emu_clock clock = emu_engine_clock(w->engine);
    emu_engine_set_window(w->engine, w->flow, now->bytes);
    if (w->next < w->config->n_windows)
        emu_clock_schedule(&clock, now[1].at_ps - now->at_ps, windows_set, w);
}

struct windows *windows_new(const struct scenario *s, struct emu_engine *e)
{
    struct windows *w = NULL;
    struct emu_clock clock = emu_engine_clock(e);
    for (int i = 0; i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        if (f->tcp.congestion != EMU_CONGESTION_GIVEN || f->n_windows == 0)
            continue;
        if (!w)
            w = memory_zeroed((size_t)s->n_flows, sizeof *w, "windows");
        w[i] = (struct windows){e, f, i, 0};
        emu_clock_schedule(&clock, f->windows[0].at_ps, windows_set, &w[i]);
    }
    return w;
}
