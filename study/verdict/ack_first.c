/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/verdict/ack_first.h"

#include "results/directory.h"
#include "scenarios/load.h"
#include "scenarios/save.h"
#include "sweep/job.h"
#include "sweep/temporary.h"

/* A queue that only orders and drops frames can be another one. A shaper, a policer or one with classes also says how
 * much of the line a flow gets: ACKs first in its place would be another network. */
static bool queue_replace(struct emu_queue_config *q, const char *kernel, bool *all, struct error *err)
{
    const struct emu_discipline_ops *ops = emu_disciplines[q->discipline];
    if (kernel && *kernel)
        return error_set(err, ERROR_INPUT, "'%s' is a queue of the kernel's, which cannot be told to serve ACKs first",
                         kernel);
    if ((ops->has & EMU_DISCIPLINE_HAS_BURST) || ops->by_class)
        return error_set(err, ERROR_INPUT, "'%s' has %s, which a queue with ACKs first has not",
                         emu_discipline_names[q->discipline], ops->by_class ? "classes of flows" : "a rate");
    *all = *all && q->discipline == EMU_DISCIPLINE_ACK_FIRST;
    q->discipline = EMU_DISCIPLINE_ACK_FIRST;
    return true;
}

static bool switch_replace(struct emu_switch_config *sw, bool *all, struct error *err)
{
    if (emu_architectures[sw->architecture]->place == EMU_ARCHITECTURE_AT_INPUTS)
        return error_set(err, ERROR_INPUT, "a switch buffers at its inputs, and these are FIFO");
    return queue_replace(&sw->queue, sw->kernel, all, err);
}

/* Makes every queue of the scenario serve ACKs first, and none of its frames be captured. *all: each did so before.
 * False and *err, which begins in small letters: a queue that has a rate, classes of flows, or another owner, and what
 * would replace it would not be the same network. */
static bool ack_first_queues(struct scenario *s, bool *all, struct error *err)
{
    struct emu_network_config *n = &s->network;
    *all = true;
    bool ok = queue_replace(&n->nic, n->nic_kernel, all, err) && switch_replace(&n->sw, all, err) &&
              (!n->root || switch_replace(&n->root_sw, all, err));
    for (int i = 0; ok && i < n->n_nodes; i++)
        ok = switch_replace(&s->nodes[i].sw, all, err);
    for (int i = 0; ok && i < n->n_links; i++)
        for (int back = 0; ok && back < 2; back++) {
            struct emu_network_way *way = back ? &s->links[i].back : &s->links[i].out;
            ok = !way->on || !way->queues || queue_replace(&way->port.queue, NULL, all, err);
        }
    s->n_captures = 0;
    return ok;
}

/* Queues of their own: of a tree's root, of a switch, of a port. */
static void words_own(FILE *f, const struct scenario *s, const char *queue)
{
    if (s->network.root)
        fprintf(f, " --set network.root.queue=%s", queue);
    for (int i = 0; i < s->network.n_nodes; i++)
        fprintf(f, " --set network.nodes.%d.switch.queue=%s", i, queue);
    for (int i = 0; i < s->network.n_links; i++)
        for (int back = 0; back < 2; back++) {
            const struct emu_network_way *way = back ? &s->links[i].back : &s->links[i].out;
            if (way->on && way->queues)
                fprintf(f, " --set network.links.%d.%s.port.queue=%s", i, back ? "back" : "out", queue);
        }
}

char *study_ack_first_words(const char *directory, const char *queue)
{
    struct scenario s = {0};
    struct error err = {0};
    char *words = NULL, *path MEMORY_LOCAL = results_directory_path(directory, "scenario.yaml");
    size_t size;
    FILE *f = memory_stream(&words, &size);
    fprintf(f, " --set network.nic.queue=%s --set network.switch.queue=%s", queue, queue);
    if (scenario_load(&s, path, NULL, 0, &err)) {
        words_own(f, &s, queue);
        scenario_fini(&s);
    }
    memory_stream_end(f, &words);
    return words;
}

struct again {
    struct study_ack_first *ask;
    const char *directory; /* borrowed, as the rest is */
    const struct results_summary *summary;
    enum scenario_engine engine;
    const char *yaml;
    study_ack_first_take *take;
    void *user;
    char *temporary; /* owned */
    char threads[32];
    struct sweep_job *job;
    bool begun, done;
};

