/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/launch.h"

#include "base/monotonic.h"
#include "base/text.h"
#include "cli/cli.h"

struct engines_list {
    const char *program;
    struct sweep_engines_job *jobs;
    int n, next;
    double until_s;
    bool lines; /* a line a finished job */
};

static void engines_show(void *user, double elapsed)
{
    const struct engines_list *list = user;
    const struct sweep_engines_job *jobs = list->jobs;
    int n = list->n;
    if (elapsed < 0) {
        cli_progress_clear();
        return;
    }
    double fraction = 0;
    int done = 0;
    char running[160] = "";
    for (int i = 0; i < n; i++) {
        fraction += jobs[i].state == SWEEP_ENGINES_WAITING ? 0 : jobs[i].fraction;
        done += jobs[i].state > SWEEP_ENGINES_RUNNING;
        if (jobs[i].state == SWEEP_ENGINES_RUNNING && strlen(running) + 40 < sizeof running)
            text_add(running, sizeof running, "  %.24s %.0f %%", jobs[i].label, 100 * jobs[i].fraction);
    }
    char left[CLI_LEFT];
    cli_progress("%d of %d done, %.0f s%s%s", done, n, elapsed, cli_left(elapsed, fraction / n, left), running);
}

static struct sweep_engines_job *engines_next(void *user)
{
    struct engines_list *list = user;
    if (list->next == list->n || (list->next > 0 && monotonic_now_s() > list->until_s))
        return NULL;
    list->jobs[list->next].program = list->program;
    return &list->jobs[list->next++];
}

static bool engines_done(void *user, struct sweep_engines_job *job)
{
    const struct engines_list *list = user;
    if (list->lines && job->state == SWEEP_ENGINES_DONE)
        fprintf(stderr, "%s done in %.1f s\n", cli_name(job->label), job->seconds);
    return true;
}

int cli_engines_run(const char *program, struct sweep_engines_job *jobs, int n, int parallel, double until_s, bool quiet)
{
    bool terminal = !quiet && isatty(STDERR_FILENO);
    struct engines_list list = {.program = program, .jobs = jobs, .n = n, .until_s = until_s, .lines = !quiet && !terminal};
    struct sweep_engines_source source = {engines_next, engines_done, terminal ? engines_show : NULL, &list, 0};
    return sweep_engines_pool(&source, parallel);
}
