/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/reading.h"

#include "base/error.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define COUNTERS 4096   /* of an interface: no more are asked for */
#define PROCESSORS 1024
#define FILE_MOST (1 << 20) /* bytes of a file of /proc that are read */

static bool reading_ask(int fd, const char *name, void *what)
{
    struct ifreq r = {.ifr_data = what};
    snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
    return ioctl(fd, SIOCETHTOOL, &r) == 0;
}

static int64_t reading_flag(int fd, const char *name, uint32_t command, uint32_t bit)
{
    struct ethtool_value v = {.cmd = command};
    return reading_ask(fd, name, &v) ? (v.data & bit) != 0 : -1;
}

/* The sum of all counters of PAUSE. */
static int64_t reading_pauses(int fd, const char *name)
{
    union { /* the kernel writes one number after the head */
        struct ethtool_sset_info info;
        char room[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
    } sets = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_STATS}};
    uint32_t n = 0;
    if (!reading_ask(fd, name, &sets) || !sets.info.sset_mask)
        return -1;
    memcpy(&n, sets.room + sizeof(struct ethtool_sset_info), sizeof n);
    if (n == 0 || n > COUNTERS)
        return -1;
    MEMORY_LOCAL struct ethtool_gstrings *names = memory_zeroed(1, sizeof *names + n * ETH_GSTRING_LEN, "counters");
    MEMORY_LOCAL struct ethtool_stats *values = memory_zeroed(1, sizeof *values + n * sizeof(uint64_t), "counters");
    *names = (struct ethtool_gstrings){.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = n};
    *values = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = n};
    int64_t sum = -1;
    if (reading_ask(fd, name, names) && reading_ask(fd, name, values))
        for (uint32_t i = 0; i < n && i < names->len && i < values->n_stats; i++) {
            char text[ETH_GSTRING_LEN + 1] = "";
            memcpy(text, names->data + i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
            if (strcasestr(text, "pause") || strcasestr(text, "xon") || strcasestr(text, "xoff"))
                sum = (sum < 0 ? 0 : sum) + (int64_t)values->data[i];
        }
    return sum;
}

static int64_t reading_rate(const char *name)
{
    char path[64];
    long mbps = -1;
    snprintf(path, sizeof path, "/sys/class/net/%s/speed", name);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%ld", &mbps) != 1)
        mbps = -1;
    if (f)
        fclose(f);
    return mbps > 0 ? mbps * INT64_C(1000000) : -1;
}

int64_t measure_reading_processors(const char *interrupts, const char *name)
{
    bool had[PROCESSORS] = {false}, named = false;
    int64_t n = 0;
    const size_t length = strlen(name);
    for (const char *line = interrupts, *end; *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        const char *at = memmem(line, (size_t)(end - line), name, length), *colon = memchr(line, ':', (size_t)(end - line));
        /* "eth1" is none of "eth10": a name ends with the word, or its part ("eth1-rx-0"). */
        if (!at || !colon || (at + length < end && at[length] >= '0' && at[length] <= '9'))
            continue;
        named = true;
        char *next;
        const char *p = colon + 1;
        for (size_t cpu = 0; cpu < PROCESSORS; cpu++, p = next) {
            unsigned long long count = strtoull(p, &next, 10);
            if (next == p || next > at)
                break;
            n += count > 0 && !had[cpu];
            had[cpu] = had[cpu] || count > 0;
        }
    }
    return named ? n : -1;
}

static void reading_of(int fd, const char *interrupts, struct measure_reading *r)
{
    struct ethtool_coalesce c = {.cmd = ETHTOOL_GCOALESCE};
    struct ethtool_ringparam ring = {.cmd = ETHTOOL_GRINGPARAM};
    struct ethtool_pauseparam pause = {.cmd = ETHTOOL_GPAUSEPARAM};
    bool waits = reading_ask(fd, r->name, &c), rings = reading_ask(fd, r->name, &ring), pauses = reading_ask(fd, r->name, &pause);
    r->rate_bps = reading_rate(r->name);
    r->rx_usecs = waits ? (int64_t)c.rx_coalesce_usecs : -1;
    r->rx_frames = waits ? (int64_t)c.rx_max_coalesced_frames : -1;
    r->adaptive = waits ? c.use_adaptive_rx_coalesce != 0 : -1;
    r->ring = rings ? (int64_t)ring.rx_pending : -1;
    r->ring_most = rings ? (int64_t)ring.rx_max_pending : -1;
    r->pause_rx = pauses ? pause.rx_pause != 0 : -1;
    r->pause_tx = pauses ? pause.tx_pause != 0 : -1;
    r->gro = reading_flag(fd, r->name, ETHTOOL_GGRO, 1);
    r->lro = reading_flag(fd, r->name, ETHTOOL_GFLAGS, ETH_FLAG_LRO);
    r->gso = reading_flag(fd, r->name, ETHTOOL_GGSO, 1);
    r->tso = reading_flag(fd, r->name, ETHTOOL_GTSO, 1);
    r->pause_frames = reading_pauses(fd, r->name);
    r->processors = interrupts ? measure_reading_processors(interrupts, r->name) : -1;
}

