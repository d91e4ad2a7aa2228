#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes into doc/schemas/run.json what the lists of columns in results/*.h say of flows and ports.

    columns.py [ROOT]

Only "properties" and "required" of these objects are made; test_schemas.py insists that the file has them so."""
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


def made(root):
    """The text of run.json as it should be."""
    schema = json.loads((root / "doc/schemas/run.json").read_text(encoding="utf-8"))
    for name, (header, columns) in LISTS.items():
        fill(schema["$defs"][name], rows((root / header).read_text(encoding="utf-8"), columns))
    return written(schema) + "\n"


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    root = root if root.is_dir() else root.parent.parent
    (root / "doc/schemas/run.json").write_text(made(root), encoding="utf-8")
