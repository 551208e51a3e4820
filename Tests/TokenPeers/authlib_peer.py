"""Verifies an access token with Authlib's validator of RFC 9068 by discovery alone:

    authlib_peer.py ISSUER AUDIENCE < TOKEN
"""

import os
import time
from unittest import mock

import authlib
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url
from authlib.oauth2.rfc9068 import JWTBearerTokenValidator
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

import peer


class Validator(JWTBearerTokenValidator):
    keys = None

    def get_jwks(self):
        return self.keys


def main():
    issuer, audience, token = peer.arguments()
    if issuer.startswith(("http://127.0.0.1:", "http://localhost:")):
        os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    metadata = AuthorizationServerMetadata(peer.read(get_well_known_url(issuer, external=True)))
    # Not validate(): it wants a token endpoint and response types, and the service has neither.
    metadata.validate_issuer()
    metadata.validate_jwks_uri()
    metadata.validate_introspection_endpoint()
    metadata.validate_revocation_endpoint()
    found, keys = peer.discover(issuer)
    assert found == metadata

    def verify(presented, api, later):
        validator = Validator(issuer=issuer, resource_server=api)
        validator.keys = key_set
        with mock.patch.object(time, "time", lambda now=time.time: now() + later):
            read = validator.authenticate_token(presented)
            validator.validate_token(read, None, None)
        return dict(read)

    key_set = KeySet.import_key_set(keys)
    claims = verify(token, audience, 0)
    key = key_set.get_by_kid(peer.header(token)["kid"]).public_key
    refused = (OAuth2Error, JoseError, ValueError)
    peer.report("Authlib", authlib.__version__, claims, verify, refused, token, audience, key)


main()
