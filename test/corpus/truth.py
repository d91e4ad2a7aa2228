# SPDX-License-Identifier: GPL-2.0-or-later
"""What the corpora share: the answer that two experiments give, the cause of a "no", and where a capture is."""
import contextlib
import lzma
import pathlib
import shutil
import tempfile

YES_TOTAL, YES_WAY, NO = 0.05, 0.10, 0.03  # lost: of both directions, of one, too little to matter
FULL = 0.95  # wire share from which a link is saturated
UNLIKE = 2.5  # times faster: an access line
LOST = 2  # segments sent again in the phase, and more: losses hold a window down


def truth_label(total, ways):
    """`total` and `ways` are lost, 1 - rate / rate with ACKs first: of all, and of each direction that counts."""
    if total < -NO:  # ACKs first costs more than it wins: PAUSE or losses strike elsewhere then
        return "unclear"
    if total >= YES_TOTAL or max(ways, default=0) >= YES_WAY:
        return "yes"
    return "no" if total < NO and max(ways, default=0) < YES_TOTAL else "unclear"


def truth_cause_yes(lost, rates, data):
    """Of a "yes": what the ACKs of the way that loses more wait behind. `data`: ways that TCP data take."""
    worst, other = sorted(lost, key=lost.get, reverse=True)
    if rates[worst] >= UNLIKE * rates[other]:
        return "rate_asymmetry_acks"
    return "acks_behind_data" if other in data else "other_traffic"


def truth_cause(shares, flows):
    """Of a "no". `shares`: {way: wire share in use} of those that TCP data take; `flows`: [(way, goodput, limit)]."""
    slack = [way for way, share in shares.items() if share < FULL]
    if not slack and len(shares) == 1:
        return "one_way"
    least = min(slack, key=shares.get, default=None)
    carried = {}
    for way, goodput, limit in flows:
        if least in (way, None):
            carried[limit] = carried.get(limit, 0) + goodput
    most = max(carried, key=carried.get)
    return most if slack or most == "losses" else "full"


@contextlib.contextmanager
def truth_capture(directory, name):
    """(path of the capture, directory for what is made of it): unpacked where contraflow cannot; path None: none."""
    stems = [f"{name}{end}" for end in (".pcap.gz", ".pcap.xz", ".pcapng.xz", ".pcap")]
    path = next((p for p in (pathlib.Path(directory, s) for s in stems) if p.exists()), None)
    with tempfile.TemporaryDirectory() as t:
        if path and path.suffix == ".xz":
            plain = pathlib.Path(t, path.stem)
            with lzma.open(path) as a, open(plain, "wb") as b:
                shutil.copyfileobj(a, b)
            path = plain
        yield path, t
