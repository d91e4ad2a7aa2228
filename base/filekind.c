/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/filekind.h"

#include "base/infile.h"

#include <sys/stat.h>

#define BEGINNING 65536 /* bytes that are looked at */

static enum filekind filekind_of_bytes(const char *bytes, size_t n)
{
    static const struct {
        enum filekind kind;
        const char *bytes;
        size_t n;
    } magics[] = {
        {FILEKIND_CAPTURE, "\xa1\xb2\xc3\xd4", 4}, {FILEKIND_CAPTURE, "\xd4\xc3\xb2\xa1", 4}, /* microseconds */
        {FILEKIND_CAPTURE, "\xa1\xb2\x3c\x4d", 4}, {FILEKIND_CAPTURE, "\x4d\x3c\xb2\xa1", 4}, /* nanoseconds */
        {FILEKIND_CAPTURE, "\x0a\x0d\x0d\x0a", 4}, {FILEKIND_CAPTURE, "\x1f\x8b", 2},         /* pcapng, gzip */
        {FILEKIND_CAPTURE, "\xfd" "7zXZ", 6},   {FILEKIND_CAPTURE, "\x28\xb5\x2f\xfd", 4}, /* xz, Zstandard */
        {FILEKIND_DATABASE, "SQLite format 3", 16},
    };
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (n >= magics[i].n && memcmp(bytes, magics[i].bytes, magics[i].n) == 0)
            return magics[i].kind;
    return FILEKIND_UNKNOWN;
}

/* By the keys at the beginnings of lines. `text` ends with NUL. */
static enum filekind filekind_of_yaml(const char *text)
{
    static const struct {
        enum filekind kind;
        const char *key;
    } keys[] = {
        {FILEKIND_SWEEP, "axes:"},       {FILEKIND_SWEEP, "scenario:"}, {FILEKIND_SCENARIO, "network:"},
        {FILEKIND_SCENARIO, "traffic:"}, {FILEKIND_SCENARIO, "tcp:"},   {FILEKIND_SCENARIO, "gbn:"},
        {FILEKIND_SCENARIO, "duration:"},
    };
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (strncmp(line, keys[i].key, strlen(keys[i].key)) == 0)
                return keys[i].kind;
    }
    return FILEKIND_UNKNOWN;
}

bool filekind_read(const char *path, enum filekind *kind, struct error *err)
{
    char bytes[BEGINNING + 1];
    struct stat st;
    *kind = FILEKIND_UNKNOWN;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return true;
    FILE *f = infile_open(path, err);
    if (!f)
        return false;
    size_t n = fread(bytes, 1, BEGINNING, f);
    fclose(f);
    bytes[n] = '\0';
    *kind = filekind_of_bytes(bytes, n);
    if (*kind == FILEKIND_UNKNOWN && !memchr(bytes, '\0', n))
        *kind = filekind_of_yaml(bytes);
    return true;
}

enum filekind filekind_of(const char *path)
{
    enum filekind kind;
    struct error unread;
    filekind_read(path, &kind, &unread);
    return kind;
}

bool filekind_blame(const char *path, enum filekind wanted, struct error *err)
{
    static const struct {
        const char *noun, *command;
    } kinds[] = {
        [FILEKIND_CAPTURE] = {"a capture", "analyze"},
        [FILEKIND_DATABASE] = {"a sweep's database", "sweep export"},
        [FILEKIND_SCENARIO] = {"a scenario", "run"},
        [FILEKIND_SWEEP] = {"a sweep", "sweep"},
    };
    enum filekind kind = filekind_of(path);
    if (kind == FILEKIND_UNKNOWN || kind == wanted)
        return false;
    return error_set(err, ERROR_INPUT, "%s: this is %s: contraflow %s %s", path, kinds[kind].noun,
                     kinds[kind].command, path);
}
