/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/save.h"

#include "results/directory.h"
#include "results/directory_clear.h"
#include "scenarios/commands.h"
#include "scenarios/keys.h"

#include <yaml.h>

struct save {
    const struct scenario *s; /* borrowed */
    yaml_emitter_t emitter;
};

static void save_section(struct save *v, const struct key *keys, const char *base);

/* What goes wrong stays known to the emitter, which takes no further events. */
static void save_emit(struct save *v, yaml_event_t *event, int made)
{
    if (!made && v->emitter.error == YAML_NO_ERROR) {
        v->emitter.error = YAML_EMITTER_ERROR;
        v->emitter.problem = "no UTF-8 text, or out of memory";
    }
    if (made && v->emitter.error != YAML_NO_ERROR)
        yaml_event_delete(event);
    else if (made)
        yaml_emitter_emit(&v->emitter, event);
}

static void save_scalar(struct save *v, const char *text)
{
    yaml_event_t e;
    save_emit(v, &e, yaml_scalar_event_initialize(&e, NULL, NULL, (const yaml_char_t *)text, (int)strlen(text), 1, 1,
                                                  YAML_ANY_SCALAR_STYLE));
}

static void save_value(struct save *v, const struct key *key, const char *value)
{
    char text[KEYS_TEXT];
    if (key->keys) {
        save_section(v, key->keys, value);
    } else {
        keys_kind_format(key, value, text);
        save_scalar(v, text);
    }
}

/* How many entries a list has; *entries is its first. */
static int save_entries(const struct save *v, const struct key *key, const char *base, const char **entries)
{
    int n = 0;
    *entries = base + key->offset;
    if (key->kind == KEY_LIST)
        memcpy(entries, base + key->offset, sizeof *entries);
    if (key->kind != KEY_HOSTS)
        memcpy(&n, base + key->beside, sizeof n);
    else if (v->s->network.pause_hosts)
        n = v->s->network.hosts;
    return n;
}

static void save_list(struct save *v, const struct key *key, const char *base)
{
    yaml_event_t e;
    const char *entries;
    int n = save_entries(v, key, base, &entries);
    save_emit(v, &e, yaml_sequence_start_event_initialize(&e, NULL, NULL, 1, key->entry->keys
                                                                                 ? YAML_BLOCK_SEQUENCE_STYLE
                                                                                 : YAML_FLOW_SEQUENCE_STYLE));
    for (int i = 0; i < n; i++) {
        if (key->kind != KEY_HOSTS)
            save_value(v, key->entry, entries + (size_t)i * key->entry->size);
        else if (v->s->network.pause_hosts[i])
            save_value(v, key->entry, (const char *)&i);
    }
    save_emit(v, &e, yaml_sequence_end_event_initialize(&e));
}

static bool save_has(const struct save *v, const struct key *key, const char *base)
{
    static const char zeros[sizeof(struct emu_level)];
    const char *entries;
    if (key->misfit && key->misfit(key, v->s, base, NULL))
        return false;
    switch (key->kind) {
    case KEY_SECTION: return true;
    case KEY_OPTION: return key->size == 0 || *(const bool *)(base + key->beside);
    case KEY_LIST:
    case KEY_ARRAY:
    case KEY_HOSTS: return save_entries(v, key, base, &entries) > 0;
    default: return key->size > 0 && !(key->optional && memcmp(base + key->offset, zeros, key->size) == 0);
    }
}

static void save_section(struct save *v, const struct key *keys, const char *base)
{
    yaml_event_t e;
    save_emit(v, &e, yaml_mapping_start_event_initialize(&e, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE));
    for (const struct key *k = keys; k->name; k++) {
        if (!save_has(v, k, base))
            continue;
        save_scalar(v, k->name);
        if (k->entry)
            save_list(v, k, base);
        else
            save_value(v, k, base + k->offset);
    }
    save_emit(v, &e, yaml_mapping_end_event_initialize(&e));
}

/* One line that YAML readers skip: what they would choke on, control characters and bytes that
 * may be no UTF-8, is replaced. */
static void save_comment(FILE *f, const char *comment)
{
    fputs("# ", f);
    for (const unsigned char *p = (const unsigned char *)comment; *p; p++)
        putc(*p < ' ' || *p == 0x7f ? ' ' : *p > 0x7f ? '?' : *p, f);
    putc('\n', f);
}

bool scenario_write(const struct scenario *s, FILE *f, const char *comment, struct error *err)
{
    struct save v = {.s = s};
    yaml_event_t e;
    if (comment)
        save_comment(f, comment);
    if (!yaml_emitter_initialize(&v.emitter))
        return error_set(err, ERROR_SYSTEM, "out of memory");
    yaml_emitter_set_output_file(&v.emitter, f);
    save_emit(&v, &e, yaml_stream_start_event_initialize(&e, YAML_UTF8_ENCODING));
    save_emit(&v, &e, yaml_document_start_event_initialize(&e, NULL, NULL, NULL, 1));
    save_section(&v, scenario_keys, (const char *)s);
    save_emit(&v, &e, yaml_document_end_event_initialize(&e, 1));
    save_emit(&v, &e, yaml_stream_end_event_initialize(&e));
    bool ok = v.emitter.error == YAML_NO_ERROR;
    if (!ok)
        error_set(err, ERROR_SYSTEM, "the scenario cannot be written as YAML: %s", v.emitter.problem);
    yaml_emitter_delete(&v.emitter);
    return ok;
}

bool scenario_save(const struct scenario *s, const char *path, const char *comment, struct error *err)
{
    struct outfile f;
    if (!outfile_open(&f, path, err))
        return false;
    if (scenario_write(s, f.stream, comment, err))
        return outfile_commit(&f, err);
    outfile_discard(&f);
    return error_prefix(err, "%s: ", path);
}

bool scenario_save_directory(const struct scenario *s, const char *directory, const char *comment, struct error *err)
{
    MEMORY_LOCAL char *path = results_directory_path(directory, "scenario.yaml");
    return scenario_commands_clear(directory, err) && results_directory_clear(directory, err) &&
           scenario_save(s, path, comment, err);
}
