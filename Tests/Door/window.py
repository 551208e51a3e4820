"""Chromium with a window on an X server of its own, and real events for it.

Playwright pretends that every page has the focus. So it only prepares the browser; the events come from xdotool, and
the pages are read by the DevTools protocol.
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.request

import websocket

WIDTH, HEIGHT = 1000, 900


@contextlib.contextmanager
def screen():
    """An X server; its display is the one of the environment."""
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{2 * WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"],
        pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as number:
            os.environ["DISPLAY"] = ":" + number.readline().strip()
        yield
    finally:
        server.terminate()
        server.wait()


def xdo(*arguments):
    done = subprocess.run(["xdotool", *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.stdout.split()


class Tab:
    """A page, read and led by the DevTools protocol."""

    def __init__(self, browser, target):
        self.browser, self.id = browser, target["id"]
        self.socket = websocket.create_connection(
            target["webSocketDebuggerUrl"], suppress_origin=True, timeout=20, enable_multithread=False)
        self.calls = 0

    def call(self, method, **parameters):
        self.calls += 1
        self.socket.send(json.dumps({"id": self.calls, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.calls:
                return answer.get("result", {})

    def run(self, script):
        """The value of an expression; `None` while the page changes."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return answer.get("result", {}).get("value")

    @property
    def path(self):
        return self.run("location.pathname + location.search") or ""

    def until(self, condition, seconds=10):
        """Whether an expression becomes true in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(condition):
                return True
            time.sleep(0.05)
        return False

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def close(self):
        self.browser.get(f"/json/close/{self.id}")
        self.socket.close()

    def place(self, selector):
        """Where an element is on the screen, as the page itself says."""
        return self.run(f"""(() => {{
          const box = document.querySelector({selector!r}).getBoundingClientRect();
          const top = window.outerHeight - window.innerHeight;
          return [window.screenX + box.left + box.width / 2, window.screenY + top + box.top + box.height / 2];
        }})()""")

    def point(self, selector):
        x, y = self.place(selector)
        xdo("mousemove", round(x), round(y))


class Browser:
    """A Chromium with a window and a profile."""

    def __init__(self, folder):
        port_file = pathlib.Path(folder, "DevToolsActivePort")
        arguments = [
            shutil.which("chromium"), f"--user-data-dir={folder}", "--remote-debugging-port=0", "--no-first-run",
            "--no-default-browser-check", "--no-proxy-server", "--disable-dev-shm-usage", "--window-position=0,0",
            f"--window-size={WIDTH},{HEIGHT}", "--remote-allow-origins=*", "--disable-popup-blocking", "about:blank"]
        if os.geteuid() == 0:
            arguments.insert(1, "--no-sandbox")
        self.process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not port_file.exists() or not port_file.read_text().strip():
            if time.monotonic() > end:
                raise RuntimeError("Chromium does not start")
            time.sleep(0.1)
        self.address = f"http://127.0.0.1:{port_file.read_text().split()[0]}"

    def get(self, path, method="GET"):
        request = urllib.request.Request(self.address + path, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read().decode()
        return json.loads(text) if text.startswith(("[", "{")) else text

    def tabs(self):
        return [target for target in self.get("/json") if target["type"] == "page"]

    def tab(self, url="about:blank"):
        return Tab(self, self.get("/json/new?" + url, "PUT"))

    def focus(self):
        """Gives the newest window of the browser the focus of the keyboard, as a window manager would."""
        windows = xdo("search", "--onlyvisible", "--class", "chromium")
        if windows:
            xdo("windowfocus", "--sync", windows[-1])

    def end(self):
        self.process.terminate()
        self.process.wait()


@contextlib.contextmanager
def chromium_window():
    with tempfile.TemporaryDirectory() as folder, screen():
        browser = Browser(folder)
        try:
            yield browser
        finally:
            browser.end()
