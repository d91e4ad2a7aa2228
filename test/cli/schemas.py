# SPDX-License-Identifier: GPL-2.0-or-later
"""What --json prints, against doc/schemas: one schema a command, whose "$id" is the "schema" of the command's output.

Parts that several commands print are in common.json. No schema allows a key that it does not name."""
import functools
import json
import math
import pathlib
import re
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "doc/schemas"
COMMON = "urn:contraflow:common:1"


def load():
    """{"$id": schema} of every file."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))]
    return {schema["$id"]: schema for schema in found}


SCHEMAS = load()


def validator(schema, schemas):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer versions have a registry; Debian 12 has not
        from jsonschema import Draft202012Validator, RefResolver
        return Draft202012Validator(schema, resolver=RefResolver.from_schema(schema, store=schemas))


@functools.lru_cache(None)
def known(name):
    """The validator of one of ours: to make it takes as long as to hold a document against it."""
    return validator(SCHEMAS[name], SCHEMAS)


def deepest(error):
    """Of the errors of a "oneOf" the one that got furthest."""
    while error.context:
        error = max(error.context, key=lambda e: len(e.absolute_path))
    return error


def errors(document, schemas=None):
    """A line for each thing in a command's output that its schema does not allow, or that cannot be."""
    name = document.get("schema")
    if name not in (schemas or SCHEMAS) or name == COMMON:
        return [f"no schema {name}"]
    found = (deepest(e) for e in (validator(schemas[name], schemas) if schemas else known(name)).iter_errors(document))
    return ["/".join(map(str, e.absolute_path)) + ": " + e.message[:200] for e in found] + list(senseless(
        document, most_s=math.inf if name.startswith("urn:contraflow:predict-") else LONGEST_S))  # of 10^15 packets, too


# What the name of a number says of it, whatever the command: of what is counted or lasts there is no less than nothing, of
# a share no more than all; quantiles rise, a mean lies between the least and the most, a value in its interval, a start is
# before its end. Bounds are beyond all that tests do: a thousand days, ten petabits a second.
SHARES = re.compile(r"(^|_)(share|probability|weight|tail|(one|both|neither)_busy)$")
SIGNED = re.compile(r"(lost|change|gain|difference|drift|error|margin)")  # what is won may be below nothing, or above all
COUNTED = re.compile(r"(_bytes|_frames|_segments|_packets|_bps|^bytes|^messages|^packets|ci95.*|sd|_sd_s|wait_s|floor_s|goodput.*)$")
LAST = re.compile(r"_s$")
RISING = [["min_s", "p5_s", "p25_s", "p50_s", "median_s", "p75_s", "p95_s", "p99_s", "max_s"], ["min_s", "mean_s", "max_s"],
          ["min", "mean", "max"], ["mean_wait_s", "max_wait_s"], ["p99_wait_s", "max_wait_s"], ["low", "value", "high"],
          ["least_s", "most_s"], ["start_s", "steady_start_s", "end_s"], ["start_s", "steady_end_s"], ["start_s", "ended_s"],
          ["gap_error_p50_ns", "gap_error_p99_ns", "gap_error_max_ns"], ["rtt_floor_s", "rtt_s"]]
LONGEST_S, FASTEST_BPS, ROUNDED = 86400e3, 1e16, 1e-9
PERCENT = re.compile(r"(\d+(?:\.\d+)?) %(?! more| faster| longer)")


def senseless(value, where="", most_s=LONGEST_S):
    """A line for each number of a document that its name forbids."""
    if isinstance(value, list):
        for i, inner in enumerate(value):
            yield from senseless(inner, f"{where}/{i}", most_s)
    for said in PERCENT.findall(value) if isinstance(value, str) else ():
        if float(said) > 100:
            yield f"{where}: {said} % is no share: {value}"
    if not isinstance(value, dict):
        return
    numbers = {k: v for k, v in value.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    for key, v in numbers.items():
        beside = value.get("emulated") is False  # weighed beside those that are (infer.json), which sum up to all
        if SHARES.search(key) and not SIGNED.search(key) and not beside and not -ROUNDED <= v <= 1 + ROUNDED:
            yield f"{where}/{key}: {v} is no share"
        if COUNTED.search(key) and not SIGNED.search(key) and v < 0 and not (
                # An interface that does not say (measure-study.json); a wait beyond a floor, both as this machine's clock has them.
                v == -1 and where.startswith("/interfaces/") or "/measured/" in where and key == "wait_s"):
            yield f"{where}/{key}: {v} is less than nothing"
        if LAST.search(key) and abs(v) > most_s or key.endswith("_bps") and v > FASTEST_BPS:
            yield f"{where}/{key}: {v} is beyond all that there is"
    between = [[f"{k[:-4]}{end}" for end in ("_low", "", "_high")] for k in numbers if k.endswith("_low")]
    between += [[f"{k[:-6]}{end}" for end in ("_low_s", "_s", "_high_s")] for k in numbers if k.endswith("_low_s")]
    for keys in RISING + between:
        there = [k for k in keys if k in numbers]
        for a, b in zip(there, there[1:]):
            if numbers[a] > numbers[b] + ROUNDED * max(1, abs(numbers[b])):
                yield f"{where}: {a} {numbers[a]} is more than {b} {numbers[b]}"
    for key, inner in value.items():
        yield from senseless(inner, f"{where}/{key}", most_s)


def resolve(schema, where):
    """A schema or what its "$ref" stands for, and that place."""
    while "$ref" in schema:
        where = schema["$ref"]
        name, pointer = where.split("#")
        schema = SCHEMAS[name]
        for part in pointer.strip("/").split("/"):
            schema = schema[part]
    return schema, where


def branches(schema, where):
    """(schema, place) of each alternative, or itself."""
    schema, where = resolve(schema, where)
    if "oneOf" not in schema:
        return [(schema, where)]
    return [found for i, one in enumerate(schema["oneOf"]) for found in branches(one, f"{where}/oneOf/{i}")]


def documented(schema, where, found):
    """Adds (place, key) of every property of a schema, and of what it refers to."""
    for one, at in branches(schema, where):
        for key, inner in one.get("properties", {}).items():
            if (at, key) not in found:
                found.add((at, key))
                documented(inner, f"{at}/properties/{key}", found)
        for part in ("items", "additionalProperties"):
            if isinstance(one.get(part), dict):
                documented(one[part], f"{at}/{part}", found)


def seen(value, schema, where, found):
    """Adds (place, key) of every property that a valid value has."""
    for one, at in branches(schema, where):
        if isinstance(value, dict) and "properties" in one and fits(value, one):
            for key in value.keys() & one["properties"].keys():
                found.add((at, key))
                seen(value[key], one["properties"][key], f"{at}/properties/{key}", found)
        elif isinstance(value, dict) and isinstance(one.get("additionalProperties"), dict):
            for inner in value.values():
                seen(inner, one["additionalProperties"], f"{at}/additionalProperties", found)
        elif isinstance(value, list) and "items" in one:
            for inner in value:
                seen(inner, one["items"], f"{at}/items", found)


def fits(value, schema):
    """Is it this alternative? By its keys and its constants."""
    names = schema["properties"]
    return (set(schema.get("required", [])) <= value.keys() and
            (value.keys() <= names.keys() or "patternProperties" in schema) and
            all(value[k] == v["const"] for k, v in names.items() if "const" in v and k in value))
