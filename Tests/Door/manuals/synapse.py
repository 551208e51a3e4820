"""Matrix Synapse with an OpenID provider, as its page about OpenID has it."""

import json
import subprocess
import urllib.parse
import urllib.request

from hands import Stuck
from manual import Manual

PROVIDER = """
public_baseurl: {SITE}/
oidc_providers:
  - idp_id: tenure
    idp_name: Tenure
    issuer: "{ISSUER}"
    client_id: "{CLIENT_ID}"
    client_secret: "{CLIENT_SECRET}"
    scopes: ["openid", "profile", "email"]
    user_mapping_provider:
      config:
        localpart_template: "{{{{ user.preferred_username }}}}"
        display_name_template: "{{{{ user.preferred_username }}}}"
"""


class Synapse(Manual):
    def __init__(self):
        super().__init__("synapse", ["matrix-synapse[oidc]==1.163.2"],
                         ["python3", "-m", "synapse.app.homeserver", "--config-path", "homeserver.yaml"],
                         "/_synapse/client/oidc/callback")

    def prepare(self, values):
        generate = [self.bin / "python3", "-m", "synapse.app.homeserver", "--server-name", "pier.example",
                    "--config-path", "homeserver.yaml", "--generate-config", "--report-stats=no"]
        subprocess.run(generate, cwd=self.place, check=True, capture_output=True)
        file = self.place / "homeserver.yaml"
        file.write_text(file.read_text().replace("port: 8008", f"port: {values['PORT']}") + PROVIDER.format(**values))

    def log_in(self, ada, site):
        back = urllib.parse.quote(f"{site}/_matrix/static/")
        ada.reach(f"{site}/_matrix/client/v3/login/sso/redirect/oidc-tenure?redirectUrl={back}")
        ada.settle()
        ada.log_in()
        ada.press("Continue")
        token = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(ada.page.url).query)).get("loginToken")
        request = urllib.request.Request(
            f"{site}/_matrix/client/v3/login", json.dumps({"type": "m.login.token", "token": token}).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            user = json.load(answer)["user_id"]
        if user != "@ada:pier.example":
            raise Stuck(f"Synapse logs in {user}")
