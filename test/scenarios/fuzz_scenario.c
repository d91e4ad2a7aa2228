/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts nobody chose as scenarios: a NUL ends the YAML, and behind it are sets, which NULs end, too. What loads is
 * written, and loads again to the same text. `test/fuzz scenario`, or test/fuzzing/replay.c. */
#include "scenarios/load.h"
#include "scenarios/traffic/pattern.h"
#include "scenarios/save.h"
#include "test/fuzzing/text.h"

#define SETS 8

/* What a prediction sees of it: every transfer's links have names. */
static void predict(const struct scenario *s)
{
    struct scenario_pattern p;
    struct error err = {0};
    char name[SCENARIO_NAME];
    if (s->n_points > 0 || s->n_flows > 200)
        return;
    if (!scenario_pattern_init(&p, s, &err)) {
        text_check(&err);
        return;
    }
    for (int i = 0; i < model_platform_link_count(&p.platform); i++)
        scenario_pattern_link_name(&p, i, name);
    scenario_pattern_fini(&p);
}

/* Loads text as a file, and writes it; NULL when it does not load. */
static char *load_and_write(const char *text, size_t size, const struct document_set *sets, size_t n)
{
    struct scenario s;
    struct error err = {0};
    char path[40], *written = NULL;
    int fd = text_file(text, size, path);
    if (scenario_load(&s, path, sets, n, &err)) {
        FILE *f = memory_stream(&written, &size);
        if (!scenario_write(&s, f, "fuzz", &err))
            abort();
        memory_stream_end(f, &written);
        predict(&s);
        scenario_fini(&s);
    } else {
        text_check(&err);
    }
    close(fd);
    return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document_set sets[SETS];
    size_t n = 0;
    MEMORY_LOCAL char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    size_t yaml = strlen(text);
    for (const char *set = text + yaml; n < SETS && set < text + size; set += strlen(set)) {
        sets[n] = (struct document_set){++set, n % 2 ? NULL : "--set "};
        n++;
    }
    MEMORY_LOCAL char *first = load_and_write(text, yaml, sets, n);
    if (first) {
        MEMORY_LOCAL char *second = load_and_write(first, strlen(first), NULL, 0);
        if (!second || strcmp(first, second) != 0) {
            fprintf(stderr, "%s\nis not read back as it was written: %s\n", first, second ? second : "");
            abort();
        }
    }
    return 0;
}
