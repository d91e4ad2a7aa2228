/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/fault.h"

#include "base/memory.h"

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325) /* FNV-1a, 64 bits */
#define FNV_PRIME UINT64_C(0x100000001b3)
#define NORMAL_TERMS 12 /* their sum has a standard deviation of one term's range */
#define TERM_RANGE 65536

const char *const emu_fault_jitter_names[] = {
    [EMU_FAULT_UNIFORM] = "uniform",
    [EMU_FAULT_NORMAL] = "normal",
    NULL,
};

int64_t emu_fault_lead_ps(const struct emu_fault_config *config, int64_t delay_ps)
{
    if (!config->on || !(config->reorder > 0))
        return 0;
    return config->reorder_by_ps > 0 && config->reorder_by_ps < delay_ps ? config->reorder_by_ps : delay_ps;
}

struct emu_fault *emu_fault_new(const struct emu_fault_config *config, int64_t delay_ps, const char *name)
{
    if (!config->on)
        return NULL;
    struct emu_fault *f = memory_zeroed(1, sizeof *f, "a link's faults");
    uint64_t seed = FNV_OFFSET;
    for (const char *c = name; *c; c++)
        seed = (seed ^ (unsigned char)*c) * FNV_PRIME;
    f->config = *config;
    f->config.reorder_by_ps = emu_fault_lead_ps(config, delay_ps);
    f->losses = random_of(seed ^ config->seed);
    f->delays = random_of(~(seed ^ config->seed));
    return f;
}

void emu_fault_free(struct emu_fault *f, const struct emu_frame_ops *ops)
{
    if (f)
        emu_ring_fini(&f->held, ops);
    free(f);
}

static bool fault_happens(struct random *r, double probability)
{
    return random_share(r) < probability;
}

bool emu_fault_loses(struct emu_fault *f)
{
    const struct emu_fault_burst *burst = &f->config.burst;
    bool lost = f->config.loss > 0 && fault_happens(&f->losses, f->config.loss);
    if (!burst->on)
        return lost;
    lost |= fault_happens(&f->losses, f->bad ? burst->loss_bad : burst->loss_good);
    if (fault_happens(&f->losses, f->bad ? burst->to_good : burst->to_bad))
        f->bad = !f->bad;
    return lost;
}

/* Three standard deviations either way are the range; a standard deviation is TERM_RANGE. */
static int64_t fault_normal_ps(struct random *r, int64_t range_ps)
{
    const int64_t low = (NORMAL_TERMS / 2 - 3) * TERM_RANGE, range = 6 * TERM_RANGE;
    int64_t sum;
    do {
        sum = 0;
        for (int i = 0; i < NORMAL_TERMS / 4; i++)
            for (uint64_t bits = random_next(r), k = 0; k < 4; k++, bits >>= 16)
                sum += (int64_t)(bits & (TERM_RANGE - 1));
    } while (sum < low || sum > low + range);
    return (sum - low) * (range_ps / range) + (sum - low) * (range_ps % range) / range;
}

int64_t emu_fault_due_ps(struct emu_fault *f, int64_t now_ps)
{
    const struct emu_fault_config *c = &f->config;
    if (c->reorder > 0 && fault_happens(&f->delays, c->reorder))
        return now_ps;
    int64_t due_ps = now_ps + c->reorder_by_ps;
    if (c->jitter_ps > 0)
        due_ps += c->shape == EMU_FAULT_NORMAL ? fault_normal_ps(&f->delays, c->jitter_ps)
                                               : (int64_t)random_below(&f->delays, (uint64_t)c->jitter_ps + 1);
    if (due_ps < f->last_ps)
        due_ps = f->last_ps;
    f->last_ps = due_ps;
    return due_ps;
}
