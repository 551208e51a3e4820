"""A person with a browser, who uses the pages by what they say: labels, names of buttons, headings."""

import contextlib
import copy
import email
import email.policy
import hashlib
import os
import pathlib
import re
import shutil
import time
from urllib.parse import urlsplit

import hands as kinds
import labels
from clients import issuer

PATIENCE = 20

# The id of a flow in a path.
FLOW = re.compile(r"/[A-Za-z0-9_-]{22}(?=/|$)")
# What a page that goes on by itself holds: the proof of a key, or the answer that leads to a client, which is a refresh
# or a form.
LEAVING = """(room) => document.querySelector('meta[http-equiv=refresh i]') !== null
  || [...document.forms].some((form) => room === '/flow/key'
    || new URL(form.getAttribute('action') || '', location.href).origin !== location.origin)
  || document.querySelector('#only, main:has(form[data-pick]) #working:not([hidden])') !== null
    && !document.querySelector('[role=alert]:not([hidden])')"""
# A form that a module sends ends on another page, or with problems in this one.
SENT = """() => document.documentElement.dataset.walk !== 'here' || document.querySelector('.problems:not([data-old])') !== null"""


@contextlib.contextmanager
def firefox():
    """A headless Firefox of the system, by WebDriver BiDi. Playwright 1.65 sends a command that Firefox 153 has not."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.firefox.launch(
            executable_path=shutil.which("firefox-esr"), channel="moz-firefox",
            firefox_user_prefs={"network.proxy.type": 0})
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def chromium():
    """A headless Chromium of the system."""
    from playwright.sync_api import sync_playwright

    # Chromium's own sandbox refuses to run as root.
    arguments = ["--no-proxy-server", "--disable-dev-shm-usage"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        try:
            yield browser
        finally:
            browser.close()


def room(url):
    """The path of a page of the service without the id of a flow; nothing for another site."""
    return FLOW.sub("", urlsplit(url).path) or "/" if url.startswith(issuer() + "/") else None


def is_interrupted(error):
    """Whether a page went on while something was asked of it."""
    return re.search("context was destroyed|navigat|not find context|no such frame|detached", str(error), re.I)


def answer(question):
    """The answer of everybody here to a question."""
    return "the one I remember " + hashlib.sha256(question.encode()).hexdigest()[:12]


def place(url):
    """The path of an address, without the id of a flow."""
    return re.sub(r"/[A-Za-z0-9_-]{22}(?=/|$)", "", urlsplit(url).path)


class Visitor:
    """A person with a browser of their own, which keeps device keys and cookies."""

    def __init__(
        self, browser, witness=None, hands=None, width=1280, scheme="light", company="", id="", address="",
        locale="en-US", cookies=(), **context
    ):
        self.company, self.id, self.address = company, id, address
        self.hands = hands or kinds.Pointer()
        self.witness = witness
        self.variant = f"{width} px, {scheme}"
        self.language = locale[:2]
        # Firefox cannot be told by BiDi how pages shall look.
        appearance = {} if browser.browser_type.name == "firefox" else {
            "color_scheme": scheme, "reduced_motion": "reduce"}
        self.context = browser.new_context(
            locale=locale, viewport={"width": width, "height": 720 if width > 500 else 640}, **appearance, **context)
        self.context.add_cookies(list(cookies))
        self.adopt(self.context.new_page())

    def tab(self):
        """The same person at another tab of the same browser."""
        other = copy.copy(self)
        other.adopt(self.context.new_page())
        return other

    def adopt(self, page):
        """Goes on at this page."""
        self.page = page
        page.set_default_timeout(PATIENCE * 1000)
        if self.witness:
            self.witness.watch(page, self.variant)

    # What the person sees.

    @property
    def path(self):
        return place(self.page.url)

    @property
    def room(self):
        """The path without the id of a flow; nothing on another site."""
        return room(self.page.url)

    @property
    def heading(self):
        return self.page.locator("h1").first.text_content().strip()

    def says(self, pattern):
        """Whether the page has a text that matches."""
        return re.search(pattern, self.page.locator("body").inner_text(), re.I | re.S) is not None

    def expect(self, pattern, why=""):
        end = time.monotonic() + PATIENCE
        while not self.says(pattern):
            if time.monotonic() > end:
                raise kinds.Stuck(
                    f"{self.page.url} does not say {pattern!r} {why}:\n{self.page.locator('body').inner_text()[:1500]}")
            time.sleep(0.05)
        self.look()

    def look(self):
        """Lets the witness judge the page. One that goes on by itself meanwhile is judged where it comes to."""
        for _ in range(5 if self.witness else 0):
            try:
                return self.witness.look(self.page, self.variant)
            except Exception as error:  # noqa: BLE001
                if not is_interrupted(error):
                    raise
                self.page.wait_for_load_state()

    # What the person does.

    def open(self, url):
        self.page.goto(issuer() + url if url.startswith("/") else url)
        self.look()

    def field(self, label):
        fields = self.page.locator("input, select, textarea").filter(visible=True)
        return self.page.get_by_label(re.compile(label, re.I)).and_(fields).first

    def fill(self, label, text):
        self.hands.fill(self.field(label), text)

    def parts(self, name):
        """Everything in sight that has the name in `labels`."""
        found = self.page.locator(labels.PARTS[name]) if name in labels.PARTS else None
        if pattern := labels.label(name, self.language):
            role = self.page.get_by_role
            named = role("button", name=pattern).or_(role("link", name=pattern))
            found = found.or_(named) if found else named
        return found.filter(visible=True)

    def part(self, name):
        return self.parts(name).first

    def has(self, name):
        return self.parts(name).count() > 0

    def use(self, name):
        """Presses a part that leads to a page."""
        if not self.has(name):
            # A module may show it in a moment.
            with contextlib.suppress(Exception):
                self.part(name).wait_for(timeout=3000)
        if not self.has(name):
            raise kinds.Stuck(f"{self.page.url} has no “{name}”: {self.shown}")
        self.go(self.part(name))

    def tells(self, name):
        """Whether the page shows a sentence of `labels`."""
        return self.saying(name).search(self.page.locator("body").inner_text()) is not None

    def saying(self, name):
        """The pattern of a sentence of `labels`, in the language of the person."""
        return labels.saying(name, self.language)

    def await_saying(self, name):
        end = time.monotonic() + PATIENCE
        while not self.tells(name):
            if time.monotonic() > end:
                raise kinds.Stuck(f"{self.page.url} does not say “{name}”: {self.shown}")
            self.page.wait_for_timeout(50)
        self.look()

    @property
    def shown(self):
        with contextlib.suppress(Exception):
            return " ".join(self.page.locator("body").inner_text().split())[:300]

    def control(self, name):
        """A button or a link by its name."""
        pattern = re.compile(name, re.I)
        role = self.page.get_by_role
        return role("button", name=pattern).or_(role("link", name=pattern)).filter(visible=True).first

    def press(self, name):
        """Presses a button or a link that leads to a page."""
        self.go(self.control(name))

    def go(self, control):
        """Presses what leads to a page."""
        self.page.bring_to_front()
        # In Firefox a page of another window that goes on takes the focus, and a button that signs is not armed without
        # it: like a person, click into the own window again.
        end = time.monotonic() + PATIENCE
        while not control.is_enabled() and time.monotonic() < end:
            self.page.wait_for_timeout(1500)
            self.page.bring_to_front()
        if control.evaluate("(e) => e.form?.dataset.send !== undefined"):
            self.page.evaluate("""() => {
              document.documentElement.dataset.walk = 'here'
              for (const old of document.querySelectorAll('.problems')) old.dataset.old = 'true'
            }""")
            self.hands.press(control)
            self.until(SENT)
        else:
            # The next page may go on by itself before it is loaded.
            with self.page.expect_navigation(wait_until="commit"):
                self.hands.press(control)
        self.settle()

    def until(self, script):
        """Waits until a page says so; pages may change meanwhile. Their policy lets no text be evaluated by a timer."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if self.page.evaluate(script):
                    return
            except Exception as error:  # noqa: BLE001
                if not is_interrupted(error):
                    raise
            self.page.wait_for_timeout(50)
        raise kinds.Stuck(f"{self.page.url} stays as it is: {self.shown}")

    def settle(self):
        """Waits until pages that go on by themselves have done so: the one that signs, and the answer to a client."""
        end = time.monotonic() + PATIENCE
        while self.leaves():
            if time.monotonic() > end:
                raise kinds.Stuck(f"{self.page.url} does not go on:\n{self.page.locator('body').inner_text()[:1500]}")
            self.page.wait_for_timeout(50)
        self.look()

    def leaves(self):
        """Whether the page is about to go on by itself."""
        if self.room is None:
            return False
        try:
            self.page.wait_for_load_state()
            return self.page.evaluate(LEAVING, self.room)
        except Exception as error:  # noqa: BLE001
            if not is_interrupted(error):
                raise
            return True

    def close(self):
        self.context.close()

    # Mails of a development service.

    def mail(self, after=0.0, subject="", patience=PATIENCE, part=""):
        """The newest mail to the person since a moment, as text; one whose text has the part."""
        end = time.monotonic() + patience
        while True:
            for mail in self.mails(after):
                text = mail.get_body(("plain",)).get_content()
                if part in text and re.search(subject, str(mail["Subject"]), re.I):
                    return text
            if time.monotonic() > end:
                raise kinds.Stuck(f"no mail came to {self.address}")
            time.sleep(0.1)

    def mails(self, after=0.0):
        """The mails to the person since a moment, the newest first."""
        files = sorted(pathlib.Path(".tenure/mail").glob("*.eml"), key=lambda file: file.stat().st_mtime)
        for file in reversed(files):
            mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            if self.address in str(mail["To"]) and file.stat().st_mtime >= after:
                yield mail

    def link(self, after=0.0, subject="", path=""):
        """The link of a mail; with a path, the newest one that leads there."""
        text = self.mail(after, subject, part=path)
        links = re.findall(r"https?://\S+", text)
        return next(link for link in links if path in link)
