#!/usr/bin/env python3
"""Lets the libraries webauthn and fido2 of PyPI verify assertions, and refuse them after one changed bit of any byte,
and for another site or origin.

    check_passkeys.py RP_ID ORIGIN… < EXPORTS   one JSON object of `tenure passkey export` per line
    check_passkeys.py --vectors                 the golden vectors instead

The site and its origins are those that the operator set, not what an export says of itself.
"""
import base64
import hashlib
import importlib.metadata
import json
import os
import sys

import webauthn
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_der_public_key
from fido2 import cbor
from fido2.cose import ES256, RS256
from fido2.server import Fido2Server
from fido2.webauthn import (
    AttestedCredentialData, AuthenticationResponse, AuthenticatorAssertionResponse, AuthenticatorData,
    CollectedClientData, PublicKeyCredentialRpEntity)

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../CredentialsTests/vectors/passkeys.json")
SIGNED = "authenticatorData", "clientDataJSON", "signature"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def exports(site, origins):
    """The objects of standard input, with their bytes decoded, for a site and its origins."""
    texts = {"rpId", "origin", "algorithm"}
    for line in sys.stdin:
        found = {k: v if k in texts else decoded(v) for k, v in json.loads(line).items()}
        yield found | {"rpId": site, "origin": found["origin"] if found["origin"] in origins else origins[0]}


def vectors():
    """The golden assertions, in the form of an export."""
    with open(VECTORS) as file:
        given = json.load(file)
    keys = {row["key"]: row for row in given["creations"]}
    for row in given["assertions"]:
        made, signature = keys[row["key"]], bytes.fromhex(row["signature"])
        if row["algorithm"] == "es256" and len(signature) == 64:
            r, s = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
            signature = encode_dss_signature(r, s)
        yield {
            "message": bytes.fromhex(given["message"]), "rpId": given["rpId"], "origin": given["origin"],
            "algorithm": -7 if row["algorithm"] == "es256" else -257, "publicKey": bytes.fromhex(made["spki"]),
            "credentialId": bytes.fromhex(made["credentialId"]), "userHandle": bytes(32),
            "authenticatorData": bytes.fromhex(row["authenticatorData"]),
            "clientDataJSON": row["clientDataJSON"].encode(), "signature": signature}


def cose(export):
    kind = {-7: ES256, -257: RS256}[export["algorithm"]]
    return kind.from_cryptography_key(load_der_public_key(export["publicKey"]))


def webauthn_accepts(export):
    name = encoded(export["credentialId"])
    response = {part: encoded(export[part]) for part in (*SIGNED, "userHandle")}
    webauthn.verify_authentication_response(
        credential={"id": name, "rawId": name, "type": "public-key", "response": response},
        expected_challenge=hashlib.sha256(export["message"]).digest(), expected_rp_id=export["rpId"],
        expected_origin=export["origin"], credential_public_key=cbor.encode(dict(cose(export))),
        credential_current_sign_count=0, require_user_verification=True)


def fido2_accepts(export):
    server = Fido2Server(
        PublicKeyCredentialRpEntity(id=export["rpId"], name="Tenure"),
        verify_origin=lambda origin: origin == export["origin"])
    known = AttestedCredentialData.create(bytes(16), export["credentialId"], cose(export))
    _, state = server.authenticate_begin(
        [known], user_verification="required", challenge=hashlib.sha256(export["message"]).digest())
    server.authenticate_complete(state, [known], AuthenticationResponse(
        raw_id=export["credentialId"],
        response=AuthenticatorAssertionResponse(
            client_data=CollectedClientData(export["clientDataJSON"]),
            authenticator_data=AuthenticatorData(export["authenticatorData"]), signature=export["signature"],
            user_handle=export["userHandle"])))


def refuses(accepts, export):
    try:
        accepts(export)
    except Exception:
        return True
    return False


def main():
    count, faults = 0, 0
    if len(sys.argv) < 2 or len(sys.argv) == 2 and sys.argv[1] != "--vectors":
        sys.exit(__doc__)
    for export in vectors() if sys.argv[1] == "--vectors" else exports(sys.argv[1], sys.argv[2:]):
        count += 1
        for name, accepts in ("webauthn", webauthn_accepts), ("fido2", fido2_accepts):
            try:
                accepts(export)
            except Exception as error:
                faults += 1
                print(f"{name} refuses assertion {count}: {error!r}")
            for expected in "origin", "rpId":
                if not refuses(accepts, export | {expected: export[expected] + ".evil.test"}):
                    faults += 1
                    print(f"{name} accepts assertion {count} for another {expected}")
            for part in SIGNED:
                for index in range(len(export[part])):
                    changed = bytearray(export[part])
                    changed[index] ^= 1
                    if not refuses(accepts, export | {part: bytes(changed)}):
                        faults += 1
                        print(f"{name} accepts assertion {count} with byte {index} of {part} changed")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("webauthn", "fido2"))
    print(f"{count} assertions, {faults} faults, {versions}")
    sys.exit(1 if faults or not count else 0)


main()
