"""Keeps what the walks cost, before and at the end, side by side in docs/measurements/pages.txt."""

import pathlib
import re

FILE = pathlib.Path(__file__).parents[2] / "docs/measurements/pages.txt"
HEADING = "What each walk costs its person: pages, clicks, fields, words (scripts/walk-pages --record before|end)"
COLUMNS = ("before", "end")
LINE = re.compile(r"^(?P<row>\S{2}) (?P<name>.{32}) (?P<before>.{26}) \| (?P<end>.{26})")


def parse(lines):
    """The texts of both columns by the names of walks."""
    kept = {}
    for line in lines:
        if found := LINE.match(line.ljust(100)):
            kept[found["name"].strip()] = {column: found[column].strip() for column in COLUMNS}
    kept.pop("walk", None)
    return kept


def write(column, results, rows, notes):
    """Writes one column, and leaves the other one and the rest of the file as they are.

    `results` has the counts and what was wrong by the names of walks, `notes` lines for the end of the section.
    """
    before, _, section = FILE.read_text().partition(HEADING)
    kept = parse(section.splitlines())
    others = [line for line in section.splitlines() if line.startswith(tuple(f"{c}:" for c in COLUMNS if c != column))]
    for name, (counts, problem) in results.items():
        text = " ".join(f"{count:5}" for count in counts) + (" no" if problem else "")
        kept.setdefault(name, {})[column] = text.strip()
    lines = [HEADING, "“no”: the walk does not end where it should; it is counted up to there.", "",
             f"{'--'} {'walk':32} {COLUMNS[0]:26} | {COLUMNS[1]:26}".rstrip()]
    for name, texts in kept.items():
        cells = [cell(texts.get(each, "")) for each in COLUMNS]
        lines.append(f"{rows.get(name) or '--'} {name:32} {cells[0]:26} | {cells[1]:26}".rstrip())
    lines += ["", *others, *(f"{column}: {note}" for note in notes)]
    FILE.write_text(before.rstrip("\n") + "\n\n" + "\n".join(lines) + "\n")


def cell(text):
    numbers = text.split()
    return " ".join(f"{number:>5}" for number in numbers[:4]) + (" no" if numbers[4:] else "")
