/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of other programs that nobody chose, through foreign/ and what measure/ makes of them, alone and beside itself.
 * `test/fuzz foreign`, or test/fuzzing/replay.c. */
#include "foreign/read.h"
#include "measure/foreign.h"
#include "test/fuzzing/text.h"

static void check(const struct foreign_test *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct foreign_flow *f = &t->flow[i];
        if (!(f->mean_bps > 0) || !isfinite(f->mean_bps) || !*f->name || strlen(f->name) >= FOREIGN_NAME)
            abort();
        for (size_t k = 0; k < f->n; k++)
            if (!(f->sample[k].rate_bps > 0) || !(f->sample[k].to_s > f->sample[k].from_s))
                abort();
    }
}

static void judge(const struct foreign_test *tests, size_t n)
{
    struct analysis_resources all = {0};
    measure_foreign_judge(tests, n, &all);
    for (size_t i = 0; i < all.n; i++) {
        const struct judge_diagnosis *d = &all.resource[i].diagnosis;
        if (all.resource[i].n == 0 || !*d->why || strlen(d->why) >= sizeof d->why)
            abort();
        if (d->answer == JUDGE_ANSWER_YES && n == 1) /* nothing to compare it with */
            abort();
    }
    analysis_resources_fini(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[40];
    struct foreign_test t[2] = {{.n = 0}};
    struct error err = {.code = ERROR_NONE};
    int fd = text_file(data, size, path);
    foreign_read_is(path);
    if (foreign_read(&t[0], path, &err)) {
        check(&t[0]);
        judge(t, 1);
        if (foreign_read(&t[1], path, &err))
            judge(t, 2);
        foreign_test_fini(&t[1]);
    } else {
        text_check(&err);
    }
    foreign_test_fini(&t[0]);
    close(fd);
    return 0;
}
