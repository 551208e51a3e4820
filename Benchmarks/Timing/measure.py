#!/usr/bin/env python3
"""Measures whether log-ins of unknown employees take as long as those of known ones; docs/timing.md says what was seen.

    measure.py [--pairs N] [--names FILE] [--mode direct|blind|recovery|company]… [--changed] [--devices N] [--cancelled]

TENURE_URL, TENURE_APP_ID and TENURE_APP_SECRET name the service and an app with all roles. With a file of names, the first
run registers people and writes it, and a later one measures the same names again. With --changed everybody who is registered
changes their credentials before they are measured; with --devices each has so many further devices that were let in; with
--cancelled each was cancelled. The mode company compares the same names at a company that does not exist.
"""
import argparse
import base64
import json
import os
import random
import sys
import time

from service import Device, Service, b64
from statistics_of_pairs import row

# Attempts on one credential: the share of one app is ten, and one is left for what goes wrong.
ATTEMPTS = 9
# The generator of P-384: a point is a point to whoever multiplies it by a secret.
ELEMENT = bytes.fromhex(
    "03aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7")
QUESTIONS = [{"number": n, "answer": f"answer {n}"} for n in range(1, 6)]


def proved(service, company, employee, kind="logins", device=None, **more):
    """A flow after the proof of a device, a fresh one unless it is given, and the milliseconds of both calls."""
    device = device or Device()
    status, started, first = service.post(
        f"/v1/{kind}", {"companyName": company, "companyEmployeeId": employee, "employeePublicKey": device.public, **more})
    if status != 201:
        sys.exit(f"a start was refused: {status} {started.get('code')}")
    path = f"/v1/{kind}/{started['flow']}"
    status, asked, second = service.post(f"{path}/key", {"keyProof": device.sign(started["challenge"])})
    if status != 200:
        sys.exit(f"a proof was refused: {status} {asked.get('code')}")
    return path, asked, {"start": first, "key": second}


def register(service, company, employee):
    """The device that registered, whose key waits unless it is the first of the company, and the access token of the first."""
    device = Device()
    path, _, _ = proved(
        service, company, employee, "registrations", device, email=f"{employee}@mail.{company}",
        isCompanyOwnedEmail=False)
    status, reply, _ = service.post(f"{path}/credentials", {"securityQuestions": QUESTIONS})
    if status != 200:
        sys.exit(f"a registration was refused: {status} {reply.get('code')}")
    return device, reply.get("session", {}).get("accessToken")


def decide(service, company, employee, decision, session=None):
    """A decision about an employee that the app may make, or the admin with this access token."""
    status, reply, _ = service.post(f"/v1/companies/{company}/employees/{employee}/{decision}", {}, session)
    expect(status == 200, status, reply)


def let_in(service, company, employee, device):
    """Lets a device in."""
    decide(service, company, employee, f"keys/{device.fingerprint}/authorization")


def right(asked):
    """The right answers to what is asked."""
    known = {question["number"]: question["answer"] for question in QUESTIONS}
    return [{"questionId": q["questionId"], "answer": known[q["number"]]} for q in asked["questions"]]


def add_device(service, company, employee):
    """A further device, which shows itself by a right log-in and is let in."""
    device = Device()
    path, asked, _ = proved(service, company, employee, device=device)
    status, reply, _ = service.post(f"{path}/answers", {"answers": right(asked)})
    expect(status == 200 and reply["outcome"] == "authorizationPending", status, reply)
    let_in(service, company, employee, device)


def change(service, company, employee, device):
    """Gives the owner of a device that is let in other questions and answers."""
    path, asked, _ = proved(service, company, employee, "credentials/changes", device)
    current = right(asked)
    new = [{"number": n, "answer": f"another answer {n}"} for n in range(11, 16)]
    status, reply, _ = service.post(
        f"{path}/credentials", {"currentAnswers": current, "credentials": {"securityQuestions": new}})
    expect(status == 200, status, reply)


def unknown_names(service, company, count):
    """Names that nobody has, whose decoys are asked for answers and may be tried in direct mode."""
    names = []
    for number in range(100_000, 999_999):
        _, asked, _ = proved(service, company, f"e{number}")
        if asked["outcome"] == "validateAnswers" and not bytes_of(asked["opening"]["context"])[-81] & 1:
            names.append(f"e{number}")
            if len(names) == count:
                return names


def bytes_of(text):
    return base64.b64decode(text)


