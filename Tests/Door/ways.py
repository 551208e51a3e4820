"""Every way from a client through the pages and back, each as a function that takes the stage."""

import re
import time

import clients
from urllib.parse import parse_qsl

from hands import Stuck
from stage import Terminal

WAYS = {}
# The link of a mailed page to the one with the button.
GO_ON = "^It is me: go on$"
# What `make test` walks.
QUICK = ["joined", "phone", "phone, third site", "mail", "consent", "next day, third site", "two tabs"]


def way(name, third=False):
    """Names a way. With `third` it is gone once more from a client whose callback goes on to a third site."""

    def add(walk):
        WAYS[name] = lambda stage: walk(stage, stage.harbour())
        if third:
            WAYS[f"{name}, third site"] = lambda stage: walk(stage, stage.harbour(third=True))
        return walk

    return add


def waits(stage, harbour, person):
    """A log-in in a browser that has to be approved."""
    person.begin(harbour)
    person.log_in()
    person.arrive("/waiting")
    return person


# New people.


@way("founder")
def founder(stage, _):
    """The company does not link the client yet: its page says so, and the person arrives once it does."""
    harbour = stage.harbour("Map", company=False)
    dee = stage.person("dee")
    dee.company = f"cove-{stage.company.partition('-')[2]}"
    dee.address = f"dee@{dee.company}"
    dee.begin(harbour)
    dee.press("no account yet|new here")
    dee.press("^(Found a company|Set up a new company)$")
    dee.enter_registration()
    dee.press("^Continue$")
    dee.set_credentials()
    dee.expect("has not linked")
    clients.link(harbour.client.id, dee.company)
    dee.begin(harbour)
    dee.log_in()
    dee.ends(harbour)


@way("joined", third=True)
def joined(stage, harbour):
    """A new person joins a company, and an admin approves the device."""
    cy = stage.person("cy3" if harbour.end != harbour.site else "cy")
    cy.begin(harbour)
    cy.join(stage.company)
    cy.arrive("/waiting")
    stage.admit(cy)
    cy.ends(harbour)


@way("invited")
def invited(stage, harbour):
    """A new person types the code of an invitation. Whether a device of an invited person waits is up to the policy."""
    eve = stage.person("eve")
    code = stage.invitation("eve")
    eve.begin(harbour)
    eve.join(stage.company, code)
    eve.page.wait_for_timeout(1000)
    if eve.room == "/waiting":
        stage.admit(eve)
    eve.ends(harbour)


# Another device.


@way("phone", third=True)
def phone(stage, harbour):
    """A second device, approved on the first one."""
    other = waits(stage, harbour, stage.person("ada"))
    stage.ada.approve(other.words)
    other.ends(harbour)


@way("admin", third=True)
def admin(stage, harbour):
    """A second device, approved by an admin."""
    stage.bo  # noqa: B018
    other = waits(stage, harbour, stage.person("bo"))
    stage.admit(other)
    other.ends(harbour)


@way("mail")
def mail(stage, harbour):
    """A second device, confirmed by a mailed link in another tab of it. One of the two tabs goes on by itself."""
    stage.bo  # noqa: B018
    before = time.time() - 1
    other = waits(stage, harbour, stage.person("bo"))
    ask_for_mail(other)
    tab = other.tab()
    tab.open(other.link(before, "^Confirm a new device"))
    confirm(tab)
    other.page.wait_for_timeout(3000)
    (tab if tab.page.url.startswith(harbour.end) else other).ends(harbour)


@way("mail elsewhere")
def mail_elsewhere(stage, _):
    """A second device, confirmed by the code that the link shows in another browser, at a client with a third site."""
    harbour, bo = stage.harbour(third=True), stage.bo
    before = time.time() - 1
    other = waits(stage, harbour, stage.person("bo"))
    ask_for_mail(other)
    bo.open(other.link(before, "^Confirm a new device"))
    if not bo.page.locator("code").count():
        bo.press(GO_ON)
    other.fill("^Code", bo.page.locator("code").first.inner_text())
    other.press("^Confirm with the code$")
    other.ends(harbour)


