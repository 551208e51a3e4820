"""Text rules, inputs, sealing, records and signatures, written from docs/credentials.md."""
import hashlib
import json
import os
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

try:
    import unicodedata2 as unicode
except ImportError:  # The tables of another Unicode version differ in newer characters only.
    import unicodedata as unicode

import voprf
from voprf import Refused

SUBSETS = [(a, b, c) for a in range(3) for b in range(a + 1, 4) for c in range(b + 1, 5)]
PASSPHRASE = 255
RULES = bytes([0, 1, 0, 2, 15, 0])
IGNORABLE = {0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010),
             *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0,
             *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)}


class Entered(Exception):
    """What a person entered cannot be taken; said before anything is sent."""


# Section 2: text.

def folded(text, limit=256):
    """Rule 1: for answers, questions that are compared, and names."""
    if len(text.encode()) > limit:
        raise Entered("too long")
    out = ""
    for character in unicode.normalize("NFD", text):
        before = None
        while character != before:
            before = character
            character = unicode.normalize("NFKC", character).casefold()
            character = unicode.normalize("NFKC", "".join(c for c in character if ord(c) not in IGNORABLE))
        out += character
    result = " ".join(unicode.normalize("NFC", out).split()).encode()
    if not result or len(result) > limit:
        raise Entered("empty or too long")
    return result


def passphrase_bytes(text, least=1):
    """Rule 2."""
    normal = unicode.normalize("NFC", text)
    if not least <= len(normal) or len(normal.encode()) > 1024 or len(text.encode()) > 1024:
        raise Entered("passphrase")
    return normal.encode()


# Section 4: inputs.

def answers_input(credential, slot, ids, answers):
    parts = b"".join(ids[i] + voprf.framed(answers[i]) for i in SUBSETS[slot])
    return b"tenure/v1/answers" + credential + bytes([slot]) + parts


def passphrase_input(credential, text):
    return b"tenure/v1/passphrase" + credential + voprf.framed(text)


# Section 5: context and copies.

class Context:
    """The public facts that copies are bound to: 240 or 289 bytes, read strictly."""

    def __init__(self, data):
        at = 148

        def take(count):
            nonlocal at
            at += count
            return data[at - count:at]

        if len(data) not in (240, 289) or data[:2] != b"\0\1":
            raise Refused()
        self.bytes, self.credential, self.user, self.user_key = data, data[2:18], data[18:34], data[34:99]
        self.oprf_answers = data[99:148]
        present = take(1)
        if present not in (b"\0", b"\1") or len(data) != (289 if present == b"\1" else 240):
            raise Refused()
        self.oprf_passphrase = take(49) if present == b"\1" else None
        self.kdf, rules, self.flags = take(4), take(6), take(1)[0]
        self.ids = [take(16) for _ in range(5)]
        check_kdf(self.kdf)
        voprf.decode(self.oprf_answers)
        if rules != RULES or self.flags & ~3 or len(set(self.ids)) != 5:
            raise Refused()
        if self.oprf_passphrase is not None:
            voprf.decode(self.oprf_passphrase)
        elif self.flags & 2:
            raise Refused()

    @property
    def takes_answers(self):
        return self.oprf_passphrase is None or bool(self.flags & 2)

    def key(self, slot):
        return self.oprf_passphrase if slot == PASSPHRASE else self.oprf_answers


def make_context(credential, user, user_key, oprf_answers, oprf_passphrase, kdf, flags, ids):
    optional = b"\0" if oprf_passphrase is None else b"\1" + oprf_passphrase
    return Context(b"\0\1" + credential + user + user_key + oprf_answers + optional + kdf + RULES + bytes([flags])
                   + b"".join(ids))


def check_kdf(kdf):
    """Only these are ever computed, whatever a service says."""
    if kdf[0] != 1 or not 14 <= kdf[1] <= 17 or kdf[2] != 8 or not 1 <= kdf[3] <= 3:
        raise Refused()


