"""What fails today because the product lacks it. What passes is taken out of here: the run fails until then.

The faults are those of the walks of November 2026 (F1 to F43), or what the design of the pages asks for.
"""

WAYS = {
    "founding": "F7: no next step is offered",
    "admin is told": "F3: nobody is told that somebody waits",
    "removed device": "F34: a removed key stays in the list",
    "founder's return": "F7: a lone founder is told to ask himself",
    "new answers": "F5: no page changes credentials",
    "people approved": "F42: a person who waits for an approval is on no list",
    "squatted address": "F6: a stranger's registration takes an address",
    "old page": "F23: no page says how long it lives",
    "questions reloaded": "F23: a reload empties the questions",
    "mistyped": "F10: a typo looks like an account",
    "password manager": "people.md §1: the same identifier everywhere",
}
STATEMENTS = {
    1: "people.md §5: no page has a name, a mark or a favicon",
    2: "F25: pages without a link",
    3: "people.md §5: titles are the heading only",
    4: "F33: the title says no error",
    5: "people.md §4: one word for one thing",
    7: "targets of 44 px",
    8: "people.md §5: final acts look like others",
    9: "F22: wrong answers must be typed again",
    10: "F3: the account says that nothing is to do",
    12: "F29: notices are English",
    13: "F14: mails name neither account nor company",
    16: "F4: fingerprints are in sight",
    17: "F24: times are UTC",
    18: "F30: nobody can choose a language",
    19: "people.md §5: the operator has no contact",
}
