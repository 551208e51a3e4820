"""The clients with the configuration of their own manuals, none of which speaks of PKCE unless it is the default."""

from manual import Manual, Packages
from manuals.agent import Agent
from manuals.jupyterhub import JupyterHub
from manuals.pgadmin import PgAdmin
from manuals.synapse import Synapse

FLASK = ["flask", "--app", "{HERE}/APP.py", "run", "--host", "127.0.0.1", "--port", "{PORT}"]
UNICORN = ["uvicorn", "--app-dir", "{HERE}", "fastapi_app:app", "--host", "127.0.0.1", "--port", "{PORT}"]


def flask(name, packages, app, redirect, kind=Manual):
    return kind(name, packages, [word.replace("APP", app) for word in FLASK], redirect)


def django(name, packages, redirect):
    return Manual(name, packages, ["python3", "{HERE}/django_site.py", name, "{PORT}"], redirect)


class Panel(Manual):
    """Panel has no page of its own before the provider's."""

    def log_in(self, ada, site):
        ada.reach(site)
        ada.settle()
        ada.log_in()
        # The text is in a shadow tree.
        ada.page.get_by_text(f"Hello {ada.address}").first.wait_for()


class AppBuilder(Manual):
    """Flask-AppBuilder greets with the first and last name, which the manager makes of the claims."""

    def log_in(self, ada, site):
        ada.reach(f"{site}/login/")
        ada.go(ada.page.get_by_text("Sign In with tenure").first)
        ada.log_in()
        self.greeted(ada, site)


MANUALS = [
    Manual("fastapi", ["fastapi==0.165.0", "Authlib==1.9.10", "httpx", "itsdangerous", "uvicorn"], UNICORN, "/auth"),
    JupyterHub(),
    Synapse(),
    PgAdmin(),
    Agent(),
    django("mozilla-django-oidc", ["mozilla-django-oidc==5.0.2", "Django==5.2.19"], "/oidc/callback/"),
    django("django-allauth", ["django-allauth[socialaccount]==65.22.1", "Django==5.2.19"],
           "/accounts/oidc/tenure/login/callback/"),
    django("social-auth-core", ["social-auth-core==7.0.0", "social-auth-app-django==8.0.0", "Django==5.2.19"],
           "/complete/oidc/"),
    flask("flask-appbuilder", ["flask-appbuilder==5.3.0", "Authlib==1.9.10", "requests"], "appbuilder_app",
          "/oauth-authorized/tenure", kind=AppBuilder),
    Packages("go-oidc", ["golang-github-coreos-go-oidc-dev", "golang-golang-x-oauth2-dev", "golang-go"],
             ["go", "run", "{HERE}/go/main.go"], variables={"GOPATH": "/usr/share/gocode", "GO111MODULE": "off",
                                                            "GOCACHE": "{PLACE}"}),
    Packages("omniauth", ["ruby-omniauth-openid-connect", "ruby-rack", "ruby-webrick"],
             ["rackup", "--host", "127.0.0.1", "--port", "{PORT}", "{HERE}/omniauth.ru"],
             "/auth/openid_connect/callback"),
    flask("flask-oidc", ["flask-oidc==2.4.0"], "flask_oidc_app", "/authorize"),
    flask("flask-pyoidc", ["Flask-pyoidc==3.14.3"], "flask_pyoidc_app", "/redirect_uri"),
    flask("idpyoidc", ["idpyoidc==5.0.0", "Flask==3.1.3"], "idpyoidc_app", "/callback"),
    Panel("panel", ["panel==1.9.4"], [
        "panel", "serve", "{HERE}/panel_app.py", "--address", "127.0.0.1", "--port", "{PORT}",
        "--allow-websocket-origin", "localhost:{PORT}", "--oauth-provider", "generic", "--oauth-key", "{CLIENT_ID}",
        "--oauth-secret", "{CLIENT_SECRET}", "--oauth-redirect-uri", "{SITE}/login", "--cookie-secret", "test"],
        "/login",
        variables={"PANEL_OAUTH_TOKEN_URL": "{ISSUER}/oauth/token", "PANEL_OAUTH_AUTHORIZE_URL": "{ISSUER}/authorize",
                   "PANEL_OAUTH_USER_URL": "{ISSUER}/oauth/userinfo", "PANEL_OAUTH_SCOPE": "openid,email"}),
]
