/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/sockets.h"

#include "base/monotonic.h"
#include "test/cm.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define BUFFER 20000 /* bytes of a receiver, which Linux doubles and offers half of */

/* A connection from ends[0] to ends[1] over the loopback, of IPv4 or IPv6; and who listened. */
static int connection(int family, int ends[static 2])
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr *address = family == AF_INET ? (struct sockaddr *)&four : (struct sockaddr *)&six;
    socklen_t size = family == AF_INET ? sizeof four : sizeof six;
    int listens = socket(family, SOCK_STREAM, 0), buffer = BUFFER;
    if (bind(listens, address, size) != 0) {
        close(listens);
        return -1;
    }
    assert_int_equal(setsockopt(listens, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer), 0);
    assert_int_equal(listen(listens, 1), 0);
    assert_int_equal(getsockname(listens, address, &size), 0);
    ends[0] = socket(family, SOCK_STREAM, 0);
    assert_int_equal(connect(ends[0], address, size), 0);
    ends[1] = accept(listens, NULL, NULL);
    assert_true(ends[1] >= 0);
    return listens;
}

TEST(test_connections_are_found_and_no_others)
{
    MEMORY_ENDS(measure_sockets_fini) struct measure_sockets s = {0};
    int ends[2], pair[2];
    int listens = connection(AF_INET, ends), datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    for (int again = 0; again < 2; again++) {
        measure_sockets_find(&s);
        assert_int_equal(s.n, 2);
        assert_true((s.fds[0].fd == ends[0] && s.fds[1].fd == ends[1]) ||
                    (s.fds[0].fd == ends[1] && s.fds[1].fd == ends[0]));
    }
    const int all[] = {ends[0], ends[1], pair[0], pair[1], listens, datagrams};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        close(all[i]);
    measure_sockets_find(&s);
    assert_int_equal(s.n, 0);
}

TEST(test_a_byte_ends_the_wait)
{
    MEMORY_ENDS(measure_sockets_fini) struct measure_sockets s = {0};
    int ends[2], listens = connection(AF_INET, ends);
    measure_sockets_find(&s);
    double before_s = monotonic_now_s();
    measure_sockets_wait(&s, 20000000);
    assert_true(monotonic_now_s() - before_s >= 0.02);
    assert_int_equal(send(ends[0], "x", 1, 0), 1);
    before_s = monotonic_now_s();
    for (int i = 0; i < 20; i++)
        measure_sockets_wait(&s, 900000000);
    assert_true(monotonic_now_s() - before_s < 0.9);
    close(ends[0]);
    close(ends[1]);
    close(listens);
}

/* Of two connections each end names both; the other one knows them by that, and the listener's buffer bounds the window
 * of who sends to it. */
static void both_ends_call_a_connection_the_same(int family)
{
    struct measure_sockets senders = {0}, receivers = {0}, found = {0};
    int one[2], two[2], listens[2] = {connection(family, one), connection(family, two)};
    uint64_t names[3];
    if (listens[0] < 0)
        skip(); /* no such addresses here */
    struct pollfd from[] = {{.fd = one[0]}, {.fd = two[0]}}, to[] = {{.fd = two[1]}};
    senders = (struct measure_sockets){.fds = from, .n = 2};
    receivers = (struct measure_sockets){.fds = to, .n = 1};
    measure_sockets_name(&receivers, names, 3);
    assert_true(names[0] != 0 && names[1] == 0 && names[2] == 0);
    for (int again = 0; again < 2; again++) {
        measure_sockets_match(&senders, names, 3, &found);
        assert_ints({found.n, 1}, {found.fds[0].fd, two[0]});
    }
    double window = measure_sockets_window(&found);
    assert_true(window > 1000 && window <= 2 * BUFFER);
    assert_true(measure_sockets_window(&senders) >= 2 * window - 1);
    measure_sockets_match(&receivers, names, 3, &found); /* who named it is not who is at its other end */
    assert_int_equal(found.n, 0);
    assert_true(measure_sockets_window(&found) <= 0);
    close(two[0]);
    measure_sockets_match(&senders, names, 3, &found);
    assert_int_equal(found.n, 0);
    measure_sockets_fini(&found);
    close(one[0]);
    for (int i = 0; i < 2; i++)
        close(listens[i]);
    close(one[1]);
    close(two[1]);
}

TEST(test_both_ends_call_a_connection_of_version_4_the_same)
{
    both_ends_call_a_connection_the_same(AF_INET);
}

TEST(test_both_ends_call_a_connection_of_version_6_the_same)
{
    both_ends_call_a_connection_the_same(AF_INET6);
}
