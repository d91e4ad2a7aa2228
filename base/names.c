/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/names.h"

#include "base/text.h"

#define WORD 40 /* longer than any name */

int names_find(const char *const *names, const char *text)
{
    for (int i = 0; text && names[i]; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return -1;
}

char *names_list(const char *const *names, char list[static NAMES_TEXT])
{
    list[0] = '\0';
    for (int i = 0; names[i]; i++)
        text_add(list, NAMES_TEXT, "%s%s", i ? ", " : "", names[i]);
    return list;
}

static size_t names_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters to add, drop, change or swap with the next one to come from a to b (optimal string alignment). */
static size_t names_letters(const char *a, const char *b)
{
    size_t rows[3][WORD + 1], m = strlen(a), n = strlen(b);
    if (m > WORD || n > WORD)
        return WORD;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            now[j] = names_least(names_least(before[j], now[j - 1]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = names_least(now[j], earlier[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

size_t names_distance(const char *name, const char *word)
{
    size_t length = strlen(word);
    bool begins = length >= 3 && strncmp(name, word, length) == 0 && name[length];
    return begins ? 1 : names_letters(name, word);
}

size_t names_too_far(const char *word)
{
    size_t bound = strlen(word) / 3 + 1;
    return bound > 3 ? 4 : bound + 1;
}
