/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/proof.h"
#include "test/cm.h"

/* Python: hmac.new(b"0123456789abcdef", b"contraflow measure client 00 ff", hashlib.sha256).hexdigest() */
TEST(test_a_proof_is_hmac_sha_256)
{
    char proof[MEASURE_PROOF_HEX], other[MEASURE_PROOF_HEX];
    measure_proof_make("0123456789abcdef", "client", "00", "ff", proof);
    assert_string_equal(proof, "329f2ecfbfdff3093bd1318feac8564b4ad9028485ff79260d12df9f5f3eed3e");
    measure_proof_make("0123456789abcdef", "server", "00", "ff", other);
    assert_false(measure_proof_equal(proof, other)); /* what one end sends proves nothing for the other */
    measure_proof_make("0123456789abcdeg", "client", "00", "ff", other);
    assert_false(measure_proof_equal(proof, other));
    assert_true(measure_proof_equal(proof, proof));
}

TEST(test_what_is_short_is_no_proof)
{
    assert_false(measure_proof_equal("", ""));
    assert_false(measure_proof_equal("32", "32"));
}

TEST(test_nonces_differ)
{
    struct error err = {0};
    char a[MEASURE_PROOF_NONCE], b[MEASURE_PROOF_NONCE];
    assert_true(measure_proof_draw(a, &err) && measure_proof_draw(b, &err));
    assert_int_equal(strlen(a), MEASURE_PROOF_NONCE - 1);
    assert_int_equal(strspn(a, "0123456789abcdef"), MEASURE_PROOF_NONCE - 1);
    assert_string_not_equal(a, b); /* 2^-128 */
}

/* Bits by the rules of proof.h: 16 digits of a kind of 16, 4 each, are 64. */
TEST(test_tokens_are_drawn_and_plain)
{
    struct error err = {0};
    char text[2 * MEASURE_PROOF_TOKEN_MOST];
    assert_true(measure_proof_token("9c1f7a02e85b3d6494f0", &err));  /* 20 digits: no series, no pair of letters */
    assert_false(measure_proof_token("9c1f7a02e85b3d6494f", &err)); /* 76 */
    assert_int_equal(err.code, ERROR_INPUT);
    assert_non_null(strstr(err.message, "openssl rand -hex 16"));
    assert_false(measure_proof_token("9c1f7a02e85b3d6494f0\x1b", &err));
    static const char *const weak[] = {
        "", "short", "sixteen characters", "0123456789abcdef0123456789abcdef", "deadbeefdeadbeefdeadbeefdeadbeef",
        "correct horse battery staple", "P@ssw0rd-Adm1n!23x", "qwertyuiopasdfghjklzxcvbnm", "aB3$aB3$aB3$aB3$aB3$aB3$",
        "contraflow measure serve", "Summer2024!Summer2024!", "letmeinletmeinletmein"};
    for (size_t i = 0; i < sizeof weak / sizeof *weak; i++)
        assert_false(measure_proof_token(weak[i], &err));
    static const char *const drawn[] = {"k3zJ9vQx7LwB2mYt5NcR", "3q2+7w8xZkPVbT1nYd0uJg==", "Xv7#pQ9!zK2@wM5&cR8*"};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        assert_true(measure_proof_token(drawn[i], &err));
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "9c1f7a02e85b3d6494f0"[(i * i / 7 + i / 3) % 20];
    text[MEASURE_PROOF_TOKEN_MOST] = '\0';
    assert_true(measure_proof_token(text, &err));
    text[MEASURE_PROOF_TOKEN_MOST] = 'a';
    text[MEASURE_PROOF_TOKEN_MOST + 1] = '\0';
    assert_false(measure_proof_token(text, &err));
    memset(text, 'a', sizeof text);
    text[MEASURE_PROOF_TOKEN_MOST] = '\0';
    assert_false(measure_proof_token(text, &err)); /* 4.7 bits, then a quarter each: 68 */
}

/* What a server draws is never refused: of 32 digits with 4 bits each 12 would have to go on a series (3.75 bits; a
 * chance of 3 in 256 each), or 24 to be common pairs of letters (2 bits; of 9 in 64 at most). */
TEST(test_what_is_drawn_is_no_word)
{
    struct error err = {0};
    char token[MEASURE_PROOF_NONCE];
    for (int i = 0; i < 20000; i++) {
        assert_true(measure_proof_draw(token, &err));
        assert_true(measure_proof_token(token, &err));
    }
}

TEST(test_a_file_has_it_in_its_first_line)
{
    struct error err = {0};
    char text[MEASURE_PROOF_TOKEN_MOST + 1], path[] = "token-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fputs("9c1f7a02e85b3d6494f0\nand more\n", f);
    fclose(f);
    assert_true(measure_proof_read(path, text, &err));
    assert_string_equal(text, "9c1f7a02e85b3d6494f0");
    f = fopen(path, "w");
    assert_non_null(f);
    fputs("short\n", f);
    fclose(f);
    assert_false(measure_proof_read(path, text, &err));
    assert_non_null(strstr(err.message, path));
    remove(path);
    assert_false(measure_proof_read(path, text, &err));
    assert_int_equal(err.code, ERROR_INPUT);
}
