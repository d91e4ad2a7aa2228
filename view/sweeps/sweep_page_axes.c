/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/sweeps/sweep_page_axes.h"

#include "base/order.h"

#define PLACES 10000000 /* of a grid, at most */

const char *view_sweep_page_axes_text(const json_t *value, char text[static 32])
{
    if (json_is_string(value)) {
        snprintf(text, 32, "%s", json_string_value(value));
        return text;
    }
    MEMORY_LOCAL char *plain = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12));
    snprintf(text, 32, "%s", plain ? plain : "");
    return text;
}

const char *view_sweep_page_axes_name(const char *key)
{
    const char *name = key + strlen(key);
    for (int words = 0; name > key; name--)
        if (name[-1] == '.' && ++words == 2)
            break;
    return name;
}

/* "93kB" is 93000; NAN for what does not begin with a digit. Sizes, rates and times of one axis compare by it. */
static double axis_quantity(const char *text)
{
    static const char prefix[] = "numkMG";
    static const double factor[] = {1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9};
    char *end;
    double value = strtod(text, &end);
    const char *at = *end ? strchr(prefix, *end) : NULL;
    return !isdigit((unsigned char)*text) ? (double)NAN : at ? value * factor[at - prefix] : value;
}

static ORDER_OF(axis_by_quantity, char, ORDER_TWO(axis_quantity(a), axis_quantity(b)))

static size_t axis_value(const struct view_sweep_page_axis *x, const char *text)
{
    size_t i = 0;
    while (i < x->n && strcmp(x->text[i], text) != 0)
        i++;
    return i;
}

static bool axes_collect(struct view_sweep_page_axes *a, const json_t *axes, struct error *err)
{
    char text[32];
    for (size_t i = 0; i < a->n; i++) {
        struct view_sweep_page_axis *x = &a->axis[i];
        view_sweep_page_axes_text(json_object_get(axes, x->key), text);
        size_t k = axis_value(x, text);
        if (k < x->n)
            continue;
        if (k == VIEW_SWEEP_PAGE_VALUES)
            return error_set(err, ERROR_INPUT, "axis %s has more than %d values: too many for a map", x->key,
                             VIEW_SWEEP_PAGE_VALUES);
        snprintf(x->text[x->n++], sizeof x->text[0], "%s", text);
        x->numbers = x->numbers && isfinite(axis_quantity(text));
    }
    return true;
}

static size_t axes_place(const struct view_sweep_page_axes *a, const size_t *at)
{
    size_t index = 0;
    for (size_t i = 0; i < a->n; i++)
        index = index * a->axis[i].n + at[i];
    return index;
}

static void axes_choose(struct view_sweep_page_axes *a)
{
    bool none = true;
    for (size_t i = 0; i < a->n; i++)
        if (a->axis[i].numbers && (none || a->axis[i].n > a->axis[a->x].n)) {
            a->x = i;
            none = false;
        }
    a->y = a->x;
    for (size_t i = 0; i < a->n; i++)
        if (i != a->x && a->axis[i].numbers && a->axis[i].n > 1 && (a->y == a->x || a->axis[i].n > a->axis[a->y].n))
            a->y = i;
}

bool view_sweep_page_axes_make(struct view_sweep_page_axes *a, json_t *const *points, size_t n, struct error *err)
{
    const char *key;
    json_t *value;
    size_t places = 1;
    bool ok = true;
    *a = (struct view_sweep_page_axes){
        .axis = memory_zeroed(VIEW_SWEEP_PAGE_AXES, sizeof *a->axis, "the axes of a sweep")};
    json_object_foreach(n ? points[0] : NULL, key, value) {
        if (a->n == VIEW_SWEEP_PAGE_AXES)
            return error_set(err, ERROR_INPUT, "more than %d axes: too many for a map", VIEW_SWEEP_PAGE_AXES);
        a->axis[a->n] = (struct view_sweep_page_axis){.key = key, .numbers = true};
        snprintf(a->axis[a->n++].name, sizeof a->axis->name, "%s", view_sweep_page_axes_name(key));
    }
    for (size_t i = 0; ok && i < n; i++)
        ok = axes_collect(a, points[i], err);
    for (size_t i = 0; ok && i < a->n; i++) {
        if (a->axis[i].numbers)
            qsort(a->axis[i].text, a->axis[i].n, sizeof *a->axis[i].text, axis_by_quantity);
        places = places > PLACES ? places : places * a->axis[i].n;
    }
    if (!ok || places > PLACES)
        return ok && error_set(err, ERROR_INPUT, "the sweep's axes span too many points for maps");
    axes_choose(a);
    a->at = memory_zeroed(places, sizeof *a->at, "the points of a map");
    for (size_t i = 0; i < n; i++) {
        size_t at[VIEW_SWEEP_PAGE_AXES];
        char text[32];
        for (size_t k = 0; k < a->n; k++)
            at[k] = axis_value(&a->axis[k],
                             view_sweep_page_axes_text(json_object_get(points[i], a->axis[k].key), text));
        a->at[axes_place(a, at)] = i + 1;
    }
    return true;
}

size_t view_sweep_page_axes_point(const struct view_sweep_page_axes *a, const size_t *at)
{
    return a->at[axes_place(a, at)] - 1;
}

void view_sweep_page_axes_free(struct view_sweep_page_axes *a)
{
    MEMORY_FREE(a->axis, a->at);
    *a = (struct view_sweep_page_axes){0};
}
