/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/fuzzing/replay.c - harnesses of texts without libFuzzer: their seeds, and seeded mutations of them, for a test
 * that needs no clang. usage: fuzz_NAME DIRECTORY_OF_SEEDS [MUTATIONS] */
#include "base/infile.h"
#include "base/random.h"

#include <dirent.h>

#define MOST 16384 /* bytes of an input */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *seeds[1000];
static size_t sizes[1000], n_seeds;

static void read_seeds(const char *directory)
{
    struct dirent **list;
    int n = scandir(directory, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        struct error err;
        snprintf(path, sizeof path, "%s/%s", directory, list[i]->d_name);
        if (list[i]->d_name[0] != '.' && n_seeds < 1000 &&
            (seeds[n_seeds] = infile_read(path, MOST, "a seed", &sizes[n_seeds], &err)))
            n_seeds++;
        free(list[i]);
    }
    if (n > 0)
        free(list);
}

/* Bytes of one seed put, changed or doubled in another, up to eight times. */
static size_t mutate(struct random *r, char *data)
{
    static const char *const words[] = {"-1", "0", "1e308", "nan", "9223372036854775807", ",", ":", "[", "]", "{", "}",
                                        "&a", "*a", "\"", "\n", "\n  - ", "..", "%", "\xef\xbb\xbf", "\033", "'=1+1"};
    size_t which = random_below(r, n_seeds), size = sizes[which];
    memcpy(data, seeds[which], size);
    for (uint64_t k = 1 + random_below(r, 8); k > 0; k--) {
        size_t at = random_below(r, size + 1), other = random_below(r, n_seeds), n = 0;
        const char *from = "";
        switch (random_below(r, 4)) {
        case 0:
            from = words[random_below(r, sizeof words / sizeof *words)];
            n = strlen(from);
            break;
        case 1:
            n = random_below(r, sizes[other] + 1);
            from = seeds[other] + random_below(r, sizes[other] - n + 1);
            break;
        case 2:
            if (at < size)
                data[at] = (char)random_next(r);
            continue;
        default: {
            size_t cut = random_below(r, (size - at < 40 ? size - at : 40) + 1);
            memmove(data + at, data + at + cut, size - at - cut);
            size -= cut;
            continue;
        }
        }
        if (size + n <= MOST) {
            memmove(data + at + n, data + at, size - at);
            memcpy(data + at, from, n);
            size += n;
        }
    }
    return size;
}

int main(int argc, char **argv)
{
    static char data[MOST];
    if (argc > 1)
        read_seeds(argv[1]);
    if (n_seeds == 0) {
        fputs("no seeds\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < n_seeds; i++)
        LLVMFuzzerTestOneInput((const uint8_t *)seeds[i], sizes[i]);
    struct random r = random_of(17);
    for (long i = argc > 2 ? atol(argv[2]) : 3000; i > 0; i--)
        LLVMFuzzerTestOneInput((const uint8_t *)data, mutate(&r, data));
    for (size_t i = 0; i < n_seeds; i++)
        free(seeds[i]);
    return 0;
}
