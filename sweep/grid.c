/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/grid.h"

#include "base/filekind.h"
#include "base/infile.h"
#include "scenarios/commands.h"
#include "scenarios/load.h"
#include "scenarios/save.h"
#include "scenarios/shipped.h"
#include "sweep/range.h"

#include <jansson.h>

#define SWEEP_KEYS 100 /* of `set` and of `axes`, each: as many as a mapping can have */

struct sweep_axis {
    const char *key; /* borrowed from the document */
    int node;
    struct sweep_range values;
};

/* One key of an entry of `skip`: the values that it leaves out. */
struct sweep_skip {
    size_t entry, axis;
    struct sweep_range values;
};

struct sweep {
    struct document *doc;
    struct sweep_facts facts;
    char *path, *scenario;
    struct document_set sets[SWEEP_KEYS]; /* owned */
    size_t n_sets;
    struct sweep_axis axes[SWEEP_KEYS + 1]; /* the last one is the seed's */
    size_t n_axes;
    int skip; /* node; 0: none */
    struct sweep_skip *skips; /* owned; entry by entry */
    size_t n_skips;
};

/* Puts file, line and key in front. */
static bool sweep_fail(const struct sweep *s, int node, const char *key, struct error *err)
{
    error_prefix(err, "%s: ", key);
    return document_blame_node(s->doc, node, err);
}

static bool sweep_bad(const struct sweep *s, int node, const char *key, const char *sentence, struct error *err)
{
    error_set(err, ERROR_INPUT, "%s", sentence);
    return sweep_fail(s, node, key, err);
}

/* A value that stands in node `node`, which is blamed when it does not fit; 0: --seed is. For sweep_free_set(). */
static struct document_set sweep_set(const struct sweep *s, const char *key, const char *text, int node)
{
    struct error by = {.message = "--"};
    if (node) {
        by.message[0] = '\0';
        document_blame_node(s->doc, node, &by);
    }
    return (struct document_set){memory_text("%s=%s", key, text), memory_text("%s", by.message)};
}

static void sweep_free_set(struct document_set set)
{
    free((void *)(uintptr_t)set.text);
    free((void *)(uintptr_t)set.by);
}

static bool sweep_load_set(struct sweep *s, int node, struct error *err)
{
    const char *key;
    int value;
    if (document_scalar(s->doc, node))
        return sweep_bad(s, node, "set", "not a mapping; write {duration: 500ms, ...}", err);
    for (size_t i = 0; (value = document_entry(s->doc, node, i, &key)); i++) {
        const char *text = document_scalar(s->doc, value);
        if (!text || !*key)
            return sweep_bad(s, value, *key ? key : "set",
                             "not a single value; write a list or a mapping between quotes: \"[{at: h0}]\"", err);
        s->sets[s->n_sets++] = sweep_set(s, key, text, value);
    }
    return true;
}

static bool sweep_load_axes(struct sweep *s, int node, struct error *err)
{
    const char *key;
    int value;
    if (document_scalar(s->doc, node))
        return sweep_bad(s, node, "axes", "not a mapping; write {tcp.window: [1MB, 3MB], ...}", err);
    for (size_t i = 0; (value = document_entry(s->doc, node, i, &key)); i++) {
        struct sweep_axis *axis = &s->axes[s->n_axes++];
        *axis = (struct sweep_axis){.key = key, .node = value};
        if (!*key || strcmp(key, "seed") == 0)
            return sweep_bad(s, value, "axes",
                             *key ? "seeds go into 'seeds: 8' or a list there" : "a list; write KEY: [...]", err);
        if (!sweep_range_load(&axis->values, s->doc, value, err)) {
            error_prefix(err, "%s: ", key);
            return sweep_fail(s, value, "axes", err);
        }
    }
    return true;
}

/* A number of seeds, or a list of them: an axis of its own. */
static bool sweep_load_seeds(struct sweep *s, int node, int64_t first, struct error *err)
{
    struct sweep_axis *axis = &s->axes[s->n_axes];
    const char *text = node ? document_scalar(s->doc, node) : NULL;
    int64_t count = 1;
    bool ok;
    *axis = (struct sweep_axis){.key = "seed", .node = node};
    if (!node && first < 0)
        return true;
    if (node && !text) {
        if (first >= 0)
            return sweep_bad(s, node, "seeds", "a list already; --seed goes with a number of them", err);
        ok = sweep_range_load(&axis->values, s->doc, node, err);
    } else {
        if (text && strstr(text, ".."))
            ok = sweep_range_load(&axis->values, s->doc, node, err);
        else if (text && (!units_parse_integer(text, &count, err) || count < 1 || count > SWEEP_RANGE_VALUES))
            ok = error_set(err, ERROR_INPUT, "'%s' is not a number of seeds from 1 to %d, nor a list", text,
                           SWEEP_RANGE_VALUES);
        else
            ok = sweep_range_count(&axis->values, first < 0 ? 1 : first, count, err);
    }
    s->n_axes++;
    return ok || (node ? sweep_fail(s, node, "seeds", err) : false);
}

