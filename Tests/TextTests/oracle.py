#!/usr/bin/env python3
"""An independent statement of the text rules, to hold the Swift implementation against.

It shares no code and no data with Sources/Text: normalization comes from the module `unicodedata2` (version 15.0.0) and
case folding from Python itself (whose folding of characters known to Unicode 15.0 is stable by policy); the foldings are
derived here by the definition of NFKC_Casefold instead of being read from a file.

    oracle.py golden > golden.tsv      the committed pairs
    oracle.py random COUNT SEED        random strings with their expected results

One line is: rule, input, result; tab-separated. Input and result are code points in hexadecimal with spaces between, or
the result is `!` and an error code.
"""
import random
import sys

import unicodedata2 as ucd

assert ucd.unidata_version == "15.0.0", ucd.unidata_version

LIMITS = {1: 256, 2: 1024}

# Default_Ignorable_Code_Point and White_Space, as listed in The Unicode Standard, sections 5.21 and 4.
IGNORABLE = {
    0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010),
    *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0,
    *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)}
WHITE_SPACE = {*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F,
               0x3000}


def fold_one(character):
    """NFKC_Casefold of one character: NFKC, folding and removal of ignorables, repeated until nothing changes."""
    text, previous = character, None
    while text != previous:
        previous = text
        text = ucd.normalize("NFKC", text).casefold()
        text = ucd.normalize("NFKC", "".join(c for c in text if ord(c) not in IGNORABLE))
    return text


def apply(rule, text):
    if len(text.encode("utf-8")) > LIMITS[rule]:
        return "!text.too_long"
    for c in text:
        category = ucd.category(c)
        if category == "Cn":
            return "!text.unassigned_code_point"
        if category == "Cc" and (rule == 2 or ord(c) not in WHITE_SPACE):
            return "!text.control_character"
    if rule == 1:
        text = "".join(fold_one(c) for c in ucd.normalize("NFD", text))
    text = ucd.normalize("NFC", text)
    if rule == 1:
        text = "".join(" " if ord(c) in WHITE_SPACE else c for c in text)
        text = " ".join(part for part in text.split(" ") if part)
    if not text:
        return "!text.empty"
    return "!text.too_long" if len(text.encode("utf-8")) > LIMITS[rule] else points(text)


def points(text):
    return " ".join(f"{ord(c):04X}" for c in text)


def line(rule, text):
    return f"{rule}\t{points(text)}\t{apply(rule, text)}"


# Chosen by hand: each kind of difference between two spellings, and each refusal.
CHOSEN = """
Rex|rex|REX| Rex |Rex\\u00a0|R ex|R  ex|R\\tex|R\\nex|\\u3000Rex\\u3000|Ｒｅｘ|Ⓡⓔⓧ|𝐑𝐞𝐱|ℜex|R\\u00adex|R\\u200bex|R\\u200dex
Straße|STRASSE|strasse|STRAẞE|Müller|Mu\\u0308ller|MÜLLER|Mueller|Ångström|\\u212bngstrom|A\\u030angstro\\u0308m
İstanbul|ISTANBUL|ıstanbul|Istanbul|i\\u0307stanbul|Σίσυφος|ΣΊΣΥΦΟΣ|σίσυφοσ|ᾼ|ᾳ|\\u03b1\\u0345|\\u0391\\u0345\\u0301|ώ|\\u1f7d|ῷ
한국|\\u1112\\u1161\\u11ab\\u1100\\u116e\\u11a8|\\uac00\\u11a8|\\u1100\\u1161|\\u1100\\u1161\\u11a7|ㅎㅏㄴ|ﾊﾝｸﾞﾙ|ハングル|は\\u3099|が|か\\u3099
北京|⼀|\\uf900|\\ufa0e|\\U0002f800|㈱|㍿|㌀|㎏|½|x²|H₂O|ﬁne|ﬃ|ĳ|Ǆ|ǅ|ŉ|ſ|ẛ\\u0323|ﷺ|ﷲ|\\u0627\\u0654|أ|لا|ﻻ
हिन्दी|क\\u093c|क़|\\u0958|ক\\u09be\\u09c7|\\u09c7\\u09be|ো|க\\u0bc6\\u0bbe|\\u0f71\\u0f72|\\u0f73|\\u0fb2\\u0f81|\\u1e69|s\\u0323\\u0307|s\\u0307\\u0323
שלום|\\ufb1d|\\ufb2c|\\u05e9\\u05c1\\u05bc|ЁЖИК|е\\u0308жик|Ёжик|ЙОД|и\\u0306од|Ꭰ|ꭰ|Ა|ა|Ⴀ|𐐀|𞤀|Ꙁ|ᲀ|ꚍ
don’t|don't|don`t|“quoted”|–|—|…|‥|™|℠|№|℡|©|®|€|£|￡|¥|￥|°C|℃|Ω|\\u2126|K|\\u212a|µ|μ|ƒ|ª|º|¼|⅓|①|⑴|⒈|Ⅷ|ⅷ|↉
alice@example.com|Alice@Example.COM|ALICE@EXAMPLE.COM| alice@example.com |ａｌｉｃｅ＠ｅｘａｍｐｌｅ．ｃｏｍ|alice@exämple.com|alice+tag@example.com
👍|👍🏽|👩\\u200d👩\\u200d👧|❤\\ufe0f|❤|🇩🇪|\\U0001f468\\u200d\\U0001f4bb|1\\ufe0f\\u20e3|😀\\ufe0e|\\U000e0067\\U000e0062|\\u2764\\ufe0f
\\u0000|a\\u0000b|\\u0001|\\u0007|\\u001b[31m|\\u001c|\\u001f|\\u007f|\\u0080|\\u009f|a\\u0085b|\\u0085|\\u000b|\\u000c|a\\r\\nb|\\t
\\u0378|a\\u0378|\\ufffe|\\uffff|\\ufdd0|\\U0001ffff|\\U0010ffff|\\U0010fffd|\\ue000|\\U000e0000|\\U000e0001|\\U0001fae9|\\U00031350|\\U000323b0
\\u0020|\\u00a0|\\u2003|\\u200b|\\ufeff|\\u00ad|\\u2060|\\u034f|\\u115f|\\u3164|\\u180e|\\u1680a\\u1680b|a\\u2028b|a\\u2029b|\\u202fa\\u205fb|a\\u2007b
\\u0300|\\u0308|a\\u0300\\u0316|a\\u0316\\u0300|a\\u0345\\u0300|\\u0344|\\u0343|\\u0340|\\u00a8|\\u00b4|\\u1fc1|\\u1fbd|\\u02dc|\\u037a|a\\u00a8|a \\u0308
q\\u0307\\u0323|d\\u0323\\u0307|\\u1e0b\\u0323|\\u1e0d\\u0307|a\\u0328\\u0301|a\\u0301\\u0328|\\u01ed|o\\u0304\\u0328|\\u1d15e|\\U0001d15e|\\U0001d1bb\\U0001d16e
correct horse battery staple|Correct Horse Battery Staple|  leading|trailing  |two  spaces|p\\u00e4ssw\\u00f6rd|pa\\u0308sswo\\u0308rd
""".strip().replace("\n", "|").split("|")
CHOSEN = [text.encode("utf-8").decode("utf-8").encode("raw_unicode_escape").decode("unicode_escape")
          if "\\" in text else text for text in CHOSEN]


