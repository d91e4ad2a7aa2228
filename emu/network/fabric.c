/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/network/fabric.h"

#define WORD 64

struct fabric_input {
    struct emu_queue accounts;
    struct emu_ring *rings; /* owned; one, or one an output (made when the first frame comes) */
    int64_t free_ps;              /* input: when the frame that crosses is through */
    bool shown;                   /* input: its first frame is among those that wait */
    bool waking;                  /* an event at free_ps is pending */
    struct emu_fabric *fabric;    /* borrowed */
};

struct emu_fabric {
    struct emu_fabric_config config;
    struct fabric_input *inputs; /* owned */
    int n, words;             /* ports; words of a set of them */
    uint64_t *waiting;        /* owned; [out * words]: inputs that have a frame for this output */
    int *last;                /* owned; which input each output took last; -1: none */
    int turn;                 /* the output that may cross next when the backplane has been busy */
    int64_t backplane_free_ps;
    bool waking;              /* an event at backplane_free_ps is pending */
    struct random random;
};

const char *const emu_arbitration_names[] = {
    [EMU_ARBITRATION_ROUND_ROBIN] = "round-robin",
    [EMU_ARBITRATION_OLDEST] = "oldest",
    [EMU_ARBITRATION_RANDOM] = "random",
    NULL,
};

static void fabric_room(void *user, struct emu_port *p);

struct emu_fabric *emu_fabric_new(const struct emu_fabric_config *config)
{
    struct emu_fabric *f = memory_zeroed(1, sizeof *f, "a switch's inputs");
    int n = config->n_ports;
    *f = (struct emu_fabric){
        .config = *config,
        .inputs = memory_zeroed((size_t)n, sizeof *f->inputs, "a switch's inputs"),
        .n = n,
        .words = (n + WORD - 1) / WORD,
        .last = memory_zeroed((size_t)n, sizeof *f->last, "a switch's inputs"),
    };
    f->waiting = memory_zeroed((size_t)n * (size_t)f->words, sizeof *f->waiting, "a switch's inputs");
    f->random = random_of(config->seed);
    for (int i = 0; i < n; i++) {
        emu_queue_init(&f->inputs[i].accounts, &config->queue);
        f->inputs[i].fabric = f;
        f->last[i] = -1;
        if (config->buffers)
            config->ports[i].room = (struct emu_port_room){fabric_room, f};
    }
    return f;
}

void emu_fabric_free(struct emu_fabric *f)
{
    for (int i = 0; f && i < f->n; i++) {
        struct fabric_input *input = &f->inputs[i];
        for (int k = 0; input->rings && k < (f->config.per_output ? f->n : 1); k++)
            emu_ring_fini(&input->rings[k], f->config.ops);
        free(input->rings);
    }
    if (f)
        MEMORY_FREE(f->inputs, f->waiting, f->last);
    free(f);
}

const struct emu_queue *emu_fabric_input(const struct emu_fabric *f, int in)
{
    return &f->inputs[in].accounts;
}

static struct emu_ring *fabric_ring(const struct emu_fabric *f, int in, int out)
{
    return &f->inputs[in].rings[f->config.per_output ? out : 0];
}

static uint64_t *fabric_waiting(const struct emu_fabric *f, int out)
{
    return &f->waiting[(size_t)out * (size_t)f->words];
}

static void fabric_wait(struct emu_fabric *f, int in, int out)
{
    fabric_waiting(f, out)[in / WORD] |= UINT64_C(1) << (in % WORD);
}

/* The first input at or after `from` that waits; -1: none. */
static int fabric_next(const uint64_t *waiting, int words, int from)
{
    for (int w = from / WORD; w < words; w++) {
        uint64_t bits = w == from / WORD ? waiting[w] & (~UINT64_C(0) << (from % WORD)) : waiting[w];
        if (bits)
            return w * WORD + __builtin_ctzll(bits);
    }
    return -1;
}

