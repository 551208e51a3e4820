"""Flask-AppBuilder with AUTH_OAUTH, which Superset and Airflow are configured with, as its security page has it."""

import os

from flask import Flask
from flask_appbuilder import AppBuilder
from flask_appbuilder.models.sqla.base import SQLA
from flask_appbuilder.security.manager import AUTH_OAUTH
from flask_appbuilder.security.sqla.manager import SecurityManager

issuer = os.environ["ISSUER"]


class Manager(SecurityManager):
    def oauth_user_info(self, provider, response=None):
        about = self.appbuilder.sm.oauth_remotes[provider].get("oauth/userinfo").json()
        return {"username": about["preferred_username"], "email": about["email"], "first_name": "Hello",
                "last_name": about["email"], "role_keys": about.get("groups", [])}


app = Flask(__name__)
app.config.update(
    SECRET_KEY="a secret of the test", SQLALCHEMY_DATABASE_URI="sqlite:///" + os.path.abspath("app.sqlite"),
    AUTH_TYPE=AUTH_OAUTH, AUTH_USER_REGISTRATION=True, AUTH_USER_REGISTRATION_ROLE="Public",
    AUTH_ROLES_MAPPING={"securityAdmin": ["Admin"]},
    OAUTH_PROVIDERS=[{
        "name": "tenure", "icon": "fa-key", "token_key": "access_token",
        "remote_app": {
            "client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"],
            "api_base_url": f"{issuer}/", "client_kwargs": {"scope": "openid email profile groups"},
            "access_token_url": f"{issuer}/oauth/token", "authorize_url": f"{issuer}/authorize",
            "jwks_uri": f"{issuer}/.well-known/jwks.json",
        },
    }])
db = SQLA(app)
with app.app_context():
    AppBuilder(app, db.session, security_manager_class=Manager)
    db.create_all()
