"""A Django site in one file with one of three libraries: `django_site.py LIBRARY PORT`, each as its manual has it."""

import os
import sys

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.urls import include, path

library, port = sys.argv[1:]
issuer, client, secret = (os.environ[name] for name in ("ISSUER", "CLIENT_ID", "CLIENT_SECRET"))
apps = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages"]
middleware = ["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
              "django.contrib.auth.middleware.AuthenticationMiddleware",
              "django.contrib.messages.middleware.MessageMiddleware"]
backend = "django.contrib.auth.backends.ModelBackend"
LIBRARIES = {
    "mozilla-django-oidc": {
        "INSTALLED_APPS": [*apps, "mozilla_django_oidc"],
        "AUTHENTICATION_BACKENDS": ["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
        "OIDC_RP_CLIENT_ID": client,
        "OIDC_RP_CLIENT_SECRET": secret,
        "OIDC_RP_SIGN_ALGO": "RS256",
        "OIDC_OP_JWKS_ENDPOINT": f"{issuer}/.well-known/jwks.json",
        "OIDC_OP_AUTHORIZATION_ENDPOINT": f"{issuer}/authorize",
        "OIDC_OP_TOKEN_ENDPOINT": f"{issuer}/oauth/token",
        "OIDC_OP_USER_ENDPOINT": f"{issuer}/oauth/userinfo",
    },
    "django-allauth": {
        "INSTALLED_APPS": [*apps, "allauth", "allauth.account", "allauth.socialaccount",
                           "allauth.socialaccount.providers.openid_connect"],
        "MIDDLEWARE": [*middleware, "allauth.account.middleware.AccountMiddleware"],
        "AUTHENTICATION_BACKENDS": [backend, "allauth.account.auth_backends.AuthenticationBackend"],
        "SOCIALACCOUNT_PROVIDERS": {"openid_connect": {"APPS": [{
            "provider_id": "tenure", "name": "Tenure", "client_id": client, "secret": secret,
            "settings": {"server_url": f"{issuer}/.well-known/openid-configuration"}}]}},
        "EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend",
    },
    "social-auth-core": {
        "INSTALLED_APPS": [*apps, "social_django"],
        "AUTHENTICATION_BACKENDS": ["social_core.backends.open_id_connect.OpenIdConnectAuth", backend],
        "SOCIAL_AUTH_OIDC_OIDC_ENDPOINT": issuer,
        "SOCIAL_AUTH_OIDC_KEY": client,
        "SOCIAL_AUTH_OIDC_SECRET": secret,
    },
}
PATHS = {
    "mozilla-django-oidc": ("oidc/", "mozilla_django_oidc.urls", "get", "/oidc/authenticate/"),
    "django-allauth": ("accounts/", "allauth.urls", "post", "/accounts/oidc/tenure/login/"),
    "social-auth-core": ("", "social_django.urls", "post", "/login/oidc/"),
}
prefix, module, method, begin = PATHS[library]


def home(request):
    if request.user.is_authenticated:
        return HttpResponse(f"<p>Hello {request.user.email}</p>")
    return HttpResponse(
        f'<form method="{method}" action="{begin}"><input type="hidden" name="csrfmiddlewaretoken"'
        f' value="{get_token(request)}"><button>Log in</button></form>')


settings.configure(**{
    "SECRET_KEY": "a secret of the test", "ROOT_URLCONF": __name__, "ALLOWED_HOSTS": ["localhost"],
    "MIDDLEWARE": middleware, "LOGIN_REDIRECT_URL": "/", "DEFAULT_AUTO_FIELD": "django.db.models.AutoField",
    "DATABASES": {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "site.sqlite"}},
    "TEMPLATES": [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {
        "context_processors": [
            "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages"]}}],
} | LIBRARIES[library])
django.setup()
urlpatterns = [path("", home), path(prefix, include(module))]
application = get_wsgi_application()
if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    call_command("runserver", f"127.0.0.1:{port}", "--noreload")
