/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/json.h"

#include "base/memory.h"

static void *json_memory(size_t bytes)
{
    return memory_resized(NULL, bytes, 1, "JSON");
}

/* Of a value that it has no memory for, jansson makes nothing, and what was to hold it lacks it without a word: so the
 * process ends instead. Before main(), which no program can forget. */
__attribute__((constructor)) static void json_start(void)
{
    json_set_alloc_funcs(json_memory, free);
}

json_t *results_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

double results_json_real(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void json_add(json_t *object, const char *members, va_list args)
{
    while (*members) {
        size_t length = strcspn(members, ":");
        char kind = members[length + 1], key[64] = "";
        const char *text = kind == 's' || kind == 't' ? va_arg(args, const char *) : NULL;
        json_t *value = kind == 'b'   ? json_boolean(va_arg(args, int))
                        : kind == 'i' ? json_integer(va_arg(args, int))
                        : kind == 'u' ? json_integer(va_arg(args, unsigned))
                        : kind == 'l' ? json_integer(va_arg(args, int64_t))
                        : kind == 'z' ? json_integer((json_int_t)va_arg(args, size_t))
                        : kind == 'f' ? results_json_number(va_arg(args, double))
                        : kind == 'o' ? va_arg(args, json_t *)
                        : text        ? json_string(text)
                                      : json_null();
        memcpy(key, members, length < sizeof key ? length : sizeof key - 1);
        if (text || kind != 't')
            json_object_set_new(object, key, value);
        members += length + 2;
        members += strspn(members, " ");
    }
}

json_t *results_json(const char *members, ...)
{
    json_t *object = json_object();
    va_list args;
    va_start(args, members);
    json_add(object, members, args);
    va_end(args);
    return object;
}

void results_json_add(json_t *object, const char *members, ...)
{
    va_list args;
    va_start(args, members);
    json_add(object, members, args);
    va_end(args);
}

void results_json_append(json_t *array, const char *members, ...)
{
    json_t *object = json_object();
    va_list args;
    va_start(args, members);
    json_add(object, members, args);
    va_end(args);
    json_array_append_new(array, object);
}
