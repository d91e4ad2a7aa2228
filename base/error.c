/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include "base/print.h"
#include "base/text.h"

/* A message is one line that a terminal may see, whatever went into it: a file may be named with line breaks. */
static void error_one_line(struct error *err)
{
    char message[sizeof err->message];
    memcpy(message, err->message, sizeof message);
    print_escape(err->message, sizeof err->message, message);
}

int error_put(struct error *err, enum error_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    err->code = code;
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    error_one_line(err);
    return 0;
}

int error_put_errno(struct error *err, const char *format, ...)
{
    int saved = errno;
    va_list args;
    va_start(args, format);
    err->code = ERROR_SYSTEM;
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    text_add(err->message, sizeof err->message, ": %s", strerror(saved));
    error_one_line(err);
    return 0;
}

int error_put_prefix(struct error *err, const char *format, ...)
{
    char context[sizeof err->message];
    char message[sizeof err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
    memcpy(message, err->message, sizeof message);
    snprintf(err->message, sizeof err->message, "%s", context);
    text_add(err->message, sizeof err->message, "%s", message);
    error_one_line(err);
    return 0;
}

void error_close(int fd)
{
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
}
