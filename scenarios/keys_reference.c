/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows for people: what a misspelt key may have meant, and the reference page. */
#include "base/names.h"
#include "base/text.h"
#include "scenarios/keys.h"

/* The nearest name of a section and those below it; *best is how far it is, and sinks. Entries of lists are no place
 * to suggest. */
static void reference_search(const struct key *keys, const char *prefix, const char *word, bool deep, size_t *best,
                             char path[static KEYS_PATH])
{
    for (const struct key *k = keys; k->name; k++) {
        size_t distance = names_distance(k->name, word);
        char name[KEYS_PATH];
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", k->name);
        if (distance < *best) {
            *best = distance;
            snprintf(path, KEYS_PATH, "%s", name);
        }
        if (deep && k->keys)
            reference_search(k->keys, name, word, true, best, path);
    }
}

bool keys_suggest(const struct key *here, const char *word, char path[static KEYS_PATH])
{
    size_t best = names_too_far(word), none = best;
    reference_search(here, "", word, false, &best, path);
    if (best == none && strlen(word) > 3) {
        best = none = 1; /* elsewhere the name itself alone, if it says enough */
        reference_search(scenario_keys, "", word, true, &best, path);
    }
    return best < none;
}

const char *keys_disciplines(unsigned has, const char *last, char text[static KEYS_WORDS])
{
    int all = 0, left;
    for (int i = 0; i < EMU_DISCIPLINE_COUNT; i++)
        all += (emu_disciplines[i]->has & has) != 0;
    left = all;
    *text = '\0';
    for (int i = 0; left > 0; i++)
        if (emu_disciplines[i]->has & has)
            text_add(text, KEYS_WORDS, "%s%s", left-- == all ? "" : left == 0 ? last : ", ", emu_discipline_names[i]);
    return text;
}

static void reference_row(FILE *f, const struct key *k)
{
    char kind[KEYS_WORDS], names[KEYS_WORDS];
    keys_kind_describe(k, kind);
    fprintf(f, "| `%s` | %s | ", k->name, kind);
    if (k->required)
        fputs("required", f);
    else if (k->usual && *k->usual)
        fprintf(f, k->entry ? "`[%s]`" : "`%s`", k->usual);
    else
        fputs(k->otherwise ? k->otherwise : "", f);
    fprintf(f, " | %s%s%s |\n", k->told ? keys_disciplines(k->told, ", ", names) : "", k->told ? ": " : "", k->meaning);
}

/* The rows below a key, NULL for a single value. */
static const struct key *reference_below(const struct key *k)
{
    return k->entry && k->entry->keys ? k->entry->keys : k->keys;
}

/* Sections that share their rows are described once. */
static void reference_section(FILE *f, const struct key *keys, const char *path, const char *heading)
{
    fprintf(f, "\n## %s\n\n| key | value | default | meaning |\n|---|---|---|---|\n", heading);
    for (const struct key *k = keys; k->name; k++)
        reference_row(f, k);
    for (const struct key *k = keys; k->name; k++) {
        const struct key *below = reference_below(k);
        char name[KEYS_PATH], all[2 * KEYS_PATH];
        snprintf(name, sizeof name, "%s%s%s%s", path, *path ? "." : "", k->name, k->entry ? ".N" : "");
        snprintf(all, sizeof all, "%s", name);
        bool again = false;
        for (const struct key *other = keys; other->name; other++) {
            bool same = below && other != k && reference_below(other) == below;
            again = again || (same && other < k);
            if (same && other > k)
                text_add(all, sizeof all, " and %s.%s", path, other->name);
        }
        if (below && !again)
            reference_section(f, below, name, all);
    }
}

/* The first section that disciplines are told something in; all of these have the same rows. */
static const struct key *reference_queue(const struct key *keys)
{
    const struct key *found = NULL;
    for (const struct key *k = keys; k->name && !found; k++)
        found = k->told ? keys : k->keys ? reference_queue(k->keys) : NULL;
    return found;
}

#define DISCIPLINE_MEANING(NAME, name, text, meaning) meaning,

static void reference_disciplines(FILE *f)
{
    static const char *const meaning[] = {EMU_DISCIPLINES(DISCIPLINE_MEANING)};
    fputs("\n## Queue disciplines\n\n| `queue` | what it does | is told |\n|---|---|---|\n", f);
    for (int i = 0; i < EMU_DISCIPLINE_COUNT; i++) {
        fprintf(f, "| `%s` | %s |", emu_discipline_names[i], meaning[i]);
        const char *before = " ";
        for (const struct key *k = reference_queue(scenario_keys); k && k->name; k++)
            if (k->told & emu_disciplines[i]->has) {
                fprintf(f, "%s`%s`", before, k->name);
                before = ", ";
            }
        fputs(" |\n", f);
    }
}

void scenario_keys_reference(FILE *f)
{
    fputs("# Scenario keys\n\n"
          "Every key of a scenario file. `contraflow run --keys` prints this page. On the command line a key is set\n"
          "by its path: `--set network.link.rate=100Mbps`, or `--set traffic.flows.0.bytes=20MB` (entries of lists\n"
          "count from 0).\n\n"
          "- Rates are bits per second: `1Gbps`, `100 Mb/s`, `10gbit` as for tc(8), `25G` as for iperf3(1). `bps` is\n"
          "  always bits here, where tc(8) means bytes.\n"
          "- Sizes are bytes: `3MB`, `3M`, `500kB`, `64KiB`, `1448`. `3M` is 3 000 000 bytes; what iperf3(1) and\n"
          "  tc(8) mean by it is `3MiB`.\n"
          "- Times are `2s`, `600ms`, `50us`, `12.5ns`. Limits are sizes or packets: `20MB`, `1000p`, `none`.\n", f);
    reference_section(f, scenario_keys, "", "Top level");
    reference_disciplines(f);
}
