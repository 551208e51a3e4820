"""The ways of founders and admins, and those about an account that is lost, taken or to be changed."""

import contextlib
import re
import time

import clients
from clients import issuer
from hands import Stuck
from troubles import demand
from way import waits, way
from ways import ask_to_recover, confirm_by_mail


@way("founding", "1a")
def founding(stage, _):
    """A company is set up from the first page, and a next step is offered."""
    gil = stage.person("gil")
    gil.settle_at(f"gulf-{time.monotonic_ns() % 10**8}.example")
    gil.open("/")
    gil.found_from_here()
    gil.arrive("/account")
    demand(gil.has("confirm my address"), "the first page offers no confirmation of the address", gil)
    if gil.has("another device"):
        return
    raise Stuck(f"the first page offers no second device and no second admin: {gil.shown}")


@way("address confirmed", "1b")
def address_confirmed(stage, harbour):
    """A person confirms the address; the page leads on, and the client learns it."""
    hal = stage.person("hal")
    hal.begin(harbour)
    hal.join(stage.company)
    hal.arrive("/waiting")
    stage.admit(hal)
    hal.ends(harbour)
    hal.verify_address()
    hal.begin(harbour)
    hal.log_in()
    hal.ends(harbour)


@way("admin approves", "1d")
def admin_approves(stage, harbour):
    """The admin's part: from the mail that tells it, or the account, to the decision, and a sentence afterwards."""
    stage.bo  # noqa: B018
    ada = stage.ada
    other = waits(harbour, stage.person("bo", tally=stage.helper))
    stage.count(ada)
    ada.adopt(ada.context.new_page())
    links = [link for mail in ada.mails() for link in re.findall(
        rf"{re.escape(issuer())}/account/approvals\S*", mail.get_body(("plain",)).get_content())]
    ada.open(links[0] if links else "/account")
    if not ada.has("approve"):
        ada.use("approvals")
    ada.decide("approve", other.words, who="bo")
    demand(ada.page.locator("main [role=status]").filter(visible=True).filter(has_text="bo").count(),
           "no sentence says what is now true", ada)
    other.ends(harbour)


@way("admin is told")
def admin_is_told(stage, harbour):
    """Somebody waits: the account and its navigation say so, and a mail came."""
    stage.bo  # noqa: B018
    ada = stage.ada
    other = waits(harbour, stage.person("bo"))
    ada.open("/account")
    demand(not ada.tells("nothing to do"), "the account says that there is nothing to do", ada)
    demand(re.search(r"\d", ada.part("approvals").inner_text()), "the navigation has no number", ada)
    stage.admit(other)
    other.ends(harbour)
    ada.mail(part="/account/approvals", patience=3)


@way("five devices", "4a")
def five_devices(stage, harbour):
    """An admin approves five devices one after the other."""
    stage.bo  # noqa: B018
    others = [waits(harbour, stage.person("bo", tally=stage.helper)) for _ in range(5)]
    stage.count(stage.ada)
    for other in others:
        stage.ada.decide("approve", other.words, "/account/approvals", "bo")
    for other in others:
        other.ends(harbour)


@way("refused device", "4b")
def refused_device(stage, harbour):
    """An admin refuses a device; its page tells it, and what to do."""
    stage.bo  # noqa: B018
    other = waits(harbour, stage.person("bo"))
    stage.ada.open("/account/approvals")
    stage.ada.decide("refuse", other.words, who="bo")
    for _ in range(100):
        if not other.has("words"):
            break
        other.page.wait_for_timeout(100)
    other.look()
    demand(not other.has("words") and other.room is not None, "the refused device is told nothing", other)


@way("removed device")
def removed_device(stage, harbour):
    """Somebody removes a device; it begins again by itself, without instructions to repair software."""
    other = waits(harbour, stage.person("bo"))
    stage.bo.approve(other.words)
    other.ends(harbour)
    other.open("/account/devices")
    current = other.page.locator("main li.item, main tr").filter(has=other.page.locator("strong")).first
    other.go(current.locator("form:has(input[name=action][value=revoke]) button").first)
    other.use("act")
    other.begin(harbour)
    other.log_in()
    other.use("renew")
    other.log_in()
    demand(other.room == "/waiting", "the removed browser cannot ask again", other)
    stage.admit(other)
    other.ends(harbour)


@way("founder's return", "3b")
def founders_return(stage, _):
    """The lone founder of the first month lost the browser: the waiting page offers the way back."""
    harbour, founder, lost = stage.harbour("Solo", company=False), stage.person("sol"), stage.person("sol")
    company = f"isle-{time.monotonic_ns() % 10**8}.example"
    for person in (founder, lost):
        person.settle_at(company)
    founder.found()
    founder.verify_address()
    founder.close()
    stage.people.remove(founder)
    clients.link(harbour.client.id, company)
    before = time.time() - 1
    waits(harbour, lost)
    lost.use("trouble")
    ask_to_recover(lost, "lost devices")
    lost.log_in()
    lost.arrive("/recover/waiting")
    words = lost.words
    tab = lost.tab()
    tab.open(tab.link(before, path="/return/"))
    tab.pass_mail()
    row = tab.page.get_by_role("radio", name=re.compile(r"\s+".join(words.split())))
    if row.count():
        tab.hands.check(row.first)
    tab.use("act")
    # Nobody shortens the 48 hours: the page says when they end.
    lost.page.wait_for_timeout(1000)
    lost.look()
    if lost.has("remembered") or lost.room in ("/recover", "/recover/waiting"):
        with contextlib.suppress(Stuck):
            lost.use("look")
    if lost.room == "/recover":
        ask_to_recover(lost, "lost devices")
    with contextlib.suppress(Stuck):
        lost.log_in()
    demand(lost.page.locator("main time").count(), "nothing says when the return can be completed", lost)


