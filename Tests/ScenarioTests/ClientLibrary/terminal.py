#!/usr/bin/env python3
"""Runs a program at a pseudo-terminal and types what a person would.

Reads a JSON object from standard input: argv, environment, and steps, each {"expect": text} with one of
{"type": text} (in the encoding of "encoding"), {"signal": name} and {"end": true}, which types the end-of-input character. Standard input and standard
error of the program are the terminal; its standard output is a pipe. Writes a JSON object: status (negative for a
signal), terminal (everything that was shown), output, and echo (whether the terminal shows what is typed at the end).
Only the standard library is used.
"""
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time


def main():
    task = json.load(sys.stdin)
    master, slave = pty.openpty()
    read_end, write_end = os.pipe()

    def become_foreground():
        os.setsid()
        import fcntl

        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        task["argv"],
        stdin=slave,
        stdout=write_end,
        stderr=slave,
        env=task["environment"],
        preexec_fn=become_foreground,
        close_fds=True,
    )
    os.close(write_end)
    shown, output, seen = bytearray(), bytearray(), 0
    open_ends = {master, read_end}
    deadline = time.monotonic() + task.get("timeout", 120)
    steps = list(task["steps"])

    def collect(wait):
        ready, _, _ = select.select(list(open_ends), [], [], wait)
        for end in ready:
            try:
                data = os.read(end, 65536)
            except OSError:
                data = b""
            if not data:
                open_ends.discard(end)
            (shown if end == master else output).extend(data)

    while time.monotonic() < deadline:
        collect(0.05)
        if steps:
            wanted = steps[0]["expect"].encode()
            place = shown.find(wanted, seen)
            if place >= 0:
                step = steps.pop(0)
                seen = place + len(wanted)
                # The program hides what is typed before it writes its question, and then drops what was typed.
                if "type" in step:
                    os.write(master, step["type"].encode(step.get("encoding", "utf-8")) + b"\n")
                elif "signal" in step:
                    os.kill(process.pid, getattr(signal, step["signal"]))
                elif step.get("end"):
                    os.write(master, b"\x04")
        if process.poll() is not None:
            while select.select([read_end, master], [], [], 0.1)[0] and read_end in open_ends:
                before = len(shown) + len(output)
                collect(0)
                if len(shown) + len(output) == before:
                    break
            break
    else:
        process.kill()
        process.wait()
    echo = bool(termios.tcgetattr(slave)[3] & termios.ECHO)
    json.dump(
        {
            "status": process.returncode,
            "terminal": shown.decode(errors="replace"),
            "output": output.decode(errors="replace"),
            "echo": echo,
            "unmet": [step["expect"] for step in steps],
        },
        sys.stdout,
    )


main()
