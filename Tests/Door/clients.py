"""Registers apps as clients of a development service, and runs the programs of Examples that are such clients."""

import base64
import contextlib
import dataclasses
import functools
import grp
import http.server
import importlib.metadata
import json
import os
import pathlib
import pwd
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

# No proxy of the environment gets what is sent to this machine.
urllib.request.install_opener(urllib.request.build_opener(urllib.request.ProxyHandler({})))

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "Examples"
MODULES = pathlib.Path("/usr/lib/apache2/modules")
TENURE = ".build/debug/tenure"


@dataclasses.dataclass
class Client:
    """An app that is registered as a client."""

    id: str
    secret: str
    site: str

    @property
    def settings(self):
        """The environment variables that the examples read."""
        return {"ISSUER": issuer(), "CLIENT_ID": self.id, "CLIENT_SECRET": self.secret, "SITE": self.site}


@functools.cache
def issuer():
    """The public address of the service, which is an origin of its own in a browser."""
    with urllib.request.urlopen(os.environ["TENURE_URL"] + "/.well-known/openid-configuration", timeout=20) as answer:
        return json.load(answer)["issuer"]


def call(method, path, body=None, bearer=""):
    """Calls the API as the demo app, or as whoever has the token."""
    pair = f"{os.environ['TENURE_APP_ID']}:{os.environ['TENURE_APP_SECRET']}".encode()
    authorization = f"Bearer {bearer}" if bearer else "Basic " + base64.b64encode(pair).decode()
    headers = {"Content-Type": "application/json", "Authorization": authorization}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["TENURE_URL"] + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def demo_app():
    return os.environ["TENURE_APP_ID"]


