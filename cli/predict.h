/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/predict.h - the kinds of prediction; each is given its own name as argv[0], returns the exit status. */
#ifndef CLI_PREDICT_H
#define CLI_PREDICT_H

int cmd_predict_exchange(int argc, char **argv);

#endif
