"""The ways with a passkey, by the virtual authenticator of Chromium."""

from way import way


def with_authenticator(person, synced=False):
    """Gives the browser an authenticator in itself, which verifies its person without asking."""
    session = person.context.new_cdp_session(person.page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
        "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
        "defaultBackupEligibility": synced, "defaultBackupState": synced}})
    return session


@way("passkey")
def passkey(stage, _):
    """Somebody adds a passkey to the account, logs out, and logs in by one click."""
    pat = stage.person("pat")
    pat.company = f"pass-{stage.company.partition('-')[2]}"
    pat.address = f"pat@{pat.company}"
    with_authenticator(pat)
    pat.open("/login")
    pat.found_from_here()
    pat.open("/account/devices")
    pat.press("^Add a passkey")
    pat.press("^Add a passkey")
    pat.expect("bound to one device")
    pat.open("/account")
    pat.press("^Log out")
    pat.open("/login")
    pat.press("^Log in with a passkey")
    pat.expect("You are logged in as")
