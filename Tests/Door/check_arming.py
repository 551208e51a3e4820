"""Presses the armed button of a page that signs, with real events: `check_arming.py`, in the directory of a service.

Ada has founded a company, and another browser of hers waits. Everything that must not sign is tried on the page that
approves it: each time the button is the right one and the right words are chosen. At the end ordinary acts sign.
"""

import http.server
import json
import os
import secrets
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

from clients import issuer
from visitor import chromium, room
from walks import Founder
from window import HEIGHT, WIDTH, chromium_window, xdo

BUTTON = "button.act"
TIMES = int(os.environ.get("ARMING_TIMES", "8"))

POPUP = """<!doctype html><title>Human?</title><body style="margin:0"><button style="width:100vw;height:100vh"
onmousedown="opener.location = '%s'; setTimeout(() => close(), 0)">Double-click to prove that you are human</button>"""
OPENER = """<!doctype html><title>Site</title><button style="width:100vw;height:100vh"
onclick="open('/popup', '', 'popup,left=0,top=0,width=%d,height=%d')">Play</button>"""


class Window:
    """What `Founder` needs of a browser: the one context of a browser with a window."""

    def __init__(self, connected):
        self.connected = connected
        self.browser_type = connected.browser_type

    def new_context(self, **_):
        return self.connected.contexts[0]


class Check:
    def __init__(self, quiet, browser):
        self.quiet, self.browser = quiet, browser
        self.begin()
        self.faults, self.tries = [], 0
        self.tab = None
        self.spot = [0, 0]

    def begin(self):
        """Founds a company in the window, and lets another browser of its founder wait."""
        company = f"arming-{secrets.token_hex(4)}.example"
        prepare(self.quiet.browser_type, self.browser, company)
        self.waiting = Founder(self.quiet, company=company, id="ada", address=f"ada@{company}")
        self.waiting.open("/login")
        self.waiting.log_in()
        self.waiting.arrive("/waiting")
        self.words = self.waiting.page.locator("main .words").first.inner_text()
        self.since = time.monotonic()

    # The page that approves.

    def arrive(self, meanwhile=()):
        """Goes to the page by the link of its list, and chooses the right words.

        What xdotool does `meanwhile`, at the place of the button, begins on the list, which is hidden for it.
        """
        if self.tab is None:
            self.tab = self.browser.tab()
        tab = self.tab
        tab.call("Page.bringToFront")
        tab.open(issuer() + "/account/devices")
        tab.until("document.querySelector('a[href*=\"action=authorize\"]')")
        self.browser.focus()
        presses = None
        if meanwhile:
            tab.run("document.body.style.visibility = 'hidden'")
            xdo("mousemove", *self.spot)
            presses = subprocess.Popen(["xdotool", *map(str, meanwhile)])
            time.sleep(0.5)
        tab.run("document.querySelector('a[href*=\"action=authorize\"]').click()")
        tab.until(f"location.pathname === '/account/decision' && document.querySelector('{BUTTON}')")
        self.choose()
        if presses:
            presses.wait()
        self.spot = [round(each) for each in tab.place(BUTTON) or self.spot]

    def choose(self):
        self.tab.run(f"""for (const each of document.querySelectorAll('[name=words]'))
          if (each.parentElement.textContent.includes({self.words!r})) each.checked = true""")

    @property
    def is_armed(self):
        return self.tab.run(f"document.querySelector('{BUTTON}')?.disabled === false") is True

    @property
    def is_signed(self):
        try:
            return room(self.waiting.page.url) != "/waiting"
        except Exception:  # noqa: BLE001
            return True  # The page goes on.

    def arm(self):
        return self.tab.until(f"document.querySelector('{BUTTON}')?.disabled === false", 5)

    def none(self, name, act=lambda: None, times=TIMES, meanwhile=()):
        """Expects that an act signs nothing, however often it is tried."""
        for _ in range(times):
            if time.monotonic() - self.since > 900:
                self.begin()  # A browser waits for half an hour.
            self.arrive(meanwhile)
            act()
            time.sleep(0.4)
            self.tries += 1
            if self.is_signed:
                self.faults.append(f"{name} signs")
                return
        print(f"  {name}: {times} times, none signs", flush=True)

    # What must not sign.

    def held(self, key):
        xdo("keydown", key)
        time.sleep(2.5)
        xdo("keyup", key)

    def held_on_the_button(self, key):
        """The key is down before the button has the focus."""
        self.arm()
        xdo("keydown", key)
        self.tab.run(f"document.querySelector('{BUTTON}').focus()")
        time.sleep(1.5)
        xdo("keyup", key)

    def fragment(self):
        self.tab.run("location.hash = 'no-key'")
        self.held("space")

    def drag(self):
        self.arm()
        self.tab.point("h1")
        xdo("mousedown", 1)
        x, y = self.tab.place(BUTTON)
        for step in range(1, 6):
            xdo("mousemove", round(x), round(y - 10 * (5 - step)))
        xdo("mouseup", 1)

    def back(self):
        self.arm()
        self.tab.open(issuer() + "/account")
        self.tab.run("history.back()")
        self.tab.until(f"document.querySelector('{BUTTON}')")
        self.choose()
        self.tab.point(BUTTON)
        xdo("click", 1)

    def another_window(self):
        """A window of another site takes the focus; the click that comes back is the first thing that happens."""
        self.arm()
        self.tab.point(BUTTON)
        other = self.tab.call(
            "Target.createTarget", url="about:blank", newWindow=True, left=WIDTH, top=0, width=WIDTH, height=HEIGHT)
        time.sleep(0.5)
        self.browser.focus()
        time.sleep(0.3)
        if self.is_armed:
            self.faults.append("a page without the focus is armed")
        self.tab.point(BUTTON)
        xdo("click", 1)
        self.tab.call("Target.closeTarget", targetId=other["targetId"])

    def small_window(self):
        window = xdo("search", "--onlyvisible", "--class", "chromium")[-1]
        xdo("windowsize", "--sync", window, 520, 380)
        time.sleep(1.6)
        if self.is_armed:
            self.faults.append("a small window is armed")
        self.tab.point(BUTTON)
        xdo("click", 1)
        xdo("windowsize", "--sync", window, WIDTH, HEIGHT)

    def pop_up(self, site):
        """The double click on a foreign site: its first press opens the page under the second one."""
        opener = self.browser.tab(site)
        opener.call("Page.bringToFront")
        opener.until("document.readyState === 'complete'")
        self.browser.focus()
        opener.point("button")
        xdo("click", 1)
        time.sleep(1)
        self.browser.focus()
        xdo("click", "--repeat", 2, "--delay", 150, 1)
        time.sleep(1.5)
        shown = [urlsplit(each["url"]).path for each in self.browser.tabs()]
        if "/account/decision" in shown and opener.path.startswith("/account/decision"):
            self.faults.append("a foreign site reaches the page that signs")
        opener.close()


    # What must sign.

    def click(self):
        self.tab.point(BUTTON)
        xdo("click", 1)

    def enter(self):
        self.tab.run(f"document.querySelector('{BUTTON}').focus()")
        xdo("key", "Return")

    def touch(self):
        """X has no finger here, so the browser's protocol makes the touch; its events are trusted."""
        box = self.tab.run(f"JSON.stringify(document.querySelector('{BUTTON}').getBoundingClientRect())")
        box = json.loads(box)
        point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        self.tab.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[point])
        self.tab.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def must_sign(self, name, act):
        self.begin()
        self.arrive()
        if not self.arm():
            self.faults.append(f"{name}: the button is not armed after a quiet second")
            return
        act()
        end = time.monotonic() + 10
        while not self.is_signed and time.monotonic() < end:
            self.waiting.page.wait_for_timeout(100)
        if not self.is_signed:
            self.faults.append(f"{name} does not sign")
            return
        print(f"  {name} signs", flush=True)


