/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linux's own TCP behind emu/engine.h. This runs as a program inside User Mode Linux in virtual time, where nothing
 * takes time but waiting: the kernel's clock stands still while events run, and goes on in linux_step_run(). Or it
 * runs on the system's own kernel in wall time: then events run as late as they do, each at its own time, and the
 * network is exact all the same; late are the frames that come to hosts, and that is counted. */

#include "emu/linux/bounds.h"
#include "emu/linux/connections.h"
#include "emu/linux/program.h"
#include "emu/linux/queue.h"
#include "emu/linux/veth.h"
#include "emu/native/scheduler.h"
#include "emu/queues/kernel_queue.h"
#include "emu/queues/queue.h"

#include <assert.h>
#include <fcntl.h>
#include <linux/socket.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#define PS_PER_NS 1000
#define BEGIN_NS 1000000000 /* what a host's set-up has passed; high resolution of timers begins at the first tick */
#define ENDLESS (INT64_MAX / 2) /* bytes */
#define LOOK_PS INT64_C(1000000000)
#define CLIENT_PORT 49152 /* of flow 0's source, as of the native engine */
#define CLIENT_PORTS 16384
#define SEGMENT_AROUND 12 /* TCP's timestamps, which MSS counts and a segment's payload does not */
#define HEADERS 52 /* IPv4 20, TCP 20, timestamps 12 */
#define IPV4 "/proc/sys/net/ipv4/"
#define CORE "/proc/sys/net/core/"
#define PROGRAM_BUFFER (1 << 30) /* bytes that a program may ask for */
#define PROGRAM_LOOK_PS INT64_C(1000000000) /* who has ended */

struct linux_end {
    struct linux_flow *flow; /* borrowed */
    int socket;              /* -1: not yet, or no more */
    int64_t due, written;    /* bytes the application has for it; that the socket took */
    int64_t delivered;
    uint32_t next_sequence;  /* after the highest byte sent */
    bool any_sent, open, drained;
};

struct linux_flow {
    struct emu_engine *engine; /* borrowed */
    struct emu_flow_config config;
    int number, listener;
    struct linux_end ends[2]; /* source, sink */
    bool looking;             /* wall time: flow_look() will come */
    struct emu_flow_stats stats;
};

/* Frames that wait for their host's interrupt, as NICs moderate them. */
struct linux_gathered {
    struct emu_engine *engine; /* borrowed */
    int host;
    int64_t within_ps;
    struct emu_frame *frames; /* owned, and their packets */
    size_t n, capacity;
};

struct linux_program {
    struct emu_engine *engine; /* borrowed */
    struct emu_program_config config;
    pid_t pid;                 /* 0: not yet, or no more */
};

struct emu_engine {
    struct emu_engine_config config;
    struct native_scheduler scheduler;
    struct linux_bounds bounds;
    struct linux_step step;
    int64_t until_ps;           /* where the run ends */
    int64_t ahead_ps;           /* what a host sends reaches none sooner; 0: where its leaving counts */
    struct linux_host *hosts;   /* owned */
    struct linux_gathered *gathered; /* owned; a host each, made with the first flow that wants it */
    struct linux_route *routes; /* owned; from one to another: [from * n_hosts + to]; made with the first flow */
    struct linux_flow **flows;  /* owned */
    struct linux_program **programs; /* owned */
    struct linux_connections connections; /* of programs */
    int n_hosts, n_flows, n_queues, n_programs;
    int n_ended; /* programs */
    bool answering; /* what is to be done calls for more at the same time: do not wait after it */
    bool stopped, failed;
    struct error error;         /* why it failed, within an event */
};

static struct emu_engine *the_engine;

static void engine_fail(struct emu_engine *e)
{
    e->failed = true;
    emu_engine_stop(e);
}

static int64_t engine_ps(uint64_t kernel_ns)
{
    return (int64_t)(kernel_ns - BEGIN_NS) * PS_PER_NS;
}

static void engine_queue_ask(struct emu_engine *e, struct contraflow_queue *q, struct emu_kernel_ask *ask)
{
    if (!e->failed && !linux_queue_ask(e->step.device, q, &e->error)) {
        q->frame = q->n_lost = 0;
        engine_fail(e);
    }
    ask->n_lost = q->n_lost;
    memcpy(ask->lost, q->lost, sizeof ask->lost);
}

static int engine_queue_open(void *user, const char *discipline)
{
    struct emu_engine *e = user;
    int number = e->failed ? -1 : linux_queue_open(e->step.device, discipline, &e->error);
    e->n_queues += number >= 0;
    if (number < 0)
        engine_fail(e);
    return number;
}

static void engine_queue_push(void *user, struct emu_kernel_ask *ask)
{
    struct linux_packet *p = ask->frames[ask->number].packet;
    struct contraflow_queue q = {.kind = CONTRAFLOW_PUSH, .at = (uint32_t)ask->queue, .frame = ask->number,
                                 .address = (uintptr_t)p->frame, .bytes = p->bytes,
                                 .priority = ask->frames[ask->number].traffic_class};
    engine_queue_ask(user, &q, ask);
}

