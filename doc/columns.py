#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes into documents what tables of the sources list.

    columns.py [ROOT]

Into doc/schemas/run.json the columns of results/*.h, of which only "properties" and "required" are made; into manual pages
the models and the causes. test_schemas.py insists that the documents have them so."""
import json
import pathlib
import re
import sys

LISTS = {"flow": ("results/flow.h", "RESULTS_FLOW_COLUMNS"), "port": ("results/summary.h", "RESULTS_PORT_COLUMNS")}
TYPES = {"TEXT": "string", "FLAG": "boolean", "COUNT": ["integer", "null"]}
ROW = re.compile(r'ROW\(\w+, (\w+), (\w+), "(\w+)", (\S+), (\S+),[\s\\]*"([^"]*)"\)')
WIDTH = 118


def rows(text, name):
    return ROW.findall(re.search(rf"#define {name}\(ROW\)((?:.*\\\n)*.*\n)", text)[1])


def fill(schema, columns):
    """Objects inside stand at the end, and keep what else is said of them."""
    inner = {}
    kept = schema.get("properties", {})
    schema["properties"], schema["required"] = {}, []
    for kind, where, name, key, owner, meaning in columns:
        if "JSON" not in where and where != "ALL":
            continue
        into = schema if owner == "NULL" else inner.setdefault(owner.strip('"'), {"properties": {}, "required": []})
        key = name if key == "NULL" else key.strip('"')
        into["properties"][key] = {"type": TYPES.get(kind, ["number", "null"]), "description": meaning}
        into["required"] += [key] if "KNOWN" not in where else []
    for name, more in inner.items():
        schema["properties"][name] = kept.get(name, {}) | more
        schema["required"].append(name)


def written(value, indent="", key=""):
    """As JSON: on one line where it fits."""
    line = json.dumps(value)
    if not isinstance(value, (dict, list)) or (len(indent) + len(key) + len(line) < WIDTH and "properties" not in value):
        return line
    more = indent + "  "
    if isinstance(value, list) and not any(isinstance(v, (dict, list)) for v in value):
        lines = [""]
        for v in value:
            word = json.dumps(v) + ("" if v is value[-1] else ",")
            if lines[-1] and len(more) + len(lines[-1]) + 1 + len(word) > WIDTH - 4:
                lines.append("")
            lines[-1] += (" " if lines[-1] else "") + word
        return "[\n" + "".join(more + text + "\n" for text in lines) + indent + "]"
    if isinstance(value, list):
        return "[\n" + ",\n".join(more + written(v, more) for v in value) + "\n" + indent + "]"
    return "{\n" + ",\n".join(f"{more}{json.dumps(k)}: {written(v, more, k)}" for k, v in value.items()) + "\n" + indent + "}"


def read(root, path):
    return (root / path).read_text(encoding="utf-8")


def of_columns(root):
    """The text of run.json as it should be."""
    schema = json.loads(read(root, "doc/schemas/run.json"))
    for name, (header, columns) in LISTS.items():
        fill(schema["$defs"][name], rows(read(root, header), columns))
    return written(schema) + "\n"


def items(page, title, found):
    """A page whose section of that title begins with a list of these."""
    head, found_title, rest = page.partition(f"\n## {title}\n\n")
    listed = "".join(f"- `{name}`: {meaning}\n" for name, meaning in found)
    return head + found_title + re.sub(r"^(?:- .*\n)+", lambda _: listed, rest)


def of_models(root):
    found = re.findall(r'^    ROW\((\w+), \d, "([^"]*)"\)', read(root, "model/rule.h"), re.M) + \
        re.findall(r'^    \{"(\w+)", "([^"]*)"', read(root, "study/predict/models.c"), re.M)
    names = ", ".join(name for name, _ in found)
    page = re.sub(r"(?<=`--model NAME`: ).*(?=; window by default)", names, read(root, "doc/commands/predict.md"))
    return items(page, "Models", found)


def of_causes(root):
    found = re.findall(r'^    ROW\(\w+, "(\w+)", "([^"]*)"', read(root, "judge/causes.h"), re.M)
    return items(read(root, "doc/commands/check.md"), "Causes", found)


MADE = {"doc/schemas/run.json": of_columns, "doc/commands/predict.md": of_models, "doc/commands/check.md": of_causes}

if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    root = root if root.is_dir() else root.parent.parent
    for path, made in MADE.items():
        (root / path).write_text(made(root), encoding="utf-8")