static int sweep_axis_of(const struct sweep *s, const char *key)
{
    for (size_t i = 0; i < s->n_axes; i++)
        if (strcmp(s->axes[i].key, key) == 0)
            return (int)i;
    return -1;
}

static bool sweep_add_skip(struct sweep *s, size_t entry, const char *key, int node, struct error *err)
{
    const char *text = document_scalar(s->doc, node);
    int a = sweep_axis_of(s, key);
    if (a < 0)
        return error_set(err, ERROR_INPUT, "%s is no axis", key);
    s->skips = memory_resized(s->skips, s->n_skips + 1, sizeof *s->skips, "what a sweep skips");
    struct sweep_skip *skip = &s->skips[s->n_skips++];
    *skip = (struct sweep_skip){.entry = entry, .axis = (size_t)a};
    const struct sweep_range *all = &s->axes[a].values;
    bool single = text && (!strstr(text, "..") || sweep_range_has(all, text));
    if (!(single ? sweep_range_add(&skip->values, text, err) : sweep_range_load(&skip->values, s->doc, node, err)))
        return false;
    for (size_t i = 0; i < skip->values.n; i++)
        if (!sweep_range_has(all, skip->values.texts[i]))
            return error_set(err, ERROR_INPUT, "%s never has the value '%s'", key, skip->values.texts[i]);
    return true;
}

static bool sweep_load_skip(struct sweep *s, struct error *err)
{
    const char *key;
    int entry, value;
    if (!s->skip)
        return true;
    if (document_scalar(s->doc, s->skip))
        return sweep_bad(s, s->skip, "skip", "not a list of points; write [{KEY: VALUE, ...}, ...]", err);
    for (size_t i = 0; (entry = document_entry(s->doc, s->skip, i, &key)); i++) {
        if (*key || !document_entry(s->doc, entry, 0, &key))
            return sweep_bad(s, s->skip, "skip", "not a list of points; write [{KEY: VALUE, ...}, ...]", err);
        for (size_t j = 0; (value = document_entry(s->doc, entry, j, &key)); j++)
            if (!sweep_add_skip(s, i, key, value, err))
                return sweep_fail(s, value, "skip", err);
    }
    return true;
}

static bool sweep_load_keys(struct sweep *s, int64_t first_seed, struct error *err)
{
    const char *key;
    int node, seeds = 0;
    for (size_t i = 0; (node = document_entry(s->doc, 1, i, &key)); i++) {
        const char *text = document_scalar(s->doc, node);
        bool ok = true, single = strcmp(key, "title") == 0 || strcmp(key, "scenario") == 0;
        if (single && (!text || !*text))
            return sweep_bad(s, node, key, "not a single value", err);
        if (strcmp(key, "title") == 0)
            s->facts.title = memory_text("%s", text);
        else if (strcmp(key, "scenario") == 0)
            s->scenario = shipped_beside(s->path, text);
        else if (strcmp(key, "set") == 0)
            ok = sweep_load_set(s, node, err);
        else if (strcmp(key, "axes") == 0)
            ok = sweep_load_axes(s, node, err);
        else if (strcmp(key, "skip") == 0)
            s->skip = node;
        else if (strcmp(key, "seeds") == 0)
            seeds = node;
        else
            return sweep_bad(s, node, key, "unknown; keys are title, scenario, set, axes, skip and seeds", err);
        if (!ok)
            return false;
    }
    if (!s->scenario)
        return error_set(err, ERROR_INPUT, "%s: scenario: is missing; write scenario: star.yaml", s->path);
    if (!sweep_load_seeds(s, seeds, first_seed, err) || !sweep_load_skip(s, err))
        return false;
    size_t points = 1;
    for (size_t i = 0; i < s->n_axes && points <= SWEEP_GRID_POINTS; i++)
        points *= s->axes[i].values.n;
    return points <= SWEEP_GRID_POINTS ||
           error_set(err, ERROR_INPUT, "%s: axes: more than %d points", s->path, SWEEP_GRID_POINTS);
}

struct sweep *sweep_grid_load(const char *path, int64_t first_seed, struct error *err)
{
    size_t size;
    struct sweep *s = memory_zeroed(1, sizeof *s, "a sweep");
    MEMORY_LOCAL char *found = shipped_find(path, SHIPPED_SWEEPS, err);
    s->path = memory_text("%s", strcmp(path, "-") == 0 ? "standard input" : found ? found : path);
    if (found && (s->facts.text = infile_read(found, DOCUMENT_BYTES, "a sweep", &size, err)) &&
        (s->doc = document_open_text(s->path, s->facts.text, size, NULL, 0, err))) {
        const char *key;
        if (document_entry(s->doc, 1, 0, &key) == 0 || !*key) {
            error_set(err, ERROR_INPUT, "%s: not a mapping with scenario: and axes:", s->path);
        } else if (sweep_load_keys(s, first_seed, err)) {
            struct error later; /* the first point says what is wrong with the scenario, and where it is named */
            s->facts.scenario_text = infile_read(s->scenario, DOCUMENT_BYTES, "a scenario", &size, &later);
            s->facts.first_seed = first_seed;
            sweep_grid_divide(s, 1, 1);
            return s;
        }
    }
    sweep_grid_free(s);
    if (found)
        filekind_blame(found, FILEKIND_SWEEP, err);
    return NULL;
}

