#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The papers, point by point: runs the rows of test/data/papers/record and writes doc/papers.md from them.

    record.py run CONTRAFLOW [NAME...]   runs all rows, or those of NAME.csv; writes ours.csv and doc/papers.md
    record.py write                      writes doc/papers.md alone, from the rows and ours.csv as they are

A file NAME.csv has these columns, a row for each point of a paper:

    paper, place, page    zhu2014, "Table I", "7"; `place` is one that contents*.csv lists for the paper
    row                   which point of the place; no two are the same
    says                  what the paper states, in one sentence of our own
    published, unit       its number, if it gives one
    class                 what ours says of the paper. formula: ours is the paper's own formula, or a number that was put
                          in comes out again: it says that we read the formula as the paper does. fitted: something of
                          the setting was chosen by this figure or its like in the same paper. independent: nothing was.
                          alternative: the same point under another rule, of which one at most is true; not counted
    tolerance             how far ours may be off: 0.05 of the published number, "+-0.01" in its unit, or "at most" and
                          "at least" where the paper gives a bound
    scatter               fitted and independent: where the tolerance is from; no figure of ours has a part in it:
                          printed: WHERE    what the paper prints of the scatter of this number
                          pi                Table II of Zhu: 95 % of the difference of two means whose half widths are the
                                            pi that stands beside, and of two such pi over 500 links
                          links             likewise of two shares of links, of 500 links a number of hosts
                          patterns: SD      likewise of two means over N patterns, SD of one by 40 others: "0.55 of 100"
                          smooth            twice the residual of a table of P, W and TO around a smooth surface
                          none              the paper says nothing of it: 10 % at most (Zhu's own measure of a good
                                            prediction, Fig. 6), or 0.1 of a share
    status                reproduced: within the tolerance. near: beyond it, and within 10 %. contradicted, not comparable,
                          out of scope
    command               what prints our figure, from the repository's root; $T is a directory of the command's own
    take                  where in the output it stands: "json:a.b[0].c", "json:list[key=value].c" or "re:REGEX", whose
                          first group it is; " * NUMBER" after a path of JSON changes the unit
    cost                  quick: at most 2 s, run by the test; long: run by this program alone
    note                  contradicted: three or more conditions that were tried, with their figures, between
                          semicolons; not comparable and out of scope: why

