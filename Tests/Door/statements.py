"""Twenty statements about the pages and mails, each with yes or no for everything that the walks see, and a picture.

A check returns what is wrong as a list of texts, or nothing if the statement does not concern the page.
"""

import collections
import pathlib
import re

import labels
from clients import issuer

FACTS = (pathlib.Path(__file__).parent / "facts.js").read_text()
# The pages on the way of a client.
ON_THE_WAY = ("/login", "/flow", "/waiting", "/accounts", "/consent", "/register", "/join", "/recover")
FLOW = re.compile(r"/[A-Za-z0-9_-]{22}(?=/|$|\?)")
HEXADECIMAL = re.compile(r"\b(?=[a-z]*\d)[0-9a-f]{16,}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-")
FOREIGN_TIME = re.compile(r"\bUTC\b|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}/\d{1,2}/\d{4}\b")
CLOCK = re.compile(r"\b\d{1,2}[:.h]\d{2}\b")
# A mail about a device leads to its page, or says that there is a device.
DEVICE = re.compile(r"/waiting/mail/|(new|neues|nouvel) (device|gerät|appareil)", re.I)


class View:
    """A page as it is shown to somebody at one moment."""

    def __init__(self, page, facts, tally, room):
        self.page, self.facts, self.tally, self.room = page, facts, tally, room

    def __getattr__(self, name):
        return self.facts[name]

    def text(self, fixed=True, folded=True):
        """The visible text; without `fixed` only what is in the reader's language, without `folded` what is not folded."""
        return "\n".join(part["text"] for part in self.texts
                         if (fixed or not part["isFixed"]) and (folded or not part["isFolded"]))

    def says(self, name):
        return labels.saying(name, self.lang if self.lang in labels.COMMON else "en").search(self.text()) is not None

    def holds(self, path, part):
        """Whether another page has a part, for the person who sees this one."""
        answer = self.page.context.request.get(issuer() + path, max_redirects=0)
        return answer.status == 200 and part in answer.text()

    def is_logged_in(self):
        return self.page.context.request.get(issuer() + "/account", max_redirects=0).status == 200


def operator(view):
    _, dash, name = view.title.rpartition(" – ")
    faults = [] if dash and any(name in text for text in [view.text(), *view.alts]) else ["no name of the operator"]
    return faults + ["no icon"] * (view.icon in ("", "data:,"))


def next_step(view):
    return ["neither a link nor a button"] if not view.next and not view.isLive else []


def names_client(view):
    """A flow that names the client once names it on each page. A way back to an account begins without one."""
    flow = FLOW.search(view.page.url)
    if not view.tally.client or not flow or not view.room.startswith(ON_THE_WAY):
        return None
    named = view.tally.__dict__.setdefault("named", set())
    if view.tally.client in view.title or view.room == "/login":
        named.add(flow[0])
    if flow[0] not in named:
        return None
    return [] if view.tally.client in view.title else [f"the title is “{view.title}”"]


def title_begins_with_heading(view):
    if len(view.headings) != 1:
        return [f"{len(view.headings)} headings"]
    language = view.lang if view.lang in labels.COMMON else "en"
    is_error = labels.saying("an error", language).search(view.title) is not None
    words = re.sub(r"^[^:–]+: ", "", view.title).split(" – ")[0]
    faults = [] if words in view.headings[0] or view.headings[0] in view.title else [f"the title is “{view.title}”"]
    return faults + ["the title says no error"] * (view.hasProblems and not is_error)


def one_word(view):
    text = view.text(fixed=False, folded=False).lower()
    return [f"“{word}”" for word in labels.BANNED.get(view.lang, {}) if word in text]


def red_for_final_acts(view):
    language = view.lang if view.lang in labels.COMMON else "en"
    must, may = labels.saying("a final act", language), labels.saying("an act that may be final", language)
    wrong = [f"“{name}” is red" for name in view.red if not may.search(name)]
    return wrong + [f"“{name}” is not red" for name in view.acts if must.search(name) and name not in view.red]


def entries_survive(view):
    place, typed = view.tally.typed.get(view.page, (None, {}))
    if not view.hasProblems or place != view.room or not typed:
        return None
    return [f"{name} is lost" for name, text in typed.items() if name in view.values and view.values[name] != text]


