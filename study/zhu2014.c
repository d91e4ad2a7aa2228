/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/zhu2014.h"

#include <stddef.h>

const struct study_zhu2014_table2 study_zhu2014_table2[STUDY_ZHU2014_TABLE2] = {
    {10, 1, 558, 1.6, 3.83, 3.17, 10.74, 4.50, 4.47, 6.73},   {20, 1, 537, 2.0, 3.55, 3.18, 8.59, 4.95, 5.52, 7.96},
    {30, 1, 574, 2.4, 3.97, 3.93, 7.13, 4.70, 4.37, 6.74},    {10, 2, 536, 2.7, 6.58, 6.62, 12.17, 6.68, 6.96, 10.48},
    {20, 2, 550, 3.6, 6.66, 6.66, 11.33, 8.89, 8.96, 12.88},  {30, 2, 551, 4.1, 7.63, 7.62, 11.49, 10.15, 10.52, 12.44},
    {10, 3, 554, 3.8, 7.62, 7.63, 13.16, 8.78, 8.84, 11.80},  {20, 3, 554, 5.1, 8.48, 8.48, 12.17, 11.87, 11.86, 13.53},
    {30, 3, 572, 6.2, 9.54, 9.54, 13.00, 10.91, 11.05, 12.66},
};

const struct study_zhu2014_table2 *study_zhu2014_cell(int nodes, int d)
{
    for (size_t i = 0; i < STUDY_ZHU2014_TABLE2; i++)
        if (study_zhu2014_table2[i].nodes == nodes && study_zhu2014_table2[i].d == d)
            return &study_zhu2014_table2[i];
    return NULL;
}

const struct study_zhu2014_within10 study_zhu2014_within10[3] = {
    {1, 83.2, 66.8, 82.92, 78.22}, {2, 77.3, 58.0, 67.87, 64.06}, {3, 72.1, 68.8, 64.16, 57.34},
};
