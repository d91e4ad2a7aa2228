/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/legend.h"

#include "base/text.h"
#include "results/directory.h"
#include "scenarios/differ.h"

#define TEXT 512

struct legend_key {
    char *name;   /* owned */
    char *usual;  /* owned; its value in the first run */
    char **value; /* owned, each; by source; NULL: the usual one */
};

struct legend {
    struct legend_key *key; /* owned */
    size_t n_keys, n;
    size_t at; /* the source that is being held against the first run */
};

static void legend_visit(void *user, const char *name, const char *before, const char *after)
{
    struct legend *l = user;
    size_t i = 0;
    while (i < l->n_keys && strcmp(l->key[i].name, name) != 0)
        i++;
    if (i == l->n_keys) {
        l->key = memory_resized(l->key, ++l->n_keys, sizeof *l->key, "what differs");
        l->key[i] = (struct legend_key){.name = memory_text("%s", name), .usual = memory_text("%s", before ? before : "none"),
                                        .value = memory_zeroed(l->n, sizeof *l->key[i].value, "what differs")};
    }
    free(l->key[i].value[l->at]);
    l->key[i].value[l->at] = memory_text("%s", after ? after : "none");
}

static char *legend_text(const struct legend *l, size_t source)
{
    char text[TEXT] = "";
    for (size_t i = 0; i < l->n_keys && i < STUDY_LEGEND_KEYS; i++) {
        const struct legend_key *key = &l->key[i];
        text_add(text, sizeof text, "%s%s %s", i ? ", " : "", key->name,
                 key->value[source] ? key->value[source] : key->usual);
    }
    if (l->n_keys > STUDY_LEGEND_KEYS)
        text_add(text, sizeof text, ", and %zu more keys differ", l->n_keys - STUDY_LEGEND_KEYS);
    return memory_text("%s", text);
}

static void legend_fini(struct legend *l)
{
    for (size_t i = 0; i < l->n_keys; i++) {
        for (size_t k = 0; k < l->n; k++)
            free(l->key[i].value[k]);
        MEMORY_FREE(l->key[i].value, l->key[i].usual, l->key[i].name);
    }
    free(l->key);
}

void study_legend_make(const char *const *run, size_t n, char **text)
{
    MEMORY_ENDS(legend_fini) struct legend l = {.n = n};
    size_t first = 0;
    while (first < n && !run[first])
        first++;
    for (l.at = first + 1; l.at < n; l.at++) {
        struct error ignored = {0};
        if (!run[l.at] || strcmp(run[l.at], run[first]) == 0)
            continue;
        MEMORY_LOCAL char *before = results_directory_path(run[first], "scenario.yaml");
        MEMORY_LOCAL char *after = results_directory_path(run[l.at], "scenario.yaml");
        scenario_differ(before, after, legend_visit, &l, &ignored);
    }
    for (size_t i = 0; i < n; i++)
        text[i] = run[i] ? legend_text(&l, i) : memory_text("%s", "");
}
