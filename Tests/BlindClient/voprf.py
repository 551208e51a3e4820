"""VOPRF(P-384, SHA-384) of RFC 9497 in plain Python, written from the RFC and RFC 9380: a test tool.

Big integers of Python take longer for some values than for others, so this must never hold anybody's real secret.
"""
import hashlib
import hmac
import secrets

P = 2**384 - 2**128 - 2**96 + 2**32 - 1
A = P - 3
B = 0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973
G = (0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
     0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F)
Z = P - 12
CONTEXT = b"OPRFV1-\x01-P384-SHA384"


class Refused(Exception):
    """What a service sent is not what it should be; one reason for everything, on purpose."""


# The group. None is the point at infinity.

def add(p, q):
    if p is None or q is None:
        return q if p is None else p
    if p[0] == q[0] and (p[1] + q[1]) % P == 0:
        return None
    if p == q:
        slope = (3 * p[0] * p[0] + A) * pow(2 * p[1], -1, P) % P
    else:
        slope = (q[1] - p[1]) * pow(q[0] - p[0], -1, P) % P
    x = (slope * slope - p[0] - q[0]) % P
    return x, (slope * (p[0] - x) - p[1]) % P


def multiply(k, p):
    result = None
    for bit in bin(k % N)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, p)
    return result


def encode(p):
    if p is None:
        raise Refused()
    return bytes([2 + (p[1] & 1)]) + p[0].to_bytes(48, "big")


def decode(data):
    """A compressed point, 49 bytes, that lies on the curve."""
    if len(data) != 49 or data[0] not in (2, 3):
        raise Refused()
    x = int.from_bytes(data[1:], "big")
    if x >= P:
        raise Refused()
    square = (x * x * x + A * x + B) % P
    y = pow(square, (P + 1) // 4, P)
    if y * y % P != square:
        raise Refused()
    return x, y if y & 1 == data[0] & 1 else P - y


def scalar(data):
    """A scalar in 1 ... n - 1."""
    value = int.from_bytes(data, "big")
    if len(data) != 48 or not 0 < value < N:
        raise Refused()
    return value


# Hashing to the group and to scalars: RFC 9380.

def expand_message(message, tag, length):
    tag += bytes([len(tag)])
    first = hashlib.sha384(bytes(128) + message + length.to_bytes(2, "big") + b"\0" + tag).digest()
    block = hashlib.sha384(first + b"\1" + tag).digest()
    out = block
    for n in range(2, -(-length // 48) + 1):
        block = hashlib.sha384(bytes(x ^ y for x, y in zip(first, block)) + bytes([n]) + tag).digest()
        out += block
    return out[:length]


def map_to_curve(u):
    t = (Z * Z * pow(u, 4, P) + Z * u * u) % P
    x = (-B * pow(A, -1, P) * (1 + pow(t, -1, P))) % P if t else B * pow(Z * A, -1, P) % P
    square = (pow(x, 3, P) + A * x + B) % P
    if pow(square, (P - 1) // 2, P) not in (0, 1):
        x = Z * u * u * x % P
        square = (pow(x, 3, P) + A * x + B) % P
    y = pow(square, (P + 1) // 4, P)
    return x, y if y & 1 == u & 1 else P - y


def hash_to_group(message):
    data = expand_message(message, b"HashToGroup-" + CONTEXT, 144)
    u = [int.from_bytes(data[i:i + 72], "big") % P for i in (0, 72)]
    return add(map_to_curve(u[0]), map_to_curve(u[1]))


def hash_to_scalar(message, tag=b"HashToScalar-"):
    return int.from_bytes(expand_message(message, tag + CONTEXT, 72), "big") % N


def framed(*parts):
    return b"".join(len(part).to_bytes(2, "big") + part for part in parts)


# The client.

def blind(message, factor=None):
    """The blind and the blinded element that goes to the service."""
    factor = factor or 1 + secrets.randbelow(N - 1)
    return factor, encode(multiply(factor, hash_to_group(message)))


def finalize(message, factor, evaluated):
    element = encode(multiply(pow(factor, -1, N), decode(evaluated)))
    return hashlib.sha384(framed(message, element) + b"Finalize").digest()


def verify(public, blinded, evaluated, proof):
    """Checks the proof for lists of elements; anything wrong is refused, the point at infinity included."""
    if len(proof) != 96 or len(blinded) != len(evaluated):
        raise Refused()
    key, c, s = decode(public), scalar(proof[:48]), scalar(proof[48:])
    m, z = composites(public, blinded, evaluated)
    t2 = add(multiply(s, G), multiply(c, key))
    t3 = add(multiply(s, m), multiply(c, z))
    if not hmac.compare_digest(challenge(public, m, z, t2, t3).to_bytes(48, "big"), proof[:48]):
        raise Refused()


def output(message, factor, public, element, evaluation):
    """What one evaluation of 145 bytes stands for, once its proof was verified."""
    if len(evaluation) != 145:
        raise Refused()
    verify(public, [element], [evaluation[:49]], evaluation[49:])
    return finalize(message, factor, evaluation[:49])


# Both halves of a proof: RFC 9497 section 2.2.

def composites(public, blinded, evaluated):
    seed = hashlib.sha384(framed(public, b"Seed-" + CONTEXT)).digest()
    m = z = None
    for i, (c, d) in enumerate(zip(blinded, evaluated)):
        factor = hash_to_scalar(framed(seed) + i.to_bytes(2, "big") + framed(c, d) + b"Composite")
        m, z = add(multiply(factor, decode(c)), m), add(multiply(factor, decode(d)), z)
    return m, z


def challenge(public, m, z, t2, t3):
    return hash_to_scalar(framed(public, encode(m), encode(z), encode(t2), encode(t3)) + b"Challenge")


# The service, for the vectors only.

def evaluate(private, elements, random_scalar):
    public = encode(multiply(private, G))
    evaluated = [encode(multiply(private, decode(element))) for element in elements]
    m, z = composites(public, elements, evaluated)
    c = challenge(public, m, z, multiply(random_scalar, G), multiply(random_scalar, m))
    return evaluated, c.to_bytes(48, "big") + ((random_scalar - c * private) % N).to_bytes(48, "big")


def derive_key_pair(seed, info):
    for counter in range(256):
        private = hash_to_scalar(seed + framed(info) + bytes([counter]), b"DeriveKeyPair")
        if private:
            return private, encode(multiply(private, G))
