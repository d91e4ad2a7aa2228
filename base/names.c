/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/names.h"

#include <stdio.h>
#include <string.h>

int names_find(const char *const *names, const char *text)
{
    for (int i = 0; text && names[i]; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return -1;
}

char *names_list(const char *const *names, char list[static NAMES_TEXT])
{
    size_t length = 0;
    list[0] = '\0';
    for (int i = 0; names[i] && length < NAMES_TEXT; i++)
        length += (size_t)snprintf(list + length, NAMES_TEXT - length, "%s%s", i ? ", " : "", names[i]);
    return list;
}
