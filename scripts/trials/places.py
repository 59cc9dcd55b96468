"""Directories to run the program in, one for each try, and the comparison of the results in them."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")).absolute() / "release"
CONFIG = '[work]\nmemory = "64MiB"\nthreads = 2\n[sketch]\nseed = "promises"\n[cluster]\ncontainment = 0.8\n'
Ended = namedtuple("Ended", "code out err")


class Broken(Exception):
    """A promise that was not kept in one try."""


class Absent(Exception):
    """The machine has no means to try this."""


def expect(is_so, text):
    if not is_so:
        raise Broken(text)


@cache
def root():
    """A directory for everything; in memory where there is room, as each run syncs its files."""
    shm = Path("/dev/shm")
    roomy = shm.is_dir() and shutil.disk_usage(shm).free > 2 << 30
    return Path(tempfile.mkdtemp(prefix="promises-", dir=shm if roomy else None))


@cache
def build():
    """Build the library that makes calls of the system fail, the generator of pages, and, unless PIPELINE names one, the
    program."""
    cargo = ["cargo", "build", "--release", "--quiet", "-p"]
    if "PIPELINE" not in os.environ:
        subprocess.run([*cargo, "cli", "--bin", "pipeline"], cwd=REPOSITORY, check=True)
    subprocess.run([*cargo, "testkit", "--example", "corpus"], cwd=REPOSITORY, check=True)
    library = root() / "faults.so"
    source = Path(__file__).resolve().parent / "faults.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)


def program():
    """The program on trial: the one that PIPELINE names, or the one of this tree."""
    return Path(os.environ.get("PIPELINE", TARGET / "pipeline")).resolve()


@cache
def pages(seed, count):
    """A directory with generated pages in three JSONL files, which no try changes."""
    made = root() / f"pages-{seed}-{count}"
    made.mkdir()
    written = subprocess.run([TARGET / "examples/corpus", str(seed), str(count)], check=True, stdout=subprocess.PIPE)
    lines = written.stdout.splitlines(keepends=True)
    for n in range(3):
        (made / f"part-{n}.jsonl").write_bytes(b"".join(lines[n * len(lines) // 3:(n + 1) * len(lines) // 3]))
    return made


class Place:
    """A directory with a configuration and what runs left there; a copy of another one, if named."""

    def __init__(self, origin=None, at=None):
        self.path = Path(at) if at else Path(tempfile.mkdtemp(dir=root()))
        if origin:
            shutil.copytree(origin.path, self.path, symlinks=True, dirs_exist_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def configure(self, inputs=None, rest=CONFIG):
        paths = "" if inputs is None else f'[input]\npaths = ["{inputs}"]\n'
        (self.path / "pipeline.toml").write_text(f"version = 1\n{paths}{rest}")
        return self

    def start(self, *arguments, env=None, wrap=(), **options):
        """Start the program; `wrap` is a command before it."""
        plain = {name: value for name, value in os.environ.items() if not name.startswith("PIPELINE_")}
        return subprocess.Popen([*wrap, program(), *map(str, arguments)], cwd=self.path, stdin=subprocess.DEVNULL,
                                env={**plain, **(env or {})}, **options)

    def run(self, *arguments, env=None, wrap=(), limit_s=120):
        """The program to its end, which must come within the limit."""
        child = self.start(*arguments, env=env, wrap=wrap, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = child.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise Broken(f"{' '.join(map(str, arguments))}: no end within {limit_s} s") from None
        text = err.decode(errors="replace")
        expect("panicked" not in text, f"a panic: {text[-300:]}")
        return Ended(child.returncode, out, text)

    def must(self, *arguments, **options):
        ended = self.run(*arguments, **options)
        expect(ended.code == 0, f"{' '.join(map(str, arguments))}: exit {ended.code}: {ended.err[-300:]}")
        return ended

    def published(self):
        """Digests of the files of the publication; `None` where nothing is published."""
        out = self.path / "out"
        return digests(out) if out.exists() else None


def digests(directory):
    """A digest of every file below a directory by its name, without what tells of this run or of times and inodes of the
    input: `run.json`, and in the index the files about sources, headers, checksums and the numbers of steps."""
    digest = lambda data: hashlib.sha256(data).hexdigest()
    found, index = {}, {}
    for base, _, names in os.walk(f"{directory}/"):
        for name in names:
            path = Path(base) / name
            inside = str(path.relative_to(directory))
            (index if inside.startswith("index/") else found)[inside] = path.read_bytes()
    found.pop("run.json", None)
    plain = {name: digest(data) for name, data in found.items()}
    if index:
        try:
            first = json.loads(index.pop("index/index.json"))["index"]
        except (KeyError, ValueError):
            raise Broken(f"{directory}: no sound index.json") from None
        steps = {level["sealed"]["name"]: f"postings.{n}" for n, level in enumerate(first["postings"])}
        for name, data in index.items():
            bare = name.removeprefix("index/")
            if bare not in ("sources", "segments"):
                plain["index/" + steps.get(bare, bare)] = digest(payloads(data))
    return plain


def payloads(data):
    """The contents of the blocks of a file of the index, without headers and checksums."""
    parts, at = [], 64
    while at < len(data) - 48:
        length = int.from_bytes(data[at:at + 4], "little")
        parts.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return b"".join(parts)


def differing(one, other):
    """The names of files that are not the same in two publications."""
    names = sorted(set(one or {}) | set(other or {}))
    return [name for name in names if (one or {}).get(name) != (other or {}).get(name)]


def same(one, other, when):
    names = differing(one, other)
    expect(not names, f"{when}: other bytes in {', '.join(names[:4])}")


def tidy():
    shutil.rmtree(root(), ignore_errors=True)


if __name__ == "__main__":
    sys.exit(__doc__)
