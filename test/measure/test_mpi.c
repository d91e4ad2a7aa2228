/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/mpi.h"

#include "test/cm.h"

static struct estimate_running times_of(double spread, size_t n)
{
    struct estimate_running times_s = {0};
    for (size_t i = 0; i < n; i++)
        estimate_add(&times_s, 100 + (i == 0 ? -spread : i == 1 ? spread : 0));
    return times_s;
}

/* Zhu et al. 2014, section 3.1: until the width of the 95 % interval is 2 % of the mean. Of 99, 101, 100, 100, 100 the
 * deviation is sqrt(2 / 4), and with Student's 2.776 of four degrees of freedom the width 2 * 2.776 sqrt(0.5 / 5) = 1.756;
 * of 98.8 and 101.2 it is 2.107. */
TEST(test_the_paper_s_end)
{
    struct estimate_running known[2] = {times_of(1, 5), times_of(0, 5)}, open[2] = {times_of(0, 5), times_of(1.2, 5)};
    assert_true(measure_mpi_precise(known, 2));
    assert_false(measure_mpi_precise(open, 2)); /* every flow's, not the first one's */
    struct estimate_running few = times_of(0, 4);
    assert_false(measure_mpi_precise(&few, 1));
}
