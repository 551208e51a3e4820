#!/usr/bin/env python3
"""Writes M-Pin vectors that share no code with Sources/BLS12381 and Sources/MPinCryptography.

    pip install py_ecc pymcl
    make_vectors.py > vectors/own.txt                 60 records of seed "tenure"
    make_vectors.py --seed other --count 10           10 other records

py_ecc computes all points, and the verdict by two pairings. If pymcl is installed, it computes points and verdict a
second time, and a difference stops the script; without pymcl the script says so on standard error. The committed file
was made with py_ecc 8.0.0 and checked with pymcl 1.0.2. Equal seed and count give equal bytes: all randomness is SHA-256
of seed and counter.

A record has the fields of the vectors that Apache Milagro published for its curve "bls381": lines of `KEY = value,` and
an empty line after each record. Points and scalars are hexadecimal, PINs decimal, `AuthResult` is 0 or -19 (wrong PIN).

    MPINId           the M-Pin ID
    MS1 MS2          master scalars of two D-TAs
    SS1 SS2 SS       MS1*Q, MS2*Q and their sum: xa, xb, ya, yb
    PIN1 PIN2        the PIN at registration and at authentication
    CS1 CS2 CS       MS1*A, MS2*A and their sum: 04, x, y; A is the point of the M-Pin ID
    TOKEN            CS - PIN1*A
    X U              a scalar and X*A
    Y V              a scalar and -(X + Y)*(TOKEN + PIN2*A)
    AuthResult       0 exactly if e(V, Q)*e(U + Y*A, SS) is 1
"""
import argparse
import hashlib
import json
import sys

from py_ecc.optimized_bls12_381 import (
    FQ, FQ12, G2, add, curve_order as R, field_modulus as P, is_inf, multiply, neg, normalize, pairing)

try:
    import pymcl
except ImportError:
    pymcl = None

COFACTOR = 0x396C8C005555E1568C00AAAB0000AAAB
OK, BAD_PIN = 0, -19


class Stream:
    """Deterministic randomness: SHA-256 of seed and counter."""

    def __init__(self, seed):
        self.seed, self.counter = seed, 0

    def bytes(self, count):
        found = b""
        while len(found) < count:
            self.counter += 1
            found += hashlib.sha256(f"{self.seed}/{self.counter}".encode()).digest()
        return found[:count]

    def below(self, bound):
        return int.from_bytes(self.bytes(64), "big") % bound


