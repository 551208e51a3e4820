"""Asks a service for its API description over many connections and reads nothing; prints the memory it takes.

Standard library only: the few HTTP/2 frames that the attack needs are written by hand.
"""

import argparse
import selectors
import socket
import ssl
import sys
import threading
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
# A stream without progress ends after 10 seconds, an idle connection after 60, and 5 later if the client does not let
# it.
PATIENCE = 90
CONNECTIONS = 500
STREAMS = 100
PIPELINED = 8


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def text(value):
    return bytes([len(value)]) + value.encode()


def http2_request(streams, path="/openapi.yaml"):
    """The preface, a window of no bytes for every stream, and so many requests."""
    out = PREFACE + frame(4, 0, 0, (4).to_bytes(2, "big") + (0).to_bytes(4, "big"))
    # Static table: GET, https; literals without indexing: path, authority.
    head = b"\x82\x87" + b"\x04" + text(path) + b"\x01" + text("localhost")
    for number in range(streams):
        out += frame(1, 0x5, 2 * number + 1, head)
    return out


def http1_request(pipelined):
    return b"GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n" * pipelined


def resident(process):
    with open(f"/proc/{process}/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    raise SystemExit("the service has ended")


class Attack:
    """Connections that send a request and then read nothing."""

    def __init__(self, options, protocol, request):
        self.options, self.protocol, self.request = options, protocol, request
        self.sockets, self.lock, self.opened = [], threading.Lock(), 0
        self.context = ssl.create_default_context(cafile=options.certificate)
        self.context.set_alpn_protocols([protocol])
        self.stop = threading.Event()

    def open(self):
        raw = socket.socket()
        # A small window fills quickly, so that what is unread stays with the service.
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.settimeout(10)
        raw.connect(("127.0.0.1", self.options.port))
        tls = self.context.wrap_socket(raw, server_hostname="localhost")
        tls.sendall(self.request)
        return tls

    def work(self):
        """Keeps the connections at their number: one that was closed is replaced."""
        while not self.stop.is_set():
            with self.lock:
                held, kept = open_ports(self.options.port), []
                for one in self.sockets:
                    if one.getsockname()[1] in held:
                        kept.append(one)
                    else:
                        one.close()
                self.sockets = kept
                missing = CONNECTIONS - len(self.sockets)
            if missing <= 0:
                time.sleep(0.2)
                continue
            try:
                one = self.open()
            except OSError:
                time.sleep(0.05)
                continue
            with self.lock:
                self.sockets.append(one)
                self.opened += 1

    def run(self):
        rest = resident(self.options.process)
        threads = [threading.Thread(target=self.work, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        most, end = rest, time.monotonic() + self.options.seconds
        while time.monotonic() < end:
            most = max(most, resident(self.options.process))
            time.sleep(0.1)
        self.stop.set()
        for thread in threads:
            thread.join()
        held = self.wait_for_end()
        for one in self.sockets:
            one.close()
        print(
            f"{self.protocol:9} {self.opened:6} connections, memory {rest:5.0f} MB at rest, {most:5.0f} MB at most "
            f"(+{most - rest:.0f} MB), {held} connections open {PATIENCE} s later", flush=True)
        return most - rest <= 150 and held == 0

    def wait_for_end(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            left = len(open_ports(self.options.port))
            if left == 0:
                return 0
            time.sleep(0.5)
        return left


def open_ports(port):
    """The ports of the clients that the service holds a connection of.

    The client's side tells less: a client with a full window may ignore that the other side has gone.
    """
    ports = set()
    with open("/proc/net/tcp") as table:
        for line in table.readlines()[1:]:
            _, local, remote, state = line.split()[:4]
            if state == "01" and int(local.split(":")[1], 16) == port:
                ports.add(int(remote.split(":")[1], 16))
    return ports


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--process", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--only", choices=["h2", "http/1.1"])
    options = parser.parse_args()
    attacks = [
        Attack(options, "http/1.1", http1_request(PIPELINED)), Attack(options, "h2", http2_request(STREAMS)),
    ]
    good = [one.run() for one in attacks if options.only in (None, one.protocol)]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
