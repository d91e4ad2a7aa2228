# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands that README.md and doc/ show, found for test_documents.py.

A fence ```console has commands after '$ ' and what they print; '...' stands for any lines. A fence ```sh has commands
without their output. A comment right before the fence can change how the test treats it:

    <!-- not run: REASON -->    only the options are checked
    <!-- figures: REASON -->    run by 'meson test --benchmark' alone, because it takes long
    <!-- run as: COMMAND -->    run this instead, and compare its output

All commands of a file run in one directory, in order. A command that should exit with 1 ends in '# exit status 1', so with 4."""
import dataclasses
import re


@dataclasses.dataclass
class Command:
    path: object
    line: int
    text: str          # as shown, continuation lines joined
    output: list       # lines shown, or None where the output is not shown
    mark: str = ""     # "not run", "figures" or "run as"
    argument: str = ""
    status: int = 0


FENCE = re.compile(r"^(?:<!-- (not run|figures|run as): (.+?) -->\n)?^```(console|sh)\n(.*?)^```$", re.M | re.S)


def join(lines):
    """Lines of a shell, those that end in a backslash joined with the next."""
    out = []
    for line in lines:
        if out and out[-1].endswith("\\"):
            out[-1] = out[-1][:-1].rstrip() + " " + line.strip()
        else:
            out.append(line)
    return out


def commands(path):
    text = path.read_text(encoding="utf-8")
    for fence in FENCE.finditer(text):
        mark, argument, kind, body = fence.groups()
        line = text.count("\n", 0, fence.start(4)) + 1
        found = []
        for shown in body.rstrip("\n").split("\n"):
            continued = found and found[-1].output in (None, []) and found[-1].text.endswith("\\")
            if continued:
                found[-1].text = found[-1].text[:-1].rstrip() + " " + shown.strip()
            elif kind == "console" and shown.startswith("$ "):
                found.append(Command(path, line, shown[2:], []))
            elif kind == "sh" and shown.strip() and not shown.startswith("#"):
                found.append(Command(path, line, shown, None))
            elif kind == "console":
                found[-1].output.append(shown)
            line += 1
        for command in found:
            command.mark, command.argument = mark or "", argument or ""
            status = re.search(r"# exit status (\d)$", command.text)
            command.status = int(status[1]) if status else 0
            yield command


def shows(expected, printed):
    """Whether the lines printed are the ones expected, '...' standing for any."""
    if not expected:
        return not printed
    if expected[0].strip() == "...":
        return any(shows(expected[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and expected[0].rstrip() == printed[0].rstrip() and shows(expected[1:], printed[1:])
