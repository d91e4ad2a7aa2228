/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/proof.h"

#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define PAIR_BITS 2.0
#define SERIES_BITS 0.25

bool measure_proof_draw(char nonce[static MEASURE_PROOF_NONCE], struct error *err)
{
    uint8_t bytes[(MEASURE_PROOF_NONCE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return error_set_errno(err, "getrandom");
    base16_encode_update(nonce, sizeof bytes, bytes);
    nonce[MEASURE_PROOF_NONCE - 1] = '\0';
    return true;
}

/* As a word would have it: what stands for another letter (but in a number), and no capitals. */
static char proof_letter(char c, bool number)
{
    static const char as[] = "0o1i!i3e4a@a5s$s7t8b9g";
    for (const char *p = as; !number && *p; p += 2)
        if (*p == c)
            return p[1];
    return (char)tolower((unsigned char)c);
}

/* Do words, or fingers on a row of keys, have these two one after the other? Words begin and end with any letter. */
static bool proof_pair(char a, char b, bool number)
{
    static const char pairs[] =
        "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro "
        "ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so "
        "rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl "
        "ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt "
        "oc fa ef cu rn sc gi da yo cr cl du ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck "
        "ew mu br bi pt ak pu ui rg ib tl ny ki rk ys ob mm fu ph og ms ye ud mb ip ub oi rl gu dr hr cc tw ft wn nu af "
        "qw wt yu uy ok sd df fg hj jk kl zx xc cv vb bn nm as we";
    const char word[] = {' ', proof_letter(a, number), proof_letter(b, number), ' ', '\0'};
    bool first = islower((unsigned char)word[1]), second = islower((unsigned char)word[2]);
    return first && second ? strstr(pairs, word) || strncmp(pairs, word + 1, 3) == 0
                           : (first && strchr(" -_.", b)) || (second && strchr(" -_.", a));
}

/* log2 of how many characters there are of the kinds that the token has; `number`: of base 16 it is. */
static double proof_kinds_bits(const char *token, bool *number)
{
    bool digit = false, small = false, capital = false, other = false;
    double kinds = 0;
    for (const char *c = token; *c; c++) {
        digit = digit || isdigit((unsigned char)*c);
        small = small || islower((unsigned char)*c);
        capital = capital || isupper((unsigned char)*c);
        other = other || ispunct((unsigned char)*c) || *c == ' ';
    }
    kinds += digit ? 10 : 0;
    kinds += small ? 26 : 0;
    kinds += capital ? 26 : 0;
    kinds += other ? 33 : 0;
    *number = digit && strspn(token, capital ? "0123456789ABCDEF" : "0123456789abcdef") == strlen(token);
    return log2(*number ? 16 : fmax(kinds, 1));
}

/* How many bits a token takes to guess, at most: a character is one of those kinds that the token has (digits, small
 * letters, ...), but 2 bits where it goes on as words do (a common pair of English, or of a keyboard's row, with 0 for o
 * and the like, or a word's end or beginning; Shannon 1951 has 1 to 2.3 bits a letter), and a quarter where it goes on a series ("345", "aaa") or
 * repeats three characters of before. */
static double proof_bits(const char *token)
{
    bool number;
    double each = proof_kinds_bits(token, &number), bits = 0;
    for (size_t i = 0, n = strlen(token); i < n; i++) {
        int step = i > 0 ? token[i] - token[i - 1] : 0;
        bool series = i > 1 && abs(step) <= 1 && step == token[i - 1] - token[i - 2], again = false;
        for (size_t k = 2; i >= 2 && k < i && !again; k++)
            again = memcmp(token + k - 2, token + i - 2, 3) == 0;
        bool word = i > 0 && proof_pair(token[i - 1], token[i], number);
        bits += series || again ? SERIES_BITS : word ? fmin(each, PAIR_BITS) : each;
    }
    return bits;
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
                     bits, MEASURE_PROOF_BITS);
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
