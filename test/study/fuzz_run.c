/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scenarios nobody chose, played in this process when they are small, and what they leave, read by all that reads
 * captures and runs: judged, explained, fitted, made into a replay. The input: a text; after a NUL, changes of the
 * files of the run, four bytes each: of which file, where, and what is added there. An input that begins like a capture
 * is a capture. `test/fuzz run`, or test/fuzzing/replay.c. */
#include "results/directory.h"
#include "results/directory_clear.h"
#include "scenarios/load.h"
#include "scenarios/run/run.h"
#include "scenarios/save.h"
#include "study/explain/both_ends.h"
#include "study/explain/explain_run.h"
#include "study/fit/fit_read.h"
#include "study/verdict/judge.h"
#include "study/explain/pendulum.h"
#include "study/verdict/workload.h"
#include "test/fuzzing/text.h"

static void must_at(bool holds, const char *what, int line)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_run.c:%d: does not hold: %s\n", line, what);
    abort();
}
#define MUST(condition) must_at(condition, #condition, __LINE__)

#define FRAMES 6e3 /* of 500 bytes that all hosts could send: no larger run is played */
#define HOSTS 24
#define FLOWS 64
#define CAPTURES 4

static char directory[64]; /* of the run */

static void end(void)
{
    struct error err;
    results_directory_clear(directory, &err);
    results_directory_remove(directory, "scenario.yaml", &err);
    rmdir(directory);
}

static void start(void)
{
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(directory, sizeof directory, "%s/contraflow-fuzz-XXXXXX", memory);
    MUST(mkdtemp(directory) && atexit(end) == 0);
}

static bool small(const struct scenario *s)
{
    const struct emu_network_config *n = &s->network;
    double rate_bps = (double)(n->link.up_bps > n->link.rate_bps ? n->link.up_bps : n->link.rate_bps);
    double frames = (double)n->hosts * rate_bps / 8 * (double)s->duration_ps / 1e12 / 500;
    return n->hosts <= HOSTS && s->n_flows <= FLOWS && s->n_captures <= CAPTURES && s->n_datagrams <= FLOWS &&
           frames <= FRAMES && s->duration_ps <= 100 * INT64_C(1000000000000);
}

/* Every answer is one that has a name, and rests on figures. */
static void check_resource(const struct analysis_resource *r)
{
    const struct judge_diagnosis *d = &r->diagnosis;
    MUST(r->n > 0 && r->start_s <= r->end_s && memchr(r->judgement.why, '\0', sizeof r->judgement.why));
    for (size_t i = 0; i < r->n; i++)
        MUST(r->flows[i].rate_bps > 0 && isfinite(r->flows[i].rate_bps));
    if (!r->diagnosed)
        return;
    MUST(*judge_answer_name(d->answer) && *judge_cause(d->cause)->name && *judge_cause(d->second)->name);
    MUST(d->in.carried_bps >= 0 && d->out.carried_bps >= 0 && isfinite(d->in.carried_bps + d->out.carried_bps));
    MUST(!(d->lost_share > 1) && (d->answer == JUDGE_ANSWER_UNKNOWN || !isnan(d->lost_share)));
    MUST(memchr(d->why, '\0', sizeof d->why));
}

static bool visit(void *user, const char *source, const char *run, const struct analysis_resources *all,
                  struct error *err)
{
    (void)user, (void)run;
    struct study_workload w;
    struct study_workload_signature signature = {0};
    for (size_t i = 0; all && i < all->n + all->n_alone; i++)
        check_resource(i < all->n ? &all->resource[i] : &all->alone[i - all->n]);
    if (all)
        return true;
    bool ok = study_workload_judge(source, 0.05, &w, &signature, err);
    study_workload_fini(&w);
    study_workload_signature_fini(&signature);
    return ok;
}

static void explain(const struct analysis_flows *f)
{
    MEMORY_ENDS(study_explanation_fini) struct study_explanations x = {0};
    struct study_pendulum p;
    struct error err = {0};
    char text[STUDY_EXPLANATION_TEXT];
    study_explanation_make(&x, f);
    for (size_t i = 0; i < x.n; i++) {
        study_explanation_say(&x.flow[i], text);
        MUST(*text);
        study_explanation_phases(&x.flow[i], text);
    }
    if (study_pendulum_make(f, &x, &p, &err))
        study_pendulum_say(&p, text);
}

/* A replay's scenario is one that is read back; so is each of its variants. */
static void replay(const struct analysis_flows *f)
{
    static const char *const what_if[] = {"ack-first@nic", "buffer=500kB", "window=1MB+fair", "cc=cubic", "pause"};
    study_replay_guess guess[STUDY_REPLAY_GUESSES];
    MEMORY_ENDS(study_replay_fini) struct study_replay r = {.reads_network = true, .reads_start = true};
    struct error err = {0};
    struct document_set set = {"traffic.star={incoming: 1}", "--set "};
    int n = 0;
    MUST(scenario_load(&r.scenario, NULL, &set, 1, &err));
    r.scenario.traffic = SCENARIO_TRAFFIC_FLOWS;
    bool ok = study_replay_build(&r, f, &err);
    if (!ok)
        text_check(&err);
    if (ok) {
        study_replay_guesses(&r, true, true, true, guess, &n);
        MUST(n > 0 && n <= STUDY_REPLAY_GUESSES);
    }
    for (size_t i = 0; ok && i < (size_t)n + sizeof what_if / sizeof *what_if; i++) {
        const char *text = i < (size_t)n ? guess[i] : what_if[i - (size_t)n];
        MUST(!*text || study_replay_what_if(&r.scenario, text, &err));
    }
    if (ok) {
        char *written = NULL;
        size_t size;
        MEMORY_ENDS(scenario_fini) struct scenario again;
        FILE *stream = memory_stream(&written, &size);
        MUST(scenario_write(&r.scenario, stream, "fuzz", &err));
        memory_stream_end(stream, &written);
        bool back = scenario_load_text(&again, "replay", written, &err);
        if (!back)
            fprintf(stderr, "%s\n%s\n", err.message, written);
        MUST(back);
        free(written);
    }
}