static void engine_queue_pop(void *user, struct emu_kernel_ask *ask)
{
    struct contraflow_queue q = {.kind = CONTRAFLOW_POP, .at = (uint32_t)ask->queue};
    engine_queue_ask(user, &q, ask);
    ask->number = q.frame;
    ask->ready_ps = q.ready_ns > 0 ? engine_ps(q.ready_ns) : EMU_QUEUE_UNLIMITED;
    if (q.frame > 0)
        linux_packet_rewrite(ask->frames[q.frame].packet, q.head, CONTRAFLOW_HEAD);
}

static void engine_queue_lost(void *user, struct emu_kernel_ask *ask)
{
    struct contraflow_queue q = {.kind = CONTRAFLOW_LOST, .at = (uint32_t)ask->queue};
    engine_queue_ask(user, &q, ask);
}

static const struct emu_kernel_ops engine_queues = {engine_queue_open, engine_queue_push, engine_queue_pop,
                                                    engine_queue_lost};
static_assert(EMU_KERNEL_LOST == CONTRAFLOW_LOST_MOST, "what is lost is copied");

struct emu_engine *emu_engine_new(const struct emu_engine_config *config, struct error *err)
{
    if (the_engine) {
        error_set(err, ERROR_SYSTEM, "a process holds one simulation engine, and it has one already");
        return NULL;
    }
    struct emu_engine *e = memory_zeroed(1, sizeof *e, "the engine");
    e->config = *config;
    native_scheduler_init(&e->scheduler);
    if (!linux_step_open(&e->step, config->lateness != NULL, err)) {
        free(e);
        return NULL;
    }
    emu_kernel_offer(&engine_queues, e);
    the_engine = e;
    return e;
}

/* The system's kernel goes on: a socket that closes in peace would keep its namespace for a while. */
static void flow_abort(struct linux_flow *f)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    const int sockets[] = {f->ends[0].socket, f->ends[1].socket, f->listener};
    for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++)
        if (sockets[i] >= 0) {
            setsockopt(sockets[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
            close(sockets[i]);
        }
}

void emu_engine_free(struct emu_engine *e)
{
    if (!e)
        return;
    for (int i = 0; i < e->n_flows; i++) {
        if (e->config.lateness)
            flow_abort(e->flows[i]);
        free(e->flows[i]); /* its sockets end with the kernel inside */
    }
    if (e->n_programs > 0)
        linux_program_kill_all();
    for (int i = 0; i < e->n_programs; i++)
        free(e->programs[i]);
    free(e->programs);
    linux_connections_fini(&e->connections);
    for (int i = 0; i < e->n_hosts; i++)
        linux_host_close(&e->hosts[i]);
    for (int i = 0; e->gathered && i < e->n_hosts; i++) {
        for (size_t k = 0; k < e->gathered[i].n; k++)
            linux_packet_release(e->gathered[i].frames[k].packet);
        free(e->gathered[i].frames);
    }
    MEMORY_FREE(e->gathered, e->flows, e->hosts, e->routes);
    native_scheduler_fini(&e->scheduler);
    linux_bounds_fini(&e->bounds);
    linux_step_close(&e->step);
    linux_packet_free_all();
    free(e);
    emu_kernel_offer(NULL, NULL);
    the_engine = NULL;
}

const char *emu_engine_name(void)
{
    static char name[96];
    struct utsname u;
    if (uname(&u) != 0)
        return "Linux";
    snprintf(name, sizeof name, "Linux %.70s%s", u.release,
             the_engine && the_engine->config.lateness ? " (wall time)" : "");
    return name;
}

int emu_engine_add_host(struct emu_engine *e, struct error *err)
{
    e->hosts = memory_resized(e->hosts, (size_t)e->n_hosts + 1, sizeof *e->hosts, "hosts");
    if (!linux_host_open(&e->hosts[e->n_hosts], e->n_hosts, &e->step, err))
        return -1;
    return e->n_hosts++;
}

static bool flow_option(int socket, int level, int name, int value)
{
    return setsockopt(socket, level, name, &value, sizeof value) == 0;
}

/* Buffers of a socket, and no more nor less than these. Only root of the system may take any; but what a socket
 * begins with is a namespace's own, and from Linux 5.17 on that can be made to stay. Before, net.core says how much
 * there can be. */
static bool flow_buffers(const struct linux_flow *f, int s, struct error *err)
{
    const struct emu_tcp_config *tcp = &f->config.tcp;
    const struct {
        int option, force;
        int64_t bytes;
        const char *most;
    } rows[] = {{SO_SNDBUF, SO_SNDBUFFORCE, tcp->send_buffer_bytes, "net.core.wmem_max"},
                {SO_RCVBUF, SO_RCVBUFFORCE, tcp->receive_buffer_bytes, "net.core.rmem_max"}};
    if (tcp->linux_own.autotuning ||
        (f->engine->config.lateness && flow_option(s, SOL_SOCKET, SO_BUF_LOCK, SOCK_SNDBUF_LOCK | SOCK_RCVBUF_LOCK)))
        return true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int has = 0;
        socklen_t size = sizeof has;
        if (!flow_option(s, SOL_SOCKET, rows[i].force, (int)rows[i].bytes) &&
            (!flow_option(s, SOL_SOCKET, rows[i].option, (int)rows[i].bytes) ||
             getsockopt(s, SOL_SOCKET, rows[i].option, &has, &size) != 0))
            return error_set_errno(err, "Linux: a socket's buffers");
        if (has > 0 && has / 2 < rows[i].bytes) /* Linux doubles them */
            return error_set(err, ERROR_INPUT, "tcp.window: this kernel gives a socket %d bytes, not %lld; root can "
                             "let it: sysctl -w %s=%lld", has / 2, (long long)rows[i].bytes, rows[i].most,
                             (long long)rows[i].bytes);
    }
    return true;
}

