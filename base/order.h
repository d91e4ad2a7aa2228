/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/order.h - comparison functions for qsort() and bsearch(), by what they compare:
 *
 *     static ORDER_OF(by_place, struct flow, 4 * ORDER_TEXT(host) + 2 * ORDER(port) - ORDER(bytes))
 *
 * is by_place(const void *, const void *): by host, then port, then bytes, the most first. Each part is -1, 0 or 1, so that
 * one of twice the weight decides before all after it. A NAN is equal to anything. */
#pragma once

#include <string.h>

#define ORDER_OF(name, type, parts)                                                                                    \
    int name(const void *left, const void *right)                                                                      \
    {                                                                                                                  \
        const type *a = left;                                                                                          \
        const type *b = right; /* apart: a type may be a pointer's */                                                  \
        return parts;                                                                                                  \
    }
#define ORDER(field) ORDER_TWO(a->field, b->field)
#define ORDER_TEXT(field) ORDER_TWO(strcmp(a->field, b->field), 0)
#define ORDER_TWO(x, y) (((x) > (y)) - ((x) < (y)))
