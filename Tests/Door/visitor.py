"""A person with a browser, who uses the pages by what they say: labels, names of buttons, headings."""

import contextlib
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
from clients import issuer

PATIENCE = 20


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
        locale="en-US", cookies=()
    ):
        self.company, self.id, self.address = company, id, address
        self.hands = hands or kinds.Pointer()
        self.witness = witness
        self.variant = f"{width} px, {scheme}"
        self.context = browser.new_context(
            locale=locale, color_scheme=scheme, reduced_motion="reduce",
            viewport={"width": width, "height": 720 if width > 500 else 640})
        self.context.add_cookies(list(cookies))
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE * 1000)
        if witness:
            witness.watch(self.page, self.variant)

    # What the person sees.

    @property
    def path(self):
        return place(self.page.url)

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
                if "context was destroyed" not in str(error) and "navigat" not in str(error):
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

    def control(self, name):
        """A button or a link by its name."""
        pattern = re.compile(name, re.I)
        role = self.page.get_by_role
        return role("button", name=pattern).or_(role("link", name=pattern)).filter(visible=True).first

    def press(self, name):
        """Presses a button or a link that leads to a page."""
        with self.page.expect_navigation():
            self.hands.press(self.control(name))
        self.settle()

    def settle(self):
        """Waits until a page that signs, or that leads to a client, has gone on by itself."""
        if self.page.url.startswith(issuer()):
            self.page.wait_for_url(lambda url: place(url) not in ("/flow/key", "/answer"))
            self.page.locator("meta[http-equiv=refresh], form#answer").first.wait_for(state="detached")
        self.page.wait_for_load_state()
        self.look()

    def close(self):
        self.context.close()

    # Mails of a development service.

    def mail(self, after=0.0, subject="", patience=PATIENCE):
        """The newest mail to the person since a moment, as text."""
        end = time.monotonic() + patience
        while True:
            files = sorted(pathlib.Path(".tenure/mail").glob("*.eml"), key=lambda file: file.stat().st_mtime)
            for file in reversed(files):
                mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
                if (self.address in str(mail["To"]) and file.stat().st_mtime >= after
                        and re.search(subject, str(mail["Subject"]), re.I)):
                    return mail.get_body(("plain",)).get_content()
            if time.monotonic() > end:
                raise kinds.Stuck(f"no mail came to {self.address}")
            time.sleep(0.1)

    def link(self, after=0.0, subject=""):
        """The link of a mail."""
        text = self.mail(after, subject)
        return re.search(r"https?://\S+", text)[0]
