/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/capture_page_parts.h"

#include "base/text.h"

/* Of the i-th flow shown. Flows of one connection share a block, that of the first of them. */
static const struct analysis_packets *packets_of(const struct view_capture_page_capture *c, size_t i, int *end,
                                                 int shift[2])
{
    return analysis_flows_packets(c->flows, c->bulk.flow[i].slot, end, shift);
}

/* The flow shown before the i-th of whose connection it is, or i. */
static size_t packets_first(const struct view_capture_page_capture *c, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (c->bulk.flow[k].slot / 2 == c->bulk.flow[i].slot / 2)
            return k;
    return i;
}

int view_capture_page_block(const struct view_capture_page_capture *c, size_t i, int *end)
{
    int shift[2], blocks = 0, other;
    size_t first = packets_first(c, i);
    if (!packets_of(c, i, end, shift))
        return -1;
    for (size_t k = 0; k < first; k++)
        blocks += packets_first(c, k) == k && packets_of(c, k, &other, shift);
    return blocks;
}

json_t *view_capture_page_blocks(const struct view_capture_page_capture *c, size_t number)
{
    json_t *all = json_array();
    for (size_t i = 0; i < c->n_shown; i++) {
        int end, shift[2];
        char id[64];
        const struct analysis_packets *p = packets_of(c, i, &end, shift);
        if (!p || packets_first(c, i) != i)
            continue;
        snprintf(id, sizeof id, "packets-%zu-%zu", number, json_array_size(all));
        const struct analysis_packets_end *e = p->end;
        json_array_append_new(all, json_pack("{s:s, s:[ii], s:[II], s:[II], s:[II]}", "id", id, "shift", shift[0],
                                             shift[1], "data", (json_int_t)e[0].data, (json_int_t)e[1].data, "acks",
                                             (json_int_t)e[0].acks, (json_int_t)e[1].acks, "sacks",
                                             (json_int_t)e[0].sacks, (json_int_t)e[1].sacks));
    }
    return all;
}

/* "12, 13, 20 and 4 more" */
static void packets_again(struct view_table *t, const struct analysis_packets_end *e)
{
    char text[16 * ANALYSIS_PACKETS_AGAIN + 32] = "";
    for (uint32_t i = 0; i < e->again && i < ANALYSIS_PACKETS_AGAIN; i++)
        text_add(text, sizeof text, "%s%" PRIu32, i > 0 ? ", " : "", e->again_frame[i]);
    if (e->again > ANALYSIS_PACKETS_AGAIN)
        text_add(text, sizeof text, " and %" PRIu32 " more", e->again - ANALYSIS_PACKETS_AGAIN);
    view_table_add(t, "%s", e->again > 0 ? text : "-");
}

static void packets_table(FILE *f, const struct view_capture_page_capture *c)
{
    struct view_table t = view_table_of(
        "from|to|segments|first packet|last packet|ACKs|SACK blocks|sent again|packets sent again");
    for (size_t i = 0; i < c->n_shown; i++) {
        int end, shift[2];
        const struct analysis_packets *p = packets_of(c, i, &end, shift);
        if (!p)
            continue;
        const struct analysis_packets_end *e = &p->end[end], *back = &p->end[!end];
        view_table_add_flow(&t, &c->bulk.flow[i].flow);
        const uint32_t number[] = {e->data, e->first_frame, e->last_frame, back->acks, back->sacks, e->again};
        for (size_t k = 0; k < sizeof number / sizeof *number; k++)
            view_table_add(&t, "%" PRIu32, number[k]);
        packets_again(&t, e);
    }
    fputs("<details><summary>Packets of these flows by their numbers in the file, as Wireshark counts them</summary>\n",
          f);
    view_table_html(f, NULL, &t, 2);
    fputs("</details>\n", f);
}

void view_capture_page_packets(FILE *f, const struct view_capture_page_capture *c, size_t number)
{
    size_t blocks = 0;
    int64_t cut = analysis_flows_packets_cut(c->flows);
    if (c->n_shown == 0)
        return;
    packets_table(f, c);
    if (cut > 0)
        fprintf(f, "<p>This page has no packet from number %" PRId64 " on, for want of room; <code>editcap -r</code> "
                "cuts out a part of a capture by numbers, <code>editcap -A -B</code> by time.</p>\n", cut);
    for (size_t i = 0; i < c->n_shown; i++) {
        int end, shift[2];
        const struct analysis_packets *p = packets_of(c, i, &end, shift);
        if (!p || packets_first(c, i) != i)
            continue;
        fprintf(f, "<script type=\"text/plain\" id=\"packets-%zu-%zu\">", number, blocks++);
        fwrite(p->text, 1, p->bytes, f);
        fputs("</script>\n", f);
    }
}