/* For free(); NULL where it cannot be read. */
static char *reading_file(const char *path)
{
    FILE *f = fopen(path, "re");
    char *text = f ? memory_zeroed(1, FILE_MOST + 1, "counters") : NULL;
    if (f) {
        text[fread(text, 1, FILE_MOST, f)] = '\0';
        fclose(f);
    }
    return text;
}

double measure_reading_counter(const char *text, const char *group, const char *name)
{
    const char *names = strstr(text, group), *values = names ? strstr(names + 1, group) : NULL;
    if (!values)
        return -1;
    size_t at = strlen(name);
    for (names += strlen(group), values += strlen(group); *names == ' ' && *values == ' ';
         names += 1 + strcspn(names + 1, " \n"), values += 1 + strcspn(values + 1, " \n"))
        if (strncmp(names + 1, name, at) == 0 && (names[1 + at] == ' ' || names[1 + at] == '\n'))
            return strtod(values + 1, NULL);
    return -1;
}

bool measure_reading_tcp(struct measure_reading_segments *s)
{
    char *snmp = reading_file("/proc/net/snmp"), *netstat = reading_file("/proc/net/netstat");
    double again = snmp ? measure_reading_counter(snmp, "Tcp:", "RetransSegs") : -1;
    double out = snmp ? measure_reading_counter(snmp, "Tcp:", "OutSegs") : -1;
    double in = snmp ? measure_reading_counter(snmp, "Tcp:", "InSegs") : -1;
    double order = netstat ? measure_reading_counter(netstat, "TcpExt:", "TCPOFOQueue") : -1;
    MEMORY_FREE(snmp, netstat);
    *s = (struct measure_reading_segments){again + order, in + out};
    return again >= 0 && order >= 0 && in >= 0 && out >= 0;
}

/* Names of those that run and are none of the host alone. */
static size_t reading_interfaces(int fd, char names[static MEASURE_READING_MOST][IF_NAMESIZE])
{
    struct if_nameindex *all = if_nameindex();
    size_t n = 0;
    for (const struct if_nameindex *i = all; i && fd >= 0 && i->if_index && n < MEASURE_READING_MOST; i++) {
        struct ifreq r = {.ifr_flags = 0};
        snprintf(r.ifr_name, sizeof r.ifr_name, "%s", i->if_name);
        if (ioctl(fd, SIOCGIFFLAGS, &r) == 0 && (r.ifr_flags & IFF_RUNNING) && !(r.ifr_flags & IFF_LOOPBACK))
            snprintf(names[n++], IF_NAMESIZE, "%s", i->if_name);
    }
    if (all)
        if_freenameindex(all);
    return n;
}

size_t measure_reading_all(struct measure_reading list[static MEASURE_READING_MOST])
{
    char names[MEASURE_READING_MOST][IF_NAMESIZE];
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    MEMORY_LOCAL char *interrupts = reading_file("/proc/interrupts");
    size_t n = reading_interfaces(fd, names);
    for (size_t i = 0; i < n; i++) {
        list[i] = (struct measure_reading){.rate_bps = -1};
        snprintf(list[i].name, sizeof list[i].name, "%s", names[i]);
        reading_of(fd, interrupts, &list[i]);
    }
    error_close(fd);
    return n;
}

double measure_reading_pauses(void)
{
    char names[MEASURE_READING_MOST][IF_NAMESIZE];
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    double sum = -1;
    for (size_t i = 0, n = reading_interfaces(fd, names); i < n; i++) {
        double frames = (double)reading_pauses(fd, names[i]);
        sum = frames < 0 ? sum : fmax(sum, 0) + frames;
    }
    error_close(fd);
    return sum;
}
