/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Emulates two hosts that send to a third while it sends to a fourth, and says what the third one lost.
 *
 *   cc star.c -o star $(pkg-config --cflags --libs contraflow)
 *   ./star DIRECTORY */
#include <contraflow.h>

#include <stdio.h>

static const char scenario[] = "duration: 2s\n"
                               "network: {link: {rate: 1Gbps}}\n"
                               "tcp: {window: 3MB}\n"
                               "traffic: {star: {incoming: 2, outgoing: 1}}\n"
                               "capture: [{at: h0, snaplen: 96}]\n";

int main(int argc, char **argv)
{
    char why[CONTRAFLOW_WHY] = "usage: star DIRECTORY";
    char *said = argc == 2 && contraflow_emulate(scenario, argv[1], why) ? contraflow_diagnose(argv[1], why) : NULL;
    if (said)
        puts(said);
    else
        fprintf(stderr, "star: %s\n", why);
    contraflow_free(said);
    return said ? 0 : 2;
}
