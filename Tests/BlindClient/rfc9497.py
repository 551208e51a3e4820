#!/usr/bin/env python3
"""The vectors of RFC 9497, appendix A.4.2 (P384-SHA384, VOPRF mode): keys, blinding, evaluation, proofs and outputs.

Swift's cryptographic library has no public way to a fixed blind or a fixed proof scalar, so they are held here. Then a few
things that a hostile service could send, each of which must be refused. Ends with 0 when everything is as it must be.
"""
import sys

import voprf

SECRET = "051646b9e6e7a71ae27c1e1d0b87b4381db6d3595eeeb1adb41579adbf992f4278f9016eafc944edaa2b43183581779d"
PUBLIC = "031d689686c611991b55f1a1d8f4305ccd6cb719446f660a30db61b7aa87b46acf59b7c0d4a9077b3da21c25dd482229a0"
BLIND = "504650f53df8f16f6861633388936ea23338fa65ec36e0290022b48eb562889d89dbfa691d1cde91517fa222ed7ad364"
RANDOM = "803d955f0e073a04aa5d92b3fb739f56f9db001266677f62c095021db018cd8cbb55941d4073698ce45c405d1348b7b1"

# input, blind, blinded element, evaluated element, output
ONE = ("00", BLIND,
       "02d338c05cbecb82de13d6700f09cb61190543a7b7e2c6cd4fca56887e564ea82653b27fdad383995ea6d02cf26d0e24d9",
       "02a7bba589b3e8672aa19e8fd258de2e6aae20101c8d761246de97a6b5ee9cf105febce4327a326255a3c604f63f600ef6",
       "3333230886b562ffb8329a8be08fea8025755372817ec969d114d1203d026b4a622beab60220bf19078bca35a529b35c")
TWO = ("5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a", BLIND,
       "02f27469e059886f221be5f2cca03d2bdc61e55221721c3b3e56fc012e36d31ae5f8dc058109591556a6dbd3a8c69c433b",
       "03f16f903947035400e96b7f531a38d4a07ac89a80f89d86a1bf089c525a92c7f4733729ca30c56ce78b1ab4f7d92db8b4",
       "b91c70ea3d4d62ba922eb8a7d03809a441e1c3c7af915cbc2226f485213e895942cd0f8580e6d99f82221e66c40d274f")
TWO_OF_BATCH = ("5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a", RANDOM,
                "02fa02470d7f151018b41e82223c32fad824de6ad4b5ce9f8e9f98083c9a726de9a1fc39d7a0cb6f4f188dd9cea01474cd",
                "028e9e115625ff4c2f07bf87ce3fd73fc77994a7a0c1df03d2a630a3d845930e2e63a165b114d98fe34e61b68d23c0b50a",
                TWO[4])
# elements, proof scalar, proof
VECTORS = [
    ([ONE], RANDOM,
     "bfc6cf3859127f5fe25548859856d6b7fa1c7459f0ba5712a806fc091a3000c42d8ba34ff45f32a52e40533efd2a03bc"
     "87f3bf4f9f58028297ccb9ccb18ae7182bcd1ef239df77e3be65ef147f3acf8bc9cbfc5524b702263414f043e3b7ca2e"),
    ([TWO], RANDOM,
     "d005d6daaad7571414c1e0c75f7e57f2113ca9f4604e84bc90f9be52da896fff3bee496dcde2a578ae9df315032585f8"
     "01fb21c6080ac05672b291e575a40295b306d967717b28e08fcc8ad1cab47845d16af73b3e643ddcc191208e71c64630"),
    ([ONE, TWO_OF_BATCH], "a097e722ed2427de86966910acba9f5c350e8040f828bf6ceca27405420cdf3d63cb3aef005f40ba51943c8026877963",
     "6d8dcbd2fc95550a02211fb78afd013933f307d21e7d855b0b1ed0af78076d8137ad8b0a1bfa05676d325249c1dbb9a5"
     "2bd81b1c2b7b0efc77cf7b278e1c947f6283f1d4c513053fc0ad19e026fb0c30654b53d9cea4b87b037271b5d2e2d0ea"),
]
failures = 0


def check(name, condition):
    global failures
    failures += not condition
    print(("ok   " if condition else "FAIL ") + name)


def refused(work):
    try:
        work()
        return False
    except voprf.Refused:
        return True


def main():
    public, private = bytes.fromhex(PUBLIC), int(SECRET, 16)
    derived = voprf.derive_key_pair(b"\xa3" * 32, b"test key")
    check("key pair from its seed", derived == (private, public))
    for number, (elements, random_scalar, proof) in enumerate(VECTORS, 1):
        messages, blinds, blinded, evaluated, outputs = zip(*[[bytes.fromhex(part) for part in e] for e in elements])
        factors = [int.from_bytes(b, "big") for b in blinds]
        check(f"{number}: blinded elements", [voprf.blind(m, f)[1] for m, f in zip(messages, factors)] == list(blinded))
        made, made_proof = voprf.evaluate(private, list(blinded), int(random_scalar, 16))
        check(f"{number}: evaluated elements", made == list(evaluated))
        check(f"{number}: proof", made_proof.hex() == proof)
        voprf.verify(public, list(blinded), list(evaluated), made_proof)
        check(f"{number}: outputs", [voprf.finalize(m, f, e) for m, f, e in zip(messages, factors, evaluated)]
              == list(outputs))
    message, factor = bytes.fromhex(ONE[0]), int(BLIND, 16)
    element, evaluation = bytes.fromhex(ONE[2]), bytes.fromhex(ONE[3] + VECTORS[0][2])
    take = lambda e, key=public: voprf.output(message, factor, key, element, e)
    check("an evaluation opens", take(evaluation).hex() == ONE[4])
    other = voprf.encode(voprf.multiply(7, voprf.G))
    c = int.from_bytes(evaluation[49:97], "big")
    infinity = evaluation[:49] + c.to_bytes(48, "big") + (-c * private % voprf.N).to_bytes(48, "big")
    for name, wrong in [
            ("an all-zero proof", evaluation[:49] + bytes(96)), ("c out of range", evaluation[:49] + b"\xff" * 96),
            ("a proof that leads to infinity", infinity), ("a short evaluation", evaluation[:-1]),
            ("a long evaluation", evaluation + b"\0"), ("another element", other + evaluation[49:]),
            ("infinity for an element", bytes(49) + evaluation[49:]),
            ("a changed proof", evaluation[:-1] + bytes([evaluation[-1] ^ 1]))]:
        check(name + " is refused", refused(lambda: take(wrong)))
    check("another key is refused", refused(lambda: take(evaluation, other)))
    for wrong in [b"", bytes(49), b"\4" + element[1:], element[:-1], b"\2" + b"\xff" * 48]:
        check(f"{wrong[:3].hex() or 'nothing'}… is no point", refused(lambda: voprf.decode(wrong)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
