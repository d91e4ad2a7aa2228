/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/page.h"

bool page_regimes(struct page *p, const struct page_sweep *s, const json_t *part, struct error *err)
{
    (void)p, (void)s, (void)part, (void)err;
    return true;
}