def foreign_site(target):
    """A site whose pop-up sends its opener to the page that signs."""

    class Pages(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = POPUP % target if self.path == "/popup" else OPENER % (WIDTH, HEIGHT)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def prepare(chromium, browser, company):
    """Ada in the window founds a company, and leaves it to the events."""
    connected = chromium.connect_over_cdp(browser.address)
    ada = Founder(Window(connected), company=company, id="ada", address=f"ada@{company}")
    ada.found()
    ada.page.close()
    # The connection is left, and with it the focus that Playwright pretends.
    connected.close()


def main():
    with chromium() as quiet, chromium_window() as browser:
        check = Check(quiet, browser)
        check.arrive()
        target = check.tab.run("location.href")
        stranger = foreign_site(target.split("&token")[0])
        holder = foreign_site(target)
        check.none("a double click as the page comes", meanwhile=["sleep", 0.4, "click", "--repeat", 2, "--delay", 120, 1])
        check.none("clicks without a pause", meanwhile=["click", "--repeat", 16, "--delay", 280, 1])
        check.none("fast clicks", meanwhile=["click", "--repeat", 60, "--delay", 60, 1])
        check.none("a press that began on the list", meanwhile=["mousedown", 1, "sleep", 3, "mouseup", 1])
        check.none("an Enter that began on the list", meanwhile=["keydown", "Return", "sleep", 3, "keyup", "Return"])
        check.none("a held Enter", lambda: check.held("Return"))
        check.none("a held Space with a fragment", check.fragment)
        check.none("Enter held as the button gets the focus", lambda: check.held_on_the_button("Return"))
        check.none("Space held as the button gets the focus", lambda: check.held_on_the_button("space"))
        check.none("a drag to the button", check.drag)
        check.none("a click after the back button", check.back)
        check.none("the focus of another window", check.another_window)
        check.none("a small window", check.small_window, min(4, TIMES))
        check.none("a foreign site's double click", lambda: check.pop_up(stranger), min(4, TIMES))
        check.none("a foreign site's double click with a token", lambda: check.pop_up(holder), min(4, TIMES))
        check.must_sign("an ordinary click", check.click)
        check.must_sign("Enter", check.enter)
        check.must_sign("a finger", check.touch)
    for fault in check.faults:
        print(f"FAULT: {fault}")
    print(f"{check.tries} tries that must not sign, {len(check.faults)} faults")
    sys.exit(1 if check.faults else 0)


if __name__ == "__main__":
    main()
