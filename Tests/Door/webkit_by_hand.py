"""Walks three ways in WebKitGTK, by hand: `xvfb-run python3 webkit_by_hand.py`, in the directory of a service.

WebKit comes from Debian's webkit2gtk-driver and is driven by WebDriver; Playwright's own WebKit is another build. The
admin and the client are those of the other walks, so Chromium runs too.
"""

import contextlib
import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

import clients
from hands import Stuck
from stage import Stage
from visitor import PATIENCE, answer, chromium, room

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# A button or link, or a field, by what it says. A hidden one does not count.
FIND = """const pattern = new RegExp(arguments[1], 'i');
const all = [...document.querySelectorAll(arguments[0])].filter((e) => e.offsetParent !== null);
return all.find((e) => pattern.test((e.labels?.[0] ?? e).textContent.trim()) && !e.disabled) ?? null;"""


class WebKit:
    """One window of WebKit, with a profile of its own."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}/session"
        options = {"binary": "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser", "args": ["--automation"]}
        made = self.call("POST", "", {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}})
        self.base += "/" + made["sessionId"]
        self.version = made["capabilities"]["browserVersion"]

    def call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise Stuck(error.read().decode()[:300]) from error

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": arguments})

    @property
    def url(self):
        return self.call("GET", "/url")

    def until(self, what, why):
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(Stuck):
                if found := what():
                    return found
            if time.monotonic() > end:
                text = " ".join(self.run("return document.body.innerText").split())[:300]
                raise Stuck(f"{self.url} instead of {why}: {text}")
            time.sleep(0.1)

    def press(self, name):
        found = self.until(lambda: self.run(FIND, "a, button", name), name)
        self.call("POST", f"/element/{found[ELEMENT]}/click")

    def fill(self, label, text):
        found = self.until(lambda: self.run(FIND, "input", label), label)
        self.call("POST", f"/element/{found[ELEMENT]}/value", {"text": text})

    def arrive(self, path):
        self.until(lambda: room(self.url) == path, path)

    def begin(self, harbour):
        self.call("POST", "/url", {"url": harbour.site})
        self.press("^Log in$")

    def log_in(self, person, is_new):
        self.arrive("/login")
        if not is_new:
            # A script of the page lists the accounts that the browser knows.
            self.press(rf"^{person.id}\s+{person.company}")
        elif self.run("return document.getElementById('email') !== null"):
            self.fill("address", person.address)
            self.press("^Continue$")
        else:
            self.fill("^Company", person.company)
            self.fill(r"\bid\b", person.id)
            self.press("^Continue$")
        self.arrive("/flow/answers")
        for question in self.run("return [...document.querySelectorAll('label')].map((e) => e.textContent.trim())")[:3]:
            self.fill("^" + re.escape(question), answer(question))
        self.press("^Continue$")

    def ends(self, harbour, person):
        def is_greeted():
            return self.url.startswith(harbour.end + "/") and self.run(
                "return document.body.innerText.startsWith(arguments[0])", f"Hello {person.id}")

        self.until(is_greeted, f"a greeting at {harbour.end}")


def main():
    port, failed = clients.free_port(), 0
    driver = subprocess.Popen(["WebKitWebDriver", f"--port={port}"])
    try:
        clients.await_port(port)
        with chromium() as browser:
            stage = Stage(browser)
            ada, window = stage.ada, WebKit(port)
            print(f"WebKitGTK {window.version}")
            for name, third, is_new in (("phone", False, True), ("next day", False, False),
                                        ("next day, third site", True, False)):
                harbour = stage.harbour(third=third)
                try:
                    if not is_new:
                        window.call("POST", "/url", {"url": clients.issuer() + "/account"})
                        window.press("^Log out$")
                        window.until(lambda: room(window.url) != "/account", "the end of the session")
                    window.begin(harbour)
                    window.log_in(ada, is_new)
                    if is_new:
                        window.arrive("/waiting")
                        ada.approve(" ".join(window.run(
                            "return document.querySelector('.words').textContent").split()))
                    window.ends(harbour, ada)
                    print(f"{name}: arrived", flush=True)
                except Stuck as stuck:
                    failed += 1
                    print(f"{name}: {stuck}", flush=True)
            window.call("DELETE", "")
    finally:
        driver.terminate()
        driver.wait(20)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
