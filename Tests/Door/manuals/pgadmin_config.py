"""pgAdmin's config_local.py, as its page about OAuth2 has it."""

import os

HOME = os.environ["PGADMIN_HOME"]
ISSUER = os.environ["ISSUER"]
DATA_DIR, LOG_FILE, SESSION_DB_PATH = HOME, f"{HOME}/log", f"{HOME}/sessions"
SQLITE_PATH, STORAGE_DIR, AZURE_CREDENTIAL_CACHE_DIR = f"{HOME}/db", f"{HOME}/storage", f"{HOME}/azure"
SERVER_MODE, UPGRADE_CHECK_ENABLED, MASTER_PASSWORD_REQUIRED = True, False, False
DEFAULT_SERVER, DEFAULT_SERVER_PORT = "127.0.0.1", int(os.environ["PORT"])
AUTHENTICATION_SOURCES = ["oauth2"]
OAUTH2_AUTO_CREATE_USER = True
OAUTH2_CONFIG = [{
    "OAUTH2_NAME": "tenure",
    "OAUTH2_DISPLAY_NAME": "Tenure",
    "OAUTH2_CLIENT_ID": os.environ["CLIENT_ID"],
    "OAUTH2_CLIENT_SECRET": os.environ["CLIENT_SECRET"],
    "OAUTH2_TOKEN_URL": f"{ISSUER}/oauth/token",
    "OAUTH2_AUTHORIZATION_URL": f"{ISSUER}/authorize",
    "OAUTH2_SERVER_METADATA_URL": f"{ISSUER}/.well-known/openid-configuration",
    "OAUTH2_API_BASE_URL": f"{ISSUER}/",
    "OAUTH2_USERINFO_ENDPOINT": "oauth/userinfo",
    "OAUTH2_SCOPE": "openid email profile",
    "OAUTH2_ICON": "fa-key",
    "OAUTH2_BUTTON_COLOR": "#333333",
}]