contents*.csv list every table, figure, equation, algorithm and experiment of the papers: paper, place, page. ours.csv
has what each command gave when this program last ran it. audit.csv has what an audit had found open before the rows were
written: paper, was (no figure or contradicted), said, places between semicolons."""
import csv
import json
import math
import multiprocessing.pool
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = "paper place page row says published unit class tolerance scatter status command take cost note".split()
OURS = "paper place row ours command take".split()
AUDIT = "paper was said places".split()
STATUSES = ("reproduced", "near", "contradicted", "not comparable", "out of scope")
JUDGED = STATUSES[:3]
CLASSES = ("independent", "fitted", "formula")
ALTERNATIVE = "alternative"
BOUNDS = ("at most", "at least")
PAPERS = {
    "zhu2014": "Zhu, Lastovetsky, Ali, Riesen, Hasanov 2014",
    "zhu2013": "Zhu, Lastovetsky, Ali, Riesen 2013",
    "tam2001": "Tam 2001",
    "steffenel2006": "Steffenel 2006",
    "vaughan2003": "Vaughan, Grove, Coddington 2003",
}
AND = " && "
CONDITIONS = 3  # tried before a point is called contradicted
QUICK_S = 2
NEAR = 0.1      # of the published number: what Zhu et al. count as well predicted (Fig. 6 and 7)
LINKS = 500     # of a cell of Table II, at least
NORMAL = 1.96   # deviations: 95 %
SAME = 1e-4     # of a quick row's figure: compilers may round another way


def key(row):
    return row["paper"], row["place"], row["row"]


def name(row):
    return ", ".join(key(row))


def number(text):
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def read_csv(path, columns):
    with open(path, newline="", encoding="utf-8") as f:
        reader = csv.DictReader(f)
        if reader.fieldnames != columns:
            raise SystemExit(f"{path}: the first line is {reader.fieldnames}; want {','.join(columns)}")
        rows = list(reader)
    for i, row in enumerate(rows):
        if None in row or None in row.values():
            raise SystemExit(f"{path}: row {i + 1} has not {len(columns)} fields: {row}")
    return rows


class Record:
    def __init__(self, root=ROOT):
        self.root = root
        self.folder = root / "test/data/papers/record"
        self.files = {}     # NAME -> rows
        self.contents = []
        self.ours = {}
        self.audit = []
        for path in sorted(self.folder.glob("*.csv")):
            if path.stem == "ours":
                self.read_ours(path)
            elif path.stem == "audit":
                self.audit = read_csv(path, AUDIT)
            elif path.stem.startswith("contents"):
                self.contents += read_csv(path, ["paper", "place", "page"])
            else:
                self.files[path.stem] = read_csv(path, COLUMNS)

    def read_ours(self, path):
        for row in read_csv(path, OURS):
            if key(row) in self.ours:
                raise SystemExit(f"{path}: {name(row)}: there are two of it: make papers, or delete one")
            self.ours[key(row)] = row

    @property
    def rows(self):
        return [row for rows in self.files.values() for row in rows]

    def write_ours(self):
        with open(self.folder / "ours.csv", "w", newline="", encoding="utf-8") as f:
            writer = csv.DictWriter(f, OURS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.ours[key(row)] for row in self.rows if key(row) in self.ours)

    def write(self):
        (self.root / "doc/papers.md").write_text(document(self), encoding="utf-8")


# Our figures

STEP = re.compile(r"\.?([A-Za-z_][\w-]*)|\[(\d+)\]|\[(\w+)=([^\]]*)\]")


def take_json(text, path):
    path, _, factor = path.partition(" * ")
    value, at = json.loads(text), 0
    while at < len(path):
        step = STEP.match(path, at)
        if not step:
            raise ValueError(f"'{path[at:]}' is no path")
        field, index, name_, wanted = step.groups()
        if field:
            value = value[field]
        elif index:
            value = value[int(index)]
        else:
            value = next(v for v in value if str(v[name_]) == wanted)
        at = step.end()
    return value * float(factor) if factor else value


def take(text, where):
    """What `where` finds in a command's output, as text; ValueError says what is missing."""
    kind, _, rest = where.partition(":")
    if kind == "json":
        try:
            value = take_json(text, rest)
        except (KeyError, IndexError, TypeError, StopIteration, json.JSONDecodeError) as e:
            raise ValueError(f"{where}: not in the output ({type(e).__name__} {e})") from e
    elif kind == "re":
        match = re.search(rest, text, re.M)
        if not match:
            raise ValueError(f"{where}: no match in the output")
        value = match[1]
    else:
        raise ValueError(f"take '{where}': want json:PATH or re:REGEX")
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    value = str(value)
    return value if number(value) is None else f"{number(value):.6g}"


