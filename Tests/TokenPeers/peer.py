"""What both Python peers share: discovery, forged tokens, and the report."""

import base64
import hashlib
import hmac
import json
import sys
import urllib.request

from cryptography.hazmat.primitives import serialization

# No proxy of the environment gets what is sent to this machine.
urllib.request.install_opener(urllib.request.build_opener(urllib.request.ProxyHandler({})))


def read(url):
    with urllib.request.urlopen(url, timeout=20) as answer:
        return json.load(answer)


def discover(issuer):
    """The metadata (RFC 8414) of an issuer and its keys. The issuer is all that a resource server configures."""
    metadata = read(issuer + "/.well-known/oauth-authorization-server")
    if metadata["issuer"] != issuer:
        sys.exit(f"The metadata of {issuer} name the issuer {metadata['issuer']}.")
    return metadata, read(metadata["jwks_uri"])


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def header(token):
    """The header of a token, which proves nothing."""
    return json.loads(decode(token.split(".")[0]))


def forgeries(token, public_key):
    """Tokens that every verifier must refuse, by name. `public_key` is the issuer's, as `cryptography` has it."""
    header, claims, signature = token.split(".")
    parts = json.loads(decode(header))
    flipped = bytearray(decode(signature))
    flipped[0] ^= 1
    promoted = encode(json.dumps(json.loads(decode(claims)) | {"role": "securityAdmin", "sub": "somebody"}).encode())
    forged = {
        "an altered signature": ".".join((header, claims, encode(bytes(flipped)))),
        "altered claims": ".".join((header, promoted, signature)),
        "the algorithm none": ".".join((encode(json.dumps(parts | {"alg": "none"}).encode()), claims, "")),
        "an unknown key": ".".join((encode(json.dumps(parts | {"kid": "elsewhere"}).encode()), claims, signature)),
    }
    # The published key as the secret of a MAC: in PEM, and as the point of the JWK.
    encodings = {
        "PEM": (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
        "DER": (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo),
        "point": (serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint),
    }
    for name, (encoding, form) in encodings.items():
        text = encode(json.dumps(parts | {"alg": "HS256"}).encode()) + "." + claims
        mac = hmac.new(public_key.public_bytes(encoding, form), text.encode(), hashlib.sha256).digest()
        forged[f"HS256 with the public key ({name})"] = text + "." + encode(mac)
    return forged


def report(library, version, claims, verify, refused, token, audience, public_key):
    """Prints what the library made of the token, and fails unless it refuses each forgery.

    `verify` takes a token, an audience, and how many seconds later it is; `refused` are the errors of a refusal.
    """
    print(f"{library} {version} verified the token; claims: {' '.join(sorted(claims))}")
    expected = "amr aud auth_time client_id exp iat iss jti role sid sub tenant".split()
    if sorted(claims) != expected:
        sys.exit(f"The claims should be {' '.join(expected)}.")
    cases = [(name, forged, audience, 0) for name, forged in forgeries(token, public_key).items()]
    cases += [("another audience", token, "another-api", 0), ("a token that has expired", token, audience, 3600)]
    accepted = []
    for name, presented, api, later in cases:
        try:
            verify(presented, api, later)
            accepted.append(name)
        except refused as error:
            print(f"  refused {name}: {type(error).__name__}")
    if accepted:
        sys.exit(f"{library} accepted {', '.join(accepted)}.")


def arguments():
    """The issuer and the audience of the command line, and the token, which is not among a program's arguments."""
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} ISSUER AUDIENCE < TOKEN")
    return sys.argv[1], sys.argv[2], sys.stdin.read().strip()
