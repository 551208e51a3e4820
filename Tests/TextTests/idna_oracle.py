#!/usr/bin/env python3
"""The A-labels of libidn2, to hold the Swift implementation against.

It needs the shared library of libidn2 2.3.3 (Debian 12 has it; whatever uses curl or GnuTLS brings it).

    idna_oracle.py golden > idna.tsv     the committed pairs
    idna_oracle.py random COUNT SEED     random names with their expected results

One line is: name, result, reason; tab-separated. The name is code points in hexadecimal with spaces between. The result
is the name in ASCII, or `!` for a text that is no domain name. The reason is empty, or says why the result is not that
of libidn2.

A name is first looked up (`idn2_lookup_u8` with IDN2_NONTRANSITIONAL), which maps it as UTS #46 says. Then each of its
labels is registered (`idn2_register_u8`), because a look-up does not ask all rules of RFC 5891: those for CONTEXTO, for
one. Two rules are added that libidn2 leaves to its caller: only letters, digits and hyphens in ASCII labels (RFC 5890),
and no empty label, so no dot at the end (RFC 5321 has none in an address).
"""
import ctypes
import random
import re
import sys
import unicodedata

lib = ctypes.CDLL("libidn2.so.0")
lib.idn2_check_version.restype = lib.idn2_strerror_name.restype = ctypes.c_char_p
lib.idn2_free.argtypes = [ctypes.c_void_p]
POINTER = ctypes.POINTER(ctypes.c_void_p)
lib.idn2_lookup_u8.argtypes = [ctypes.c_char_p, POINTER, ctypes.c_int]
lib.idn2_register_u8.argtypes = [ctypes.c_char_p, ctypes.c_char_p, POINTER, ctypes.c_int]
lib.idn2_to_unicode_8z8z.argtypes = [ctypes.c_char_p, POINTER, ctypes.c_int]
assert lib.idn2_check_version(None) == b"2.3.3", lib.idn2_check_version(None)

NFC_INPUT, NONTRANSITIONAL = 1, 8
LETTERS = set("abcdefghijklmnopqrstuvwxyz0123456789-")


def taken(function, *arguments):
    """The text that a function of the library gives out; None for a refusal."""
    given = ctypes.c_void_p()
    code = function(*arguments[:-1], ctypes.byref(given), arguments[-1])
    if code != 0:
        return None
    text = ctypes.string_at(given.value)
    lib.idn2_free(given)
    return text


def libidn2(text):
    encoded = text.encode("utf-8")
    if b"\0" in encoded:
        return "!"
    found = taken(lib.idn2_lookup_u8, encoded, NFC_INPUT | NONTRANSITIONAL)
    if not found or len(found) > 253:
        return "!"
    for label in found.split(b"."):
        if not label or not set(label.decode("utf-8")) <= LETTERS:
            return "!"
        shown = taken(lib.idn2_to_unicode_8z8z, label, 0)
        if shown is None or taken(lib.idn2_register_u8, shown, None, 0) != label:
            return "!"
    return found.decode("ascii")


SHARP_S = "UTS #46 mapped the capital to ss until Unicode 15.0 and maps it to ß since 15.1, so it is refused"
NEWER = "libidn2 2.3.3 knows the characters of Unicode 11"
KNOWN = unicodedata.ucd_3_2_0


def result(text):
    """The expected result, and the reason why it is not that of libidn2."""
    text = text.strip()
    if "\u1E9E" in text:
        return "!", SHARP_S
    if text in VALID_SINCE_12:
        return ".".join("xn--" + label.encode("punycode").decode("ascii") if not label.isascii() else label
                        for label in text.split(".")), NEWER
    found = libidn2(text)
    return next((("!", reason) for reason, breaks in BIDI_RULES if breaks(found)), (found, ""))


def right_to_left(name):
    """The Bidi classes of the characters of each label that has one of class R or AL."""
    for label in name.split("."):
        if label.startswith("xn--"):
            classes = [unicodedata.bidirectional(c) for c in label[4:].encode("ascii").decode("punycode")]
            if {"R", "AL"} & set(classes):
                yield classes


def ends_wrongly(classes):
    return [kind for kind in classes if kind != "NSM"][-1] not in ("R", "AL", "EN", "AN")


BIDI_RULES = [
    ("libidn2 permits European and Arabic digits in one label, which rule 4 of RFC 5893 forbids",
     lambda name: any({"EN", "AN"} <= set(classes) for classes in right_to_left(name))),
    ("libidn2 permits other characters before the marks at the end, which rule 3 of RFC 5893 forbids",
     lambda name: any(map(ends_wrongly, right_to_left(name)))),
]


def line(text):
    return "\t".join([" ".join(f"{ord(c):04X}" for c in text), *result(text)])


# Labels with characters of Unicode 12 to 15, chosen by hand, which RFC 5892 permits.
VALID_SINCE_12 = ["\U00010FB0\U00010FB1.example", "a\u0C3C.example", "\u9FF0.example", "\U00031350.example",
                  "\uA7C1\uA7D3.example", "\U0001E4D0.example"]

