/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/read.h"
#include "study/verdict/judge.h"
#include "view/remedy.h"

struct remedy_options {
    bool script;
    struct study_judge_options judging;
    bool any; /* a host has been shown */
};

/* The line that a script is of: one where ACKs wait at its own queues. Else the first host, and why there is none. */
static const struct analysis_resource *remedy_line(const struct analysis_resources *resources)
{
    const struct analysis_resource *r;
    for (size_t i = 0; (r = analysis_resources_get(resources, i)); i++)
        if (r->diagnosed && r->diagnosis.answer == JUDGE_ANSWER_YES && !*r->diagnosis.place)
            return r;
    r = analysis_resources_get(resources, 0);
    return r && r->diagnosed && r->n > 0 ? r : NULL;
}

/* Every host, or the script of the first source's line. */
static bool remedy_visit(void *user, const char *source, const char *run UNUSED,
                         const struct analysis_resources *resources, struct error *err)
{
    struct remedy_options *o = user;
    const struct analysis_resource *r = resources ? remedy_line(resources) : NULL;
    if (o->script && r && !o->any && !view_remedy_script(stdout, source, r, err))
        return error_prefix(err, "%s: ", cli_name(source));
    for (size_t i = 0; !o->script && resources && (r = analysis_resources_get(resources, i)); i++)
        if (analysis_resource_speaks(r) && r->n > 0) {
            view_remedy_print(stdout, cli_name(source), r);
            o->any = true;
        }
    o->any = o->any || r;
    return true;
}

int cmd_remedy(int argc, char **argv)
{
    struct remedy_options o = {.judging = study_judge_options_default()};
    struct error err = {0};
    const struct cli_option options[] = {
        {"script", 0, .flag = &o.script},
        {"rate", 0, .call = cli_options_link_rate, .to = o.judging.capacity_bps},
        {0},
    };
    int at = cli_options_read("remedy", argc, argv, options, &err);
    if (at == 0)
        return 0;
    if (at > 0 && argc - at != 1)
        error_set(&err, ERROR_INPUT, "remedy takes one FILE or DIR, not %d; see 'contraflow remedy --help'", argc - at);
    if (at < 0 || argc - at != 1)
        return cli_fail(&err);
    cli_read_until_interrupted(argv + at, 1);
    if (!study_judge_source(argv[at], &o.judging, &cli_read_listener, remedy_visit, &o, &err))
        return cli_fail(&err);
    if (o.any)
        return 0;
    error_set(&err, ERROR_INPUT, "%s: no host has a bulk flow that could be judged", cli_name(argv[at]));
    return cli_fail(&err);
}
