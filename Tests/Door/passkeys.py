"""The ways with a passkey, by the virtual authenticator of Chromium."""

import secrets

import clients
from authenticator import Authenticator
from troubles import demand
from way import waits, way

RS256 = -257


def named(stage, id, company=""):
    """Somebody with a company of the own, or with the browser of another day."""
    person = stage.person(id)
    person.settle_at(company or f"{id}-{secrets.token_hex(3)}.example")
    return person


def founder(stage, id):
    """Somebody who has just founded a company, in which passkeys are enough, and is logged in."""
    person = named(stage, id)
    person.found()
    return person


def add(person, **options):
    """Adds a passkey on the page of the devices, which then shows it."""
    authenticator = Authenticator(person, **options)
    person.open("/account/devices")
    person.use("add passkey")
    person.use("act")
    person.await_saying("synced passkey" if options.get("synced") else "bound passkey")
    # Nobody touches it until a log-in asks for it.
    authenticator.touch(False)
    return authenticator


def with_passkey(stage, id, **options):
    """A founder with a passkey who is logged out, a client of the company, and the authenticator.

    The founder's steps are counted from now on.
    """
    person, harbour = founder(stage, id), stage.harbour("Quay", company=False)
    clients.link(harbour.client.id, person.company)
    person.verify_address()
    authenticator = add(person, **options)
    person.log_out()
    stage.tally.restart()
    return person, harbour, authenticator


def log_in(person, authenticator, part="passkey"):
    """Logs in by the button."""
    button = person.part(part)
    button.wait_for()
    authenticator.touch(True)
    person.go(button)
    authenticator.touch(False)


def fail(person, saying):
    """Presses the button of a log-in that comes to nothing, and awaits what the page says."""
    button = person.part("passkey")
    button.wait_for()
    person.hands.press(button)
    person.await_saying(saying)


@way("passkey")
def passkey(stage, _):
    """Somebody adds a passkey to the account, logs out, and logs in by one click."""
    pat = founder(stage, "pat")
    authenticator = add(pat)
    pat.log_out()
    pat.open("/login")
    log_in(pat, authenticator)
    pat.arrive("/account")
    demand(pat.tells("logged in as"), "nobody is logged in", pat)


@way("passkey, next day")
def next_day(stage, _):
    """From a client to the greeting by the button."""
    tim, harbour, authenticator = with_passkey(stage, "tim")
    tim.begin(harbour)
    log_in(tim, authenticator)
    tim.ends(harbour)


@way("passkey from the list")
def from_the_list(stage, _):
    """The browser offers the passkey under the first field, and somebody chooses it there."""
    tam, harbour, authenticator = with_passkey(stage, "tam")
    # Chromium without a window chooses as soon as somebody touches the authenticator.
    authenticator.touch(True)
    tam.begin(harbour)
    tam.ends(harbour)


@way("passkey, two kinds")
def two_kinds(stage, _):
    """A synced passkey and a bound one stand in the list. One authenticator takes no second one for the account."""
    sue = founder(stage, "sue")
    synced = add(sue, synced=True)
    sue.open("/account/devices")
    sue.use("add passkey")
    synced.touch(True)
    sue.hands.press(sue.part("act"))
    sue.await_saying("has a passkey")
    synced.unplug()
    add(sue, transport="usb")
    demand(sue.tells("synced passkey"), "the synced passkey is not in the list", sue)


@way("passkey, synced, of an admin")
def synced_of_an_admin(stage, _):
    """The founder's synced passkey opens the session of an ordinary employee."""
    syd, harbour, authenticator = with_passkey(stage, "syd", synced=True)
    syd.open("/login")
    log_in(syd, authenticator)
    syd.arrive("/account")
    demand(not syd.has("approvals"), "a synced passkey alone carries the role", syd)


@way("passkey with RS256")
def rs256(stage, _):
    """An authenticator that makes keys of RS256, as that of Windows does."""
    ron, harbour, authenticator = with_passkey(stage, "ron", first=RS256)
    ron.begin(harbour)
    log_in(ron, authenticator)
    ron.ends(harbour)


@way("passkey elsewhere")
def elsewhere(stage, _):
    """A security key logs in in a browser that never was here, and approves a device there by its signature."""
    kay, harbour, authenticator = with_passkey(stage, "kay", transport="usb")
    other, phone = named(stage, "kay", kay.company), named(stage, "kay", kay.company)
    authenticator.move(other)
    authenticator.touch(False)
    other.open("/login")
    log_in(other, authenticator)
    other.arrive("/account")
    waits(harbour, phone)
    authenticator.touch(True)
    other.approve(phone.words)
    phone.ends(harbour)


