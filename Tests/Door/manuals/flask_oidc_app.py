"""flask-oidc, as its manual has it: a file of client secrets, and a view that needs a log-in."""

import json
import os
import pathlib

from flask import Flask, session
from flask_oidc import OpenIDConnect

issuer = os.environ["ISSUER"]
pathlib.Path("client_secrets.json").write_text(json.dumps({"web": {
    "client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"], "issuer": issuer,
    "auth_uri": f"{issuer}/authorize", "token_uri": f"{issuer}/oauth/token", "userinfo_uri": f"{issuer}/oauth/userinfo",
    "redirect_uris": [os.environ["SITE"] + "/authorize"]}}))
app = Flask(__name__)
app.config.update(SECRET_KEY="a secret of the test", OIDC_CLIENT_SECRETS=os.path.abspath("client_secrets.json"))
oidc = OpenIDConnect(app)


@app.route("/")
def home():
    return '<a href="/private">Log in</a>'


@app.route("/private")
@oidc.require_login
def private():
    return f"<p>Hello {session['oidc_auth_profile']['email']}</p>"
