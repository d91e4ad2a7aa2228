/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reference page in the documentation, argv[1], is the one that the table makes. */
#include "scenarios/keys.h"
#include "test/cm.h"

static const char *page;

TEST(test_the_page_is_what_the_table_says)
{
    char *text MEMORY_LOCAL = NULL, kept[65536];
    size_t size;
    FILE *f = open_memstream(&text, &size), *doc = fopen(page, "r");
    scenario_keys_reference(f);
    fclose(f);
    assert_non_null(doc);
    kept[fread(kept, 1, sizeof kept - 1, doc)] = '\0';
    fclose(doc);
    if (strcmp(kept, text) != 0)
        fail_msg("make it anew: contraflow run --keys > doc/keys.md");
}

TEST(test_the_page_has_every_section)
{
    static const char *const parts[] = {"## Top level\n", "## network.switch and network.root\n", "## capture.N\n",
                                        "| `rate` | rate, 1kbps to 8Tbps | `1Gbps` | on the wire, each way |\n",
                                        "| `from` | host, such as h3 | required | host that sends |\n"};
    MEMORY_LOCAL char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    scenario_keys_reference(f);
    fclose(f);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text, parts[i]))
            fail_msg("no %s", parts[i]);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    page = argv[1];
    return cm_run(NULL);
}