def run_command(command, contraflow, scratch, root=ROOT, timeout=3600):
    """(output, seconds) of a command with $T set to `scratch`; ValueError when it fails. Status 1 is the answer no."""
    programs = [str(contraflow.parent), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
    environment = dict(os.environ, PATH=":".join(programs), LC_ALL="C.UTF-8", T=scratch)
    begin = time.monotonic()
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=root, env=environment, timeout=timeout,
                          capture_output=True, text=True)
    if done.returncode not in (0, 1, 4) or (done.returncode and not done.stdout):
        raise ValueError(f"exit status {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout, time.monotonic() - begin


def run_stage(first, commands, contraflow, root=ROOT):
    """[(command, (output, seconds) or None, error)] of commands that begin with `first`, which runs once for all."""
    with tempfile.TemporaryDirectory(prefix="contraflow-papers-") as scratch:
        ran, all_done = None, []
        for command in commands:
            try:
                if first:
                    ran = ran or run_command(first, contraflow, scratch, root)
                text, seconds = run_command(command.removeprefix(first + AND), contraflow, scratch, root)
                all_done.append((command, (text, seconds + (ran[1] if ran else 0)), None))
            except (ValueError, subprocess.TimeoutExpired) as e:
                all_done.append((command, None, str(e)))
        return all_done


def stages(commands):
    """{what they begin with: commands}: sweeps that several ask are run once, in a directory of theirs."""
    found = {}
    for command in commands:
        first, joined, _ = command.partition(AND)
        shared = joined and first.startswith("contraflow sweep ")
        found.setdefault((first,) if shared else ("", command), []).append(command)
    return [(at[0], of) for at, of in found.items()]


def figures(rows, contraflow, root=ROOT, said=lambda text: None):
    """{key: our figure as text} and a list of what went wrong; rows with the same command share one run."""
    commands = {}
    for row in rows:
        if row["command"]:
            commands.setdefault(row["command"], []).append(row)
    found, wrong = {}, []
    with multiprocessing.pool.ThreadPool(os.cpu_count()) as pool:
        done_all = pool.imap_unordered(lambda stage: run_stage(*stage, contraflow, root), stages(commands))
        for command, done, error in (each for stage in done_all for each in stage):
            for row in commands[command]:
                try:
                    if error:
                        raise ValueError(error)
                    found[key(row)] = take(done[0], row["take"])
                except ValueError as e:
                    wrong.append(f"{name(row)}: {command}: {e}")
            slow = done and done[1] > QUICK_S and any(r["cost"] == "quick" for r in commands[command])
            said(f"{done[1] if done else 0:7.2f} s {'(not quick) ' if slow else ''}{command}")
    return found, wrong


def audited(record, item):
    """The rows of an item of the audit."""
    places = [place.strip() for place in item["places"].split(";")]
    return [row for row in record.rows if row["paper"] == item["paper"] and row["place"] in places]


# What must hold

def within(row, ours):
    """Whether our figure is as near the published one as the row's tolerance asks."""
    published, tolerance, value = number(row["published"]), row["tolerance"], number(ours)
    if value is None:
        return False
    if tolerance == "at most":
        return value <= published
    if tolerance == "at least":
        return value >= published
    if tolerance.startswith("+-"):
        return abs(value - published) <= float(tolerance[2:])
    return abs(value - published) <= float(tolerance) * abs(published)


def verdict(row, ours):
    """What status our figure gives the row."""
    if within(row, ours):
        return "reproduced"
    bound = row["tolerance"] in BOUNDS
    return "near" if not bound and within({**row, "tolerance": str(NEAR)}, ours) else "contradicted"


def tolerance_is_known(text):
    value = number(text.removeprefix("+-"))
    return text in BOUNDS or (value is not None and value >= 0)


def conditions(note):
    """What was tried: parts between semicolons that have a figure."""
    return [part for part in note.split(";") if re.search(r"\d", part)]


def verdict_faults(row, ours):
    """What is wrong between a row's status and our figure."""
    if not row["published"] or not row["command"] or not tolerance_is_known(row["tolerance"]):
        return
    if row["status"] in JUDGED and row["status"] != verdict(row, ours):
        yield (f"{name(row)}: ours is {ours}, published {row['published']}, tolerance {row['tolerance']}: "
               f"not {row['status']}, but {verdict(row, ours)}")


def row_faults(row):
    if row["paper"] not in PAPERS:
        yield f"paper '{row['paper']}' is not one of {', '.join(PAPERS)}"
    if row["status"] not in STATUSES:
        yield f"status '{row['status']}' is not one of {', '.join(STATUSES)}"
    for field in ("place", "page", "row", "says"):
        if not row[field]:
            yield f"{field} is empty"
    if row["published"] and number(row["published"]) is None:
        yield f"published '{row['published']}' is no number"
    if bool(row["published"]) != bool(row["tolerance"]) and row["command"]:
        yield "published and tolerance: give both or none"
    if row["tolerance"] and not tolerance_is_known(row["tolerance"]):
        yield f"tolerance '{row['tolerance']}' is neither a share, nor +-NUMBER, nor {' nor '.join(BOUNDS)}"
    if len({bool(row[field]) for field in ("command", "take", "cost")}) > 1:
        yield "command, take and cost: give all or none"
    if row["cost"] not in ("", "quick", "long"):
        yield f"cost '{row['cost']}' is neither quick nor long"
    if row["status"] == "reproduced" and not row["command"]:
        yield "reproduced, but no command prints our figure"
    if row["status"] == "contradicted" and len(conditions(row["note"])) < CONDITIONS:
        yield f"contradicted, but its note has not {CONDITIONS} conditions with figures"
    if row["status"] in STATUSES[3:] and not row["note"]:
        yield f"{row['status']}, but its note does not say why"
    if row["class"] not in ((*CLASSES, ALTERNATIVE) if row["command"] else ("",)):
        yield f"class '{row['class']}': want one of {', '.join(CLASSES)}, {ALTERNATIVE} where there is a command, else none"
    numeric = row["tolerance"] and row["tolerance"] not in BOUNDS
    if bool(row["scatter"]) != bool(numeric and row["class"] not in ("", "formula")):
        yield "scatter: of a tolerance that is a number, unless its class is formula"


# Where tolerances come from: published numbers alone, so that none can be chosen by ours

def solve(a, b):
    """x of a x = b, by Gauss and Jordan."""
    rows = [[*line, value] for line, value in zip(a, b)]
    for i in range(len(rows)):
        best = max(range(i, len(rows)), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for k, row in enumerate(rows):
            if k != i:
                factor = row[i] / rows[i][i]
                rows[k] = [x - factor * y for x, y in zip(row, rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def surface_residual(points):
    """Deviation of the logarithms of values around a plane with products in those of their coordinates:
    [(coordinates, value)]."""
    lines, logs = [], [math.log(value) for _, value in points]
    middle = [sum(math.log(c[k]) for c, _ in points) / len(points) for k in range(len(points[0][0]))]
    for coordinates, _ in points:
        x = [math.log(c) - m for c, m in zip(coordinates, middle)]
        lines.append([1, *x, *(x[i] * x[k] for i in range(len(x)) for k in range(i))])
    n = range(len(lines[0]))
    b = solve([[sum(x[i] * x[k] for x in lines) for k in n] for i in n],
              [sum(x[i] * y for x, y in zip(lines, logs)) for i in n])
    off = [y - sum(v * w for v, w in zip(x, b)) for x, y in zip(lines, logs)]
    return math.sqrt(sum(e * e for e in off) / (len(off) - len(b)))


SETTING = re.compile(r"P (\d+) W (\d+) TO (\d+)(?:: (.+))?")
CELL = re.compile(r"(\d+ nodes, d \d): (.+), (main testbed|Grid5000)")


def smooth_tolerance(record, row):
    """Of the 18 settings of Tam's Table 4.1, by quantity; that of efficiencies holds for his other tables of them."""
    found = SETTING.search(row["row"])
    what = (found and found[4]) or "measured"
    points = [(tuple(map(int, s.groups()[:3])), float(other["published"])) for other in record.rows
              if other["place"] == "Table 4.1" and (s := SETTING.fullmatch(other["row"])) and s[4] == what]
    return f"{2 * surface_residual(points):.2g}"


def pi_tolerance(record, row):
    cell = CELL.fullmatch(row["row"])
    pi, = (float(r["published"]) for r in record.rows if r["place"] == row["place"] and
           r["row"] == f"{cell[1]}: pi, {cell[3]}")
    if cell[2] == "pi":  # of a deviation over a mean, both of LINKS errors
        return f"{NORMAL * math.sqrt(2 * (1 / (2 * LINKS) + (pi / NORMAL) ** 2)):.2g}"
    return f"{math.sqrt(2) * pi:.2g}"


def links_tolerance(_, row):
    share = float(row["published"]) / 100
    return f"+-{100 * NORMAL * math.sqrt(2 * share * (1 - share) / (3 * LINKS)):.2g}"


def patterns_tolerance(_, row):
    sd, patterns = map(float, row["scatter"].removeprefix("patterns: ").split(" of "))
    return f"{NORMAL * math.sqrt(2 / patterns) * sd / float(row['published']):.2g}"


DERIVED = {"pi": pi_tolerance, "links": links_tolerance, "smooth": smooth_tolerance, "patterns": patterns_tolerance}


def scatter_faults(record, row):
    kind, _, said = row["scatter"].partition(": ")
    if kind in DERIVED:
        try:
            wanted = DERIVED[kind](record, row)
        except (ValueError, TypeError, ZeroDivisionError):
            yield f"{name(row)}: scatter '{row['scatter']}' does not fit this row"
            return
        if row["tolerance"] != wanted:
            yield f"{name(row)}: tolerance {row['tolerance']}, but its scatter '{row['scatter']}' gives {wanted}"
    elif kind == "none":
        plain = row["tolerance"].removeprefix("+-")
        share = "share" in row["unit"] or float(row["published"]) == 0
        most = NEAR if plain == row["tolerance"] or share else NEAR * abs(float(row["published"]))
        if float(plain) > most * (1 + 1e-9):
            yield f"{name(row)}: tolerance {row['tolerance']} without a scatter: {most:g} at most"
    elif row["scatter"] and not (kind == "printed" and said):
        yield f"{name(row)}: scatter '{row['scatter']}' is neither {', '.join(DERIVED)}, none nor printed: WHERE"


def ours_faults(row, ours):
    """What is wrong with the row of ours.csv, None where there is none."""
    if not row["command"]:
        return
    if ours is None or not ours["ours"]:
        yield f"{name(row)}: not in ours.csv: make papers"
    elif ours["command"] != row["command"] or ours["take"] != row["take"]:
        yield f"{name(row)}: ours.csv is of another command: make papers"
    else:
        yield from verdict_faults(row, ours["ours"])


def faults(record):
    """Everything that is wrong with the record, without running a command."""
    found, seen = [], set()
    places = {(c["paper"], c["place"]) for c in record.contents}
    for row in record.rows:
        wrong = list(row_faults(row))
        found += [f"{name(row)}: {text}" for text in wrong]
        if key(row) in seen:
            found.append(f"{name(row)}: there are two of it")
        seen.add(key(row))
        if (row["paper"], row["place"]) not in places:
            found.append(f"{name(row)}: contents*.csv have no such place")
        if not wrong:
            found += scatter_faults(record, row)
            found += ours_faults(row, record.ours.get(key(row)))
    having = {(row["paper"], row["place"]) for row in record.rows}
    found += [f"audit.csv: {item['paper']}, {place.strip()}: no row" for item in record.audit
              for place in item["places"].split(";") if (item["paper"], place.strip()) not in having]
    found += [f"{paper}, {place}: no row" for paper, place in sorted(places - having)]
    return found + [f"{', '.join(k)}: in ours.csv alone: make papers" for k in sorted(set(record.ours) - seen)]


# doc/papers.md

HEAD = """# The papers, point by point

{counts}

A point is *reproduced* when a command prints a figure within the tolerance shown; the test `papers` holds each to it,
and `make papers` runs them all and writes this page. It is *near* when ours is beyond that, but within 10 %, and else
*contradicted*: what was tried is listed below the table. It is *not comparable* when the paper does not say enough, or
measured what nothing here has, and *out of scope* when it is no claim about networks. Commands, sources and tolerances:
`test/data/papers/record/*.csv`.
"""


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def shown(text):
    """Four digits are enough to compare."""
    value = number(text)
    return cell(text) if value is None else f"{value:.4g}"


def published(row):
    if not row["published"]:
        return ""
    unit = f" {row['unit']}" if row["unit"] else ""
    tolerance = row["tolerance"]
    if tolerance in BOUNDS:
        return cell(f"{tolerance} {row['published']}{unit}")
    if not tolerance:
        return cell(row["published"] + unit)
    if not tolerance.startswith("+-"):
        tolerance = f"{100 * float(tolerance):g} %"
    return cell(f"{row['published']}{unit} ({tolerance})")


def judged_once(record):
    """Rows with a number of the paper and one of ours, one of those that repeat a pair of both; alternatives are none.
    Of those that repeat each other the one of the class that says most."""
    rows = [row for row in record.rows if row["class"] in CLASSES and number(row["published"]) is not None and
            number(record.ours.get(key(row), {}).get("ours", "")) is not None and row["status"] in JUDGED]
    once = {}
    for row in sorted(rows, key=lambda row: CLASSES.index(row["class"])):
        once.setdefault((number(row["published"]), record.ours[key(row)]["ours"]), row)
    return list(once.values()), len(rows)


def classes(record):
    once, rows = judged_once(record)
    yield from ("", "## What the figures say of the papers", "",
                "Not every point that is reproduced says that a paper is right. By what ours was made from:", "",
                "- *independent*: nothing in the setting was chosen by this figure or its like;",
                "- *fitted*: something was, such as a buffer that the paper does not print;",
                "- *formula*: ours is the paper's own formula, or a number that was put in comes out again.", "",
                "Tolerances of the first two follow from the paper's own scatter, and no figure of ours has a part in them:",
                "`test/papers/record.py` says how, and the test computes them once more from published numbers alone.",
                "Where a paper says nothing of its scatter 10 % is allowed at most. Bounds have no tolerance.", "",
                f"{rows} points have a number on both sides; {rows - len(once)} repeat another's pair of numbers and are counted once.",
                "The same point under other rules, of which one at most is true, is listed and not counted: "
                f"{sum(row['class'] == ALTERNATIVE for row in record.rows)} rows.", "",
                "| class | points | reproduced | near | contradicted |", "|---|---|---|---|---|")
    for which in CLASSES:
        of = [row for row in once if row["class"] == which]
        yield f"| {which} | {len(of)} | " + " | ".join(str(count(of, status)) for status in JUDGED) + " |"


CONSTANTS = 6  # points of a kind, at least


def allowed(row):
    """(least, most) of what is within a row's tolerance."""
    published, tolerance = number(row["published"]), row["tolerance"]
    off = float(tolerance[2:]) if tolerance.startswith("+-") else float(tolerance) * abs(published)
    return published - off, published + off


def best_constant(rows):
    """(the number that most rows would let pass, how many)."""
    spans = [allowed(row) for row in rows]
    return max(((high, sum(a <= high <= b for a, b in spans)) for _, high in spans), key=lambda found: found[1])


def constants(record):
    """What a figure that knows nothing would reach: of points of a kind, fitted or independent."""
    kinds = {}
    for row in record.rows:
        what = CELL.fullmatch(row["row"]) or SETTING.fullmatch(row["row"])
        if what and row["class"] in CLASSES[:2] and row["tolerance"] not in BOUNDS:
            kinds.setdefault((row["paper"], row["place"], what[2] if what.re is CELL else what[4]), []).append(row)
    kinds = {kind: rows for kind, rows in kinds.items() if len(rows) >= CONSTANTS}
    if not kinds:
        return
    yield from ("", "One constant for all points of a kind would be within so many tolerances, and so many of ours are:", "",
                "| points | number | the best constant | within, by it | within, by ours |", "|---|---|---|---|---|")
    for (paper, place, what), rows in kinds.items():
        value, passes = best_constant(rows)
        yield (f"| {paper}, {place}: {what} | {len(rows)} | {value:.4g} | {passes} | {count(rows, 'reproduced')} |")


def count(rows, status):
    return sum(row["status"] == status for row in rows)


def paper_rows(record, paper):
    """In the order of the contents; rows of no place last."""
    order = {c["place"]: i for i, c in reversed(list(enumerate(record.contents))) if c["paper"] == paper}
    rows = [row for row in record.rows if row["paper"] == paper]
    return sorted(rows, key=lambda row: order.get(row["place"], len(order) + len(record.contents)))


def table(record, rows):
    yield "| place | point | what the paper says | published (tolerance) | ours | class | |"
    yield "|---|---|---|---|---|---|---|"
    place, said = None, set()
    for row in rows:
        ours = record.ours.get(key(row), {}).get("ours", "")
        first = f"{row['place']} (p. {row['page']})" if number(row["page"]) else f"{row['place']} ({row['page']})"
        new = row["place"] != place
        says = "" if (row["place"], row["says"]) in said else cell(row["says"])
        said.add((row["place"], row["says"]))
        yield "| {} | {} | {} | {} | {} | {} | {} |".format(
            cell(first) if new else "", cell(row["row"]), says, published(row), shown(ours), row["class"], row["status"])
        place = row["place"]


def notes(rows, status, heading):
    chosen = [row for row in rows if row["status"] == status and row["note"]]
    if chosen:
        yield from ("", f"### {heading}", "")
        by_note = {}  # rows of a place that share a note are one item
        for row in chosen:
            by_note.setdefault((row["place"], row["note"]), []).append(row["row"])
        for (place, note), which in by_note.items():
            yield f"- {place}, {'; '.join(which)}: {' '.join(note.split())}"


def changes(record):
    """What became of what an audit found open."""
    if not record.audit:
        return
    items = [(item, audited(record, item)) for item in record.audit]
    rows = {key(row): row for _, of in items for row in of}.values()
    better = sum(count(of, "reproduced") == len(of) for _, of in items)
    yield from ("", "## What an audit found open", "",
                f"Before these rows were written, {len(items)} items were open: there was no figure, or one that "
                "contradicted the paper.",
                f"{better} are reproduced in full now. The places that they name have {len(rows)} points: "
                f"{count(rows, 'reproduced')} are reproduced,",
                f"{count(rows, 'near')} near, {count(rows, 'contradicted')} contradicted, "
                f"{count(rows, 'not comparable')} not comparable.", "",
                "| paper | what was open | was | points | reproduced | near | contradicted | not comparable |",
                "|---|---|---|---|---|---|---|---|")
    for item, of in items:
        yield (f"| {item['paper']} | {cell(item['said'])}: {cell(item['places'].replace(';', ','))} | {item['was']} | "
               f"{len(of)} | " + " | ".join(str(count(of, status)) for status in STATUSES[:4]) + " |")


def document(record):
    rows = record.rows
    n = {status: count(rows, status) for status in STATUSES}
    once, _ = judged_once(record)
    text = [HEAD.format(counts="\n".join([
        "Reproduced within the papers' own scatter, each pair of numbers counted once: " + ", ".join(
            f"{count(of, 'reproduced')} of {len(of)} {which}" for which in CLASSES
            for of in [[row for row in once if row["class"] == which]]) + ".", "",
        f"The five papers make {len(rows)} points in {len(record.contents)} tables, figures, equations, algorithms and",
        f"experiments: {n['reproduced']} are reproduced, {n['near']} near, {n['contradicted']} contradicted, "
        f"{n['not comparable']} not",
        f"comparable and {n['out of scope']} out of scope."])),
        "| paper | points | reproduced | near | contradicted | not comparable | out of scope |", "|---|---|---|---|---|---|---|"]
    present = [paper for paper in PAPERS if paper_rows(record, paper)]
    for paper in present:
        of = paper_rows(record, paper)
        text.append(f"| {PAPERS[paper]} | {len(of)} | " + " | ".join(str(count(of, s)) for s in STATUSES) + " |")
    text += [*classes(record), *constants(record), *changes(record)]
    for paper in present:
        of = paper_rows(record, paper)
        text += ["", f"## {PAPERS[paper]}", "", *table(record, of),
                 *notes(of, "contradicted", "Contradicted: what was tried"),
                 *notes(of, "reproduced", "Reproduced: how"),
                 *notes(of, "not comparable", "Not comparable: why"), *notes(of, "out of scope", "Out of scope: why")]
    return "\n".join(text) + "\n"


def main(words):
    if words[:1] == ["write"] and len(words) == 1:
        Record().write()
        return 0
    if words[:1] != ["run"] or len(words) < 2:
        sys.exit(__doc__)
    record = Record()
    unknown = set(words[2:]) - set(record.files)
    if unknown:
        sys.exit(f"record.py: '{sorted(unknown)[0]}' is none of {', '.join(record.files)}")
    rows = [row for stem, rows in record.files.items() if not words[2:] or stem in words[2:] for row in rows]
    found, wrong = figures(rows, pathlib.Path(words[1]).resolve(), said=lambda text: print(text, flush=True))
    for row in rows:
        record.ours.pop(key(row), None)
        if key(row) in found:
            record.ours[key(row)] = {**{c: row[c] for c in OURS if c != "ours"}, "ours": found[key(row)]}
    record.ours = {k: v for k, v in record.ours.items() if k in {key(row) for row in record.rows}}
    record.write_ours()
    record.write()
    wrong += faults(record)
    print("\n".join(wrong) or f"{len(rows)} rows hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
