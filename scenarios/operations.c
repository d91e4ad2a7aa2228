/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/operations.h"

#include "base/memory.h"
#include "base/units.h"
#include "results/csv.h"
#include "results/directory.h"

#include <inttypes.h>
#include <stdlib.h>

struct operations_row {
    int64_t operation, start_ps, end_ps;
    int process;
};

void operations_add(struct operations *o, int64_t operation, int process, int64_t start_ps, int64_t end_ps)
{
    o->row = memory_grown(o->row, o->n, &o->capacity, 256, sizeof *o->row, "completion times");
    o->row[o->n++] = (struct operations_row){operation, start_ps, end_ps, process};
}

void operations_end(struct operations *o, int64_t start_ps, int64_t end_ps)
{
    estimate_add(&o->whole_s, (double)(end_ps - start_ps) / (double)UNITS_PS_PER_S);
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
    free(o->row);
    *o = (struct operations){0};
}
