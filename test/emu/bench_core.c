/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far is the engine from what one core could do at best? Three ways to move a frame one hop, in turn:
 *
 *   bare    what no engine can leave out, and nothing else: of the port it leaves and of the one it comes to a line of
 *           the cache each, and of their rings the place it is read from and the one it is written to. Ports take turns
 *           in an order that looks like chance, known before, so that nothing has to be sorted
 *   ports   emu/ on the native clock without TCP: hosts on a star that send on each frame they get to another host,
 *           ten frames each, 1 Gb/s
 *   engine  whole runs of the program: star.yaml, and zhu-random.yaml on 100 and 1,000 hosts
 *
 * A figure is the median over rounds of processor time a frame-hop. Where the system lets programs count, cycles,
 * instructions, misses of the cache and mispredicted branches a frame-hop stand beside it.
 * usage: bench_core CONTRAFLOW SCENARIOS [ROUNDS]. `meson test --benchmark` runs it; it judges nothing. */
#include "emu/native/scheduler.h"
#include "emu/network/network.h"
#include "results/summary.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define HOPS 4000000  /* at least, of each measurement but the engine's */
#define ROUNDS 3
#define ROUNDS_MOST 25
#define WINDOW 10     /* frames of each host */
#define RING 32       /* places of a port, bare; a power of two */
#define PAYLOAD 1500
#define MS INT64_C(1000000000) /* ps */

enum { CYCLES, INSTRUCTIONS, MISSES, BRANCHES, COUNTERS };
static const char *const counter_names[COUNTERS] = {"cycles", "instr", "misses", "branch misses"};

/* One measurement, all of it a frame-hop. */
struct cost {
    double ns, counted[COUNTERS];
};

struct meter {
    int fd[COUNTERS]; /* -1: the system does not count */
    double started_s;
};

static int meter_why;

static void need(bool ok, const char *why)
{
    if (ok)
        return;
    fprintf(stderr, "bench_core: %s\n", why);
    exit(1);
}

static double used_s(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6;
}

/* Of this process and those it starts from now on. */
static void meter_start(struct meter *m)
{
    static const uint64_t events[COUNTERS] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                              PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_BRANCH_MISSES};
    for (int i = 0; i < COUNTERS; i++) {
        struct perf_event_attr attr = {.size = sizeof attr, .type = PERF_TYPE_HARDWARE, .config = events[i],
                                       .inherit = 1, .exclude_kernel = 1, .exclude_hv = 1};
        m->fd[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
        meter_why = m->fd[i] < 0 ? errno : meter_why;
    }
    m->started_s = used_s(RUSAGE_SELF) + used_s(RUSAGE_CHILDREN);
}

static struct cost meter_stop(struct meter *m, int64_t hops)
{
    double n = (double)hops;
    struct cost c = {.ns = (used_s(RUSAGE_SELF) + used_s(RUSAGE_CHILDREN) - m->started_s) / n * 1e9};
    for (int i = 0; i < COUNTERS; i++) {
        uint64_t count = 0;
        bool known = m->fd[i] >= 0 && read(m->fd[i], &count, sizeof count) == (ssize_t)sizeof count;
        c.counted[i] = known ? (double)count / n : -1;
        if (m->fd[i] >= 0)
            close(m->fd[i]);
    }
    return c;
}

struct bare_port {
    _Alignas(64) uint32_t head, tail;
    int64_t free_ps, frames, bytes;
};

struct bare_slot {
    uint64_t packet;
    uint32_t dst, bytes;
    int64_t start_ps, sent_ps;
};