void sweep_grid_free(struct sweep *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_sets; i++)
        sweep_free_set(s->sets[i]);
    for (size_t i = 0; i <= SWEEP_KEYS; i++)
        sweep_range_fini(&s->axes[i].values);
    for (size_t i = 0; i < s->n_skips; i++)
        sweep_range_fini(&s->skips[i].values);
    free(s->skips);
    document_free(s->doc);
    MEMORY_FREE(s->path, s->facts.title, s->scenario, s->facts.text, s->facts.scenario_text, s);
}

const struct sweep_facts *sweep_grid_facts(const struct sweep *s)
{
    return &s->facts;
}

void sweep_grid_divide(struct sweep *s, int64_t shard, int64_t shards)
{
    s->facts.shard = shard;
    s->facts.shards = shards;
}

static bool sweep_skips(const struct sweep *s, const size_t *at)
{
    for (size_t i = 0, next; i < s->n_skips; i = next) {
        bool all = true;
        for (next = i; next < s->n_skips && s->skips[next].entry == s->skips[i].entry; next++) {
            const struct sweep_skip *skip = &s->skips[next];
            all = all && sweep_range_has(&skip->values, s->axes[skip->axis].values.texts[at[skip->axis]]);
        }
        if (all)
            return true;
    }
    return false;
}

static bool sweep_give(const struct sweep *s, const size_t *at, const struct document_set *sets, size_t n_sets,
                       struct sweep_grid_point *p,
                       bool (*take)(void *, const struct sweep_grid_point *, struct error *), void *user,
                       struct error *err)
{
    MEMORY_ENDS(scenario_fini) struct scenario scenario = {0};
    if (!scenario_load(&scenario, s->scenario, sets, n_sets, err))
        return false;
    json_auto_t *axes = json_object();
    for (size_t i = 0; i < s->n_axes; i++) {
        const char *text = s->axes[i].values.texts[at[i]];
        int64_t number;
        struct error word;
        bool whole = units_parse_integer(text, &number, &word);
        if (strcmp(s->axes[i].key, "seed") != 0)
            json_object_set_new(axes, s->axes[i].key, whole ? json_integer(number) : json_string(text));
    }
    MEMORY_LOCAL char *yaml = NULL, *json = json_dumps(axes, JSON_COMPACT);
    size_t size;
    FILE *f = memory_stream(&yaml, &size);
    bool ok = scenario_write(&scenario, f, NULL, err);
    memory_stream_end(f, &yaml);
    ok = ok && scenario_commands_refuse(&scenario, s->scenario, "a sweep starts none; 'contraflow run' does", err);
    if (scenario.n_points)
        ok = error_set(err, ERROR_INPUT, "%s: scenario: %s has points of its own; make them axes", s->path,
                       s->scenario);
    p->axes = json;
    p->yaml = yaml;
    p->seed = (int64_t)scenario.seed;
    p->engine = scenario_engine_names[scenario.engine];
    ok = ok && (!take || take(user, p, err));
    return ok;
}

/* The next point of the nested loops; false after the last. */
static bool sweep_advance(const struct sweep *s, size_t *at)
{
    size_t axis = s->n_axes;
    for (; axis > 0 && ++at[axis - 1] == s->axes[axis - 1].values.n; axis--)
        at[axis - 1] = 0;
    return axis > 0;
}

int64_t sweep_grid_points(const struct sweep *s)
{
    size_t at[SWEEP_KEYS + 1] = {0};
    int64_t points = 0;
    do
        points += !sweep_skips(s, at);
    while (sweep_advance(s, at));
    return points;
}

bool sweep_grid_expand(const struct sweep *s,
                       bool (*take)(void *user, const struct sweep_grid_point *p, struct error *err), void *user,
                       struct error *err)
{
    size_t at[SWEEP_KEYS + 1] = {0}, n_sets = s->n_sets;
    struct document_set sets[2 * SWEEP_KEYS + 2];
    struct sweep_grid_point p = {0};
    bool ok = true;
    memcpy(sets, s->sets, sizeof s->sets);
    do {
        if (!sweep_skips(s, at) && p.number++ % s->facts.shards == s->facts.shard - 1) {
            size_t n = n_sets;
            for (size_t i = 0; i < s->n_axes; i++) {
                const struct sweep_axis *axis = &s->axes[i];
                sets[n++] = sweep_set(s, axis->key, axis->values.texts[at[i]], axis->node);
            }
            sets[n] = (struct document_set){.text = "capture=[]"}; /* of the files only results are kept */
            ok = ok && sweep_give(s, at, sets, n + 1, &p, take, user, err);
            while (n > n_sets)
                sweep_free_set(sets[--n]);
        }
    } while (ok && sweep_advance(s, at));
    return ok && (p.number > 0 || error_set(err, ERROR_INPUT, "%s: skip: leaves no point", s->path));
}
