"""Walks through the pages by keyboard alone: `check_pages.py [SCREENSHOTS]`, in the directory of a service.

Ada founds a company, confirms her address, makes mistakes, looks at her account, allows a client, and logs in with a
new browser. Bo is invited, waits, and is approved by Ada. Everything happens four times: light and dark, narrow and wide.
"""

import contextlib
import os
import secrets
import sys
import time
import traceback

import clients
import hands
from clients import call, issuer
from visitor import chromium
from walks import Founder
from witness import Witness

APPEARANCES = [(320, "light"), (320, "dark"), (1280, "light"), (1280, "dark")]


class Walk:
    """One walk in one appearance."""

    def __init__(self, browser, witness, width, scheme):
        self.browser, self.witness, self.width, self.scheme = browser, witness, width, scheme
        self.company = f"mole-{secrets.token_hex(3)}.example"
        self.ada = self.person("ada")
        self.steps = []

    def person(self, id, **options):
        return Founder(
            self.browser, witness=self.witness, hands=hands.Keyboard(), width=self.width, scheme=self.scheme,
            company=self.company, id=id, address=f"{id}@{self.company}", **options)

    def run(self):
        for step in (self.strangers_pages, self.founding, self.account, self.address, self.mistakes, self.by_address,
                     self.client, self.invitation, self.approval, self.new_device, self.mailed_device, self.way_back,
                     self.languages, self.ending):
            began = time.monotonic()
            try:
                step()
            except Exception as error:  # noqa: BLE001  The other steps go on, and each fault is told.
                where = traceback.extract_tb(error.__traceback__)[-1]
                self.witness.fault(
                    f"{self.ada.variant}: {step.__name__}: {type(error).__name__}: {str(error)[:1200]} ({where.name})")
                self.recover()
            self.steps.append((step.__name__, time.monotonic() - began))
        self.ada.close()

    def recover(self):
        """Brings Ada back to her account, so that one fault is not all faults."""
        with contextlib.suppress(Exception):
            self.ada.open("/account")
            self.ada.log_in()

    def refused(self, person):
        """The page comes back with its problems, and the focus is on their summary, whose links lead to the fields."""
        person.part("problems").wait_for()
        person.look()
        focused = person.page.evaluate("() => document.activeElement.getAttribute('role')")
        if focused != "alert":
            self.witness.fault(f"{person.variant}: the focus of {person.path} is not on the summary of the problems")
        links = person.page.locator(".problems a, [role=alert] a")
        if links.count():
            target = links.first.get_attribute("href")
            person.hands.press(links.first)
            at = person.page.evaluate("() => document.activeElement.id")
            if f"#{at}" != target:
                self.witness.fault(f"{person.variant}: the link of a problem on {person.path} leads to {at!r}")

    def strangers_pages(self):
        """What somebody sees who is not logged in: the pages, a mistake, and pages that do not exist."""
        ada = self.ada
        ada.open("/")
        ada.arrive("/login")
        self.mistake(ada)
        ada.open("/login")
        ada.hands.press(ada.page.locator("main details:has(form) > summary").filter(visible=True).first)
        ada.look()
        ada.open("/register")
        ada.open("/register/join")
        ada.open("/join")
        ada.open("/recover")
        for path in ("/consent/nothing", "/flow/nothing/answers", "/waiting/nothing", "/logout"):
            ada.open(path)

    def mistake(self, person):
        """Fills every field with what is no name and no address."""
        for field in person.page.locator("main form input:not([type=hidden])").filter(visible=True).all():
            person.hands.fill(field, "no. @")
        person.use("continue")
        self.refused(person)

    def founding(self):
        """The founder's registration, with mistakes that its forms find."""
        ada = self.ada
        ada.open("/register/found")
        ada.enter_registration()
        ada.hands.fill(ada.page.locator("main input[name=email]").first, "no address")
        ada.use("continue")
        self.refused(ada)
        ada.register()
        ada.arrive("/flow/credentials")
        for field in ada.page.locator("input[autocomplete=new-password]").filter(visible=True).all()[:1]:
            ada.hands.fill(field, "short")
        if not ada.has("next question"):
            ada.choose_questions()
            ada.use("continue")
            self.refused(ada)
            for field in ada.page.locator("input[autocomplete=new-password]").filter(visible=True).all()[:1]:
                ada.hands.fill(field, "")
        ada.set_credentials()
        ada.arrive("/account")

    def account(self):
        """The pages of the account, and a name for the device."""
        ada = self.ada
        sections = ada.page.locator(".sections a")
        for number in range(sections.count()):
            ada.go(sections.nth(number))
        ada.open("/account/devices")
        form = ada.page.locator("form[action*='/account/devices/name']").filter(visible=True).first
        ada.hands.fill(form.locator("input[name=name]"), "Ada’s laptop")
        ada.go(form.locator("button"))
        ada.expect("Ada’s laptop")

    def address(self):
        """The mailed link that confirms the address."""
        self.ada.verify_address()

    def mistakes(self):
        """A log-in from the list of accounts, with wrong answers first."""
        ada = self.ada
        ada.log_out()
        ada.open("/login")
        ada.page.wait_for_timeout(300)
        ada.look()
        ada.enter_account()
        ada.arrive("/flow/answers")
        ada.give_answers(right=1)
        self.refused(ada)
        ada.give_answers(right=2, wrong=1)
        self.refused(ada)
        ada.give_answers()
        ada.arrive("/account")

    def by_address(self):
        """A log-in by address alone."""
        self.ada.log_out()
        self.ada.log_in_by_address()
        self.ada.arrive("/account")

    def client(self):
        """A client that asks for consent, the choice of the account, and log-outs."""
        with clients.listener() as site:
            self.consents(site)

    def consents(self, site):
        ada = self.ada
        client = clients.register("Harbour map", site, "/callback", self.company, "--consent", "always")
        query = ("response_type=code&scope=openid+profile+email+groups+offline_access&state=s"
                 f"&client_id={client.id}&redirect_uri={site}/callback&code_challenge_method=S256"
                 f"&code_challenge={'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'}")
        authorize = f"/authorize?{query}"
        ada.open(authorize)
        ada.pass_chooser()
        ada.arrive("/consent")
        ada.use("deny")
        if "error=access_denied" not in ada.page.url:
            self.witness.fault(f"{ada.variant}: a refused consent leads to {ada.page.url}")
        ada.open(authorize)
        ada.pass_chooser()
        ada.use("act")
        if "code=" not in ada.page.url:
            self.witness.fault(f"{ada.variant}: a consent leads to {ada.page.url}")
        ada.open(authorize + "&prompt=select_account")
        ada.arrive("/accounts")
        ada.open(authorize + "&prompt=login")
        ada.log_in()
        ada.open("/account/consents")
        ada.go(ada.page.locator("form[action*='/account/consents'] button").first)
        ada.open("/logout")
        if ada.has("go on to log out"):
            ada.use("go on to log out")
        ada.open(authorize.replace(client.id, secrets.token_hex(8)))

    def invitation(self):
        """Bo registers with the link of a mail, sets a passphrase, and waits."""
        clients.tenure("app", "link", os.environ["TENURE_APP_ID"], self.company, "--role", "ADMINISTRATION")
        bo = self.bo = self.person("bo")
        bo.passphrase = "correct horse battery staple"
        before = time.time() - 1
        call("POST", f"/v1/companies/{self.company}/invitations",
             {"companyEmployeeId": "bo", "email": bo.address})
        bo.open(bo.link(before, path="/join"))
        bo.register()
        bo.set_credentials()

    def approval(self):
        """Ada approves Bo's browser on her page; Bo's page goes on by itself."""
        bo, ada = self.bo, self.ada
        if bo.room == "/waiting":
            bo.look()
            ada.approve(bo.words, "/account/approvals")
            bo.arrive("/account")
        bo.log_out()
        bo.open("/login")
        bo.enter_account()
        bo.arrive("/flow/passphrase")
        bo.hands.fill(bo.page.locator("input[autocomplete=current-password]").first, "not the one")
        bo.use("continue")
        self.refused(bo)
        bo.log_in()
        bo.arrive("/account")
        # An invitation by mail has confirmed the address.
        if bo.has("confirm my address"):
            bo.verify_address()

    def new_device(self):
        """Ada logs in with another browser, which waits; she approves it with the first one."""
        ada, other = self.ada, self.person("ada")
        other.open("/login")
        other.log_in()
        other.arrive("/waiting")
        ada.approve(other.words)
        other.arrive("/account")
        ada.open("/account/sessions")
        ada.open("/account/devices")
        ada.use("remove")
        other.close()

    def mailed_device(self):
        """Bo confirms a new browser by the link of a mail, and a third one by the code that it shows elsewhere."""
        for is_here in (True, False):
            other = self.person("bo")
            other.passphrase = self.bo.passphrase
            other.open("/login")
            other.log_in()
            other.arrive("/waiting")
            before = time.time() - 1
            if other.has("send mail") and not other.has("code"):
                other.use("send mail")
            link = other.link(before, path="/waiting/mail/")
            if is_here:
                tab = other.page
                other.open(link)
                other.pass_mail()
                other.use("act")
                other.page = tab
            else:
                self.bo.open(link)
                code = self.bo.page.locator("code").first.inner_text()
                other.hands.fill(other.part("code"), "WRONGONE")
                other.use("send code")
                self.refused(other)
                other.hands.fill(other.part("code"), code)
                other.use("send code")
            other.arrive("/account")
            other.close()
        self.bo.close()

    def way_back(self):
        """The pages for somebody who lost everything."""
        lost = self.person("ada")
        lost.open("/recover")
        lost.enter_registration()
        lost.hands.check(lost.part("lost secret"))
        lost.use("continue")
        lost.close()

    def languages(self):
        """The pages in German and French, which need more room."""
        for locale in ("de-DE", "fr-FR"):
            ada = self.person("ada", locale=locale, cookies=self.ada.context.cookies())
            ada.open("/account")
            sections = [link.get_attribute("href") for link in ada.page.locator(".sections a").all()]
            for path in ("/login", "/login/address", "/register", "/register/found", "/register/join", "/join",
                         "/recover", *sections, "/logout"):
                ada.open(path)
                shown = ada.page.locator("html").get_attribute("lang")
                if shown != locale[:2]:
                    self.witness.fault(f"{path} is shown in {shown} instead of {locale[:2]}")
            ada.close()

    def ending(self):
        """The log-out, after which the button of the browser shows nothing."""
        ada = self.ada
        ada.open("/account")
        ada.use("log out")
        ada.page.go_back()
        ada.page.wait_for_load_state()
        if ada.room == "/account" and ada.has("log out"):
            self.witness.fault(f"{ada.variant}: after the log-out, the button of the browser shows the account")


