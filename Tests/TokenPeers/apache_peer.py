"""Lets Apache with mod_auth_openidc protect a page with access tokens, verified locally and by introspection.

    apache_peer.py APACHE ISSUER AUDIENCE APP-FILE SESSION-FILE

APP-FILE is the JSON object of `tenure app create --json`, SESSION-FILE the response of a log-in. Ends the session.
"""

import contextlib
import datetime
import grp
import ipaddress
import json
import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

import peer

# No proxy of the environment gets what is sent to this machine.
urllib.request.install_opener(urllib.request.build_opener(urllib.request.ProxyHandler({})))

MODULES = "/usr/lib/apache2/modules"


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def write_certificate(directory, title, key):
    """Writes a certificate for 127.0.0.1 that signs itself, and its key."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8
    pem = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    (directory / f"{title}.key").write_bytes(pem)
    (directory / f"{title}.key").chmod(0o600)
    (directory / f"{title}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def write_configuration(directory, words):
    text = (pathlib.Path(__file__).parent / "apache.conf").read_text()
    text = re.sub("@([A-Z]+)", lambda match: str(words[match[1]]), text)
    (directory / "apache.conf").write_text(text)
    (directory / "apache.conf").chmod(0o600)


@contextlib.contextmanager
def running(apache, directory, ports):
    """Runs Apache in the foreground until the block ends."""
    process = subprocess.Popen([apache, "-f", str(directory / "apache.conf"), "-DFOREGROUND"])
    try:
        for _ in range(300):
            if process.poll() is not None:
                sys.exit("Apache did not start:\n" + log(directory))
            with contextlib.suppress(OSError):
                for port in ports:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                break
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(30)


def log(directory):
    file = directory / "apache.log"
    return file.read_text() if file.exists() else ""


def request(url, token=None, method="GET"):
    """The status, and the user that Apache took from the token."""
    headers = {"Authorization": "Bearer " + token} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers, method=method), timeout=20) as answer:
            return answer.status, answer.headers.get("X-User")
    except urllib.error.HTTPError as refusal:
        return refusal.code, None


def expect(what, got, wanted):
    print(f"  {what}: {got}")
    if got != wanted:
        raise AssertionError(f"{what}: expected {wanted}")


def check_rules(page, issuer, audience, key):
    """Presents tokens that the test signed, where Apache accepts its key."""
    now = int(time.time())
    good = {"iss": issuer, "aud": audience, "sub": "somebody", "iat": now - 60, "exp": now + 240}
    cases = {
        "as it should be": {},
        "expired": {"exp": now - 1},
        "of another issuer": {"iss": issuer + ".example"},
        "for another audience": {"aud": "another-api"},
    }
    for name, change in cases.items():
        token = jwt.encode(good | change, key, "RS256", headers={"typ": "at+jwt", "kid": "test"})
        expect(f"own key, a token {name}", request(page, token), (401, None) if change else (200, "somebody"))


def check(places, issuer, session):
    token = session["accessToken"]
    _, keys = peer.discover(issuer)
    kid = jwt.get_unverified_header(token)["kid"]
    key = next(jwt.PyJWK(each).key for each in keys["keys"] if each["kid"] == kid)
    subject = jwt.decode(token, key, algorithms=["ES256"], options={"verify_aud": False})["sub"]
    for name, page in places.items():
        expect(f"{name}, no token", request(page)[0], 401)
        expect(f"{name}, the token", request(page, token), (200, subject))
        for forgery, forged in peer.forgeries(token, key).items():
            expect(f"{name}, {forgery}", request(page, forged)[0], 401)
    status, _ = request(issuer + "/v1/sessions/current", token, "DELETE")
    expect("the session ends", status, 204)
    expect("introspection, the session has ended", request(places["introspection"], token)[0], 401)


def main():
    apache, issuer, audience, app_file, session_file = sys.argv[1:]
    app = json.loads(pathlib.Path(app_file).read_text())
    session = json.loads(pathlib.Path(session_file).read_text())["session"]
    version = subprocess.run([apache, "-v"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    package = subprocess.run(
        ["dpkg-query", "-W", "libapache2-mod-auth-openidc"], capture_output=True, text=True, check=False
    ).stdout
    print(version.removeprefix("Server version: "), "with", " ".join(package.split()) or "mod_auth_openidc")
    # As root, Apache's workers are another user, who has to read the pages.
    user = "www-data" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    group = "www-data" if os.geteuid() == 0 else grp.getgrgid(os.getegid()).gr_name
    directory = pathlib.Path(tempfile.mkdtemp(prefix="tenure-apache."))
    try:
        directory.chmod(0o755)
        (directory / "pages").mkdir()
        (directory / "pages" / "page.txt").write_text("This page is for users with a token.\n")
        key = rsa.generate_private_key(65537, 2048)
        write_certificate(directory, "own", key)
        write_certificate(directory, "tls", ec.generate_private_key(ec.SECP256R1()))
        ports = free_ports(4)
        words = {"DIRECTORY": directory, "MODULES": MODULES, "USER": user, "GROUP": group, "ISSUER": issuer}
        words |= dict(zip(("TLSPORT", "LOCALPORT", "ASKINGPORT", "OWNPORT"), ports))
        words |= {"AUDIENCE": audience, "CLIENT": app["appId"], "SECRET": app["appSecret"]}
        write_configuration(directory, words)
        pages = [f"http://127.0.0.1:{port}/page.txt" for port in ports[1:]]
        with running(apache, directory, ports):
            try:
                check_rules(pages[2], issuer, audience, key)
                check({"local": pages[0], "introspection": pages[1]}, issuer, session)
            except AssertionError as error:
                sys.exit(f"{error}\n{log(directory)}")
    finally:
        shutil.rmtree(directory)


main()
