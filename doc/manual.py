#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Help and man pages from doc/commands/*.md, the one place where commands, options and columns are described.

    manual.py help OUT.c PAGE.md...   the text of --help and of 'contraflow help', as C
    manual.py man OUT.1 PAGE.md       a man page, of the version and the date of CHANGELOG.md

A page is Markdown of a few forms: '# contraflow NAME: SUMMARY', '## Section', '### Subsection', paragraphs,
lists of '- `term`: text', and examples indented by four spaces. --help is made from the synopsis, the first paragraph
of the description, the first sentence of each option, the examples and the exit status; it must fit a terminal of 80
columns and 40 lines, and every line of a page must be ASCII, or the build fails."""
import pathlib
import re
import sys
import textwrap

COLUMNS, LINES = 80, 40


class Page:
    def __init__(self, path):
        text = path.read_text(encoding="ascii")
        title, _, body = text.partition("\n")
        match = re.fullmatch(r"# contraflow ?([a-z -]*): (.+)", title)
        if not match:
            raise SystemExit(f"{path}: the first line is not '# contraflow NAME: SUMMARY'")
        self.path, self.name, self.summary = path, match[1], match[2]
        self.program = "-".join(["contraflow", *self.name.split()])
        self.sections = [(heading, list(blocks(part))) for heading, part in
                         re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", body, re.M)]

    def section(self, wanted):
        return next((content for heading, content in self.sections if heading == wanted), [])


def blocks(text):
    """('code', lines), ('item', term, text), ('head', text) and ('text', text), in order."""
    for chunk in re.split(r"\n\s*\n(?!    )", text.strip("\n")):
        if not chunk.strip():
            continue
        if chunk.startswith("    "):
            yield "code", textwrap.dedent(chunk).rstrip().split("\n")
        elif chunk.startswith("### "):
            yield "head", chunk[4:]
        elif chunk.startswith("- "):
            for item in re.split(r"\n- ", chunk[2:]):
                term, colon, rest = re.fullmatch(r"((?:`[^`]*`(?:, | and )?)+)(: )?(.*)", item, re.S).groups()
                yield "item", term, " ".join(rest.split())
        else:
            yield "text", " ".join(chunk.split())


def plain(text):
    text = re.sub(r"<!--.*?-->", "", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[`*]{1,2}([^`*]+)[`*]{1,2}", r"\1", text)


def first_sentence(text):
    return re.split(r"(?<=[a-z0-9%)`])\. (?=[A-Z`])", text)[0].rstrip(".")


def wrap(text, indent, first=None):
    return textwrap.wrap(plain(text), COLUMNS - 1, initial_indent=indent if first is None else first,
                         subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def render(content, indent="", brief=False):
    """Lines of a section; brief: items by their first sentence."""
    out, widths = [], [len(plain(b[1])) for b in content if b[0] == "item"]
    column = min(max(widths, default=0), 28) + 2
    previous = None
    for block in content:
        if previous and not (previous == block[0] == "item"):
            out.append("")
        previous = block[0]
        if block[0] == "code":
            out += [("  " + indent + line).rstrip() for line in block[1]]
        elif block[0] == "head":
            out.append(indent + plain(block[1]))
        elif block[0] == "item":
            term = "  " + plain(block[1])
            text = first_sentence(block[2]) if brief else block[2]
            if len(term) > column:
                out.append(indent + term)
                term = ""
            out += wrap(text, indent + " " * (column + 2), indent + term.ljust(column + 2))
        else:
            out += wrap(block[1], indent)
    return out


def usage(page):
    lines = page.section("Synopsis")[0][1]
    return ["usage: " + lines[0], *("       " + line for line in lines[1:])]


def commands(content):
    """Of a list of commands under headings: those of two words stand with the first, which has help on them."""
    out, second = [], {}
    for block in content:
        if block[0] == "item" and " " in (name := plain(block[1])):
            second.setdefault(name.split()[0], []).append(name.split()[1])
    for block in content:
        if block[0] == "head":
            out.append(("head", block[1]))
        elif " " not in (name := plain(block[1])):
            more = f"; also {', '.join(second[name])}" if name in second else ""
            out.append(("item", block[1], block[2] + more))
    lines = render(out, brief=True)
    return [line for i, line in enumerate(lines) if line or not i or lines[i - 1].startswith(" ")]


def brief(page):
    out = usage(page) + [""] + wrap(page.section("Description")[0][1], "")
    options = [b for b in page.section("Options") if b[0] == "item"]
    if page.section("Commands"):
        out += [""] + commands(page.section("Commands"))
    if options:
        out += [""] + render(options, brief=True)
    examples = [b for b in page.section("Examples") if b[0] == "code"]
    if examples:
        out += [""] + render(examples[:1])
    for block in page.section("Exit status"):
        out += [""] + wrap("Exit status: " + block[1], "")
    out += ["", f"More: contraflow help {page.name or 'COMMAND'}, or man {page.program}"]
    long = [line for line in out if len(line) > COLUMNS]
    if len(out) > LINES or long:
        raise SystemExit(f"{page.path}: --help has {len(out)} lines of at most {LINES}" +
                         "".join(f"\n  over {COLUMNS} columns: {line}" for line in long))
    return out


def full(page):
    out = [f"contraflow {page.name} - {page.summary}".replace("  ", " "), ""] + usage(page)
    for heading, content in page.sections:
        if heading != "Synopsis":
            out += ["", heading.upper()] + render(content, "  ")
    return out


def check_commands(pages):
    listed = {plain(b[1]): plain(b[2]) for b in pages[0].section("Commands") if b[0] == "item"}
    made = {page.name: page.summary for page in pages[1:]}
    if listed != made:
        raise SystemExit(f"{pages[0].path}: its commands are not the other pages: " +
                         "; ".join(f"{name}: {text}" for name, text in listed.items() ^ made.items()))


def write_help(out, pages):
    check_commands(pages)
    with open(out, "w", encoding="ascii") as f:
        f.write('#include "cli/cli.h"\n')
        rows = []
        for i, page in enumerate(pages):
            for kind, lines in (("brief", brief(page)), ("full", full(page))):
                data = ("\n".join(lines) + "\n").encode() + b"\0"
                f.write(f"\nstatic const char {kind}_{i}[] = {{\n")
                for k in range(0, len(data), 20):
                    f.write("".join(f"{byte}," for byte in data[k:k + 20]) + "\n")
                f.write("};\n")
            rows.append(f'    {{"{page.name}", brief_{i}, full_{i}}},\n')
        f.write("\nconst struct cli_help_page cli_help_pages[] = {\n" + "".join(rows) + "    {0},\n};\n")


def roff(text):
    text = re.sub(r"<!--.*?-->", "", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", text)
    text = re.sub(r"\*\*?([^*]+)\*\*?", r"\\fI\1\\fR", text)
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def roff_code(lines):
    return [".nf", ".RS 4", *(re.sub(r"^([.'])", r"\\&\1", line.replace("\\", "\\e").replace("-", "\\-"))
                              for line in lines), ".RE", ".fi"]


def paragraph(lines, begun):
    """What begins one, but right after a heading."""
    return [".PP"] if len(lines) > begun else []


def write_man(out, page):
    changes = (pathlib.Path(__file__).parent.parent / "CHANGELOG.md").read_text(encoding="ascii")
    version, date = re.search(r"^## (\S+) \((\S+)\)$", changes, re.M).groups()
    lines = ['.\\" SPDX-License-Identifier: GPL-2.0-or-later', f'.TH {page.program.upper()} 1 {date} "contraflow {version}" "User Commands"',
             ".SH NAME", roff(f"{page.program} - {page.summary}").replace(" \\- ", " \\- ", 1)]
    for heading, content in page.sections:
        lines.append(f'.SH "{heading.upper()}"')
        begun = len(lines)
        for block in content:
            if block[0] == "code":
                lines += paragraph(lines, begun) + roff_code(block[1])
            elif block[0] == "head":
                lines.append(f'.SS "{roff(block[1])}"')
                begun = len(lines)
            elif block[0] == "item":
                lines += [".TP", roff(block[1]), roff(block[2]) or "\\&"]
            else:
                lines += paragraph(lines, begun) + [roff(block[1])]
    pathlib.Path(out).write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    kind, out, *paths = sys.argv[1:]
    pages = [Page(pathlib.Path(path)) for path in paths]
    if kind == "help":
        write_help(out, pages)
    else:
        write_man(out, pages[0])
