"""flask-pyoidc, as its manual has it: a provider with static client metadata."""

import os

from flask import Flask, session
from flask_pyoidc import OIDCAuthentication
from flask_pyoidc.provider_configuration import ClientMetadata, ProviderConfiguration
from flask_pyoidc.user_session import UserSession

app = Flask(__name__)
app.config.update(SECRET_KEY="a secret of the test", OIDC_REDIRECT_URI=os.environ["SITE"] + "/redirect_uri")
metadata = ClientMetadata(client_id=os.environ["CLIENT_ID"], client_secret=os.environ["CLIENT_SECRET"])
provider = ProviderConfiguration(
    issuer=os.environ["ISSUER"], client_metadata=metadata, auth_request_params={"scope": ["openid", "email"]})
auth = OIDCAuthentication({"tenure": provider}, app)


@app.route("/")
def home():
    return '<a href="/private">Log in</a>'


@app.route("/private")
@auth.oidc_auth("tenure")
def private():
    return f"<p>Hello {UserSession(session).userinfo['email']}</p>"