def sealing_key(context, output, slot):
    _, log2n, r, p = context.kdf
    salt = hashlib.sha256(b"tenure/v1/scrypt" + context.credential + bytes([slot])).digest()
    stretched = hashlib.scrypt(output, salt=salt, n=1 << log2n, r=r, p=p, maxmem=1 << 30, dklen=32)
    label = b"tenure/v1/seal/passphrase" if slot == PASSPHRASE else b"tenure/v1/seal/answers"
    return HKDF(hashes.SHA256(), 32, None, label + bytes([slot])).derive(stretched)


def associated_data(context, slot):
    return hashlib.sha256(b"tenure/v1/seal" + context.bytes + bytes([slot])).digest()


def seal(context, output, slot, private):
    nonce = os.urandom(12)
    return nonce + AESGCM(sealing_key(context, output, slot)).encrypt(nonce, private, associated_data(context, slot))


def open_copy(context, output, slot, copy):
    """The user key in a copy; its public half must be the context's before anything else is done with it."""
    if len(copy) != 60:
        raise Refused()
    try:
        private = AESGCM(sealing_key(context, output, slot)).decrypt(copy[:12], copy[12:], associated_data(context, slot))
        key = ec.derive_private_key(int.from_bytes(private, "big"), ec.SECP256R1())
    except (InvalidTag, ValueError) as error:
        raise Refused() from error
    if point(key) != context.user_key:
        raise Refused()
    return key


# Sections 6 and 7: records and signatures.

def point(key):
    numbers = key.public_key().public_numbers()
    return b"\4" + numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")


def sign(key, message):
    r, s = decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def make_record(context, blind_commitments, answer_copies, passphrase_copy, user_key, device):
    """A first record in blind mode: generation 1, no predecessor, authority initial."""
    questions = b"".join(i + c for i, c in zip(context.ids, blind_commitments))
    optional = b"\0" if context.oprf_passphrase is None else b"\1" + context.oprf_passphrase
    content = (b"\0\1" + context.credential + context.user + (1).to_bytes(4, "big") + bytes(32) + b"\0" + b"\1"
               + bytes([context.flags]) + RULES + context.kdf + context.oprf_answers + optional + context.user_key
               + questions + bytes([len(answer_copies)]) + b"".join(answer_copies)
               + (b"\0" if passphrase_copy is None else b"\1" + passphrase_copy))
    message = b"tenure/v1/credentials-set\n" + content
    return content + sign(user_key, message) + b"\1" + sign(device, message)


def record_hash(record):
    return hashlib.sha256(b"tenure/v1/record\n" + record).digest()


def commitment(salt, text):
    return hashlib.sha256(b"tenure/v1/question" + salt + text.encode()).digest()


def new_user_key():
    return ec.generate_private_key(ec.SECP256R1())


def new_id():
    data = bytearray(secrets.token_bytes(16))
    data[6], data[8] = data[6] & 15 | 64, data[8] & 63 | 128
    return bytes(data)


# Section 8: challenges.

MEMBERS = {"app", "credential", "employeeKey", "expires", "flow", "issuer", "nonce", "purpose", "subject", "tenant"}


def read_challenge(data, expected):
    """Parses a challenge and compares every field that is expected; nothing else is ever signed."""
    tag, newline, body = data.partition(b"\n")
    if tag != b"tenure/v1/challenge" or not newline or len(data) > 2048:
        raise Refused()
    try:
        fields = json.loads(body)
        written = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    except (ValueError, UnicodeDecodeError) as error:
        raise Refused() from error
    if written != body or not isinstance(fields, dict) or not set(fields) <= MEMBERS:
        raise Refused()
    if not all(isinstance(value, str) for value in fields.values()) or MEMBERS - set(fields) - {"credential"}:
        raise Refused()
    if any(fields.get(name) != value for name, value in expected.items()):
        raise Refused()
    return fields


def subject(salt, company, employee):
    if len(salt) != 32:
        raise Refused()
    return hashlib.sha256(b"tenure/v1/subject" + salt + voprf.framed(folded(company), folded(employee))).digest()
