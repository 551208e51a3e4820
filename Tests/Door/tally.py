"""Counts what a walk costs its person, and keeps what the browser complains about."""

from witness import Witness

# When the document began, and its visible words. The options of a list are not read one by one.
WORDS = """() => {
  const count = (element) => element.innerText.split(/\\s+/).filter(Boolean).length;
  const lists = [...document.querySelectorAll('select')];
  return [performance.timeOrigin, lists.reduce((sum, list) => sum - count(list), count(document.body))];
}"""


class Tally(Witness):
    """Pages, clicks, fields and words of one walk on the pages of the service. Nothing else is judged."""

    def __init__(self, issuer):
        super().__init__(issuer)
        self.clicks = self.fields = 0
        self.shown = {}

    def look(self, page, variant):
        if self.is_own(page.url):
            moment, words = page.evaluate(WORDS)
            # A page that changes counts with most of its words.
            self.shown[moment] = max(words, self.shown.get(moment, 0))

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

    def choose(self, field, label):
        self.tally.fields += 1
        self.hands.choose(field, label)

    def check(self, box):
        self.tally.clicks += 1
        self.hands.check(box)

    def press(self, control):
        self.tally.clicks += 1
        self.hands.press(control)
