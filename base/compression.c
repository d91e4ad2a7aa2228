/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/compression.h"

double compression_share(const struct compression *x, int64_t least)
{
    return x->groups > 0 && x->groups >= least ? (double)x->compressed / (double)x->groups : NAN;
}
