/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts nobody chose as GOAL: what is read is written, and read again to the same text. `test/fuzz goal`, or
 * test/fuzzing/replay.c. */
#include "scenarios/traffic/goal.h"
#include "test/fuzzing/text.h"

#define EAGER 65536

/* NULL when it is no GOAL text. */
static char *read_and_write(const char *text)
{
    struct schedule s;
    struct error err = {0};
    char *written = NULL;
    size_t size, flows, apart;
    if (!goal_read(text, EAGER, &s, &err)) {
        text_check(&err);
        return NULL;
    }
    free(schedule_flows(&s, false, &flows));
    free(schedule_flows(&s, true, &apart));
    if (flows > apart || apart > 2 * flows)
        abort();
    FILE *f = memory_stream(&written, &size);
    schedule_write(&s, f);
    memory_stream_end(f, &written);
    schedule_fini(&s);
    return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MEMORY_LOCAL char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    char *first = read_and_write(text), *second MEMORY_LOCAL = first ? read_and_write(first) : NULL;
    if (first && (!second || strcmp(first, second) != 0)) {
        fprintf(stderr, "%s\nis not read back as it was written: %s\n", first, second ? second : "");
        abort();
    }
    free(first);
    return 0;
}
