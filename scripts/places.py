"""Directories to run the program in, what a run took, and tables of that: for all scripts that are Python."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import namedtuple
from functools import cache
from pathlib import Path

sys.dont_write_bytecode = True
REPOSITORY = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")).absolute()

Usage = namedtuple("Usage", "cpu_s wall_s peak_mib")
Ended = namedtuple("Ended", "code out err usage")


class Failure(Exception):
    """A command failed or took too long, or a promise was not kept."""


def expect(is_so, text):
    if not is_so:
        raise Failure(text)


@cache
def build(profile, *options):
    """Build with cargo; the directory of what was built."""
    subprocess.run(["cargo", "build", "--profile", profile, "--quiet", *options], cwd=REPOSITORY, check=True)
    return TARGET / profile


def shipped():
    """The directory of the program and of `lab` with the profile that is shipped. Always both: with other packages beside
    it a library may get other features, and everything would be built again."""
    return build("dist", "-p", "cli", "-p", "lab", "--bin", "pipeline", "--bin", "lab")


def program(built=shipped):
    """The program to measure or to try: the one that PIPELINE names, or the one of this tree."""
    return Path(os.environ.get("PIPELINE") or built() / "pipeline").resolve()


def lab():
    """The program `lab`: the one that LAB names, or the one of this tree."""
    return Path(os.environ.get("LAB") or shipped() / "lab").resolve()


def run(*command, cwd=".", env=None, limit_s=threading.TIMEOUT_MAX):
    """A command to its end, which must come within the limit; what it took is by the kernel's figures, with its children."""
    began = time.monotonic()
    words = [str(word) for word in command]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(words, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 env={**os.environ, **(env or {})})
        timer = threading.Timer(limit_s, child.kill)
        timer.start()
        _, status, used = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        took = time.monotonic() - began
        expect(took < limit_s, f"{' '.join(words[:4])}: no end within {limit_s} s")
        for file in (out, err):
            file.seek(0)
        usage = Usage(used.ru_utime + used.ru_stime, took, used.ru_maxrss / 1024)
        return Ended(child.returncode, out.read(), err.read().decode(errors="replace"), usage)


def must(*command, runs=run, **options):
    """A command that has to end well."""
    ended = runs(*command, **options)
    expect(ended.code == 0, f"{' '.join(map(str, command[:4]))}: exit {ended.code}: {ended.err[-2000:]}")
    return ended


class Place:
    """A directory with a configuration and with what runs of the program left there; a copy of another one, if named."""

    binary = staticmethod(program)

    def __init__(self, origin=None, parent=None):
        self.path = Path(tempfile.mkdtemp(dir=parent)).absolute()
        if origin:
            shutil.copytree(origin.path, self.path, symlinks=True, dirs_exist_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def configure(self, paths=None, rest=""):
        """Write the configuration: paths of input, if any, and other lines."""
        listed = "" if paths is None else f"[input]\npaths = {json.dumps([str(path) for path in paths])}\n"
        (self.path / "pipeline.toml").write_text(f"version = 1\n{listed}{rest}")
        return self

    def start(self, *arguments, env=None, wrap=(), **options):
        """Start the program; `wrap` is a command before it."""
        return subprocess.Popen([*wrap, self.binary(), *map(str, arguments)], cwd=self.path, stdin=subprocess.DEVNULL,
                                env={**os.environ, **(env or {})}, **options)

    def run(self, *arguments, wrap=(), **options):
        ended = run(*wrap, self.binary(), *arguments, cwd=self.path, **options)
        expect("panicked" not in ended.err, f"a panic: {ended.err[-300:]}")
        return ended

    def must(self, *arguments, **options):
        return must(*arguments, runs=self.run, **options)

    def cpu(self, *arguments):
        """The CPU seconds of a run that has to end well."""
        return self.must(*arguments).usage.cpu_s

    def report(self):
        """The report of the last run."""
        return json.loads((self.path / "out/report.json").read_text())

    def clear(self):
        """Nothing but the configuration and the input."""
        for name in ("work", "work.shards", "out", "out.d"):
            at = self.path / name
            at.unlink() if at.is_symlink() else shutil.rmtree(at, ignore_errors=True)


def table(*columns):
    """Print a head, and give the function that prints a row below it. A column is its name and the format of its values."""
    widths = [format.split(".")[0].rstrip("dfs") for _, format in columns]
    print(*(f"{name:{width}}" for (name, _), width in zip(columns, widths)))
    return lambda *values: print(*(f"{value:{width if isinstance(value, str) else format}}" for value, width, (_, format)
                                   in zip(values, widths, columns)), flush=True)
