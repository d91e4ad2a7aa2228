/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/proof.h"

#include "base/memory.h"

#include <errno.h>
#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

bool measure_proof_draw(char nonce[static MEASURE_PROOF_NONCE], struct error *err)
{
    uint8_t bytes[(MEASURE_PROOF_NONCE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return error_set_errno(err, "getrandom");
    base16_encode_update(nonce, sizeof bytes, bytes);
    nonce[MEASURE_PROOF_NONCE - 1] = '\0';
    return true;
}

bool measure_proof_token(const char *token, struct error *err)
{
    size_t n = strlen(token);
    if (n < MEASURE_PROOF_TOKEN || n > MEASURE_PROOF_TOKEN_MOST)
        return error_set(err, ERROR_INPUT, "token: %zu characters; it needs %d to %d, such as those that 'contraflow "
                         "measure serve' draws", n, MEASURE_PROOF_TOKEN, MEASURE_PROOF_TOKEN_MOST);
    for (const char *c = token; *c; c++)
        if (*c < ' ' || *c > '~')
            return error_set(err, ERROR_INPUT, "token: a character that is not printable ASCII; 32 digits 0 to 9 and "
                             "a to f would do");
    return true;
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
    char *message = memory_text("contraflow measure %s %s %s", purpose, first, second);
    hmac_sha256_set_key(&context, strlen(token), (const uint8_t *)token);
    hmac_sha256_update(&context, strlen(message), (const uint8_t *)message);
    hmac_sha256_digest(&context, sizeof digest, digest);
    base16_encode_update(proof, sizeof digest, digest);
    proof[MEASURE_PROOF_HEX - 1] = '\0';
    free(message);
}

bool measure_proof_equal(const char *proof, const char *other)
{
    return strlen(proof) == MEASURE_PROOF_HEX - 1 && strlen(other) == MEASURE_PROOF_HEX - 1 &&
           memeql_sec(proof, other, MEASURE_PROOF_HEX - 1);
}
