/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/linux/netlink.h"

#include "base/error.h"

#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

void linux_netlink_add(struct linux_netlink *m, unsigned short type, const void *data, size_t bytes)
{
    struct rtattr attribute = {(unsigned short)(RTA_LENGTH(bytes)), type};
    char *at = (char *)m + NLMSG_ALIGN(m->head.nlmsg_len);
    memcpy(at, &attribute, sizeof attribute);
    memcpy(at + RTA_LENGTH(0), data, bytes);
    m->head.nlmsg_len = (uint32_t)(NLMSG_ALIGN(m->head.nlmsg_len) + RTA_ALIGN(RTA_LENGTH(bytes)));
}

struct linux_netlink linux_netlink_new(uint16_t type, const void *family, size_t bytes)
{
    struct linux_netlink m = {.head = {.nlmsg_len = (uint32_t)NLMSG_LENGTH(bytes),
                                       .nlmsg_type = type,
                                       .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE}};
    memcpy(m.rest, family, bytes);
    return m;
}

size_t linux_netlink_begin(struct linux_netlink *m, unsigned short type, const void *data, size_t bytes)
{
    size_t begun = NLMSG_ALIGN(m->head.nlmsg_len);
    linux_netlink_add(m, type, data, bytes);
    return begun;
}

void linux_netlink_end(struct linux_netlink *m, size_t begun)
{
    unsigned short bytes = (unsigned short)(m->head.nlmsg_len - begun);
    memcpy((char *)m + begun, &bytes, sizeof bytes); /* rta_len, which is first */
}

bool linux_netlink_ask(int fd, const struct linux_netlink *m)
{
    char bytes[1024];
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
    } answer = {0};
    if (send(fd, m, m->head.nlmsg_len, 0) < 0)
        return false;
    ssize_t n = recv(fd, bytes, sizeof bytes, 0);
    if (n < (ssize_t)sizeof answer)
        return false;
    memcpy(&answer, bytes, sizeof answer);
    errno = -answer.error.error;
    return errno == 0;
}

bool linux_interface_ioctl(const char *name, unsigned long request, struct ifreq *r)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(r->ifr_name, sizeof r->ifr_name, "%s", name);
    bool ok = fd >= 0 && ioctl(fd, request, r) == 0;
    error_close(fd);
    return ok;
}