@way("new answers", "3e")
def new_answers(stage, harbour):
    """Somebody changes the answers on the page of the account, and sets a passphrase."""
    stage.member("uma")
    uma = stage.member_at("uma", logged_in=True)
    uma.open("/account")
    uma.use("credentials")
    uma.use("change credentials")
    uma.log_in()
    uma.passphrase = "four quiet lamps nearby"
    uma.set_credentials()
    uma.arrive("/account/credentials")
    uma.open("/account")
    uma.use("log out")
    uma.begin(harbour)
    uma.log_in()
    uma.ends(harbour)


@way("new address", "3d")
def new_address(stage, harbour):
    """Somebody changes the own address, and logs in with the new one."""
    stage.member("ivy")
    ivy = stage.member_at("ivy", logged_in=True)
    ivy.open("/account")
    before = time.time() - 1
    if not ivy.page.locator("form[action*='/account/address'] input[name=email]").filter(visible=True).count():
        ivy.use("new address")
    ivy.address = f"ivy.new@{ivy.company}"
    ivy.enter_registration()
    ivy.use("continue")
    code = re.search(r"\b[0-9A-Z]{4}-[0-9A-Z]{4}\b", ivy.mail(before))
    ivy.hands.fill(ivy.part("code"), code.group())
    ivy.use("send code")
    ivy.use("act")
    ivy.open("/account")
    demand(ivy.says(re.escape(ivy.address)), "the account does not show the new address", ivy)
    ivy.begin(harbour)
    ivy.log_in()
    ivy.ends(harbour)


@way("leaver", "3f")
def leaver(stage, _):
    """An admin cancels somebody: the browser's session ends at once."""
    boss = stage.terminal()
    harbour = stage.harbour("Beacon", company=False)
    clients.link(harbour.client.id, boss.company)
    max_ = stage.person("max")
    max_.settle_at(boss.company)
    max_.begin(harbour)
    max_.join(boss.company)
    max_.arrive("/waiting")
    boss.decide(["authorize"], max_)
    max_.ends(harbour)
    boss.client("decide", boss.company, "max", "cancel", "--as", "boss", "--yes")
    max_.open("/account")
    demand(max_.room.startswith("/login"), "the session of the leaver is open", max_)
    max_.begin(harbour)
    demand(max_.room is not None, "the client is reached by somebody who left", max_)


@way("joined by domain", "1g")
def joined_by_domain(stage, _):
    """Whoever has an address of the company's domain gets in with the mail, and no admin does anything."""
    company = domain_company(stage)
    harbour = stage.harbour("Lagoon", company=False)
    clients.link(harbour.client.id, company)
    gus = stage.person("gus")
    gus.settle_at(company)
    before = time.time() - 1
    gus.begin(harbour)
    gus.join(company)
    gus.arrive("/waiting")
    confirm_by_mail(gus, before, harbour)


@way("domain, from the log-in page", "1f")
def joined_by_domain_from_log_in(stage, _):
    """The same on a phone, without a client: the walk ends at the account."""
    ines = stage.person("ines", width=390)
    ines.settle_at(domain_company(stage))
    before = time.time() - 1
    ines.open("/register/join")
    ines.register()
    ines.set_credentials()
    ines.arrive("/waiting")
    ines.page.goto(ines.link(before, path="/waiting/mail/"))
    ines.pass_mail()
    ines.use("act")
    ines.arrive("/account")


def domain_company(stage):
    """A company whose domain is confirmed, and which lets in who has an address of it."""
    boss = stage.terminal("domain")
    if not hasattr(boss, "is_domain"):
        clients.tenure("company", "confirm-domain", boss.company)
        boss.change_policy(registrationMode="domain")
        boss.is_domain = True
    return boss.company


@way("people approved")
def people_approved(stage, _):
    """Where an admin approves people, they and their devices are on the list, and arrive once all is approved."""
    boss = stage.terminal("guild")
    boss.change_policy(approval="admin")
    harbour = stage.harbour("Chart", company=False)
    clients.link(harbour.client.id, boss.company)
    admin, lu = stage.person("boss", tally=stage.helper), stage.person("lu")
    for person in (admin, lu):
        person.settle_at(boss.company)
    admin.open("/login")
    admin.log_in()
    admin.arrive("/waiting")
    boss.decide(["authorize"], admin)
    admin.arrive("/account")
    lu.begin(harbour)
    lu.join(boss.company)
    lu.arrive("/waiting")
    words = lu.words
    for _ in range(2):
        admin.open("/account/approvals")
        if not admin.has("approve"):
            break
        admin.decide("approve", words, who="lu")
    lu.ends(harbour)


@way("squatted address")
def squatted_address(stage, harbour):
    """A stranger founded a company with somebody's address. Its owner gets it by proving the mailbox."""
    stranger, zed = stage.person("zed"), stage.person("zed")
    stranger.company = f"evil-{time.monotonic_ns() % 10**8}.example"
    stranger.found()
    stranger.close()
    stage.people.remove(stranger)
    before = time.time() - 1
    zed.begin(harbour)
    zed.use("join")
    zed.register()
    if zed.room != "/flow/credentials":
        demand(zed.has("not mine"), "a stranger's questions, and no way out", zed)
        zed.use("not mine")
        zed.use("send mail")
        code = re.search(r"\b([A-Z0-9]{4}-[A-Z0-9]{4})\b", zed.mail(before, part=""))
        zed.hands.fill(zed.part("code"), code[1])
        zed.use("continue")
    zed.set_credentials()
    zed.arrive("/waiting")
    stage.admit(zed)
    zed.ends(harbour)
