"""What people do on the pages: register, log in, confirm an address, approve a device, log out."""

import re
import time
from hands import Stuck
from visitor import Visitor, answer, room


class Founder(Visitor):
    """Somebody who registers, and knows the answers to the own questions."""

    passphrase = ""

    def found(self):
        """Founds a company, up to the page of the account."""
        self.open("/register/found")
        self.enter_registration()
        self.press("^Continue$")
        self.set_credentials()
        self.arrive("/account")

    def enter_registration(self):
        self.fill("^Company", self.company)
        self.fill(r"\bid\b", self.id)
        self.fill("address", self.address)

    def set_credentials(self):
        """Chooses five of the listed questions, each another one, and answers them."""
        self.arrive("/flow/credentials")
        for number in range(1, 6):
            question = self.field(f"^Question {number}$")
            text = question.locator("option").nth(number + 2).text_content().strip()
            self.hands.choose(question, text)
            self.fill(f"^Answer {number}$", answer(text))
        if self.passphrase:
            self.fill("^New passphrase$", self.passphrase)
            self.fill("^The passphrase again$", self.passphrase)
        self.press("^Save and continue$")

    def enter_account(self):
        """Names the account on the log-in page: a remembered one by its button, else by the form."""
        account = re.compile(rf"{re.escape(self.id)}\s+{re.escape(self.company)}", re.I)
        known = self.page.get_by_role("button", name=account)
        # The module shows the accounts after it has read them.
        self.page.wait_for_timeout(300)
        if known.count():
            self.go(known.first)
        else:
            # The form is behind a button where the browser knows other accounts.
            if not self.page.get_by_label("Company", exact=True).is_visible():
                if not self.page.get_by_role("button", name="Use another account").is_visible():
                    text = " ".join(self.page.locator("body").inner_text().split())[:300]
                    raise Stuck(f"{self.page.url} has no form for the account: {text}")
                self.hands.press(self.control("^Use another account$"))
            self.fill("^Company$", self.company)
            self.fill(r"\bid\b", self.id)
            self.press("^Continue$")

    def give_answers(self, right=3, wrong=0):
        """Answers some of the questions that the page asks."""
        fields = self.page.get_by_role("textbox").all()
        for place, field in enumerate(fields[: right + wrong]):
            question = field.evaluate("(e) => e.labels[0].textContent.trim()")
            self.hands.fill(field, answer(question) if place < right else "something else")
        self.press("^Continue$")

    def pick_account(self):
        """Chooses the account. If this browser has another key for it, the page asks to begin again."""
        self.hands.press(self.control(rf"{re.escape(self.id)}.*{re.escape(self.company)}"))
        self.page.wait_for_timeout(500)
        if self.room == "/flow/account" and self.says("Log in once more"):
            self.look()
            self.press("^Log in with your e-mail address$")
            self.enter_address()
        else:
            self.page.wait_for_url(lambda url: room(url) != "/flow/account")
            self.settle()

    def log_in_by_address(self):
        """The log-in with an address instead of company and id."""
        self.open("/login")
        self.press("^Log in with your e-mail address$")
        self.enter_address()
        self.log_in()

    def enter_address(self):
        self.fill("^Your e-mail address$", self.address)
        self.press("^Continue$")

    def give_passphrase(self):
        self.fill("^Passphrase", self.passphrase)
        self.press("^Continue$")

    def log_in(self):
        """Goes through the pages of a log-in until another page comes."""
        steps = {
            "/login": self.enter_account, "/flow/answers": self.give_answers, "/flow/passphrase": self.give_passphrase,
            "/accounts": lambda: self.press("^Continue with this account$"), "/consent": lambda: self.press("^Allow$"),
            "/flow/account": self.pick_account}
        for _ in range(8):
            # The answer to an app stays at the address of its form.
            if self.room not in steps or self.page.locator("#answer, main a[href*=\"code=\"]").count():
                return
            steps[self.room]()
        raise Stuck(f"the log-in does not end; it is at {self.page.url}:\n{self.page.locator('main').inner_text()}")

    def arrive(self, path):
        """Waits for a page of the service, whatever the id of its flow."""
        try:
            self.page.wait_for_url(lambda url: room(url) == path)
        except Exception as error:
            text = self.page.locator("body").inner_text()[:1500]
            raise Stuck(f"{self.page.url} is shown instead of {path}:\n{text}") from error
        self.page.wait_for_load_state()
        self.look()

    @property
    def words(self):
        """The words that a waiting page shows."""
        return " ".join(self.page.locator(".words").first.inner_text().split())

    def pass_chooser(self):
        """Goes on from the chooser, which a client of another site passes before the consent."""
        if self.room == "/accounts":
            self.press("^Continue with this account$")

    def approve(self, words, path="/account/devices"):
        """Approves the device that shows these words, from a list of waiting devices.

        A list that shows no words is tried entry by entry: the decision asks which row of words the device shows.
        """
        self.open(path)
        for place in range(self.waiting.count()):
            item = self.waiting.nth(place)
            shown = item.locator(".words")
            if shown.count() and " ".join(shown.first.inner_text().split()) != words:
                continue
            role, name = item.get_by_role, re.compile("^Approve")
            self.go(role("link", name=name).or_(role("button", name=name)).first)
            row = self.page.get_by_role("radio", name=re.compile(r"\s+".join(map(re.escape, words.split()))))
            if self.page.get_by_role("radio").count() and not row.count():
                self.open(path)
                continue
            if row.count():
                self.hands.check(row.first)
            return self.press(r"^(Sign|Approve)\b")
        raise Stuck(f"no waiting device on {path} shows {words!r}")

    @property
    def waiting(self):
        """The entries of a list that can be approved."""
        return self.page.get_by_role("listitem").filter(has_text=re.compile(r"^\s*Approve", re.M))

    def reach(self, url):
        """Opens a page of another site."""
        self.page.goto(url)

    def verify_address(self):
        """Follows the link that confirms the address."""
        before = time.time() - 1
        self.open("/account")
        self.press("^Confirm my address$")
        self.expect("A mail is on its way")
        self.open(self.link(before))
        self.press("^It is me: go on$")
        self.hands.press(self.control("^Confirm your address$"))
        self.expect("You may close this page")

    def log_out(self):
        """Logs out on the page of the account."""
        self.open("/account")
        self.press("^Log out$")
