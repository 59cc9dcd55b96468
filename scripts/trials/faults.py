"""Kills, signals, power cuts and failing calls: the next run gives the bytes of an undisturbed one."""
import random
import re
import shutil
import signal
import subprocess
import time
from functools import cache
from pathlib import Path

from places import Absent, Broken, Place, REPOSITORY, build, digests, expect, pages, root, same

PAGES = 90
ERRORS = {"EIO": 5, "ENOSPC": 28, "EDQUOT": 122, "ESTALE": 116, "EROFS": 30, "EMFILE": 24, "ENOMEM": 12}


class Scene:
    """A state of the disk, a command, and the results that it must lead to."""

    def __init__(self, prepare, *command, results=Place.published):
        build()
        self.origin, self.command, self.results = prepare(), command, results
        with Place(self.origin) as place:
            place.must(*command, env={"PIPELINE_FAULT_COUNT": place.path / "count"})
            self.operations = sum(map(int, (place.path / "count").read_text().split()))
            self.golden = results(place)

    def go_on(self, place, when):
        """The same command again, without faults."""
        ended = place.run(*self.command)
        # A snapshot that was added or dropped before the end came is not added or dropped again.
        if self.command[0] != "snapshot":
            expect(ended.code == 0, f"{when}: afterwards exit {ended.code}: {ended.err[-200:]}")
        same(self.golden, self.results(place), when)
        # Damage of what was left behind would be found here.
        if self.command[0] == "run":
            place.must("verify", "-q")


def fresh():
    return Place().configure(pages(21, PAGES))


def night(dropped=False):
    place = Place().configure()
    for number in (1, 2, 3) if dropped else (1,):
        place.must("snapshot", "add", f"night-{number}", pages(20 + number, PAGES))
    place.must("run", "-q")
    return place


def added():
    place = night()
    place.must("snapshot", "add", "night-2", pages(22, PAGES))
    return place


def dropped():
    place = night(dropped=True)
    place.must("snapshot", "drop", "night-1")
    return place


def done():
    place = fresh()
    place.must("run", "-q")
    return place


def formats(*more):
    """A file of each format that a copy can be made of."""
    place = Place().configure("input")
    (place.path / "input").mkdir()
    for name in ("parquet/crawl.parquet", "web/crawl-00000.warc.gz", "arc/crawl-00003.arc.gz",
                 "wet/crawl-00000.warc.wet.gz", "jsonl/crawl-00001.jsonl.gz", "tree/song.example", *more):
        sample, copy = REPOSITORY / "data-samples" / name, place.path / "input" / Path(name).name
        (shutil.copytree if sample.is_dir() else shutil.copy)(sample, copy)
    return place


def formats_done():
    place = formats()
    place.must("run", "-q")
    return place


def listed(place):
    """The list of snapshots as it is shown."""
    return {"snapshots": place.must("snapshot", "list").out}


def copied(place):
    files = digests(place.path / "copies")
    return {name: digest for name, digest in files.items() if not name.startswith(".")}


SCENES = {
    "a first run": lambda: Scene(fresh, "run", "-q"),
    "a night": lambda: Scene(added, "run", "-q"),
    "a night after a drop": lambda: Scene(dropped, "run", "-q"),
    "phase settle": lambda: Scene(done, "run", "-q", "--from", "settle", "--force"),
    "phase index": lambda: Scene(done, "run", "-q", "--only", "index", "--force"),
    "snapshot add": lambda: Scene(night, "snapshot", "add", "night-2", pages(22, PAGES), results=listed),
    "snapshot drop": lambda: Scene(lambda: night(dropped=True), "snapshot", "drop", "night-1", results=listed),
    "dedup": lambda: Scene(done, "dedup", "-q", "-o", "copies", results=copied),
}
# For calls of the system that read; the states above are of JSONL.
FORMATS = {
    "a first run of every format": lambda: Scene(lambda: formats("wacz/crawl.wacz"), "run", "-q"),
    "dedup of every format": lambda: Scene(formats_done, "dedup", "-q", "-o", "copies", results=copied),
}


@cache
def scene(name):
    return (SCENES | FORMATS)[name]()


def disturbed(at, fault, allowed):
    """One command with a fault, then the same without."""
    with Place(at.origin) as place:
        ended = place.run(*at.command, env=fault)
        when = " ".join(f"{name.lower()} {value}" for name, value in fault.items() if name != "LD_PRELOAD")
        if ended.code == 0:
            same(at.golden, at.results(place), f"{when}, exit 0")
        expect(ended.code in (0, *allowed), f"{when}: exit {ended.code}: {ended.err[-200:]}")
        at.go_on(place, when)


def kills(share):
    """Every operation on the disk: killed before it, and in the middle of a write."""
    for name in SCENES:
        at = scene(name)
        for nth in range(1, at.operations + 1, max(round(1 / share), 1)):
            for mode in ("kill", "torn"):
                yield lambda at=at, fault=f"{mode}:any:{nth}": disturbed(at, {"PIPELINE_FAULT": fault}, (-9,))


def double_kills(share):
    """Kills of the run, of the run that goes on, and of the one after it."""
    rng = random.Random(1)

    def thrice(at, numbers):
        with Place(at.origin) as place:
            for nth in numbers:
                place.run(*at.command, env={"PIPELINE_FAULT": f"kill:any:{nth}"})
            at.go_on(place, f"kills at {numbers}")
    for _ in range(max(int(500 * share), 20)):
        at = scene(rng.choice(("a first run", "a night", "a night after a drop", "dedup")))
        yield lambda at=at, numbers=[rng.randint(1, at.operations) for _ in range(3)]: thrice(at, numbers)


