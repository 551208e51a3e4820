"""Ways on which something goes wrong: with the person, the browser or the network. The person arrives all the same."""

import re

from hands import Stuck
from visitor import answer
from way import waits, way

FORGET = """() => new Promise((resolve) => {
  localStorage.clear();
  const request = indexedDB.deleteDatabase('tenure');
  request.onsuccess = request.onerror = request.onblocked = () => resolve();
})"""
NO_STORE = "IDBFactory.prototype.open = function () { throw new DOMException('blocked', 'SecurityError') }"


def demand(is_so, what, person):
    if not is_so:
        raise Stuck(f"{person.page.url}: {what}: {person.shown}")


@way("private window", "2f")
def private_window(stage, harbour):
    """Each private window is a new device, which the person approves."""
    bo = stage.bo
    for _ in range(2):
        other = waits(harbour, stage.person("bo"))
        bo.approve(other.words)
        other.ends(harbour)
        other.close()
        stage.people.remove(other)


@way("data cleared", "2g")
def data_cleared(stage, harbour):
    """Somebody clears what the browser stores, and is a new device."""
    other = waits(harbour, stage.person("bo"))
    stage.bo.approve(other.words)
    other.ends(harbour)
    other.open("/login")
    other.page.evaluate(FORGET)
    other.context.clear_cookies()
    waits(harbour, other)
    stage.bo.approve(other.words)
    other.ends(harbour)


@way("key lost on the way", "2h")
def key_lost(stage, harbour):
    """The key is gone when a decision is signed: the page tells it, and says what to do."""
    other = waits(harbour, stage.person("bo"))
    phone = waits(harbour, stage.person("bo"))
    stage.bo.approve(phone.words)
    phone.ends(harbour)
    phone.open("/account/devices")
    phone.page.evaluate(FORGET)
    phone.page.set_default_timeout(6000)
    try:
        phone.approve(other.words)
    except Exception as error:  # noqa: BLE001  The button leads nowhere.
        demand(phone.has("problems"), f"nothing tells that the key is gone ({str(error)[:80]})", phone)
    demand(phone.has("problems"), "nothing tells that the key is gone", phone)
    phone.look()


@way("wrong answers", "2i")
def wrong_answers(stage, harbour):
    """Somebody mistakes two answers, and corrects them."""
    bo = stage.bo_at(logged_in=False)
    bo.begin(harbour)
    bo.enter_account()
    bo.arrive("/flow/answers")
    bo.give_answers(right=1, wrong=2)
    demand(bo.has("problems"), "wrong answers are not told", bo)
    bo.log_in()
    bo.ends(harbour)


@way("too many wrong answers", "2j")
def too_many(stage, harbour):
    """Wrong answers from a new browser end its tries, and not those of the known one."""
    stage.member("zoe")
    other = stage.person("zoe")
    other.begin(harbour)
    other.enter_account()
    other.arrive("/flow/answers")
    for _ in range(14):
        other.give_answers(right=0, wrong=3)
        if other.tells("limit of time"):
            break
        other.page.wait_for_timeout(2500 if re.search(r"\b[123] s", other.shown or "") else 100)
    demand(other.tells("limit of time"), "no limit is told", other)
    zoe = stage.member_at("zoe", logged_in=False)
    zoe.begin(harbour)
    zoe.log_in()
    zoe.ends(harbour)


@way("old page", "2k")
def old_page(stage, harbour):
    """A page says how long it lives; afterwards the person begins again and arrives."""
    bo = stage.bo_at(logged_in=False)
    bo.begin(harbour)
    bo.enter_account()
    bo.arrive("/flow/answers")
    says_limit = bo.tells("limit of time")
    kept = [cookie for cookie in bo.context.cookies() if "flow" not in cookie["name"].lower()]
    bo.context.clear_cookies()
    bo.context.add_cookies(kept)
    bo.give_answers()
    bo.look()
    if bo.room is not None:
        bo.begin(harbour)
        bo.log_in()
    bo.ends(harbour)
    demand(says_limit, "the page of the answers did not say how long it lives", bo)


@way("questions reloaded", "2n")
def questions_reloaded(stage, harbour):
    """A reload keeps the chosen questions, and no answer."""
    ned = stage.person("ned")
    ned.begin(harbour)
    ned.use("join")
    ned.register()
    ned.arrive("/flow/credentials")
    ned.choose_questions()
    ned.hands.fill(ned.part("answer"), answer("?"))
    if ned.has("next question"):
        ned.hands.press(ned.part("next question"))
    read = """() => [...document.querySelectorAll('[name^=question]')].map((e) => e.value).filter(Boolean)"""
    chosen = ned.page.evaluate(read)
    ned.page.reload()
    ned.settle()
    ned.page.wait_for_timeout(300)
    kept = ned.page.evaluate(read)
    answers = ned.page.locator("main input[name^=answer]").all()
    demand(not any(field.input_value() for field in answers), "a reload keeps an answer", ned)
    ned.set_credentials()
    ned.arrive("/waiting")
    stage.admit(ned)
    ned.ends(harbour)
    demand(chosen and kept == chosen, f"a reload lost questions: {len(kept)} of {len(chosen)} are kept", ned)


