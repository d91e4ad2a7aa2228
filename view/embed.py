#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files as C strings: embed.py OUT.c IN..., each a `const char` array named view_ and by its file, dots as underscores.

ASCII only: a byte beyond is no char everywhere. Comments of a style are left out, or else every page and figure would
carry them."""
import pathlib
import re
import sys

with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write('#include "view/embedded.h"\n')
    for path in map(pathlib.Path, sys.argv[2:]):
        text = path.read_text(encoding="ascii")
        if path.suffix == ".css":
            text = re.sub(r"/\*.*?\*/\n?", "", text, flags=re.S)
        data = text.encode() + b"\0"
        out.write(f"\nconst char view_{path.name.replace('.', '_')}[] = {{\n")
        for i in range(0, len(data), 20):
            out.write("".join(f"{byte}," for byte in data[i:i + 20]) + "\n")
        out.write("};\n")
