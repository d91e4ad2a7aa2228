/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output-buffered: every output port has a queue of its own. */
#include "emu/pause.h"
#include "emu/switch.h"

void emu_switch_output_accept(struct emu_switch *s, int in, int out, const struct emu_frame *frame)
{
    emu_port_send(&s->ports[out], frame);
    if (s->pause)
        emu_pause_entered(s->pause, in, out);
}
