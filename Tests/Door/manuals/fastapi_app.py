"""FastAPI with Authlib, as Authlib's page about FastAPI has it."""

import os

from authlib.integrations.starlette_client import OAuth
from fastapi import FastAPI, Request
from starlette.middleware.sessions import SessionMiddleware
from starlette.responses import HTMLResponse, RedirectResponse

app = FastAPI()
app.add_middleware(SessionMiddleware, secret_key="a secret of the test")
oauth = OAuth()
oauth.register(
    name="tenure",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=os.environ["ISSUER"] + "/.well-known/openid-configuration",
    client_kwargs={"scope": "openid email profile"},
)


@app.get("/")
async def home(request: Request):
    if user := request.session.get("user"):
        return HTMLResponse(f"<p>Hello {user['email']}</p>")
    return HTMLResponse('<a href="/login">Log in</a>')


@app.get("/login")
async def login(request: Request):
    return await oauth.tenure.authorize_redirect(request, request.url_for("auth"))


@app.get("/auth")
async def auth(request: Request):
    token = await oauth.tenure.authorize_access_token(request)
    request.session["user"] = dict(token["userinfo"])
    return RedirectResponse("/")