@way("double click", "2o")
def double_click(stage, harbour):
    """Buttons are pressed twice, and act once."""
    bo = stage.bo_at(logged_in=False)
    bo.begin(harbour)
    bo.page.wait_for_timeout(300)
    if bo.has("remembered"):
        bo.part("remembered").dblclick()
    else:
        bo.enter_registration()
        bo.part("continue").dblclick()
    bo.arrive("/flow/answers")
    for field in bo.asked[:3]:
        bo.hands.fill(field, answer(field.evaluate("(e) => e.labels[0].textContent.trim()")))
    bo.part("continue").dblclick()
    bo.ends(harbour)


@way("network cut", "2p")
def network_cut(stage, harbour):
    """The network is cut while answers are sent, and comes back."""
    bo = stage.bo_at(logged_in=False)
    bo.begin(harbour)
    bo.enter_account()
    bo.arrive("/flow/answers")
    for field in bo.asked[:3]:
        bo.hands.fill(field, answer(field.evaluate("(e) => e.labels[0].textContent.trim()")))
    bo.context.set_offline(True)
    bo.part("continue").click(no_wait_after=True)
    bo.page.wait_for_timeout(500)
    bo.context.set_offline(False)
    if bo.room == "/flow/answers":
        bo.use("continue")
    else:
        bo.page.reload()
        bo.settle()
    bo.log_in()
    bo.ends(harbour)


@way("no script", "2q")
def no_script(stage, harbour):
    """Without JavaScript the page tells what it needs."""
    other = stage.person("bo", java_script_enabled=False)
    other.begin(harbour)
    demand(other.tells("needs script"), "nothing tells that JavaScript is needed", other)


@way("no stored data", "2r")
def no_stored_data(stage, harbour):
    """Where the browser stores nothing, the page tells it."""
    other = stage.person("bo")
    other.context.add_init_script(NO_STORE)
    other.begin(harbour)
    other.enter_registration()
    other.part("continue").click()
    other.page.wait_for_timeout(1000)
    demand(other.tells("needs stored data"), "nothing tells that stored data is needed", other)
    other.look()


@way("zoom", "2s")
def zoom(stage, harbour):
    """A window of 320 pixels, which is a wide one at 400 %."""
    other = waits(harbour, stage.person("bo", width=320))
    stage.bo.approve(other.words)
    other.ends(harbour)


@way("dark", "2t")
def dark(stage, harbour):
    """A browser that prefers dark pages."""
    other = waits(harbour, stage.person("bo", scheme="dark"))
    stage.bo.approve(other.words)
    other.ends(harbour)


@way("long names", "2u")
def long_names(stage, harbour):
    """A user name of sixty characters in two scripts, with an emoji."""
    person = stage.person("fox")
    person.id, person.display = "🦊 zoë " + "مريم " * 4 + "x" * 30, "Zoë مريم 🦊 " + "of the long name " * 3
    person.begin(harbour)
    person.join(stage.company)
    person.arrive("/waiting")
    stage.admit(person)
    person.ends(harbour, "Hello")


@way("mistyped", "2v")
def mistyped(stage, harbour):
    """Somebody mistypes the account: questions that nobody chose, a hint, and no such account in the list."""
    other = stage.person("baa")
    other.company = other.company.replace("example", "exmaple")
    other.address = f"baa@{other.company}"
    other.begin(harbour)
    other.enter_account()
    if other.room == "/flow/passphrase":
        other.passphrase = "not the one of anybody"
        other.give_passphrase()
    else:
        other.give_answers(right=0, wrong=3)
    demand(other.has("problems"), "wrong answers are not told", other)
    hints = other.tells("not these")
    other.open("/login")
    other.page.wait_for_timeout(500)
    demand(not other.parts("remembered").filter(has_text="baa").count(), "the typo is remembered as an account", other)
    demand(hints, "no hint says that these may be somebody else's questions", other)


@way("password manager", "2w")
def password_manager(stage, harbour):
    """What a password manager saves with the passphrase is what the log-in page asks for."""
    stage.member("pia")
    other = stage.person("pia")
    other.passphrase = stage.member("pia").passphrase
    other.begin(harbour)
    name = other.page.locator("main input[autocomplete=username]").filter(visible=True)
    demand(name.count(), "no field of the log-in page takes what a manager saved", other)
    other.enter_registration()
    typed = name.first.input_value()
    other.use("continue")
    other.arrive("/flow/passphrase")
    saved = other.page.locator("input[autocomplete=username]").first.input_value()
    other.log_in()
    other.arrive("/waiting")
    stage.admit(other)
    other.ends(harbour)
    demand(saved == typed, f"the manager saves {saved}, and the log-in page asks for {typed}", other)