def nothing_false(view):
    if view.says("nothing to do"):
        waiting = [path for path in ("/account/approvals", "/account/devices") if view.holds(path, "action=authorize")]
        return [f"something waits on {path}" for path in waiting]
    if view.says("nothing was changed"):
        return ["the person is logged in"] if view.is_logged_in() else []
    return None


def in_the_language(view):
    faults = [] if view.lang == view.reader else [f"the page is {view.lang}, the reader {view.reader}"]
    spoken = labels.language_of(view.text(fixed=False))
    return faults + ([] if spoken in (None, view.reader) else [f"the text is {spoken}, the reader {view.reader}"])


def for_experts(view):
    return HEXADECIMAL.findall(view.text(folded=False))


def local_times(view):
    return FOREIGN_TIME.findall(view.text(folded=False))


def contact(view):
    if not view.says("the operator"):
        return None
    return [] if view.contacts else ["it names the operator, and no way to reach them"]


def mail_in_the_language(mail):
    spoken = labels.language_of(mail.text)
    return [] if spoken in (None, mail.language) else [f"the mail is {spoken}, the reader {mail.language}"]


def plain(text):
    """A text without what mails take out of names that anybody may choose."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def mail_names_all(mail):
    has = {"the account": mail.id in re.findall(r"\w+", mail.text) or mail.address in mail.text,
           "the company": plain(mail.company) in plain(mail.text), "the time": CLOCK.search(mail.text),
           "who did it": re.search(r"^(By|Durch|Par)\b", mail.text, re.M),
           "the device": not DEVICE.search(mail.text) or re.search(r"(Chromium|Firefox)", mail.text)}
    return [f"without {what}" for what, is_there in has.items() if not is_there]


# Number, name and sentence; what judges a page, or a mail, or the name of a fault of the browser.
PAGES = {
    1: ("operator", "The operator's name and mark are on every page.", operator),
    2: ("next step", "No page is without a next step.", next_step),
    3: ("client", "The title names the client from which the person comes.", names_client),
    4: ("heading", "A page has one heading; the title has it too, and says an error first.", title_begins_with_heading),
    5: ("one word", "One act has one word, that of the glossary.", one_word),
    6: ("text", "No text is smaller than 14 pixels.", lambda view: view.small),
    7: ("targets", "What is pressed is 44 pixels high and wide.", lambda view: view.targets),
    8: ("red", "Final acts are red, and nothing else that is pressed.", red_for_final_acts),
    9: ("entries", "What a person typed survives every refusal.", entries_survive),
    10: ("true", "No page says what is false.", nothing_false),
    11: ("language", "A page is in the language of its reader.", in_the_language),
    14: ("inline", "No page has a script or a style in itself.", lambda view: view.inline),
    16: ("experts", "Fingerprints and ids stand behind “For experts”.", for_experts),
    17: ("times", "Times are those of the reader's zone.", local_times),
    18: ("choice", "Every page offers the other languages.",
         lambda view: [] if view.languages >= 2 else ["no other language is offered"]),
    19: ("contact", "A page that names the operator says how to reach them.", contact),
    20: ("width", "No page is wider than its window.", lambda view: view.wide),
}
MAILS = {
    12: ("mail language", "A mail is in the language of its reader.", mail_in_the_language),
    13: ("mail facts", "A mail names account, company, who, device and time.", mail_names_all),
}
FAULTS = {15: ("origins", "No request leaves the service, each page has its policy, and the console is empty.",
               ("asks another origin", "Content Security Policy", "console", "a script of"))}
STATEMENTS = dict(sorted((PAGES | MAILS | FAULTS).items()))


class Letter:
    """A mail with what is known about its reader."""

    def __init__(self, mail, person):
        self.text = mail.get_body(("plain",)).get_content()
        page = mail.get_body(("html",))
        self.html = page.get_content() if page else f"<pre>{self.text}</pre>"
        self.subject, self.name = str(mail["Subject"]), str(mail["Message-ID"])
        self.address, self.company, self.id, self.language = person.address, person.company, person.id, person.language


class Judge:
    """What the walks have shown of the statements: how often each was true, and where it was not."""

    def __init__(self, pictures=None):
        self.pictures = pathlib.Path(pictures) if pictures else None
        self.yes, self.no = collections.Counter(), collections.defaultdict(dict)
        self.seen, self.letters, self.readers, self.taken = set(), set(), {}, set()
        self.variant, self.steps = "", collections.Counter()

    def look(self, page, tally, room):
        """Judges the page in sight, once for each thing that it shows in an appearance."""
        facts = page.evaluate(FACTS)
        view = View(page, facts, tally, room)
        if room.startswith(("/docs", "/dev")):
            return
        if self.pictures:
            self._album(page, tally, room, facts)
        typed = tuple(sorted(tally.typed.get(page, (None, {}))[1])) if facts["hasProblems"] else ()
        key = (self.variant, room, facts["title"], tally.client, view.text(fixed=False), typed)
        if key in self.seen:
            return
        self.seen.add(key)
        place = f"{room} “{facts['headings'][0] if facts['headings'] else ''}”"
        place = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "…", place.replace(tally.client or "…", "…"))
        for number, (_, _, check) in PAGES.items():
            faults = check(view)
            if faults is not None:
                self._count(number, place, faults, lambda number=number, faults=faults: self._shoot(page, number, faults))

    def read(self, people):
        """Judges the mails to the people of a walk."""
        for person in people:
            for mail in person.mails():
                letter = Letter(mail, person)
                if letter.name in self.letters:
                    continue
                self.letters.add(letter.name)
                for number, (_, _, check) in MAILS.items():
                    faults = check(letter)
                    self._count(number, f"“{letter.subject}”", faults,
                                lambda number=number, faults=faults: self._shoot_mail(person, letter, number, faults))

    def take(self, faults, walk):
        """Takes what the browser complained about in a walk."""
        for number, (_, _, signs) in FAULTS.items():
            found = [fault for fault in faults if any(sign in fault for sign in signs)]
            self._count(number, walk, found[:1], lambda: None)

    def _count(self, number, place, faults, shoot):
        if faults:
            self.no[number].setdefault(place, "; ".join(faults)[:160])
        else:
            self.yes[number] += 1
        if self.pictures and (number, bool(faults)) not in self.taken:
            self.taken.add((number, bool(faults)))
            shoot()

    def _path(self, number, faults):
        folder = self.pictures / "statements"
        folder.mkdir(parents=True, exist_ok=True)
        name = STATEMENTS[number][0].replace(" ", "-")
        return folder / f"{number:02}-{name}-{'no' if faults else 'yes'}.png"

    def _shoot(self, page, number, faults):
        """A picture; what is too small or wrongly red is outlined."""
        kind = {6: "small", 7: "targets", 8: "red"}.get(number, "")
        outline = """([kind, style]) => { for (const e of globalThis.walkFaults?.[kind] ?? []) { e.style.outline = style; if (!style) e.removeAttribute('style'); } }"""
        page.evaluate(outline, [kind, "3px dashed magenta"])
        page.screenshot(path=self._path(number, faults), full_page=True)
        page.evaluate(outline, [kind, ""])

    def _shoot_mail(self, person, letter, number, faults):
        page = person.context.browser.new_page(viewport={"width": 640, "height": 480})
        page.set_content(letter.html)
        page.screenshot(path=self._path(number, faults), full_page=True)
        page.context.close()

    def _album(self, page, tally, room, facts):
        """Every page of a walk, in the order of its steps."""
        if not tally.walk:
            return
        folder = self.pictures / self.variant.replace(", ", "-").replace(" ", "") / re.sub(r"\W+", "-", tally.walk)
        folder.mkdir(parents=True, exist_ok=True)
        key = (folder, facts["title"], room, facts["hasProblems"])
        if key in self.steps:
            return
        self.steps[key] += 1
        self.steps[folder] += 1
        name = re.sub(r"[^a-z]+", "-", room).strip("-") or "home"
        page.screenshot(path=folder / f"{self.steps[folder]:02}-{name}{'-problem' * facts['hasProblems']}.png", full_page=True)
