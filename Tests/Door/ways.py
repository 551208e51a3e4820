"""The ways from a client through the pages and back, each as a function that takes the stage and a client."""

import time

import clients
from urllib.parse import parse_qsl

from hands import Stuck
from way import waits, way

# New people.


@way("founder", "1h")
def founder(stage, _):
    """The company does not link the client yet: its page says so, and the person arrives once it does."""
    harbour = stage.harbour("Map", company=False)
    dee = stage.person("dee")
    dee.company = f"cove-{stage.company.partition('-')[2]}"
    dee.address = f"dee@{dee.company}"
    dee.begin(harbour)
    dee.found_from_here()
    dee.page.wait_for_timeout(1000)
    if dee.room is None:
        raise Stuck(f"a client that the company does not link is reached: {dee.page.url}")
    dee.look()
    clients.link(harbour.client.id, dee.company)
    dee.begin(harbour)
    dee.log_in()
    dee.ends(harbour)


@way("joined", "1c", third=True)
def joined(stage, harbour):
    """A new person joins a company, and an admin approves the device."""
    cy = stage.person("cy3" if harbour.end != harbour.site else "cy")
    cy.begin(harbour)
    cy.join(stage.company)
    cy.arrive("/waiting")
    stage.admit(cy)
    cy.ends(harbour)


@way("joined on a phone", "1c")
def joined_on_a_phone(stage, harbour):
    """The same on a phone, and the admin refuses nobody."""
    kim = stage.person("kim", width=390)
    kim.begin(harbour)
    kim.join(stage.company)
    kim.arrive("/waiting")
    stage.admit(kim)
    kim.ends(harbour)


@way("invited")
def invited(stage, harbour):
    """A new person types the code of an invitation. Whether a device of an invited person waits is up to the policy."""
    eve = stage.person("eve")
    code = dict(parse_qsl(stage.invitation("eve").partition("#")[2]))["invitation"]
    eve.begin(harbour)
    eve.join(stage.company, code)
    if eve.wait_to_be_let_in():
        stage.admit(eve)
    eve.ends(harbour)


@way("invited by mail", "1e")
def invited_by_mail(stage, harbour):
    """A new person opens the link of the invitation, and is at the client with the next click."""
    flo = stage.person("flo")
    flo.accept(stage.invitation("flo"))
    if flo.wait_to_be_let_in():
        stage.admit(flo)
    flo.arrive("/account")
    flo.begin(harbour)
    flo.log_in()
    flo.ends(harbour)


# Another device.


@way("phone", "2d", third=True)
def phone(stage, harbour):
    """A second device, approved on the first one."""
    other = waits(harbour, stage.person("ada"))
    stage.ada.approve(other.words)
    other.ends(harbour)


@way("phone, from the log-in page", "2d")
def phone_from_log_in(stage, _):
    """The same without a client: the walk ends at the account."""
    other = stage.person("ada")
    other.open("/login")
    other.log_in()
    other.arrive("/waiting")
    stage.ada.approve(other.words)
    other.arrive("/account")


@way("admin", third=True)
def admin(stage, harbour):
    """A second device, approved by an admin."""
    stage.bo  # noqa: B018
    other = waits(harbour, stage.person("bo"))
    stage.admit(other)
    other.ends(harbour)


# Five mails an hour go to one address, so these ways have a person of their own.


@way("mail")
def mail(stage, harbour):
    """A second device, confirmed by a mailed link in another tab of it. One of the two tabs goes on by itself."""
    stage.member("mia")
    before = time.time() - 1
    other = waits(harbour, stage.person("mia"))
    confirm_by_mail(other, before, harbour)


@way("mail, log-in by address", "2e")
def mail_by_address(stage, harbour):
    """A second device that names only the address, and is confirmed by the mail."""
    stage.member("mia")
    before = time.time() - 1
    other = stage.person("mia")
    other.begin(harbour)
    if other.has("by address"):
        other.use("by address")
    other.log_in()
    other.arrive("/waiting")
    confirm_by_mail(other, before, harbour)


