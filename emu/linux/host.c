/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/host.h"

#include "emu/engine.h"
#include "emu/linux/netlink.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>

#define ETH0 "eth0"

bool linux_host_write(const char *path, const char *text, struct error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) > 0;
    if (!ok)
        error_set_errno(err, "Linux: %s", path);
    error_close(fd);
    return ok;
}

bool linux_host_set(const char *path, int64_t value, struct error *err)
{
    char text[32];
    snprintf(text, sizeof text, "%lld\n", (long long)value);
    return linux_host_write(path, text, err);
}

bool linux_host_set3(const char *path, const int64_t value[static 3], struct error *err)
{
    char text[96];
    snprintf(text, sizeof text, "%lld %lld %lld\n", (long long)value[0], (long long)value[1], (long long)value[2]);
    return linux_host_write(path, text, err);
}

static void put_ipv4(struct sockaddr *to, uint32_t address)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    memcpy(to, &in, sizeof in);
}

bool linux_interface_up(const char *name)
{
    struct ifreq up = {.ifr_flags = IFF_UP};
    return linux_interface_ioctl(name, SIOCSIFFLAGS, &up);
}

/* Addresses, then up: lo for programs, eth0 for all. */
static bool host_configure(int number)
{
    struct ifreq address = {0}, mask = {0};
    put_ipv4(&address.ifr_addr, emu_engine_ipv4(number));
    put_ipv4(&mask.ifr_netmask, UINT32_C(0xff000000));
    return linux_interface_up("lo") && linux_interface_ioctl(ETH0, SIOCSIFADDR, &address) &&
           linux_interface_ioctl(ETH0, SIOCSIFNETMASK, &mask) && linux_interface_up(ETH0);
}

bool linux_host_open(struct linux_host *h, int number, const struct linux_step *step, struct error *err)
{
    *h = (struct linux_host){.number = number, .nic = -1, .namespace = -1, .netlink = -1, .mtu = 1500};
    struct contraflow_add add = {.max_mtu = UINT16_MAX};
    for (int i = 0; i < 6; i++)
        add.mac[i] = (uint8_t)(emu_frame_mac((uint32_t)number) >> (40 - 8 * i));
    bool ok = unshare(CLONE_NEWNET) == 0 &&
              (h->namespace = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)) >= 0 &&
              (h->nic = linux_step_nic(step, &add)) >= 0 && host_configure(number) &&
              (h->netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) >= 0;
    return ok || error_set_errno(err, "Linux: host h%d", number);
}

void linux_host_close(struct linux_host *h)
{
    error_close(h->namespace);
    error_close(h->netlink);
    h->namespace = h->netlink = -1;
}

bool linux_host_enter(const struct linux_host *h, struct error *err)
{
    return setns(h->namespace, CLONE_NEWNET) == 0 ||
           error_set_errno(err, "Linux: the namespace of host h%d", h->number);
}

bool linux_host_fit(struct linux_host *h, int64_t mtu, struct error *err)
{
    struct ifreq r = {0};
    r.ifr_mtu = (int)mtu;
    if (mtu <= h->mtu)
        return true;
    if (!linux_interface_ioctl(ETH0, SIOCSIFMTU, &r))
        return error_set_errno(err, "Linux: frames of %d bytes at host h%d", r.ifr_mtu, h->number);
    h->mtu = mtu;
    return true;
}

bool linux_host_hold(struct linux_host *h, int device, struct error *err)
{
    h->hold = h->hold || ioctl(device, CONTRAFLOW_HOLD, h->nic) == 0;
    return h->hold || error_set_errno(err, "Linux: small queues of host h%d", h->number);
}

bool linux_host_no_gso(const struct linux_host *h, struct error *err)
{
    struct ifinfomsg link = {.ifi_family = AF_UNSPEC, .ifi_index = (int)if_nametoindex(ETH0)};
    uint32_t one = 1;
    struct linux_netlink m = linux_netlink_new(RTM_NEWLINK, &link, sizeof link);
    m.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    linux_netlink_add(&m, IFLA_GSO_MAX_SEGS, &one, sizeof one);
    return linux_netlink_ask(h->netlink, &m) ||
           error_set_errno(err, "Linux: host h%d without segmentation offload", h->number);
}

bool linux_host_route(const struct linux_host *h, int to, const struct linux_route *route, struct error *err)
{
    int index = (int)if_nametoindex(ETH0);
    uint32_t address = htonl(emu_engine_ipv4(to));
    uint64_t mac = emu_frame_mac((uint32_t)to);
    uint8_t octets[6];
    for (int i = 0; i < 6; i++)
        octets[i] = (uint8_t)(mac >> (40 - 8 * i));
    struct ndmsg neighbour = {.ndm_family = AF_INET, .ndm_ifindex = index, .ndm_state = NUD_PERMANENT};
    struct linux_netlink m = linux_netlink_new(RTM_NEWNEIGH, &neighbour, sizeof neighbour);
    linux_netlink_add(&m, NDA_DST, &address, sizeof address);
    linux_netlink_add(&m, NDA_LLADDR, octets, sizeof octets);
    if (!linux_netlink_ask(h->netlink, &m))
        return error_set_errno(err, "Linux: h%d as neighbour of h%d", to, h->number);

    struct rtmsg family = {.rtm_family = AF_INET, .rtm_dst_len = 32, .rtm_table = RT_TABLE_MAIN,
                           .rtm_protocol = RTPROT_STATIC, .rtm_scope = RT_SCOPE_LINK, .rtm_type = RTN_UNICAST};
    enum { METRICS = 5 };
    const uint32_t values[METRICS][2] = {{RTAX_LOCK, 1 << RTAX_RTO_MIN}, /* tcp_rto_min() wants it locked */
                                         {RTAX_INITCWND, route->initial_window_segments},
                                         {RTAX_RTO_MIN, route->min_rto_ms},
                                         {RTAX_QUICKACK, route->quickack},
                                         {RTAX_ADVMSS, route->segment_bytes}};
    char metrics[METRICS * RTA_SPACE(sizeof(uint32_t))];
    for (size_t i = 0; i < METRICS; i++) {
        struct rtattr attribute = {RTA_LENGTH(sizeof(uint32_t)), (unsigned short)values[i][0]};
        memcpy(metrics + i * RTA_SPACE(4), &attribute, sizeof attribute);
        memcpy(metrics + i * RTA_SPACE(4) + RTA_LENGTH(0), &values[i][1], sizeof values[i][1]);
    }
    m = linux_netlink_new(RTM_NEWROUTE, &family, sizeof family);
    linux_netlink_add(&m, RTA_DST, &address, sizeof address);
    linux_netlink_add(&m, RTA_OIF, &index, sizeof index);
    linux_netlink_add(&m, RTA_METRICS, metrics, sizeof metrics);
    return linux_netlink_ask(h->netlink, &m) ||
           error_set_errno(err, "Linux: the route from h%d to h%d", h->number, to);
}
