/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/traffic/goal.h"

#include "base/order.h"
#include "scenarios/scenario.h"

#define WORD 64 /* of a label, with its NUL */

struct label {
    char name[WORD];
    int op;
};

/* A dependency may come before the operations it names. */
struct pending {
    char op[WORD], earlier[WORD];
    int line;
    bool started;
};

struct goal {
    const char *at; /* borrowed: what is not read yet */
    int line, rank; /* rank -1: outside of any */
    struct schedule *s;
    bool *seen; /* owned; ranks whose braces have come */
    struct label *labels;     /* owned; of this rank */
    struct pending *pending;  /* owned; of this rank */
    size_t n_labels, labels_capacity, n_pending, pending_capacity, ops;
    struct error *err;
};

static bool goal_fail(struct goal *g, const char *wanted)
{
    char found[24];
    g->at += strspn(g->at, " \t\r");
    int n = (int)strcspn(g->at, " \t\r\n");
    snprintf(found, sizeof found, "%.*s", n < 20 ? n : 20, g->at);
    return error_set(g->err, ERROR_INPUT, "%d: %s%s%s found; here belongs %s", g->line, *found ? "'" : "",
                     *found ? found : "the end of the line", *found ? "'" : "", wanted);
}

/* Blanks, and comments between slash and star, which may hold lines. */
static bool goal_blanks(struct goal *g)
{
    for (;;) {
        g->at += strspn(g->at, " \t\r");
        if (g->at[0] != '/' || g->at[1] != '*')
            break;
        const char *end = strstr(g->at + 2, "*/");
        if (!end)
            return error_set(g->err, ERROR_INPUT, "%d: a comment that does not end", g->line);
        for (const char *p = g->at; p < end; p++)
            g->line += *p == '\n';
        g->at = end + 2;
    }
    if (g->at[0] == '/' && g->at[1] == '/')
        g->at += strcspn(g->at, "\n");
    return true;
}

static bool goal_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The word that stands here, or not. */
static bool goal_word(struct goal *g, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(g->at, word, n) != 0 || (goal_letter(word[n - 1]) && goal_letter(g->at[n])))
        return false;
    g->at += n;
    return goal_blanks(g);
}

static bool goal_identifier(struct goal *g, char name[static WORD])
{
    size_t n = 0;
    while (goal_letter(g->at[n]))
        n++;
    if (n == 0 || !isalpha((unsigned char)*g->at) || n >= WORD)
        return goal_fail(g, "a label: a letter, and at most 62 letters, digits or _");
    snprintf(name, WORD, "%.*s", (int)n, g->at);
    g->at += n;
    return goal_blanks(g);
}

/* A whole number from `least`; a unit may follow at once. */
static bool goal_number(struct goal *g, int64_t least, int64_t most, const char *noun, int64_t *value)
{
    const char *p = g->at;
    bool minus = least < 0 && *p == '-';
    int64_t number = 0;
    size_t digits = 0;
    char wanted[96];
    for (p += minus; isdigit((unsigned char)*p) && number <= most; p++, digits++)
        number = 10 * number + (*p - '0');
    number = minus ? -number : number;
    if (digits == 0 || number < least || number > most) {
        snprintf(wanted, sizeof wanted, "%s from %" PRId64 " to %" PRId64, noun, least, most);
        return goal_fail(g, wanted);
    }
    *value = number;
    g->at = p;
    return true;
}

/* "tag 5 cpu 1 nic 0", each or none of it. */
static bool goal_extras(struct goal *g, struct schedule_op *op)
{
    int64_t tag = op->tag, cpu = 0, nic;
    bool ok = true;
    while (ok && *g->at != '\n' && *g->at != '\0') {
        if (op->kind != SCHEDULE_CALC && goal_word(g, "tag"))
            ok = goal_number(g, op->kind == SCHEDULE_RECEIVE ? SCHEDULE_ANY_TAG : 0, INT32_MAX, "a tag", &tag);
        else if (goal_word(g, "cpu"))
            ok = goal_number(g, 0, SCHEDULE_CPUS - 1, "a processor", &cpu);
        else if (goal_word(g, "nic"))
            ok = goal_number(g, 0, SCHEDULE_CPUS - 1, "a NIC", &nic);
        else
            ok = goal_fail(g, op->kind == SCHEDULE_CALC ? "cpu, or the end of the line"
                                                        : "tag, cpu, nic or the end of the line");
        ok = ok && goal_blanks(g);
    }
    op->tag = (int)tag;
    op->cpu = (int)cpu;
    return ok;
}

