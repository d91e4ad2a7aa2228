/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/run/operations.h"

#include "results/csv.h"
#include "results/directory.h"

struct operations_row {
    int64_t operation, start_ps, end_ps;
    int process;
};

struct operations_entry {
    struct operations *owner; /* borrowed */
};

void operations_start(struct operations *o, const struct operations_plan *plan)
{
    *o = (struct operations){.plan = *plan, .start_ps = -1,
                             .entries = memory_zeroed((size_t)plan->processes, sizeof *o->entries, "a collective")};
    for (int i = 0; i < plan->processes; i++)
        o->entries[i].owner = o;
    o->random = random_of(plan->seed);
}

static void operations_enter(void *arg)
{
    struct operations_entry *entry = arg;
    struct operations *o = entry->owner;
    o->plan.enter(o->plan.user, (int)(entry - o->entries));
}

static void operations_next(void *arg)
{
    struct operations *o = arg;
    o->operation += o->start_ps >= 0;
    o->start_ps = emu_clock_now(o->plan.clock);
    o->ended = 0;
    o->plan.begin(o->plan.user);
    for (int i = 0; i < o->plan.processes; i++)
        emu_clock_schedule(o->plan.clock, scenario_draw_start(o->plan.scenario, &o->random), operations_enter,
                           &o->entries[i]);
}

void operations_begin(struct operations *o, int64_t after_ps)
{
    emu_clock_schedule(o->plan.clock, after_ps, operations_next, o);
}

void operations_through(struct operations *o, int process)
{
    int64_t now_ps = emu_clock_now(o->plan.clock), next_ps = o->start_ps + o->plan.period_ps;
    operations_add(o, o->operation, process, o->start_ps, now_ps);
    if (++o->ended < o->plan.processes)
        return;
    estimate_add(&o->whole_s, (double)(now_ps - o->start_ps) / (double)UNITS_PS_PER_S);
    if (o->operation + 1 < o->plan.repeat)
        operations_begin(o, next_ps > now_ps ? next_ps - now_ps : 0);
}


void operations_add(struct operations *o, int64_t operation, int process, int64_t start_ps, int64_t end_ps)
{
    o->row = memory_grown(o->row, o->n, &o->capacity, 256, sizeof *o->row, "completion times");
    o->row[o->n++] = (struct operations_row){operation, start_ps, end_ps, process};
}

bool operations_write(const struct operations *o, const char *directory, struct error *err)
{
    struct outfile f;
    if (!results_directory_create(&f, directory, "operations.csv", err))
        return false;
    fputs("operation,process,start_s,end_s\n", f.stream);
    for (size_t i = 0; i < o->n; i++) {
        fprintf(f.stream, "%" PRId64 ",%d,", o->row[i].operation, o->row[i].process);
        results_csv_time(f.stream, o->row[i].start_ps);
        putc(',', f.stream);
        results_csv_time(f.stream, o->row[i].end_ps);
        putc('\n', f.stream);
    }
    return outfile_commit(&f, err);
}

void operations_fini(struct operations *o)
{
    MEMORY_FREE(o->row, o->entries);
    *o = (struct operations){0};
}