/* Wall time: what new sockets of the namespace begin with. */
static bool flow_begin_with(const struct linux_flow *f, struct error *err)
{
    const struct emu_tcp_config *tcp = &f->config.tcp;
    const int64_t receive = 2 * tcp->receive_buffer_bytes, send = 2 * tcp->send_buffer_bytes;
    return !f->engine->config.lateness || tcp->linux_own.autotuning ||
           (linux_host_set3(IPV4 "tcp_rmem", (const int64_t[]){4096, receive, receive}, err) &&
            linux_host_set3(IPV4 "tcp_wmem", (const int64_t[]){4096, send, send}, err));
}

static bool flow_congestion(int s, const char *control, struct error *err)
{
    char has[256] = "";
    if (setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, control, (socklen_t)strlen(control)) == 0)
        return true;
    if (errno != ENOENT)
        return error_set_errno(err, "Linux: congestion control '%s'", control);
    FILE *f = fopen(IPV4 "tcp_available_congestion_control", "re");
    if (f && fgets(has, sizeof has, f))
        has[strcspn(has, "\n")] = '\0';
    if (f)
        fclose(f);
    return error_set(err, ERROR_INPUT, "tcp.congestion: this kernel has no '%s'; it has %s (root can add what it has "
                     "as a module: modprobe tcp_%s)", control, has, control);
}

/* A socket with what the scenario says of it, in the namespace where the process is. */
static int flow_socket(const struct linux_flow *f, int host, int port, struct error *err)
{
    const struct emu_tcp_config *tcp = &f->config.tcp;
    const struct emu_tcp_linux *own = &tcp->linux_own;
    const uint64_t pace = (uint64_t)own->pacing_bps / 8;
    const char *control = emu_congestion_rows[tcp->congestion].linux_name;
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(emu_engine_ipv4(host))};
    if (!flow_begin_with(f, err))
        return -1;
    int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s < 0 || !flow_option(s, SOL_SOCKET, SO_REUSEADDR, 1) ||
        (own->pacing_bps > 0 && setsockopt(s, SOL_SOCKET, SO_MAX_PACING_RATE, &pace, sizeof pace) != 0) ||
        !flow_option(s, IPPROTO_TCP, TCP_NODELAY, !tcp->nagle) ||
        !flow_option(s, IPPROTO_TCP, TCP_MAXSEG,
                     (int)tcp->segment_bytes + (own->timestamps ? SEGMENT_AROUND : 0)) ||
        bind(s, (const struct sockaddr *)&at, sizeof at) != 0) {
        error_set_errno(err, "Linux: a socket of host h%d", host);
    } else if (flow_buffers(f, s, err) && flow_congestion(s, control, err)) {
        return s;
    }
    error_close(s);
    return -1;
}

static int64_t end_left(const struct linux_end *end)
{
    return end->due - end->written;
}

/* What an end's application does next: takes what has come, gives what there is. */
static void end_send(struct linux_end *end)
{
    if (end->open && end->socket >= 0 && end_left(end) > 0)
        linux_step_add(&end->flow->engine->step,
                       end->flow->config.written ? CONTRAFLOW_SEND : CONTRAFLOW_SEND_LAST, end->socket, NULL,
                       end_left(end), end);
}

static void end_receive(struct linux_end *end)
{
    if (end->open && end->socket >= 0)
        linux_step_add(&end->flow->engine->step, CONTRAFLOW_RECEIVE, end->socket, NULL, 0, end);
}

static void flow_connect(void *arg)
{
    struct linux_flow *f = arg;
    struct emu_engine *e = f->engine;
    struct linux_end *source = &f->ends[0];
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)(EMU_ENGINE_FIRST_PORT + f->number)),
                             .sin_addr.s_addr = htonl(emu_engine_ipv4(f->config.sink))};
    if (!linux_host_enter(&e->hosts[f->config.source], &e->error) ||
        (source->socket = flow_socket(f, f->config.source, CLIENT_PORT + f->number % CLIENT_PORTS, &e->error)) < 0)
        engine_fail(e);
    else if (connect(source->socket, (const struct sockaddr *)&to, sizeof to) != 0 && errno != EINPROGRESS) {
        error_set_errno(&e->error, "Linux: connecting h%d to h%d", f->config.source, f->config.sink);
        engine_fail(e);
    }
}

