/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cli.h"
#include "cli/predict/predict.h"
#include "results/json.h"

int cmd_predict_broadcast(int argc, char **argv)
{
    struct cli_predict_host h;
    struct model_tam_broadcast b;
    struct error err = {0};
    int at = cli_predict_host_read("predict broadcast", argc, argv, &h, &err);
    if (at <= 0)
        return at ? cli_fail(&err) : 0;
    if (!model_tam_broadcast(&h.t, (size_t)h.processes, h.k, &b, &err))
        return cli_fail(&err);
    bool root = b.bottleneck == MODEL_TAM_BROADCAST_ROOT;
    if (h.json) {
        json_t *json = cli_predict_host_json(&h);
        json_object_update_new(json, results_json("time_s:f bottleneck:s root_s:f interference_s:f", b.time_s,
                                                  root ? "root" : "interference", b.root_s, b.interference_s));
        cli_print_json(cli_json("predict-broadcast:1", json));
        return 0;
    }
    cli_predict_host_show(&h);
    printf("  broadcast along a binomial tree: %.3f us (Tam 2001, Eq. %s)\n", b.time_s * 1e6, root ? "2.8" : "2.9");
    puts(root ? "  O_r + U_r + O_s < 2 max(g, O_s): the root is the bottleneck"
              : "  O_r + U_r + O_s >= 2 max(g, O_s): in the middle of the tree sends and receives wait for each other");
    printf("  Eq. 2.8 %.3f us, Eq. 2.9 %.3f us\n", b.root_s * 1e6, b.interference_s * 1e6);
    return 0;
}
