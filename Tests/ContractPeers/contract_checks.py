"""What schemathesis checks besides its own checks: a request that the contract permits is refused only with a reason.

It replaces `positive_data_acceptance`, which knows no exceptions but statuses. `exceptions.yaml` has the exceptions.
"""
import atexit
import collections
import pathlib
import sys

import schemathesis
import yaml
from schemathesis.specs.openapi.checks import positive_data_acceptance

LIMIT = 10
EXCEPTIONS = yaml.safe_load(pathlib.Path(__file__).with_name("exceptions.yaml").read_text(encoding="utf-8"))
if len(EXCEPTIONS) > LIMIT or not all(row.get("reason") for row in EXCEPTIONS):
    sys.exit(f"exceptions.yaml has more than {LIMIT} exceptions, or one without a reason.")
used = collections.Counter()


def excuse(response):
    """The exception that a refusal falls under, or None."""
    kind = response.headers.get("content-type", [""])[0].partition(";")[0]
    if kind == "text/html":
        return next((row for row in EXCEPTIONS if row.get("pages")), None)
    if kind != "application/problem+json":
        return None
    problem = response.json()
    details = [place.get("detail", "") for place in problem.get("errors", [])]
    for row in EXCEPTIONS:
        if problem.get("code") in row.get("codes", []):
            return row
        if any(detail.startswith(known) for detail in details for known in row.get("details", [])):
            return row
    return None


@schemathesis.check
def permitted_data_acceptance(ctx, response, case):
    """Refuses an answer 4xx to a request that follows the contract, without an exception."""
    try:
        return positive_data_acceptance(ctx, response, case)
    except AssertionError:
        row = excuse(response)
        if row is None:
            raise
        used[row["name"]] += 1
        return None


@atexit.register
def report():
    """Tells how many refusals each exception excused."""
    for row in EXCEPTIONS:
        print(f"{used[row['name']]:6} excused by {row['name']}: {row['reason'].strip()}")
