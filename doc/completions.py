#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Completions of shells from the pages that --help is made from.

    completions.py bash|zsh|fish OUT PAGE.md...

Commands, their second words ('predict loss', 'sweep merge') and options come with their values where a page lists them,
and else with files: --set with the keys of keys.md, --what-if with the changes of its page. Where a scenario belongs, the names come from 'contraflow run --list', 'contraflow sweep --list'."""
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # nothing belongs into the sources
from manual import Page, first_sentence, plain

KEYS = pathlib.Path(__file__).parent / "keys.md"  # which a test holds to be what 'contraflow run --keys' prints
NAMES = {"run": "run --list", "predict": "run --list", "init": "run --list", "sweep": "sweep --list"}


class Option:
    def __init__(self, term, text):
        words = re.findall(r"`(--?[a-z-]+)(?: ([^`]*))?`", term)
        self.long = next(word[2:] for word, _ in words if word.startswith("--"))
        self.letter = next((word[1:] for word, _ in words if not word.startswith("--")), "")
        self.argument = next((argument for _, argument in words if argument), "")
        self.text = plain(first_sentence(text))
        listed = re.split(r", | or ", re.sub(r" \([^)]*\)?", "", self.text))
        self.values = listed if self.argument == "NAME" and all(re.fullmatch(r"[a-z0-9_-]+", v) for v in listed) else []
        self.key = self.argument == "KEY=VALUE"
        self.file = self.long == "output" or bool(re.search("FILE|DIR|CSV", self.argument))
        self.words = ["--" + self.long] + (["-" + self.letter] if self.letter else [])


class Context:
    """A command, or one of two words: what may follow it."""

    def __init__(self, name):
        self.name, self.summary, self.options, self.verbs = name, "", {}, {}


def keys():
    """ "network.nic.queue=" and so on: entries of lists by number 0; sections are set key by key."""
    found = []
    for title, table in re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", KEYS.read_text(encoding="ascii"), re.M):
        for section in [""] if title == "Top level" else title.split(" and "):
            found += [f"{section}.{key}=".lstrip(".").replace(".N", ".0") for key, value in
                      re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", table, re.M) if "section" not in value]
    return found


def changes(page):
    """What a page lists as values of CHANGE: "fifo", "buffer="."""
    return [word.split("=")[0] + "=" * ("=" in word) for block in page.section("Changes") if block[0] == "item"
            for word in re.findall(r"`([^`]+)`", block[1])]


def contexts(pages):
    found = {}
    for page in pages[1:]:
        first = page.name.split()[0]
        synopsis = page.section("Synopsis")[0][1]
        name = page.name if synopsis[0].startswith("contraflow " + page.name) else first
        c = found.setdefault(name, Context(name))
        if name == page.name:
            c.summary = page.summary
        if name != first:
            found[first].verbs[name.split()[1]] = page.summary
        for line in synopsis:
            if verb := re.match(rf"contraflow {name} ([a-z]+) ", line):
                c.verbs.setdefault(verb[1], "")
        for block in page.section("Options"):
            if block[0] == "item":
                option = Option(block[1], block[2])
                option.values = changes(page) if option.argument == "CHANGE" else option.values
                c.options.setdefault(option.long, option)
    return found


def bash(found):
    yield "# bash completion of contraflow, made by doc/completions.py"
    yield f"_contraflow_keys='{' '.join(keys())}'"
    yield "_contraflow()"
    yield "{"
    yield "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}"
    yield "    local options= words= IFS=$' \\t\\n'"
    yield "    COMPREPLY=()"
    commands = " ".join(c for c in found if " " not in c)
    yield "    if [ \"$COMP_CWORD\" = 1 ]; then"
    yield f"        COMPREPLY=($(compgen -W '{commands} help --help --version' -- \"$cur\"))"
    yield "        return"
    yield "    fi"
    yield "    case \"$command ${COMP_WORDS[2]}\" in"
    for name in found:
        if " " in name:
            yield f"        '{name}') command='{name}' ;;"
    yield "    esac"
    yield "    case \"$command $before\" in"
    for name, c in found.items():
        for o in c.options.values():
            for word in o.words if o.argument else []:
                if o.values or o.key:
                    more = "compopt -o nospace 2>/dev/null; " if o.key or any("=" in v for v in o.values) else ""
                    words = '"$_contraflow_keys"' if o.key else f"'{' '.join(o.values)}'"
                    yield f"        '{name} {word}') {more}COMPREPLY=($(compgen -W {words} -- \"$cur\")); return ;;"
                elif not o.file:
                    yield f"        '{name} {word}') return ;;"
                else:
                    yield f"        '{name} {word}') COMPREPLY=($(compgen -f -- \"$cur\")); return ;;"
    yield "    esac"
    yield "    case \"$command\" in"
    yield f"        help) words='{commands}' ;;"
    for name, c in found.items():
        options = " ".join(word for o in c.options.values() for word in o.words)
        verbs = " ".join(c.verbs)
        names = f" $(\"${{COMP_WORDS[0]}}\" {NAMES[name]} 2>/dev/null | cut -d ' ' -f 1)" if name in NAMES else ""
        words = f" words=\"{verbs}{names}\"" if verbs or names else ""
        yield f"        '{name}') options='{options}'{words} ;;"
    yield "    esac"
    yield "    if [[ $cur == -* ]]; then"
    yield "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))"
    yield "    else"
    yield "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- \"$cur\"))"
    yield "    fi"
    yield "}"
    yield "complete -o filenames -F _contraflow contraflow"


def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh(found):
    yield "#compdef contraflow"
    yield "# zsh completion of contraflow, made by doc/completions.py"
    yield "_contraflow_names() {"
    yield "    local -a names"
    yield "    names=(${${(f)\"$(${words[1]} $1 --list 2>/dev/null)\"}%% *})"
    yield "    compadd -a names"
    yield "    _files"
    yield "}"
    yield "_contraflow_keys() {"
    yield "    local -a keys"
    yield f"    keys=({' '.join(keys())})"
    yield "    compadd -S '' -a keys"
    yield "}"
    yield "_contraflow() {"
    yield "    local -a commands"
    yield "    commands=("
    for name, c in found.items():
        if " " not in name:
            yield f"        '{name}:{zsh_text(c.summary)}'"
    yield "        'help:show a manual page'"
    yield "    )"
    yield "    if (( CURRENT == 2 )); then"
    yield "        _describe command commands"
    yield "        return"
    yield "    fi"
    yield "    local command=$words[2]"
    yield "    case \"$command $words[3]\" in"
    for name in found:
        if " " in name:
            yield f"        '{name}') command='{name}' ;;"
    yield "    esac"
    yield "    case $command in"
    yield "        help) _describe command commands ;;"
    for name, c in found.items():
        yield f"        '{name}') _arguments -S \\"
        for o in c.options.values():
            value = ""
            if o.argument:
                action = (f"({' '.join(o.values)})" if o.values else "_contraflow_keys" if o.key else
                          "_files" if o.file else "")
                value = f":{zsh_text(o.argument)}:{action}"
            several = "*" if re.match(r"KEY=VALUE", o.argument) else ""
            for word in o.words:
                yield f"            '{several}{word}[{zsh_text(o.text)}]{value}' \\"
        verbs = f"1:command:({' '.join(c.verbs)})" if c.verbs and name not in NAMES else ""
        if verbs:
            yield f"            '{verbs}' \\"
        rest = f"_contraflow_names {NAMES[name].split()[0]}" if name in NAMES else "_files"
        yield f"            '*:file:{rest}' ;;"
    yield "    esac"
    yield "}"
    yield "_contraflow \"$@\""


def fish_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(found):
    yield "# fish completion of contraflow, made by doc/completions.py"
    yield "function __contraflow_keys"
    yield f"    printf '%s\\n' {' '.join(keys())}"
    yield "end"
    yield "complete -c contraflow -n __fish_use_subcommand -f -l help -d 'show the commands'"
    yield "complete -c contraflow -n __fish_use_subcommand -f -l version -d 'show the version'"
    yield "complete -c contraflow -n __fish_use_subcommand -f -a help -d 'show a manual page'"
    commands = " ".join(name for name in found if " " not in name)
    yield f"complete -c contraflow -n '__fish_seen_subcommand_from help' -f -a '{commands}'"
    for name, c in found.items():
        words = name.split()
        if len(words) == 1:
            yield f"complete -c contraflow -n __fish_use_subcommand -f -a {name} -d {fish_text(c.summary)}"
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in words)
        if len(words) == 1 and any(other.startswith(name + " ") for other in found):
            seen += f"; and not __fish_seen_subcommand_from {' '.join(c.verbs)}"
        for verb, summary in c.verbs.items():
            yield f"complete -c contraflow -n '{seen}' -a {verb} -d {fish_text(summary)}"
        if name in NAMES:
            yield (f"complete -c contraflow -n '{seen}' -a '(contraflow {NAMES[name]} 2>/dev/null | "
                   "string replace -r \"  +\" \\t)'")
        for o in c.options.values():
            row = f"complete -c contraflow -n '{seen}' -l {o.long}" + (f" -s {o.letter}" if o.letter else "")
            if o.values:
                row += f" -x -a '{' '.join(o.values)}'"
            elif o.key:
                row += " -x -a '(__contraflow_keys)'"
            elif o.argument:
                row += " -r" if o.file else " -x"
            yield f"{row} -d {fish_text(o.text)}"


if __name__ == "__main__":
    shell, out, *paths = sys.argv[1:]
    lines = {"bash": bash, "zsh": zsh, "fish": fish}[shell](contexts([Page(pathlib.Path(path)) for path in paths]))
    pathlib.Path(out).write_text("\n".join(lines) + "\n", encoding="ascii")