/* Everything that is made is made and removed while the pool catches signals, so that none leaves it behind. */
static struct sweep_engines_job *again_next(void *user)
{
    struct again *a = user;
    struct error *err = &a->ask->why_not;
    if (a->begun)
        return NULL;
    a->begun = true;
    a->temporary = sweep_temporary_begin("check", err);
    if (!a->temporary)
        return NULL;
    MEMORY_LOCAL char *run = memory_text("%s/run", a->temporary);
    a->job = sweep_job_new(0, run, a->yaml, a->engine, err);
    if (!a->job) {
        sweep_temporary_end(a->temporary);
        a->temporary = NULL;
        return NULL;
    }
    snprintf(a->threads, sizeof a->threads, "--threads=%d", sweep_engines_processors());
    a->job->job.label = a->directory;
    a->job->job.option = a->engine == SCENARIO_ENGINE_NATIVE ? a->threads : NULL;
    return &a->job->job;
}

static bool again_done(void *user, struct sweep_engines_job *job)
{
    struct again *a = user;
    struct error *err = &a->ask->why_not;
    struct results_summary summary = {.title = NULL};
    if (job->state == SWEEP_ENGINES_DONE) {
        a->done = results_summary_read(&summary, job->directory, err);
        if (a->done && strcmp(summary.engine, a->summary->engine) != 0)
            a->done = error_set(err, ERROR_INPUT, "it was made by %s, and here is %s", a->summary->engine,
                                summary.engine);
        results_summary_fini(&summary);
        a->done = a->done && a->take(a->user, job->directory, err);
    } else if (job->state == SWEEP_ENGINES_FAILED) {
        *err = job->error;
    } else {
        error_set(err, ERROR_SYSTEM, "the engine was told to stop");
    }
    sweep_job_free(a->job);
    sweep_temporary_end(a->temporary);
    a->temporary = NULL;
    a->job = NULL;
    return a->done;
}

static void again_show(void *user, double elapsed_s)
{
    const struct again *a = user;
    a->ask->show(a->ask->user, a->directory, a->job ? a->job->job.fraction : 1, elapsed_s);
}

/* Programs of a scenario would be started without anybody's word, and no queue knows the ACKs of Go-Back-N. A run that
 * was interrupted is as long as it got. */
static bool again_yaml(const struct scenario *s, int64_t packets, const struct results_summary *summary, char **yaml,
                       bool *same, struct error *err)
{
    struct scenario changed = *s;
    size_t size;
    if (!scenario_has_streams(s))
        return error_set(err, ERROR_INPUT, "Go-Back-N has no ACKs of TCP's");
    if (s->n_programs > 0)
        return error_set(err, ERROR_INPUT, "its programs are not started again");
    changed.nodes = memory_zeroed((size_t)s->network.n_nodes, sizeof *changed.nodes, "switches");
    changed.links = memory_zeroed((size_t)s->network.n_links, sizeof *changed.links, "cables");
    for (int i = 0; i < s->network.n_nodes; i++)
        changed.nodes[i] = s->nodes[i];
    for (int i = 0; i < s->network.n_links; i++)
        changed.links[i] = s->links[i];
    changed.network.nodes = changed.nodes;
    changed.network.links = changed.links;
    if (!summary->complete && summary->ended_ps < changed.duration_ps) {
        changed.duration_ps = summary->ended_ps;
        changed.warmup_ps = changed.warmup_ps < changed.duration_ps ? changed.warmup_ps : 0;
    }
    bool ok = ack_first_queues(&changed, same, err);
    *same = *same && packets <= s->tcp.delayed_ack;
    changed.tcp.delayed_ack = packets > s->tcp.delayed_ack ? packets : s->tcp.delayed_ack;
    if (ok && !*same) {
        FILE *f = memory_stream(yaml, &size);
        ok = scenario_write(&changed, f, NULL, err);
        memory_stream_end(f, yaml);
    }
    MEMORY_FREE(changed.nodes, changed.links);
    return ok;
}

bool study_ack_first_run(struct study_ack_first *ask, const char *directory, const struct scenario *s, int64_t packets,
                         const struct results_summary *summary, study_ack_first_take *take, void *user)
{
    char *yaml = NULL;
    bool same = false;
    ask->why_not = (struct error){0};
    if (ask->signal)
        return false;
    struct again a = {.ask = ask, .directory = directory, .summary = summary, .engine = s->engine, .take = take,
                      .user = user};
    if (again_yaml(s, packets, summary, &yaml, &same, &ask->why_not) && same) {
        a.done = take(user, directory, &ask->why_not);
    } else if (yaml) {
        struct sweep_engines_source source = {again_next, again_done, ask->show ? again_show : NULL, &a, 0};
        a.yaml = yaml;
        ask->signal = sweep_engines_pool(&source, 1);
    }
    free(yaml);
    return a.done && !ask->signal;
}
