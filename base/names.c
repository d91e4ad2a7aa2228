/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/names.h"

#include "base/text.h"

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
    list[0] = '\0';
    for (int i = 0; names[i]; i++)
        text_add(list, NAMES_TEXT, "%s%s", i ? ", " : "", names[i]);
    return list;
}
