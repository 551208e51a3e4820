#!/usr/bin/env python3
"""Writes Tests/CredentialsTests/vectors/blind.hex: one exchange of blind mode with every random value fixed.

    make_vectors.py > blind.hex        the committed file
    make_vectors.py check              recomputes it and ends with 0 when it is the same

The secrets are those of record.hex, whose keys and outputs it must meet.
"""
import hashlib
import os
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

import construction as c
import voprf

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "CredentialsTests", "vectors")


def read(name):
    with open(os.path.join(VECTORS, name)) as file:
        return dict(line.rstrip("\n").split(" = ") for line in file if " = " in line)


def oprf_key(seed, label):
    for n in range(256):
        candidate = HKDF(hashes.SHA384(), 48, b"tenure/v1/oprf", label + bytes([n])).derive(seed)
        if 0 < int.from_bytes(candidate, "big") < voprf.N:
            return int.from_bytes(candidate, "big")
    raise AssertionError("no key")


def fixed(text):
    """A scalar that anybody can make again."""
    return 1 + int.from_bytes(hashlib.sha384(text.encode()).digest(), "big") % (voprf.N - 1)


def exchange(record, name, slot):
    message = bytes.fromhex(record[name + ".input"])
    context = c.Context(bytes.fromhex(record["context"]))
    key = oprf_key(bytes.fromhex(record["seed"]), b"tenure/v1/oprf/" + name.split(".")[0].encode())
    factor, random_scalar = fixed("blind " + name), fixed("proof " + name)
    _, element = voprf.blind(message, factor)
    evaluated, proof = voprf.evaluate(key, [element], random_scalar)
    evaluation = evaluated[0] + proof
    output = voprf.output(message, factor, context.key(slot), element, evaluation)
    copy = bytes.fromhex(record[name + ".copy"])
    opened = c.open_copy(context, output, slot, copy).private_numbers().private_value.to_bytes(32, "big")
    assert output.hex() == record[name + ".output"] and opened.hex() == record["user.private"]
    yield name + ".slot", bytes([slot])
    yield name + ".blind", factor.to_bytes(48, "big")
    yield name + ".element", element
    yield name + ".proofScalar", random_scalar.to_bytes(48, "big")
    yield name + ".evaluation", evaluation
    yield name + ".output", output


def lines():
    yield "# One exchange of blind mode with the secrets of record.hex; written by Tests/BlindClient/make_vectors.py."
    record = read("record.hex")
    rows = [*exchange(record, "answers.123", 0), *exchange(record, "passphrase", c.PASSPHRASE)]
    salt = bytes(range(32))
    rows += [("subject.salt", salt), ("subject.company", " BayunSystems.COM".encode()),
             ("subject.employee", "Ünï 7".encode()), ("subject", c.subject(salt, " BayunSystems.COM", "Ünï 7"))]
    rows.append(("context.hash", hashlib.sha256(bytes.fromhex(record["context"])).digest()))
    for name, value in rows:
        yield f"{name} = {value.hex()}"


if __name__ == "__main__":
    text = "\n".join(lines()) + "\n"
    if sys.argv[1:] == ["check"]:
        with open(os.path.join(VECTORS, "blind.hex")) as file:
            sys.exit(0 if file.read() == text else 1)
    sys.stdout.write(text)
