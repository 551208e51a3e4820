"""Counts what a walk costs its person, keeps what the browser complains about, and lets a judge look at each page."""

from visitor import is_interrupted, room
from witness import Witness

# When the document began, and its visible words. The options of a list are not read one by one.
WORDS = """() => {
  const count = (element) => element.innerText.split(/\\s+/).filter(Boolean).length;
  const lists = [...document.querySelectorAll('select')];
  return [performance.timeOrigin, lists.reduce((sum, list) => sum - count(list), count(document.body))];
}"""


class Tally(Witness):
    """Pages, clicks, fields and words of one walk on the pages of the service."""

    def __init__(self, issuer, judge=None, walk=""):
        super().__init__(issuer)
        self.judge, self.walk = judge, walk
        self.restart()
        # The client from which the person comes, and what was typed into the fields of a page.
        self.client = ""
        self.typed = {}

    def restart(self):
        """Counts from now on."""
        self.clicks = self.fields = self.prompts = 0
        self.shown = {}
        self.marks = {}

    def prompt(self, kind):
        """Notes that the browser asks its person for a passkey, or lets one be chosen in the list of a field."""
        self.prompts += 1
        if kind == "list":
            self.clicks += 1

    def look(self, page, variant):
        if not self.is_own(page.url):
            return
        moment, words = page.evaluate(WORDS)
        # A page that changes counts with most of its words.
        self.shown[moment] = max(words, self.shown.get(moment, 0))
        if self.judge:
            try:
                self.judge.look(page, self, room(page.url))
            except Exception as error:  # noqa: BLE001
                if not is_interrupted(error):
                    raise

    def note(self, field, text):
        """Notes what somebody typed, which has to survive a refusal."""
        place, typed = self.typed.get(field.page, (None, {}))
        here = room(field.page.url)
        if place != here:
            typed = {}
        name = field.get_attribute("name")
        if name and field.get_attribute("type") != "password":
            typed[name] = text
        self.typed[field.page] = (here, typed)

    def mark(self, name):
        """Notes what the walk has cost so far: the page in sight is not of it any more."""
        self.marks.setdefault(name, (max(len(self.shown) - 1, 0), self.clicks, self.fields, self.prompts))

    def fault(self, text):
        if text not in self.faults:
            self.faults.append(text)

    @property
    def counts(self):
        return len(self.shown), self.clicks, self.fields, sum(self.shown.values())


class Counting:
    """Hands whose clicks and fields are counted."""

    def __init__(self, hands, tally):
        self.hands, self.tally, self.name = hands, tally, hands.name

    def fill(self, field, text):
        self.tally.fields += 1
        self.hands.fill(field, text)
        self.tally.note(field, text)

    def choose(self, field, label):
        self.tally.fields += 1
        self.hands.choose(field, label)

    def check(self, box):
        self.tally.clicks += 1
        self.hands.check(box)

    def press(self, control):
        self.tally.clicks += 1
        self.hands.press(control)