static struct cost run_bare(int hosts)
{
    size_t n = 2 * (size_t)hosts;
    struct bare_port *ports = aligned_alloc(64, n * sizeof *ports);
    struct bare_slot *slots = calloc(n * RING, sizeof *slots);
    uint32_t *order = calloc(n, sizeof *order);
    struct meter m;
    int64_t hops = 0;
    need(ports && slots && order, "out of memory");
    memset(ports, 0, n * sizeof *ports);
    struct random random = random_of(1);
    for (size_t i = 0; i < n; i++) {
        size_t other = (size_t)random_below(&random, i + 1);
        order[i] = order[other];
        order[other] = (uint32_t)i;
        for (; ports[i].tail < WINDOW / 2; ports[i].tail++)
            slots[i * RING + ports[i].tail] = (struct bare_slot){.packet = random_next(&random), .bytes = PAYLOAD};
    }
    meter_start(&m);
    while (hops < HOPS)
        for (size_t k = 0; k < n; k++) {
            struct bare_port *from = &ports[order[k]];
            if (from->head == from->tail)
                continue;
            struct bare_slot s = slots[order[k] * RING + from->head++ % RING];
            s.packet = s.packet * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            uint64_t far = (s.packet >> 32) * n >> 32;
            struct bare_port *to = &ports[far];
            if (to->tail - to->head == RING) { /* full: it goes round */
                to = from;
                far = order[k];
            }
            s.start_ps = to->free_ps;
            to->free_ps += (int64_t)s.bytes * 8000;
            to->frames++;
            to->bytes += s.bytes;
            slots[far * RING + to->tail++ % RING] = s;
            hops++;
        }
    struct cost c = meter_stop(&m, hops);
    free(ports);
    free(slots);
    free(order);
    return c;
}

struct ring_of_hosts {
    struct emu_network network;
    int hosts;
    uint64_t state;
};

/* Any host but the sender. */
static void send_on(struct ring_of_hosts *r, int host)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    int to = (int)((r->state >> 32) * (uint64_t)(r->hosts - 1) >> 32);
    struct emu_frame frame = {.packet = emu_frame_tag(0), .src = (uint32_t)host, .dst = (uint32_t)(to + (to >= host)),
                              .payload_bytes = PAYLOAD, .ethertype = 0x0800};
    emu_network_transmit(&r->network, host, &frame);
}

static void got(void *user, int host, const struct emu_frame *frame)
{
    (void)frame;
    send_on(user, host);
}

/* The switch's ports are in the order of its hosts. */
static int port_of(void *user, int node, const struct emu_frame *frame)
{
    (void)user;
    (void)node;
    return (int)frame->dst;
}

static int64_t delivered(struct ring_of_hosts *r)
{
    int64_t sum = 0;
    for (int i = 0; i < emu_network_port_count(&r->network); i++)
        sum += emu_network_port(&r->network, i)->stats.delivered;
    return sum;
}

static struct cost run_ports(int hosts)
{
    static const struct emu_frame_ops ops;
    struct native_scheduler *scheduler = calloc(1, sizeof *scheduler);
    struct ring_of_hosts r = {.hosts = hosts, .state = 1};
    struct meter m;
    struct error err;
    need(scheduler != NULL, "out of memory");
    native_scheduler_init(scheduler);
    struct emu_clock clock = native_scheduler_clock(scheduler);
    struct emu_network_config config = {.topology = EMU_TOPOLOGY_STAR, .hosts = hosts,
                                        .link = {.rate_bps = 1000000000, .delay_ps = 50000000},
                                        .nic = emu_queue_config_default(), .sw = emu_switch_config_default()};
    emu_network_init(&r.network, &config, &clock, &ops, got, &r);
    r.network.switches[0].routes = (struct emu_switch_routes){.port = port_of, .node = hosts};
    for (int i = 0; i < hosts * WINDOW; i++)
        send_on(&r, i % hosts);
    native_scheduler_run(scheduler, 2 * MS); /* until it is as it will be */
    int64_t before = delivered(&r), hops = 0;
    meter_start(&m);
    for (int64_t until_ps = 3 * MS; hops < HOPS; until_ps += MS) {
        native_scheduler_run(scheduler, until_ps);
        hops = delivered(&r) - before;
    }
    struct cost c = meter_stop(&m, hops);
    need(emu_network_audit(&r.network, &err), "frames were lost");
    emu_network_fini(&r.network);
    native_scheduler_fini(scheduler);
    free(scheduler);
    return c;
}

static const char *contraflow, *scenarios;

/* In the place of this process, on one processor: a run takes all that it may. */
static void become_engine(int hosts, const char *file, const char *racks, const char *directory)
{
    int here = sched_getcpu();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(here > 0 ? (size_t)here : 0, &one);
    sched_setaffinity(0, sizeof one, &one);
    if (hosts == 3)
        execl(contraflow, contraflow, "run", file, "--engine", "native", "-q", "-o", directory, "--set", "capture=[]",
              "--set", "duration=20s", (char *)NULL);
    else
        execl(contraflow, contraflow, "run", file, "--engine", "native", "-q", "-o", directory, "--set", "capture=[]",
              "--set", racks, "--set", "traffic.random.bytes=10MB", "--set", "network.backbone.rate=400Gbps",
              (char *)NULL);
    _exit(127);
}

