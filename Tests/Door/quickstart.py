"""Goes the way of docs/quickstart.md: `quickstart.py FILE PORT [TIMES]`, in the directory of a development service.

The person registers in Chromium, a shell runs the blocks of the document with the port of this run, and the web app
greets the person. With a third argument the times of the steps are written to that file.
"""

import os
import pathlib
import re
import secrets
import signal
import subprocess
import sys
import time

import clients
from visitor import chromium
from walks import Founder

HEADINGS = ["Make the app a client", "Start the app", "Log in"]


def blocks(text):
    """The shell blocks below the headings; the last one stops the app."""
    for heading in HEADINGS:
        section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
        yield from re.findall(r"^```sh\n(.*?)^```$", section, re.M | re.S)


def main():
    file, port = pathlib.Path(sys.argv[1]), sys.argv[2]
    times = pathlib.Path(sys.argv[3]).open("w") if len(sys.argv) > 3 else None

    def step(name):
        if times:
            print(f"{time.time()}\t{name}", file=times, flush=True)

    os.environ |= dict(re.findall(r"^export (\w+)='?([^'\n]*)'?$", pathlib.Path(".tenure/dev.env").read_text(), re.M))
    script = "\n".join(blocks(file.read_text()))
    for word in ("flask", "app client --create", "kill %1"):
        assert word in script, f"{file} does not show {word}"
    script = re.sub(r"(localhost:|--port )5000", rf"\g<1>{port}", script)
    script = script.replace("http://localhost:8080", clients.issuer())
    # Another run may have taken the name.
    company = f"pier-{secrets.token_hex(3)}.example"
    script = script.replace("pier.example", company).replace('create "Payroll"', f'create "Payroll {company}"')
    # The person reads the page before the last line stops the app.
    for mark in ("started", "done"):
        pathlib.Path(mark).unlink(missing_ok=True)
    script = script.replace("kill %1", 'touch started; until [[ -e done ]]; do sleep 0.1; done\nkill %1')
    with chromium() as browser:
        ada = Founder(browser, company=company, id="ada", address=f"ada@{company}")
        ada.found()
        ada.verify_address()
        step("register on the pages, and confirm the address")
        with subprocess.Popen(["bash", "-euo", "pipefail", "-c", script], start_new_session=True) as shell:
            try:
                while not pathlib.Path("started").exists():
                    if shell.poll() is not None:
                        sys.exit("The shell blocks of the quickstart failed.")
                    time.sleep(0.1)
                step("make the app a client, and start it")
                clients.await_port(int(port))
                ada.reach(f"http://localhost:{port}/")
                ada.press("Log in")
                ada.expect(f"Hello {ada.address}")
                step("log in, and be greeted")
                print(f"Hello {ada.address}.")
                ada.press("Log out")
                ada.press("Log in")
                ada.log_in()
                ada.expect(f"Hello {ada.address}")
                step("log out, and log in again with three answers")
                pathlib.Path("done").touch()
                if shell.wait(20) not in (0, -signal.SIGTERM):
                    sys.exit(f"The quickstart ended with {shell.returncode}.")
            finally:
                if shell.poll() is None:
                    os.killpg(shell.pid, signal.SIGKILL)


main()
