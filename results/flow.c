/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/flow.h"

#include "base/units.h"
#include "results/directory.h"

#define RESULTS_OF results_flow

static const struct results_column flow_columns[] = {RESULTS_FLOW_COLUMNS(RESULTS_COLUMN)};

const struct results_columns results_flow_columns = RESULTS_COLUMNS(flow_columns);
#undef RESULTS_OF

bool results_flow_read(const char *directory, struct results_flow **flows, size_t *n, struct error *err)
{
    void *rows = NULL;
    MEMORY_LOCAL char *path = results_directory_path(directory, "flows.csv");
    bool ok = results_columns_read(&results_flow_columns, path, RESULTS_FLOW_REQUIRED, &rows, n, err);
    *flows = rows;
    return ok;
}

double results_flow_duration_s(const struct results_flow *f)
{
    if (f->start_ps < 0 || f->end_ps < 0)
        return NAN;
    return (double)(f->end_ps - f->start_ps) / (double)UNITS_PS_PER_S;
}

double results_flow_time_s(const struct results_flow *f)
{
    return f->message_s > 0 ? f->message_s : results_flow_duration_s(f);
}

double results_flow_rate_bps(const struct results_flow *f, int64_t message_bytes)
{
    if (f->message_s > 0)
        return 8 * (double)message_bytes / f->message_s;
    return isfinite(f->steady_goodput_bps) ? f->steady_goodput_bps : f->goodput_bps;
}

double results_flow_ci95_bps(const struct results_flow *f, int64_t message_bytes)
{
    if (f->message_s > 0) /* of a rate 1/x, to first order: as large a share as of x */
        return results_flow_rate_bps(f, message_bytes) * f->message_ci95_s / f->message_s;
    return isfinite(f->steady_goodput_bps) ? f->steady_ci95_bps : (double)NAN;
}
