/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"
#include "base/units.h"
#include "cli/fit/fit_show.h"
#include "results/json.h"
#include "study/fit/fit_remedies.h"
#include "view/table.h"

static void print_collective(const struct study_fit_remedies_row *row, size_t n)
{
    struct view_table t = view_table_of(
        "queue at the ports|points|bus bandwidth lost, mean|lose over 5 %|data wait ms|ACK wait ms|"
        "ACKs compressed|short of none, mean|worst|by");
    for (const struct study_fit_remedies_row *r = row; r < row + n; r++)
        view_table_add(&t, "%s|%zu|%.1f %%|%zu|%.3f|%.3f|%.0f %%|%.1f %%|%.1f %%|%s, %s", r->queues, r->n, 100 * r->lost,
                       r->suffer, 1e3 * r->data_wait_s, 1e3 * r->ack_wait_s, 100 * r->compressed, 100 * r->lacks,
                       100 * r->worst->lost, r->worst->panel, r->worst->row);
    view_table_print(&t, "", 1, stdout);
}

void cli_fit_remedies_print(const void *state)
{
    const struct study_fit_remedies *m = state;
    char rate[UNITS_TEXT], *sentence MEMORY_LOCAL = study_fit_remedies_sentence(m);
    if (sentence)
        printf("%s\n\n", sentence);
    for (size_t i = 0, end; i < m->n_rows; i = end) {
        units_format_rate((int64_t)m->rows[i].rate_bps, rate);
        for (end = i; end < m->n_rows && m->rows[end].rate_bps == m->rows[i].rate_bps &&
                      m->rows[end].collective == m->rows[i].collective; end++)
            ;
        if (m->rows[i].collective) {
            printf("%s%s against the same with ACKs first at every queue, links of %s:\n", i ? "\n" : "",
                   m->rows[i].collective, rate);
            print_collective(&m->rows[i], end - i);
            continue;
        }
        printf("%sagainst the same with ACKs first at every queue, links of %s:\n", i ? "\n" : "", rate);
        struct view_table t = view_table_of(
            "queue at the ports|points|lost, mean|of the worse way|lose over 5 %|data wait ms|worst|by");
        for (size_t k = i; k < end; k++) {
            const struct study_fit_remedies_row *r = &m->rows[k];
            view_table_add(&t, "%s|%zu|%.1f %%|%.1f %%|%zu|%.2f|%.1f %%|%s, %d/%d", r->queues, r->n, 100 * r->lost,
                           100 * r->lost_most, r->suffer, 1e3 * r->data_wait_s, 100 * r->worst->lost, r->worst->stack,
                           r->worst->in, r->worst->out);
        }
        view_table_print(&t, "", 1, stdout);
    }
}

json_t *cli_fit_remedies_json(const void *state)
{
    const struct study_fit_remedies *m = state;
    json_t *points = json_array(), *rows = json_array();
    for (size_t i = 0; i < m->n; i++) {
        const struct study_fit_remedies_point *p = &m->points[i];
        if (p->collective) {
            json_array_append_new(points, results_json("point:l rate_bps:f collective:s stack:s what:s queues:s acks_first:b "
                                                       "bus_bps:f ideal_bus_bps:f data_wait_s:f ack_wait_s:f "
                                                       "compressed_share:f retransmitted_segments:l lost_share:f",
                                                       p->number, p->rate_bps, p->collective, p->stack, p->row, p->queues,
                                                       p->first, p->in_bps, p->ideal_bps, p->data_wait_s, p->ack_wait_s,
                                                       p->compressed, p->retransmitted, p->lost));
            continue;
        }
        json_array_append_new(points, results_json("point:l rate_bps:f stack:s in:i out:i queues:s acks_first:b in_bps:f "
                                                   "out_bps:f data_wait_s:f lost_share:f lost_share_worse_way:f",
                                                   p->number, p->rate_bps, p->stack, p->in, p->out, p->queues, p->first,
                                                   p->in_bps, p->out_bps, p->data_wait_s, p->lost, p->lost_most));
    }
    for (size_t i = 0; i < m->n_rows; i++) {
        const struct study_fit_remedies_row *r = &m->rows[i];
        json_array_append_new(rows, results_json("rate_bps:f queues:s points:z lost_share:f lost_share_worse_way:f "
                                                 "lose_over_5_percent:z data_wait_s:f worst_lost_share:f worst_point:l",
                                                 r->rate_bps, r->queues, r->n, r->lost, r->lost_most, r->suffer,
                                                 r->data_wait_s, r->worst->lost, r->worst->number));
    }
    return results_json("queues:o points:o", rows, points);
}
