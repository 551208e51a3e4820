"""The calls of a measurement: one connection, the clock around each reply, nothing of a client's own arithmetic."""
import base64
import hashlib
import http.client
import json
import os
import socket
import time
import uuid

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def b64(data):
    return base64.b64encode(data).decode()


class Device:
    """A key pair that nobody has seen."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        point = self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        self.public = b64(point)
        self.fingerprint = hashlib.sha256(point).hexdigest()

    def sign(self, challenge):
        return b64(self.key.sign(base64.b64decode(challenge), ec.ECDSA(hashes.SHA256())))


class Service:
    """An app at the service. Every few calls come from another address of this machine, because one is limited."""

    def __init__(self, url, app, secret):
        host, port = url.removeprefix("http://").rstrip("/").split(":")
        self.host, self.port, self.calls, self.connection = host, int(port), 0, None
        self.basic = "Basic " + b64(f"{app}:{secret}".encode())

    def connect(self):
        if self.connection is not None:
            self.connection.close()
        address = "127.%d.%d.%d" % (1 + os.urandom(1)[0] % 250, os.urandom(1)[0], 1 + os.urandom(1)[0] % 250)
        self.connection = http.client.HTTPConnection(self.host, self.port, timeout=600, source_address=(address, 0))
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, path, body, session=None):
        """Status, document, and milliseconds from the first byte sent to the last one read."""
        if self.calls % 100 == 0:
            self.connect()
        self.calls += 1
        data = json.dumps(body).encode()
        who = f"Bearer {session}" if session else self.basic
        headers = {"Authorization": who, "Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        started = time.perf_counter_ns()
        self.connection.request("POST", path, data, headers)
        reply = self.connection.getresponse()
        text = reply.read()
        milliseconds = (time.perf_counter_ns() - started) / 1e6
        return reply.status, json.loads(text), milliseconds