def identity_point(mpin_id):
    """Counts x up from the digest until it belongs to a point, takes the even y and clears the cofactor."""
    x = int.from_bytes(hashlib.sha256(mpin_id).digest(), "big")
    while True:
        square = (pow(x, 3, P) + 4) % P
        y = pow(square, (P + 1) // 4, P)
        if y * y % P == square:
            return multiply((FQ(x), FQ(y if y % 2 == 0 else P - y), FQ(1)), COFACTOR)
        x = (x + 1) % P


def g1_hex(point):
    assert not is_inf(point)
    x, y = normalize(point)
    return f"04{int(x):096x}{int(y):096x}"


def g2_hex(point):
    assert not is_inf(point)
    return "".join(f"{int(c):096x}" for coordinate in normalize(point) for c in coordinate.coeffs)


def numbers(stream, index):
    """The scalars of one record; the first records hold values at the ends of the ranges."""
    def scalar():
        return 1 + stream.below(R - 1)
    s1, s2, x, y = scalar(), scalar(), scalar(), scalar()
    return {
        0: (1, 1, 1, 1), 1: (R - 1, R - 2, R - 1, R - 2), 2: (1, R - 2, x, 1), 3: (2**252, 2**128, 2**64, 2**192),
        4: (s1, s2, 15, 16), 5: (s1, s2, R // 2, R // 2),
    }.get(index, (s1, s2, x, y))


def pins(stream, index):
    """Two in three records have the right PIN; lengths are 4 to 8 digits, small numbers included."""
    first = {0: 0, 1: 1, 2: 330, 3: 9999, 4: 10000, 5: 99999999}.get(index, stream.below(10 ** (4 + index % 5)))
    if index % 3 != 2:
        return first, first
    second = stream.below(10 ** (4 + index % 5))
    return first, second if second != first else second + 1


def record(stream, index):
    user = f"user{stream.below(10**6)}@{'sub.' * (index % 4)}example.org"
    mpin_id = json.dumps(
        {"mobile": index % 2, "issued": f"2026-11-{1 + index % 30:02} 12:00:00", "userID": user,
         "salt": stream.bytes(16).hex()}).encode()
    ms1, ms2, x, y = numbers(stream, index)
    pin1, pin2 = pins(stream, index)
    a = identity_point(mpin_id)
    ss1, ss2 = multiply(G2, ms1), multiply(G2, ms2)
    cs1, cs2 = multiply(a, ms1), multiply(a, ms2)
    ss, cs = add(ss1, ss2), add(cs1, cs2)
    token = add(cs, neg(multiply(a, pin1)))
    u = multiply(a, x)
    v = neg(multiply(add(token, multiply(a, pin2)), (x + y) % R))
    right = pairing(G2, v) * pairing(ss, add(u, multiply(a, y))) == FQ12.one()
    assert right == (pin1 == pin2), index
    fields = {
        "TEST": index + 1, "CURVE": "bls381", "MS1": f"{ms1:064x}", "MS2": f"{ms2:064x}", "SS1": g2_hex(ss1),
        "SS2": g2_hex(ss2), "SS": g2_hex(ss), "MPINId": mpin_id.hex(), "PIN1": pin1, "PIN2": pin2, "CS1": g1_hex(cs1),
        "CS2": g1_hex(cs2), "CS": g1_hex(cs), "TOKEN": g1_hex(token), "X": f"{x:064x}", "U": g1_hex(u),
        "Y": f"{y:064x}", "V": g1_hex(v), "AuthResult": OK if right else BAD_PIN,
    }
    if pymcl is not None:
        check(fields, a)
    return fields


def mcl_g1(text):
    x, y = (int(text[2 + 96 * i:98 + 96 * i], 16) for i in range(2))
    return pymcl.G1(f"1 {x} {y}")


def mcl_g2(text):
    parts = [str(int(text[96 * i:96 * i + 96], 16)) for i in range(4)]
    return pymcl.G2("1 " + " ".join(parts))


def check(fields, a):
    """Computes the record again with pymcl."""
    a = mcl_g1(g1_hex(a))
    ms1, ms2, x, y = (pymcl.Fr(str(int(fields[key], 16))) for key in ("MS1", "MS2", "X", "Y"))
    pin1, pin2 = (pymcl.Fr(str(fields[key])) for key in ("PIN1", "PIN2"))
    token = a * ms1 + a * ms2 - a * pin1
    u = a * x
    v = -((token + a * pin2) * (x + y))
    q = pymcl.g2
    server = q * ms1 + q * ms2
    for key, value in (("CS1", a * ms1), ("CS2", a * ms2), ("CS", a * (ms1 + ms2)), ("TOKEN", token), ("U", u), ("V", v)):
        assert mcl_g1(fields[key]) == value, (fields["TEST"], key)
    for key, value in (("SS1", q * ms1), ("SS2", q * ms2), ("SS", server)):
        assert mcl_g2(fields[key]) == value, (fields["TEST"], key)
    right = pymcl.pairing(v, q) * pymcl.pairing(u + a * y, server) == pymcl.pairing(a * pymcl.Fr("0"), q)
    assert right == (fields["AuthResult"] == OK), fields["TEST"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seed", default="tenure")
    parser.add_argument("--count", type=int, default=60)
    arguments = parser.parse_args()
    if pymcl is None:
        print("Left out: pymcl is not installed; py_ecc alone computed these records.", file=sys.stderr)
    for index in range(arguments.count):
        for key, value in record(Stream(f"{arguments.seed}/{index}"), index).items():
            print(f"{key} = {value},")
        print(flush=True)


if __name__ == "__main__":
    main()
