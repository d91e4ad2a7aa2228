/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/live.h"

#include <net/if.h>
#include <pcap/pcap.h>
#include <poll.h>

#define RING_BYTES (16 << 20) /* in the kernel: frames that come while an answer is worked out */

static pcap_t *live_fail(const char *interface, pcap_t *pcap, int status, struct error *err)
{
    const char *said = pcap_geterr(pcap);
    if (status == PCAP_ERROR_PERM_DENIED || status == PCAP_ERROR_PROMISC_PERM_DENIED)
        error_set(err, ERROR_SYSTEM, "%s: capturing needs CAP_NET_RAW: sudo contraflow, which gives root up when the "
                  "interface is open; or sudo setcap cap_net_raw+ep, once, on the program; or sudo tcpdump -i %s -s %d "
                  "-w - | contraflow check -", interface, interface, CAPTURE_LIVE_BYTES);
    else if (status == PCAP_ERROR_IFACE_NOT_UP)
        error_set(err, ERROR_SYSTEM, "%s: is down; 'ip link set %s up' starts it", interface, interface);
    else
        error_set(err, ERROR_SYSTEM, "%s: cannot be read: %s", interface, *said ? said : pcap_statustostr(status));
    pcap_close(pcap);
    return NULL;
}

pcap_t *capture_live_open(const char *interface, struct error *err)
{
    char said[PCAP_ERRBUF_SIZE] = "";
    bool any = strcmp(interface, "any") == 0; /* libpcap's name for all of them */
    if (!any && (strlen(interface) >= IFNAMSIZ || if_nametoindex(interface) == 0)) {
        error_set(err, ERROR_INPUT, "%s: no such interface; 'ip link' lists them", interface);
        return NULL;
    }
    pcap_t *pcap = pcap_create(interface, said);
    if (!pcap) {
        error_set(err, ERROR_SYSTEM, "%s: %s", interface, said);
        return NULL;
    }
    pcap_set_snaplen(pcap, CAPTURE_LIVE_BYTES);
    pcap_set_timeout(pcap, CAPTURE_LIVE_WAIT_MS);
    pcap_set_buffer_size(pcap, RING_BYTES);
    pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
    int status = pcap_activate(pcap);
    if (status >= 0)
        status = pcap_setnonblock(pcap, 1, said);
    return status < 0 ? live_fail(interface, pcap, status, err) : pcap;
}

void capture_live_wait(pcap_t *pcap)
{
    struct pollfd ready = {.fd = pcap_get_selectable_fd(pcap), .events = POLLIN};
    poll(&ready, 1, CAPTURE_LIVE_WAIT_MS);
}
