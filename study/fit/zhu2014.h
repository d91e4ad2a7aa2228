/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit/zhu2014.h - what Zhu, Lastovetsky, Ali, Riesen, Hasanov 2014 measured, to stand beside our figures. */
#pragma once

/* Table II: mean |error| of predicted completion times in percent, on the main testbed and on Grid5000. */
struct study_zhu2014_table2 {
    int nodes, d, links;
    double steps;
    double err, err_both, fair_both; /* main: Algorithms 1+2 on all patterns; on those with traffic both ways on a
                                        resource; fairness alone on those */
    double g5k_err, g5k_err_both, g5k_fair_both;
    double precision, g5k_precision; /* pi(epsilon): see study_fit_patterns_precision() */
};

#define STUDY_ZHU2014_TABLE2 9
extern const struct study_zhu2014_table2 study_zhu2014_table2[STUDY_ZHU2014_TABLE2];

/* NULL: the paper has no such cell. */
const struct study_zhu2014_table2 *study_zhu2014_cell(int nodes, int d);

/* Section 7.2: links with |error| <= 10 %, in percent, for d = 1, 2, 3. */
struct study_zhu2014_within10 {
    int d;
    double err, fair, g5k_err, g5k_fair;
};
extern const struct study_zhu2014_within10 study_zhu2014_within10[3];