static void read_capture(const char *path)
{
    struct study_judge_options options = study_judge_options_default();
    struct error err = {0};
    struct analysis_capture capture;
    struct analysis_flows *f = study_capture_read(path, true, NULL, &capture, &err);
    if (!f) {
        MUST(err.code != ERROR_NONE);
        return;
    }
    explain(f);
    replay(f);
    analysis_flows_free(f);
    MUST(study_judge_source(path, &options, NULL, visit, NULL, &err));
}

/* What any of the readers refuses, it says so. */
static void read_run(char *const *capture, int n)
{
    struct study_judge_options options = study_judge_options_default();
    struct study_explain_run run = {0};
    struct study_fit_read fit;
    struct study_both_ends both;
    struct error err = {0};
    if (!study_judge_source(directory, &options, NULL, visit, NULL, &err))
        text_check(&err);
    err = (struct error){0};
    if (!study_explain_run_read(directory, &run, &err))
        text_check(&err);
    study_explain_run_fini(&run);
    err = (struct error){0};
    study_fit_read_start(&fit);
    if (!study_fit_read_source(&fit, directory, &err) || !study_fit_read_end(&fit, &err))
        text_check(&err);
    study_fit_read_free(&fit);
    err = (struct error){0};
    if (n > 1) {
        if (!study_both_ends_read((const char *[]){capture[0], capture[1]}, NULL, &both, &err))
            text_check(&err);
        study_both_ends_fini(&both);
    }
    for (int i = 0; i < n; i++)
        read_capture(capture[i]);
}

/* Adds a byte to one of a file's. */
static void change(const char *path, const uint8_t *how)
{
    FILE *f = fopen(path, "r+b");
    if (!f)
        return;
    fseek(f, 0, SEEK_END);
    long at = ftell(f) * (how[1] << 8 | how[2]) >> 16;
    fseek(f, at, SEEK_SET);
    int byte = fgetc(f);
    fseek(f, at, SEEK_SET);
    if (byte != EOF)
        fputc((byte + how[3]) & 255, f);
    fclose(f);
}

static void progress(void *user, double fraction)
{
    (void)user;
    MUST(fraction >= 0 && fraction <= 1);
}

static void play(const struct scenario *s, const uint8_t *changes, size_t n)
{
    static const char *const names[] = {"summary.json", "flows.csv", "progress.csv", "queues.csv", "scenario.yaml",
                                        "operations.csv"};
    enum { NAMES = sizeof names / sizeof *names };
    struct scenario_run_options options = {.directory = directory, .progress = progress, .threads = 1};
    struct scenario_run_result result;
    struct error err = {0};
    char *path[NAMES + CAPTURES] = {NULL};
    MUST(scenario_save_directory(s, directory, "fuzz", &err));
    if (!scenario_run(s, &options, &result, &err)) {
        text_check(&err);
        return;
    }
    MUST(!result.interrupted && result.ended_ps >= 0 && result.ended_ps <= s->duration_ps);
    for (int i = 0; i < s->n_captures; i++) {
        char name[SCENARIO_NAME + 8];
        bool ng = s->captures[i].format == SCENARIO_FORMAT_PCAPNG;
        snprintf(name, sizeof name, "%s.%s", s->captures[i].at, ng ? "pcapng" : "pcap");
        path[i] = results_directory_path(directory, name);
    }
    for (int i = 0; i < NAMES; i++)
        path[s->n_captures + i] = results_directory_path(directory, names[i]);
    for (; n >= 4; changes += 4, n -= 4)
        change(path[changes[0] % (NAMES + s->n_captures)], changes);
    read_run(path, s->n_captures);
    for (int i = 0; i < NAMES + s->n_captures; i++)
        free(path[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t magic[][4] = {{0xd4, 0xc3, 0xb2, 0xa1}, {0x4d, 0x3c, 0xb2, 0xa1}, {0xa1, 0xb2, 0xc3, 0xd4},
                                       {0x0a, 0x0d, 0x0d, 0x0a}, {0x1f, 0x8b, 8, 0}};
    struct scenario s, point;
    struct error err = {0};
    if (!*directory)
        start();
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (size >= 4 && memcmp(data, magic[i], 4) == 0) {
            char path[40];
            int fd = text_file(data, size, path);
            read_capture(path);
            close(fd);
            return 0;
        }
    char *text = memory_text("%.*s", (int)size, (const char *)data);
    size_t used = strlen(text) + 1;
    if (!scenario_load_text(&s, "fuzz", text, &err)) {
        text_check(&err);
    } else {
        if (s.n_points > 0)
            scenario_at_point(&s, 0, &point);
        if (small(s.n_points > 0 ? &point : &s))
            play(s.n_points > 0 ? &point : &s, data + used, used < size ? size - used : 0);
        if (s.n_points > 0)
            scenario_fini(&point);
        scenario_fini(&s);
    }
    free(text);
    return 0;
}
