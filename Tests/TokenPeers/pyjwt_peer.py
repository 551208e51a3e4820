"""Verifies an access token with PyJWT by discovery alone: pyjwt_peer.py ISSUER AUDIENCE < TOKEN"""

from datetime import datetime, timedelta
from unittest import mock

import jwt
import jwt.api_jwt

import peer


def main():
    issuer, audience, token = peer.arguments()
    metadata, _ = peer.discover(issuer)
    keys = jwt.PyJWKClient(metadata["jwks_uri"])

    def verify(presented, api, later):
        class Clock(datetime):
            @classmethod
            def now(cls, tz=None):
                return datetime.now(tz) + timedelta(seconds=later)

        if jwt.get_unverified_header(presented).get("typ") != "at+jwt":
            raise jwt.InvalidTokenError("not an access token")
        with mock.patch.object(jwt.api_jwt, "datetime", Clock):
            return jwt.decode(
                presented,
                keys.get_signing_key_from_jwt(presented),
                algorithms=["ES256"],
                audience=api,
                issuer=issuer,
                options={"require": ["exp", "iat", "iss", "aud", "sub", "client_id", "jti"]},
            )

    claims = verify(token, audience, 0)
    key = keys.get_signing_key_from_jwt(token).key
    peer.report("PyJWT", jwt.__version__, claims, verify, jwt.PyJWTError, token, audience, key)


main()
