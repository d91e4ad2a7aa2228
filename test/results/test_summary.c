/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "results/summary.h"

#include "base/infile.h"
#include "results/directory.h"
#include "test/cm.h"

/* Rows are written one after another; the file is what jansson makes of the whole summary at once, with no flow, one or
 * several, and whatever a title says. */
TEST(test_the_file_is_the_summary)
{
    static const size_t flows[] = {0, 1, 3}, ports[] = {2, 0, 1};
    char directory[] = "/tmp/test-summary-XXXXXX";
    assert_non_null(mkdtemp(directory));
    MEMORY_LOCAL char *path = results_directory_path(directory, "summary.json");
    for (size_t i = 0; i < 3; i++) {
        struct results_flow flow[3] = {{.name = "f0", .bytes = 7, .goodput_bps = NAN}, {.name = "f1"}, {.name = "f2"}};
        struct results_port port[2] = {{.name = "h0", .delivered_frames = 3, .lost_frames = -1}, {.name = "sw0-h0"}};
        struct results_summary s = {.title = memory_text("a\n \"flows\": [\n \"ports\": [%zu", i), .flows = flow, .ports = port,
                                    .n_flows = flows[i], .n_ports = ports[i], .complete = true};
        size_t size;
        assert_true(results_summary_write(&s, directory, &err));
        json_t *object = results_summary_json(&s);
        MEMORY_LOCAL char *whole = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
        char *expected = memory_text("%s\n", whole), *text = infile_read(path, 100000, "a summary", &size, &err);
        assert_non_null(text);
        assert_string_equal(text, expected);
        assert_true(json_is_true(json_object_get(object, "simulated"))); /* no capture of a real network */
        json_decref(object);
        free(expected);
        free(text);
        free(s.title);
    }
    unlink(path);
    rmdir(directory);
}