def ask_for_mail(person):
    if person.page.get_by_role("button", name=re.compile("^Send a mail$")).count():
        person.press("^Send a mail$")


def confirm(person):
    """The button behind a mailed link; a plain page may lead to the one that has it."""
    if not person.page.get_by_role("button", name=re.compile("^Yes, this is my browser$")).count():
        person.press(GO_ON)
    person.hands.press(person.control("^Yes, this is my browser$"))


@way("recovery")
def recovery(stage, _):
    """Somebody who joined lost the answers. An admin decides at a terminal, where recoveries are opened."""
    company = f"fort-{stage.company.partition('-')[2]}"
    boss, lost = Terminal(company), stage.person("lee")
    harbour = stage.harbour("Signal", company=False)
    clients.link(harbour.client.id, company)
    lee = stage.person("lee")
    lee.company = lost.company = company
    lee.begin(harbour)
    lee.join(company)
    lee.arrive("/waiting")
    boss.decide(["authorize"], lee)
    lee.ends(harbour)
    lost.begin(harbour)
    lost.press("know neither|trouble logging in")
    ask_to_recover(lost)
    boss.decide(["recoveries", "open"], lost)
    for _ in range(8):
        lost.page.wait_for_timeout(3000)
        lost.press("Look whether it is time|^Start again$")
        if lost.room == "/recover":
            ask_to_recover(lost)
        if not lost.says("recovery waits"):
            break
    lost.set_credentials()
    lost.arrive("/waiting")
    boss.decide(["authorize"], lost)
    lost.ends(harbour)


def ask_to_recover(person):
    person.fill("^Company$", person.company)
    person.fill(r"\bid\b", person.id)
    person.hands.check(person.field("^My answers or my passphrase"))
    person.press("^Continue$")


# The same browser again.


@way("next day", third=True)
def next_day(stage, harbour):
    """A log-in in a browser that knows the account."""
    bo = stage.bo_at(logged_in=False)
    bo.begin(harbour)
    bo.log_in()
    bo.ends(harbour)


@way("logged in", third=True)
def logged_in(stage, harbour):
    """A client of which the person sees no page of the service."""
    bo = stage.bo_at(logged_in=True)
    bo.begin(harbour)
    bo.ends(harbour)


@way("consent")
def consent(stage, _):
    """A client that asks each time is denied and then allowed, once with a callback that goes on to a third site."""
    bo = stage.bo_at(logged_in=True)
    for third in (False, True):
        harbour = stage.harbour("Payroll", "--consent", "always", third=third)
        bo.begin(harbour)
        bo.pass_chooser()
        bo.press("^Do not allow$")
        bo.ends(harbour, "Not logged in: access_denied")
        bo.begin(harbour)
        bo.pass_chooser()
        bo.press("^Allow$")
        bo.ends(harbour)


@way("account choice", third=True)
def account_choice(stage, harbour):
    """A client that wants the account to be chosen."""
    harbour.parameters["prompt"] = "select_account"
    bo = stage.bo_at(logged_in=True)
    bo.begin(harbour)
    bo.log_in()
    bo.ends(harbour)


@way("form_post")
def form_post(stage, _):
    """The answer comes as a form, which is posted to the client: without a page, and after a log-in."""
    harbour = stage.harbour("Ledger", parameters={"response_mode": "form_post"})
    bo = stage.bo_at(logged_in=False)
    bo.begin(harbour)
    bo.log_in()
    bo.ends(harbour)
    bo.begin(harbour)
    bo.ends(harbour)
    if harbour.methods != ["POST", "POST"]:
        raise Stuck(f"the answers came by {harbour.methods}")


# Several pages of one browser.


@way("two tabs")
def two_tabs(stage, harbour):
    """The page of one client waits while the person logs in at another one."""
    wiki = stage.harbour("Wiki")
    first = stage.bo_at(logged_in=False)
    first.begin(harbour)
    second = first.tab()
    second.begin(wiki)
    second.log_in()
    second.ends(wiki)
    first.log_in()
    first.ends(harbour)


