/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/judge/words.h - what no reason of a diagnosis may say, whatever it is about. */
#ifndef TEST_JUDGE_WORDS_H
#define TEST_JUDGE_WORDS_H

#include "test/cm.h"

/* A whole sentence, and no share above all: "N %" is one, but for what somebody gets more. */
static inline void words_make_sense(const char *why, size_t room)
{
    assert_true(strlen(why) > 0 && strlen(why) < room - 1); /* not cut */
    assert_null(strstr(why, "inf "));
    for (const char *at = strstr(why, " %"); at; at = strstr(at + 2, " %")) {
        const char *number = at;
        while (number > why && strchr("0123456789.-", number[-1]))
            number--;
        double share = strtod(number, NULL);
        if ((share > 100 || share < -100) && strncmp(at, " % more", 7) != 0)
            fail_msg("'%s' has a share of %g %%", why, share);
    }
}

#endif
