"""Logs somebody in at clients that are configured as their own manuals have it: `check_manuals.py DIRECTORY [NAME…]`.

The directory keeps an installation for each client. Prints a table: client, version, and whether the log-in worked.
Runs in the directory of a development service.
"""

import contextlib
import io
import pathlib
import secrets
import sys
import time

import clients
from manual import Missing
from manuals import MANUALS
from visitor import chromium
from walks import Founder


def try_out(manual, ada, directory):
    """Installs a client, runs it and logs in; what the table says of it."""
    began = time.monotonic()
    try:
        manual.install(directory)
    except Missing as missing:
        return "?", f"left out: {missing}", 0
    version, installed = manual.version, time.monotonic() - began
    ada.open("/account")
    if ada.room == "/account":
        ada.log_out()
    try:
        with contextlib.redirect_stderr(io.StringIO()) as log, manual.running(ada.company) as site:
            manual.log_in(ada, site)
    except Exception as error:  # noqa: BLE001  The other clients are tried all the same.
        print("\n".join(f"    {line[:200]}" for line in log.getvalue().strip().split("\n")[-3:]), file=sys.stderr)
        said = " ".join(ada.page.locator("body").inner_text().split())[:200]
        problem = " ".join(str(error).split())[:120]
        return version, f"FAILED at {ada.page.url[:120]}: {said} ({problem})", installed
    return version, "worked", installed


def main():
    directory, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if unknown := set(names) - {manual.name for manual in MANUALS}:
        sys.exit(f"There is no client called {', '.join(sorted(unknown))}.")
    chosen = [manual for manual in MANUALS if not names or manual.name in names]
    began, failed = time.monotonic(), 0
    company = f"pile-{secrets.token_hex(3)}.example"
    with chromium() as browser:
        print(f"Chromium {browser.version}, {clients.version('playwright')}")
        ada = Founder(browser, company=company, id="ada", address=f"ada@{company}")
        ada.found()
        ada.verify_address()
        print(f"{'client':22} {'version':28} {'install':>7} {'log-in':>6}  result", flush=True)
        for manual in chosen:
            started = time.monotonic()
            version, result, installed = try_out(manual, ada, directory)
            failed += result.startswith("FAILED")
            print(f"{manual.name:22} {version:28} {installed:5.0f} s {time.monotonic() - started - installed:4.0f} s"
                  f"  {result}", flush=True)
            # A client that failed may have left the browser anywhere.
            ada.adopt(ada.context.new_page())
            for page in ada.context.pages[:-1]:
                page.close()
    print(f"{failed} of {len(chosen)} clients fail with the configuration of their manuals"
          f" ({time.monotonic() - began:.0f} s).")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
