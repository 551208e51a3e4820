"""What fails today because the product lacks it. What passes is taken out of here: the run fails until then.

The faults are those of the walks of November 2026 (F1 to F43), or what the design of the pages asks for.
"""

WAYS = {
}
STATEMENTS = {
    3: "a page about a flow that is over names no client",
    13: "a mail about a return names no device: the person compares words",
    19: "people.md §5: the operator has no contact",
}
