#!/usr/bin/env python3
"""Writes Sources/Text/Tables/unicode-15.txt from the Unicode Character Database, version 15.0.0.

Usage:  generate.py UCD_DIRECTORY            writes the table
        generate.py UCD_DIRECTORY --check    fails when the committed table differs

UCD_DIRECTORY holds these files of version 15.0.0 (Debian and its descendants package them as `unicode-data`):

    UnicodeData.txt                 assigned code points, combining classes, canonical decompositions
    DerivedNormalizationProps.txt   NFKC_Casefold, Full_Composition_Exclusion
    PropList.txt                    White_Space

The version is fixed for ever: canonical text is hashed and sealed, so a new version of Unicode is a new text rule with
a table of its own, never a new edition of this one. The generator refuses files of any other version.

The table is one string of numbers. A number is written in digits of five bits, lowest first; a digit is the character
U+0030 + digit, plus 0x20 when more digits follow. Line breaks mean nothing. Signed numbers are 2n or -2n-1. Sections:

    assigned        count, then for each range: gap since the end of the last, length - 1
    white space     the same
    classes         count, then for each range of one non-zero combining class: gap, length - 1, class
    decompositions  count, then for each code point: gap, kind, first, [second]; one step of the canonical
                    decomposition. Kind 0: one code point. 1: a pair that composes. 2: a pair that never does.
    foldings        count, then for each code point: gap, number of code points, each as a signed difference to it.
                    NFKC_Casefold in form NFD. Only for assigned code points that are their own NFD, because the
                    text is in form NFD when it is folded; Hangul syllables are decomposed by arithmetic.
"""
import hashlib
import pathlib
import sys

VERSION = "15.0.0"
OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "Sources/Text/Tables/unicode-15.txt"
HANGUL = range(0xAC00, 0xAC00 + 11172)


def load(directory, name, versioned=True):
    data = (pathlib.Path(directory) / name).read_bytes()
    text = data.decode("utf-8")
    if versioned and f"-{VERSION}.txt" not in text.splitlines()[0]:
        sys.exit(f"{name} is not of version {VERSION}")
    return text, hashlib.sha256(data).hexdigest()


def properties(text, wanted):
    """Yields (range, further fields) for the lines of one property."""
    for line in text.splitlines():
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if len(fields) >= 2 and fields[1] == wanted:
            first, _, last = fields[0].partition("..")
            yield range(int(first, 16), int(last or first, 16) + 1), fields[2:]


class Database:
    def __init__(self, directory):
        # UnicodeData.txt does not state its version; its digest is compared with that of 15.0.0.
        data, digest = load(directory, "UnicodeData.txt", versioned=False)
        if digest != "806e9aed65037197f1ec85e12be6e8cd870fc5608b4de0fffd990f689f376a73":
            sys.exit(f"UnicodeData.txt is not of version {VERSION}")
        derived, derived_digest = load(directory, "DerivedNormalizationProps.txt")
        listed, listed_digest = load(directory, "PropList.txt")
        self.sources = [("UnicodeData.txt", digest), ("DerivedNormalizationProps.txt", derived_digest),
                        ("PropList.txt", listed_digest)]
        self.assigned, self.classes, self.steps = set(), {}, {}
        first = None
        for line in data.splitlines():
            fields = line.split(";")
            point = int(fields[0], 16)
            if fields[1].endswith(", First>"):
                first = point
                continue
            if fields[2] != "Cs":
                self.assigned.update(range(first if fields[1].endswith(", Last>") else point, point + 1))
            if fields[3] != "0":
                self.classes[point] = int(fields[3])
            if fields[5] and not fields[5].startswith("<"):
                self.steps[point] = [int(part, 16) for part in fields[5].split()]
        self.excluded = {p for r, _ in properties(derived, "Full_Composition_Exclusion") for p in r}
        self.folded = {p: [int(part, 16) for part in rest[0].split()]
                       for r, rest in properties(derived, "NFKC_CF") for p in r}
        self.white_space = {p for r, _ in properties(listed, "White_Space") for p in r}

    def decompose(self, point):
        if point in HANGUL:
            index = point - 0xAC00
            tail = [0x11A7 + index % 28] if index % 28 else []
            return [0x1100 + index // 588, 0x1161 + index % 588 // 28] + tail
        return [q for p in self.steps[point] for q in self.decompose(p)] if point in self.steps else [point]

    def nfd(self, points):
        result = [q for p in points for q in self.decompose(p)]
        start = 0
        while start < len(result):
            end = start
            while end < len(result) and self.classes.get(result[end], 0):
                end += 1
            result[start:end] = sorted(result[start:end], key=lambda p: self.classes[p])
            start = end + 1
        return result


def ranges(points, value=lambda point: None):
    """The maximal runs of points with one value, as (first, last, value)."""
    result = []
    for point in sorted(points):
        if result and result[-1][1] + 1 == point and result[-1][2] == value(point):
            result[-1][1] = point
        else:
            result.append([point, point, value(point)])
    return result


def numbers(database):
    def runs(found):
        yield len(found)
        end = 0
        for first, last, value in found:
            yield from [first - end, last - first] + ([] if value is None else [value])
            end = last + 1

    yield from runs(ranges(database.assigned))
    yield from runs(ranges(database.white_space))
    yield from runs(ranges(database.classes, database.classes.get))

    yield len(database.steps)
    end = 0
    for point, parts in sorted(database.steps.items()):
        kind = 0 if len(parts) == 1 else 2 if point in database.excluded else 1
        assert len(parts) <= 2 and (kind != 0 or point in database.excluded)
        yield from [point - end, kind] + parts
        end = point + 1

    foldings = {p: database.nfd(to) for p, to in database.folded.items()
                if p in database.assigned and p not in database.steps and p not in HANGUL}
    yield len(foldings)
    end = 0
    for point, parts in sorted(foldings.items()):
        yield from [point - end, len(parts)]
        yield from (2 * (q - point) if q >= point else 2 * (point - q) - 1 for q in parts)
        end = point + 1


def encode(stream):
    for number in stream:
        while True:
            number, digit = number >> 5, number & 31
            yield chr(0x30 + digit + (32 if number else 0))
            if not number:
                break


def write_table(script, output, sources, text, summary):
    """Writes a file with an encoded table, or compares the committed one with it."""
    lines = [f"# Made by scripts/unicode/{script} from the Unicode Character Database 15.0.0; do not edit.", "#"]
    lines += [f"# {digest}  {source}" for source, digest in sources]
    lines += ["#", "# Data: Copyright 1991-2022 Unicode, Inc.; used under https://www.unicode.org/license.html."]
    lines += [text[start:start + 112] for start in range(0, len(text), 112)]
    made = "\n".join(lines) + "\n"
    if "--check" in sys.argv[2:]:
        if output.read_text() != made:
            sys.exit("the committed table differs from a generated one")
    else:
        output.write_text(made)
        print(summary)


def main():
    database = Database(sys.argv[1])
    text = "".join(encode(numbers(database)))
    write_table("generate.py", OUTPUT, database.sources, text, f"{len(text)} characters")


if __name__ == "__main__":
    main()
