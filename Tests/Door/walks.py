"""What people do on the pages: register, log in, confirm an address, approve a device, log out."""

import re
import time
from hands import Stuck
from visitor import Visitor, answer, room

# What a field of a form asks for. The name comes first, because an address too may have the autocomplete `username`.
KIND = """(field) => {
  if (field.readOnly || field.disabled) return '';
  const is = (...names) => names.includes(field.name) || names.includes(field.autocomplete);
  if (is('code')) return 'code';
  if (is('company', 'organization')) return 'company';
  if (is('email') || field.inputMode === 'email') return 'address';
  if (is('employee', 'user', 'username')) return 'id';
  if (is('display', 'displayName', 'name', 'nickname')) return 'display';
  return '';
}"""
# The question that an answer is to: chosen in a list or a field beside it, or its label.
ASKED = """(field) => {
  const label = field.labels?.[0]?.textContent.trim() ?? '';
  const number = /^answer(\\d)$/.exec(field.name)?.[1];
  const chosen = number && document.querySelector(`[name=question${number}]`);
  if (!chosen) return label;
  return chosen.selectedOptions ? chosen.selectedOptions[0].label : chosen.value;
}"""


class Founder(Visitor):
    """Somebody who registers, and knows the answers to the own questions."""

    passphrase = ""
    # How colleagues see the person, if a page asks.
    display = ""
    # The code of an invitation or of the operator, if a form asks for one.
    code = ""

    def found(self):
        """Founds a company, up to the page of the account."""
        self.open("/register/found")
        self.register()
        self.set_credentials()
        self.arrive("/account")

    def register(self):
        """Fills in the forms of a registration, until the page of the credentials."""
        for _ in range(4):
            # Somebody else's questions are not answered here.
            if self.room in ("/flow/credentials", "/flow/answers", "/flow/passphrase"):
                return
            before = self.page.url
            self.enter_registration()
            self.use("continue")
            if self.page.url == before and self.has("problems"):
                raise Stuck(f"the registration is refused: {self.shown}")

    def enter_registration(self):
        """Fills in what the form with the first button asks for."""
        texts = {"company": self.company, "id": self.id, "address": self.address, "code": self.code,
                 "display": self.display or f"{self.id.capitalize()} of the walks"}
        form = self.part("continue").locator("xpath=ancestor::form[1]")
        for field in form.locator("input:not([type=hidden])").filter(visible=True).all():
            text = texts.get(field.evaluate(KIND), "")
            if text and field.input_value() != text:
                self.hands.fill(field, text)

    def set_credentials(self):
        """Chooses five of the listed questions, each another one, and answers them, at once or one by one."""
        self.arrive("/flow/credentials")
        self.mark("credentials")
        for _ in range(12):
            self.enter_registration()
            self.choose_questions()
            for field in self.parts("answer").all():
                if not field.input_value():
                    self.hands.fill(field, answer(field.evaluate(ASKED)))
            if self.passphrase:
                for field in self.page.locator("input[autocomplete=new-password]").filter(visible=True).all():
                    self.hands.fill(field, self.passphrase)
            if self.has("next question"):
                self.hands.press(self.part("next question"))
                self.look()
                continue
            self.use("continue")
            if self.room != "/flow/credentials":
                return
            if self.has("problems"):
                raise Stuck(f"the credentials are refused: {self.shown}")

    def choose_questions(self):
        """Chooses a question wherever none is chosen yet. The first two of the list are left to those who mistake."""
        for field in self.parts("question").all():
            if field.input_value():
                continue
            number = int(re.sub(r"\D", "", field.get_attribute("id")))
            if field.evaluate("(e) => e.tagName") == "SELECT":
                self.hands.choose(field, field.locator("option").nth(number + 2).text_content().strip())
            else:
                options = self.page.locator(f"datalist#{field.get_attribute('list')} option")
                text = options.nth(number + 1).evaluate("(e) => e.value || e.textContent").strip()
                self.hands.fill(field, text)

    def mark(self, name):
        """Notes what the walk has cost so far."""
        if hasattr(self.witness, "mark"):
            self.witness.mark(name)

    def enter_account(self):
        """Names the account on the log-in page: a remembered one by its button, else by the form."""
        # The module shows the accounts after it has read them.
        self.page.wait_for_timeout(300)
        known = self.parts("remembered").filter(
            has_text=re.compile(rf"(?=.*\b{re.escape(self.id)}\b)(?=.*{re.escape(self.company)})", re.I | re.S))
        if known.count():
            return self.go(known.first)
        # The form is behind a button where the browser knows other accounts.
        if not self.has("continue") and self.has("another account"):
            self.hands.press(self.part("another account"))
        self.page.wait_for_timeout(50)
        if not self.has("continue"):
            raise Stuck(f"{self.page.url} has no form for the account: {self.shown}")
        self.enter_registration()
        self.use("continue")

    @property
    def asked(self):
        """The fields of the answers that a page asks for."""
        return self.page.locator("main form input[type=text]:not([name=username])").filter(visible=True).all()

    def give_answers(self, right=3, wrong=0):
        """Answers some of the questions that the page asks."""
        for place, field in enumerate(self.asked[: right + wrong]):
            question = field.evaluate("(e) => e.labels[0].textContent.trim()")
            self.hands.fill(field, answer(question) if place < right else "something else")
        self.use("continue")

    def pick_account(self):
        """Chooses the account. If this browser has another key for it, the page asks to begin again."""
        account = re.compile(rf"{re.escape(self.id)}.*{re.escape(self.company)}", re.I | re.S)
        self.hands.press(self.page.locator("form[data-pick] button").filter(has_text=account).first)
        self.page.wait_for_timeout(500)
        if self.room == "/flow/account" and self.has("problems"):
            self.look()
            self.use("by address")
            self.enter_registration()
            self.use("continue")
        else:
            self.page.wait_for_url(lambda url: room(url) != "/flow/account")
            self.settle()

    def log_in_by_address(self):
        """The log-in with an address instead of company and user name."""
        self.open("/login")
        if self.has("by address"):
            self.use("by address")
        self.page.wait_for_timeout(300)
        if not self.has("continue") and self.has("another account"):
            self.hands.press(self.part("another account"))
        self.enter_registration()
        self.use("continue")
        self.log_in()

    def give_passphrase(self):
        self.hands.fill(self.page.locator("input[autocomplete=current-password]").first, self.passphrase)
        self.use("continue")

    def log_in(self):
        """Goes through the pages of a log-in until another page comes."""
        steps = {
            "/login": self.enter_account, "/passkey/login": self.enter_account,
            "/login/address": self.enter_account, "/login/company": self.enter_account,
            "/flow/answers": self.give_answers, "/flow/passphrase": self.give_passphrase,
            "/accounts": lambda: self.use("act"), "/consent": lambda: self.use("act"),
            "/flow/account": self.pick_account, "/address": lambda: self.use("without")}
        for _ in range(8):
            # The answer to an app stays at the address of its form.
            if self.room not in steps or self.has("renew") or self.page.locator("#answer, main a[href*=\"code=\"]").count():
                return
            steps[self.room]()
        raise Stuck(f"the log-in does not end; it is at {self.page.url}:\n{self.page.locator('main').inner_text()}")

    def arrive(self, path):
        """Waits for a page of the service, whatever the id of its flow."""
        try:
            self.page.wait_for_url(lambda url: room(url) == path or (room(url) or "").startswith(f"{path}/"))
        except Exception as error:
            text = self.page.locator("body").inner_text()[:1500]
            raise Stuck(f"{self.page.url} is shown instead of {path}:\n{text}") from error
        self.page.wait_for_load_state()
        self.look()

    @property
    def words(self):
        """The words that a waiting page shows."""
        return " ".join(self.part("words").inner_text().split())

    def pass_chooser(self):
        """Goes on from the chooser, which a client of another site passes before the consent."""
        if self.room == "/accounts":
            self.use("act")

    def approve(self, words, path="/account/devices"):
        """Approves the device that shows these words, from a list of waiting devices."""
        self.open(path)
        self.decide("approve", words, path)

    def decide(self, decision, words, path=None, who=""):
        """Approves or refuses the device that shows these words, on a page or on the one in sight.

        A list that shows no words is tried entry by entry: the decision asks which row of words the device shows. Only
        the entries of one person are tried, if somebody is named.
        """
        if path:
            self.open(path)
        path = path or self.room
        for place in reversed(range(self.parts(decision).count())):
            control = self.parts(decision).nth(place)
            entry = control.locator("xpath=ancestor::*[self::li or self::tr or self::article][1]")
            if who and not re.search(rf"(?<!\w){re.escape(who)}(?!\w)", entry.inner_text()):
                continue
            shown = entry.locator(".words")
            if shown.count() and " ".join(shown.first.inner_text().split()) != words:
                continue
            self.go(control)
            row = self.page.get_by_role("radio", name=re.compile(r"\s+".join(map(re.escape, words.split()))))
            if self.page.get_by_role("radio").count() and not row.count():
                self.open(path)
                continue
            if row.count():
                self.hands.check(row.first)
            elif decision == "refuse" and not self.says(r"\s+".join(map(re.escape, words.split()))):
                self.open(path)
                continue
            return self.use("act")
        raise Stuck(f"no waiting device on {path} shows {words!r}")

    def reach(self, url):
        """Opens a page of another site."""
        self.page.goto(url)

    def verify_address(self):
        """Follows the link that confirms the address."""
        before = time.time() - 1
        self.open("/account")
        self.use("confirm my address")
        self.open(self.link(before))
        self.pass_mail()
        self.hands.press(self.part("act"))
        self.until("() => !document.querySelector('form[data-arm]')")
        self.look()

    def pass_mail(self):
        """Goes on from the page of a mailed link to the one with the button, if there are two."""
        if not self.has("act"):
            self.use("go on")

    def log_out(self):
        """Logs out on the page of the account."""
        self.open("/account")
        self.use("log out")
