/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/predict_exchange.h - the options of 'contraflow predict exchange', and how its answer is shown. */
#ifndef CLI_PREDICT_EXCHANGE_H
#define CLI_PREDICT_EXCHANGE_H

#include "study/exchange.h"

struct cli_predict_exchange_options {
    struct study_exchange_request request;
    const char *like; /* switch whose Table 5.2 the defaults are; borrowed */
    char given[128];  /* the options that replaced one of these defaults, "--g-s --l" */
    bool json, help;
};

bool cli_predict_exchange_show(const struct cli_predict_exchange_options *o, const struct study_exchange_answer *a,
                               struct error *err);

#endif
