"""JupyterHub with oauthenticator."""

import time

import clients
from hands import Stuck
from manual import HERE, Manual


class JupyterHub(Manual):
    def __init__(self):
        # JupyterHub's own proxy is a program of Node; this one, in Python, does the same for tests.
        super().__init__(
            "jupyterhub", ["jupyterhub==6.1.1", "oauthenticator==17.4.0", "configurable-http-proxy==0.4.0"],
            ["jupyterhub", "--config", str(HERE / "jupyterhub_config.py")], "/hub/oauth_callback")

    def prepare(self, values):
        values |= {"HUB_PORT": str(clients.free_port()), "PROXY_PORT": str(clients.free_port()),
                   "CONFIGPROXY_AUTH_TOKEN": "a token of the test"}

    def log_in(self, ada, site):
        # The proxy listens before it knows the hub.
        end = time.monotonic() + 60
        while not ada.control("^Sign in with").count():
            if time.monotonic() > end:
                raise Stuck("the hub does not answer")
            ada.page.wait_for_timeout(500)
            ada.reach(site)
        ada.press("Sign in with")
        ada.log_in()
        ada.reach(f"{site}/hub/home")
        ada.expect(r"\bada\b.*Logout|Logout.*\bada\b")
