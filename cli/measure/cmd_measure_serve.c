/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/confine.h"
#include "cli/cli.h"
#include "cli/measure/measure.h"
#include "measure/client.h"
#include "measure/proof.h"
#include "measure/server.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>

struct serve_options {
    const char *bind, *port, *token, *token_file, *congestion;
    double max_time_s, max_rate_bps;
    int64_t max_clients;
};

bool cli_measure_seconds(const struct cli_option *option, const char *text, struct error *err)
{
    int64_t time_ps;
    double *s = option->to;
    if (!units_parse_time(text, &time_ps, err))
        return error_prefix(err, "--%s: ", option->name);
    *s = (double)time_ps / (double)UNITS_PS_PER_S;
    return (*s >= MEASURE_CLIENT_LEAST_S && *s <= 86400) ||
           error_set(err, ERROR_INPUT, "--%s %s: between %d s and a day is possible; try 30s", option->name, text,
                     MEASURE_CLIENT_LEAST_S);
}

bool cli_measure_port(const struct cli_option *option, const char *text, struct error *err)
{
    int64_t port;
    *(const char **)option->to = text;
    return (units_parse_integer(text, &port, err) && port >= option->least && port <= UINT16_MAX) ||
           error_set(err, ERROR_INPUT, "--port %s: a number from %d to %d is wanted; try " MEASURE_SERVER_PORT, text,
                     (int)option->least, UINT16_MAX);
}

static bool measure_rate(const struct cli_option *option, const char *text, struct error *err)
{
    int64_t rate_bps;
    if (!units_parse_rate(text, &rate_bps, err))
        return error_prefix(err, "--max-rate: ");
    *(double *)option->to = (double)rate_bps;
    return rate_bps >= 1000 || error_set(err, ERROR_INPUT, "--max-rate %s: 1kbps and more is possible; try 100M", text);
}

static bool measure_clients(const struct cli_option *option, const char *text, struct error *err)
{
    int64_t *n = option->to;
    return (units_parse_integer(text, n, err) && *n >= 1 && *n <= MEASURE_SERVER_CLIENTS) ||
           error_set(err, ERROR_INPUT, "--max-clients %s: a number from 1 to %d is wanted; try 1", text,
                     MEASURE_SERVER_CLIENTS);
}

static volatile sig_atomic_t serve_signal;

static void serve_end(int number)
{
    serve_signal = number;
}

static bool serve_stopped(void *user UNUSED)
{
    return serve_signal != 0;
}

static void serve_log(void *user UNUSED, const char *line)
{
    fprintf(stderr, "contraflow: %s\n", line);
}

/* Whoever listens at all addresses is reached at one of them: the first that is no loopback and no link's own. */
static void serve_reached(int family, char address[static NI_MAXHOST])
{
    struct ifaddrs *all = NULL;
    bool found = false;
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != family || (i->ifa_flags & IFF_LOOPBACK))
            continue;
        socklen_t size = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
        char text[NI_MAXHOST];
        found = getnameinfo(i->ifa_addr, size, text, sizeof text, NULL, 0, NI_NUMERICHOST) == 0 && !strchr(text, '%');
        if (found)
            snprintf(address, NI_MAXHOST, "%s", text);
    }
    freeifaddrs(all);
}

static bool serve_begin(void *user, const char *address, const char *port, struct error *err)
{
    const char *drawn = user; /* NULL: the token was given */
    char host[NI_MAXHOST];
    snprintf(host, sizeof host, "%s", address);
    if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0) { /* asks the kernel, which is over after this */
        snprintf(host, sizeof host, "HOST");
        serve_reached(*address == ':' ? AF_INET6 : AF_INET, host);
    }
    if (!capture_confine_server(err))
        return false;
    fprintf(stderr, "contraflow: serves at %s port %s", address, port);
    if (drawn)
        fprintf(stderr, "; on the shared host: contraflow measure --port %s --token %s %s", port, drawn, host);
    fputs("\n", stderr);
    return true;
}

int cli_measure_serve(int argc, char **argv)
{
    struct serve_options o = {.bind = "127.0.0.1", .port = MEASURE_SERVER_PORT, .max_time_s = 600, .max_clients = 1};
    struct error err = {0};
    char token[MEASURE_PROOF_TOKEN_MOST + 1] = "";
    const struct cli_option options[] = {
        {"bind", 0, .text = &o.bind},
        {"port", 0, .call = cli_measure_port, .to = &o.port},
        {"token", 0, .text = &o.token},
        {"token-file", 0, .text = &o.token_file},
        {"congestion", 0, .text = &o.congestion},
        {"max-clients", 0, .call = measure_clients, .to = &o.max_clients},
        {"max-time", 0, .call = cli_measure_seconds, .to = &o.max_time_s},
        {"max-rate", 0, .call = measure_rate, .to = &o.max_rate_bps},
        {0},
    };
    int at = cli_options_read("measure serve", argc, argv, options, &err);
    if (at > 0 && at < argc)
        error_set(&err, ERROR_INPUT, "measure serve: '%s' is no option; try 'contraflow measure serve --help'",
                  argv[at]);
    if (at <= 0 || at < argc)
        return at ? cli_fail(&err) : 0;
    bool drawn = !o.token && !o.token_file;
    char nonce[MEASURE_PROOF_NONCE];
    if (drawn ? !measure_proof_draw(nonce, &err) : !measure_proof_choose(o.token, o.token_file, token, &err))
        return cli_fail(&err);
    const struct measure_server server = {
        .bind = o.bind, .port = o.port, .token = drawn ? nonce : token, .congestion = o.congestion,
        .max_clients = o.max_clients,
        .max_time_s = o.max_time_s, .max_rate_bps = o.max_rate_bps, .user = drawn ? nonce : NULL, .ready = serve_begin,
        .log = serve_log, .stopped = serve_stopped};
    sigaction(SIGINT, &(struct sigaction){.sa_handler = serve_end}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = serve_end}, NULL);
    return measure_server_run(&server, &err) ? 0 : cli_fail(&err);
}