def attempt(service, company, employee, mode):
    """Milliseconds of every call of one wrong attempt, by name."""
    path, asked, times = proved(service, company, employee)
    if mode == "direct":
        answers = [{"questionId": q["questionId"], "answer": "wrong"} for q in asked["questions"][:3]]
        status, reply, times["answers"] = service.post(f"{path}/answers", {"answers": answers})
        if status == 429:
            return {"locked": times["answers"]}
        expect(status == 403, status, reply)
        return times
    element = {"element": b64(ELEMENT)}
    status, reply, times["one element"] = service.post(f"{path}/evaluations", {"elements": [{"slot": 0, **element}]})
    if status == 429:
        return {"locked": times["one element"]}
    expect(status == 200, status, reply)
    status, reply, times["nine elements"] = service.post(
        f"{path}/evaluations", {"elements": [{"slot": s, **element} for s in range(1, 10)]})
    expect(status == 200, status, reply)
    wrong = b64(bytes([1] * 64))
    status, reply, times["proof"] = service.post(f"{path}/proof", {"userSignature": wrong})
    expect(status == 403, status, reply)
    return times


def ask_for_recovery(service, company, employee):
    """Milliseconds of both calls of a recovery that a fresh device asks for."""
    _, asked, times = proved(service, company, employee, "recoveries")
    expect(asked["outcome"] == "authorizationPending", 200, asked)
    return times


def begin(service, company, employee, group):
    """Milliseconds of both calls of a log-in that goes no further, at the company or at one that does not exist."""
    _, _, times = proved(service, company if group == "known" else f"no-{company}", employee)
    return times


def expect(condition, status, reply):
    if not condition:
        sys.exit(f"unexpected: {status} {reply.get('code')}")


def compare(service, company, known, unknown, mode, pairs):
    """One line for each call: pairs in random order within the pair, the names in turn."""
    samples = {}
    for number in range(pairs):
        first, second = known[number % len(known)], unknown[number % len(unknown)]
        order = [("known", first), ("unknown", second)]
        random.shuffle(order)
        for group, name in order:
            if mode == "company":
                times = begin(service, company, first, group)
            else:
                times = (ask_for_recovery(service, company, name) if mode == "recovery"
                         else attempt(service, company, name, mode))
            for call, milliseconds in times.items():
                samples.setdefault(call, {"known": [], "unknown": []})[group].append(milliseconds)
    for call, groups in samples.items():
        if min(map(len, groups.values())) == max(map(len, groups.values())):
            print(row(f"{mode}: {call}", groups["known"], groups["unknown"]), flush=True)
        else:
            print(f"{mode}: {call}: {({name: len(g) for name, g in groups.items()})} differ", flush=True)


def prepare(service, company, name, device, admin, options):
    """What happened to somebody before they are measured."""
    if options.changed or options.devices:
        let_in(service, company, name, device)
    for _ in range(options.devices):
        add_device(service, company, name)
    if options.changed:
        change(service, company, name, device)
    if options.cancelled:
        decide(service, company, name, "cancellation", admin)


def names(service, count, file, options):
    """The company, people in it, and as many names that nobody has."""
    if file and os.path.exists(file):
        with open(file) as kept:
            company, known, unknown = json.load(kept)
        if len(known) == count:
            return company, known, unknown
    company = f"timing-{int(time.time())}.example"
    # The first one is the security admin and is not measured.
    known = [f"k{100_000 + number}" for number in range(count + 1)]
    for number, name in enumerate(known):
        device, session = register(service, company, name)
        if number == 0:
            admin = session
        else:
            prepare(service, company, name, device, admin, options)
        print(f"\rregistered {number + 1} of {len(known)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    unknown = unknown_names(service, company, count)
    if file:
        with open(file, "w") as kept:
            json.dump([company, known[1:], unknown], kept)
    return company, known[1:], unknown


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--names")
    parser.add_argument("--mode", action="append", choices=["direct", "blind", "recovery", "company"])
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--devices", type=int, default=0)
    parser.add_argument("--cancelled", action="store_true")
    options = parser.parse_args()
    pairs = options.pairs
    service = Service(os.environ["TENURE_URL"], os.environ["TENURE_APP_ID"], os.environ["TENURE_APP_SECRET"])
    count = -(-pairs // ATTEMPTS)
    modes = options.mode or ["direct", "blind"]
    company, known, unknown = names(service, len(modes) * count, options.names, options)
    print("| call | pairs | known | unknown | difference (95 %) | | floor | p |")
    print("|---|---|---|---|---|---|---|---|")
    for place, mode in enumerate(modes):
        half = slice(place * count, (place + 1) * count)
        compare(service, company, known[half], unknown[half], mode, pairs)
        if mode in ("recovery", "company"):
            continue
        # What is left of each share goes, and then everybody is locked.
        for name in known[half] + unknown[half]:
            while "locked" not in attempt(service, company, name, mode):
                pass
        compare(service, company, known[half], unknown[half], mode, pairs)


if __name__ == "__main__":
    main()
