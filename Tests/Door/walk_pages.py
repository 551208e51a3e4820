"""Walks every way from a client on another site through the pages and back: `walk_pages.py BROWSER [WAY…]`.

Each walk begins at the client's own page and has to end there, greeted by name, without a word on the console. Counts
what it costs the person. Runs in the directory of a development service.
"""

import sys
import time
import traceback

import clients
from stage import Stage
from visitor import chromium, firefox
from ways import QUICK, WAYS

BROWSERS = {"chromium": chromium, "firefox": firefox}


def walk(stage, name):
    """Goes one way; what was wrong, or nothing."""
    problem = ""
    with stage.walk():
        try:
            WAYS[name](stage)
        except Exception as error:  # noqa: BLE001  The other walks go on.
            text = " ".join(str(error).split("=====")[0].split())
            steps = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith("ways.py")]
            problem = f"{text[:300]} (at “{steps[-1].line}”)" if steps else text[:300]
        problem = "; ".join([problem] * bool(problem) + [
            " ".join(fault.split()) for fault in stage.tally.faults + stage.helper.faults])
        counts = stage.tally.counts
    return counts, problem


def main():
    kind, names = sys.argv[1], sys.argv[2:]
    names = QUICK if names == ["quick"] else names or list(WAYS)
    if unknown := [name for name in names if name not in WAYS]:
        sys.exit(f"There is no way called {', '.join(unknown)}. The ways are: {', '.join(WAYS)}.")
    failed, began = 0, time.monotonic()
    with BROWSERS[kind]() as browser:
        print(f"{kind.capitalize()} {browser.version}, {clients.version('playwright')}")
        print(f"{'way':28} {'pages':>5} {'clicks':>6} {'fields':>6} {'words':>5} {'s':>4}  end")
        stage = Stage(browser)
        for name in names:
            started = time.monotonic()
            counts, problem = walk(stage, name)
            failed += bool(problem)
            print(f"{name:28} {counts[0]:5} {counts[1]:6} {counts[2]:6} {counts[3]:5} {time.monotonic() - started:4.0f}"
                  f"  {problem or 'arrived'}", flush=True)
    print(f"{len(names) - failed} of {len(names)} walks arrive ({time.monotonic() - began:.0f} s).")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
