"""Walks the ways of people through the pages of a development service, and judges what they see.

Each walk begins at the client's own page and has to end there, greeted by name, without a word on the console. Counts
what it costs the person. What is known to fail stands in `known`. Runs in the directory of a development service.
"""

import argparse
import sys
import time
import traceback

import clients
import known
import offices  # noqa: F401  Adds its ways.
import passkeys  # noqa: F401
import record
import troubles  # noqa: F401
import ways
from stage import Stage
from statements import STATEMENTS, Judge
from visitor import chromium, firefox
from way import AIMS, QUICK, ROWS, TEN, WAYS

BROWSERS = {"chromium": chromium, "firefox": firefox}
LAPTOP, PHONE = 1280, 390
# Each pair of device, language and appearance of colours once.
APPEARANCES = [
    {"width": LAPTOP, "scheme": "dark", "locale": "en-US"}, {"width": PHONE, "scheme": "light", "locale": "en-US"},
    {"width": LAPTOP, "scheme": "light", "locale": "de-DE"}, {"width": PHONE, "scheme": "dark", "locale": "de-DE"},
    {"width": LAPTOP, "scheme": "dark", "locale": "fr-FR"}, {"width": PHONE, "scheme": "light", "locale": "fr-FR"}]


class Run:
    """All walks of a call, with their results in the first appearance."""

    def __init__(self, browser, judge):
        self.browser, self.judge = browser, judge
        self.results, self.marks, self.failed, self.walked = {}, {}, [], 0

    def walk(self, names, appearance=None):
        """Goes the ways in one appearance."""
        stage = Stage(self.browser, self.judge, **appearance or {})
        shown = ", ".join(str(value) for value in stage.appearance.values())
        self.judge.variant = shown
        print(f"\n{shown}\n{'way':32} {'pages':>5} {'clicks':>6} {'fields':>6} {'words':>5} {'prompts':>7} {'s':>4}  end")
        for name in names:
            started = time.monotonic()
            counts, problem = self.go(stage, name)
            verdict, is_failure = judge_walk(name, problem)
            self.walked += 1
            if is_failure:
                self.failed.append(f"{name} ({shown}): {verdict}")
            prompts = stage.tally.prompts
            if name not in self.results:
                self.results[name] = (counts, problem)
                self.marks[name] = stage.tally.marks | {"": (*counts[:3], prompts)}
            seconds = time.monotonic() - started
            costs = f"{counts[0]:5} {counts[1]:6} {counts[2]:6} {counts[3]:5} {prompts or '':7}"
            print(f"{name:32} {costs} {seconds:4.0f}  {verdict}", flush=True)
        stage.close()

    def go(self, stage, name):
        """Goes one way; what it cost, and what was wrong, or nothing."""
        stage.name, problem = name, ""
        try:
            with stage.walk():
                try:
                    WAYS[name](stage)
                except Exception as error:  # noqa: BLE001  The other walks go on.
                    problem = told(error)
                faults = stage.tally.faults + stage.helper.faults
        except Exception as error:  # noqa: BLE001  The people of the stage could not come.
            return (0, 0, 0, 0), told(error)
        return stage.tally.counts, "; ".join([problem] * bool(problem) + [" ".join(fault.split()) for fault in faults])

    def aims(self):
        """What the walks may cost at most, and what they cost."""
        for name, aims in AIMS.items():
            if name not in self.results or self.results[name][1]:
                continue
            for kind, mark, most in aims:
                noted = self.marks[name].get(mark, (99,) * 4)
                costs = dict(zip(("pages", "clicks", "fields", "prompts"), noted, strict=True))
                where = f" before the {mark}" if mark else ""
                verdict = "as aimed" if costs[kind] <= most else "MORE than aimed"
                yield f"{name}: {costs[kind]} {kind}{where}, at most {most}: {verdict}"


def told(error):
    text = " ".join(str(error).split("=====")[0].split())
    files = ("ways.py", "troubles.py", "offices.py", "passkeys.py", "stage.py")
    steps = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(files)]
    return f"{text[:300]} (at “{steps[-1].line}”)" if steps else f"{type(error).__name__}: {text[:300]}"


def judge_walk(name, problem):
    """What the table says of a walk, and whether it is a failure of the run."""
    fault = known.WAYS.get(name)
    if problem:
        return (f"known ({fault}): {problem}", False) if fault else (problem, True)
    return (f"arrived, though {fault} is known: take it out of known.py", True) if fault else ("arrived", False)


def judge_statements(judge, is_whole):
    """Prints the statements with yes and no; what fails the run. Only a whole run shows that a known one holds now."""
    failed = []
    print()
    for number, (_, sentence, _) in STATEMENTS.items():
        yes, no, fault = judge.yes[number], judge.no[number], known.STATEMENTS.get(number)
        verdict = "no" if no else "yes" if yes else "not seen"
        print(f"{number:2} {verdict:8} {yes:4} of {yes + len(no):4}  {sentence}{f' [known: {fault}]' if fault else ''}")
        for place, what in list(no.items())[:6]:
            print(f"             {place}: {what}")
        if no and not fault:
            failed.append(f"statement {number}: {sentence}")
        if fault and yes and not no and is_whole:
            failed.append(f"statement {number} holds now: take it out of known.py")
    return failed


def read_arguments():
    parser = argparse.ArgumentParser(usage="walk_pages.py BROWSER [--pictures DIR] [--record before|end] [quick | WAY…]")
    parser.add_argument("browser", choices=BROWSERS)
    parser.add_argument("--pictures")
    parser.add_argument("--record", choices=record.COLUMNS)
    parser.add_argument("--appearances", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    if unknown := [name for name in options.names if name not in WAYS and name != "quick"]:
        sys.exit(f"There is no way called {', '.join(unknown)}. The ways are: {', '.join(WAYS)}.")
    return options


def main():
    options = read_arguments()
    began = time.monotonic()
    # German and French readers are met in the appearances only.
    is_whole = options.appearances and not options.names
    names = list(QUICK if options.names == ["quick"] else options.names or WAYS)
    if options.browser == "firefox" and not options.names:
        # What the driver of Firefox cannot do is not on the ways from a client.
        names, is_whole = [name for name in names if WAYS[name].walk.__module__ == ways.__name__], False
    names.sort(key=lambda name: WAYS[name].walk.__module__ != ways.__name__)
    judge = Judge(options.pictures)
    with BROWSERS[options.browser]() as browser:
        print(f"{options.browser.capitalize()} {browser.version}, {clients.version('playwright')}")
        run = Run(browser, judge)
        run.walk(names)
        # Firefox cannot be told how pages shall look.
        if options.appearances and options.browser == "chromium":
            for appearance in APPEARANCES:
                run.walk(TEN, appearance)
    failed = run.failed + judge_statements(judge, is_whole)
    aims = list(run.aims())
    print("\n" + "\n".join(aims))
    if options.record:
        statements = ", ".join(f"{number} {'no' if judge.no[number] else 'yes' if judge.yes[number] else '–'}"
                               for number in STATEMENTS)
        record.write(options.record, run.results, ROWS, [*aims, f"the twenty statements: {statements}"])
    for failure in failed:
        print(f"FAULT {failure}")
    print(f"{run.walked} walks, {len(STATEMENTS)} statements, {len(failed)} faults ({time.monotonic() - began:.0f} s).")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
