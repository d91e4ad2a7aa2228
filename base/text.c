/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

void text_add(char *text, size_t room, const char *format, ...)
{
    size_t used = strnlen(text, room);
    va_list args;
    va_start(args, format);
    if (used < room)
        vsnprintf(text + used, room - used, format, args);
    va_end(args);
}

bool text_ends(const char *text, const char *ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}
