/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/print.h"

#include "base/memory.h"

/* Bytes of a sequence by its first byte; 0: none begins so. */
static size_t print_sequence(unsigned char first)
{
    return first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3
           : first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/* Directions to a terminal: C0, DEL, C1, line and paragraph separators, and what turns the direction of text, by which
 * a name can look like another (CVE-2021-42574). */
static bool print_is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

size_t print_character(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t length = n > 0 ? print_sequence(s[0]) : 0;
    if (length == 0 || length > n)
        return 0;
    uint32_t c = length == 1 ? s[0] : s[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* a longer sequence than needed is none */
    bool surrogate = c >= 0xd800 && c < 0xe000;
    return c < least[length] || surrogate || c > 0x10ffff || print_is_control(c) ? 0 : length;
}

/* The next character, or its first byte as \xNN. Returns the bytes taken. */
static size_t print_next(const char *s, size_t n, char piece[static PRINT_PIECE], size_t *length)
{
    static const char digit[] = "0123456789abcdef";
    size_t taken = *length = print_character(s, n);
    if (taken) {
        memcpy(piece, s, taken);
        return taken;
    }
    memcpy(piece, (char[]){'\\', 'x', digit[(unsigned char)*s >> 4], digit[*s & 15]}, *length = 4);
    return 1;
}

char *print_escaped(const char *text)
{
    size_t room = 4 * strlen(text) + 1;
    char *escaped = memory_zeroed(room, 1, "text");
    print_escape(escaped, room, text);
    return escaped;
}

void print_escape(char *to, size_t room, const char *text)
{
    char piece[PRINT_PIECE];
    size_t used = 0;
    for (size_t n = strlen(text), length, taken; n > 0; text += taken, n -= taken, used += length) {
        taken = print_next(text, n, piece, &length);
        if (used + length >= room)
            break;
        memcpy(to + used, piece, length);
    }
    to[used] = '\0';
}

#define GUARD_CHUNK ((size_t)4096)

static bool guard_put(const struct print_guard *g, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t wrote = write(g->descriptor, bytes, n);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return false;
        bytes += wrote;
        n -= (size_t)wrote;
    }
    return true;
}

/* Whether the n bytes are the beginning of a character of more bytes. */
static bool guard_is_cut(const char *s, size_t n)
{
    size_t i = 1;
    while (i < n && (s[i] & 0xc0) == 0x80)
        i++;
    return i == n && print_sequence((unsigned char)*s) > n;
}

/* Escapes and writes at most GUARD_CHUNK bytes after what was kept. On the stack: it also says that there is no memory. */
static bool guard_chunk(struct print_guard *g, const char *bytes, size_t size)
{
    char text[sizeof g->kept + GUARD_CHUNK], out[4 * sizeof text]; /* \xNN for each */
    size_t n = g->n_kept + size, used = 0;
    memcpy(text, g->kept, g->n_kept);
    memcpy(text + g->n_kept, bytes, size);
    g->n_kept = 0;
    for (const char *s = text, *end = text + n; s < end;) {
        char piece[PRINT_PIECE];
        size_t length, plain = 0;
        while (s + plain < end && ((s[plain] >= ' ' && s[plain] <= '~') || s[plain] == '\n' || s[plain] == '\t'))
            plain++;
        memcpy(out + used, s, plain);
        used += plain;
        s += plain;
        n = (size_t)(end - s);
        if (n > 0 && n < 4 && guard_is_cut(s, n)) {
            memcpy(g->kept, s, g->n_kept = n);
            break;
        }
        if (n > 0) {
            s += print_next(s, n, piece, &length);
            memcpy(out + used, piece, length);
            used += length;
        }
    }
    return guard_put(g, out, used);
}

static ssize_t guard_write(void *cookie, const char *bytes, size_t size)
{
    for (size_t done = 0, n; done < size; done += n) {
        n = size - done < GUARD_CHUNK ? size - done : GUARD_CHUNK;
        if (!guard_chunk(cookie, bytes + done, n))
            return -1;
    }
    return (ssize_t)size;
}

FILE *print_guard(struct print_guard *g, int descriptor)
{
    *g = (struct print_guard){.descriptor = descriptor};
    return fopencookie(g, "w", (cookie_io_functions_t){.write = guard_write});
}
