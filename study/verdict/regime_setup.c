/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/verdict/regime_setup.h"

#include "base/units.h"
#include "study/run_network.h"

static bool setup_shares_host(const struct scenario *s, int flow)
{
    for (int i = 0; i < flow; i++) {
        if (s->flows[i].from + s->flows[i].to == s->flows[flow].from + s->flows[flow].to) /* one of them is h0 */
            return true;
    }
    return false;
}

bool study_regime_setup_is_star(const struct scenario *s)
{
    int n[2] = {0, 0};
    if (s->network.topology != EMU_TOPOLOGY_STAR || !scenario_has_streams(s) || s->traffic != SCENARIO_TRAFFIC_FLOWS)
        return false;
    for (int i = 0; i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        if (f->bytes > 0 || f->duplex || f->n_pauses > 0 || (f->from == 0) == (f->to == 0) || setup_shares_host(s, i))
            return false;
        n[f->from == 0]++;
    }
    return n[0] > 0 && n[1] > 0;
}

static double setup_limit(int64_t bytes)
{
    return bytes == EMU_QUEUE_UNLIMITED ? (double)INFINITY : (double)bytes;
}

static enum model_regime_acks setup_acks(enum emu_discipline discipline)
{
    static const enum model_regime_acks acks[] = {[EMU_DISCIPLINE_ACKS_WAIT] = MODEL_REGIME_ACKS_WAIT,
                                                  [EMU_DISCIPLINE_ACKS_LEAD] = MODEL_REGIME_ACKS_FIRST,
                                                  [EMU_DISCIPLINE_ACKS_TAKE_TURNS] = MODEL_REGIME_ACKS_TURN};
    return acks[emu_disciplines[discipline]->acks];
}

static const char *setup_network(const struct scenario *s, struct model_regime_setup *setup)
{
    const struct emu_switch_config *sw = &s->network.sw;
    bool shared = emu_architectures[sw->architecture]->place == EMU_ARCHITECTURE_IN_POOL;
    if (emu_architectures[sw->architecture]->place == EMU_ARCHITECTURE_AT_INPUTS)
        return "the switch buffers at its inputs";
    if (emu_disciplines[s->network.nic.discipline]->drops_early || emu_disciplines[sw->queue.discipline]->drops_early)
        return "a queue drops frames before its buffer is full";
    if (s->network.nic.mark_bytes > 0 || sw->queue.mark_bytes > 0)
        return "a queue marks frames";
    if (!emu_discipline_is_plain(emu_disciplines[s->network.nic.discipline]) ||
        !emu_discipline_is_plain(emu_disciplines[sw->queue.discipline]))
        return "a queue serves classes, or holds frames back";
    if (sw->cut_through || sw->latency_ps > 0 || sw->backplane_bps > 0 || s->network.uplinks > 0)
        return "the switch is more than a queue a port";
    if (emu_network_takes_time(&s->network))
        return "hosts need time for a frame";
    if (s->network.link.faults.on || s->network.backbone.faults.on)
        return "links lose, delay or reorder frames";
    if (s->network.nic.limit_packets != EMU_QUEUE_UNLIMITED || sw->queue.limit_packets != EMU_QUEUE_UNLIMITED ||
        (shared && sw->pool.packets != EMU_QUEUE_UNLIMITED))
        return "buffers are counted in packets";
    if (sw->pause.n_classes > 0)
        return "PAUSE is by class";
    if (sw->pause.on && (s->network.pause_hosts || sw->pause.xoff.bytes == EMU_QUEUE_UNLIMITED))
        return "PAUSE is not on every link, or counts packets";
    setup->delay_s = (double)s->network.link.delay_ps / UNITS_PS_PER_S;
    setup->nic_acks = setup_acks(s->network.nic.discipline);
    setup->port_acks = setup_acks(sw->queue.discipline);
    setup->nic_limit_bytes = setup_limit(s->network.nic.limit_bytes);
    setup->port_limit_bytes = setup_limit(sw->queue.limit_bytes);
    if (shared) /* one port is the pool's only user, and may have alpha times what it leaves */
        setup->port_limit_bytes = fmin(setup->port_limit_bytes,
                                       setup_limit(sw->pool.bytes) * (sw->alpha > 0 ? sw->alpha / (1 + sw->alpha) : 1));
    setup->pause = !sw->pause.on             ? MODEL_REGIME_PAUSE_OFF
                   : sw->pause.everybody ? MODEL_REGIME_PAUSE_EVERYBODY
                                         : MODEL_REGIME_PAUSE_SENDERS;
    setup->xoff_bytes = (double)sw->pause.xoff.bytes;
    setup->xon_bytes = (double)sw->pause.xon.bytes;
    return NULL;
}

const char *study_regime_setup(const struct scenario *s, struct model_regime_setup *setup)
{
    const struct emu_tcp_config *tcp = &s->flows[0].tcp;
    *setup = (struct model_regime_setup){
        .link = study_run_network_link(s),
        .small_queue_bytes = (double)tcp->small_queue_bytes,
    };
    for (int i = 0; i < s->n_flows; i++) {
        const struct scenario_flow *f = &s->flows[i];
        bool incoming = f->to == 0;
        double window = study_run_network_window(&f->tcp);
        double *seen = incoming ? &setup->incoming_window_bytes : &setup->outgoing_window_bytes;
        (*(incoming ? &setup->incoming : &setup->outgoing))++;
        if (*seen > 0 && *seen != window)
            return "windows differ within a direction";
        *seen = window;
        if (f->tcp.initial_window_segments * f->tcp.segment_bytes < (int64_t)window)
            return "windows are not open at the start";
        if (!emu_congestion_rows[f->tcp.congestion].until_loss)
            return "a congestion control that may set windows of its own";
    }
    return setup_network(s, setup);
}
