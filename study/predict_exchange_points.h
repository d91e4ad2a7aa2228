/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/predict_exchange_points.h - measured all-to-all times from a CSV file, to fit a signature to. */
#ifndef STUDY_PREDICT_EXCHANGE_POINTS_H
#define STUDY_PREDICT_EXCHANGE_POINTS_H

#include "model/signature.h"

struct study_predict_exchange_points {
    struct model_signature_point *point; /* owned; std_error_s 0 if the file has none */
    size_t n;
};

/* Lines of "processes,message_bytes,time_s[,std_error_s]", in the order and among the other columns that the first
 * line names; empty lines and those that begin with # are left out. "FILE:LINE: ..." in *err. */
bool study_predict_exchange_points_read(const char *path, struct study_predict_exchange_points *points,
                                        struct error *err);
void study_predict_exchange_points_fini(struct study_predict_exchange_points *points);

#endif
