"""File systems of their own: used up, locked, and with the power cut."""
import os
import shutil
import subprocess
import time
from contextlib import contextmanager

from faults import at_calls
from harness import CONFIG, Absent, Failure, Place, Scene, expect, generated, once, pages, root, same

ROOMY = "size=256m,nr_inodes=100000"
# The work directory, the results, or both are on a disk, which is mounted at the directory `disk` of a place.
OUT = {"both": "disk/out", "work": "out", "results": "disk/out"}
WORK = {"both": "disk/work", "work": "disk/work", "results": "work"}


def shell(*command):
    """A command as root; where it cannot be run, nothing can be tried."""
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        raise Absent(f"{' '.join(map(str, command))}: {ended.stderr.strip()}")


@contextmanager
def mounted(at, *how):
    """A file system mounted at a directory."""
    at.mkdir(exist_ok=True)
    shell("mount", *how, at)
    try:
        yield at
    finally:
        subprocess.run(["umount", at], check=True)


def memory_disk(place, options):
    return mounted(place.path / "disk", "-t", "tmpfs", "-o", options, "none")


def remount(place, options):
    shell("mount", "-o", f"remount,{options}", place.path / "disk")


@once
def on_a_disk(which):
    """A first run."""
    places = f'[work]\ndir = "{WORK[which]}"\noutput = "{OUT[which]}"\n'

    def prepare():
        place = Place().configure(pages(21, 300), rest=CONFIG.replace("[work]\n", places))
        (place.path / "disk").mkdir()
        return place
    return Scene(prepare, "run", "-q", results=lambda place: place.published(OUT[which]))


@once
def needed():
    """The bytes and the files that a run takes."""
    with Place(on_a_disk("both").origin) as place, memory_disk(place, ROOMY):
        place.must("run", "-q")
        return sum(path.lstat().st_blocks * 512 for path in place.path.rglob("*")), sum(1 for _ in place.path.rglob("*"))


def disk_full():
    """a full disk is exit 4 with path and bytes, and the next run is whole"""
    for which in ("both", "work", "results"):
        for step in range(1, 65):
            size = max(needed()[0] * step // 60 // 4096, 2) * 4
            yield scarce, f"size={size}k,nr_inodes=100000", which, "free"


def no_inodes():
    """a disk without inodes is exit 4, and the next run is whole"""
    for step in range(1, 65):
        yield scarce, f"size=256m,nr_inodes={max(needed()[1] * step // 60, 2)}", "both", "no inode left"


def scarce(options, which, says):
    at, when = on_a_disk(which), f"{options}, {which}"
    with Place(at.origin) as place, memory_disk(place, options):
        at.meet(place, when, [4], says)
        expect(at.results(place) in (None, at.golden), f"{when}: an incomplete publication is visible")
        remount(place, ROOMY)
        at.go_on(place, when)
        litter = [path.name for path in place.path.rglob("*.part")]
        expect(not litter, f"{when}: {litter} are left")


def read_only():
    """a read-only disk: 0 with nothing new, else an error that says so"""
    for words, codes in (("run", [0]), ("run --force", [1]), ("run --only index --force", [1]), ("verify", [0]),
                         ("query doc 0", [0]), ("status", [0]), ("export pairs", [0]), ("tune", [1]),
                         ("dedup --dry-run", [0, 1])):
        yield locked, words, codes


def locked(words, codes):
    at = on_a_disk("both")
    with Place(at.origin) as place, memory_disk(place, ROOMY):
        place.must("run", "-q")
        remount(place, "ro")
        ended = place.run(*words.split())
        expect(ended.code in codes, f"{words}: exit {ended.code}: {ended.err[-200:]}")
        same(at.golden, at.results(place), words)
        remount(place, "rw")
        at.go_on(place, words)


# How many clones of a disk are made during a run, and its pages.
CLONES, PAGES = 80, 30_000
POWER = '[work]\nmemory = "64MiB"\n[sketch]\nseed = "cut"\n'


@once
def power_scene():
    crawl = root() / "cut.jsonl"
    crawl.write_bytes(b"".join(generated(7, PAGES)))
    return Scene(lambda: Place().configure(crawl, rest=POWER), "run", "-q")


def inside(disk):
    """The place on a mounted file system: the same relative paths, so that configurations are equal to the byte."""
    place = Place.__new__(Place)
    place.path = disk
    return place


def cut(system, fault):
    """Clones the disk of a run again and again: each clone is what it would hold had the power failed at that moment. The
    clones are the outer file system's (XFS with reflinks), so that each is of one moment. Gives how many there are, and
    what became of those that lost something."""
    at = power_scene()
    with Place() as base:
        outer, disk = base.path / "outer.img", base.path / "outer/disk"
        subprocess.run(["truncate", "-s", "3G", outer], check=True)
        shell("mkfs.xfs", "-q", "-f", "-m", "reflink=1", outer)
        with mounted(base.path / "outer", "-o", "loop", outer):
            subprocess.run(["truncate", "-s", "600M", disk], check=True)
            shell(f"mkfs.{system}", "-q", "-F" if system == "ext4" else "-f", disk)
            clones = clone_during(at, base, disk, fault)
            lost = []
            for clone in clones:
                try:
                    with mounted(base.path / "cut", "-o", "loop", clone) as there:
                        look(at, inside(there), is_done=clone == clones[-1])
                except (Failure, Absent) as failure:
                    lost.append(f"{system}, {clone.name}: {failure}")
                # Its run has written to it: all clones together would fill the outer file system.
                clone.unlink()
    return len(clones), lost


def clone_during(at, base, disk, fault):
    """A run on the disk, and the clones of it; the last is made when the program has said that it was done."""
    with mounted(base.path / "inner", "-o", "loop", disk) as inner:
        place, clones = inside(inner), []
        shutil.copy(at.origin.path / "pipeline.toml", inner)
        os.sync()
        with Place(at.origin) as plain:
            length = plain.must(*at.command).usage.wall_s
        child = place.start(*at.command, env=fault, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for number in range(10 * CLONES):
                is_done = child.poll() is not None
                clones.append(disk.with_name(f"clone-{number}"))
                subprocess.run(["cp", "--reflink=always", disk, clones[-1]], check=True)
                if is_done:
                    expect(child.returncode == 0, f"the run on a disk ends with {child.returncode}")
                    return clones
                time.sleep(length / CLONES)
            raise Failure("the run on a disk does not end")
        finally:
            child.kill()
            child.wait()


def look(at, place, is_done):
    """After a power cut: a publication that is visible is whole, and the same command goes on."""
    expect(at.results(place) in ((at.golden,) if is_done else (None, at.golden)), "an incomplete publication is visible")
    # The configuration itself may be younger than the last sync of the file system.
    shutil.copy(at.origin.path / "pipeline.toml", place.path)
    at.go_on(place, "after a power cut")


def power_cuts():
    """a power cut loses nothing that was reported, and the next run is whole"""
    def survived(system):
        clones, lost = cut(system, {})
        expect(not lost, "; ".join(lost))
        return clones
    for system in ("ext4", "xfs", "btrfs"):
        yield survived, system


def missing_syncs():
    """without syncs, the power cuts do lose something"""
    def must_lose(system, calls):
        fault = at_calls(calls=calls, every=1, errno=-1)["env"]
        expect(any(cut(system, fault)[1] for _ in range(4)), f"{system} without syncs: nothing is lost, so this has no teeth")
    for system, calls in (("ext4", "s"), ("xfs", "s"), ("btrfs", "s"), ("xfs", "d")):
        yield must_lose, system, calls