def tenure(*arguments):
    """Runs a command of the operator and returns what it prints."""
    done = subprocess.run([TENURE, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"tenure {' '.join(arguments[:2])} failed:\n{done.stderr}")
    return done.stdout


def register(name, site, redirect, company, *options, after="/"):
    """Makes an app, registers it as a client for the people of a company, and links it."""
    client = enrol(f"{name} of {company}", site + redirect, site + after, options, (company,))
    return dataclasses.replace(client, site=site)


def enrol(name, redirect, after, options=(), companies=()):
    """Makes an app, and registers it as a client; without companies it takes the people of any that links it."""
    made = json.loads(tenure("app", "create", name, "--role", "ACCESS", "--json"))
    takes = [option for company in companies for option in ("--tenant", company)] or ["--any-tenant"]
    tenure("app", "client", made["appId"], "--redirect", redirect, "--post-logout", after, *takes, *options)
    for company in companies:
        link(made["appId"], company)
    return Client(made["appId"], "" if "--public" in options else made["appSecret"], after)


def link(app, company, *roles):
    """Lets an app act for the people of a company."""
    tenure("app", "link", app, company, *(option for role in roles or ("ACCESS",) for option in ("--role", role)))


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def listener():
    """A site that answers every request with an empty page: where a test waits for a client's redirect."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<!doctype html><html lang=en><title>A client</title><h1>A client</h1>")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://localhost:{server.server_address[1]}"
        finally:
            server.shutdown()


def version(package):
    return f"{package} {importlib.metadata.version(package)}"


def await_port(port, is_running=lambda: True):
    """Waits until a program listens."""
    end = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if not is_running() or time.monotonic() > end:
            raise TimeoutError(f"nothing listens on port {port}")
        time.sleep(0.1)


@contextlib.contextmanager
def serving(command, port, variables, directory=None):
    """Runs a program until the block ends. The block begins when the program listens."""
    environment = os.environ | {"NO_PROXY": "*", "no_proxy": "*"} | variables
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, env=environment, cwd=directory, stdout=said, stderr=said)
        try:
            await_port(port, lambda: process.poll() is None)
            yield
        except BaseException:
            said.seek(0)
            print(f"--- {command[0]} said:\n{said.read()[-4000:]}", file=sys.stderr)
            raise
        finally:
            process.terminate()
            process.wait(30)


def python(program):
    """A program of the environment that runs this file."""
    return str(pathlib.Path(sys.executable).parent / program)


@contextlib.contextmanager
def web_app(company):
    """Examples/WebApp: Flask and Authlib."""
    port = free_port()
    site = f"http://localhost:{port}"
    client = register("Payroll", site, "/callback", company)
    command = [python("flask"), "run", "--host", "127.0.0.1", "--port", str(port)]
    with serving(command, port, client.settings | {"SESSION_KEY": secrets.token_hex(32)}, EXAMPLES / "WebApp"):
        yield site


def apache():
    """The program of Apache if it has mod_auth_openidc; else nothing."""
    program = shutil.which("apache2", path=os.environ["PATH"] + ":/usr/sbin")
    return program if program and (MODULES / "mod_auth_openidc.so").exists() else None


def apache_version():
    said = subprocess.run([apache(), "-v"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    package = subprocess.run(
        ["dpkg-query", "-W", "libapache2-mod-auth-openidc"], capture_output=True, text=True, check=False).stdout
    return said.removeprefix("Server version: ") + " with " + (" ".join(package.split()) or "mod_auth_openidc")


@contextlib.contextmanager
def apache_site(company):
    """Examples/Apache: mod_auth_openidc before pages."""
    port = free_port()
    site = f"http://localhost:{port}"
    client = register("Wiki", site, "/private/callback", company)
    # As root, Apache's workers are another user, who has to read the pages.
    is_root = os.geteuid() == 0
    user = "www-data" if is_root else pwd.getpwuid(os.geteuid()).pw_name
    group = "www-data" if is_root else grp.getgrgid(os.getegid()).gr_name
    with tempfile.TemporaryDirectory(prefix="tenure-apache.") as place:
        directory = pathlib.Path(place)
        directory.chmod(0o755)
        shutil.copytree(EXAMPLES / "Apache" / "pages", directory / "pages")
        shutil.copy(EXAMPLES / "Apache" / "tenure.conf", directory)
        (directory / "mime.types").touch()
        words = {"DIRECTORY": directory, "MODULES": MODULES, "USER": user, "GROUP": group, "PORT": port}
        text = (pathlib.Path(__file__).parent / "apache.conf").read_text()
        (directory / "apache.conf").write_text(re.sub("@([A-Z]+)", lambda match: str(words[match[1]]), text))
        command = [apache(), "-f", str(directory / "apache.conf"), "-DFOREGROUND"]
        try:
            with serving(command, port, client.settings | {"CRYPTO_PASSPHRASE": secrets.token_hex(32)}):
                yield site
        except BaseException:
            with contextlib.suppress(OSError):
                print((directory / "apache.log").read_text()[-4000:], file=sys.stderr)
            raise


@contextlib.contextmanager
def streamlit_app(company):
    """Examples/Streamlit, with the settings of its example filled in."""
    port = free_port()
    site = f"http://localhost:{port}"
    client = register("Forecast", site, "/oauth2callback", company, after="/oauth2callback")
    with tempfile.TemporaryDirectory(prefix="tenure-streamlit.") as place:
        directory = pathlib.Path(place)
        shutil.copy(EXAMPLES / "Streamlit" / "app.py", directory)
        (directory / ".streamlit").mkdir()
        text = (EXAMPLES / "Streamlit" / "secrets.example.toml").read_text()
        values = client.settings | {"COOKIE_SECRET": secrets.token_hex(32)}
        text = re.sub(r"\b(COOKIE_SECRET|CLIENT_ID|CLIENT_SECRET|ISSUER)\b", lambda match: values[match[1]], text)
        (directory / ".streamlit" / "secrets.toml").write_text(text.replace("http://localhost:8501", site))
        command = [python("streamlit"), "run", "app.py", "--server.address", "localhost", "--server.port", str(port),
                   "--server.headless", "true", "--browser.gatherUsageStats", "false"]
        with serving(command, port, {}, directory):
            yield site


@contextlib.contextmanager
def single_page_app(company):
    """Examples/SinglePageApp, served as files."""
    port = free_port()
    site = f"http://localhost:{port}"
    client = register("Notes", site, "/", company, "--public", "--origin", site)
    with tempfile.TemporaryDirectory(prefix="tenure-page.") as place:
        shutil.copytree(EXAMPLES / "SinglePageApp", place, dirs_exist_ok=True)
        settings = {"issuer": issuer(), "clientId": client.id}
        (pathlib.Path(place) / "settings.json").write_text(json.dumps(settings))
        with serving([sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"], port, {}, place):
            yield site
