#!/usr/bin/env python3
"""Writes Sources/Text/Tables/idna-15.txt: which code points a U-label may have (RFC 5892), for Unicode 15.0.0.

Usage:  generate_idna.py UCD_DIRECTORY            writes the table
        generate_idna.py UCD_DIRECTORY --check    fails when the committed table differs

UCD_DIRECTORY holds the files that `generate.py` names, and these of version 15.0.0:

    DerivedCoreProperties.txt           Default_Ignorable_Code_Point
    HangulSyllableType.txt              conjoining Jamo
    Blocks.txt                          the blocks that RFC 5892 excludes
    Scripts.txt                         the scripts of the contextual rules
    extracted/DerivedJoiningType.txt    the contextual rule for U+200C
    extracted/DerivedBidiClass.txt      the Bidi rule (RFC 5893)

The property of a code point is derived as RFC 5892, section 3, says; BackwardCompatible (section 2.7) is empty. The
version is fixed for ever, because claims are keyed by what the table says. The encoding is that of `generate.py`.
Sections:

    valid       count, then ranges: the code points that are PVALID
    marks       the same: those among them that no label begins with (general category M)
    joining     count, then ranges of one value, each with the value: 1 for joining type D or L, 2 for R, 3 for T;
                D is in 4 instead, because it joins on both sides
    bidi        the same, for valid and contextual code points: 1 R, 2 AL, 3 AN, 4 EN, 5 ES, 6 CS, 7 ET, 8 ON, 9 BN,
                10 NSM; a code point without an entry is L
    scripts     the same, for the contextual rules: 1 Greek, 2 Hebrew, 3 Hiragana, Katakana or Han
"""
import pathlib
import sys

import generate

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "Sources/Text/Tables/idna-15.txt"

# RFC 5892, section 2.6. The contextual ones have rules of their own in the code.
PVALID = {0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007}
CONTEXTUAL = {0x200C, 0x200D, 0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, *range(0x660, 0x66A), *range(0x6F0, 0x6FA)}
DISALLOWED = {0x640, 0x7FA, 0x302E, 0x302F, 0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x303B}
IGNORED_BLOCKS = {"Combining Diacritical Marks for Symbols", "Musical Symbols", "Ancient Greek Musical Notation"}
LETTERS_AND_DIGITS = {"Ll", "Lu", "Lo", "Nd", "Lm", "Mn", "Mc"}
JOINING = {"L": 1, "R": 2, "T": 3, "D": 4}
BIDI = {name: number for number, name in enumerate("R AL AN EN ES CS ET ON BN NSM".split(), 1)}
SCRIPTS = {"Greek": 1, "Hebrew": 2, "Hiragana": 3, "Katakana": 3, "Han": 3}


def values(text):
    """The value of each code point in a file that gives one to each."""
    result = {}
    for line in text.splitlines():
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if len(fields) >= 2:
            first, _, last = fields[0].partition("..")
            result.update(dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), fields[1]))
    return result


class Properties:
    def __init__(self, directory):
        self.database = generate.Database(directory)
        self.sources = list(self.database.sources)
        self.categories = self.general_categories(directory)
        core = self.file(directory, "DerivedCoreProperties.txt")
        self.ignorable = {p for r, _ in generate.properties(core, "Default_Ignorable_Code_Point") for p in r}
        self.hangul = values(self.file(directory, "HangulSyllableType.txt"))
        self.blocks = values(self.file(directory, "Blocks.txt"))
        self.scripts = values(self.file(directory, "Scripts.txt"))
        self.joining = values(self.file(directory, "extracted/DerivedJoiningType.txt"))
        self.bidi = values(self.file(directory, "extracted/DerivedBidiClass.txt"))
        self.valid = {p for p in self.database.assigned if self.is_valid(p)}

    def file(self, directory, name):
        text, digest = generate.load(directory, name)
        self.sources.append((name, digest))
        return text

    @staticmethod
    def general_categories(directory):
        result, first = {}, None
        for line in generate.load(directory, "UnicodeData.txt", versioned=False)[0].splitlines():
            fields = line.split(";")
            point = int(fields[0], 16)
            if fields[1].endswith(", First>"):
                first = point
                continue
            start = first if fields[1].endswith(", Last>") else point
            result.update(dict.fromkeys(range(start, point + 1), fields[2]))
        return result

    def is_valid(self, point):
        """Whether the derived property is PVALID (RFC 5892, section 3). The order of the rules is theirs."""
        if point in PVALID:
            return True
        if point in CONTEXTUAL or point in DISALLOWED:
            return False
        if point == 0x2D or 0x30 <= point <= 0x39 or 0x61 <= point <= 0x7A:
            return True
        if self.hangul.get(point) in ("L", "V", "T"):
            return False
        # NFKC_Casefold changes what is unstable (section 2.2) and removes what is ignorable; both are disallowed.
        if point in self.database.folded or point in self.ignorable or point in self.database.white_space:
            return False
        if self.blocks.get(point) in IGNORED_BLOCKS:
            return False
        return self.categories[point] in LETTERS_AND_DIGITS

    def numbers(self):
        usable = self.valid | CONTEXTUAL

        def runs(points, value=lambda point: None):
            found = generate.ranges(points, value)
            yield len(found)
            end = 0
            for first, last, number in found:
                yield from [first - end, last - first] + ([] if number is None else [number])
                end = last + 1

        def classes(kind, names, among):
            chosen = {p: names[kind[p]] for p in among if kind.get(p) in names}
            yield from runs(chosen, chosen.get)

        yield from runs(self.valid)
        yield from runs({p for p in self.valid if self.categories[p].startswith("M")})
        yield from classes(self.joining, JOINING, usable)
        yield from classes(self.bidi, BIDI, usable)
        yield from classes(self.scripts, SCRIPTS, usable)


def main():
    properties = Properties(sys.argv[1])
    text = "".join(generate.encode(properties.numbers()))
    generate.write_table("generate_idna.py", OUTPUT, properties.sources, text,
                         f"{len(text)} characters, {len(properties.valid)} valid code points")


if __name__ == "__main__":
    main()