def confirm_by_mail(other, before, harbour):
    ask_for_mail(other)
    tab = other.tab()
    tab.open(other.link(before, path="/waiting/mail/"))
    tab.pass_mail()
    tab.hands.press(tab.part("act"))
    other.page.wait_for_timeout(3000)
    (tab if tab.page.url.startswith(harbour.end) else other).ends(harbour)


@way("mail elsewhere")
def mail_elsewhere(stage, _):
    """A second device, confirmed by the code that the link shows in another browser, at a client with a third site."""
    harbour, mia = stage.harbour(third=True), stage.member("mia")
    before = time.time() - 1
    other = waits(harbour, stage.person("mia"))
    ask_for_mail(other)
    mia.open(other.link(before, path="/waiting/mail/"))
    if not mia.page.locator("code").count():
        mia.use("go on")
    other.hands.fill(other.part("code"), mia.page.locator("code").first.inner_text())
    other.use("send code")
    other.ends(harbour)


def ask_for_mail(person):
    """Asks for the mail about a device, unless one was sent already."""
    if person.has("send mail") and not person.has("code"):
        person.use("send mail")


@way("recovery", "3a")
def recovery(stage, _):
    """Somebody who joined lost the answers. An admin decides at a terminal."""
    boss, lost = stage.terminal(), stage.person("lee")
    harbour = stage.harbour("Signal", company=False)
    clients.link(harbour.client.id, boss.company)
    lee = stage.person("lee")
    for person in (lee, lost):
        person.settle_at(boss.company)
    lee.begin(harbour)
    lee.join(boss.company)
    lee.arrive("/waiting")
    boss.decide(["authorize"], lee)
    lee.ends(harbour)
    lost.begin(harbour)
    lost.use("trouble")
    ask_to_recover(lost)
    boss.decide(["recoveries", "open"], lost)
    for _ in range(8):
        lost.page.wait_for_timeout(3000)
        if lost.room != "/flow/credentials":
            lost.use("look")
        if lost.room == "/recover":
            ask_to_recover(lost)
        if lost.room == "/flow/credentials":
            break
    lost.set_credentials()
    if lost.wait_to_be_let_in():
        boss.decide(["authorize"], lost)
    lost.ends(harbour)


def ask_to_recover(person, way="lost secret"):
    person.enter_registration()
    if person.has(way):
        person.hands.check(person.part(way))
    person.use("continue")


@way("recovery asked for", "4c")
def recovery_asked(stage, harbour):
    """The page of a recovery says what to read out, and to whom."""
    stage.bo  # noqa: B018
    lost = stage.person("bo")
    lost.begin(harbour)
    lost.use("trouble")
    ask_to_recover(lost)
    lost.arrive("/recover/waiting")
    if len(lost.words.split()) != 8:
        raise Stuck(f"the page shows these words: {lost.words}")


# The same browser again.


@way("next day", "2b", third=True)
def next_day(stage, harbour):
    """A log-in in a browser that knows the account."""
    bo = stage.bo_at(logged_in=False)
    bo.begin(harbour)
    bo.log_in()
    bo.ends(harbour)


@way("next day, passphrase", "2c")
def next_day_with_passphrase(stage, harbour):
    """The same with a passphrase."""
    pia = stage.member_at("pia", logged_in=False)
    pia.begin(harbour)
    pia.log_in()
    pia.ends(harbour)


@way("logged in", "2a", third=True)
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
        bo.use("deny")
        bo.ends(harbour, "Not logged in: access_denied")
        bo.begin(harbour)
        bo.pass_chooser()
        bo.use("act")
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


@way("two tabs", "2l")
def two_tabs(stage, harbour):
    """The page of one client waits while the person logs in at another one."""
    wiki = stage.harbour("Wiki")
    first = stage.bo_at(logged_in=False)
    first.begin(harbour)
    second = first.tab()
    second.begin(wiki)
    second.log_in()
    second.ends(wiki)
    first.witness.client = harbour.title
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
    if not bo.says(r"\bbo\b"):
        raise Stuck(f"the session of Bo was replaced: {bo.shown}")
    ada.use("instead")
    ada.ends(harbour)


@way("back and reload", "2m")
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
        if other.tells("nothing was changed"):
            raise Stuck(f"after the log-in, the button Back shows what is false: {other.shown}")
        reload(other)
        if other.room is not None:
            other.use("to the client")
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
