#!/usr/bin/env python3
"""Write passkeys.json: creations and assertions of passkeys, made and judged by other programs.

Needs the packages `webauthn`, `fido2` and `cryptography`. The keys are made anew on each run, so the file changes: run it
only for new cases. Those of real devices are the bytes of published test data, and are kept as they are.
"""
import base64, cbor2, hashlib, json, os, sys
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from fido2.cose import CoseKey
from fido2.webauthn import AttestedCredentialData, AuthenticatorData
from webauthn import verify_authentication_response
from webauthn.helpers.exceptions import InvalidAuthenticationResponse

HERE = os.path.dirname(os.path.abspath(__file__))
RP, ORIGIN = "id.example.com", "https://id.example.com"
MESSAGE = b"tenure/v1/challenge\n{\"example\":true}"
UP, UV, BE, BS, AT, ED = 0x01, 0x04, 0x08, 0x10, 0x40, 0x80
CRED_PROTECT = bytes.fromhex("a16b6372656450726f7465637402")


def url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def client_data(kind, challenge, origin=ORIGIN, **more):
    return json.dumps({"type": kind, "challenge": url(challenge), "origin": origin, "crossOrigin": False, **more},
                      separators=(",", ":")).encode()


class Passkey:
    def __init__(self, algorithm):
        self.algorithm, self.id = algorithm, os.urandom(32)
        self.private = (ec.generate_private_key(ec.SECP256R1()) if algorithm == "es256"
                        else rsa.generate_private_key(65537, 2048))
        public = self.private.public_key()
        self.cose = CoseKey.for_alg(-7 if algorithm == "es256" else -257).from_cryptography_key(public)
        self.spki = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        if algorithm == "es256":
            self.key = public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        else:
            self.key = public.public_numbers().n.to_bytes(256, "big")

    def sign(self, message):
        if self.algorithm == "es256":
            return self.private.sign(message, ec.ECDSA(hashes.SHA256()))
        return self.private.sign(message, padding.PKCS1v15(), hashes.SHA256())

    def creation(self, name, flags, extensions=b""):
        data = AuthenticatorData.create(
            hashlib.sha256(RP.encode()).digest(), flags | AT, 0,
            AttestedCredentialData.create(b"\0" * 16, self.id, self.cose), {"credProtect": 2} if extensions else None)
        assert bytes(data).endswith(extensions)
        data = bytes(data)
        assert AuthenticatorData(data).credential_data.public_key == self.cose
        return dict(name=name, algorithm=self.algorithm, rpId=RP, origin=ORIGIN, key=self.key.hex(),
                    credentialId=self.id.hex(), authenticatorData=data.hex(), spki=self.spki.hex(),
                    clientDataJSON=client_data("webauthn.create", b"\1" * 32).decode(), challenge=(b"\1" * 32).hex())

    def assertion(self, name, flags, counter=0, extensions=b"", rp=RP, origin=ORIGIN, kind="webauthn.get",
                  message=MESSAGE, text=None, refused=None):
        data = hashlib.sha256(rp.encode()).digest() + bytes([flags]) + counter.to_bytes(4, "big") + extensions
        challenge = hashlib.sha256(message).digest()
        client = text(url(challenge)).encode() if text else client_data(kind, challenge, origin)
        signature = self.sign(data + hashlib.sha256(client).digest())
        case = dict(name=name, algorithm=self.algorithm, key=self.key.hex(), authenticatorData=data.hex(),
                    clientDataJSON=client.decode(), signature=signature.hex())
        if refused:
            return dict(case, refused=refused)
        judged = verify_authentication_response(
            credential=dict(id=url(self.id), rawId=url(self.id), type="public-key", clientExtensionResults={},
                            response=dict(authenticatorData=url(data), clientDataJSON=url(client),
                                          signature=url(signature))),
            expected_challenge=challenge, expected_rp_id=RP, expected_origin=ORIGIN,
            credential_public_key=cbor2.dumps(dict(self.cose)),
            credential_current_sign_count=0, require_user_verification=True)
        assert judged.user_verified
        raw = signature
        if self.algorithm == "es256":
            raw = b"".join(n.to_bytes(32, "big") for n in decode_dss_signature(signature))
        kind2 = (bytes([2, 1 if self.algorithm == "es256" else 2]) + len(data).to_bytes(2, "big") + data
                 + len(client).to_bytes(2, "big") + client + raw)
        return dict(case, evidence=kind2.hex())


