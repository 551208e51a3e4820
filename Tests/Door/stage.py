"""What all walks share: a company with its admin, an ordinary person, and the sites of the clients."""

import base64
import contextlib
import functools
import pathlib
import re
import secrets
import subprocess
import tempfile
import time

import clients
from clients import issuer
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
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
        self.client = harbour
        if self.witness:
            self.witness.client = harbour.title
        self.press(link)

    def ends(self, harbour, greeting=None):
        """The walk ends at the client, which greets by name."""
        greeting = greeting or f"Hello {self.id}"
        end = time.monotonic() + 12
        while not (self.page.url.startswith(harbour.end + "/") and self.says(rf"^{greeting}\b")):
            if self.room == "/address":
                # The client asks for an address that is not confirmed.
                self.use("without")
            if time.monotonic() > end:
                raise Stuck(f"{self.page.url} is shown instead of “{greeting}” at {harbour.end}: {self.shown}")
            self.page.wait_for_timeout(50)

    def join(self, company, code=""):
        """Goes from the log-in page of a client to a registration, and through it."""
        self.use("join")
        self.code = code
        self.register()
        self.set_credentials()

    def found_from_here(self):
        """Goes from the log-in page of a client to the founding of a company, and through it."""
        self.use("found")
        self.register()
        self.set_credentials()

    def accept(self, link):
        """Opens the link of an invitation and registers."""
        self.open(link)
        self.register()
        self.set_credentials()

    def settle_at(self, company):
        """Belongs to another company than the people of the stage."""
        self.company, self.address = company, f"{self.id}@{company}"

    def wait_to_be_let_in(self):
        """Whether the page waits for an approval; another page may go on by itself first."""
        self.page.wait_for_timeout(1000)
        self.settle()
        return self.room == "/waiting"


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

    def change_policy(self, **settings):
        """Changes rules of the company: the service says what is signed, and the device's key signs it."""
        where = ["--data-directory", self.place.name]
        token = subprocess.run([clients.TENURE, "client", "token", self.company, "boss", *where], capture_output=True,
                               text=True, timeout=60, check=True).stdout.strip()
        path = f"/v1/companies/{self.company}/policy"
        statement = clients.call("PATCH", path, settings, bearer=token)["statement"]
        (file,) = pathlib.Path(self.place.name).rglob("*.key")
        key = ec.derive_private_key(int(file.read_text(), 16), ec.SECP256R1())
        signature = key.sign(base64.b64decode(statement), ec.ECDSA(hashes.SHA256()))
        signed = {"statement": statement, "signature": base64.b64encode(signature).decode()}
        clients.call("PATCH", path, settings | signed, bearer=token)

    def decide(self, command, person):
        """Authorizes the device, or opens the recovery, whose fingerprint the person's page shows."""
        fingerprint = re.search(r"\b[0-9a-f]{64}\b", person.page.content())[0]
        self.client(*command, self.company, person.id, "--as", "boss", "--fingerprint", fingerprint)


class Stage:
    """The people and clients of the walks in one appearance: width, light or dark, and language."""

    def __init__(self, browser, judge=None, width=1280, scheme="light", locale="en-US"):
        self.browser, self.judge, self.name = browser, judge, ""
        self.appearance = {"width": width, "scheme": scheme, "locale": locale}
        self.company = f"reef-{secrets.token_hex(3)}.example"
        # The walker's pages are counted; the admin's are only watched.
        self.tally, self.helper = Tally(issuer(), judge), Tally(issuer(), judge)
        self.people, self.sites, self.members, self.terminals = [], contextlib.ExitStack(), {}, {}

    def person(self, id, tally=None, **options):
        tally = tally or self.tally
        person = Person(
            self.browser, witness=tally, hands=Counting(Pointer(), tally), company=self.company, id=id,
            address=f"{id}@{self.company}", **self.appearance | options)
        self.people.append(person)
        return person

    @functools.cached_property
    def ada(self):
        """The founder, who stays logged in in a browser of her own: her phone, and the admin's."""
        ada = self.person("ada", self.helper)
        ada.found()
        ada.verify_address()
        return ada

    def member(self, id):
        """An ordinary person with a confirmed address, logged in in a browser of their own. Pia has a passphrase."""
        if id not in self.members:
            member = self.members[id] = self.person(id, self.helper)
            member.passphrase = "correct horse battery staple" if id == "pia" else ""
            member.open("/register/join")
            member.register()
            member.set_credentials()
            member.arrive("/waiting")
            self.admit(member)
            member.arrive("/account")
            member.verify_address()
        return self.members[id]

    @property
    def bo(self):
        return self.member("bo")

    def member_at(self, id, logged_in):
        """A member in the own browser, logged in at the service or not, whose steps are counted from now on."""
        member = self.member(id)
        member.open("/account")
        if logged_in:
            member.log_in()
        elif member.room == "/account":
            member.use("log out")
        self.count(member)
        member.adopt(member.context.new_page())
        return member

    def bo_at(self, logged_in):
        return self.member_at("bo", logged_in)

    def count(self, person):
        """Counts what somebody who is only watched does from now on."""
        person.hands, person.witness = Counting(Pointer(), self.tally), self.tally

    def terminal(self, name="fort"):
        """An admin at a terminal, with a company of the own."""
        if name not in self.terminals:
            self.terminals[name] = Terminal(f"{name}-{secrets.token_hex(3)}.example")
        return self.terminals[name]

    def admit(self, person):
        """The admin approves the device of a person who waits."""
        self.ada.open("/account/approvals")
        self.ada.decide("approve", person.words, who=person.id)

    def harbour(self, title="Harbour", *options, company=True, **settings):
        """A client for the people of the company, until the walk ends."""
        client = Harbour(title, self.company if company else None, options, **settings)
        self.sites.callback(client.close)
        return client

    def invitation(self, id):
        """The link of an invitation, out of its mail."""
        before = time.time() - 1
        clients.link(clients.demo_app(), self.company, "ADMINISTRATION")
        clients.call("POST", f"/v1/companies/{self.company}/invitations",
                     {"companyEmployeeId": id, "email": f"{id}@{self.company}"})
        return self.person(id).link(before, path="/join")

    def close(self):
        """Ends what outlasts a walk."""
        for person in [*self.members.values(), *([self.ada] if "ada" in self.__dict__ else [])]:
            person.close()

    @contextlib.contextmanager
    def walk(self):
        """One walk: afterwards its browsers and clients are gone, except those of the company's people."""
        self.ada  # noqa: B018
        self.tally, self.people, self.sites = Tally(issuer(), self.judge, self.name), [], contextlib.ExitStack()
        self.helper.faults.clear()
        try:
            yield
        finally:
            if self.judge:
                self.judge.read([*self.people, self.ada, *self.members.values()])
                self.judge.take(self.tally.faults + self.helper.faults, self.name)
            kept = [self.ada, *self.members.values()]
            for person in self.people:
                if person not in kept:
                    person.close()
            for person in kept:
                for page in person.context.pages[1:]:
                    page.close()
                person.page, person.witness = person.context.pages[0], self.helper
                person.hands = Counting(Pointer(), self.helper)
            self.sites.close()
