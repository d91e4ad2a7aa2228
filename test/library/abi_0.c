/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libcontraflow.so.0 promises (library/contraflow.h), written down a second time: abidiff holds the library against
 * this. Who has to change it changes the soname. */
#include <stdbool.h>

const char *contraflow_version(void);
char *contraflow_flows(const char *path, char why[512]);
char *contraflow_diagnose(const char *path, char why[512]);
bool contraflow_emulate(const char *scenario, const char *directory, char why[512]);
void contraflow_free(char *text);

const char *contraflow_version(void)
{
    return "";
}

char *contraflow_flows(const char *path, char why[512])
{
    return path[0] == why[0] ? (char *)0 : why;
}

char *contraflow_diagnose(const char *path, char why[512])
{
    return path[0] == why[0] ? (char *)0 : why;
}

bool contraflow_emulate(const char *scenario, const char *directory, char why[512])
{
    return scenario[0] == directory[0] || why[0];
}

void contraflow_free(char *text)
{
    (void)text;
}
