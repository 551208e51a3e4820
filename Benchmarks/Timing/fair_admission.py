#!/usr/bin/env python3
"""Measures a right log-in from a known device while strangers' attempts run through another app.

    fair_admission.py [--strangers N] [--log-ins N]

TENURE_URL, TENURE_APP_ID and TENURE_APP_SECRET name the service and an app with all roles, OTHER_APP_ID and OTHER_APP_SECRET
an app with ACCESS through which the strangers come. Each stranger makes one attempt after the other with five wrong answers,
on invented names. Calls go to the address of TENURE_URL alone, which must be on this machine.
"""
import argparse
import itertools
import os
import statistics
import sys
import threading
import time

from measure import expect, proved, register, right
from service import Service

# What a right log-in may take under load: so many times its unloaded time, and one stranger's attempt.
FACTOR = 3


def log_in(service, company, device):
    """Milliseconds of the three calls of a right log-in, and how often the service was too busy."""
    path, asked, times = proved(service, company, "founder", device=device)
    busy = 0
    while True:
        status, reply, milliseconds = service.post(f"{path}/answers", {"answers": right(asked)})
        if status != 503:
            break
        busy += 1
        milliseconds += 1000
        time.sleep(1)
    expect(status == 200 and reply["outcome"] == "success", status, reply)
    return sum(times.values()) + milliseconds, busy


def attempt(service, company, employee):
    """The status and the milliseconds of an attempt with five wrong answers; nil for a decoy that is not asked for answers."""
    path, asked, times = proved(service, company, employee)
    if asked["outcome"] != "validateAnswers":
        return None
    answers = [{"questionId": q["questionId"], "answer": "wrong"} for q in asked["questions"]]
    status, reply, milliseconds = service.post(f"{path}/answers", {"answers": answers})
    if status == 403 and reply["code"] != "answers.incorrect":
        return None
    return status, sum(times.values()) + milliseconds


class Strangers:
    """Attempts without a pause, by so many at once."""

    def __init__(self, count, make):
        self.ends, self.statuses, self.lock, self.numbers = threading.Event(), {}, threading.Lock(), itertools.count()
        self.threads = [threading.Thread(target=self.run, args=(make(),), daemon=True) for _ in range(count)]

    def run(self, service):
        while not self.ends.is_set():
            number = next(self.numbers)
            made = attempt(service, f"invented-{number}.example", f"e{number}")
            if made is None:
                continue
            with self.lock:
                self.statuses[made[0]] = self.statuses.get(made[0], 0) + 1
            if made[0] in (429, 503):
                self.ends.wait(1)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        # Until as many attempts have been answered as there are strangers, the queue is not full yet.
        while sum(self.statuses.values()) < len(self.threads):
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()


def row(title, values):
    print(f"| {title} | {len(values)} | {statistics.median(values):.0f} | {min(values):.0f} | {max(values):.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strangers", type=int, default=36)
    parser.add_argument("--log-ins", type=int, default=20)
    options = parser.parse_args()
    url = os.environ["TENURE_URL"]
    if not url.startswith("http://127.0.0.1:"):
        sys.exit("only a service at 127.0.0.1 is loaded")
    service = Service(url, os.environ["TENURE_APP_ID"], os.environ["TENURE_APP_SECRET"])
    company = f"fair-{int(time.time())}.example"
    device, _ = register(service, company, "founder")

    def other():
        return Service(url, os.environ["OTHER_APP_ID"], os.environ["OTHER_APP_SECRET"])

    log_in(service, company, device)
    alone = [log_in(service, company, device)[0] for _ in range(options.log_ins)]
    stranger = other()
    attempts = [attempt(stranger, f"single-{number}.example", "e") for number in range(60)]
    single = [made[1] for made in attempts if made is not None and made[0] == 403][:20]
    with Strangers(options.strangers, other) as strangers:
        # The service has closed a connection that was idle meanwhile.
        service.connect()
        loaded, busy = zip(*[log_in(service, company, device) for _ in range(options.log_ins)])
    print("| | number | median ms | least | most |")
    print("|---|---|---|---|---|")
    row("right log-in, known device, alone", alone)
    row("one stranger's attempt, alone", single)
    row(f"right log-in while {options.strangers} strangers' attempts run", loaded)
    limit = FACTOR * statistics.median(alone) + statistics.median(single)
    verdict = "reached" if statistics.median(loaded) <= limit and not sum(busy) else "missed"
    print(f"\nThe median may take {limit:.0f} ms: {verdict}. {sum(busy)} right log-ins were told that the service is busy.")
    print(f"Strangers' attempts by status: {dict(sorted(strangers.statuses.items()))}")


if __name__ == "__main__":
    main()
