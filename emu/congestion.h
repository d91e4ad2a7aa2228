/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/congestion.h - the congestion controls there are, a row each, and which engine has them.
 *
 * ROW(NAME, name, native, ns3_type, linux_name, until_loss, meaning)
 *   native      1: emu/native/<name>.c defines struct native_congestion native_<name>; 0: the native engine lacks it
 *   ns3_type    ns-3's TypeId; NULL: ns-3 lacks it
 *   linux_name  of the kernel's TCP_CONGESTION; NULL: Linux lacks it. Its reno counts acknowledged bytes
 *   until_loss  1: the window never shrinks while nothing is lost
 */
#pragma once

#include "base/std.h"

#define EMU_CONGESTIONS(ROW)                                                                                          \
    ROW(NEWRENO, newreno, 1, "ns3::TcpNewReno", "reno", 1,                                                            \
        "a segment a round trip, counted by ACKs; half after a loss")                                                 \
    ROW(LINUXRENO, linuxreno, 1, "ns3::TcpLinuxReno", "reno", 1,                                                      \
        "the same, counted by acknowledged bytes as in Linux")                                                        \
    ROW(LINUX24, linux24, 1, "ns3::TcpLinuxReno", "reno", 1,                                                          \
        "linuxreno on a stack of Linux 2.4: losses by counted SACKs, no bursts")                                      \
    ROW(CUBIC, cubic, 1, "ns3::TcpCubic", "cubic", 1, "a cubic of the time since the last loss (RFC 9438)")           \
    ROW(BIC, bic, 0, "ns3::TcpBic", "bic", 1, "a binary search for the window of the last loss")                      \
    ROW(BBR, bbr, 0, "ns3::TcpBbr", "bbr", 0, "a model of bandwidth and round trip instead of losses")                \
    ROW(DCTCP, dctcp, 1, "ns3::TcpDctcp", "dctcp", 0, "shrinks by the share of marked packets (RFC 8257)")            \
    ROW(VEGAS, vegas, 0, "ns3::TcpVegas", "vegas", 0, "keeps a few packets queued, judged by the round trip")         \
    ROW(HTCP, htcp, 0, "ns3::TcpHtcp", "htcp", 1, "grows faster the longer the last loss is ago")                     \
    ROW(ILLINOIS, illinois, 0, "ns3::TcpIllinois", "illinois", 1, "grows by losses, its pace set by the delay")       \
    ROW(SCALABLE, scalable, 0, "ns3::TcpScalable", "scalable", 1, "grows by a share of the window")                   \
    ROW(HIGHSPEED, highspeed, 0, "ns3::TcpHighSpeed", "highspeed", 1, "grows faster at large windows (RFC 3649)")     \
    ROW(WESTWOOD, westwood, 1, "ns3::TcpWestwood", "westwood", 1,                                                     \
        "Reno, but a loss leaves bandwidth times least round trip")                                                   \
    ROW(VENO, veno, 0, "ns3::TcpVeno", "veno", 1,                                                                     \
        "Reno, but a loss costs less where the delay says that nothing queues")                                       \
    ROW(YEAH, yeah, 0, "ns3::TcpYeah", "yeah", 1, "grows as scalable until packets queue, then as Reno")              \
    ROW(HYBLA, hybla, 0, "ns3::TcpHybla", "hybla", 1, "grows as if the round trip were 25 ms")                        \
    ROW(LP, lp, 0, "ns3::TcpLp", "lp", 0, "leaves what others want, judged by one-way delays")                        \
    ROW(NV, nv, 0, NULL, "nv", 0, "keeps queues short in data centres, judged by rates")                              \
    ROW(CDG, cdg, 0, NULL, "cdg", 0, "backs off by chance as the delay grows")                                        \
    ROW(GIVEN, given, 1, NULL, NULL, 0, "as traffic.flows.N.windows gives it, whatever is lost")

#define EMU_CONGESTION_ENUM(NAME, name, native, ns3_type, linux_name, until_loss, meaning) EMU_CONGESTION_##NAME,
enum emu_congestion { EMU_CONGESTIONS(EMU_CONGESTION_ENUM) EMU_CONGESTION_COUNT };

struct emu_congestion_row {
    bool native;
    const char *ns3_type;
    const char *linux_name;
    bool until_loss;
    const char *meaning; /* one line */
};

extern const struct emu_congestion_row emu_congestion_rows[];

/* In the enum's order, NULL at the end: for base/names.h. */
extern const char *const emu_congestion_names[];