@way("passkey refused")
def refused(stage, _):
    """The authenticator does not find its owner. The page says what to do, and the person logs in by answers."""
    una, harbour, authenticator = with_passkey(stage, "una")
    una.begin(harbour)
    authenticator.verify(False)
    authenticator.touch(True)
    fail(una, "passkey refused")
    una.log_in()
    una.ends(harbour)


@way("passkey, too late")
def too_late(stage, _):
    """Nobody touches the authenticator in time. The page says so, and the next try succeeds."""
    liv, harbour, authenticator = with_passkey(stage, "liv", hurry=2_000)
    liv.begin(harbour)
    fail(liv, "passkey refused")
    log_in(liv, authenticator)
    liv.ends(harbour)


@way("passkey removed")
def removed(stage, _):
    """Somebody renames the passkey, and removes it. Then it logs nobody in, and the page says what to do."""
    rae, harbour = founder(stage, "rae"), stage.harbour("Quay", company=False)
    clients.link(harbour.client.id, rae.company)
    authenticator = add(rae)

    def entry():
        return rae.page.locator("main li.item").filter(has_text=rae.saying("bound passkey")).first

    rae.hands.fill(entry().locator("input[name=name]"), "The blue key")
    rae.go(entry().locator("form[method=post] button"))
    demand(rae.page.locator("main h2", has_text="The blue key").count(), "the passkey has no new name", rae)
    rae.go(entry().locator("form:has(input[name=action][value=revoke]) button"))
    authenticator.touch(True)
    rae.use("act")
    authenticator.touch(False)
    rae.log_out()
    rae.begin(harbour)
    log_in(rae, authenticator)
    rae.await_saying("passkey unknown")
    # A page with a problem shows no accounts, so the person begins once more.
    rae.begin(harbour)
    rae.log_in()
    rae.ends(harbour)


# Registrations: the page of the questions offers a passkey in their place.


def choose_passkey(person):
    """Makes a passkey in place of questions, and gives what it cost up to the page that follows."""
    person.arrive("/flow/credentials")
    person.use("passkey")
    person.mark("registration")


@way("founded with a passkey")
def founded(stage, _):
    """Somebody comes from a client, founds a company with a passkey, and is greeted once the company links the client."""
    harbour = stage.harbour("Chart", company=False)
    fay = named(stage, "fay")
    Authenticator(fay)
    fay.begin(harbour)
    fay.use("found")
    fay.register()
    choose_passkey(fay)
    fay.settle()
    clients.link(harbour.client.id, fay.company)
    fay.begin(harbour)
    fay.log_in()
    fay.ends(harbour)


@way("invited with a passkey")
def invited(stage, harbour):
    """An invited person opens the link of the mail, and needs no questions."""
    ivy = stage.person("ivy")
    authenticator = Authenticator(ivy)
    ivy.open(stage.invitation("ivy"))
    ivy.register()
    choose_passkey(ivy)
    authenticator.touch(False)
    if ivy.wait_to_be_let_in():
        stage.admit(ivy)
    ivy.arrive("/account")
    ivy.log_out()
    ivy.begin(harbour)
    log_in(ivy, authenticator)
    ivy.ends(harbour)


@way("joined with a passkey")
def joined(stage, harbour):
    """A new person joins, and waits for an admin, who approves the passkey by its words."""
    joy = stage.person("joy")
    authenticator = Authenticator(joy)
    joy.begin(harbour)
    joy.use("join")
    joy.register()
    choose_passkey(joy)
    joy.arrive("/waiting")
    authenticator.touch(False)
    stage.admit(joy)
    # The passkey signs once more, because the registration may be days ago.
    log_in(joy, authenticator, "approved passkey")
    joy.ends(harbour)
    demand(len(authenticator.credentials) == 1, "the authenticator holds another number of passkeys", joy)


@way("another company by a passkey")
def another_company(stage, _):
    """Somebody without a secret joins another company. One authenticator holds a passkey for each, and both log in."""
    lou, home = named(stage, "lou"), stage.ada.company
    authenticator = Authenticator(lou)
    lou.open("/register/found")
    lou.register()
    choose_passkey(lou)
    lou.settle()
    lou.verify_address()
    own, lou.company = lou.company, home
    lou.open("/register/join")
    lou.register()
    lou.arrive("/flow/passphrase")
    lou.use("passkey")
    lou.arrive("/waiting")
    authenticator.touch(False)
    stage.admit(lou)
    log_in(lou, authenticator, "approved passkey")
    lou.arrive("/account")
    demand(lou.tells("logged in as"), "nobody is logged in", lou)
    demand(len(authenticator.credentials) == 2, "the authenticator holds another number of passkeys", lou)
    # The mails are about the first account.
    lou.company = own
