#!/usr/bin/env python3
"""Recompute the golden vectors from docs/credentials.md alone. Needs the `cryptography` package; nothing else."""
import base64, hashlib, hmac, json, os, sys
from cryptography.hazmat.primitives import hashes
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

HERE = os.path.dirname(os.path.abspath(__file__))
failures = 0


def check(name, condition):
    global failures
    failures += not condition
    print(("ok   " if condition else "FAIL ") + name)


def read(name):
    rows = [l.rstrip("\n").split(" = ") for l in open(os.path.join(HERE, name)) if not l.startswith("#")]
    return {k: bytes.fromhex(v) for k, v in rows}


def hkdf(hash_name, ikm, salt, info, length):
    size = hashlib.new(hash_name).digest_size
    return expand(hash_name, hmac.new(salt or bytes(size), ikm, hash_name).digest(), info, length)


def expand(hash_name, prk, info, length):
    out, block, n = b"", b"", 1
    while len(out) < length:
        block = hmac.new(prk, block + info + bytes([n]), hash_name).digest()
        out, n = out + block, n + 1
    return out[:length]


# P-384: RFC 9380 (P384_XMD:SHA-384_SSWU_RO_) and RFC 9497.
P = 2**384 - 2**128 - 2**96 + 2**32 - 1
A = P - 3
B = 0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973
GX = 0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7
GY = 0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F
Z = P - 12
CONTEXT = b"OPRFV1-\x01-P384-SHA384"


def add(p, q):
    if p is None or q is None:
        return p or q
    if p[0] == q[0]:
        if (p[1] + q[1]) % P == 0:
            return None
        m = (3 * p[0] * p[0] + A) * pow(2 * p[1], -1, P) % P
    else:
        m = (q[1] - p[1]) * pow(q[0] - p[0], -1, P) % P
    x = (m * m - p[0] - q[0]) % P
    return x, (m * (p[0] - x) - p[1]) % P


def multiply(k, p):
    result = None
    while k:
        if k & 1:
            result = add(result, p)
        p, k = add(p, p), k >> 1
    return result


def compress(p):
    return bytes([2 + (p[1] & 1)]) + p[0].to_bytes(48, "big")


def expand_message(message, dst, length):
    dst += bytes([len(dst)])
    b0 = hashlib.sha384(bytes(128) + message + length.to_bytes(2, "big") + b"\0" + dst).digest()
    block, out = hashlib.sha384(b0 + b"\1" + dst).digest(), b""
    n = 1
    while len(out) < length:
        out += block
        n += 1
        block = hashlib.sha384(bytes(x ^ y for x, y in zip(b0, block)) + bytes([n]) + dst).digest()
    return out[:length]


