/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/rule.h"

#include <string.h>

const struct model_rule *const model_rules[] = {
    &model_rule_eq5,    &model_rule_eq6,    &model_rule_algorithm1, &model_rule_fairness,
    &model_rule_maxmin, &model_rule_window, NULL,
};

const struct model_rule *model_rule_find(const char *name)
{
    for (size_t i = 0; model_rules[i]; i++)
        if (strcmp(model_rules[i]->name, name) == 0)
            return model_rules[i];
    return NULL;
}
