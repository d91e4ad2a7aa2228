/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "study/infer/hypothesis.h"

#include "base/names.h"
#include "base/text.h"
#include "study/replay/replay.h"

#define FULL_FRAME_BITS (1538 * 8.0)

const char *const study_hypothesis_parameters[] = {"window", "buffer", "ratio", "bus", "processor", "interrupts", "ring",
                                             NULL};

/* With FIFO queues everywhere; "%s" is the size of small queues. */
static const char *const hypothesis_usual[] = {
    "small-queues=%s",
    "window+ratio",
    "autotuned",
    "cc=linuxreno+buffer",
    "cc=cubic+buffer",
    "pause+buffer",
    "pause-senders+buffer",
};

/* Is it a change that study_replay_what_if() knows? */
static bool hypothesis_change(const char *part, struct error *err)
{
    struct scenario s = {.tcp = {.segment_bytes = 1448}};
    struct scenario_flow flow = {.from = 0, .to = 1};
    s.flows = &flow;
    s.n_flows = 1;
    return study_replay_what_if(&s, part, err);
}

static bool hypothesis_part(struct study_hypothesis *h, const char *part, struct error *err)
{
    int parameter = names_find(study_hypothesis_parameters, part);
    if (parameter >= 0) {
        h->searched[parameter] = true;
        return true;
    }
    if (strcmp(part, "autotuned") == 0) {
        h->cold = true;
        return true;
    }
    struct error said;
    if (!*part || !hypothesis_change(part, &said))
        return error_set(err, ERROR_INPUT, "hypothesis '%s': '%s' is no part of one; parts are changes as of "
                         "'contraflow replay --what-if', autotuned, window, buffer, ratio, bus, processor, interrupts and ring; or it is the name of one "
                         "model, such as eq6", h->text, part);
    text_add(h->changes, sizeof h->changes, "%s%s", *h->changes ? "+" : "", part);
    return true;
}

bool study_hypothesis_parse(struct study_hypothesis *h, const char *text, struct error *err)
{
    *h = (struct study_hypothesis){.model = study_models_find(text)};
    if (strlen(text) >= sizeof h->text)
        return error_set(err, ERROR_INPUT, "hypothesis '%.20s...' is longer than %zu bytes", text, sizeof h->text - 1);
    snprintf(h->text, sizeof h->text, "%s", text);
    if (h->model) {
        h->searched[STUDY_HYPOTHESIS_WINDOW] = strcmp(text, "window") == 0 || strcmp(text, "fluid") == 0;
        return true;
    }
    char *copy = memory_text("%s", text), *rest = copy, *part;
    bool ok = true;
    while (ok && (part = strsep(&rest, "+")))
        ok = hypothesis_part(h, part, err);
    free(copy);
    size_t searched = 0;
    for (int i = 0; i < STUDY_HYPOTHESIS_PARAMETERS; i++)
        searched += h->searched[i];
    if (searched < MODEL_POSTERIOR_AXES && !h->searched[STUDY_HYPOTHESIS_BUFFER] && !strstr(h->changes, "buffer=") &&
        !strstr(h->changes, "window="))
        h->searched[STUDY_HYPOTHESIS_WINDOW] = true;
    return ok && (searched <= MODEL_POSTERIOR_AXES ||
                  error_set(err, ERROR_INPUT, "hypothesis '%s': %d parameters at most are searched for", text,
                            MODEL_POSTERIOR_AXES));
}

const char *study_hypothesis_usual(size_t n, int64_t rate_bps, char text[static STUDY_HYPOTHESIS_TEXT])
{
    const char *const *names = emu_discipline_names;
    for (size_t nic = 0; names[nic]; nic++)
        for (size_t port = 0; names[port]; port++) {
            if (!emu_discipline_is_plain(emu_disciplines[nic]) || !emu_discipline_is_plain(emu_disciplines[port]) ||
                n-- > 0)
                continue;
            text[0] = '\0';
            if (nic == port)
                text_add(text, STUDY_HYPOTHESIS_TEXT, "%s", names[nic]);
            else
                text_add(text, STUDY_HYPOTHESIS_TEXT, "%s@nic+%s@port", names[nic], names[port]);
            return text;
        }
    if (n >= sizeof hypothesis_usual / sizeof *hypothesis_usual)
        return NULL;
    char size[UNITS_TEXT];
    units_format_bytes(rate_bps / 8000 > 2 * 1448 ? rate_bps / 8000 : 2 * 1448, size);
    text[0] = '\0';
    const char *place = strstr(hypothesis_usual[n], "%s");
    text_add(text, STUDY_HYPOTHESIS_TEXT, "%.*s%s", (int)(place ? place - hypothesis_usual[n] : (long)strlen(hypothesis_usual[n])), hypothesis_usual[n],
             place ? size : "");
    return text;
}