# Chosen by hand; white space separates the names.
CHOSEN = """
example EXAMPLE Example.COM a.b.c 1 1.2.3.4 127.0.0.1 a-b a--b ab-c abc-d ab--c aa--a a-.b -a.b -a a- - -- ---- a..b
.a a.
. .. a_b.example a!b a@b a/b a:b [1] a%41 ab\\u0000 \\u00a0a.example\\u2003 a\\u00a0b a\\u3000b
straße.example strasse.example STRASSE.example Straße.Example STRAẞE.example ẞ stra\\u0308ße.example ß ßß aß.ßb
xn--strae-oqa
xn--strae-oqa.example XN--STRAE-OQA.EXAMPLE Xn--Strae-Oqa.example xn--zca xn--zcaa xn--strasse- xn--strasse-.example
faß.de fass.de xn--fa-hia.de straſse.example ſtraße.example straﬅe.example straﬀe.example roß.example ross.example
λόγος.example λόγοσ.example ΛΌΓΟΣ.example ΛόγοΣ ς σ ςς σς xn--4xa xn--3xa βόλος.com βόλοσ.com xn--nxasmm1c.com
ὀδυσσεύς ὈΔΥΣΣΕΎΣ ᾳ ᾼ ῷ ͵α a͵ ͵ ͵͵ α͵ ͵β.example ʹα
müller.example MÜLLER.example mu\\u0308ller.example MU\\u0308LLER.example xn--mller-kva.example xn--mu-ller-xyz
ｍüｌｌｅｒ．example müller｡example müller。example müller．example ｅｘａｍｐｌｅ．ｃｏｍ ①.example ⒈example ⑴.example
a․b a…b a‥b a︒b a﹒b ㏂.example ㍿.example ℡.example №.example ½.example x².example H₂O.example ﬁne.example ĳ.example
Å.example Å.example A\\u030a.example å\\u0323.example a\\u030a\\u0323.example Ω.example Ω.example K.example
K.example
İ.example i̇.example ı.example I.example dž.example Ǆ.example ǅ.example ŉ.example µ.example μ.example ª.example
ⅷ.example
xn-- xn---- xn--- xn--a xn--a- xn--a.example xn--aaa xn--ab-cd xn--99999999 xn--0 xn--zzzzzzzzzzzz xn--ascii-
xn--ASCII-
xn--a-ü xn--ü xn--ü-9aa xn--53h xn--53h.example ☕.example 💩.la xn--ls8h.la I♥NY.example ☃.net xn--n3h.net ≠ a≠b
√.com
xn--tda xn--8ca xn--mller-Kva xn--mLLer-kva xn--MLLER-KVA xn--mller-kva- xn--mller-kvaa xn--mller-kv
xn--mller-kva.xn--zca
xn--fi-1ia xn--ab-yuc xn--ss-zka xn--11b2ezcw70k xn--11b2er8b4i xn--ngba1m xn--mgba3gch31f060k xn--fhbei xn--iba
पक्षी.भारत क्\\u200dष क्\\u200cष क\\u200dष क\\u200cष \\u200dक \\u200c a\\u200db a\\u200cb क्\\u200d क्\\u200c
श्री.com श्\\u200dरी.com
نامه\\u200cای.com نامهای.com نامه\\u200dای.com xn--mgba3gch31f060k.com xn--mgba3gch06a.com \\u200cنامه نامه\\u200c
ب\\u200cب ا\\u200cب ب\\u200cا
ب\\u0650\\u200cب ب\\u200c\\u0650ب ب\\u0650\\u200c\\u0650ب aب\\u200cب ක්\\u200dරී ශ්\\u200dරී.lk ශ්රී.lk xn--10cl1a0b
xn--10cl1a0b660p
l·l.example L·L.example l· ·l · a·l l·a l·l·l ŀl.example c·l paral·lel.cat
א.example אב אבג.example אב1 1אב אa aא א-ב -א א- א1b ١ ١א א١ א1١ ب1 ب١ ب1١ ب۱ ب۱١ ب۱۲ ب١٢ ١٢ ۱۲ a١ a۱ 1a.אב אב.1a
ب-\\u0652.example
א׳ ׳א א״ב ״ ב״ה.example a׳ שלום.example שָׁלוֹם ﬡ.example ﭏ.example ﷺ ﷲ.example يوم-جيد.example مثال.إختبار لا ﻻ
ア・ウ.example ・ア ア・ ・ a・b ・・ ｱ･ｳ.example あ・い 漢・字 a・漢 ー.example 〇.example 〆切 々 漢字.example 漢字。例え ｶﾞ が か\\u3099
北京.中国 xn--1lq90i.xn--fiqs8s 台灣 臺灣 豈.example \\U0002f868 \\U0002f874 \\u2f8 㐀 𠀀.example
한국 \\u1112\\u1161\\u11ab\\u1100\\u116e\\u11a8 ᄀ \\u1100\\u1161 \\u1161 ㅎㅏㄴ ﾡ \\uffa0 \\u3164 \\u115f 한.kr
ก.example กำ กํา ำ ລໍາ ໍ ་ ༌ ཀ་ \\u0f0b\\u0f0b 〮 〱 \\u0640 ـ آـب 〻 \\u07fa ߊ ۽ ۽ا ۾ ا۽
\\u0301a a\\u0301 \\u0301 á \\u0903 क\\u0903 \\u20d0 a\\u20d0 a\\u20e3 1\\ufe0f\\u20e3 a\\u0345 \\u0345 \\u0344
a\\u0344 \\u0374α ʹ
a\\u00adb a\\u200bb a\\u2060b a\\ufeffb a\\u034fb a\\u180eb a\\u180bb a\\ufe0fb a\\U000e0101b a\\U000e0041b
a\\u2064b a\\u2061b
a\\u202eb a\\u202db a\\u2066b a\\u2069b a\\u200eb a\\u200fb a\\u061cb \\u00ad \\u200b a.\\u00ad.b \\u00ada-
Ↄ ↄ Ⅎ ⅎ Ӏ ӏ Ⴀ ⴀ ა Ა Ⴧ Ꭰ ꭰ Ᏸ 𐐀 𐐨 Ⰰ ⰰ В ᲀ Ꙁ ꙁ ꚍ Ԩ ԩ Ɐ ɐ Ɒ ɒ Ꭱ.example
раураl.example paypal.example раypal.example аpple.com xn--pple-43d.com ԝԝԝ.example ı.com ɡoogle.com ｇoogle.com
\\u0378 a\\u0378 \\ue000 \\ufffd \\ufffe \\uffff \\u0000 \\u007f \\u0080 a\\u0085b \\u2028 \\u1680 a\\u1680 \\ufdd0
\\U0010ffff
""".split()


