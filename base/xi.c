/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/xi.h"

#include <math.h>

void xi_add(struct xi *x, const struct xi_config *c, int64_t left, int64_t came)
{
    if (x->in_group++ == 0) {
        x->first_left = left;
        x->first_came = came;
    }
    int64_t left_span = left - x->first_left, came_span = came - x->first_came;
    if (x->in_group < XI_GROUP || left_span < c->floor)
        return;
    x->in_group = 0;
    x->groups++;
    x->compressed += xi_compressed(c, left_span, came_span);
}

double xi_share(const struct xi *x, int64_t least)
{
    return x->groups > 0 && x->groups >= least ? (double)x->compressed / (double)x->groups : NAN;
}
