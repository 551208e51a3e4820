"""Logs people in at a steady rate, first alone and then beside attackers, and prints what both runs took.

The people log in from 127.0.0.1 with known devices, in direct mode. The attackers are a process of the lowest priority
with connections from 127.0.0.2 to 127.0.0.20: idle ones, slow readers over HTTP/1.1 and HTTP/2, and floods of unknown
routes. Used by scripts/drill-hostile-load, which says what is started.
"""

import argparse
import base64
import http.client
import json
import os
import pathlib
import secrets
import socket
import ssl
import subprocess
import sys
import threading
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "SlowReaders"))
import slow_readers  # noqa: E402

PEOPLE = 12
ADDRESSES = [f"127.0.0.{last}" for last in range(2, 21)]
CONNECTIONS = 2_000
FLOODS = 6
# The share of the processors that others may use on a machine whose times are judged.
QUIET = 0.15


class Person:
    """Somebody with a company of their own, a device and a passphrase."""

    def __init__(self, number, options):
        self.options, self.company = options, f"pier-{number}.example"
        self.word = secrets.token_hex(8)
        self.key = ec.generate_private_key(ec.SECP256R1())
        point = self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        self.name = {"companyName": self.company, "companyEmployeeId": "founder",
                     "employeePublicKey": base64.b64encode(point).decode()}
        self.connection = None

    def call(self, path, body):
        """One call on a connection that is kept; one that has ended is replaced, as every client does."""
        headers = {"Authorization": self.options.authorization, "Content-Type": "application/json",
                   "Idempotency-Key": secrets.token_hex(16)}
        for attempt in (1, 2):
            if self.connection is None:
                context = ssl.create_default_context(cafile=self.options.certificate)
                self.connection = http.client.HTTPSConnection("localhost", self.options.port, timeout=60, context=context)
            try:
                self.connection.request("POST", path, json.dumps(body), headers)
                reply = self.connection.getresponse()
                return reply.status, json.loads(reply.read())
            except (OSError, http.client.HTTPException) as error:
                self.connection = None
                if attempt == 2:
                    return 0, {"code": type(error).__name__}

    def prove(self, kind, started):
        signature = self.key.sign(base64.b64decode(started["challenge"]), ec.ECDSA(hashes.SHA256()))
        return self.call(f"/v1/{kind}/{started['flow']}/key", {"keyProof": base64.b64encode(signature).decode()})

    def register(self):
        status, started = self.call("/v1/registrations", {
            **self.name, "email": f"founder@{self.company}", "isCompanyOwnedEmail": False})
        assert status == 201, started
        status, asked = self.prove("registrations", started)
        assert status == 200, asked
        status, done = self.call(f"/v1/registrations/{started['flow']}/credentials", {
            "passphrase": f"Correct {self.word} horse battery",
            "securityQuestions": [{"question": f"Which word is number {n} of {self.word}?", "answer": f"{self.word} {n}"}
                                  for n in range(5)]})
        assert done.get("outcome") == "success", done

    def log_in(self):
        """The reason why the log-in was refused, or None."""
        status, started = self.call("/v1/logins", self.name)
        if status != 201:
            return f"start {status} {started.get('code')}"
        status, asked = self.prove("logins", started)
        if status != 200:
            return f"key {status} {asked.get('code')}"
        status, done = self.call(f"/v1/logins/{started['flow']}/passphrase", {
            "passphrase": f"Correct {self.word} horse battery"})
        return None if done.get("outcome") == "success" else f"passphrase {status} {done.get('code')}"


class Run:
    """Log-ins at a fixed rate for some seconds. A late one is begun at once, and its wait counts."""

    def __init__(self, people, options, seconds):
        self.people, self.options, self.seconds = people, options, seconds
        self.times, self.refused, self.lock, self.next = [], {}, threading.Lock(), 0

    def work(self, person):
        while True:
            with self.lock:
                number, self.next = self.next, self.next + 1
            due = self.began + number / self.options.rate
            if due > self.began + self.seconds:
                return
            time.sleep(max(0.0, due - time.monotonic()))
            reason = person.log_in()
            with self.lock:
                if reason is None:
                    self.times.append(time.monotonic() - due)
                else:
                    self.refused[reason] = self.refused.get(reason, 0) + 1

    def run(self, process):
        self.began, most = time.monotonic(), 0.0
        used = processor(process)
        threads = [threading.Thread(target=self.work, args=(one,)) for one in self.people]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            most = max(most, slow_readers.resident(process))
            time.sleep(0.2)
        length = time.monotonic() - self.began
        self.most, self.processor = most, (processor(process) - used) / length
        return self

    def percentile(self, part):
        return sorted(self.times)[min(len(self.times) - 1, int(len(self.times) * part))] if self.times else float("nan")

    def tell(self, title):
        print(f"{title:18} {len(self.times):5} log-ins, {sum(self.refused.values())} refused {self.refused or ''} "
              f"p50 {self.percentile(0.5):.2f} s, p99 {self.percentile(0.99):.2f} s, "
              f"{self.most:.0f} MB at most, {self.processor:.2f} processors", flush=True)


