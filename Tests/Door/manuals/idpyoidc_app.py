"""idpyoidc's handler of relying parties with a client that is registered by hand, without its add-on for PKCE."""

import os

from flask import Flask, redirect, request
from idpyoidc.client.rp_handler import RPHandler

site, issuer = os.environ["SITE"], os.environ["ISSUER"]
handler = RPHandler(base_url=site, client_configs={"tenure": {
    "client_type": "oidc", "issuer": issuer, "client_id": os.environ["CLIENT_ID"],
    "client_secret": os.environ["CLIENT_SECRET"], "redirect_uris": [f"{site}/callback"],
    "response_types_supported": ["code"], "scopes_supported": ["openid", "email"],
    "token_endpoint_auth_methods_supported": ["client_secret_basic"],
}})
app = Flask(__name__)


@app.route("/")
def home():
    return '<a href="/login">Log in</a>'


@app.route("/login")
def login():
    return redirect(handler.begin("tenure", req_args={"scope": ["openid", "email"]}))


@app.route("/callback")
def callback():
    answer = handler.finalize(issuer, request.args.to_dict())
    return f"<p>Hello {answer['userinfo']['email']}</p>" if "userinfo" in answer else (str(answer), 400)
