#!/usr/bin/env python3
"""Prints exports of what passkeys signed in a log: two of each type of event and algorithm, one JSON object a line.

Needs the environment of `tenure replay` and `tenure passkey export`; TENURE names the program. Fails without any.
"""
import collections
import json
import os
import subprocess
import sys

# The evidence of a passkey is longer than a signature of 64 bytes.
LONGEST_SIGNATURE = 86


def tenure(*arguments):
    return subprocess.run([os.environ["TENURE"], *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout


def is_signed(event):
    """Whether a passkey signed for an event."""
    data = event["data"]
    by = data.get("by")
    evidence = by.get("signature", "") if isinstance(by, dict) else ""
    return event["type"] == "PasskeyValidated" or data.get("kind") == "passkey" or len(evidence) > LONGEST_SIGNATURE


def main():
    companies, signed, kept = {}, [], collections.Counter()
    for line in tenure("replay", "--json").splitlines():
        event = json.loads(line)
        companies.setdefault(event["ledger"], event["data"].get("companyName"))
        if is_signed(event):
            signed.append(event)
    for event in signed:
        line = tenure("passkey", "export", str(event["position"]), "--company", companies[event["ledger"]])
        kind = event["type"], json.loads(line)["algorithm"]
        kept[kind] += 1
        if kept[kind] <= 2:
            sys.stdout.write(line)
    for (name, algorithm), count in sorted(kept.items()):
        print(f"{name}, {algorithm}: {count} in the log", file=sys.stderr)
    sys.exit(0 if kept else "No passkey signed anything in this log.")


main()