def map_to_curve(u):
    t = (Z * Z * pow(u, 4, P) + Z * u * u) % P
    x = (-B * pow(A, -1, P) * (1 + pow(t, -1, P))) % P if t else B * pow(Z * A, -1, P) % P
    g = (x**3 + A * x + B) % P
    if pow(g, (P - 1) // 2, P) not in (0, 1):
        x = Z * u * u * x % P
        g = (x**3 + A * x + B) % P
    y = pow(g, (P + 1) // 4, P)
    return x, y if y & 1 == u & 1 else P - y


def hash_to_group(message):
    data = expand_message(message, b"HashToGroup-" + CONTEXT, 144)
    u = [int.from_bytes(data[i:i + 72], "big") % P for i in (0, 72)]
    return add(map_to_curve(u[0]), map_to_curve(u[1]))


def evaluate(key, message):
    element = compress(multiply(key, hash_to_group(message)))
    return hashlib.sha384(
        len(message).to_bytes(2, "big") + message + len(element).to_bytes(2, "big") + element + b"Finalize").digest()


def oprf_key(seed, label):
    for n in range(256):
        k = int.from_bytes(hkdf("sha384", seed, b"tenure/v1/oprf", label + bytes([n]), 48), "big")
        if 0 < k < N:
            return k


def oprf_keys(seed):
    return [oprf_key(seed, b"tenure/v1/oprf/" + what) for what in (b"answers", b"passphrase")]


def point(private):
    return compress(multiply(private, (GX, GY)))


def p256(private_bytes):
    n = ec.derive_private_key(int.from_bytes(private_bytes, "big"), ec.SECP256R1()).public_key().public_numbers()
    return b"\4" + n.x.to_bytes(32, "big") + n.y.to_bytes(32, "big")


def verifies(public, signature, message):
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
    der = encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    try:
        key.verify(der, message, ec.ECDSA(hashes.SHA256()))
        return True
    except Exception:
        return False


def p256_derived(ikm, salt, info):
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    for n in range(256):
        candidate = hkdf("sha256", ikm, salt, info + bytes([n]), 32)
        if 0 < int.from_bytes(candidate, "big") < order:
            return p256(candidate)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        assert self.at + n <= len(self.data)
        self.at += n
        return self.data[self.at - n:self.at]

    def optional(self, n):
        return self.take(n) if self.take(1)[0] else None


def parse(data, stored):
    r, f, texts = Reader(data), {}, []
    f["suite"], f["credential"], f["user"] = r.take(2), r.take(16), r.take(16)
    r.take(4), r.take(32)
    r.take({0: 0, 1: 64, 2: 64}[r.take(1)[0]])
    f["mode"], f["flags"], f["rules"], f["kdf"] = r.take(1), r.take(1), r.take(6), r.take(4)
    f["answers"], f["passphrase"], f["key"] = r.take(49), r.optional(49), r.take(65)
    f["questions"] = []
    content = b""
    start = 0
    for _ in range(5):
        f["questions"].append((r.take(16), r.take(32)))
        if stored:
            content += data[start:r.at]
            texts.append(r.take(316))
            start = r.at
    f["copies"] = [r.take(60) for _ in range(r.take(1)[0])]
    f["sealedPassphrase"] = r.optional(60)
    f["content"] = content + data[start:r.at]
    f["self"] = r.take(64)
    f["device"] = r.optional(64)
    assert r.at == len(data)
    f["texts"] = texts
    optional = b"\0" if f["passphrase"] is None else b"\1" + f["passphrase"]
    f["context"] = (f["suite"] + f["credential"] + f["user"] + f["key"] + f["answers"] + optional + f["kdf"]
                    + f["rules"] + f["flags"] + b"".join(q[0] for q in f["questions"]))
    return f


def sealing_key(f, output, slot):
    kdf = f["kdf"]
    salt = hashlib.sha256(b"tenure/v1/scrypt" + f["credential"] + bytes([slot])).digest()
    s = hashlib.scrypt(output, salt=salt, n=1 << kdf[1], r=kdf[2], p=kdf[3], maxmem=1 << 30, dklen=32)
    label = b"tenure/v1/seal/passphrase" if slot == 255 else b"tenure/v1/seal/answers"
    return hkdf("sha256", s, b"", label + bytes([slot]), 32)


def open_copy(f, output, slot, copy):
    aad = hashlib.sha256(b"tenure/v1/seal" + f["context"] + bytes([slot])).digest()
    return AESGCM(sealing_key(f, output, slot)).decrypt(copy[:12], copy[12:], aad)


def check_record():
    v = read("record.hex")
    f = parse(v["record"], stored=False)
    keys = oprf_keys(v["seed"])
    check("VOPRF public keys", [point(k) for k in keys] == [f["answers"], f["passphrase"]])
    check("context", f["context"] == v["context"])
    ids = [q[0] for q in f["questions"]]
    answers = ["rex the dog", "zürich", "o'neill", "st. mary's", "škoda 105"]
    subsets = [(a, b, c) for a in range(3) for b in range(a + 1, 4) for c in range(b + 1, 5)]
    for index in (0, 4, 9):
        data = b"tenure/v1/answers" + f["credential"] + bytes([index])
        for q in subsets[index]:
            text = answers[q].encode()
            data += ids[q] + len(text).to_bytes(2, "big") + text
        output = evaluate(keys[0], data)
        if index == 0:
            check("input of 123", data == v["answers.123.input"])
            check("output of 123", output == v["answers.123.output"])
            check("key of 123", sealing_key(f, output, 0) == v["answers.123.key"])
        check(f"copy {index} opens", open_copy(f, output, index, f["copies"][index]) == v["user.private"])
    text = b"Correct horse battery staple"
    data = b"tenure/v1/passphrase" + f["credential"] + len(text).to_bytes(2, "big") + text
    output = evaluate(keys[1], data)
    check("output of the passphrase", output == v["passphrase.output"])
    check("copy of the passphrase opens", open_copy(f, output, 255, f["sealedPassphrase"]) == v["user.private"])
    check("user public key", p256(v["user.private"]) == f["key"])
    message = b"tenure/v1/credentials-set\n" + f["content"]
    check("signed message", message == v["signed"])
    check("self-signature", verifies(f["key"], f["self"], message))
    check("device signature", verifies(p256(v["device.private"]), f["device"], message))
    check("record hash", hashlib.sha256(b"tenure/v1/record\n" + v["record"]).digest() == v["record.hash"])
    stored = parse(v["stored"], stored=True)
    check("stored form", stored["content"] == f["content"] and stored["texts"] == [bytes([n]) * 316 for n in range(1, 6)])
    plain = v["question.1.plaintext"]
    text = plain[32:].rstrip(b"\0")
    commitment = hashlib.sha256(b"tenure/v1/question" + plain[:32] + text).digest()
    check("commitment", len(plain) == 288 and commitment == v["question.1.commitment"] == f["questions"][0][1])
    return f, v


def check_keys():
    v = read("keys.hex")
    keys = oprf_keys(bytes(range(32)))
    check("pinned VOPRF keys", [point(k) for k in keys] == [v["oprf.answers.public"], v["oprf.passphrase.public"]])
    app = p256_derived(bytes(range(32)), bytes(range(100, 116)), b"tenure/v1/app-authority")
    check("app authority key", app == v["app.authority.public"])
    framed = b"\0\4acme\0\3bob"
    root = hmac.new(b"\x0d" * 32, b"tenure/v1/decoy" + framed, "sha256").digest()
    part = lambda name, n: expand("sha256", root, b"tenure/v1/decoy/" + name, n)
    check("decoy seed", part(b"oprf-seed", 32) == v["decoy.seed"])
    context = v["decoy.context"]
    ids = bytearray(part(b"ids", 112))
    for i in range(0, 112, 16):
        ids[i + 6], ids[i + 8] = ids[i + 6] & 15 | 64, ids[i + 8] & 63 | 128
    check("decoy ids", context[2:34] + context[-80:] == bytes(ids))
    check("decoy user key", context[34:99] == p256_derived(part(b"user-key", 32), b"", b"tenure/v1/decoy"))
    decoy = oprf_keys(v["decoy.seed"])
    check("decoy answers key", context[99:148] == point(decoy[0]))
    check("decoy kind", (part(b"kind", 1)[0] < 64) == (context[148] == 1))
    if context[148] == 0:
        check("decoy copies", part(b"copies", 660)[:600] == v["decoy.copies"])


def check_signing(f, record):
    v = read("signing.hex")
    tag, body = v["challenge"].split(b"\n")
    fields = json.loads(body)
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    check("challenge is canonical", tag == b"tenure/v1/challenge" and canonical == body)
    check("device signs the challenge", verifies(p256(record["device.private"]), v["device.signature"], v["challenge"]))
    check("user key signs the validation",
          verifies(f["key"], v["user.signature"], b"tenure/v1/validation\n" + v["challenge"]))
    tag, body = v["statement"].split(b"\n")
    canonical = json.dumps(json.loads(body), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    check("statement is canonical", tag == b"tenure/v1/key-authorization" and canonical == body)


def check_address(f, record):
    v = read("address.hex")
    tag, body = v["challenge"].split(b"\n")
    fields = json.loads(body)
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    check("challenge of an address is canonical", tag == b"tenure/v2/challenge" and canonical == body)
    text = len(v["address"]).to_bytes(2, "big") + v["address"]
    subject = hashlib.sha256(b"tenure/v2/subject-address" + v["salt"] + text).digest()
    encoded = base64.urlsafe_b64encode(subject).rstrip(b"=").decode()
    check("commitment to the address", subject == v["subject"] and fields["subject"] == encoded)
    check("no tenant is named", fields["purpose"] == "login-address" and "tenant" not in fields)
    check("device signs the challenge of an address",
          verifies(p256(record["device.private"]), v["device.signature"], v["challenge"]))


def strict_object(text):
    """One JSON object in UTF-8 without a name that stands twice."""
    def members(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a member twice")
        return dict(pairs)
    value = json.loads(text.decode(), object_pairs_hook=members)
    if type(value) is not dict:
        raise ValueError("no object")
    return value


def assertion_verifies(key, message, evidence):
    """Whether evidence of kind 2 is one over `message` by the key of 65 or 256 bytes, from these bytes alone."""
    try:
        if evidence[0] != 2 or evidence[1] != (1 if len(key) == 65 else 2):
            return False
        parts, rest = [], evidence[2:]
        for _ in range(2):
            size = int.from_bytes(rest[:2], "big")
            if len(rest) < 2 + size:
                return False
            parts, rest = parts + [rest[2:2 + size]], rest[2 + size:]
        (data, client), signature = parts, rest
        if len(data) < 37 or len(data) > 1024 or len(client) > 2048:
            return False
        flags = data[32]
        if flags & 0x45 != 0x05 or flags & 0x18 == 0x10 or bool(flags & 0x80) != (len(data) > 37):
            return False
        fields = strict_object(client)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(message).digest()).rstrip(b"=").decode()
        if fields.get("type") != "webauthn.get" or fields.get("challenge") != challenge:
            return False
        if type(fields.get("origin")) is not str or fields.get("crossOrigin", False) is not False:
            return False
        if "topOrigin" in fields:
            return False
        signed = data + hashlib.sha256(client).digest()
        if len(key) == 65:
            return len(signature) == 64 and verifies(key, signature, signed)
        if len(signature) != 256 or not key[0] & 0x80 or not key[255] & 1:
            return False
        rsa.RSAPublicNumbers(65537, int.from_bytes(key, "big")).public_key().verify(
            signature, signed, padding.PKCS1v15(), hashes.SHA256())
        return True
    except (InvalidSignature, ValueError, IndexError):
        return False


def stored(row):
    """The evidence of a row, from its parts."""
    signature = bytes.fromhex(row["signature"])
    if row["algorithm"] == "es256" and len(signature) != 64:
        signature = b"".join(n.to_bytes(32, "big") for n in decode_dss_signature(signature))
    data, client = bytes.fromhex(row["authenticatorData"]), row["clientDataJSON"].encode()
    head = bytes([2, 1 if row["algorithm"] == "es256" else 2])
    return head + len(data).to_bytes(2, "big") + data + len(client).to_bytes(2, "big") + client + signature


def check_passkeys():
    with open(os.path.join(HERE, "passkeys.json")) as file:
        v = json.load(file)
    message = bytes.fromhex(v["message"])
    for row in v["assertions"]:
        key, evidence = bytes.fromhex(row["key"]), bytes.fromhex(row["evidence"])
        check(f"stored form of {row['name']}", stored(row) == evidence)
        check(f"assertion {row['name']}", assertion_verifies(key, message, evidence))
        check(f"no other message: {row['name']}", not assertion_verifies(key, message + b".", evidence))
    for row in v["refused"]:
        check(f"refused: {row['name']}", not assertion_verifies(bytes.fromhex(row["key"]), message, stored(row)))
    for name in "es256", "rs256":
        row = next(row for row in v["assertions"] if row["name"] == name)
        key, evidence = bytes.fromhex(row["key"]), bytes.fromhex(row["evidence"])
        flips = (evidence[:i] + bytes([evidence[i] ^ 1]) + evidence[i + 1:] for i in range(len(evidence)))
        check(f"no byte of {name} may change", not any(assertion_verifies(key, message, flip) for flip in flips))


check("RFC 9497 A.4.2", evaluate(
    0x051646B9E6E7A71AE27C1E1D0B87B4381DB6D3595EEEB1ADB41579ADBF992F4278F9016EAFC944EDAA2B43183581779D,
    b"\0").hex().startswith("3333230886b562ffb8329a8be08fea80"))
fields, values = check_record()
check_keys()
check_signing(fields, values)
check_address(fields, values)
check_passkeys()
sys.exit(1 if failures else 0)