static int fabric_oldest(const struct emu_fabric *f, const uint64_t *waiting, int out)
{
    int oldest = -1;
    for (int i = fabric_next(waiting, f->words, 0); i >= 0; i = fabric_next(waiting, f->words, i + 1)) {
        if (oldest < 0 || emu_ring_peek(fabric_ring(f, i, out))->time_ps <
                              emu_ring_peek(fabric_ring(f, oldest, out))->time_ps)
            oldest = i;
    }
    return oldest;
}

static int fabric_random(struct emu_fabric *f, const uint64_t *waiting)
{
    int n = 0, in = -1;
    for (int w = 0; w < f->words; w++)
        n += __builtin_popcountll(waiting[w]);
    for (uint64_t k = n > 0 ? 1 + random_below(&f->random, (uint64_t)n) : 0; k > 0; k--)
        in = fabric_next(waiting, f->words, in + 1);
    return in;
}

/* The input an output takes next; -1: none waits. */
static int fabric_choose(struct emu_fabric *f, int out)
{
    const uint64_t *waiting = fabric_waiting(f, out);
    if (f->config.arbitration == EMU_ARBITRATION_OLDEST)
        return fabric_oldest(f, waiting, out);
    if (f->config.arbitration == EMU_ARBITRATION_RANDOM)
        return fabric_random(f, waiting);
    int after = f->last[out] + 1, in = after < f->n ? fabric_next(waiting, f->words, after) : -1;
    return in >= 0 ? in : fabric_next(waiting, f->words, 0);
}

static void fabric_try(struct emu_fabric *f, int out);

/* Input FIFO: its first frame comes forward once the one before is through. */
static void fabric_show(struct emu_fabric *f, int in)
{
    struct fabric_input *input = &f->inputs[in];
    if (input->shown || input->rings[0].count == 0)
        return;
    input->shown = true;
    int out = emu_ring_peek(&input->rings[0])->frame.out;
    fabric_wait(f, in, out);
    fabric_try(f, out);
}

static void fabric_input_free(void *arg)
{
    struct fabric_input *input = arg;
    input->waking = false;
    fabric_show(input->fabric, (int)(input - input->fabric->inputs));
}

static void fabric_backplane_free(void *arg)
{
    struct emu_fabric *f = arg;
    f->waking = false;
    int from = f->turn;
    for (int i = 0; i < f->n && !f->waking; i++)
        fabric_try(f, (from + i) % f->n);
}

/* Returns false while another frame is crossing; an event then wakes whoever waits. */
static bool fabric_backplane_is_free(struct emu_fabric *f, int64_t now_ps)
{
    if (now_ps >= f->backplane_free_ps)
        return true;
    if (!f->waking) {
        f->waking = true;
        emu_clock_schedule(&f->config.clock, f->backplane_free_ps - now_ps, fabric_backplane_free, f);
    }
    return false;
}

/* The time an input is taken up by a frame to an output. */
static int64_t fabric_cross_ps(const struct emu_fabric *f, int in, int out, const struct emu_frame *frame)
{
    const struct emu_link_config *a = &f->config.ports[in].link, *b = &f->config.ports[out].link;
    return emu_port_wire_ps(a->rate_bps > b->rate_bps ? a : b, emu_frame_wire_bytes(frame));
}

