"""A client with the configuration of its own manual: how it is installed, run, and logged in at."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import clients

HERE = pathlib.Path(__file__).parent / "manuals"


class Missing(Exception):
    """A client cannot be installed here."""


class Manual:
    """A Python package in an environment of its own."""

    def __init__(self, name, packages, command, redirect="/callback", variables=None):
        self.name, self.packages, self.command = name, packages, command
        self.redirect, self.variables = redirect, variables or {}

    @property
    def version(self):
        return re.sub(r"(\[.*\])?==", " ", self.packages[0])

    def install(self, directory):
        """Makes the environment on the first call."""
        self.bin = directory.resolve() / self.name / "bin"
        complete = self.bin / "complete"
        if complete.exists() and complete.read_text() == " ".join(self.packages):
            return
        shutil.rmtree(self.bin.parent, ignore_errors=True)
        for step in ([sys.executable, "-m", "venv", self.bin.parent],
                     [self.bin / "pip", "install", "--quiet", "--disable-pip-version-check", *self.packages]):
            done = subprocess.run(step, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                shutil.rmtree(self.bin.parent, ignore_errors=True)
                raise Missing(done.stderr.strip()[-200:])
        complete.write_text(" ".join(self.packages))

    @contextlib.contextmanager
    def running(self, company):
        """Registers the client and runs it until the block ends."""
        port = clients.free_port()
        site = f"http://localhost:{port}"
        client = clients.register(self.name, site, self.redirect, company)
        with tempfile.TemporaryDirectory(prefix=f"tenure-{self.name}.") as place:
            self.place = pathlib.Path(place)
            values = client.settings | {
                "PORT": str(port), "PATH": f"{self.bin}:{os.environ['PATH']}", "HERE": str(HERE), "PLACE": place,
                "PYTHONPATH": ""}
            values |= {name: value.format(**values) for name, value in self.variables.items()}
            self.prepare(values)
            command = [word.format(**values) for word in self.command]
            command[0] = shutil.which(command[0], path=values["PATH"]) or command[0]
            with clients.serving(command, port, values, place):
                yield site

    def prepare(self, values):
        """Writes what the client reads."""

    def log_in(self, ada, site):
        ada.reach(site)
        ada.press("^Log in$")
        ada.log_in()
        self.greeted(ada, site)

    def greeted(self, ada, site):
        ada.expect(rf"Hello {ada.address}")


class Packages(Manual):
    """Packages of Debian, which root installs."""

    def install(self, directory):
        self.bin = pathlib.Path("/usr/bin")
        if self.versions() is None:
            if os.geteuid() != 0:
                raise Missing(f"apt-get install {' '.join(self.packages)}")
            done = subprocess.run(
                ["apt-get", "-o", "DPkg::Lock::Timeout=600", "install", "--yes", "--no-install-recommends", *self.packages],
                env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, capture_output=True, text=True, check=False)
            if done.returncode != 0 or self.versions() is None:
                raise Missing(done.stderr.strip()[-200:])

    def versions(self):
        """What is installed of the first package; nothing if one is missing."""
        done = subprocess.run(["dpkg-query", "--show", "--showformat", "${Version} ", *self.packages],
                              capture_output=True, text=True, check=False)
        versions = done.stdout.split()
        return versions[0] if done.returncode == 0 and len(versions) == len(self.packages) else None

    @property
    def version(self):
        return f"{self.packages[0]} {self.versions()}"
