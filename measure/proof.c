/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/proof.h"

#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <sys/random.h>
#include <zxcvbn.h>

#define PROOF_WEIGHED 100

bool measure_proof_draw(char nonce[static MEASURE_PROOF_NONCE], struct error *err)
{
    uint8_t bytes[(MEASURE_PROOF_NONCE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return error_set_errno(err, "getrandom");
    base16_encode_update(nonce, sizeof bytes, bytes);
    nonce[MEASURE_PROOF_NONCE - 1] = '\0';
    return true;
}

/* The bits that zxcvbn's guesser needs (Wheeler, "zxcvbn: low-budget password strength estimation", USENIX Security 2016):
 * it knows words, names, dates, rows of keys, series and what is repeated. It looks closely at 100 characters, which
 * take it 3 ms at most (one letter 100 times: each part of a repeat is a repeat): it is given no more. */
static double proof_guesses_bits(const char *token, const char *between)
{
    static const char *own[] = {"contraflow", "measure", "serve", "server", "token", NULL};
    char text[PROOF_WEIGHED + 1];
    size_t n = 0;
    for (const char *c = token; *c && n < PROOF_WEIGHED; c++)
        if (!strchr(between, *c))
            text[n++] = *c;
    text[n] = '\0';
    return ZxcvbnMatch(text, own, NULL);
}

/* How many bits a token takes to guess, at most. What follows from a token takes no more guesses than the token, so the
 * least of these counts: its beginning; that without what stands between words, where zxcvbn sees no words, but
 * characters of any kind; and 4 bits a digit, where zxcvbn, for digits of base 16, has 5.2 of letters and digits. */
static double proof_bits(const char *token)
{
    size_t length = strlen(token);
    bool number = strspn(token, "0123456789abcdef") == length || strspn(token, "0123456789ABCDEF") == length;
    double bits = fmin(proof_guesses_bits(token, ""), proof_guesses_bits(token, " -_.,:;"));
    return number ? fmin(bits, 4.0 * (double)length) : bits;
}

bool measure_proof_token(const char *token, struct error *err)
{
    if (strlen(token) > MEASURE_PROOF_TOKEN_MOST)
        return error_set(err, ERROR_INPUT, "token: %zu characters; it may have %d", strlen(token),
                         MEASURE_PROOF_TOKEN_MOST);
    for (const char *c = token; *c; c++)
        if (*c < ' ' || *c > '~')
            return error_set(err, ERROR_INPUT, "token: a character that is not printable ASCII; 32 digits 0 to 9 and "
                             "a to f would do");
    double bits = proof_bits(token);
    return bits >= MEASURE_PROOF_BITS ||
           error_set(err, ERROR_INPUT, "token: it can be guessed (some %.0f bits; %d are wanted): 'contraflow measure "
                     "serve' without --token draws one of 128 bits and shows it, as does 'openssl rand -hex 16'",
                     floor(bits), MEASURE_PROOF_BITS);
}

bool measure_proof_read(const char *path, char text[static MEASURE_PROOF_TOKEN_MOST + 1], struct error *err)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return error_set(err, ERROR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    char line[MEASURE_PROOF_TOKEN_MOST + 3] = "";
    bool read = fgets(line, sizeof line, f) != NULL;
    fclose(f);
    line[strcspn(line, "\r\n")] = '\0';
    snprintf(text, MEASURE_PROOF_TOKEN_MOST + 1, "%.*s", MEASURE_PROOF_TOKEN_MOST, line);
    if (!read)
        return error_set(err, ERROR_INPUT, "%s: empty; its first line should be the token", path);
    return measure_proof_token(line, err) || error_prefix(err, "%s: ", path);
}

void measure_proof_make(const char *token, const char *purpose, const char *first, const char *second,
                        char proof[static MEASURE_PROOF_HEX])
{
    struct hmac_sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    MEMORY_LOCAL char *message = memory_text("contraflow measure %s %s %s", purpose, first, second);
    hmac_sha256_set_key(&context, strlen(token), (const uint8_t *)token);
    hmac_sha256_update(&context, strlen(message), (const uint8_t *)message);
    hmac_sha256_digest(&context, sizeof digest, digest);
    base16_encode_update(proof, sizeof digest, digest);
    proof[MEASURE_PROOF_HEX - 1] = '\0';
}

bool measure_proof_equal(const char *proof, const char *other)
{
    return strlen(proof) == MEASURE_PROOF_HEX - 1 && strlen(other) == MEASURE_PROOF_HEX - 1 &&
           memeql_sec(proof, other, MEASURE_PROOF_HEX - 1);
}

bool measure_proof_choose(const char *token, const char *file, char text[static MEASURE_PROOF_TOKEN_MOST + 1],
                       struct error *err)
{
    if (token && file)
        return error_set(err, ERROR_INPUT, "--token and --token-file: one of them is enough");
    if (file)
        return measure_proof_read(file, text, err);
    if (!token)
        return true;
    snprintf(text, MEASURE_PROOF_TOKEN_MOST + 1, "%s", token);
    return measure_proof_token(token, err) || error_prefix(err, "--");
}
