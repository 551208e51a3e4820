"""Logs somebody in and out at two web apps, in Chromium: `check_door.py [SCREENSHOTS]`.

The person founds a company on the pages first. Runs in the directory of a development service.
"""

import secrets
import sys
import time

import clients
from hands import Stuck
from visitor import chromium
from walks import Founder


def web_app(ada, site, expected):
    """Logs in at the Flask app by the form of the log-in page, and out again."""
    ada.reach(site)
    ada.press("^Log in$")
    ada.log_in()
    ada.expect(expected, "after the log-in")
    print(f"  {ada.page.locator('p').first.inner_text()}")
    ada.press("^Log out$")
    if ada.page.url != site + "/":
        raise Stuck(f"the log-out ends at {ada.page.url}")
    # The session of the service is over too: another log-in asks again.
    ada.press("^Log in$")
    if ada.room != "/login":
        raise Stuck(f"after the log-out, the service still knows who is there: {ada.page.url}")
    print("  logged out, here and at the service")


def apache(ada, site, expected):
    """Logs in before a private page of Apache, and out again."""
    ada.reach(site)
    ada.press("Private pages")
    ada.log_in()
    ada.expect(expected, "after the log-in")
    print(f"  {ada.page.locator('p').first.inner_text()}")
    ada.press("^Log out$")
    ada.expect("Everybody may read this page", "after the log-out")
    ada.press("Private pages")
    if ada.room != "/login":
        raise Stuck(f"after the log-out, Apache or the service still knows who is there: {ada.page.url}")
    print("  logged out, here and at the service")


def main():
    screenshots = sys.argv[1] if len(sys.argv) > 1 else None
    began = time.monotonic()
    company = f"quay-{secrets.token_hex(3)}.example"
    with chromium() as browser:
        print(f"Chromium {browser.version}, {clients.version('playwright')}")
        ada = Founder(browser, company=company, id="ada", address=f"ada@{company}")
        try:
            ada.found()
            print(f"  founded {company} on the pages")
            ada.verify_address()
            ada.log_out()
            greeting = rf"Hello {ada.address}"
            print(f"{clients.version('Flask')}, {clients.version('Authlib')}")
            with clients.web_app(company) as site:
                web_app(ada, site, greeting)
            if clients.apache():
                print(clients.apache_version())
                with clients.apache_site(company) as site:
                    apache(ada, site, greeting)
            else:
                print("Left out: Apache (apt-get install apache2-bin libapache2-mod-auth-openidc).", file=sys.stderr)
        except Exception:
            if screenshots:
                ada.page.screenshot(path=f"{screenshots}/stuck.png")
            print(f"The browser is at {ada.page.url}:\n{ada.page.locator('body').inner_text()[:2000]}", file=sys.stderr)
            raise
    print(f"Web apps log people in and out ({time.monotonic() - began:.0f} s).")


if __name__ == "__main__":
    main()
