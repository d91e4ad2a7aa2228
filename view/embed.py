#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files as C strings: embed.py OUT.c IN..., each a `const char` array named view_ and by its file, dots as underscores.

ASCII only: a byte beyond is no char everywhere."""
import pathlib
import sys

with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write('#include "view/capture_page_parts.h"\n')
    for path in map(pathlib.Path, sys.argv[2:]):
        data = path.read_text(encoding="ascii").encode() + b"\0"
        out.write(f"\nconst char view_{path.name.replace('.', '_')}[] = {{\n")
        for i in range(0, len(data), 20):
            out.write("".join(f"{byte}," for byte in data[i:i + 20]) + "\n")
        out.write("};\n")
