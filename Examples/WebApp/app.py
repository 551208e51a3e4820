"""A web app that logs people in with Tenure, by Flask and Authlib."""

import os
from urllib.parse import urlencode

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, render_template, session, url_for

app = Flask(__name__)
app.secret_key = os.environ["SESSION_KEY"]
tenure = OAuth(app).register(
    "tenure",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=os.environ["ISSUER"] + "/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)


@app.get("/")
def home():
    return render_template("home.html", person=session.get("person"))


@app.get("/login")
def log_in():
    return tenure.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    token = tenure.authorize_access_token()
    session.update(person=token["userinfo"], id_token=token["id_token"])
    return redirect(url_for("home"))


@app.post("/logout")
def log_out():
    hint = session.pop("id_token", "")
    session.clear()
    back = {"id_token_hint": hint, "post_logout_redirect_uri": url_for("home", _external=True)}
    return redirect(tenure.load_server_metadata()["end_session_endpoint"] + "?" + urlencode(back), 303)
