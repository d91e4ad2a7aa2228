/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts nobody chose, through base/units.h: what is parsed is written so that it is parsed to the same again.
 * `test/fuzz units`, or test/fuzzing/replay.c. */
#include "base/units.h"
#include "test/fuzzing/text.h"

typedef bool parse(const char *text, int64_t *value, struct error *err);
typedef void format(int64_t value, char text[static UNITS_TEXT]);

static void parse_and_format(const char *text, parse *p, format *f)
{
    struct error err = {0};
    int64_t value, again;
    char formatted[UNITS_TEXT];
    if (!p(text, &value, &err)) {
        text_check(&err);
        return;
    }
    if (!f)
        return;
    f(value, formatted);
    if (value < 0 || !p(formatted, &again, &err) || again != value)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    double share;
    memcpy(text, data, size);
    text[size] = '\0';
    parse_and_format(text, units_parse_rate, units_format_rate);
    parse_and_format(text, units_parse_bytes, units_format_bytes);
    parse_and_format(text, units_parse_time, units_format_time);
    parse_and_format(text, units_parse_integer, NULL);
    if (units_parse_share(text, &share) && !isfinite(share))
        abort();
    free(text);
    return 0;
}