/* The host that most flows begin or end at. */
static int hypothesis_hub(const struct scenario *s)
{
    int hub = 0, most = 0;
    for (int i = 0; i < 2 * s->n_flows; i++) {
        int host = i % 2 ? s->flows[i / 2].to : s->flows[i / 2].from, ends = 0;
        for (int k = 0; k < s->n_flows; k++)
            ends += (s->flows[k].from == host) + (s->flows[k].to == host);
        if (ends > most || (ends == most && host < hub)) {
            most = ends;
            hub = host;
        }
    }
    return hub;
}

static void hypothesis_windows(const struct study_hypothesis *h, const double *value, bool relative,
                               struct scenario *s)
{
    int hub = hypothesis_hub(s);
    for (int i = 0; i < s->n_flows; i++) {
        struct emu_tcp_config *tcp = &s->flows[i].tcp;
        double bytes = (double)tcp->receive_buffer_bytes;
        if (h->searched[STUDY_HYPOTHESIS_WINDOW])
            bytes = relative ? bytes * value[STUDY_HYPOTHESIS_WINDOW] : value[STUDY_HYPOTHESIS_WINDOW];
        if (h->searched[STUDY_HYPOTHESIS_RATIO_OUT])
            bytes *= sqrt(s->flows[i].from == hub ? value[STUDY_HYPOTHESIS_RATIO_OUT]
                                                  : 1 / value[STUDY_HYPOTHESIS_RATIO_OUT]);
        bool warm = s->tcp.initial_window_segments == SCENARIO_WARM;
        tcp->send_buffer_bytes = tcp->receive_buffer_bytes = llround(fmax(fmin(bytes, (double)SCENARIO_WINDOW),
                                                                          (double)tcp->segment_bytes));
        if (warm)
            tcp->initial_window_segments = (tcp->receive_buffer_bytes + tcp->segment_bytes - 1) / tcp->segment_bytes;
        if (h->cold)
            tcp->initial_window_segments = STUDY_HYPOTHESIS_COLD;
    }
    if (h->cold)
        s->tcp.initial_window_segments = STUDY_HYPOTHESIS_COLD;
}

void study_hypothesis_host_ranges(int64_t rate_bps, double (*range)[2])
{
    const double rate = (double)rate_bps, frame_s = FULL_FRAME_BITS / rate;
    memcpy(range[STUDY_HYPOTHESIS_BUS], (double[2]){rate / 2, 8 * rate}, sizeof range[0]);
    memcpy(range[STUDY_HYPOTHESIS_PROCESSOR], (double[2]){frame_s / 16, 4 * frame_s}, sizeof range[0]);
    memcpy(range[STUDY_HYPOTHESIS_INTERRUPTS], (double[2]){5e-6, 1e-3}, sizeof range[0]);
    memcpy(range[STUDY_HYPOTHESIS_RING], (double[2]){16, 4096}, sizeof range[0]);
}

static void hypothesis_hosts(const struct study_hypothesis *h, const double *value, struct emu_host_config *host)
{
    if (h->searched[STUDY_HYPOTHESIS_BUS])
        host->bus_bps = llround(value[STUDY_HYPOTHESIS_BUS]);
    if (h->searched[STUDY_HYPOTHESIS_PROCESSOR])
        host->frame_ps = llround(value[STUDY_HYPOTHESIS_PROCESSOR] * UNITS_PS_PER_S);
    if (h->searched[STUDY_HYPOTHESIS_INTERRUPTS])
        host->interrupt_ps = llround(value[STUDY_HYPOTHESIS_INTERRUPTS] * UNITS_PS_PER_S);
    if (h->searched[STUDY_HYPOTHESIS_RING])
        host->rx_ring = (int)lround(value[STUDY_HYPOTHESIS_RING]);
}

bool study_hypothesis_apply(const struct study_hypothesis *h, const double value[STUDY_HYPOTHESIS_PARAMETERS],
                            bool relative, struct scenario *s, struct error *err)
{
    hypothesis_windows(h, value, relative, s);
    hypothesis_hosts(h, value, &s->network.host);
    if (*h->changes && !study_replay_what_if(s, h->changes, err))
        return false;
    if (!h->searched[STUDY_HYPOTHESIS_BUFFER])
        return true;
    char text[64];
    snprintf(text, sizeof text, "buffer=%.0fB@port", fmax(value[STUDY_HYPOTHESIS_BUFFER], 1518));
    return study_replay_what_if(s, text, err);
}
