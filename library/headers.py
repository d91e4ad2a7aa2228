#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Gives tags of installed headers a name of their own: `struct error` is anybody's, in the program that includes them as
much as here. Tags are no part of an ABI, so the library and these headers stay one.

usage: headers.py DIRECTORY, which is below DESTDIR
"""
import os
import pathlib
import re
import sys

TAGS = re.compile(r"\b(struct|enum) (error|error_code)\b")


def main(directory):
    destination = os.environ.get("DESTDIR", "")
    directory = pathlib.Path(destination + directory if destination else directory)
    for header in directory.glob("*/**/*.h"):
        text = header.read_text()
        renamed = TAGS.sub(r"\1 contraflow_\2", text)
        if renamed != text:
            header.write_text(renamed)


if __name__ == "__main__":
    main(sys.argv[1])
