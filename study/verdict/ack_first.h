/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study/verdict/ack_first.h - a run emulated once more, with ACKs first at every queue: by the same engine, scenario and seed,
 * into a directory for temporary files that goes again. What flows carry then is what was possible; and with fewer ACKs
 * besides, what these would win. */
#pragma once

#include "results/summary.h"
#include "scenarios/scenario.h"

/* Who asks for second emulations, and what became of the last. */
struct study_ack_first {
    /* Every 0.2 s, and with -1 s after the last time; may be NULL. `fraction` of it is done. */
    void (*show)(void *user, const char *directory, double fraction, double elapsed_s);
    void *user;
    int signal;            /* that ended it; 0: none. Nothing is emulated any more then */
    struct error why_not;  /* why a run could not be emulated again; code ERROR_NONE: it could */
};

/* Takes its directory while that exists. False with *err: that is why not, then. */
typedef bool study_ack_first_take(void *user, const char *directory, struct error *err);

/* Emulates the run of `directory`, whose scenario and summary these are, once more. False with a->why_not, or
 * a->signal. *s stays as it is. Receivers acknowledge so many packets at once, or as many as they did if that is more.
 * Where nothing is to be changed, the run itself is taken. */
bool study_ack_first_run(struct study_ack_first *a, const char *directory, const struct scenario *s, int64_t packets,
                         const struct results_summary *summary, study_ack_first_take *take, void *user);

/* The words that give every queue of a run's scenario this discipline, " --set network.nic.queue=fair ...", for free(). */
char *study_ack_first_words(const char *directory, const char *queue);
