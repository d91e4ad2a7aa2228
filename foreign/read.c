/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/read.h"

#include "base/infile.h"
#include "foreign/parts.h"

#include <sys/stat.h>
#include <zlib.h>

#define LEAST 65536 /* bytes of room, at first */
#define BEGINNING 4096
/* Bytes of JSON an object or a list: the least that flent writes, a raw value of "t" and "val", has 32. An empty one takes 3
 * bytes of a file and 240 of memory. */
#define SPARSE 16

double foreign_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    double number = json_is_number(value) ? json_number_value(value) : (double)NAN;
    return isfinite(number) ? number : (double)NAN;
}

/* Is the line a number and nothing else: what 'date +%s' writes? */
static bool read_is_time(const char *line)
{
    char *rest;
    double s = strtod(line, &rest);
    return isdigit((unsigned char)*line) && s > 0 && (*rest == '\n' || *rest == '\r' || !*rest);
}

static bool read_is_ss(const char *text)
{
    while (text && (read_is_time(text) || *text == '\n'))
        text = (text = strchr(text, '\n')) ? text + 1 : NULL;
    return text && foreign_ss_line(text);
}

bool foreign_read_is(const char *path)
{
    char text[BEGINNING + 1];
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    gzFile f = gzopen(path, "rb");
    int n = f ? gzread(f, text, BEGINNING) : 0;
    if (f)
        gzclose(f);
    if (n <= 0)
        return false;
    text[n] = '\0';
    return text[strspn(text, " \t\r\n")] == '{' || read_is_ss(text);
}

static char *read_fail(const char *path, gzFile f, struct error *err)
{
    int number;
    const char *said = gzerror(f, &number);
    if (number == Z_ERRNO)
        infile_fail(path, err);
    else
        error_set(err, ERROR_INPUT, "%s: damaged gzip: %.160s", path, said);
    return NULL;
}

/* All of a file, unpacked, with a NUL after it. */
static char *read_all(const char *path, size_t *size, struct error *err)
{
    FILE *there = infile_open(path, err); /* its errors are plain */
    if (!there)
        return NULL;
    fclose(there);
    gzFile f = gzopen(path, "rb");
    if (!f) {
        infile_fail(path, err);
        return NULL;
    }
    char *text = NULL;
    size_t room = 0;
    int n = 1;
    for (*size = 0; n > 0 && *size < FOREIGN_MOST; *size += n > 0 ? (size_t)n : 0) {
        if (room - *size < LEAST) {
            room = room < LEAST ? 2 * LEAST : 2 * room;
            text = memory_resized(text, room + 1, 1, path);
        }
        n = gzread(f, text + *size, (unsigned)(room - *size));
    }
    bool ok = n == 0;
    if (n < 0)
        read_fail(path, f, err);
    else if (n > 0)
        error_set(err, ERROR_INPUT, "%s: larger than %zu MiB, so no measurement", path, FOREIGN_MOST >> 20);
    gzclose(f);
    if (ok) {
        text[*size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

/* Are there more objects and lists than any measurement has? */
static bool read_is_dense(const char *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += text[i] == '{' || text[i] == '[';
    return n > BEGINNING && n > size / SPARSE;
}

static bool read_json(struct foreign_test *t, const char *path, const char *text, size_t size, struct error *err)
{
    json_error_t said;
    if (read_is_dense(text, size))
        return error_set(err, ERROR_INPUT, "%s: an object or a list in less than %d bytes each: no measurement", path, SPARSE);
    json_auto_t *root = json_loadb(text, size, 0, &said);
    if (!root)
        return error_set(err, ERROR_INPUT, "%s:%d: not JSON: %.160s", path, said.line, said.text);
    bool flent = json_object_get(root, "metadata") && json_object_get(root, "results");
    return flent ? foreign_flent_read(t, path, root, err) : foreign_iperf3_read(t, path, root, err);
}

bool foreign_read_text(struct foreign_test *t, const char *path, const char *text, size_t size, struct error *err)
{
    *t = (struct foreign_test){.start_s = NAN, .processor = NAN};
    return read_is_ss(text) ? foreign_ss_read(t, path, text, err) : read_json(t, path, text, size, err);
}

bool foreign_read(struct foreign_test *t, const char *path, struct error *err)
{
    size_t size;
    *t = (struct foreign_test){.n = 0};
    MEMORY_LOCAL char *text = read_all(path, &size, err);
    return text && foreign_read_text(t, path, text, size, err);
}
