/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/compression.h"

#include <math.h>

void compression_add(struct compression *x, const struct compression_config *c, int64_t left, int64_t came)
{
    if (x->in_group++ == 0) {
        x->first_left = left;
        x->first_came = came;
    }
    int64_t left_span = left - x->first_left, came_span = came - x->first_came;
    if (x->in_group < COMPRESSION_GROUP || left_span < c->floor)
        return;
    x->in_group = 0;
    x->groups++;
    x->compressed += compression_found(c, left_span, came_span);
}

double compression_share(const struct compression *x, int64_t least)
{
    return x->groups > 0 && x->groups >= least ? (double)x->compressed / (double)x->groups : NAN;
}
