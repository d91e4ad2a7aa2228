/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli/infer_show.h - how 'contraflow infer' shows what it found: as text, and as JSON. */
#pragma once

#include "study/infer/infer.h"

#include <jansson.h>

void cli_infer_print(const struct study_infer *x);
json_t *cli_infer_json(const struct study_infer *x);
