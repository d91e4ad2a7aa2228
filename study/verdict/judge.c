/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/verdict/judge.h"

#include "results/directory.h"
#include "study/verdict/judge_run.h"
#include "study/verdict/workload.h"

#include <dirent.h>
#include <sys/stat.h>

const char *study_judge_run_of(const char *path, char directory[static PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    if (strcmp(path, "-") == 0)
        return NULL;
    snprintf(directory, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    return study_judge_run_exists(directory) ? directory : NULL;
}

struct study_judge_options study_judge_options_default(void)
{
    return (struct study_judge_options){.tolerance = ANALYSIS_CHECK_TOLERANCE, .capacity_bps = {NAN, NAN}};
}

static bool judge_file(const char *path, const struct study_judge_options *options,
                       const struct study_capture_listener *listener, study_judge_visit *visit, void *user,
                       struct error *err)
{
    struct analysis_capture capture;
    MEMORY_ENDS(analysis_resources_fini) struct analysis_resources resources = {0};
    char directory[PATH_MAX];
    struct analysis_flows *f = study_capture_read(path, true, listener, &capture, err);
    if (f)
        analysis_check_capture_beside(f, options->tolerance, options->capacity_bps, options->beside, &resources);
    if (f && options->table)
        options->table(user, path, f, &resources);
    bool live = listener && listener->live;
    for (size_t i = 0; live && i < resources.n; i++)
        resources.resource[i].live = true;
    for (size_t i = 0; live && i < resources.n_alone; i++)
        resources.alone[i].live = true;
    bool ok = f && visit(user, path, live ? NULL : study_judge_run_of(path, directory), &resources, err);
    analysis_flows_free(f);
    return ok;
}

static void judge_warn(const struct study_capture_listener *listener, char *text)
{
    if (text && listener && listener->warn)
        listener->warn(text);
    free(text);
}

void study_judge_warn_partial(const struct results_summary *summary, const char *directory,
                              const struct study_capture_listener *listener)
{
    judge_warn(listener, results_summary_partial(summary, directory));
}

static bool judge_run(const char *directory, const struct study_judge_options *options,
                      const struct study_capture_listener *listener, study_judge_visit *visit, void *user,
                      struct error *err)
{
    struct analysis_resources resources;
    struct results_summary summary;
    if (!results_summary_read(&summary, directory, err))
        return false;
    study_judge_warn_partial(&summary, directory, listener);
    results_summary_fini(&summary);
    bool flows, program = study_workload_is(directory, &flows, err);
    if (program && (!visit(user, directory, directory, NULL, err) || !flows))
        return err->code == ERROR_NONE;
    if (err->code != ERROR_NONE ||
        !study_judge_run_directory(directory, options->tolerance, options->again, &resources, err))
        return false;
    /* What is possible of some host of the run is the model's. */
    if (options->again && !options->again->signal && options->again->why_not.code != ERROR_NONE)
        judge_warn(listener, memory_text("%s: what is possible is the model's, not emulated with ACKs first: %s",
                                         directory, options->again->why_not.message));
    if (options->again && options->again->signal) {
        analysis_resources_fini(&resources);
        return error_set(err, ERROR_SYSTEM, "interrupted");
    }
    bool ok = (program && resources.n == 0) || visit(user, directory, directory, &resources, err);
    analysis_resources_fini(&resources);
    return ok;
}

/* The runs one level below, by name. */
static bool judge_runs(const char *directory, const struct study_judge_options *options,
                       const struct study_capture_listener *listener, study_judge_visit *visit, void *user,
                       struct error *err)
{
    struct dirent **names;
    int n = scandir(directory, &names, NULL, versionsort);
    if (n < 0)
        return error_set_errno(err, "%s: cannot be read", directory);
    bool ok = true, any = false;
    for (int i = 0; i < n; i++) {
        MEMORY_LOCAL char *path = results_directory_path(directory, names[i]->d_name);
        bool hidden = names[i]->d_name[0] == '.';
        if (ok && !hidden && study_judge_run_exists(path)) {
            any = true;
            ok = judge_run(path, options, listener, visit, user, err);
        } else if (ok && !hidden && results_directory_has(path, "scenario.yaml")) {
            judge_warn(listener, memory_text("%s: a scenario without flows.csv: not a finished run, left out", path));
        }
        free(names[i]);
    }
    free(names);
    if (ok && !any)
        return error_set(err, ERROR_INPUT, "%s: no flows.csv in it or one level below: not a finished run", directory);
    return ok;
}

bool study_judge_source(const char *path, const struct study_judge_options *options,
                        const struct study_capture_listener *listener, study_judge_visit *visit, void *user,
                        struct error *err)
{
    struct stat st;
    if ((listener && listener->live) || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return judge_file(path, options, listener, visit, user, err);
    if (study_judge_run_exists(path))
        return judge_run(path, options, listener, visit, user, err);
    return judge_runs(path, options, listener, visit, user, err);
}