def signals(share):
    """A signal at any moment, from the first on."""
    codes = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
    at, rng = scene("a first run"), random.Random(2)
    began = time.monotonic()
    with Place(at.origin) as place:
        place.must(*at.command)
    length = time.monotonic() - began

    def stopped(number, after):
        with Place(at.origin) as place:
            # In the background of a script, the program ignores some of them.
            answering = ("env", "--default-signal")
            child = place.start(*at.command, wrap=answering, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(after)
            child.send_signal(number)
            try:
                code = child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                child.kill()
                raise Broken(f"signal {number}: no end within 5 s") from None
            # Before the program itself has begun, the system ends it.
            expect(code in (0, codes[number], -number), f"signal {number} after {after:.4f} s: exit {code}")
            at.go_on(place, f"signal {number} after {after:.4f} s")
    for n in range(max(int(400 * share), 20)):
        number = list(codes)[n % 4]
        yield lambda number=number, after=rng.uniform(0, 1.1) * length: stopped(number, after)


def failing(share):
    """Every operation on the disk answers with an error."""
    for name in SCENES:
        at = scene(name)
        for error, number in ERRORS.items():
            # Every error at every operation of a first run; elsewhere EIO and ENOSPC at each, and others at some.
            sparse = 1 if name == "a first run" or number in (5, 28) else 5
            for nth in range(1, at.operations + 1, max(round(sparse / share), 1)):
                fault = {"PIPELINE_FAULT": f"error:any:{nth}:{number}"}
                yield lambda at=at, fault=fault: disturbed(at, fault, (1, 2, 4))


def calls_of(at, kinds):
    """The calls of these kinds that a command makes."""
    with Place(at.origin) as place:
        place.must(*at.command, env={"LD_PRELOAD": str(root() / "faults.so"), "FAULT_CALLS": kinds, "FAULT_COUNT": "calls"})
        return int((place.path / "calls").read_text())


def failing_reads(share):
    """Every read of a file, input included, answers with an error."""
    for name in ("a first run", "a night", "dedup", *FORMATS):
        at = scene(name)
        for error in ("EIO",) if name in FORMATS else ("EIO", "ESTALE"):
            for nth in range(1, calls_of(at, "r") + 1, max(round(1 / share), 1)):
                fault = {"LD_PRELOAD": str(root() / "faults.so"), "FAULT_CALLS": "r", "FAULT_NTH": str(nth),
                         "FAULT_ERRNO": str(ERRORS[error])}
                yield lambda at=at, fault=fault: disturbed(at, fault, (1, 2, 4))


def lost_writes(share):
    """Every sync fails once, and its file is empty afterwards: a program that syncs again would take it for whole."""
    for name in SCENES:
        at = scene(name)
        for nth in range(1, calls_of(at, "sd") + 1, max(round(1 / share), 1)):
            fault = {"LD_PRELOAD": str(root() / "faults.so"), "FAULT_CALLS": "sd", "FAULT_NTH": str(nth), "FAULT_LOSES": "1"}
            yield lambda at=at, fault=fault: disturbed(at, fault, (1, 2))


def interrupted_calls(share):
    """Each n-th read, write and sync is interrupted: nobody notices."""
    for name in SCENES:
        at = scene(name)
        for every in range(2, 2 + max(int(20 * share), 2)):
            fault = {"LD_PRELOAD": str(root() / "faults.so"), "FAULT_CALLS": "rw", "FAULT_EVERY": str(every), "FAULT_ERRNO": "4"}
            yield lambda at=at, fault=fault: disturbed(at, fault, ())


def power_cut(share, system, *mutant):
    """`scripts/power-cut` on a file system: its clones, and how many of them lost something."""
    command = [REPOSITORY / "scripts/power-cut", "--fs", system, "--snapshots", str(max(int(80 * share), 10)),
               "--pages", str(int(30_000 * share)), *mutant]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode == 3:
        raise Absent(ended.stderr.strip())
    found = re.search(r": (\d+) power cuts .* lost: (\d+)", ended.stdout)
    expect(found is not None, f"{system}: {ended.stdout[-200:]} {ended.stderr[-300:]}")
    return tuple(map(int, found.groups())), ended.stdout


def power_cuts(share):
    """The disk as it was at a moment of the run, on three file systems."""
    for system in ("ext4", "xfs", "btrfs"):
        (cuts, lost), text = power_cut(share, system)

        def look(n, lost=lost, text=text):
            expect(n >= lost, text)
        for n in range(cuts):
            yield lambda n=n, look=look: look(n)


def missing_syncs(share):
    """Mutants: a power cut must lose something when syncs are left out."""
    for system, left_out in (("ext4", "files"), ("xfs", "files"), ("btrfs", "files"), ("xfs", "directories")):
        def must_lose(system=system, left_out=left_out):
            for _ in range(4):
                (_, lost), _text = power_cut(share, system, "--without", left_out)
                if lost:
                    return
            raise Broken(f"{system} without syncs of {left_out}: nothing was lost, so the test has no teeth")
        yield must_lose
