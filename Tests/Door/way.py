"""The ways of people, by name. `ways`, `troubles`, `offices` and `passkeys` add them."""

# The function, and the row of the table of walks of November 2026; a way without a row came later.
WAYS = {}
ROWS = {}
# What `make test` walks: the six of the design, and what else was once broken.
QUICK = [
    "joined", "phone", "invited by mail", "next day, third site", "admin approves", "recovery", "phone, third site",
    "mail", "consent", "two tabs", "passkey"]
# What is walked on a phone and a laptop, light and dark, in three languages.
TEN = [
    "founding", "joined", "invited by mail", "phone", "mail", "next day", "wrong answers", "admin approves",
    "consent", "recovery asked for"]
# The most that a walk may cost: what is counted, where, and the number.
AIMS = {
    "founder": [("pages", "credentials", 3), ("fields", "credentials", 3)],
    "invited by mail": [("pages", "credentials", 2), ("fields", "credentials", 0)],
    # The client's own link and the button that sends the secret come on top.
    "next day": [("clicks", "", 3)],
    # The client's own link comes on top.
    "passkey, next day": [("clicks", "", 2), ("prompts", "", 1)],
    # The aims without the pages that choose between joining and founding.
    "founded with a passkey": [
        ("pages", "registration", 3), ("fields", "registration", 3), ("prompts", "registration", 2)],
    "invited with a passkey": [
        ("pages", "registration", 2), ("fields", "registration", 1), ("prompts", "registration", 2)],
    # The list that says what is true afterwards comes on top.
    "admin approves": [("pages", "", 3)],
}


class Way:
    """A way with the client from which it begins."""

    def __init__(self, walk, is_third):
        self.walk, self.is_third = walk, is_third

    def __call__(self, stage):
        self.walk(stage, stage.harbour(third=self.is_third))


def way(name, row="", third=False):
    """Names a way. With `third` it is gone once more from a client whose callback goes on to a third site."""

    def add(walk):
        for is_third in (False, True)[: 1 + third]:
            title = f"{name}, third site" if is_third else name
            WAYS[title], ROWS[title] = Way(walk, is_third), row
        return walk

    return add


def waits(harbour, person):
    """A log-in from a client in a browser that has to be approved."""
    person.begin(harbour)
    person.log_in()
    person.arrive("/waiting")
    return person
