#!/usr/bin/env python3
"""Writes Sources/Credentials/Strength/common-passphrases-10000.txt from a list of passwords.

Usage:  generate.py FREQUENCY_LISTS            writes the table
        generate.py FREQUENCY_LISTS --check    fails when the committed table differs

FREQUENCY_LISTS is frequency_lists.py of Debian's package `python3-zxcvbn` (MIT licence; the package installs it below
/usr/lib/python3/dist-packages/zxcvbn). Its list "passwords" has 30,000 passwords, the commonest first. The build does not
need the package: the table is committed.

The table holds the 10,000 commonest passwords of at least 8 characters, since shorter ones are refused for their length.
Each is lower-cased, and stands as the first four bytes of the SHA-256 of "tenure/v1/common-passphrase", a newline and the
password in UTF-8. The digests are sorted and written in base64 without padding. A passphrase that is not in the list is
refused by accident with a probability of 10,000 / 2^32.
"""
import base64
import hashlib
import pathlib
import runpy
import sys

COUNT = 10_000
OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "Sources/Credentials/Strength/common-passphrases-10000.txt"
TAG = b"tenure/v1/common-passphrase\n"


def commonest(passwords):
    chosen = {}
    for password in passwords:
        folded = password.lower()
        # Only ASCII: lower-casing is then what the canonical form of text does.
        if len(folded) >= 8 and folded.isascii() and folded.isprintable() and " " not in folded:
            chosen.setdefault(folded)
        if len(chosen) == COUNT:
            return list(chosen)
    sys.exit(f"the list has only {len(chosen)} passwords of at least 8 characters")


def table(path):
    passwords = commonest(runpy.run_path(path)["FREQUENCY_LISTS"]["passwords"])
    digests = sorted(hashlib.sha256(TAG + password.encode()).digest()[:4] for password in passwords)
    text = base64.b64encode(b"".join(digests)).decode().rstrip("=")
    digest = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    lines = "\n".join(text[start : start + 112] for start in range(0, len(text), 112))
    return f'''# Made by scripts/passphrases/generate.py from the list of passwords of zxcvbn; do not edit.
#
# {digest}  frequency_lists.py
#
# List: Copyright 2012-2013 Dropbox, Inc., 2016 Daniel Wolf; used under the MIT licence.
{lines}
'''


def main():
    made = table(sys.argv[1])
    if sys.argv[2:] == ["--check"]:
        sys.exit(0 if OUTPUT.read_text() == made else f"{OUTPUT.name} is not what the list gives")
    OUTPUT.write_text(made)


main()
