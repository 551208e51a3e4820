"""What fails today because the product lacks it. What passes is taken out of here: the run fails until then.

The faults are those of the walks of November 2026 (F1 to F43), or what the design of the pages asks for.
"""

WAYS = {
<<<<<<< HEAD
    "new address": "3d: nobody can change an address",
=======
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
>>>>>>> wa
}
STATEMENTS = {
    19: "people.md §5: the operator has no contact",
}