static void fabric_cross(struct emu_fabric *f, int in, int out, int64_t now_ps)
{
    struct fabric_input *input = &f->inputs[in];
    struct emu_ring *ring = fabric_ring(f, in, out);
    struct emu_frame frame;
    emu_ring_pop(ring, &frame);
    emu_queue_leave(&input->accounts, &frame);
    f->last[out] = in;
    if (!f->config.per_output || ring->count == 0)
        fabric_waiting(f, out)[in / WORD] &= ~(UINT64_C(1) << (in % WORD));
    input->shown = false;
    if (f->config.backplane_bps > 0) {
        struct emu_link_config bus = {.rate_bps = f->config.backplane_bps};
        f->backplane_free_ps = now_ps + emu_port_wire_ps(&bus, emu_frame_buffer_bytes(&frame));
        f->turn = (out + 1) % f->n;
    }
    if (!f->config.per_output) {
        int64_t cross_ps = f->config.buffers ? fabric_cross_ps(f, in, out, &frame) : f->backplane_free_ps - now_ps;
        input->free_ps = now_ps + cross_ps;
        /* At the output's own rate it is through when the output is idle again, which fabric_room() hears. */
        bool told = f->config.buffers && f->config.ports[in].link.rate_bps <= f->config.ports[out].link.rate_bps;
        if (!told && !input->waking) {
            input->waking = true;
            emu_clock_schedule(&f->config.clock, cross_ps, fabric_input_free, input);
        }
    }
    if (f->config.left)
        f->config.left(f->config.user, in, out);
    f->config.arrive(f->config.user, in, out, &frame);
}

/* Lets cross what an output can take now. */
static void fabric_try(struct emu_fabric *f, int out)
{
    struct emu_port *p = &f->config.ports[out];
    int64_t now_ps = emu_clock_now(&f->config.clock);
    while (!f->config.buffers || emu_port_is_idle(p)) {
        int in = fabric_choose(f, out);
        if (in < 0 || !fabric_backplane_is_free(f, now_ps))
            return;
        fabric_cross(f, in, out, now_ps);
    }
}

/* An output has finished a frame, started one, or was told to stop. */
static void fabric_room(void *user, struct emu_port *p)
{
    struct emu_fabric *f = user;
    int out = p->index, fed = f->last[out];
    if (!f->config.per_output && fed >= 0 && !f->inputs[fed].shown && f->inputs[fed].rings &&
        emu_clock_now(&f->config.clock) >= f->inputs[fed].free_ps)
        fabric_show(f, fed);
    fabric_try(f, out);
}

void emu_fabric_offer(struct emu_fabric *f, int in, int out, const struct emu_frame *frame)
{
    struct fabric_input *input = &f->inputs[in];
    int64_t now_ps = emu_clock_now(&f->config.clock);
    if (!emu_queue_admit(&input->accounts, frame)) {
        input->accounts.stats.dropped--; /* the port counts it, as drops of its input's buffer */
        input->accounts.stats.dropped_bytes -= emu_frame_buffer_bytes(frame);
        emu_port_refuse(&f->config.ports[in], frame);
        return;
    }
    if (!input->rings)
        input->rings = memory_zeroed(f->config.per_output ? (size_t)f->n : 1, sizeof *input->rings,
                                     "a switch's inputs");
    struct emu_frame held = *frame;
    held.out = (uint16_t)out;
    emu_ring_push(fabric_ring(f, in, out), &held, now_ps);
    if (f->config.entered)
        f->config.entered(f->config.user, in, out);
    if (f->config.per_output) {
        fabric_wait(f, in, out);
        fabric_try(f, out);
    } else if (now_ps >= input->free_ps) {
        fabric_show(f, in);
    }
}

bool emu_fabric_audit(const struct emu_fabric *f, struct error *err)
{
    for (int i = 0; i < f->n; i++) {
        const struct emu_queue *q = &f->inputs[i].accounts;
        int64_t held = 0;
        for (int k = 0; f->inputs[i].rings && k < (f->config.per_output ? f->n : 1); k++)
            held += (int64_t)f->inputs[i].rings[k].count;
        if (q->stats.enqueued != q->stats.dequeued + held || held != q->depth_packets ||
            q->stats.enqueued_bytes != q->stats.dequeued_bytes + q->depth_bytes)
            return error_set(err, ERROR_SYSTEM,
                             "the input buffer of port %s does not conserve frames: %" PRId64 " came, %" PRId64
                             " left, %" PRId64 " are there; please report this",
                             f->config.ports[i].name, q->stats.enqueued, q->stats.dequeued, held);
    }
    return true;
}
