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
    char a[MEASURE_PROOF_NONCE], b[MEASURE_PROOF_NONCE];
    assert_true(measure_proof_draw(a, &err) && measure_proof_draw(b, &err));
    assert_int_equal(strlen(a), MEASURE_PROOF_NONCE - 1);
    assert_int_equal(strspn(a, "0123456789abcdef"), MEASURE_PROOF_NONCE - 1);
    assert_string_not_equal(a, b); /* 2^-128 */
}

static void assert_refused(const char *token)
{
    struct error err = {0};
    if (measure_proof_token(token, &err))
        fail_msg("'%s' is taken", token);
    assert_int_equal(err.code, ERROR_INPUT);
    assert_non_null(strstr(err.message, "openssl rand -hex 16"));
}

static void assert_taken(const char *token)
{
    struct error err = {0};
    if (!measure_proof_token(token, &err))
        fail_msg("'%s': %s", token, err.message);
}

/* What people think of, and what every cracker tries first: none takes 2^80 trials. */
TEST(test_what_people_choose_is_refused)
{
    static const char *const chosen[] = {
        "", "short", "sixteen characters", "contraflow measure serve", "contraflow-server-token-2026!",
        /* phrases, with and without what stands between words, and another way round */
        "thequickbrownfoxjumpsoverthelazydog", "the quick brown fox jumps over the lazy dog",
        "the-quick-brown-fox-jumps-over-the-lazy-dog", "godyzalehtrevospmujxofnworbkciuqeht",
        "tobeornottobethatisthequestion", "itwasthebestoftimesitwastheworstoftimes",
        "inthebeginninggodcreatedtheheavenandtheearth", "correct horse battery staple", "CorrectHorseBatteryStaple2026!",
        "maryhadalittlelambitsfleecewaswhiteassnow", "MyDogIsCalledRexAndHeIsBrown", "this-is-my-secret-token",
        "gandalf-frodo-samwise-aragorn-legolas", "januaryfebruarymarchaprilmayjunejuly",
        /* fingers on keys */
        "qwertyuiopasdfghjklzxcvbnm", "zxcvbnmasdfghjklqwertyuiop1234567890", "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
        "zaq12wsxcde34rfvbgt56yhnmju78ik", "qazwsxedcrfvtgbyhnujmikolp",
        /* dates and numbers */
        "20261126201512312001010119991231", "26.11.2026 12.12.1999 01.01.2001", "1999-12-31-2000-01-01-2026-11-26",
        "314159265358979323846", "12345678901234567890123456789012345678901234567890",
        /* digits for letters */
        "P@ssw0rd-Adm1n!23x", "P4ssw0rd!M0nk3y!Dr4g0n!L3tm31n!", "Tr0ub4dor&3Tr0ub4dor&3", "c0ntr4fl0wc0ntr4fl0wc0ntr4fl0w",
        /* series and repeats */
        "0123456789abcdef0123456789abcdef", "deadbeefdeadbeefdeadbeefdeadbeef", "aB3$aB3$aB3$aB3$aB3$aB3$",
        "Summer2024!Summer2024!", "letmeinletmeinletmein", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
        "password1234567890password"};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        assert_refused(chosen[i]);
}

/* 16 digits of base 16 are 64 bits, and 19 are 76, small or capital, however random; 13 of 95 characters 85, 12 are 79. */
TEST(test_few_characters_are_few_bits)
{
    assert_refused("9c1f7a02e85b3d64");
    assert_refused("9c1f7a02e85b3d6494f");
    assert_refused("9C1F7A02E85B3D6494F");
    assert_refused("k}2#Wq~8L^x9");
    assert_taken("9c1f7a02e85b3d6494f0c7d5");
    assert_taken("9C1F7A02E85B3D6494F0C7D5");
}

TEST(test_what_a_machine_drew_is_taken)
{
    assert_taken("f47ac10b-58cc-4372-a567-0e02b2c3d479"); /* 122 bits, as uuidgen writes them (RFC 4122) */
    assert_taken("k3zJ9vQx7LwB2mYt5NcR");
    assert_taken("3q2+7w8xZkPVbT1nYd0uJg=="); /* openssl rand -base64 16 */
    assert_taken("Xv7#pQ9!zK2@wM5&cR8*");
}

/* Its most is what it says, and what is repeated is little however long it is. */
TEST(test_length_is_bounded)
{
    char text[MEASURE_PROOF_TOKEN_MOST + MEASURE_PROOF_NONCE];
    for (size_t at = 0; at < MEASURE_PROOF_TOKEN_MOST; at += MEASURE_PROOF_NONCE - 1)
        assert_true(measure_proof_draw(text + at, &err));
    assert_taken(text);
    text[MEASURE_PROOF_TOKEN_MOST] = 'a';
    text[MEASURE_PROOF_TOKEN_MOST + 1] = '\0';
    assert_false(measure_proof_token(text, &err));
    assert_non_null(strstr(err.message, "257 characters; it may have 256"));
    memset(text, 'a', MEASURE_PROOF_TOKEN_MOST);
    text[MEASURE_PROOF_TOKEN_MOST] = '\0';
    assert_refused(text);
    for (size_t i = 0; i < MEASURE_PROOF_TOKEN_MOST; i++)
        text[i] = "4$o0"[i % 4];
    assert_refused(text);
    assert_false(measure_proof_token("9c1f7a02e85b3d6494f0c7d5\x1b", &err));
    assert_false(measure_proof_token("9c1f7a02e85b3d6494f0c7d5\xe9", &err));
}

/* What a server draws, 32 digits with 4 bits each, is never refused: of 200000 the least had 87 bits, of a mean of 132
 * and a standard deviation of 9. */
TEST(test_what_is_drawn_is_no_word)
{
    char token[MEASURE_PROOF_NONCE];
    for (int i = 0; i < 2000; i++) {
        assert_true(measure_proof_draw(token, &err));
        assert_taken(token);
    }
}

TEST(test_a_file_has_it_in_its_first_line)
{
    char text[MEASURE_PROOF_TOKEN_MOST + 1], path[] = "token-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fputs("9c1f7a02e85b3d6494f0c7d5\nand more\n", f);
    fclose(f);
    assert_true(measure_proof_read(path, text, &err));
    assert_string_equal(text, "9c1f7a02e85b3d6494f0c7d5");
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
