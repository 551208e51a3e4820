"""Checks the documentation page in headless Chromium: `check_page.py URL [SCREENSHOTS]`.

Drives chromedriver over the WebDriver protocol (https://www.w3.org/TR/webdriver2/) with the standard library alone.
Exit code 1 says that the page is wrong, 3 that Chromium or chromedriver is missing. With a directory it saves
screenshots there.
"""
import base64
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

# No proxy of the environment gets what is sent to this machine.
urllib.request.install_opener(urllib.request.build_opener(urllib.request.ProxyHandler({})))

WIDTHS = [360, 768, 1280]
HEIGHT = 900
SCHEMES = ["light", "dark"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"escape": "\ue00c", "enter": "\ue007", "down": "\ue015"}


class PageFault(Exception):
    """The page is not as it should be."""


class Browser:
    """A session of Chromium."""

    def __init__(self, port, chromium):
        self.base = f"http://127.0.0.1:{port}"
        # Chromium's own sandbox refuses to run as root.
        arguments = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        options = {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"binary": chromium, "args": arguments},
        }
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}})
        self.session = "/session/" + answer["sessionId"]
        self.version = answer["capabilities"]["browserVersion"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise PageFault(f"{method} {path}: {json.load(error)['value']['message'].splitlines()[0]}") from error

    def post(self, path, **body):
        return self.call("POST", self.session + path, body)

    def devtools(self, command, **parameters):
        return self.post("/goog/cdp/execute", cmd=command, params=parameters)

    def run(self, script, *arguments):
        return self.post("/execute/sync", script=script, args=list(arguments))

    def open(self, url):
        self.post("/url", url=url)

    def type(self, selector, text):
        element = self.post("/element", using="css selector", value=selector)[ELEMENT]
        self.post(f"/element/{element}/value", text=text)

    def press(self, key):
        """Sends a key to whatever has the focus."""
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.post("/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def show(self, width, scheme):
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1, mobile=width < 500)
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])

    def complaints(self):
        """What the console has said since the last call; violations of the Content Security Policy appear here too."""
        entries = self.post("/se/log", type="browser")
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def save(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def close(self):
        self.call("DELETE", self.session)


@contextlib.contextmanager
def driver():
    """Starts chromedriver on a free port and stops it."""
    process = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        for line in process.stdout:
            if "started successfully on port" in line:
                yield int(line.rstrip().rstrip(".").rsplit(" ", 1)[1])
                return
        raise PageFault("chromedriver did not start.")
    finally:
        process.terminate()
        process.wait()


def expect(condition, fault):
    if not condition:
        raise PageFault(fault)


def until(condition, fault):
    """Waits at most five seconds for what the browser does in its own time."""
    end = time.monotonic() + 5
    while not condition():
        expect(time.monotonic() < end, fault)
        time.sleep(0.05)


VISIBLE = """
const seen = (kind) => [...document.querySelectorAll(kind)].filter((e) => e.offsetParent !== null).map((e) => e.id);
return {operations: seen('.operation'), codes: seen('.code'), all: document.querySelectorAll('.operation').length};
"""

# What reaches beyond the right edge and does not scroll by itself.
OVERFLOW = """
const width = document.documentElement.clientWidth;
const inside = (e) => e.closest('pre, .skip');
return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > width + 1 && !inside(e))
  .slice(0, 5).map((e) => e.tagName + ' in ' + (e.closest('[id]') || {}).id);
"""


def check_fit(browser, place):
    """Nothing may scroll sideways, whatever is unfolded."""
    browser.run("document.querySelectorAll('main details').forEach((fold) => { fold.open = true; });")
    width, inner = browser.run("return [document.documentElement.scrollWidth, window.innerWidth];")
    expect(width <= inner, f"{place}: the page is {width} px wide: {browser.run(OVERFLOW)}")
    outside = browser.run(OVERFLOW)
    expect(not outside, f"{place}: beyond the right edge: {outside}")


def check_search(browser, place):
    """Typing finds an operation and hides the others; the keyboard suffices."""
    browser.run("document.activeElement.blur();")
    browser.press("/")
    expect(browser.run("return document.activeElement.id;") == "query", f"{place}: / does not focus the search")
    browser.type("#query", "invitation")
    seen = browser.run(VISIBLE)
    expect("issueInvitation" in seen["operations"], f"{place}: the search does not find issueInvitation")
    expect("startLogin" not in seen["operations"], f"{place}: the search does not hide startLogin")
    expect(len(seen["operations"]) < seen["all"] / 2, f"{place}: the search hides too little: {seen['operations']}")
    expect("invitation.invalid" in seen["codes"], f"{place}: the search does not find invitation.invalid")
    expect("answers.incorrect" not in seen["codes"], f"{place}: the search does not hide answers.incorrect")


def check_keys(browser, place):
    """From the search, the arrow keys reach the contents, Enter opens the first hit, and Escape shows everything."""
    browser.press(KEYS["down"])
    inside = browser.run("return document.activeElement.closest('nav') !== null;")
    expect(inside, f"{place}: the arrow keys do not lead from the search to the contents")
    browser.run("document.getElementById('query').focus();")
    browser.press(KEYS["enter"])
    first = browser.run(VISIBLE)["operations"][0]
    until(lambda: browser.run("return location.hash;") == "#" + first, f"{place}: Enter does not open {first}")
    browser.press(KEYS["escape"])
    seen = browser.run(VISIBLE)
    expect(len(seen["operations"]) == seen["all"], f"{place}: Escape does not show everything")


def check_anchor(browser, place):
    """The address in a problem document leads to its code, also when the search hides it."""
    browser.type("#query", "invitation")
    browser.run("location.hash = '#answers.incorrect';")
    top = "return document.getElementById('answers.incorrect').getBoundingClientRect().top;"
    until(lambda: 0 <= browser.run(top) < HEIGHT / 2, f"{place}: #answers.incorrect is not in view")


def check_copy(browser, place):
    """The button beside an example puts it on the clipboard."""
    browser.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.run("document.querySelector('#startLogin .copy').click();")
    label = "return document.querySelector('#startLogin .copy').textContent;"
    until(lambda: browser.run(label) == "Copied", f"{place}: the button does not copy")
    example = browser.run("return document.querySelector('#startLogin .sample pre').textContent;")
    copied = browser.post("/execute/async", script="navigator.clipboard.readText().then(arguments[0]);", args=[])
    expect(copied == example, f"{place}: copied {copied!r}")
    expect('"$TENURE_URL/v1/logins"' in copied, f"{place}: the example has no address: {copied!r}")


def check_completeness(browser, url, place):
    """Without the script the page has everything but the search."""
    browser.devtools("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open("about:blank")
        browser.open(url + "#answers.incorrect")
        top = "return document.getElementById('answers.incorrect').getBoundingClientRect().top;"
        until(lambda: 0 <= browser.run(top) < HEIGHT / 2, f"{place}: without the script the code is not in view")
        seen = browser.run(VISIBLE)
        expect(len(seen["operations"]) == seen["all"] > 0, f"{place}: without the script operations are hidden")
        hidden = browser.run("return document.getElementById('search').hidden;")
        expect(hidden, f"{place}: without the script there is a search that does nothing")
    finally:
        browser.devtools("Emulation.setScriptExecutionDisabled", value=False)


def check(browser, url, shots):
    for width in WIDTHS:
        for scheme in SCHEMES:
            place = f"{width} px, {scheme}"
            browser.show(width, scheme)
            browser.open("about:blank")
            browser.open(url)
            dark = browser.run("return getComputedStyle(document.body).backgroundColor;") != "rgb(255, 255, 255)"
            expect(dark == (scheme == "dark"), f"{place}: the page does not follow the colour scheme")
            if shots:
                browser.save(shots / f"{width}-{scheme}-top.png")
                browser.run("location.hash = '#issueInvitation';")
                until(lambda: browser.run("return scrollY > 0;"), f"{place}: #issueInvitation is not in view")
                browser.save(shots / f"{width}-{scheme}-operation.png")
            check_fit(browser, place)
            check_search(browser, place)
            if shots:
                browser.save(shots / f"{width}-{scheme}-search.png")
            check_keys(browser, place)
            check_anchor(browser, place)
            if shots:
                browser.save(shots / f"{width}-{scheme}-code.png")
            complaints = browser.complaints()
            expect(not complaints, f"{place}: the console says {complaints}")
            print(f"{place}: ok")
    check_copy(browser, "1280 px")
    print("copying: ok")
    check_completeness(browser, url, "1280 px")
    print("without the script: ok")


def main():
    url = sys.argv[1].rstrip("/") + "/docs"
    shots = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium")
    if not chromium or not shutil.which("chromedriver"):
        print("Chromium and chromedriver are needed (apt-get install chromium chromium-driver).", file=sys.stderr)
        return 3
    try:
        with driver() as port:
            browser = Browser(port, chromium)
            try:
                print(f"Chromium {browser.version}")
                check(browser, url, shots)
            finally:
                browser.close()
    except PageFault as fault:
        print(fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
