"""Builds the program and measures what a command takes: for the benches in this directory that are Python."""
import os
import subprocess
import threading
import time
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", HERE / "target")).absolute() / "dist"

Usage = namedtuple("Usage", "cpu_s wall_s peak_mib")


class Failure(Exception):
    """A command failed or took too long."""


def build():
    """Build the program and the benches with the profile that is shipped. Always both: with other packages beside it a
    library may get other features, and everything would be built again."""
    subprocess.run(["cargo", "build", "--profile", "dist", "-q", "-p", "cli", "-p", "lab", "--bin", "pipeline", "--bin",
                    "lab"], cwd=HERE, check=True)


def program():
    """The program to measure: the one that PIPELINE names, or the one of this tree, built."""
    if named := os.environ.get("PIPELINE"):
        return Path(named).resolve()
    build()
    return TARGET / "pipeline"


def measured(*command, cwd=".", limit_s=None, env=None):
    """Run a command to its end: what it printed, and a Usage by the kernel's figures, its children included."""
    began = time.monotonic()
    with open(Path(cwd) / "stderr.txt", "a+") as log, open(Path(cwd) / "stdout.txt", "w+") as out:
        process = subprocess.Popen([str(word) for word in command], cwd=cwd, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=log, env={**os.environ, **(env or {})})
        timer = threading.Timer(limit_s or threading.TIMEOUT_MAX, process.kill)
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            log.seek(0)
            words = " ".join(map(str, command[:4]))
            raise Failure(f"{words}: exit {process.returncode} after {time.monotonic() - began:.0f} s: {log.read()[-2000:]}")
        out.seek(0)
        return out.read(), Usage(used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss / 1024)
