/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/congestion.h - the congestion controls there are, a row each, and which engine has them.
 *
 * ROW(NAME, name, native, ns3_type, until_loss, meaning)
 *   native      1: emu/native/<name>.c defines struct native_congestion native_<name>; 0: the native engine lacks it
 *   ns3_type    ns-3's TypeId; NULL: ns-3 lacks it
 *   until_loss  1: the window never shrinks while nothing is lost
 */
#ifndef EMU_CONGESTION_H
#define EMU_CONGESTION_H

#include <stdbool.h>

#define EMU_CONGESTIONS(ROW)                                                                                          \
    ROW(NEWRENO, newreno, 1, "ns3::TcpNewReno", 1, "a segment a round trip, counted by ACKs; half after a loss")      \
    ROW(LINUXRENO, linuxreno, 1, "ns3::TcpLinuxReno", 1, "the same, counted by acknowledged bytes as in Linux")       \
    ROW(CUBIC, cubic, 1, "ns3::TcpCubic", 1, "a cubic of the time since the last loss (RFC 9438)")                    \
    ROW(BIC, bic, 0, "ns3::TcpBic", 1, "a binary search for the window of the last loss")                             \
    ROW(BBR, bbr, 0, "ns3::TcpBbr", 0, "a model of bandwidth and round trip instead of losses")                       \
    ROW(DCTCP, dctcp, 0, "ns3::TcpDctcp", 0, "shrinks by the share of marked packets (RFC 8257)")                     \
    ROW(VEGAS, vegas, 0, "ns3::TcpVegas", 0, "keeps a few packets queued, judged by the round trip")                  \
    ROW(HTCP, htcp, 0, "ns3::TcpHtcp", 1, "grows faster the longer the last loss is ago")                             \
    ROW(ILLINOIS, illinois, 0, "ns3::TcpIllinois", 1, "grows by losses, its pace set by the delay")                   \
    ROW(SCALABLE, scalable, 0, "ns3::TcpScalable", 1, "grows by a share of the window")                               \
    ROW(HIGHSPEED, highspeed, 0, "ns3::TcpHighSpeed", 1, "grows faster at large windows (RFC 3649)")                 \
    ROW(WESTWOOD, westwood, 1, "ns3::TcpWestwood", 1, "Reno, but a loss leaves bandwidth times least round trip") \
    ROW(GIVEN, given, 1, NULL, 0, "as traffic.flows.N.windows gives it, whatever is lost")

#define EMU_CONGESTION_ENUM(NAME, name, native, ns3_type, until_loss, meaning) EMU_CONGESTION_##NAME,
enum emu_congestion { EMU_CONGESTIONS(EMU_CONGESTION_ENUM) EMU_CONGESTION_COUNT };

struct emu_congestion_row {
    bool native;
    const char *ns3_type;
    bool until_loss;
    const char *meaning; /* one line */
};

extern const struct emu_congestion_row emu_congestion_rows[];

/* In the enum's order, NULL at the end: for base/names.h. */
extern const char *const emu_congestion_names[];

#endif