static struct cost run_engine(int hosts)
{
    char file[512], racks[64], directory[] = "/tmp/contraflow-bench-XXXXXX", one[64];
    struct results_summary summary;
    struct error err = {0};
    struct meter m;
    int status;
    need(mkdtemp(directory) != NULL, "no temporary directory");
    snprintf(file, sizeof file, "%s/%s", scenarios, hosts == 3 ? "star.yaml" : "zhu-random.yaml");
    snprintf(racks, sizeof racks, "network.racks=[%d, %d]", hosts / 2, hosts / 2);
    fflush(stdout);
    meter_start(&m);
    pid_t child = fork();
    if (child == 0)
        become_engine(hosts, file, racks, directory);
    need(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the program did not run");
    need(results_summary_read(&summary, directory, &err), err.message);
    int64_t hops = 0;
    for (size_t i = 0; i < summary.n_ports; i++)
        hops += summary.ports[i].delivered_frames;
    results_summary_fini(&summary);
    struct cost c = meter_stop(&m, hops);
    static const char *const left[] = {"flows.csv", "progress.csv", "queues.csv", "scenario.yaml", "summary.json"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        snprintf(one, sizeof one, "%s/%s", directory, left[i]);
        unlink(one);
    }
    rmdir(directory);
    return c;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {3, 100, 1000, 10000};
    enum { SIZES = sizeof sizes / sizeof *sizes, WAYS = 3 };
    static const char *const ways[WAYS] = {"bare", "ports", "engine"};
    static struct cost (*const runs[WAYS])(int) = {run_bare, run_ports, run_engine};
    static struct cost costs[SIZES][WAYS][ROUNDS_MOST];
    need(argc == 3 || argc == 4, "usage: bench_core CONTRAFLOW SCENARIOS [ROUNDS]");
    contraflow = argv[1];
    scenarios = argv[2];
    int rounds = argc > 3 ? atoi(argv[3]) : ROUNDS;
    need(rounds >= 1 && rounds <= ROUNDS_MOST, "1 to 25 rounds");
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < SIZES; i++)
            for (int way = 0; way < WAYS; way++)
                if (way < 2 || sizes[i] <= 1000)
                    costs[i][way][round] = runs[way](sizes[i]);
    printf("%6s %-7s %8s %9s %9s %11s", "hosts", "", "ns a hop", "of bare", "of ports", "of its star");
    for (int k = 0; k < COUNTERS && costs[0][0][0].counted[0] >= 0; k++)
        printf(" %13s", counter_names[k]);
    puts("");
    for (size_t i = 0; i < SIZES; i++)
        for (int way = 0; way < WAYS && (way < 2 || sizes[i] <= 1000); way++) {
            double values[ROUNDS_MOST], ratio[WAYS], all[COUNTERS] = {0};
            for (int k = 0; k < WAYS; k++) { /* within a round: other load hits both */
                for (int j = 0; j < rounds; j++)
                    values[j] = costs[i][way][j].ns / (k < 2 ? costs[i][k][j] : costs[0][way][j]).ns;
                ratio[k] = median(values, rounds);
            }
            for (int j = 0; j < rounds; j++)
                values[j] = costs[i][way][j].ns;
            printf("%6d %-7s %8.1f %9.2f %9.2f %11.2f", sizes[i], ways[way], median(values, rounds), ratio[0], ratio[1],
                   ratio[2]);
            for (int k = 0; k < COUNTERS && costs[0][0][0].counted[0] >= 0; k++) {
                for (int j = 0; j < rounds; j++)
                    values[j] = costs[i][way][j].counted[k];
                all[k] = median(values, rounds);
                printf(" %13.2f", all[k]);
            }
            puts("");
        }
    if (costs[0][0][0].counted[0] < 0)
        printf("No cycles, misses or branches: this system does not count them (%s).\n", strerror(meter_why));
    return 0;
}