def golden():
    for text in CHOSEN:
        yield re.sub(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})", lambda found: chr(int(found[1] or found[2], 16)), text)
    yield from ["", " ", " straße.example ", "\tmüller.example\n", "a b", "a .b"]
    yield from VALID_SINCE_12
    for label in ("x" * 63, "x" * 64, "ü" + "x" * 55, "ü" + "x" * 56, "ü" + "x" * 57, "ü" + "x" * 58, "ü" + "x" * 59,
                  "ü" * 40, "ü" * 56, "ü" * 57, "ü" * 58, "ü" * 59, "ü" * 60, "漢" * 30, "ß" * 58, "ß" * 59):
        yield label
        yield label + ".example"
    for length in (252, 253, 254, 255):
        parts = ["x" * 63] * 3
        yield ".".join(parts + ["x" * (length - 192)])
        yield ".".join(["ß" + "x" * 50] + parts[1:] + ["x" * (length - 128 - 1 - 58)])
    yield ".".join(["a"] * 127)
    yield ".".join(["a"] * 128)
    # Every 397th character that Unicode 3.2 has, alone, between letters, and in an A-label that no mapping touches.
    for point in [p for p in range(0x80, 0x30000) if KNOWN.category(chr(p)) not in ("Cn", "Cs", "Co")][::397]:
        yield chr(point)
        yield f"a{chr(point)}b.example"
        yield "xn--" + f"a{chr(point)}b".encode("punycode").decode("ascii")


def pools():
    known = [p for p in range(0x20, 0x30000) if KNOWN.category(chr(p)) not in ("Cn", "Cs", "Co") and p != 0x1E9E]
    return [
        list(range(0x61, 0x7B)), [0x2D, 0x30, 0x61, 0x78, 0x6E, 0x73], known,
        [p for p in known if KNOWN.bidirectional(chr(p)) in ("R", "AL", "AN", "EN", "ES", "CS", "ON", "NSM")],
        list(range(0x620, 0x66A)) + [0x6F0, 0x6F1, 0x200C, 0x200D],
        list(range(0x905, 0x94E)) + [0x94D, 0x94D, 0x200C, 0x200D],
        [0xB7, 0x6C, 0x4C, 0x375, 0x3B1, 0x3C3, 0x3C2, 0xDF, 0x73, 0x5F3, 0x5F4, 0x5D0, 0x5D1, 0x30FB, 0x30A2, 0x6F22],
        [p for p in known if KNOWN.decomposition(chr(p))], [p for p in known if KNOWN.combining(chr(p))],
        list(range(0xC0, 0x250)), list(range(0x370, 0x400)), list(range(0x1100, 0x1200)) + list(range(0xAC00, 0xAC80))]


def randomly(count, seed):
    generator, drawn = random.Random(seed), pools()
    for number in range(count):
        labels = []
        for _ in range(generator.randint(1, 3)):
            chosen = generator.sample(drawn, generator.randint(1, 2))
            label = "".join(chr(generator.choice(generator.choice(chosen))) for _ in range(generator.randint(1, 8)))
            if generator.random() < 0.15:
                label = "xn--" + label.encode("punycode").decode("ascii")
            labels.append(label)
        text = ".".join(labels)
        if generator.random() < 0.05:
            text += generator.choice(["\u3002", "\uff0e", "\uff61", "-", " ", ".", "xn--", "A", "x" * 60])
        yield text


if __name__ == "__main__":
    names = dict.fromkeys(golden()) if sys.argv[1] == "golden" else randomly(int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write("".join(line(name) + "\n" for name in names))
