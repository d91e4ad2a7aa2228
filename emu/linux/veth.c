/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/veth.h"

#include "emu/linux/netlink.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/veth.h>
#include <sched.h>

static bool veth_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) > 0;
    error_close(fd);
    return ok;
}

/* In a user namespace this process is root, and its files are still its user's. */
static bool veth_user(void)
{
    char uid[32], gid[32];
    snprintf(uid, sizeof uid, "0 %u 1", (unsigned)geteuid());
    snprintf(gid, sizeof gid, "0 %u 1", (unsigned)getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && veth_write("/proc/self/setgroups", "deny") &&
           veth_write("/proc/self/uid_map", uid) && veth_write("/proc/self/gid_map", gid);
}

int linux_veth_unshare(struct error *err)
{
    int home = -1;
    bool ok = (unshare(CLONE_NEWNET) == 0 || veth_user()) &&
              (home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)) >= 0;
    if (!ok)
        error_set_errno(err, "clock: wall needs namespaces that an ordinary user may make, which this system does not "
                        "permit (user.max_user_namespaces, kernel.unprivileged_userns_clone, or a container's policy)");
    return home;
}

/* Without them a frame reaches the other end as TCP made it: 64 kB long, its checksum not filled in. */
static bool veth_no_offloads(void)
{
    static const uint32_t commands[] = {ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SSG, ETHTOOL_SGRO};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof commands / sizeof *commands; i++) {
        struct ethtool_value off = {.cmd = commands[i], .data = 0};
        struct ifreq r = {.ifr_data = (char *)&off};
        ok = linux_interface_ioctl("eth0", SIOCETHTOOL, &r);
    }
    return ok;
}

/* Nobody asks for IPv6 here, whose own frames would be in the way. A kernel without it has no such file. */
static bool veth_no_ipv6(void)
{
    static const char *const paths[] = {"/proc/sys/net/ipv6/conf/all/disable_ipv6",
                                        "/proc/sys/net/ipv6/conf/default/disable_ipv6"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!veth_write(paths[i], "1\n") && errno != ENOENT)
            return false;
    return true;
}

static bool veth_make(int home, const char *peer, const uint8_t mac[static 6])
{
    struct ifinfomsg link = {.ifi_family = AF_UNSPEC};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    struct linux_netlink m = linux_netlink_new(RTM_NEWLINK, &link, sizeof link);
    m.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
    linux_netlink_add(&m, IFLA_IFNAME, "eth0", sizeof "eth0");
    linux_netlink_add(&m, IFLA_ADDRESS, mac, 6);
    size_t info = linux_netlink_begin(&m, IFLA_LINKINFO, "", 0);
    linux_netlink_add(&m, IFLA_INFO_KIND, "veth", strlen("veth"));
    size_t data = linux_netlink_begin(&m, IFLA_INFO_DATA, "", 0);
    size_t other = linux_netlink_begin(&m, VETH_INFO_PEER, &link, sizeof link);
    linux_netlink_add(&m, IFLA_IFNAME, peer, strlen(peer) + 1);
    linux_netlink_add(&m, IFLA_NET_NS_FD, &home, sizeof home);
    linux_netlink_end(&m, other);
    linux_netlink_end(&m, data);
    linux_netlink_end(&m, info);
    bool ok = fd >= 0 && linux_netlink_ask(fd, &m);
    error_close(fd);
    return ok;
}

int linux_veth_add(int home, int number, const uint8_t mac[static 6])
{
    char peer[IFNAMSIZ];
    struct ifreq up = {.ifr_flags = IFF_UP | IFF_NOARP};
    int index = -1, host = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    snprintf(peer, sizeof peer, "h%d", number);
    bool ok = host >= 0 && veth_no_ipv6() && veth_make(home, peer, mac) && veth_no_offloads() &&
              setns(home, CLONE_NEWNET) == 0;
    if (ok) {
        index = veth_no_ipv6() && linux_interface_ioctl(peer, SIOCSIFFLAGS, &up) ? (int)if_nametoindex(peer) : -1;
        ok = setns(host, CLONE_NEWNET) == 0;
    }
    error_close(host);
    return ok && index > 0 ? index : -1;
}

int64_t linux_veth_dropped(void)
{
    FILE *f = fopen("/proc/thread-self/net/dev", "re");
    char line[512];
    int64_t sum = 0;
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        long long dropped;
        /* received: bytes packets errs drop fifo frame compressed multicast; sent: bytes packets errs drop */
        if (colon && sscanf(colon + 1, "%*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %lld", &dropped) == 1)
            sum += dropped;
    }
    fclose(f);
    return sum;
}