@way("two at once")
def two_at_once(stage, harbour):
    """Two pages open at the same time in a browser that was never here."""
    wiki = stage.harbour("Wiki")
    first = stage.person("ada")
    second = first.tab()
    for tab, client in ((first, harbour), (second, wiki)):
        tab.page.evaluate("(url) => { setTimeout(() => { location.href = url }) }", client.begin())
    for tab in (first, second):
        tab.arrive("/login")
    first.log_in()
    first.arrive("/waiting")
    second.log_in()
    for tab in (first, second):
        if tab.room == "/waiting":
            stage.ada.approve(tab.words)
            break
    first.ends(harbour)
    second.log_in()
    second.ends(wiki)


@way("another person waits")
def another_waits(stage, harbour):
    """Ada waits in one tab while Bo logs in in another: his session stays until she presses the button."""
    wiki = stage.harbour("Wiki")
    bo = stage.bo_at(logged_in=False)
    ada = bo.tab()
    ada.id, ada.address = "ada", stage.ada.address
    ada.begin(harbour)
    ada.log_in()
    ada.arrive("/waiting")
    bo.begin(wiki)
    bo.log_in()
    bo.ends(wiki)
    stage.ada.approve(ada.words)
    ada.page.wait_for_timeout(3000)
    bo.open("/account")
    if not bo.says("logged in as bo"):
        raise Stuck(f"the session of Bo was replaced: {bo.shown}")
    ada.press("^Log in as ada\\b.*")
    ada.ends(harbour)


@way("back and reload")
def back_and_reload(stage, harbour):
    """Pages are loaded again on the way, and shown again afterwards, where they must say what is true."""
    other = stage.person("ada")
    other.begin(harbour)
    reload(other)
    other.enter_account()
    reload(other)
    other.log_in()
    other.arrive("/waiting")
    reload(other)
    stage.ada.approve(other.words)
    other.ends(harbour)
    other.page.reload()
    other.ends(harbour)
    other.page.go_back()
    other.page.wait_for_timeout(1500)
    if other.room is not None:
        # An answered page leads to the client's start; so does one that a browser kept.
        if other.says("Nothing was changed|took longer|expired|too late"):
            raise Stuck(f"after the log-in, the button Back shows what is false: {other.shown}")
        reload(other)
        if other.room is not None:
            other.press(f"(Go on|Back|Continue) to {re.escape(harbour.title)}|^{re.escape(harbour.title)}$")
            if not other.page.url.startswith(harbour.site):
                raise Stuck(f"the page after the button Back leads to {other.page.url}")
    other.begin(harbour)
    other.log_in()
    other.ends(harbour)


def reload(person):
    person.page.reload()
    person.settle()


@way("window")
def window(stage, harbour):
    """The client opens a window, and gets the result from it."""
    other = stage.person("ada")
    other.reach(harbour.site)
    with other.page.expect_popup() as opened:
        other.hands.press(other.control("in a window"))
    popup = other.tab()
    popup.page.close()
    popup.adopt(opened.value)
    popup.arrive("/login")
    popup.log_in()
    popup.arrive("/waiting")
    stage.ada.approve(popup.words)
    other.ends(harbour)


# Programs on the person's machine.


@way("loopback")
def loopback(stage, _):
    """A program that listens on a port of the machine has no secret."""
    program = stage.harbour("Terminal", "--public")
    bo = stage.bo_at(logged_in=False)
    bo.begin(program)
    bo.log_in()
    bo.ends(program)


@way("app scheme")
def app_scheme(stage, _):
    """An app with a scheme of its own: its button carries the code, and nothing goes there by itself."""
    app = stage.harbour("Boat", "--public", redirect="com.example.boat:/callback")
    bo = stage.bo_at(logged_in=False)
    bo.begin(app)
    bo.log_in()
    target = bo.page.locator("[href^='com.example.boat:'], form[action^='com.example.boat:']").first
    target.wait_for()
    url = target.get_attribute("href") or target.get_attribute("action")
    greeting, _ = app.finish(dict(parse_qsl(url.partition("?")[2])))
    if not greeting.startswith("Hello bo"):
        raise Stuck(f"the app says: {greeting}")
