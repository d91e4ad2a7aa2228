/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/qdisc.h"

#include "base/infile.h"
#include "base/units.h"
#include "foreign/parts.h"

#define MOST ((size_t)1 << 20) /* bytes of a file */
#define ROWS 1024
#define WORD 64
#define ON_WIRE 24.0  /* preamble, FCS and gap of a frame */
#define HEADER 14.0   /* of Ethernet, which tc counts, and cake does not */
#define FULL 1514.0   /* a frame as tc counts it, where no packet passed */
#define PASSES 0.5    /* of what the busiest row with a rate carried: on the way of most */

struct row {
    char kind[FOREIGN_QDISC_KIND];
    bool root, raw, backlogged; /* its backlog is read: what follows is of one of its tins */
    double rate_bps, overhead; /* NAN: none */
    int64_t bytes, packets, dropped, backlog;
};

struct rows {
    const char *path;
    struct row row[ROWS];
    size_t n;
    size_t line;
};

static struct row *qdisc_row(struct rows *all, const char *kind)
{
    struct row *r = &all->row[all->n < ROWS ? all->n++ : ROWS - 1];
    *r = (struct row){.rate_bps = NAN, .overhead = NAN};
    snprintf(r->kind, sizeof r->kind, "%s", kind);
    return r;
}

/* The next word of a line; NULL after the last. */
static const char *qdisc_word(const char *text, char word[static WORD])
{
    text += strspn(text, " \t\r(");
    size_t n = strcspn(text, " \t\r\n,)"), kept = n < WORD ? n : WORD - 1;
    memcpy(word, text, kept);
    word[kept] = '\0';
    text += n;
    return n > 0 ? text + (*text == ',' || *text == ')') : NULL;
}

static bool qdisc_bad(const struct rows *all, const char *word, const char *wanted, struct error *err)
{
    return error_set(err, ERROR_INPUT, "%s:%zu: '%.40s': %s is wanted, as tc -s qdisc prints it", all->path, all->line, word,
                     wanted);
}

/* "2Mbit"; of two of them, a rate and what it may borrow to, the larger comes last. */
static bool qdisc_rate(const struct rows *all, const char *word, struct row *r, struct error *err)
{
    int64_t bps;
    struct error why = {0};
    if (strcmp(word, "unlimited") == 0)
        return true;
    if (!units_parse_rate(word, &bps, &why) || bps < 0)
        return qdisc_bad(all, word, "a rate such as 2Mbit", err);
    if (bps > 0)
        r->rate_bps = (double)bps;
    return true;
}

static bool qdisc_count(const struct rows *all, const char *word, int64_t *to, struct error *err)
{
    char *end;
    double value = strtod(word, &end);
    double unit = *end == 'K' ? 1024 : *end == 'M' ? 1024 * 1024 : *end == 'G' ? 1024 * 1024 * 1024 : 1; /* sizes of tc */
    if (end == word || !(value >= 0) || !(value * unit < 1e18))
        return qdisc_bad(all, word, "a number", err);
    *to = (int64_t)(value * unit);
    return true;
}

/* "qdisc htb 1: dev eth0 root refcnt 2 ...", "class htb 1:1 parent 1: ... rate 2Mbit ceil 2Mbit". */
static bool qdisc_head(struct rows *all, const char *line, struct error *err)
{
    char word[WORD], key[WORD] = "";
    const char *rest = qdisc_word(line, word);
    if (!rest || (strcmp(word, "qdisc") != 0 && strcmp(word, "class") != 0))
        return qdisc_bad(all, rest ? word : line, "'qdisc' or 'class'", err);
    rest = qdisc_word(rest, word);
    if (!rest)
        return qdisc_bad(all, line, "a kind", err);
    struct row *r = qdisc_row(all, word);
    for (rest = qdisc_word(rest, word); rest; rest = qdisc_word(rest, word)) {
        bool rated = strcmp(key, "rate") == 0 || strcmp(key, "ceil") == 0 || strcmp(key, "bandwidth") == 0;
        if (rated && !qdisc_rate(all, word, r, err))
            return false;
        r->root = r->root || strcmp(word, "root") == 0;
        r->raw = r->raw || strcmp(word, "raw") == 0;
        if (strcmp(key, "overhead") == 0)
            r->overhead = strtod(word, NULL);
        memcpy(key, word, sizeof key);
    }
    return true;
}

/* " Sent 1508240 bytes 1982 pkt (dropped 47, ..." and " backlog 9946b 41p ...". */
static bool qdisc_counters(const struct rows *all, const char *line, struct row *r, struct error *err)
{
    bool tins = r->backlogged;
    char word[WORD], key[WORD] = "", before[WORD] = "";
    for (line = qdisc_word(line, word); line; line = qdisc_word(line, word)) {
        int64_t *to = strcmp(key, "Sent") == 0      ? &r->bytes
                      : strcmp(key, "dropped") == 0 ? &r->dropped
                      : strcmp(key, "backlog") == 0 && !tins ? &r->backlog
                                                    : NULL;
        if (to && !qdisc_count(all, word, to, err))
            return false;
        r->backlogged = r->backlogged || to == &r->backlog;
        if (strcmp(word, "pkt") == 0 && strcmp(before, "bytes") == 0 && !qdisc_count(all, key, &r->packets, err))
            return false;
        memcpy(before, key, sizeof before);
        memcpy(key, word, sizeof key);
    }
    return true;
}

