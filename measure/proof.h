/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/proof.h - who may use a server: whoever knows its token, which never crosses the network.
 *
 * Either end draws a nonce of 128 bits and sends HMAC-SHA-256 (RFC 2104, RFC 6234) with the token as key over the
 * message's purpose and both nonces. The purpose keeps the ends' messages apart, so that none can be sent back. Who
 * hears them, or has a client prove to the wrong server, can try tokens on them for years: a token whose guessing takes
 * fewer than 2^MEASURE_PROOF_BITS trials, by the estimate of zxcvbn, is refused at either end. */
#pragma once

#include "base/error.h"

#define MEASURE_PROOF_NONCE 33 /* 32 hexadecimal digits and a NUL */
#define MEASURE_PROOF_HEX 65
#define MEASURE_PROOF_BITS 80
#define MEASURE_PROOF_TOKEN_MOST 256

/* 128 bits from the system, for nonces and for tokens. ERROR_SYSTEM when there are none. */
bool measure_proof_draw(char nonce[static MEASURE_PROOF_NONCE], struct error *err);

/* ERROR_INPUT when it has less than MEASURE_PROOF_BITS bits, is longer than MEASURE_PROOF_TOKEN_MOST, or holds others
 * than printable ASCII. */
bool measure_proof_token(const char *token, struct error *err);

/* The first line of a file as a token, into text. ERROR_INPUT when it cannot be read or is none. */
bool measure_proof_read(const char *path, char text[static MEASURE_PROOF_TOKEN_MOST + 1], struct error *err);

/* HMAC over "contraflow measure PURPOSE FIRST SECOND" in hexadecimal digits. */
void measure_proof_make(const char *token, const char *purpose, const char *first, const char *second,
                        char proof[static MEASURE_PROOF_HEX]);

/* Takes as long wherever the two differ. */
bool measure_proof_equal(const char *proof, const char *other);

/* --token, or the first line of --token-file, into text; text stays empty when neither is given. */
bool measure_proof_choose(const char *token, const char *file, char text[static MEASURE_PROOF_TOKEN_MOST + 1],
                       struct error *err);
