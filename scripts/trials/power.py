"""Power cuts by the letter: of what a program does not sync, nothing is on the disk.

A library loaded before the program copies each file and the names of each directory when they are synced. The disk is put
together from these copies: a file that was not synced is empty, a name that its directory was not synced with is not there,
and a name that was removed without a sync is. Real file systems keep more (disks.py), so less may be lost there.
"""
import os
import stat
import subprocess
from pathlib import Path

from faults import SCENES, scene
from harness import Absent, Failure, Place, expect, library, same

FILE, DIRECTORY, LINK = 8, 4, 10
KINDS = {stat.S_IFREG: FILE, stat.S_IFDIR: DIRECTORY, stat.S_IFLNK: LINK}


class Durable:
    """The disk below a place: its files as they were, and all that was synced later."""

    def __init__(self, place, synced):
        # Elsewhere a new file may get the inode of one that was removed.
        kind = subprocess.run(["stat", "-f", "-c", "%T", place.path], capture_output=True, text=True).stdout.strip()
        if kind != "tmpfs":
            raise Absent(f"{place.path} is on {kind}, not in memory")
        self.place, self.synced, self.contents, self.times = place, synced, {}, {}
        for path in (place.path, *place.path.rglob("*")):
            about = path.lstat()
            self.contents[about.st_ino] = content(path)
            self.times[about.st_ino] = about.st_atime_ns, about.st_mtime_ns

    def held(self, inode):
        """The bytes of a file, or the names in a directory with their inodes and kinds; `None` if nothing was synced."""
        kept = self.synced / str(inode)
        return kept.read_bytes() if kept.exists() else self.contents.get(inode)

    def put(self, path, inode, kind):
        held = self.held(inode) or b""
        if kind == DIRECTORY:
            path.mkdir(exist_ok=True)
            for name, entry in names(held).items():
                self.put(path / name, *entry)
        elif kind == LINK:
            # A symbolic link has no sync of its own: where it leads is on the disk with its name.
            path.symlink_to(os.fsdecode(held))
        else:
            path.write_bytes(held)
            if inode in self.times:
                os.utime(path, ns=self.times[inode])

    def after_the_cut(self):
        links = filter(Path.is_symlink, self.place.path.rglob("*"))
        self.contents |= {path.lstat().st_ino: content(path) for path in links}
        left = Place()
        self.put(left.path, self.place.path.stat().st_ino, DIRECTORY)
        return left

    def lacks(self, inode):
        """Whether the disk does not hold what the place does: a sync of this was needed."""
        is_one = lambda path: path.lstat().st_ino == inode
        path = next(filter(is_one, (self.place.path, *self.place.path.rglob("*"))), None)
        if path is None:
            return False
        held, now = self.held(inode) or b"", content(path)
        if not path.is_dir():
            return held != now
        before, now = names(held), names(now)
        # A phase that is made again has the bytes of the one before.
        bytes_of = lambda one: self.held(one[0])
        return any(name not in before or bytes_of(before[name]) != bytes_of(now[name]) for name in now)


def content(path):
    """The bytes of a file, the names in a directory as the library writes them, or where a link leads."""
    if path.is_symlink():
        return os.fsencode(os.readlink(path))
    if not path.is_dir():
        return path.read_bytes()
    kind = lambda one: KINDS[stat.S_IFMT(one.stat(follow_symlinks=False).st_mode)]
    return b"".join(b"%d %d %s\0" % (one.inode(), kind(one), os.fsencode(one.name)) for one in os.scandir(path))


def names(content):
    rows = (row.split(" ", 2) for row in os.fsdecode(content).split("\0") if row)
    return {name: (int(inode), int(kind)) for inode, kind, name in rows}


def after_a_cut(at, cut_at, left_out=0):
    """Looks at the disk after a power cut before a sync, or at the end; with a sync left out, if one is named. The name of what
    it was left out of, and whether the disk lacks anything without."""
    with Place(at.origin) as place, Place() as copies:
        durable = Durable(place, copies.path)
        env = library(calls="sd", disk=copies.path, cut=cut_at, nth=left_out, errno=-1)
        ended = place.run(*at.command, env=env)
        when = f"{' '.join(at.command[:2])}, the power fails " + (f"before sync {cut_at}" if cut_at else "at the end")
        expect(ended.code in (0, -9), f"{when}: exit {ended.code}: {ended.err[-200:]}")
        with durable.after_the_cut() as left:
            if ended.code == 0:
                same(at.golden, at.results(left), f"{when}: what was reported is lost")
                if at.command[0] in ("run", "dedup"):
                    left.must("verify", "-q")
                    expect(notes(left) == notes(place), f"{when}: what was done is not known")
            at.go_on(left, when)
        if not (copies.path / "left-out").exists():
            return None, False
        inode, name = (copies.path / "left-out").read_text().split(" ", 1)
        return os.path.relpath(name, place.path), durable.lacks(int(inode))


def notes(place):
    """The files by which a command knows what was done, and whose directories these are."""
    kept = ("work/manifest.json", "out.d/.pipeline", "copies/.seal", "copies/.pipeline-dedup")
    files = [place.path / name for name in kept]
    return os.readlink(place.path / "out"), [path.read_bytes() for path in files if path.exists()]


def survived(at, cut_at):
    after_a_cut(at, cut_at)


def unsynced():
    """a power cut before any sync, without all unsynced data, loses nothing that was reported"""
    for at in map(scene, SCENES):
        # Before sync 0: at the end.
        for cut_at in range(at.calls("sd") + 1):
            yield survived, at, cut_at


def must_lose(at, left_out, syncs):
    """Without this one sync, a power cut at some moment loses something."""
    for cut_at in (0, *range(syncs, left_out, -1)):
        try:
            name, is_lacking = after_a_cut(at, cut_at, left_out)
        except Failure:
            return None
        # It was synced again, or a moment before, or is gone.
        if cut_at == 0 and not is_lacking:
            return False
    raise Failure(f"{' '.join(at.command[:2])}, without sync {left_out} of {syncs}, of {name}: nothing is lost")


def single_syncs():
    """each sync is needed: without it alone, such a power cut does lose something"""
    for at in map(scene, SCENES):
        syncs = at.calls("sd")
        for left_out in range(1, syncs + 1):
            yield must_lose, at, left_out, syncs
