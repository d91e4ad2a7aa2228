/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenarios/fields.h - one value of a scenario file: from text to a number in its range.
 *
 * Each function leaves *out, the default, alone when text is NULL. On failure it returns false and
 * sets *err, which names line or --set, key, what was found and what would be right. */
#ifndef SCENARIOS_FIELDS_H
#define SCENARIOS_FIELDS_H

#include "emu/congestion.h"
#include "emu/switch.h"
#include "scenarios/document.h"

#include <stdint.h>

#define FIELDS_SECTION 48
#define FIELDS_PATH 96

struct fields {
    const struct document *doc; /* borrowed */
    char section[FIELDS_SECTION]; /* "network.link"; "": top level */
    struct error *err;          /* borrowed */
};

/* Keys from here on lie in this section. */
void fields_section(struct fields *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets *err with ERROR_INPUT and blames it on section.key. Returns false. */
bool fields_fail(const struct fields *f, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a whole key path, such as document_culprit() gives. */
bool fields_fail_at(const struct fields *f, const char *key_path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Rates from 1 kbps to 8 Tbps. */
bool fields_rate(const struct fields *f, const char *key, const char *text, int64_t *rate_bps);
bool fields_time(const struct fields *f, const char *key, const char *text, int64_t min_ps, int64_t max_ps,
                 int64_t *time_ps);
bool fields_bytes(const struct fields *f, const char *key, const char *text, int64_t min, int64_t max,
                  int64_t *bytes);
/* "10MB": both ends, or "10MB..60MB". Left as they are when text is NULL. */
bool fields_bytes_range(const struct fields *f, const char *key, const char *text, int64_t min, int64_t max,
                        int64_t range[2]);
bool fields_integer(const struct fields *f, const char *key, const char *text, int64_t min, int64_t max,
                    int64_t *value);

/* A number of [min, max], such as 0.5. */
bool fields_number(const struct fields *f, const char *key, const char *text, double min, double max, double *value);

/* A share of (0, 1], as "2%" or "0.02". */
bool fields_share(const struct fields *f, const char *key, const char *text, double *share);

/* "true" or "false". */
bool fields_switch(const struct fields *f, const char *key, const char *text, int *on);

/* *index of text in `names`, which ends with NULL. `noun`: "a queue". */
bool fields_choice(const struct fields *f, const char *key, const char *text, const char *const *names,
                   const char *noun, int *index);

/* "20MB", or "1000p", "1000 packets" for a bound in packets: the other bound is lifted; "none": both. */
bool fields_level(const struct fields *f, const char *key, const char *text, struct emu_level *level);
bool fields_limit(const struct fields *f, const char *key, const char *text, struct emu_queue_config *queue);

/* "h3" -> 3, below `hosts`. */
bool fields_host(const struct fields *f, const char *key, const char *text, int hosts, int *host);

/* A TCP window: at least one segment, at most what a scaled window field holds. */
bool fields_window(const struct fields *f, const char *key, const char *text, int64_t segment_bytes,
                   int64_t *window_bytes);

bool fields_congestion(const struct fields *f, const char *key, const char *text, enum emu_congestion *congestion);

#endif
