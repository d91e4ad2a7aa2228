/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/sockets.h"
#include "test/cm.h"

#define HEAD "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"

static void read_good(struct foreign_sockets *s, const char *text)
{
    struct error err = {0};
    if (!foreign_sockets_read_text(s, "x.ss", text, &err))
        fail_msg("%s", err.message);
}

static void read_bad(const char *text, const char *message)
{
    struct error err = {0};
    MEMORY_ENDS(foreign_sockets_fini) struct foreign_sockets s;
    assert_false(foreign_sockets_read_text(&s, "x.ss", text, &err));
    assert_int_equal(err.code, ERROR_INPUT);
    assert_non_null(strstr(err.message, message));
}

TEST(test_a_sender_that_floods)
{
    MEMORY_ENDS(foreign_sockets_fini) struct foreign_sockets s;
    read_good(&s, HEAD "ESTAB 0 131768 10.80.0.1:56722 10.80.1.1:5201\n"
                       "\t cubic rto:728 rtt:510/4.7 mss:1448 cwnd:47 bytes_sent:567653 bytes_retrans:2896 "
                       "bytes_acked:499598 busy:3956ms rwnd_limited:100ms(2.5%) sndbuf_limited:40ms(1.0%) unacked:47 "
                       "notsent:63712\n");
    assert_int_equal(s.n, 1);
    const struct foreign_socket *x = s.socket;
    assert_strings({x->local, "10.80.0.1"}, {x->peer, "10.80.1.1"});
    assert_ints({x->local_port, 56722}, {x->peer_port, 5201}, {x->samples, 1}, {x->floods, 1}, {x->idles, 0});
    assert_true(fabs(x->busy_s - 3.956) < 1e-9 && fabs(x->rwnd_limited_s - 0.1) < 1e-9);
    assert_true(fabs(x->sndbuf_limited_s - 0.04) < 1e-9);
    assert_true(fabs(x->acked_bytes - 499598) < 1e-9 && fabs(x->again_bytes - 2896) < 1e-9);
}

/* Of four samples: data wait to be sent; all of the window is on its way; neither; its application sets the rate. */
TEST(test_samples_one_after_another)
{
    MEMORY_ENDS(foreign_sockets_fini) struct foreign_sockets s;
    read_good(&s, "1700000000\n" HEAD "ESTAB 0 0 [::ffff:10.0.0.1]:40000 [::ffff:10.0.0.2]:5201\n\t cwnd:10 unacked:4 notsent:1448\n"
                  "1700000001\n" HEAD "ESTAB 0 0 [::ffff:10.0.0.1]:40000 [::ffff:10.0.0.2]:5201\n\t cwnd:10 unacked:10\n"
                  "\n1700000002\nESTAB 0 0 [::ffff:10.0.0.1]:40000 [::ffff:10.0.0.2]:5201\n\t cwnd:10 unacked:9\n"
                  "1700000003\r\nESTAB 0 0 [::ffff:10.0.0.1]:40000 [::ffff:10.0.0.2]:5201 cwnd:10 unacked:10 app_limited\n"
                  "LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\n");
    assert_int_equal(s.n, 1);
    assert_string_equal(s.socket->local, "10.0.0.1"); /* as captures have it */
    assert_ints({s.socket->samples, 4}, {s.socket->floods, 2}, {s.socket->idles, 1});
}

TEST(test_what_is_none_is_named_with_its_line)
{
    read_bad(HEAD "ESTAB 0 0 10.0.0.1:1 10.0.0.2:2\n\t cwnd:10\ntcpdump: listening on eth0\n",
             "x.ss:4: 'tcpdump: listening on eth0': a socket is wanted, as ss -tin prints it");
    read_bad(HEAD, "x.ss:1: no established socket; 'ss -tin' prints them");
    read_bad("", "x.ss:1: no established socket");
}