static bool goal_message(struct goal *g, struct schedule_op *op)
{
    bool sends = op->kind == SCHEDULE_SEND;
    int64_t peer;
    if (!goal_number(g, 0, SCHEDULE_BYTES, "a number of bytes, such as 100b,", &op->amount))
        return false;
    if (*g->at != 'b')
        return goal_fail(g, "the unit: 100b");
    g->at++;
    if (!goal_blanks(g))
        return false;
    if (!goal_word(g, sends ? "to" : "from"))
        return goal_fail(g, sends ? "to, and a rank" : "from, and a rank");
    if (!sends && g->at[0] == '-' && g->at[1] == '1')
        return goal_fail(g, "a rank: a receive from anybody cannot be played");
    if (!goal_number(g, 0, g->s->n - 1, "a rank", &peer))
        return false;
    op->peer = (int)peer;
    op->amount = op->amount > 0 ? op->amount : 1; /* TCP carries no empty message */
    return op->peer != g->rank || error_set(g->err, ERROR_INPUT, "%d: rank %d is itself the other end", g->line, g->rank);
}

static bool goal_operation(struct goal *g, const char *label)
{
    struct schedule_op op = {.line = g->line};
    if (goal_word(g, "send"))
        op.kind = SCHEDULE_SEND;
    else if (goal_word(g, "recv"))
        op.kind = SCHEDULE_RECEIVE;
    else if (goal_word(g, "calc"))
        op.kind = SCHEDULE_CALC;
    else
        return goal_fail(g, "send, recv or calc");
    if (++g->ops > SCENARIO_LINES)
        return error_set(g->err, ERROR_INPUT, "%d: more than %d operations", g->line, SCENARIO_LINES);
    bool ok = op.kind == SCHEDULE_CALC ? goal_number(g, 0, SCHEDULE_NS, "a number of ns", &op.amount) : goal_message(g, &op);
    if (!ok || !goal_blanks(g) || !goal_extras(g, &op))
        return false;
    int number = schedule_add(g->s, g->rank, &op);
    if (label) {
        g->labels = memory_grown(g->labels, g->n_labels, &g->labels_capacity, 64, sizeof *g->labels, "labels");
        struct label *l = &g->labels[g->n_labels++];
        snprintf(l->name, sizeof l->name, "%s", label);
        l->op = number;
    }
    return true;
}

/* A label, and what follows: an operation or a dependency. */
static bool goal_labelled(struct goal *g)
{
    struct pending p = {.line = g->line};
    if (!goal_identifier(g, p.op))
        return false;
    if (*g->at == ':') {
        g->at++;
        return goal_blanks(g) && goal_operation(g, p.op);
    }
    p.started = goal_word(g, "irequires");
    if (!p.started && !goal_word(g, "requires"))
        return goal_fail(g, "a colon, requires or irequires");
    if (!goal_identifier(g, p.earlier))
        return false;
    g->pending = memory_grown(g->pending, g->n_pending, &g->pending_capacity, 64, sizeof *g->pending, "dependencies");
    g->pending[g->n_pending++] = p;
    return true;
}

static ORDER_OF(label_compare, struct label, ORDER_TEXT(name))

static const struct label *goal_find(const struct goal *g, const char *name)
{
    struct label wanted = {.op = 0};
    snprintf(wanted.name, sizeof wanted.name, "%s", name);
    return g->n_labels ? bsearch(&wanted, g->labels, g->n_labels, sizeof wanted, label_compare) : NULL;
}

