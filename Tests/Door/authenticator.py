"""The virtual authenticator of Chromium, in the browser of a person, and the prompts that the person gets."""

# Counts the ceremonies that a person sees: a passkey in the list of a field only once it is chosen. `first` is the
# algorithm that the authenticator takes, and `hurry` gives up sooner than a person has to wait.
WATCH = """([first, hurry]) => {
  const container = Object.getPrototypeOf(navigator.credentials ?? {});
  const own = {create: container.create, get: container.get};
  if (!own.create || !own.get) return;
  container.create = function (options) {
    globalThis.walkPrompt('create');
    // Chromium's authenticator takes the first algorithm that it knows.
    options.publicKey.pubKeyCredParams.sort((a, b) => (b.alg === first) - (a.alg === first));
    return own.create.call(this, options);
  };
  container.get = function (options) {
    if (hurry) options.publicKey.timeout = hurry;
    if (options.mediation !== 'conditional') {
      globalThis.walkPrompt('get');
      return own.get.call(this, options);
    }
    return own.get.call(this, options).then((found) => {
      globalThis.walkPrompt('list');
      return found;
    });
  };
}"""


class Authenticator:
    """A place for passkeys: in the machine, or a security key. It verifies its person without asking."""

    # The browsers whose prompts are counted.
    watched = set()

    def __init__(self, person, synced=False, transport="internal", first=0, hurry=0):
        self.options = {
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": transport, "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
            "defaultBackupEligibility": synced, "defaultBackupState": synced}
        self.first, self.hurry = first, hurry
        self.plug(person)

    def plug(self, person, credentials=()):
        """Comes to the page of a person, with passkeys that it has already."""
        self.person = person
        if person.context not in self.watched:
            self.watched.add(person.context)
            person.context.expose_binding("walkPrompt", lambda _, kind: person.witness.prompt(kind))
            person.context.add_init_script(f"({WATCH})([{self.first}, {self.hurry}])")
        self.session = person.context.new_cdp_session(person.page)
        self.session.send("WebAuthn.enable")
        self.id = self.send("addVirtualAuthenticator", options=self.options)["authenticatorId"]
        for credential in credentials:
            self.send("addCredential", credential=credential)

    def send(self, command, **parameters):
        if hasattr(self, "id"):
            parameters = {"authenticatorId": self.id} | parameters
        return self.session.send(f"WebAuthn.{command}", parameters)

    @property
    def credentials(self):
        """The passkeys that it holds, with their private keys."""
        return self.send("getCredentials")["credentials"]

    def move(self, person):
        """Is plugged in at another page, such as in another browser, with all its passkeys."""
        held = self.credentials
        self.unplug()
        self.plug(person, held)

    def unplug(self):
        self.send("removeVirtualAuthenticator")
        del self.id

    def touch(self, is_touched):
        """Whether somebody touches it from now on. While nobody does, the list of a field waits."""
        self.send("setAutomaticPresenceSimulation", enabled=is_touched)

    def verify(self, is_owner):
        """Whether it finds that its owner is there."""
        self.send("setUserVerified", isUserVerified=is_owner)
