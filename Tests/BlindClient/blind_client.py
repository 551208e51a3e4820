#!/usr/bin/env python3
"""A second client of blind mode, written from docs/credentials.md and sharing no code with the first: a test tool.

    blind_client.py < request.json

The request has `action` (register or login), `company`, `employee`, `email`, `questions` [{question, answer}],
`passphrase`, `questionsWithPassphrase`, `state` (a directory for device key and pins) and `capture` (a file that gets
every byte that is sent). TENURE_URL, TENURE_APP_ID and TENURE_APP_SECRET name the service and the app. The outcome goes to
standard output; the status is 0 for an outcome, 1 for a refusal of the service and 2 when this client refused.
"""
import base64
import hashlib
import json
import os
import sys
import urllib.error
import urllib.request
import uuid

from cryptography.hazmat.primitives import serialization

import construction as c
import voprf
from voprf import Refused

# No proxy of the environment gets what is sent to this machine.
urllib.request.install_opener(urllib.request.build_opener(urllib.request.ProxyHandler({})))


def b64(data):
    return base64.b64encode(data).decode()


def unb64(text):
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, TypeError) as error:
        raise Refused() from error


def url64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Refusal(Exception):
    """A problem document."""


class Service:
    def __init__(self, request):
        self.url, self.app = os.environ["TENURE_URL"].rstrip("/"), os.environ["TENURE_APP_ID"]
        self.basic = "Basic " + b64(f"{self.app}:{os.environ['TENURE_APP_SECRET']}".encode())
        self.capture = request.get("capture")

    def post(self, path, body):
        data = json.dumps(body).encode()
        if self.capture:
            with open(self.capture, "ab") as file:
                file.write(f"POST {path}\n".encode() + data + b"\n")
        headers = {"Authorization": self.basic, "Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers), timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise Refusal(json.load(error).get("code", "unknown")) from error


class Device:
    """The device's key and its pins, in a directory."""

    def __init__(self, directory):
        os.makedirs(directory, mode=0o700, exist_ok=True)
        path = os.path.join(directory, "device.pem")
        if not os.path.exists(path):
            pem = c.new_user_key().private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(pem)
        with open(path, "rb") as file:
            self.key = serialization.load_pem_private_key(file.read(), None)
        self.point = c.point(self.key)
        self.pins = os.path.join(directory, "pins.json")

    def pinned(self):
        return json.load(open(self.pins)) if os.path.exists(self.pins) else None

    def pin(self, value):
        with open(self.pins + ".new", "w") as file:
            json.dump(value, file)
        os.replace(self.pins + ".new", self.pins)


class Flow:
    """One registration or login up to the step that was asked for."""

    def __init__(self, service, device, request):
        self.service, self.device, self.request = service, device, request
        self.kind = {"register": "registration", "login": "login"}[request["action"]]
        body = {"companyName": request["company"], "companyEmployeeId": request["employee"],
                "employeePublicKey": b64(device.point)}
        if self.kind == "registration":
            body["email"] = request["email"]
        started = service.post(f"/v1/{self.kind}s", body)
        self.path = f"/v1/{self.kind}s/{started['flow']}"
        self.challenge = unb64(started["challenge"])
        # The handle begins with the id of the flow; what follows opens the service's row and is nobody's business.
        handle = started["flow"]
        flow = base64.urlsafe_b64decode(handle + "=" * (-len(handle) % 4))[:16]
        salt = unb64(started["subjectSalt"])
        self.fields = c.read_challenge(self.challenge, {
            "purpose": self.kind, "app": service.app, "flow": str(uuid.UUID(bytes=flow)),
            "employeeKey": url64(device.point),
            "subject": url64(c.subject(salt, request["company"], request["employee"]))})
        self.asked = self.step("key", {"keyProof": b64(c.sign(device.key, self.challenge))})

    def step(self, name, body):
        return self.service.post(f"{self.path}/{name}", body)

    def evaluate(self, elements):
        """Slot and evaluation, with the copy where there is one, for slot and element."""
        told = self.step("evaluations", {"elements": [{"slot": s, "element": b64(e)} for s, e in elements]})
        found = [(e["slot"], unb64(e["evaluation"]), unb64(e["sealedCopy"]) if "sealedCopy" in e else None)
                 for e in told["evaluations"]]
        if [slot for slot, _, _ in found] != [slot for slot, _ in elements]:
            raise Refused()
        return found

    def validation(self, user_key):
        return b64(c.sign(user_key, b"tenure/v1/validation\n" + self.challenge))


def set_up(flow):
    """New credentials: blind everything, have it evaluated, seal, sign, hand the record in."""
    request, plan = flow.request, flow.asked["setUp"]
    credential, user = uuid.UUID(plan["credentialId"]).bytes, uuid.UUID(plan["userId"]).bytes
    if flow.fields.get("credential") != plan["credentialId"]:
        raise Refused()
    kdf = bytes([1, plan["kdf"]["log2N"], plan["kdf"]["r"], plan["kdf"]["p"]])
    c.check_kdf(kdf)
    questions = request["questions"]
    if len({c.folded(q["question"]) for q in questions}) != 5:
        raise c.Entered("five different questions")
    answers = [c.folded(q["answer"]) for q in questions]
    ids, salts = [c.new_id() for _ in range(5)], [os.urandom(32) for _ in range(5)]
    both = bool(request.get("questionsWithPassphrase"))
    inputs = []
    if request.get("passphrase") is None or both:
        inputs += [(slot, c.answers_input(credential, slot, ids, answers)) for slot in range(10)]
    if request.get("passphrase") is not None:
        text = c.passphrase_bytes(request["passphrase"], least=8)
        inputs.append((c.PASSPHRASE, c.passphrase_input(credential, text)))
    blinded = [(slot, message, *voprf.blind(message)) for slot, message in inputs]
    evaluations = flow.evaluate([(slot, element) for slot, _, _, element in blinded])

    user_key = c.new_user_key()
    passphrase_key = unb64(plan["oprfPassphrase"]) if request.get("passphrase") is not None else None
    context = c.make_context(credential, user, c.point(user_key), unb64(plan["oprfAnswers"]), passphrase_key, kdf,
                             2 if both and passphrase_key else 0, ids)
    private = user_key.private_numbers().private_value.to_bytes(32, "big")
    copies = {}
    for (slot, message, factor, element), (_, evaluation, _) in zip(blinded, evaluations):
        output = voprf.output(message, factor, context.key(slot), element, evaluation)
        copies[slot] = c.seal(context, output, slot, private)
    commitments = [c.commitment(salt, q["question"]) for salt, q in zip(salts, questions)]
    record = c.make_record(context, commitments, [copies[s] for s in range(10) if s in copies],
                           copies.get(c.PASSPHRASE), user_key, flow.device.key)
    outcome = flow.step("proof", {
        "userSignature": flow.validation(user_key), "record": b64(record),
        "questions": [{"question": q["question"], "salt": b64(salt)} for q, salt in zip(questions, salts)]})
    flow.device.pin(pin(flow, context, c.record_hash(record)))
    return outcome


def pin(flow, context, hash_of_record):
    return {"tenant": flow.fields["tenant"], "credential": context.credential.hex(), "record": hash_of_record.hex(),
            "context": hashlib.sha256(context.bytes).hexdigest()}


def prove(flow):
    """Opens a copy: one subset first, the other nine when it does not open; then the user key signs."""
    told = flow.asked["opening"]
    context, hash_of_record = c.Context(unb64(told["context"])), unb64(told["recordHash"])
    if flow.kind == "login" and flow.fields.get("credential") != str(uuid.UUID(bytes=context.credential)):
        raise Refused()
    seen, pinned = pin(flow, context, hash_of_record), flow.device.pinned()
    if pinned is not None and pinned != seen:
        raise Refused()
    if flow.asked["outcome"] == "validatePassphrase":
        text = c.passphrase_bytes(flow.request["passphrase"])
        key = open_first(flow, context, [(c.PASSPHRASE, c.passphrase_input(context.credential, text))])
    else:
        known = {q["question"]: q["answer"] for q in flow.request["questions"]}
        answers = {}
        for shown in flow.asked["questions"]:
            place = context.ids.index(base64.urlsafe_b64decode(shown["questionId"] + "=="))
            if known.get(shown["question"]):
                answers[place] = c.folded(known[shown["question"]])
        if len(answers) < 3:
            raise c.Entered("three answers")
        covered = [slot for slot, places in enumerate(c.SUBSETS) if set(places) <= set(answers)]
        key = open_first(flow, context, [
            (slot, c.answers_input(context.credential, slot, context.ids, answers)) for slot in covered])
    outcome = flow.step("proof", {"userSignature": flow.validation(key)})
    flow.device.pin(seen)
    return outcome


def open_first(flow, context, inputs):
    key = opened(flow, context, inputs[:1], [])
    if key is None and len(inputs) > 1:
        slots = {slot for slot, _ in inputs}
        padding = [(slot, voprf.blind(os.urandom(32))[1]) for slot in range(10) if slot not in slots]
        key = opened(flow, context, inputs[1:], padding)
    if key is None:
        raise Refused()
    return key


def opened(flow, context, inputs, padding):
    blinded = [(slot, message, *voprf.blind(message)) for slot, message in inputs]
    evaluations = flow.evaluate([(slot, element) for slot, _, _, element in blinded] + padding)
    for (slot, message, factor, element), (_, evaluation, copy) in zip(blinded, evaluations):
        try:
            output = voprf.output(message, factor, context.key(slot), element, evaluation)
            return c.open_copy(context, output, slot, copy or b"")
        except Refused:
            continue
    return None


def main():
    request = json.load(sys.stdin)
    try:
        flow = Flow(Service(request), Device(request["state"]), request)
        outcome = set_up(flow) if flow.asked["outcome"] == "setCredentials" else prove(flow)
        print(json.dumps(outcome))
        return 0
    except Refusal as refusal:
        print(json.dumps({"refused": str(refusal)}))
        return 1
    except (Refused, c.Entered, KeyError) as error:
        print(json.dumps({"refused": "by the client", "kind": type(error).__name__}))
        return 2


if __name__ == "__main__":
    sys.exit(main())
