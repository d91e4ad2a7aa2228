/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/traffic/played.h"

#include "scenarios/traffic/collective.h"
#include "scenarios/traffic/goal.h"

#include <assert.h>

static int played_root(const struct scenario *s)
{
    for (int r = 0; r < s->n_ranks; r++)
        if (s->ranks[r] == s->collective.root)
            return r;
    return 0;
}

bool played_goal(const struct scenario *s, struct schedule *out, struct error *err)
{
    MEMORY_LOCAL char *text;
    size_t size;
    FILE *f = memory_stream(&text, &size);
    for (int i = 0; i < s->goal.n_lines; i++) {
        fputs(s->goal.lines[i].text, f);
        putc('\n', f);
    }
    memory_stream_end(f, &text);
    return goal_read(text, s->eager_bytes, out, err);
}

bool played_keep(struct scenario *s, const struct schedule *schedule, struct error *err)
{
    char *text;
    size_t size;
    int n = 0;
    FILE *f = memory_stream(&text, &size);
    schedule_write(schedule, f);
    memory_stream_end(f, &text);
    for (const char *p = text; *p; p++)
        n += *p == '\n';
    bool ok = n <= SCENARIO_LINES ||
              error_set(err, ERROR_INPUT, "%d operations and dependencies; at most %d can be kept", n, SCENARIO_LINES);
    if (ok) {
        char *rest = text;
        free(s->goal.lines);
        s->goal.lines = memory_zeroed((size_t)n, sizeof *s->goal.lines, "a GOAL text");
        s->goal.n_lines = n;
        for (int i = 0; i < n; i++) {
            char *end = strchr(rest, '\n');
            *end = '\0';
            snprintf(s->goal.lines[i].text, sizeof s->goal.lines[i].text, "%s", rest);
            rest = end + 1;
        }
    }
    free(text);
    return ok;
}

static struct collective_config played_config(const struct scenario *s)
{
    const struct scenario_collective *c = &s->collective;
    struct collective_config config = {.algorithm = c->algorithm, .ranks = s->n_ranks, .root = played_root(s),
                                       .bytes = c->bytes};
    for (int i = 0; i < c->n_dimensions; i++)
        config.dimensions[i] = c->dimensions[i];
    return config;
}

int64_t played_count(const struct scenario *s)
{
    struct collective_config config = played_config(s);
    return collective_count(&config);
}

void played_schedule(const struct scenario *s, struct schedule *out)
{
    if (s->traffic == SCENARIO_TRAFFIC_COLLECTIVE) {
        struct collective_config config = played_config(s);
        collective_schedule(&config, out);
        return;
    }
    struct error err = {0};
    bool ok = played_goal(s, out, &err);
    assert(ok); /* loading has read them */
    (void)ok;
}