/* The closing brace: every label is known now. */
static bool goal_close(struct goal *g)
{
    if (g->n_labels > 0)
        qsort(g->labels, g->n_labels, sizeof *g->labels, label_compare);
    for (size_t i = 1; i < g->n_labels; i++)
        if (strcmp(g->labels[i - 1].name, g->labels[i].name) == 0)
            return error_set(g->err, ERROR_INPUT, "%d: rank %d has two operations '%s'", g->line, g->rank,
                             g->labels[i].name);
    for (size_t i = 0; i < g->n_pending; i++) {
        const struct pending *p = &g->pending[i];
        const struct label *op = goal_find(g, p->op), *earlier = goal_find(g, p->earlier);
        if (!op || !earlier)
            return error_set(g->err, ERROR_INPUT, "%d: rank %d has no operation '%s'", p->line, g->rank,
                             op ? p->earlier : p->op);
        schedule_require(g->s, g->rank, op->op, earlier->op, p->started);
    }
    g->n_labels = g->n_pending = 0;
    g->rank = -1;
    return true;
}

static bool goal_open(struct goal *g)
{
    int64_t rank;
    if (g->s->n == 0)
        return goal_fail(g, "num_ranks, before any rank");
    if (!goal_number(g, 0, g->s->n - 1, "a rank", &rank) || !goal_blanks(g))
        return false;
    if (g->seen[rank])
        return error_set(g->err, ERROR_INPUT, "%d: rank %d is there twice", g->line, (int)rank);
    if (!goal_word(g, "{"))
        return goal_fail(g, "{");
    g->seen[rank] = true;
    g->rank = (int)rank;
    return true;
}

static bool goal_ranks(struct goal *g)
{
    int64_t ranks;
    if (g->s->n > 0)
        return error_set(g->err, ERROR_INPUT, "%d: num_ranks is there twice", g->line);
    if (!goal_number(g, 1, SCENARIO_HOSTS, "a number of ranks", &ranks) || !goal_blanks(g))
        return false;
    schedule_init(g->s, (int)ranks);
    g->seen = memory_zeroed((size_t)ranks, sizeof *g->seen, "ranks");
    return true;
}

/* What begins here; more may follow on the line after a brace alone. */
static bool goal_statement(struct goal *g)
{
    if (g->rank < 0) {
        if (goal_word(g, "num_ranks"))
            return goal_ranks(g);
        return goal_word(g, "rank") ? goal_open(g) : goal_fail(g, "num_ranks, or rank");
    }
    if (goal_word(g, "}"))
        return goal_close(g);
    const char *at = g->at;
    bool bare = goal_word(g, "send") || goal_word(g, "recv") || goal_word(g, "calc");
    bool label = bare && (*g->at == ':' || strncmp(g->at, "requires", 8) == 0 || strncmp(g->at, "irequires", 9) == 0);
    g->at = at;
    return (bare && !label ? goal_operation(g, NULL) : goal_labelled(g)) &&
           (*g->at == '\n' || *g->at == '\0' || goal_fail(g, "the end of the line"));
}

static bool goal_text(struct goal *g)
{
    for (g->line = 1; *g->at; ) {
        if (!goal_blanks(g))
            return false;
        if (*g->at == '\n') {
            g->at++;
            g->line++;
        } else if (*g->at && !goal_statement(g)) {
            return false;
        }
    }
    if (g->rank >= 0)
        return error_set(g->err, ERROR_INPUT, "%d: the text ends within rank %d: a } is missing", g->line, g->rank);
    return g->s->n > 0 || error_set(g->err, ERROR_INPUT, "%d: no num_ranks: no GOAL text", g->line);
}

bool goal_read(const char *text, int64_t eager_bytes, struct schedule *s, struct error *err)
{
    *s = (struct schedule){0};
    struct goal g = {.at = text, .rank = -1, .s = s, .err = err};
    bool ok = goal_text(&g) && schedule_finishes(s, eager_bytes, err);
    MEMORY_FREE(g.seen, g.labels, g.pending);
    if (!ok)
        schedule_fini(s);
    return ok;
}
