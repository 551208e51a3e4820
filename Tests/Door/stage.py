"""What all walks share: a company with its admin, an ordinary person, and the sites of the clients."""

import contextlib
import functools
import pathlib
import secrets
import subprocess
import tempfile
import time
import urllib.parse

import clients
from clients import issuer
from hands import Pointer, Stuck
from harbour import Harbour
from tally import Counting, Tally
from walks import Founder

SCRIPTS = pathlib.Path(__file__).parents[2] / "scripts"


class Person(Founder):
    """Somebody who comes from a client and wants to arrive there."""

    def begin(self, harbour, link="^Log in$"):
        """Presses the link of the client's own page."""
        self.reach(harbour.site)
        self.press(link)

    def ends(self, harbour, greeting=None):
        """The walk ends at the client, which greets by name."""
        greeting = greeting or f"Hello {self.id}"
        end = time.monotonic() + 12
        while not (self.page.url.startswith(harbour.end + "/") and self.says(rf"^{greeting}\b")):
            if time.monotonic() > end:
                raise Stuck(f"{self.page.url} is shown instead of “{greeting}” at {harbour.end}: {self.shown}")
            self.page.wait_for_timeout(50)

    @property
    def shown(self):
        with contextlib.suppress(Exception):
            return " ".join(self.page.locator("body").inner_text().split())[:300]

    def join(self, company, code=""):
        """Goes from the log-in page of a client to a registration, up to the credentials."""
        self.press("no account yet|new here")
        self.press("^Join a company$")
        self.enter_registration()
        if code:
            self.fill("^Code", code)
        self.press("^Continue$")
        self.set_credentials()

    def press_again(self, name):
        """Presses a button, once more if the page comes back because another tab changed the browser's cookies."""
        before = self.room
        self.press(name)
        if self.room == before:
            self.press(name)


class Terminal:
    """An admin with the program `tenure`, who founds a company of their own there."""

    def __init__(self, company):
        self.company, self.place = company, tempfile.TemporaryDirectory(prefix="tenure-terminal.")
        self.client("register", company, "boss", f"boss@{company}", "--found")
        clients.tenure("app", "link", company, "--pages")

    def client(self, *arguments):
        command = [SCRIPTS / "at-terminal", clients.TENURE, "client", *arguments, "--data-directory", self.place.name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise Stuck(f"tenure client {arguments[0]} says: {done.stdout[-300:]} {done.stderr[-300:]}")

    def decide(self, command, person):
        """Authorizes the device, or opens the recovery, whose fingerprint the person's page shows."""
        fingerprint = person.page.locator("dd code").first.text_content()
        self.client(*command, self.company, person.id, "--as", "boss", "--fingerprint", fingerprint)


class Stage:
    def __init__(self, browser):
        self.browser = browser
        self.company = f"reef-{secrets.token_hex(3)}.example"
        # The walker's pages are counted; the admin's are only watched.
        self.tally, self.helper = Tally(issuer()), Tally(issuer())
        self.people, self.sites = [], contextlib.ExitStack()

    def person(self, id, tally=None, **options):
        tally = tally or self.tally
        person = Person(
            self.browser, witness=tally, hands=Counting(Pointer(), tally), company=self.company, id=id,
            address=f"{id}@{self.company}", **options)
        self.people.append(person)
        return person

    @functools.cached_property
    def ada(self):
        """The founder, who stays logged in in a browser of her own: her phone, and the admin's."""
        ada = self.person("ada", self.helper)
        ada.found()
        return ada

    @functools.cached_property
    def bo(self):
        """An ordinary person with a confirmed address, logged in in a browser of his own."""
        bo = self.person("bo", self.helper)
        bo.open("/register/join")
        bo.enter_registration()
        bo.press("^Continue$")
        bo.set_credentials()
        bo.arrive("/waiting")
        self.admit(bo)
        bo.arrive("/account")
        bo.verify_address()
        return bo

    def bo_at(self, logged_in):
        """Bo in his own browser, logged in at the service or not. His steps are counted from now on."""
        bo = self.bo
        bo.open("/account")
        if logged_in:
            bo.log_in()
        elif bo.room == "/account":
            bo.press("^Log out$")
        bo.hands, bo.witness = Counting(Pointer(), self.tally), self.tally
        bo.adopt(bo.context.new_page())
        return bo

    def admit(self, person):
        """The admin approves the device of a person who waits."""
        self.ada.approve(person.words, "/account/approvals")

    def harbour(self, title="Harbour", *options, company=True, **settings):
        """A client for the people of the company, until the walk ends."""
        client = Harbour(title, self.company if company else None, options, **settings)
        self.sites.callback(client.close)
        return client

    def invitation(self, id):
        """The code of an invitation, out of its mail."""
        before = time.time() - 1
        clients.link(clients.demo_app(), self.company, "ADMINISTRATION")
        clients.call("POST", f"/v1/companies/{self.company}/invitations",
                     {"companyEmployeeId": id, "email": f"{id}@{self.company}"})
        link = self.person(id).link(before)
        return urllib.parse.parse_qs(urllib.parse.urlsplit(link.replace("#", "?")).query)["invitation"][0]

    @contextlib.contextmanager
    def walk(self):
        """One walk: afterwards its browsers and clients are gone, except those of the company's people."""
        self.ada  # noqa: B018
        self.tally, self.people, self.sites = Tally(issuer()), [], contextlib.ExitStack()
        self.helper.faults.clear()
        try:
            yield
        finally:
            kept = [self.ada] + ([self.bo] if "bo" in self.__dict__ else [])
            for person in self.people:
                if person not in kept:
                    person.close()
            for person in kept:
                for page in person.context.pages[1:]:
                    page.close()
                person.page, person.witness = person.context.pages[0], self.helper
                person.hands = Counting(Pointer(), self.helper)
            self.sites.close()
