/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/fit/fit_signatures.h - part `signatures` of a fit, for a sweep of MPI_Alltoall over processes and message sizes:
 * the contention signature (Steffenel 2006, Eq. 5) fitted at one number of processes, against the measured times of all
 * others. The paper has errors below 10 % where the network is saturated (Fig. 8 and 11).
 *
 * Points that differ in network.hosts, network.racks, traffic.exchange.bytes and the seed alone are one group. Eq. 5
 * has delta once for each of the n - 1 messages of a process. Beside it stands the reading in which the operation as a
 * whole costs (n' - 1) delta more, whatever the n it is carried to: what one expiry of a retransmission timer costs,
 * which all processes wait for at once. */
#pragma once

#include "model/exchange/signature.h"
#include "study/fit/fit.h"

struct study_fit_signatures_point {
    char *group; /* owned; the axes that make it, as JSON */
    struct model_alltoall_link link;
    struct model_signature_point point;
};

/* Of |predicted / measured - 1|; NAN when there is no point. */
struct study_fit_signatures_errors {
    size_t n;
    double mean, worst;
    size_t within; /* of them below 10 % */
};

/* The same at one other number of processes. */
struct study_fit_signatures_others {
    size_t processes;
    struct study_fit_signatures_errors eq5, once;
};

/* Fitted at one number of processes, all other numbers predicted. */
struct study_fit_signatures_row {
    const char *group; /* borrowed */
    size_t processes;  /* 0: fitted to all of the group, and compared with them */
    size_t points;     /* of the fit */
    struct model_signature_fit fit;
    double startup_s;  /* (n' - 1) delta; of a fit to all: of the most processes */
    struct study_fit_signatures_errors own;         /* of the points it was fitted to */
    struct study_fit_signatures_errors eq5, once;   /* of all others, by Eq. 5 and by the other reading; n = 0 for a
                                                     * fit to all */
    struct study_fit_signatures_others *others;     /* owned; the same, for each other number */
    size_t n_others;
    char *refused; /* owned; why there is no fit; NULL: there is */
};

struct study_fit_signatures {
    struct study_fit_signatures_point *points; /* owned; sorted by group, processes, size once fitted */
    size_t n, capacity;
    struct study_fit_signatures_row *rows; /* owned */
    size_t n_rows, rows_capacity;
};
