/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Colours as people see them: contrast by WCAG 2.2 (1.4.3: text 4.5, 1.4.11: graphics 3), colour blindness by Machado,
 * Oliveira and Fernandes 2009 (severity 1), distances by CIEDE2000 (Sharma, Wu and Dalal 2005). */
#include "view/embedded.h"
#include "view/palette.h"

#include "test/cm.h"

#define PI 3.14159265358979323846

enum { DAY, NIGHT };
enum { SIGHTS = 4 };
static const struct {
    const char *name;
    double linear[3][3]; /* of linear sRGB */
} sight[SIGHTS] = {
    {"all cones", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"protanopia", {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {"deuteranopia",
     {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {"tritanopia", {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
};

static char *style;      /* as every page has it */
static const char *page; /* where colours are looked up: there */

static int setup(void **state)
{
    size_t size;
    FILE *f = memory_stream(&style, &size);
    view_palette_page(f);
    memory_stream_end(f, &style);
    page = style;
    return 0;
}

static int teardown(void **state)
{
    free(style);
    return 0;
}

static double linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* Of "--NAME:#rrggbb;" or "#rgb", the first by day, the second by night. */
static void colour(const char *name, int theme, double rgb[static 3])
{
    char key[40];
    snprintf(key, sizeof key, "--%s:#", name);
    const char *at = strstr(page, key);
    assert_non_null(at);
    at = theme == NIGHT ? strstr(at + 1, key) : at;
    assert_non_null(at);
    at += strlen(key);
    size_t digits = strspn(at, "0123456789abcdef");
    assert_true(digits == 3 || digits == 6);
    for (size_t i = 0; i < 3; i++) {
        char text[3] = {at[i * digits / 3], at[i * digits / 3 + (digits == 6)], 0};
        rgb[i] = linear((double)strtol(text, NULL, 16) / 255);
    }
}

static double luminance(const double rgb[static 3])
{
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

static double contrast(const char *one, const char *other, int theme)
{
    double a[3], b[3];
    colour(one, theme, a);
    colour(other, theme, b);
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static double lab_part(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* L*, a*, b* under D65, as an eye of that kind sees it. */
static void lab_of(const double rgb[static 3], int kind, double lab[static 3])
{
    double seen[3];
    for (int i = 0; i < 3; i++) {
        const double *row = sight[kind].linear[i];
        seen[i] = fmin(1, fmax(0, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2]));
    }
    double x = lab_part((0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2]) / 0.95047);
    double y = lab_part(0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2]);
    double z = lab_part((0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2]) / 1.08883);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

static double radians(double degrees)
{
    return degrees * PI / 180;
}

static double hue(double a, double b)
{
    double h = a != 0 || b != 0 ? atan2(b, a) * 180 / PI : 0;
    return h < 0 ? h + 360 : h;
}

static double ciede2000(const double p[static 3], const double q[static 3])
{
    double mean = (hypot(p[1], p[2]) + hypot(q[1], q[2])) / 2;
    double g = 0.5 * (1 - sqrt(pow(mean, 7) / (pow(mean, 7) + pow(25, 7))));
    double a1 = p[1] * (1 + g), a2 = q[1] * (1 + g), c1 = hypot(a1, p[2]), c2 = hypot(a2, q[2]);
    double h1 = hue(a1, p[2]), h2 = hue(a2, q[2]), dh = 0, middle = h1 + h2;
    if (c1 * c2 > 0) {
        dh = h2 - h1 > 180 ? h2 - h1 - 360 : h2 - h1 < -180 ? h2 - h1 + 360 : h2 - h1;
        middle = fabs(h1 - h2) <= 180 ? (h1 + h2) / 2 : h1 + h2 < 360 ? (h1 + h2 + 360) / 2 : (h1 + h2 - 360) / 2;
    }
    double light = (p[0] + q[0]) / 2 - 50, chroma = (c1 + c2) / 2;
    double t = 1 - 0.17 * cos(radians(middle - 30)) + 0.24 * cos(radians(2 * middle)) +
               0.32 * cos(radians(3 * middle + 6)) - 0.20 * cos(radians(4 * middle - 63));
    double l = (q[0] - p[0]) / (1 + 0.015 * light * light / sqrt(20 + light * light));
    double c = (c2 - c1) / (1 + 0.045 * chroma);
    double h = 2 * sqrt(c1 * c2) * sin(radians(dh / 2)) / (1 + 0.015 * chroma * t);
    double turn = -sin(radians(60 * exp(-pow((middle - 275) / 25, 2)))) * 2 *
                  sqrt(pow(chroma, 7) / (pow(chroma, 7) + pow(25, 7)));
    return sqrt(l * l + c * c + h * h + turn * c * h);
}

/* Sharma, Wu and Dalal 2005, table 1: pairs 1, 7, 13, 17 and 33. */
TEST(test_distances_are_those_of_the_paper)
{
    static const double pair[][7] = {
        {50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425},         {50, 0, 0, 50, -1, 2, 2.3669},
        {50, -0.0010, 2.4900, 50, 0.0009, -2.4900, 4.8045},      {50, 2.5, 0, 73, 25, -18, 27.1492},
        {6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377},
    };
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        assert_float_equal(ciede2000(pair[i], pair[i] + 3), pair[i][6], 1e-4);
}

TEST(test_black_on_white_has_a_contrast_of_21)
{
    page = "--a:#fff;--b:#000;--a:#777777;--b:#ffffff;";
    assert_float_equal(contrast("a", "b", DAY), 21, 1e-9);
    assert_float_equal(contrast("a", "b", NIGHT), 4.48, 0.005); /* the well-known grey that just fails */
    page = style;
}

static void least_contrast(const char *const *names, size_t n, const char *ground, double least)
{
    for (int theme = DAY; theme <= NIGHT; theme++)
        for (size_t i = 0; i < n; i++)
            if (!(contrast(names[i], ground, theme) >= least))
                fail_msg("%s on %s by %s: %.2f, not %.1f", names[i], ground, theme == DAY ? "day" : "night",
                         contrast(names[i], ground, theme), least);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *const series[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6"};
static const char *const rules[] = {"eq5", "eq6", "window", "loss", "none"};
static const char *const ways[] = {"in", "out"};
static const char *const layers[] = {"segment", "again", "ack", "sack", "offered"};
static const char *const answers[] = {"bad", "good"};
static const char *const texts[] = {"ink", "faint", "simulated", "published"};

TEST(test_text_can_be_read)
{
    for (int i = 0; i < 2; i++) {
        const char *ground = i ? "panel" : "ground";
        least_contrast(texts, COUNT(texts), ground, 4.5);
        least_contrast(series, COUNT(series), ground, 4.5); /* names of flows are written in them */
        least_contrast(rules, COUNT(rules), ground, 4.5);
        least_contrast(ways, COUNT(ways), ground, 4.5);
        least_contrast(layers, COUNT(layers), ground, 4.5); /* R, S, SYN... */
    }
    /* badges: the ground on them */
    least_contrast((const char *const[]){"ground"}, 1, "simulated", 4.5);
    least_contrast((const char *const[]){"ground"}, 1, "published", 4.5);
}

TEST(test_letters_can_be_read_on_cells)
{
    static const char *const cells[] = {"cell-eq5", "cell-eq6", "cell-window", "cell-loss", "cell-none",
                                        "cell-unsaturated", "cell-unknown"};
    least_contrast(cells, COUNT(cells), "ink", 4.5);
    for (int i = 0; i < VIEW_PALETTE_SHADES; i++) {
        char name[8];
        snprintf(name, sizeof name, "q%d", i);
        least_contrast((const char *const[]){name}, 1, "ink", 4.5);
    }
}

TEST(test_what_is_not_text_can_be_seen)
{
    least_contrast(answers, COUNT(answers), "ground", 3);
    least_contrast(answers, COUNT(answers), "panel", 3);
}

static void least_distance(const char *const *names, size_t n, double least)
{
    for (int theme = DAY; theme <= NIGHT; theme++)
        for (int kind = 0; kind < SIGHTS; kind++)
            for (size_t i = 1; i < n; i++)
                for (size_t k = 0; k < i; k++) {
                    double one[3], other[3], p[3], q[3];
                    colour(names[i], theme, one);
                    colour(names[k], theme, other);
                    lab_of(one, kind, p);
                    lab_of(other, kind, q);
                    if (!(ciede2000(p, q) >= least))
                        fail_msg("%s and %s by %s, %s: %.1f, not %.0f", names[i], names[k],
                                 theme == DAY ? "day" : "night", sight[kind].name, ciede2000(p, q), least);
                }
}

/* 2.3 is just noticeable side by side (Mahy et al. 1994); lines lie apart, and are thin. */
TEST(test_every_eye_tells_them_apart)
{
    least_distance(series, COUNT(series), 10);
    least_distance(rules, COUNT(rules), 10);
    least_distance(ways, COUNT(ways), 10);
    least_distance(layers, COUNT(layers), 15);
    least_distance(answers, COUNT(answers), 15);
}

/* A # before three or six hexadecimal digits in what pages are made of would be a second table. */
TEST(test_no_colour_is_elsewhere)
{
    const char *const sources[] = {view_page_css, view_svg_css, view_capture_page_js, view_capture_page_packets_js,
                                   view_capture_page_how_html};
    for (size_t i = 0; i < COUNT(sources); i++)
        for (const char *at = strchr(sources[i], '#'); at; at = strchr(at + 1, '#')) {
            size_t n = strspn(at + 1, "0123456789abcdefABCDEF");
            if ((n == 3 || n == 4 || n == 6 || n == 8) && !isalnum((unsigned char)at[1 + n]))
                fail_msg("a colour: %.20s", at);
        }
}

CM_GROUP(setup, teardown)
