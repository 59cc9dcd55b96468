"""The harness of all trials: start from a state of the disk, disturb a command, and compare bytes with an undisturbed run.

A trial is a generator without arguments. Its docstring is the promise, and each job that it yields is a try: a function and
its arguments. The function raises a Failure where the promise is broken, gives False where there was nothing to try, and a
number where it made more tries than one.
"""
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import threading
from functools import cache, wraps
from pathlib import Path

import places
from places import REPOSITORY, Failure, expect

CONFIG = '[work]\nmemory = "64MiB"\nthreads = 2\n[sketch]\nseed = "promises"\n[cluster]\ncontainment = 0.8\n'
CONFIG += "[passages]\nwords = 20\n"
PEAK_MAX_MIB = 64 + 64


LOCK = threading.RLock()


def once(function):
    """A cache of a function by its arguments; tries on two threads do not call it twice."""
    kept = cache(function)

    @wraps(function)
    def guarded(*arguments):
        with LOCK:
            return kept(*arguments)
    return guarded


class Absent(Exception):
    """The machine has no means to try this."""


@once
def root():
    """A directory for everything; in memory where there is room, as each run syncs its files."""
    shm = Path("/dev/shm")
    roomy = shm.is_dir() and shutil.disk_usage(shm).free > 2 << 30
    return Path(tempfile.mkdtemp(prefix="promises-", dir=shm if roomy else None))


@once
def program():
    return places.program(lambda: places.build("release", "-p", "cli", "--bin", "pipeline"))


@once
def build():
    """Build the program, the generator of pages, and the library that makes calls of the system fail."""
    program()
    source = Path(__file__).resolve().parent / "faults.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", root() / "faults.so", source, "-ldl"], check=True)


def library(**faults):
    """The environment in which the library makes these faults: see faults.c."""
    return {"LD_PRELOAD": str(root() / "faults.so")} | {f"FAULT_{name.upper()}": str(value) for name, value in faults.items()}


def generated(seed, count):
    """Lines of JSONL: pages."""
    corpus = places.build("release", "-p", "testkit", "--example", "corpus") / "examples/corpus"
    return places.must(corpus, seed, count).out.splitlines(keepends=True)


@once
def pages(seed, count):
    """A directory with generated pages in three JSONL files, which no try changes."""
    made, lines = root() / f"pages-{seed}-{count}", generated(seed, count)
    made.mkdir()
    for n in range(3):
        (made / f"part-{n}.jsonl").write_bytes(b"".join(lines[n * len(lines) // 3:(n + 1) * len(lines) // 3]))
    return made


class Place(places.Place):
    """A place for one try."""

    binary = staticmethod(program)

    def __init__(self, origin=None):
        super().__init__(origin, root())

    def configure(self, *paths, rest=CONFIG):
        return super().configure(paths or None, rest)

    def run(self, *arguments, limit_s=120, **options):
        return super().run(*arguments, limit_s=limit_s, **options)

    def run_bounded(self, what, codes, limit_s):
        """A run that takes no more memory than was promised."""
        ended = self.run("run", env=library(peak="peak"), limit_s=limit_s)
        expect(ended.code in codes, f"{what}: exit {ended.code}: {ended.err[-200:]}")
        peak = int((self.path / "peak").read_text()) / 1024
        expect(peak <= PEAK_MAX_MIB, f"{what}: a peak of {peak:.0f} MiB")
        return ended

    def published(self, out="out"):
        """Digests of the files of the publication; `None` where nothing is published."""
        return digests(self.path / out) if (self.path / out).exists() else None

    def kept_bytes(self):
        """The bytes of the work directory and of all publications, each file once."""
        found = (path.lstat() for top in ("work", "out.d") for path in (self.path / top).rglob("*"))
        return sum({about.st_ino: about.st_size for about in found}.values())


class Scene:
    """A state of the disk, a command, and the results that it must lead to."""

    def __init__(self, prepare, *command, results=Place.published):
        build()
        self.origin, self.command, self.results = prepare(), command, results
        with Place(self.origin) as place:
            place.must(*command, env={"PIPELINE_FAULT_COUNT": place.path / "count"})
            self.operations = sum(map(int, (place.path / "count").read_text().split()))
            self.golden = results(place)

    def calls(self, kinds):
        """How many calls of the system of these kinds the command makes."""
        with Place(self.origin) as place:
            place.must(*self.command, env=library(calls=kinds, count="calls"))
            return int((place.path / "calls").read_text())

    def meet(self, place, when, codes, says="", more=(), **fault):
        """The command with a fault: it ends well and with its results, or with one of these codes, and says why."""
        ended = place.run(*self.command, *more, **fault)
        expect(ended.code in (0, *codes), f"{when}: exit {ended.code}: {ended.err[-200:]}")
        expect(ended.code == 0 or says in ended.err, f"{when}: the message does not say {says!r}: {ended.err[-200:]}")
        if ended.code == 0:
            same(self.golden, self.results(place), f"{when}, exit 0")

    def go_on(self, place, when):
        """The command of the scene again, without faults."""
        ended = place.run(*self.command)
        # A snapshot that was added or dropped before the end came is not added or dropped again.
        if self.command[0] != "snapshot":
            expect(ended.code == 0, f"{when}: afterwards exit {ended.code}: {ended.err[-200:]}")
        same(self.golden, self.results(place), when)
        # Damage of what was left behind would be found here.
        if self.command[0] == "run":
            place.must("verify", "-q")

    def disturbed(self, faults, codes=(), says=""):
        """The command with one fault after the other, then without."""
        with Place(self.origin) as place:
            for fault in faults:
                self.meet(place, str(fault), codes, says, **fault)
            self.go_on(place, str(faults))


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
            raise Failure(f"{directory}: no sound index.json") from None
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


def same(one, other, when):
    """Expects the same files in two publications."""
    one, other = one or {}, other or {}
    names = [name for name in sorted({*one, *other}) if one.get(name) != other.get(name)]
    expect(not names, f"{when}: other bytes in {', '.join(names[:4])}")
