"""Logs somebody in and out at clients that `make test` leaves out: Streamlit, a single-page app, requests_oauth2client.

Runs in the directory of a development service.
"""

import secrets
import time

from requests_oauth2client import ClientSecretBasic, OAuth2Client

import clients
from clients import issuer
from hands import Stuck
from visitor import chromium
from walks import Founder


def streamlit(ada, site, expected):
    """Streamlit draws its buttons by a script, and keeps its own session."""
    ada.reach(site)
    ada.press("^Log in$")
    ada.log_in()
    ada.expect(expected, "after the log-in")
    print(f"  {expected}")
    ada.hands.press(ada.control("^Log out$"))
    ada.page.get_by_role("button", name="Log in").wait_for()
    ada.press("^Log in$")
    if ada.room != "/login":
        raise Stuck(f"after the log-out, the service still knows who is there: {ada.page.url}")
    print("  logged out, here and at the service")


def single_page_app(ada, site, expected):
    ada.reach(site)
    ada.press("^Log in$")
    ada.log_in()
    ada.expect(expected, "after the log-in")
    print(f"  {expected}")
    ada.press("^Log out$")
    ada.page.get_by_role("button", name="Log in").wait_for()
    ada.press("^Log in$")
    if ada.room != "/login":
        raise Stuck(f"after the log-out, the service still knows who is there: {ada.page.url}")
    print("  logged out, here and at the service")


def library(ada, company, site):
    """The library checks state, `iss` (RFC 9207), the ID token and its hashes; the tokens are refreshed and revoked."""
    registered = clients.register("Library", site, "/callback", company)
    client = OAuth2Client.from_discovery_endpoint(
        issuer=issuer(), auth=ClientSecretBasic(registered.id, registered.secret), redirect_uri=site + "/callback",
        testing=True)
    request = client.authorization_request(scope="openid profile email groups offline_access")
    ada.reach(request.uri)
    ada.log_in()
    answer = request.validate_callback(ada.page.url)
    token = client.authorization_code(answer, validate=True)
    claims = dict(token.id_token.claims)
    print(f"  the ID token says {' '.join(sorted(claims))}")
    about = client.userinfo(token)
    if about["sub"] != claims["sub"] or about["email"] != ada.address or about["groups"] != ["securityAdmin"]:
        raise Stuck(f"userinfo says {about}")
    fresh = client.refresh_token(token)
    if client.userinfo(fresh)["sub"] != claims["sub"]:
        raise Stuck("userinfo is another one after the refresh")
    if not client.introspect_token(fresh).get("active"):
        raise Stuck("introspection does not know the token")
    client.revoke_access_token(fresh)
    if client.introspect_token(fresh).get("active"):
        raise Stuck("introspection still knows the revoked token")
    print("  userinfo, refresh, introspection, revocation")


def main():
    began = time.monotonic()
    company = f"slip-{secrets.token_hex(3)}.example"
    with chromium() as browser:
        print(f"Chromium {browser.version}, {clients.version('playwright')}")
        ada = Founder(browser, company=company, id="ada", address=f"ada@{company}")
        ada.found()
        ada.verify_address()
        ada.log_out()
        greeting = f"Hello {ada.address}"
        try:
            print(f"{clients.version('streamlit')}, {clients.version('Authlib')}")
            with clients.streamlit_app(company) as site:
                streamlit(ada, site, greeting)
            print("A single-page app without a library")
            with clients.single_page_app(company) as site:
                single_page_app(ada, site, greeting)
            print(clients.version("requests_oauth2client"))
            with clients.listener() as site:
                library(ada, company, site)
        except Exception:
            print(f"The browser is at {ada.page.url}:\n{ada.page.locator('body').inner_text()[:2000]}")
            raise
    print(f"Clients log people in and out ({time.monotonic() - began:.0f} s).")


if __name__ == "__main__":
    main()
