"""A client of the provider for the walks: its own page, its callback, and a third site that greets.

The client is at http://127.0.0.1:P and the service at http://localhost:Q, so a browser counts them as two sites. With
`third` the callback goes on to http://[::1]:R, as an API host does before its web app. The client does the code flow by
itself and keeps nothing in the browser before the greeting, because `form_post` arrives without cookies.
"""

import base64
import contextlib
import hashlib
import html
import http.server
import json
import secrets
import socket
import threading
import urllib.error
import urllib.parse
import urllib.request

import clients
from clients import issuer

SCOPE = "openid profile email"
HOME = """<p><a href="/login">Log in</a></p><p><button type="button" id="window">Log in in a window</button></p>
<script>
document.getElementById('window').onclick = () => window.open('/login?window=1', 'harbour', 'width=700,height=700')
addEventListener('message', (event) => {
  if (event.origin === location.origin) document.querySelector('h1').textContent = event.data
})
</script>"""
WINDOW = """<script>
if (window.opener) { window.opener.postMessage(document.querySelector('h1').textContent, location.origin); close() }
</script>"""


class Server(http.server.ThreadingHTTPServer):
    """Serves one origin of the client."""

    daemon_threads = True

    def __init__(self, address, harbour):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.harbour = harbour
        super().__init__((address, 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        self.answer(path, dict(urllib.parse.parse_qsl(query)))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.answer(self.path.partition("?")[0], dict(urllib.parse.parse_qsl(body)))

    def answer(self, path, fields):
        harbour = self.server.harbour
        if path == "/":
            self.page(harbour.title, HOME)
        elif path == "/login":
            self.redirect(harbour.begin(window="window" in fields))
        elif path == "/callback":
            title, is_window = harbour.finish(fields, self.command)
            if is_window:
                self.page(title, WINDOW)
            else:
                self.redirect(f"{harbour.end}/welcome?{urllib.parse.urlencode({'to': title})}")
        elif path == "/welcome":
            self.page(fields["to"], '<p><a href="/">Start</a></p>')
        else:
            self.send_error(404)

    def page(self, title, body):
        text = (f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(title)}</title>"
                f"<h1>{html.escape(title)}</h1>{body}").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def redirect(self, url):
        self.send_response(303)
        self.send_header("Location", url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Harbour:
    """One registered client with its sites."""

    def __init__(self, title, company=None, options=(), third=False, redirect="", parameters=()):
        # Names of apps are taken once, and another run may share the service.
        self.title, self.parameters = f"{title} {secrets.token_hex(2)}", dict(parameters)
        self.logins, self.methods = {}, []
        self.servers = [Server("127.0.0.1", self)] + ([Server("::1", self)] if third else [])
        self.site = f"http://127.0.0.1:{self.servers[0].server_port}"
        # Where the person is greeted.
        self.end = f"http://[::1]:{self.servers[1].server_port}" if third else self.site
        self.redirect = redirect or f"{self.site}/callback"
        self.client = clients.enrol(self.title, self.redirect, f"{self.site}/", options, (company,) if company else ())

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def begin(self, window=False):
        """The URL of the provider at which a log-in begins."""
        state, verifier, nonce = (secrets.token_urlsafe(32) for _ in range(3))
        self.logins[state] = (verifier, nonce, window)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        return f"{issuer()}/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": self.client.id, "redirect_uri": self.redirect, "scope": SCOPE,
            "state": state, "nonce": nonce, "code_challenge": challenge, "code_challenge_method": "S256",
        } | self.parameters)

    def finish(self, answer, method="GET"):
        """Redeems an answer; the sentence for the person, and whether a window began it."""
        verifier, nonce, window = self.logins.pop(answer.get("state", ""), (None, None, False))
        self.methods.append(method)
        if verifier is None:
            return "This log-in was not begun here, or is used up", window
        if answer.get("iss") != issuer():
            return f"The answer is of {answer.get('iss')}", window
        if "code" not in answer:
            return f"Not logged in: {answer.get('error')}", window
        try:
            tokens = self.call("/oauth/token", {
                "grant_type": "authorization_code", "code": answer["code"], "redirect_uri": self.redirect,
                "code_verifier": verifier})
            claims = json.loads(base64.urlsafe_b64decode(tokens["id_token"].split(".")[1] + "=="))
            person = self.call("/oauth/userinfo", bearer=tokens["access_token"])
        except urllib.error.HTTPError as error:
            return f"The code was not taken: {error.read().decode()[:200]}", window
        if claims["nonce"] != nonce or claims["sub"] != person["sub"]:
            return "The ID token is another one", window
        return f"Hello {person['preferred_username']}", window

    def call(self, path, fields=None, bearer=None):
        data = None
        if fields is not None:
            if not self.client.secret:
                fields = fields | {"client_id": self.client.id}
            data = urllib.parse.urlencode(fields).encode()
        request = urllib.request.Request(issuer() + path, data)
        if bearer:
            request.add_header("Authorization", f"Bearer {bearer}")
        elif self.client.secret:
            pair = f"{self.client.id}:{self.client.secret}".encode()
            request.add_header("Authorization", "Basic " + base64.b64encode(pair).decode())
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)


@contextlib.contextmanager
def harbour(title, company=None, *options, **settings):
    client = Harbour(title, company, options, **settings)
    try:
        yield client
    finally:
        client.close()
