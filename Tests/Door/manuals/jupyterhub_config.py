"""JupyterHub with oauthenticator's GenericOAuthenticator, as its page about OpenID Connect has it."""

import os

c = get_config()  # noqa: F821
issuer, site = os.environ["ISSUER"], os.environ["SITE"]
c.JupyterHub.authenticator_class = "generic-oauth"
c.JupyterHub.bind_url = site.replace("localhost", "127.0.0.1")
c.JupyterHub.hub_port = int(os.environ["HUB_PORT"])
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{os.environ['PROXY_PORT']}"
c.JupyterHub.spawner_class = "simple"
c.GenericOAuthenticator.client_id = os.environ["CLIENT_ID"]
c.GenericOAuthenticator.client_secret = os.environ["CLIENT_SECRET"]
c.GenericOAuthenticator.oauth_callback_url = f"{site}/hub/oauth_callback"
c.GenericOAuthenticator.authorize_url = f"{issuer}/authorize"
c.GenericOAuthenticator.token_url = f"{issuer}/oauth/token"
c.GenericOAuthenticator.userdata_url = f"{issuer}/oauth/userinfo"
c.GenericOAuthenticator.scope = ["openid", "profile", "email", "groups"]
c.GenericOAuthenticator.username_claim = "preferred_username"
c.GenericOAuthenticator.allow_all = True
