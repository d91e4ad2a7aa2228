/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/scenarios/text.h"

#include "base/names.h"

static char directory[] = "/tmp/contraflow-scenarios-XXXXXX";

int text_enter(void **state)
{
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

int text_leave(void **state)
{
    static const char *const files[] = {"s.yaml", "again.yaml", "resolved.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        remove(files[i]);
    return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

void text_write(const char *name, const char *text, size_t size)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

struct scenario text_load(const char *yaml, const char *set)
{
    struct scenario s;
    struct error err = {0};
    text_write("s.yaml", yaml, strlen(yaml));
    if (!scenario_load(&s, "s.yaml", &(struct document_set){set, "--set "}, set ? 1 : 0, &err))
        fail_msg("%s %s: %s", yaml, set ? set : "", err.message);
    return s;
}

void text_rejects(const char *yaml, const char *set, const char *message)
{
    struct scenario s, zero = {0};
    struct error err = {0};
    text_write("s.yaml", yaml, strlen(yaml));
    memset(&s, 0xff, sizeof s);
    if (scenario_load(&s, "s.yaml", &(struct document_set){set, "--set "}, set ? 1 : 0, &err))
        fail_msg("loads: %s %s", yaml, set ? set : "");
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, ERROR_INPUT);
    assert_null(s.flows);
    assert_null(s.captures);
    assert_int_equal(s.duration_ps, zero.duration_ps);
}

void text_rejects_name(const char *yaml, const char *set, const char *message, const char *const *names)
{
    char whole[512], list[NAMES_TEXT];
    snprintf(whole, sizeof whole, "%s; there are: %s", message, names_list(names, list));
    text_rejects(yaml, set, whole);
}