def texts():
    base = '"type":"webauthn.get","challenge":"%s","origin":"' + ORIGIN + '"'
    accepted = [
        ("other order and unknown members", '{"origin":"' + ORIGIN + '","x":{"a":[1,null]},"challenge":"%s",'
         '"type":"webauthn.get"}'),
    ]
    refused = [
        ("a member twice", "{" + base + ',"origin":"' + ORIGIN + '"}', "clientData"),
        ("a member twice by an escape", "{" + base + ',"orig\\u0069n":"https://evil.example"}', "clientData"),
        ("crossOrigin", "{" + base + ',"crossOrigin":true}', "crossOrigin"),
        ("crossOrigin of another type", "{" + base + ',"crossOrigin":"false"}', "crossOrigin"),
        ("topOrigin", "{" + base + ',"crossOrigin":false,"topOrigin":"https://a.example"}', "topOrigin"),
        ("an array", "[{" + base + "}]", "clientData"),
        ("no origin", '{"type":"webauthn.get","challenge":"%s"}', "origin"),
        ("padded challenge", '{"type":"webauthn.get","challenge":"%s=","origin":"' + ORIGIN + '"}', "challenge"),
    ]
    return accepted, refused


def main():
    es, rs = Passkey("es256"), Passkey("rs256")
    creations, assertions, refused = [], [], []
    for key in (es, rs):
        creations += [key.creation(key.algorithm, UP | UV), key.creation(key.algorithm + " synced", UP | UV | BE | BS),
                      key.creation(key.algorithm + " with credProtect", UP | UV | ED, CRED_PROTECT)]
        assertions += [
            key.assertion(key.algorithm, UP | UV), key.assertion(key.algorithm + " counts", UP | UV, 7),
            key.assertion(key.algorithm + " synced", UP | UV | BE | BS),
            key.assertion(key.algorithm + " may be synced", UP | UV | BE),
            key.assertion(key.algorithm + " with extension bytes", UP | UV | ED, extensions=CRED_PROTECT)]
        for name, flags, field in (("without UP", UV, "userPresent"), ("without UV", UP, "userVerified"),
                                   ("BS without BE", UP | UV | BS, "backedUp"),
                                   ("ED without bytes", UP | UV | ED, "extensions")):
            refused.append(key.assertion(f"{key.algorithm} {name}", flags, refused=field))
        refused += [
            key.assertion(f"{key.algorithm} bytes without ED", UP | UV, extensions=CRED_PROTECT, refused="extensions"),
            key.assertion(f"{key.algorithm} of a creation's type", UP | UV, kind="webauthn.create", refused="type"),
            key.assertion(f"{key.algorithm} over another message", UP | UV, message=b"other", refused="challenge")]
    accepted_texts, refused_texts = texts()
    for name, text in accepted_texts:
        assertions.append(es.assertion(name, UP | UV, text=lambda c, t=text: t % c))
    for name, text, field in refused_texts:
        refused.append(es.assertion(name, UP | UV, text=lambda c, t=text: t % c, refused=field))
    with open(os.path.join(HERE, "passkeys-devices.json")) as file:
        devices = json.load(file)
    with open(os.path.join(HERE, "passkeys.json"), "w") as file:
        json.dump(dict(message=MESSAGE.hex(), rpId=RP, origin=ORIGIN, creations=creations, assertions=assertions,
                       refused=refused, devices=devices), file, indent=1, ensure_ascii=False)
        file.write("\n")


try:
    main()
except InvalidAuthenticationResponse as error:
    sys.exit(f"the other program refuses: {error}")
