/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scenarios/schema.h"

#include <cyaml/cyaml.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_PATH 128
#define SCHEMA_DEPTH 8

#define OPTIONAL (CYAML_FLAG_OPTIONAL)
#define POINTER (CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)
#define TEXT(structure, member) CYAML_FIELD_STRING_PTR(#member, POINTER, struct structure, member, 0, CYAML_UNLIMITED)

static const cyaml_schema_value_t text_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED),
};

#define TEXTS(structure, member) \
    CYAML_FIELD_SEQUENCE(#member, POINTER | CYAML_FLAG_FLOW, struct structure, member, &text_schema, 0, CYAML_UNLIMITED)

static const cyaml_schema_field_t link_fields[] = {
    TEXT(schema_link, rate),
    TEXT(schema_link, delay),
    TEXT(schema_link, goodput),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t queue_fields[] = {
    TEXT(schema_queue, queue),
    TEXT(schema_queue, limit),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t pause_fields[] = {
    TEXT(schema_pause, on),
    TEXT(schema_pause, stops),
    TEXT(schema_pause, xoff),
    TEXT(schema_pause, xon),
    TEXT(schema_pause, quanta),
    TEXTS(schema_pause, hosts),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t switch_fields[] = {
    TEXT(schema_switch, architecture),
    TEXT(schema_switch, queue),
    TEXT(schema_switch, limit),
    TEXT(schema_switch, pool),
    TEXT(schema_switch, alpha),
    TEXT(schema_switch, arbitration),
    TEXT(schema_switch, forwarding),
    TEXT(schema_switch, latency),
    TEXT(schema_switch, backplane),
    TEXT(schema_switch, ports),
    CYAML_FIELD_MAPPING_PTR("pause", POINTER, struct schema_switch, pause, pause_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t network_fields[] = {
    TEXT(schema_network, topology),
    TEXT(schema_network, hosts),
    TEXTS(schema_network, racks),
    TEXT(schema_network, uplinks),
    CYAML_FIELD_MAPPING("link", OPTIONAL, struct schema_network, link, link_fields),
    CYAML_FIELD_MAPPING_PTR("backbone", POINTER, struct schema_network, backbone, link_fields),
    CYAML_FIELD_MAPPING("nic", OPTIONAL, struct schema_network, nic, queue_fields),
    CYAML_FIELD_MAPPING("switch", OPTIONAL, struct schema_network, sw, switch_fields),
    CYAML_FIELD_MAPPING_PTR("root", POINTER, struct schema_network, root, switch_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t tcp_fields[] = {
    TEXT(schema_tcp, congestion),
    TEXT(schema_tcp, window),
    TEXT(schema_tcp, initial_window),
    TEXT(schema_tcp, segment),
    TEXT(schema_tcp, delayed_ack),
    TEXT(schema_tcp, delayed_ack_timeout),
    TEXT(schema_tcp, min_rto),
    TEXT(schema_tcp, sack),
    TEXT(schema_tcp, hystart),
    TEXT(schema_tcp, small_queues),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t gbn_fields[] = {
    TEXT(schema_gbn, window),
    TEXT(schema_gbn, timeout),
    TEXT(schema_gbn, simple),
    TEXT(schema_gbn, sequence_bits),
    TEXT(schema_gbn, packet),
    TEXT(schema_gbn, ack_every),
    TEXT(schema_gbn, ack_delay),
    TEXT(schema_gbn, send_overhead),
    TEXT(schema_gbn, send_gap),
    TEXT(schema_gbn, receive_overhead),
    TEXT(schema_gbn, user_overhead),
    TEXT(schema_gbn, jitter),
    TEXT(schema_gbn, preempt_every),
    TEXT(schema_gbn, preempt),
    TEXT(schema_gbn, ring),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t star_fields[] = {
    TEXT(schema_star, incoming),
    TEXT(schema_star, outgoing),
    TEXT(schema_star, incoming_window),
    TEXT(schema_star, outgoing_window),
    TEXT(schema_star, bytes),
    TEXT(schema_star, repeat),
    TEXTS(schema_star, points),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t random_fields[] = {
    TEXT(schema_random, d),
    TEXT(schema_random, probability),
    TEXT(schema_random, bytes),
    TEXT(schema_random, repeat),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t pairs_fields[] = {
    TEXT(schema_pairs, count),
    TEXT(schema_pairs, back),
    TEXT(schema_pairs, both_ways),
    TEXT(schema_pairs, bytes),
    TEXT(schema_pairs, repeat),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t exchange_fields[] = {
    TEXT(schema_exchange, algorithm),
    TEXT(schema_exchange, packets),
    TEXT(schema_exchange, bytes),
    TEXT(schema_exchange, group),
    TEXT(schema_exchange, global_window),
    TEXT(schema_exchange, contention_aware),
    TEXT(schema_exchange, repeat),
    TEXT(schema_exchange, period),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t burst_fields[] = {
    TEXTS(schema_burst, sources),
    TEXTS(schema_burst, sinks),
    TEXTS(schema_burst, packets),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t pingpong_fields[] = {
    TEXTS(schema_pingpong, pairs),
    TEXT(schema_pingpong, rounds),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t uniform_fields[] = {
    TEXT(schema_uniform, ports),
    TEXT(schema_uniform, load),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t flow_fields[] = {
    TEXT(schema_flow, name),
    TEXT(schema_flow, from),
    TEXT(schema_flow, to),
    TEXT(schema_flow, bytes),
    TEXT(schema_flow, window),
    TEXT(schema_flow, congestion),
    TEXT(schema_flow, start),
    TEXT(schema_flow, repeat),
    TEXT(schema_flow, duplex),
    TEXTS(schema_flow, pauses),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t flow_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct schema_flow, flow_fields),
};

static const cyaml_schema_field_t traffic_fields[] = {
    CYAML_FIELD_MAPPING_PTR("star", POINTER, struct schema_traffic, star, star_fields),
    CYAML_FIELD_MAPPING_PTR("random", POINTER, struct schema_traffic, random, random_fields),
    CYAML_FIELD_MAPPING_PTR("pairs", POINTER, struct schema_traffic, pairs, pairs_fields),
    CYAML_FIELD_MAPPING_PTR("exchange", POINTER, struct schema_traffic, exchange, exchange_fields),
    CYAML_FIELD_MAPPING_PTR("burst", POINTER, struct schema_traffic, burst, burst_fields),
    CYAML_FIELD_MAPPING_PTR("pingpong", POINTER, struct schema_traffic, pingpong, pingpong_fields),
    CYAML_FIELD_MAPPING_PTR("uniform", POINTER, struct schema_traffic, uniform, uniform_fields),
    CYAML_FIELD_SEQUENCE("flows", POINTER, struct schema_traffic, flows, &flow_schema, 0, CYAML_UNLIMITED),
    TEXT(schema_traffic, start_spread),
    TEXT(schema_traffic, barrier),
    TEXT(schema_traffic, precision),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t capture_fields[] = {
    TEXT(schema_capture, at),
    TEXT(schema_capture, snaplen),
    TEXT(schema_capture, format),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t capture_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct schema_capture, capture_fields),
};

static const cyaml_schema_field_t scenario_fields[] = {
    TEXT(schema_scenario, title),
    TEXT(schema_scenario, engine),
    TEXT(schema_scenario, transport),
    TEXT(schema_scenario, seed),
    TEXT(schema_scenario, duration),
    TEXT(schema_scenario, warmup),
    CYAML_FIELD_MAPPING("network", OPTIONAL, struct schema_scenario, network, network_fields),
    CYAML_FIELD_MAPPING("tcp", OPTIONAL, struct schema_scenario, tcp, tcp_fields),
    CYAML_FIELD_MAPPING("gbn", OPTIONAL, struct schema_scenario, gbn, gbn_fields),
    CYAML_FIELD_MAPPING("traffic", OPTIONAL, struct schema_scenario, traffic, traffic_fields),
    CYAML_FIELD_SEQUENCE("capture", POINTER, struct schema_scenario, capture, &capture_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t scenario_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct schema_scenario, scenario_fields),
};

/* The path of an error, from libcyaml's backtrace: innermost part first. */
struct backtrace {
    char parts[SCHEMA_DEPTH][64];
    int n;
};

static void __attribute__((format(printf, 3, 0)))
backtrace_log(cyaml_log_t level, void *user, const char *format, va_list args)
{
    struct backtrace *b = user;
    char line[256];
    vsnprintf(line, sizeof line, format, args);
    long entry;
    if (level < CYAML_LOG_ERROR || b->n == SCHEMA_DEPTH)
        return;
    if (sscanf(line, " in mapping field '%63[^']'", b->parts[b->n]) == 1)
        b->n++;
    else if (sscanf(line, " in sequence entry '%ld'", &entry) == 1) /* counted from 1 */
        snprintf(b->parts[b->n++], sizeof b->parts[0], "%ld", entry - 1);
}

static void backtrace_path(const struct backtrace *b, char path[static SCHEMA_PATH])
{
    size_t length = 0;
    path[0] = '\0';
    for (int i = b->n - 1; i >= 0 && length < SCHEMA_PATH; i--)
        length += (size_t)snprintf(path + length, SCHEMA_PATH - length, "%s%s", length ? "." : "", b->parts[i]);
}

static const cyaml_schema_field_t *schema_field(const cyaml_schema_field_t *fields, const char *key)
{
    for (; fields->key; fields++)
        if (strcmp(fields->key, key) == 0)
            return fields;
    return NULL;
}

/* What the schema has at a path that the backtrace gave. */
static const cyaml_schema_value_t *schema_at(const struct backtrace *b)
{
    const cyaml_schema_value_t *value = &scenario_schema;
    for (int i = b->n - 1; i >= 0; i--) {
        if (value->type == CYAML_MAPPING) {
            const cyaml_schema_field_t *field = schema_field(value->mapping.fields, b->parts[i]);
            if (!field)
                break;
            value = &field->value;
        } else if (value->type == CYAML_SEQUENCE) {
            value = value->sequence.entry;
        }
    }
    return value;
}

static void schema_list_keys(const cyaml_schema_field_t *fields, char text[static 256])
{
    size_t length = 0;
    for (const cyaml_schema_field_t *f = fields; f->key && length < 256; f++)
        length += (size_t)snprintf(text + length, 256 - length, "%s%s", f == fields ? "" : ", ", f->key);
}

/* libcyaml says what it met first; the sentence is ours. */
static bool schema_explain(const struct document *d, const struct backtrace *b, cyaml_err_t code, struct error *err)
{
    char path[SCHEMA_PATH], keys[256] = "";
    backtrace_path(b, path);
    const cyaml_schema_value_t *value = schema_at(b);
    enum document_kind kind = document_kind(d, path);
    if (value->type == CYAML_MAPPING)
        schema_list_keys(value->mapping.fields, keys);
    if (code == CYAML_ERR_OOM)
        return error_set(err, ERROR_SYSTEM, "out of memory for the scenario");
    const char *key;
    for (size_t i = 0; value->type == CYAML_MAPPING && (key = document_key(d, path, i)) != NULL; i++) {
        if (schema_field(value->mapping.fields, key))
            continue;
        char unknown[2 * SCHEMA_PATH];
        snprintf(unknown, sizeof unknown, "%s%s%.100s", path, *path ? "." : "", key);
        error_set(err, ERROR_INPUT, "unknown key; known here: %s", keys);
        return document_blame(d, unknown, err);
    }
    static const char *const kinds[] = {"nothing", "nothing", "a single value", "a list", "a mapping"};
    if (value->type == CYAML_MAPPING)
        error_set(err, ERROR_INPUT, "%s found; here belong keys of these: %s", kinds[kind], keys);
    else if (value->type == CYAML_SEQUENCE)
        error_set(err, ERROR_INPUT, "%s found; here belongs a list, such as [a, b]", kinds[kind]);
    else
        error_set(err, ERROR_INPUT, "%s found; here belongs a single value", kinds[kind]);
    return document_blame(d, path, err);
}

static cyaml_config_t schema_config(struct backtrace *b)
{
    return (cyaml_config_t){
        .log_fn = backtrace_log,
        .log_ctx = b,
        .log_level = CYAML_LOG_ERROR,
        .mem_fn = cyaml_mem,
        .flags = CYAML_CFG_STYLE_BLOCK | CYAML_CFG_NO_ALIAS,
    };
}

struct schema_scenario *schema_parse(const struct document *d, struct error *err)
{
    size_t size;
    char *text = document_text(d, &size, err);
    if (!text)
        return NULL;
    struct backtrace backtrace = {.n = 0};
    cyaml_config_t config = schema_config(&backtrace);
    struct schema_scenario *s = NULL;
    cyaml_err_t code =
        cyaml_load_data((const uint8_t *)text, size, &config, &scenario_schema, (cyaml_data_t **)&s, NULL);
    free(text);
    if (code == CYAML_OK)
        return s;
    schema_explain(d, &backtrace, code, err);
    return NULL;
}

void schema_free(struct schema_scenario *s)
{
    cyaml_config_t config = schema_config(&(struct backtrace){.n = 0});
    cyaml_free(&config, &scenario_schema, s, 0);
}

bool schema_write(const struct schema_scenario *s, FILE *f, struct error *err)
{
    cyaml_config_t config = schema_config(&(struct backtrace){.n = 0});
    char *text;
    size_t size;
    cyaml_err_t code = cyaml_save_data(&text, &size, &config, &scenario_schema, s, 0);
    if (code != CYAML_OK)
        return error_set(err, ERROR_SYSTEM, "the scenario cannot be written as YAML: %s", cyaml_strerror(code));
    fwrite(text, 1, size, f);
    free(text);
    return true;
}