static bool qdisc_text(struct rows *all, const char *text, struct error *err)
{
    for (bool ok = true; *text && ok;) {
        size_t n = strcspn(text, "\n");
        MEMORY_LOCAL char *line = memory_text("%.*s", (int)n, text);
        all->line++;
        if (line[0] == ' ' || line[0] == '\t')
            ok = all->n == 0 || qdisc_counters(all, line, &all->row[all->n - 1], err);
        else if (line[strspn(line, "\r")])
            ok = qdisc_head(all, line, err);
        if (!ok)
            return false;
        text += n + (text[n] == '\n');
    }
    return true;
}

/* Rates are bytes a second. */
static bool qdisc_json(struct rows *all, const char *text, struct error *err)
{
    json_error_t said;
    json_auto_t *root = json_loads(text, 0, &said);
    all->line = root ? 1 : (size_t)(said.line > 0 ? said.line : 1);
    if (!json_is_array(root)) {
        qdisc_bad(all, root ? "{" : said.text, "a JSON array", err);
        return false;
    }
    for (size_t i = 0; i < json_array_size(root); i++) {
        const json_t *q = json_array_get(root, i), *options = json_object_get(q, "options");
        const char *kind = json_string_value(json_object_get(q, "kind"));
        if (!kind) /* tc prints empty objects for devices without a queue */
            continue;
        struct row *r = qdisc_row(all, kind);
        double rate = foreign_number(options, "rate"), bandwidth = foreign_number(options, "bandwidth");
        double bps = 8 * (rate > 0 ? rate : bandwidth);
        double count[] = {foreign_number(q, "bytes"), foreign_number(q, "packets"), foreign_number(q, "drops"),
                          foreign_number(q, "backlog")};
        int64_t *to[] = {&r->bytes, &r->packets, &r->dropped, &r->backlog};
        for (int k = 0; k < 4; k++)
            *to[k] = count[k] > 0 && count[k] < 1e18 ? (int64_t)count[k] : 0;
        r->root = json_is_true(json_object_get(q, "root"));
        r->raw = json_is_true(json_object_get(options, "raw"));
        r->overhead = foreign_number(options, "overhead");
        r->rate_bps = bps > 0 && isfinite(bps) ? bps : (double)NAN;
    }
    return true;
}

static double row_wire_bps(const struct row *r)
{
    double frame = r->packets > 0 && r->bytes > 0 ? (double)r->bytes / (double)r->packets : FULL;
    double counted = isfinite(r->overhead) && !r->raw ? frame - HEADER + r->overhead : frame;
    return r->rate_bps * (frame + ON_WIRE) / fmax(counted, 1);
}

static void qdisc_choose(const struct rows *all, struct foreign_qdisc *q)
{
    int64_t most = 0;
    const struct row *slowest = NULL, *root = &all->row[0];
    for (size_t i = 0; i < all->n; i++) {
        const struct row *r = &all->row[i];
        most = isfinite(r->rate_bps) && r->bytes > most ? r->bytes : most;
        root = r->root && !root->root ? r : root;
    }
    for (size_t i = 0; i < all->n; i++) {
        const struct row *r = &all->row[i];
        if (isfinite(r->rate_bps) && (double)r->bytes >= PASSES * (double)most &&
            !(slowest && slowest->rate_bps <= r->rate_bps))
            slowest = r;
    }
    const struct row *r = slowest ? slowest : root;
    *q = (struct foreign_qdisc){.rate_bps = slowest ? row_wire_bps(slowest) : (double)NAN, .backlog_bytes = r->backlog,
                                .dropped = r->dropped};
    snprintf(q->kind, sizeof q->kind, "%s", r->kind);
}

bool foreign_qdisc_read_text(struct foreign_qdisc *q, const char *path, const char *text, struct error *err)
{
    MEMORY_LOCAL struct rows *all = memory_zeroed(1, sizeof *all, path);
    all->path = path;
    bool json = text[strspn(text, " \t\r\n")] == '[';
    bool ok = json ? qdisc_json(all, text, err) : qdisc_text(all, text, err);
    if (ok && all->n == 0)
        ok = error_set(err, ERROR_INPUT, "%s:1: no queue; 'tc -s qdisc show dev DEV' prints them", path);
    if (ok)
        qdisc_choose(all, q);
    return ok;
}

bool foreign_qdisc_read(struct foreign_qdisc *q, const char *path, struct error *err)
{
    size_t size;
    MEMORY_LOCAL char *text = infile_read(path, MOST, "what tc prints", &size, err);
    return text && foreign_qdisc_read_text(q, path, text, err);
}