def processor(process):
    """The processor time of a process in seconds."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Attackers:
    """Holds idle and slow connections at their number, and floods unknown routes, until its input ends."""

    def __init__(self, options):
        self.options, self.counts, self.lock = options, {"opened": 0, "requests": 0, "limited": 0}, threading.Lock()
        self.stop = threading.Event()

    def connect(self, number, protocol=None):
        raw = socket.socket()
        raw.settimeout(10)
        if protocol:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.bind((ADDRESSES[number % len(ADDRESSES)], 0))
        raw.connect(("127.0.0.1", self.options.port))
        with self.lock:
            self.counts["opened"] += 1
        if number % 2 and protocol is None:
            # Half of the idle connections say nothing at all.
            return raw
        context = ssl.create_default_context(cafile=self.options.certificate)
        context.set_alpn_protocols([protocol or "http/1.1"])
        return context.wrap_socket(raw, server_hostname="localhost")

    def hold(self, count, offset, protocol=None, request=b""):
        """Keeps some connections: each is asked once and then never read; one that was closed is replaced."""
        held = {}
        while not self.stop.is_set():
            ports = slow_readers.open_ports(self.options.port)
            for number in range(count):
                if self.stop.is_set():
                    break
                one = held.get(number)
                if one is not None and one.getsockname()[1] in ports:
                    continue
                if one is not None:
                    one.close()
                    held[number] = None
                try:
                    one = self.connect(offset + number, protocol)
                    if request:
                        one.sendall(request)
                    held[number] = one
                except OSError:
                    held[number] = None
            self.stop.wait(1)

    def flood(self, number):
        context = ssl.create_default_context(cafile=self.options.certificate)
        connection = None
        while not self.stop.is_set():
            if connection is None:
                connection = http.client.HTTPSConnection(
                    "localhost", self.options.port, timeout=10, context=context,
                    source_address=(ADDRESSES[number % len(ADDRESSES)], 0))
            try:
                connection.request("GET", f"/v1/{secrets.token_hex(8)}")
                reply = connection.getresponse()
                reply.read()
                with self.lock:
                    self.counts["requests"] += 1
                    self.counts["limited"] += reply.status == 429
            except (OSError, http.client.HTTPException):
                connection = None
                number += 1

    def run(self):
        slow = CONNECTIONS // 5
        jobs = [(self.hold, (slow, 0, "h2", slow_readers.http2_request(slow_readers.STREAMS))),
                (self.hold, (slow, slow, "http/1.1", slow_readers.http1_request(slow_readers.PIPELINED)))]
        idle = (CONNECTIONS - 2 * slow) // 2
        jobs += [(self.hold, (idle, 2 * slow + part * idle)) for part in range(2)]
        jobs += [(self.flood, (number,)) for number in range(FLOODS)]
        threads = [threading.Thread(target=body, args=arguments, daemon=True) for body, arguments in jobs]
        for thread in threads:
            thread.start()
        sys.stdin.read()
        self.stop.set()
        print(json.dumps(self.counts), flush=True)


def busy(seconds=5):
    """The share of all processors that was used in some seconds in which this drill does nothing."""
    def read():
        with open("/proc/stat") as file:
            times = [int(text) for text in file.readline().split()[1:9]]
        # Of user, nice, system, idle, iowait, irq, softirq and steal, two are no use.
        return sum(times), times[3] + times[4]
    total, idle = read()
    time.sleep(seconds)
    later, idle_later = read()
    return 1 - (idle_later - idle) / max(1, later - total)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--process", type=int)
    parser.add_argument("--app", help="the file with the app's id and secret")
    parser.add_argument("--rate", type=float, default=5)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--alone", type=float, default=120)
    parser.add_argument("--bound", type=float, default=6, help="how many times the p99 alone the p99 may be")
    parser.add_argument("--attack", action="store_true")
    options = parser.parse_args()
    if options.attack:
        os.nice(19)
        return Attackers(options).run()
    app = json.loads(pathlib.Path(options.app).read_text())
    options.authorization = "Basic " + base64.b64encode(f"{app['appId']}:{app['appSecret']}".encode()).decode()
    people = [Person(number, options) for number in range(PEOPLE)]
    for person in people:
        person.register()
        assert person.log_in() is None
    before = busy()
    alone = Run(people, options, options.alone).run(options.process)
    alone.tell("alone")
    attackers = subprocess.Popen(
        [sys.executable, __file__, "--attack", "--port", str(options.port), "--certificate", options.certificate],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    beside = Run(people, options, options.seconds).run(options.process)
    held = len(slow_readers.open_ports(options.port))
    counts = json.loads(attackers.communicate()[0])
    beside.tell("beside attackers")
    print(f"attackers: {counts['opened']} connections opened, {held} open at the end, {counts['requests']} requests of "
          f"unknown routes, {counts['limited']} of them over the limit", flush=True)
    ratio = beside.percentile(0.99) / alone.percentile(0.99)
    others = max(before, busy())
    is_quiet, is_slow = others <= QUIET, not ratio <= options.bound
    judged = f"the bound is {options.bound:g}" if is_quiet else f"not judged: others use {others:.0%} of the processors"
    print(f"p99 beside attackers is {ratio:.1f} times that alone; {judged}", flush=True)
    failed = beside.most > 400 or beside.refused or alone.refused or (is_quiet and is_slow)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