def weigh(browser):
    """What a first visit of the log-in page costs."""
    visitor = Founder(browser)
    requests, page = [], visitor.page
    page.on("requestfinished", lambda request: requests.append(request))
    page.goto(issuer() + "/login")
    page.wait_for_load_state("networkidle")
    sizes = [request.sizes() for request in requests if not request.url.startswith("data:")]
    total = sum(each["responseBodySize"] + each["responseHeadersSize"] for each in sizes)
    times = []
    for _ in range(21):
        page.reload()
        times.append(page.evaluate("() => performance.getEntriesByType('navigation')[0].responseStart"))
    visitor.close()
    return f"{len(sizes)} requests, {total / 1000:.1f} kB; first byte after {sorted(times)[10]:.0f} ms (median of 21)"


def main():
    screenshots = sys.argv[1] if len(sys.argv) > 1 else None
    witness = Witness(issuer(), screenshots)
    began = time.monotonic()
    with chromium() as browser:
        print(f"Chromium {browser.version}, {clients.version('playwright')}")
        for width, scheme in APPEARANCES:
            walk = Walk(browser, witness, width, scheme)
            walk.run()
            took = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in walk.steps)
            print(f"{walk.ada.variant}: {len(witness.pages[walk.ada.variant])} pages ({took})", flush=True)
        weight = weigh(browser)
        validated = witness.validate()
    places = sorted({f"{place}{' with problems' if alerts else ''}" for pages in witness.pages.values()
                     for _, place, alerts in pages})
    print(f"axe {witness.axe_version}: {len(witness.axe_rules)} rules on each page")
    print(f"HTML: {validated}")
    print(f"{witness.requests} requests, by keyboard alone")
    print(f"The log-in page: {weight}")
    print("\n".join(f"  {place}" for place in places))
    for fault in witness.faults:
        print(f"FAULT {fault}")
    print(f"{len(places)} pages in {len(APPEARANCES)} appearances, {len(witness.faults)} faults"
          f" ({time.monotonic() - began:.0f} s)")
    return 1 if witness.faults else 0


if __name__ == "__main__":
    sys.exit(main())
