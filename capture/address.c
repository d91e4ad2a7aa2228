/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/decode.h"

#include <arpa/inet.h>
#include <stdio.h>

void capture_address_format(const struct capture_address *a, char text[static CAPTURE_ADDRESS_TEXT])
{
    if (!inet_ntop(a->family == 6 ? AF_INET6 : AF_INET, a->bytes, text, CAPTURE_ADDRESS_TEXT))
        snprintf(text, CAPTURE_ADDRESS_TEXT, "?");
}

bool capture_address_parse(const char *text, struct capture_address *a)
{
    *a = (struct capture_address){.family = 4};
    if (inet_pton(AF_INET, text, a->bytes) == 1)
        return true;
    *a = (struct capture_address){.family = 6};
    return inet_pton(AF_INET6, text, a->bytes) == 1;
}