def golden():
    for text in CHOSEN:
        yield line(1, text)
        yield line(2, text)
    yield line(1, "")
    yield line(2, "")
    for rule, limit in LIMITS.items():
        for text in ("x" * limit, "x" * (limit + 1), "é" * (limit // 2), "é" * (limit // 2) + "x",
                     "\u0958" * (limit // 3), "\U0001d160" * (limit // 4), " " * (limit + 1)):
            yield line(rule, text)
    yield line(1, "\ufdfa" * 85)
    # Every 97th character that any rule changes, between two letters.
    changed = [p for p in range(0x110000)
               if not 0xD800 <= p < 0xE000 and ucd.category(chr(p)) != "Cn"
               and (ucd.normalize("NFC", chr(p)) != chr(p) or fold_one(chr(p)) != chr(p))]
    for point in changed[::97]:
        yield line(1, f"x{chr(point)}y")
        yield line(2, f"x{chr(point)}y")


def pools():
    points = [p for p in range(0x110000) if not 0xD800 <= p < 0xE000]
    assigned = [p for p in points if ucd.category(chr(p)) != "Cn"]
    return [
        list(range(0x20, 0x7F)), list(range(0x20, 0x250)), list(range(0x370, 0x590)), assigned,
        [p for p in assigned if ucd.combining(chr(p))],
        [p for p in assigned if ucd.decomposition(chr(p))],
        list(range(0x1100, 0x1200)) + list(range(0xAC00, 0xAC80)), list(range(0x900, 0xE00)),
        sorted(WHITE_SPACE), sorted(p for p in IGNORABLE if ucd.category(chr(p)) != "Cn"),
        [0x345, 0x3B1, 0x391, 0x301, 0x308, 0x3B9, 0x1F80, 0x1FB3, 0x307, 0x323, 0x69, 0x130]]


def randomly(count, seed):
    generator, drawn = random.Random(seed), pools()
    for number in range(count):
        chosen = generator.sample(drawn, generator.randint(1, 3))
        points = [generator.choice(generator.choice(chosen)) for _ in range(generator.randint(1, 16))]
        if number % 50 == 0:
            points.append(generator.choice([0x378, 0xFFFF, 0x10FFFF, 0xE0002, 0x0, 0x7F, 0x1B]))
        # Control characters would refuse nearly everything that holds white space under the second rule.
        rule = 1 + number % 2
        if rule == 2 and number % 50 != 1:
            points = [p for p in points if ucd.category(chr(p)) not in ("Cc", "Cn")] or [0x41]
        yield line(rule, "".join(map(chr, points)))


if __name__ == "__main__":
    lines = dict.fromkeys(golden()) if sys.argv[1] == "golden" else randomly(int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write("".join(text + "\n" for text in lines))
