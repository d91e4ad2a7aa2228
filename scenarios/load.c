/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/load.h"

#include "base/filekind.h"
#include "base/text.h"
#include "scenarios/load_parts.h"
#include "scenarios/shipped.h"

struct load_path load_path(const char *format, ...)
{
    struct load_path path;
    va_list args;
    va_start(args, format);
    vsnprintf(path.text, sizeof path.text, format, args);
    va_end(args);
    return path;
}

bool load_given(const struct load *l, const char *path)
{
    return document_node(l->doc, path) != 0;
}

const char *load_text(const struct load *l, const char *path)
{
    int node = document_node(l->doc, path);
    const char *text = node ? document_scalar(l->doc, node) : NULL;
    return text ? text : "";
}

bool load_fail(const struct load *l, const char *path, const char *format, ...)
{
    char message[sizeof l->err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    error_set(l->err, ERROR_INPUT, "%s", message);
    return document_blame(l->doc, path, l->err);
}

bool load_window_fits(const struct load *l, const char *path, int64_t window_bytes)
{
    return window_bytes >= l->s->tcp.segment_bytes ||
           load_fail(l, document_culprit(l->doc, path, "tcp.segment"),
                     "a window of '%s' is smaller than one segment of %" PRId64 " bytes", load_text(l, path),
                     l->s->tcp.segment_bytes);
}

/* Wall time is for TCP, and for what the host's own kernel can do. */
static bool load_clock(struct load *l)
{
    const struct scenario *s = l->s;
    if (s->clock != SCENARIO_CLOCK_WALL)
        return true;
    if (s->transport == SCENARIO_TRANSPORT_GBN || s->traffic == SCENARIO_TRAFFIC_BURST ||
        s->traffic == SCENARIO_TRAFFIC_UNIFORM)
        return load_fail(l, "clock", "wall time is for a kernel's TCP, which this traffic has not; leave it virtual");
    const struct {
        bool is;
        const char *path, *why;
    } rows[] = {
        {s->tcp.small_queue_bytes > 0, "tcp.small_queues",
         "in wall time a frame no longer counts as its sender's once it waits in our NIC, so that TCP Small Queues see none"},
        {s->tcp.linux_own.gro_ps > 0, "tcp.linux.gro", "in wall time frames come one by one"},
        {s->tcp.segment_bytes > SCENARIO_MTU - SCENARIO_SEGMENT_HEADERS, "tcp.segment",
         "in wall time frames are Ethernet's, a segment at most 1448"},
        {*s->network.nic_kernel, "network.nic.qdisc", "in wall time there is no kernel of ours to have it"},
        {*s->network.sw.kernel, "network.switch.qdisc", "in wall time there is no kernel of ours to have it"},
        {*s->network.root_sw.kernel, "network.root.qdisc", "in wall time there is no kernel of ours to have it"},
        {s->n_programs > 0, "traffic.programs", "in wall time they would be programs of this system, in its time"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is)
            return load_fail(l, rows[i].path, "%s; leave clock: virtual", rows[i].why);
    return true;
}

static bool load_times(struct load *l)
{
    struct scenario *s = l->s;
    bool loop = s->precision > 0; /* 2000 messages of 10 MB among ten flows at 1 Gb/s take half of the hour */
    if (!load_given(l, "duration"))
        s->duration_ps = (loop ? 3600 : 2) * UNITS_PS_PER_S;
    if (!load_given(l, "warmup"))
        s->warmup_ps = loop ? 0 : s->duration_ps / 10 * 3; /* each message starts anew */
    if (s->warmup_ps < s->duration_ps)
        return true;
    char warmup[UNITS_TEXT], duration[UNITS_TEXT];
    units_format_time(s->warmup_ps, warmup);
    units_format_time(s->duration_ps, duration);
    return load_fail(l, document_culprit(l->doc, "warmup", "duration"),
                     "a warmup of %s leaves nothing of a duration of %s", warmup, duration);
}

static bool load_transports(struct load *l)
{
    struct scenario *s = l->s;
    struct emu_gbn_config *g = &s->gbn;
    int64_t most = INT64_C(1) << (g->sequence_bits - 1);
    s->tcp.send_buffer_bytes = s->tcp.receive_buffer_bytes;
    s->tcp.quic = s->transport == SCENARIO_TRANSPORT_QUIC;
    if (s->tcp.quic && !load_given(l, "tcp.delayed_ack_timeout"))
        s->tcp.delayed_ack_timeout_ps = SCENARIO_QUIC_ACK_DELAY_PS;
    g->seed = s->seed;
    if (!load_window_fits(l, "tcp.window", s->tcp.receive_buffer_bytes))
        return false;
    if (s->tcp.quic && s->tcp.segment_bytes < SCENARIO_QUIC_SEGMENT_MIN)
        return load_fail(l, document_culprit(l->doc, "tcp.segment", "transport"),
                         "a segment of %" PRId64 " bytes makes packets shorter than QUIC's, which have 1200 bytes at least; "
                         "%d or more", s->tcp.segment_bytes, SCENARIO_QUIC_SEGMENT_MIN);
    if (g->window_packets > most)
        return load_fail(l, document_culprit(l->doc, "gbn.window", "gbn.sequence_bits"),
                         "a window of %" PRId64 " packets with sequence numbers of %d bits; at most half of the "
                         "numbers, %" PRId64 ", or a repeated packet looks like a missing one",
                         g->window_packets, g->sequence_bits, most);
    return g->ack_every <= g->window_packets ||
           load_fail(l, document_culprit(l->doc, "gbn.ack_every", "gbn.window"),
                     "an acknowledgement every %" PRId64 " packets never comes with a window of %" PRId64,
                     g->ack_every, g->window_packets);
}

static bool load_captures(struct load *l)
{
    struct scenario *s = l->s;
    /* Hosts that are there whatever point runs. */
    int hosts = s->network.hosts;
    for (int i = 0; s->network.hosts == 0 && i < s->n_points; i++) {
        int needs = 1 + s->points[i].incoming + s->points[i].outgoing;
        hosts = hosts == 0 || needs < hosts ? needs : hosts;
    }
    for (int i = 0; i < s->n_captures; i++) {
        const char *at = s->captures[i].at;
        struct load_path path = load_path("capture.%d.at", i);
        if (!load_place_known(l, hosts, at))
            return load_fail(l, path.text, "'%s' is not a port here; a host's NIC is h0 to h%d, a switch's port %s", at,
                             hosts - 1,
                             s->network.topology == EMU_TOPOLOGY_STAR   ? "sw0-h0"
                             : s->network.topology > EMU_TOPOLOGY_MESH  ? "SWITCH-h0 or SWITCH-SWITCH"
                             : s->network.topology == EMU_TOPOLOGY_MESH ? "sw0-h0 (a switch for every two racks)"
                             : s->network.root                          ? "sw0-h0, sw0-root or root-sw0"
                                                      : "sw0-h0 (sw1 for the second rack) or sw0-sw1, sw1-sw0");
        for (int j = 0; j < i; j++)
            if (strcmp(s->captures[j].at, at) == 0)
                return load_fail(l, path.text, "'%s' is captured twice", at);
    }
    return true;
}

/* Native where it has what the scenario uses, unless an engine is asked for; else ns-3, else Linux. */
static bool load_engine(struct load *l)
{
    static const enum scenario_engine wanted[] = {SCENARIO_ENGINE_NATIVE, SCENARIO_ENGINE_NS3, SCENARIO_ENGINE_LINUX};
    struct scenario *s = l->s;
    char what[96], able[64] = "", lacking[384] = "";
    bool asked = load_given(l, "engine"), any = false;
    if (!asked)
        s->engine = SCENARIO_ENGINE_NS3;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const char *name = scenario_engine_names[wanted[i]];
        if (scenario_engine_lacks(s, wanted[i], what)) {
            if (wanted[i] != s->engine)
                text_add(lacking, sizeof lacking, ", %s no %s", name, what);
            continue;
        }
        if (!asked && !any)
            s->engine = wanted[i];
        text_add(able, sizeof able, "%s%s", any ? " or " : "; use ", name);
        any = true;
    }
    if (!scenario_engine_lacks(s, s->engine, what))
        return true;
    return load_fail(l, "engine", "%s has no %s%s", scenario_engine_names[s->engine], what, any ? able : lacking);
}

char *load_file(const struct load *l, const char *name)
{
    return shipped_beside(l->path ? l->path : "", name);
}

/* Takes the document. `path`: of its file, or NULL. */
static bool load_document(struct scenario *s, struct document *d, const char *path, struct error *err)
{
    struct load l = {.s = s, .doc = d, .err = err, .path = path};
    *s = (struct scenario){0};
    s->network.sw = s->network.root_sw = emu_switch_config_default();
    bool ok = d && keys_load(s, d, err) && load_times(&l) && load_transports(&l) && load_traffic_kind(&l) &&
              load_network(&l) && keys_check(s, d, err) && load_traffic(&l) && load_network_fits(&l) &&
              load_engine(&l) && load_clock(&l) && load_captures(&l);
    document_free(d);
    if (!ok)
        scenario_fini(s);
    return ok;
}

bool scenario_load_asking(struct scenario *s, const char *path, const struct document_set *sets, size_t n_sets,
                          const char *const *keys, bool *gives, struct error *err)
{
    MEMORY_LOCAL char *found = path ? shipped_find(path, "", err) : NULL;
    struct document *d = found ? document_open(found, sets, n_sets, err)
                         : path ? NULL : document_open_text("--set", "{}", 2, sets, n_sets, err);
    for (size_t i = 0; keys[i]; i++)
        gives[i] = d && document_node(d, keys[i]) != 0;
    return load_document(s, d, found, err) || (found && filekind_blame(found, FILEKIND_SCENARIO, err));
}

bool scenario_load(struct scenario *s, const char *path, const struct document_set *sets, size_t n_sets,
                   struct error *err)
{
    return scenario_load_asking(s, path, sets, n_sets, (const char *const[]){NULL}, NULL, err);
}

bool scenario_load_text(struct scenario *s, const char *name, const char *text, struct error *err)
{
    return load_document(s, document_open_text(name, text, strlen(text), NULL, 0, err), NULL, err);
}
