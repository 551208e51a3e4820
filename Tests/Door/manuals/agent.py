"""Debian's oidc-agent, a program of the terminal that listens on a port of the machine."""

import contextlib
import json
import re
import subprocess
import urllib.request

import clients
from clients import issuer
from hands import Stuck
from manual import Packages


class Agent(Packages):
    def __init__(self):
        super().__init__("oidc-agent", ["oidc-agent-cli"], [], "")

    @contextlib.contextmanager
    def running(self, company):
        # The program takes no port of those that the system gives away last.
        while (port := clients.free_port()) > 49151:
            pass
        site = f"http://localhost:{port}"
        self.client = clients.register(self.name, site, "", company)
        said = subprocess.run(["oidc-agent"], capture_output=True, text=True, check=True).stdout
        self.agent = dict(re.findall(r"(OIDC\w+)=([^;]+);", said))
        try:
            yield site
        finally:
            subprocess.run(["kill", self.agent["OIDCD_PID"]], check=False)

    def log_in(self, ada, site):
        generate = ["oidc-gen", "--manual", "--flow=code", f"--issuer={issuer()}/", f"--client-id={self.client.id}",
                    f"--client-secret={self.client.secret}", f"--redirect-uri={site}", "--scope=openid profile email",
                    "--pw-cmd=echo test", "--no-url-call", "--prompt=none", "tenure"]
        with subprocess.Popen(generate, env=clients.os.environ | self.agent, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as process:
            said = ""
            for line in process.stdout:
                said += line
                if found := re.search(r"https?://\S*/authorize\?\S+", line):
                    ada.reach(found[0])
                    ada.settle()
                    ada.log_in()
        if process.returncode:
            raise Stuck(said[-400:])
        token = subprocess.run(["oidc-token", "tenure"], env=clients.os.environ | self.agent, capture_output=True,
                               text=True, check=True).stdout.strip()
        request = urllib.request.Request(issuer() + "/oauth/userinfo", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            if json.load(answer).get("email") != ada.address:
                raise Stuck("the token of oidc-agent is another person's")