/* The source is connected once it has a peer; the sink once its listener has somebody. */
static void flow_open(struct linux_flow *f)
{
    struct linux_end *source = &f->ends[0], *sink = &f->ends[1];
    struct sockaddr_in peer;
    socklen_t bytes = sizeof peer;
    if (!source->open && source->socket >= 0 && getpeername(source->socket, (struct sockaddr *)&peer, &bytes) == 0) {
        source->open = f->stats.connected = true;
        end_send(source);
    }
    if (!sink->open && sink->socket < 0 && f->listener >= 0) {
        sink->socket = accept4(f->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (sink->socket < 0)
            return;
        close(f->listener);
        f->listener = -1;
        sink->open = true;
        end_receive(sink);
        end_send(sink);
    }
}

static uint32_t linux_cut(int64_t value)
{
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static bool flow_route(struct emu_engine *e, const struct emu_flow_config *c, int from, int to, struct error *err)
{
    const struct emu_tcp_config *tcp = &c->tcp;
    struct linux_route *known = &e->routes[(size_t)from * (size_t)e->n_hosts + (size_t)to];
    struct linux_route r = {linux_cut(tcp->initial_window_segments), linux_cut(tcp->min_rto_ps / INT64_C(1000000000)),
                            tcp->delayed_ack == 1, 0};
    if (known->initial_window_segments == r.initial_window_segments)
        return true; /* the rest is every flow's */
    if (known->initial_window_segments > 0)
        return error_set(err, ERROR_INPUT, "tcp.initial_window: Linux takes it from the route, and other flows between "
                         "h%d and h%d begin with %u segments, not %u", from, to, known->initial_window_segments,
                         r.initial_window_segments);
    *known = r;
    return linux_host_enter(&e->hosts[from], err) && linux_host_fit(&e->hosts[from], tcp->segment_bytes + HEADERS, err) &&
           linux_host_route(&e->hosts[from], to, &r, err);
}

/* CUBIC's HyStart is the same for all of a kernel. The kernel inside is ours; of the system's we only ask. */
static bool flow_hystart(bool wall, const struct emu_tcp_config *tcp, struct error *err)
{
    const char *path = "/sys/module/tcp_cubic/parameters/hystart";
    if (!wall)
        return linux_host_set(path, tcp->hystart, err);
    FILE *f = tcp->congestion == EMU_CONGESTION_CUBIC ? fopen(path, "re") : NULL;
    int is = f ? fgetc(f) - '0' : tcp->hystart;
    if (f)
        fclose(f);
    return is == tcp->hystart ||
           error_set(err, ERROR_INPUT, "tcp.hystart: this kernel has it %s for everybody; root can change that in %s",
                     is ? "on" : "off", path);
}

/* What the scenario's tcp sets for a whole host, in its namespace. */
static bool flow_sysctls(struct linux_host *h, bool wall, const struct emu_tcp_config *tcp, struct error *err)
{
    const struct emu_tcp_linux *own = &tcp->linux_own;
    const struct {
        const char *path;
        int64_t value;
    } rows[] = {
        {IPV4 "tcp_sack", tcp->sack},
        {IPV4 "tcp_slow_start_after_idle", tcp->idle_restart},
        {IPV4 "tcp_no_metrics_save", 1}, /* a connection learns nothing from another */
        {IPV4 "tcp_timestamps", own->timestamps},
        {IPV4 "tcp_ecn", own->ecn || tcp->ecn},
        {IPV4 "tcp_recovery", own->rack},
        {IPV4 "tcp_early_retrans", own->tail_probe ? 3 : 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!linux_host_set(rows[i].path, rows[i].value, err))
            return false;
    if (own->autotuning && tcp->receive_buffer_bytes > h->buffer_bytes) {
        int64_t most = 2 * tcp->receive_buffer_bytes; /* as SO_RCVBUF doubles */
        const int64_t receive[3] = {4096, most < 131072 ? most : 131072, most}, send[3] = {4096, 16384, most};
        h->buffer_bytes = tcp->receive_buffer_bytes;
        if (!linux_host_set3(IPV4 "tcp_rmem", receive, err) || !linux_host_set3(IPV4 "tcp_wmem", send, err))
            return false;
    }
    return flow_hystart(wall, tcp, err) && (own->gso || linux_host_no_gso(h, err)) &&
           (!wall || linux_host_set(IPV4 "tcp_orphan_retries", 1, err)); /* a killed engine's sockets end soon */
}

static bool flow_hold(struct emu_engine *e, const struct emu_flow_config *c, struct error *err)
{
    if (c->tcp.small_queue_bytes > 0)
        e->ahead_ps = 0; /* a frame may leave as soon as it is sent */
    return c->tcp.small_queue_bytes == 0 || (linux_host_hold(&e->hosts[c->source], e->step.device, err) &&
                                             linux_host_hold(&e->hosts[c->sink], e->step.device, err));
}

static void flow_gather(struct emu_engine *e, const struct emu_flow_config *c)
{
    const int ends[2] = {c->source, c->sink};
    if (c->tcp.linux_own.gro_ps <= 0)
        return;
    if (!e->gathered)
        e->gathered = memory_zeroed((size_t)e->n_hosts, sizeof *e->gathered, "hosts");
    for (int i = 0; i < 2; i++) {
        struct linux_gathered *g = &e->gathered[ends[i]];
        g->engine = e;
        g->host = ends[i];
        g->within_ps = c->tcp.linux_own.gro_ps;
    }
}

static bool flow_listen(struct emu_engine *e, struct linux_flow *f, struct error *err)
{
    const struct emu_flow_config *c = &f->config;
    flow_gather(e, c);
    return flow_hold(e, c, err) && linux_host_enter(&e->hosts[c->source], err) &&
           flow_sysctls(&e->hosts[c->source], e->config.lateness, &c->tcp, err) &&
           flow_route(e, c, c->source, c->sink, err) &&
           flow_route(e, c, c->sink, c->source, err) && linux_host_enter(&e->hosts[c->sink], err) &&
           flow_sysctls(&e->hosts[c->sink], e->config.lateness, &c->tcp, err) &&
           (f->listener = flow_socket(f, c->sink, EMU_ENGINE_FIRST_PORT + f->number, err)) >= 0 &&
           (listen(f->listener, 1) == 0 || error_set_errno(err, "Linux: listening at h%d", c->sink));
}

int emu_engine_add_flow(struct emu_engine *e, const struct emu_flow_config *config, struct error *err)
{
    if (config->tcp.congestion >= EMU_CONGESTION_COUNT || !emu_congestion_rows[config->tcp.congestion].linux_name) {
        error_set(err, ERROR_INPUT, "Linux has no such congestion control");
        return -1;
    }
    if (!e->routes)
        e->routes = memory_zeroed((size_t)e->n_hosts * (size_t)e->n_hosts, sizeof *e->routes, "routes");
    struct linux_flow *f = memory_zeroed(1, sizeof *f, "a flow");
    *f = (struct linux_flow){.engine = e, .config = *config, .number = e->n_flows, .listener = -1,
                             .stats = {.first_data_ps = -1, .last_delivery_ps = -1}};
    for (int i = 0; i < 2; i++)
        f->ends[i] = (struct linux_end){.flow = f, .socket = -1, .drained = true};
    for (int i = 0; i < (config->duplex ? 2 : 1) && !config->written; i++)
        f->ends[i].due = config->bytes > 0 ? config->bytes : ENDLESS;
    if (!flow_listen(e, f, err)) {
        free(f);
        return -1;
    }
    e->flows = memory_resized(e->flows, (size_t)e->n_flows + 1, sizeof(struct linux_flow *), "flows");
    e->flows[e->n_flows] = f;
    struct emu_clock clock = emu_engine_clock(e);
    emu_clock_schedule(&clock, config->start_ps, flow_connect, f);
    return e->n_flows++;
}

/* Buffers that programs ask for are bounded for all hosts at once, in the first namespace. */
static bool program_buffers(struct error *err)
{
    int first = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);
    bool ok = (first >= 0 && setns(first, CLONE_NEWNET) == 0) ||
              error_set_errno(err, "Linux: its first namespace");
    error_close(first);
    return ok && linux_host_set(CORE "rmem_max", PROGRAM_BUFFER, err) &&
           linux_host_set(CORE "wmem_max", PROGRAM_BUFFER, err);
}

/* Every host reaches every other, with the scenario's TCP. */
static bool program_host(struct emu_engine *e, int host, const struct emu_tcp_config *tcp, struct error *err)
{
    struct linux_host *h = &e->hosts[host];
    struct emu_tcp_config tuned = *tcp;
    struct linux_route route = {linux_cut(tcp->initial_window_segments),
                                linux_cut(tcp->min_rto_ps / INT64_C(1000000000)), tcp->delayed_ack == 1,
                                linux_cut(tcp->segment_bytes + (tcp->linux_own.timestamps ? SEGMENT_AROUND : 0))};
    tuned.linux_own.autotuning = true;
    bool ok = linux_host_enter(h, err) && linux_host_fit(h, tcp->segment_bytes + HEADERS, err) &&
              flow_sysctls(h, false, &tuned, err) &&
              linux_host_write(IPV4 "tcp_congestion_control", emu_congestion_rows[tcp->congestion].linux_name, err) &&
              (tcp->small_queue_bytes == 0 || linux_host_hold(h, e->step.device, err));
    for (int to = 0; ok && to < e->n_hosts; to++)
        ok = to == host || linux_host_route(h, to, &route, err);
    return ok;
}

static void program_start(void *arg)
{
    struct linux_program *p = arg;
    struct emu_engine *e = p->engine;
    p->pid = linux_program_start(&p->config, &e->hosts[p->config.host], &e->error);
    if (p->pid < 0)
        engine_fail(e);
}

/* A program that fails ends the run. */
static void program_look(void *arg)
{
    struct emu_engine *e = arg;
    struct emu_clock clock = emu_engine_clock(e);
    int status = 0;
    for (pid_t pid; (pid = linux_program_ended(&status)) > 0;)
        for (int i = 0; i < e->n_programs; i++) {
            struct linux_program *p = e->programs[i];
            if (p->pid != pid)
                continue;
            p->pid = 0;
            e->n_ended++;
            if (status != 0 && !e->failed) {
                error_set(&e->error, ERROR_SYSTEM, "a program on h%d ended with status %d; what it said is in %s/%s",
                          p->config.host, status, p->config.directory, p->config.output);
                engine_fail(e);
            }
        }
    if (!emu_engine_programs_done(e))
        emu_clock_schedule(&clock, PROGRAM_LOOK_PS, program_look, e);
}

bool emu_engine_add_program(struct emu_engine *e, const struct emu_program_config *config, struct error *err)
{
    struct emu_clock clock = emu_engine_clock(e);
    bool ok = e->n_programs > 0 || (program_buffers(err) && linux_program_prepare(e->hosts, e->n_hosts, err));
    for (int i = 0; ok && e->n_programs == 0 && i < e->n_hosts; i++)
        ok = program_host(e, i, &config->tcp, err);
    if (!ok)
        return false;
    if (config->tcp.small_queue_bytes > 0)
        e->ahead_ps = 0; /* a frame may leave as soon as it is sent */
    struct linux_program *p = memory_zeroed(1, sizeof *p, "a program");
    *p = (struct linux_program){.engine = e, .config = *config};
    e->programs = memory_resized(e->programs, (size_t)e->n_programs + 1, sizeof(struct linux_program *), "programs");
    e->programs[e->n_programs++] = p;
    emu_clock_schedule(&clock, config->start_ps, program_start, p);
    if (e->n_programs == 1)
        emu_clock_schedule(&clock, PROGRAM_LOOK_PS, program_look, e);
    return true;
}

bool emu_engine_programs_done(const struct emu_engine *e)
{
    return e->n_ended == e->n_programs;
}

void emu_engine_write_way(struct emu_engine *e, int flow, bool back, int64_t bytes)
{
    struct linux_end *end = &e->flows[flow]->ends[back];
    end->due += bytes;
    end->drained = false;
    end_send(end);
}

void emu_engine_write(struct emu_engine *e, int flow, int64_t bytes)
{
    emu_engine_write_way(e, flow, false, bytes);
    if (e->flows[flow]->config.duplex)
        emu_engine_write_way(e, flow, true, bytes);
}

void emu_engine_set_window(struct emu_engine *e, int flow UNUSED, int64_t bytes UNUSED)
{
    (void)e; /* Linux lacks the control that asks for it */
}

static void clock_schedule_ahead(void *engine, int64_t delay_ps, int64_t ahead_ps, void (*fn)(void *), void *arg)
{
    struct emu_engine *e = engine;
    int64_t time_ps = native_scheduler_now(&e->scheduler) + delay_ps;
    native_scheduler_at(&e->scheduler, time_ps, fn, arg);
    linux_bounds_add(&e->bounds, time_ps, time_ps + ahead_ps);
}

static void clock_schedule(void *engine, int64_t delay_ps, void (*fn)(void *), void *arg)
{
    clock_schedule_ahead(engine, delay_ps, 0, fn, arg);
}

struct emu_clock emu_engine_clock(struct emu_engine *e)
{
    return (struct emu_clock){.time_ps = &e->scheduler.now_ps,
                              .schedule = clock_schedule,
                              .engine = e,
                              .schedule_ahead = clock_schedule_ahead};
}

const struct emu_engine_hosts *emu_engine_hosts_apart(const struct emu_engine *e)
{
    (void)e; /* one kernel, one clock */
    return NULL;
}

void emu_engine_set_ahead(struct emu_engine *e, int64_t ahead_ps)
{
    e->ahead_ps = ahead_ps;
}

const struct emu_frame_ops *emu_engine_frame_ops(void)
{
    return &linux_packet_ops;
}

/* What its end's application does once a frame has come. */
static void engine_answer(struct emu_engine *e, int host, const struct emu_frame *frame)
{
    const struct linux_packet *p = frame->packet;
    if (e->n_programs > 0)
        linux_connections_arrived(&e->connections, p, (int)frame->src, host, native_scheduler_now(&e->scheduler));
    if (p->flow / 2 >= (uint32_t)e->n_flows)
        return;
    struct linux_flow *f = e->flows[p->flow / 2];
    struct linux_end *end = &f->ends[!(p->flow & 1)];
    if (p->data_bytes > 0 || p->fin)
        end_receive(end);
    end_send(end);
    e->answering = e->answering || f->config.written || p->fin || !f->ends[0].open || !f->ends[1].open;
}

/* The interrupt: all at once, then what applications do about them. */
static void engine_gathered(void *arg)
{
    struct linux_gathered *g = arg;
    struct emu_engine *e = g->engine;
    for (size_t i = 0; i < g->n; i++) {
        struct linux_packet *p = g->frames[i].packet;
        linux_step_add(&e->step, CONTRAFLOW_GATHER, e->hosts[g->host].nic, p->frame, p->bytes, p);
    }
    for (size_t i = 0; i < g->n; i++)
        engine_answer(e, g->host, &g->frames[i]);
    g->n = 0;
}

void emu_engine_deliver(struct emu_engine *e, int host, const struct emu_frame *frame)
{
    struct linux_packet *p = frame->packet;
    if (frame->dst != (uint32_t)host && frame->dst != EMU_FRAME_BROADCAST) { /* flooded */
        linux_packet_release(p);
        return;
    }
    p->due_ps = native_scheduler_now(&e->scheduler);
    struct linux_gathered *g = e->gathered ? &e->gathered[host] : NULL;
    if (!g || g->within_ps == 0) {
        linux_step_add(&e->step, CONTRAFLOW_DELIVER, e->hosts[host].nic, p->frame, p->bytes, p);
        engine_answer(e, host, frame);
        return;
    }
    g->frames = memory_grown(g->frames, g->n, &g->capacity, 64, sizeof *g->frames, "frames");
    g->frames[g->n++] = *frame;
    if (g->n == 1)
        clock_schedule(e, g->within_ps, engine_gathered, g);
}

void emu_engine_left(struct emu_engine *e, int host UNUSED, const struct emu_frame *frame)
{
    struct linux_packet *p = frame->packet;
    if (p->held)
        linux_step_add(&e->step, CONTRAFLOW_DONE, (int)p->slot, NULL, 0, NULL);
    p->held = false;
}

static void flow_look(void *arg);

/* Whether all that a flow was given is acknowledged, if somebody asks. In wall time the stack may take a frame in
 * later than its device does: then we look again. */
static void flow_drain(struct linux_flow *f)
{
    struct emu_engine *e = f->engine;
    struct linux_end *source = &f->ends[0];
    int unsent = 1;
    if (!f->config.written || !e->config.drained || source->drained || end_left(source) > 0 ||
        ioctl(source->socket, SIOCOUTQ, &unsent) != 0)
        return;
    if (unsent == 0) {
        source->drained = true;
        e->config.drained(e->config.user, f->number);
    } else if (e->config.lateness && !f->looking) {
        struct emu_clock clock = emu_engine_clock(e);
        f->looking = true;
        emu_clock_schedule(&clock, LOOK_PS, flow_look, f);
    }
}

static void flow_look(void *arg)
{
    struct linux_flow *f = arg;
    f->looking = false;
    flow_drain(f);
}

/* A frame has come to its end's stack. */
static void engine_arrived(struct emu_engine *e, const struct linux_packet *p)
{
    if (p->flow / 2 >= (uint32_t)e->n_flows)
        return;
    struct linux_flow *f = e->flows[p->flow / 2];
    if (!f->ends[0].open || !f->ends[1].open)
        flow_open(f);
    if (p->flow & 1)
        flow_drain(f);
}

static void end_delivered(struct linux_end *end, int64_t bytes)
{
    struct linux_flow *f = end->flow;
    end->delivered += bytes;
    f->stats.last_delivery_ps = native_scheduler_now(&f->engine->scheduler);
    int64_t whole = f->ends[1].delivered;
    if (f->config.duplex && f->ends[0].delivered < whole)
        whole = f->ends[0].delivered;
    f->stats.done = f->config.bytes > 0 && whole >= f->config.bytes;
    if (f->config.written)
        f->engine->config.delivered(f->engine->config.user, f->number, whole);
}

static void end_close(struct linux_end *end)
{
    close(end->socket);
    end->socket = -1;
}

static void engine_done(void *user, const struct contraflow_op *op, void *about)
{
    struct emu_engine *e = user;
    struct linux_end *end = about;
    if (op->kind == CONTRAFLOW_DELIVER || op->kind == CONTRAFLOW_GATHER) {
        struct linux_packet *p = about;
        int64_t at_ps = engine_ps((uint64_t)op->result);
        if (e->config.lateness && op->result >= 0)
            emu_lateness_add(e->config.lateness, at_ps, p->late_ps + at_ps - p->due_ps);
        engine_arrived(e, p);
        linux_packet_release(p);
    } else if (op->kind == CONTRAFLOW_RECEIVE && op->result > 0) {
        end_delivered(end, op->result);
    } else if (op->kind != CONTRAFLOW_DONE && op->result > 0) {
        end->written += op->result;
    } else if (op->kind != CONTRAFLOW_DONE && op->result != -EAGAIN && end->socket >= 0 &&
               (op->result < 0 || end == &end->flow->ends[1])) {
        end_close(end); /* the peer has closed, or the connection broke */
    }
    if (op->kind <= CONTRAFLOW_GATHER && op->result < 0 && !e->failed) {
        errno = (int)-op->result;
        error_set_errno(&e->error, "Linux: a frame for host h%u", op->at);
        engine_fail(e);
    }
}

/* Data segments that an end hands to its NIC, and those that it did before. */
static void engine_count(struct emu_engine *e, const struct linux_packet *p)
{
    if (p->flow / 2 >= (uint32_t)e->n_flows || p->data_bytes == 0)
        return;
    struct linux_flow *f = e->flows[p->flow / 2];
    struct linux_end *end = &f->ends[p->flow & 1];
    if (!end->any_sent) {
        end->any_sent = true;
        end->next_sequence = p->sequence;
        if (end == &f->ends[0])
            f->stats.first_data_ps = native_scheduler_now(&e->scheduler);
    }
    linux_packet_count(p, &end->next_sequence, &f->stats);
}

/* Events up to a time of the kernel's clock; in wall time that may have passed, or be after the end. */
static void engine_run_to(struct emu_engine *e, uint64_t kernel_ns)
{
    int64_t time_ps = engine_ps(kernel_ns);
    if (time_ps > e->until_ps)
        time_ps = e->until_ps;
    if (!e->stopped && time_ps >= native_scheduler_now(&e->scheduler))
        native_scheduler_run_to(&e->scheduler, time_ps);
}

static void engine_sent(void *user, const struct contraflow_frame *head, const uint8_t *bytes)
{
    struct emu_engine *e = user;
    struct emu_frame frame;
    int host = (int)head->at - e->n_queues; /* interfaces are queues, then hosts */
    if (head->bytes < EMU_FRAME_HEADER_BYTES || host < 0 || host >= e->n_hosts)
        return;
    engine_run_to(e, head->time_ns);
    if (e->stopped)
        return;
    struct linux_packet *p = linux_packet_new(bytes, head->bytes, &frame);
    p->late_ps = native_scheduler_now(&e->scheduler) - engine_ps(head->time_ns);
    if (p->late_ps < 0)
        p->late_ps = 0;
    p->held = e->hosts[host].hold;
    p->slot = head->slot;
    if (e->n_programs > 0)
        linux_connections_sent(&e->connections, p, host, (int)(frame.dst & 0xffff),
                               native_scheduler_now(&e->scheduler), e->config.found, e->config.user);
    else
        engine_count(e, p);
    e->config.transmit(e->config.user, host, &frame);
}

struct emu_flow_stats emu_engine_flow_stats(const struct emu_engine *e, int flow)
{
    if (e->n_programs > 0)
        return linux_connections_stats(&e->connections, flow, emu_engine_programs_done(e));
    const struct linux_flow *f = e->flows[flow];
    struct emu_flow_stats stats = f->stats;
    stats.delivered_bytes = f->ends[1].delivered;
    stats.delivered_back_bytes = f->ends[0].delivered;
    return stats;
}

/* Wall time: a socket's program would be woken up. */
static bool engine_ready(void *user UNUSED, void *about, bool readable, bool writable)
{
    struct linux_end *end = about;
    if (readable)
        end_receive(end);
    if (writable)
        end_send(end);
    return end->open && end->socket >= 0 && end_left(end) > 0;
}

/* The kernel does what is due and runs on for as long as no event can reach a host. Then events and the frames that it
 * sent take their turns, each at its time; what they want done in the kernel is done before its clock goes on. */
static bool engine_step(struct emu_engine *e, int64_t until_ps, struct error *err)
{
    int64_t least_ps = linux_bounds_least(&e->bounds, native_scheduler_now(&e->scheduler));
    if (least_ps > until_ps)
        least_ps = until_ps;
    uint64_t least_ns = BEGIN_NS + (uint64_t)((least_ps + PS_PER_NS - 1) / PS_PER_NS);
    bool waits = !e->answering;
    e->answering = false;
    if (!linux_step_run(&e->step, waits ? least_ns : 0, (uint64_t)(e->ahead_ps / PS_PER_NS), engine_done, e, err))
        return false;
    if (waits && e->step.now_ns > least_ns && !e->config.lateness)
        return error_set(err, ERROR_SYSTEM, "the kernel inside is late by %llu ns; please report this",
                         (unsigned long long)(e->step.now_ns - least_ns));
    linux_step_ready(&e->step, engine_ready, e);
    linux_step_frames(&e->step, engine_sent, e);
    while (e->step.more && !e->config.lateness) { /* all of them, before events that are later */
        if (!linux_step_more(&e->step, err))
            return false;
        linux_step_frames(&e->step, engine_sent, e);
    }
    engine_run_to(e, e->step.now_ns);
    return true;
}

/* Wall time: frames that the kernel has lost. */
static int64_t engine_lost(struct emu_engine *e)
{
    int64_t lost = 0;
    for (int i = 0; i < e->n_hosts; i++) {
        int64_t dropped = linux_host_enter(&e->hosts[i], &(struct error){0}) ? linux_veth_dropped() : 0;
        lost += dropped > 0 ? dropped : 0;
    }
    return lost + linux_wall_lost(e->step.wall);
}

bool emu_engine_run(struct emu_engine *e, int64_t until_ps, struct error *err)
{
    struct error *why = &e->error;
    e->until_ps = until_ps;
    if (!e->failed && !linux_step_begin(&e->step, BEGIN_NS, why))
        engine_fail(e);
    if (e->n_flows == 0 && e->n_programs == 0)
        native_scheduler_run(&e->scheduler, until_ps); /* a clock alone, which needs no kernel */
    while (!e->stopped && native_scheduler_now(&e->scheduler) < until_ps)
        if (!engine_step(e, until_ps, why))
            engine_fail(e);
    if (e->config.lateness && !e->failed)
        e->config.lateness->lost = engine_lost(e);
    if (e->failed)
        *err = *why;
    return !e->failed;
}

void emu_engine_stop(struct emu_engine *e)
{
    e->stopped = true;
    native_scheduler_stop(&e->scheduler);
}
