"""Disks and limits that are used up, and disks that nobody may write to."""
import os
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from places import CONFIG, Absent, Place, build, expect, pages, root, same

ROOMY = "size=256m,nr_inodes=100000"


@contextmanager
def memory_disk(options):
    """A file system of its own with these limits."""
    at = tempfile.mkdtemp(dir=root())
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", at], capture_output=True, text=True)
    if mounted.returncode != 0:
        os.rmdir(at)
        raise Absent(f"no file system can be mounted: {mounted.stderr.strip()}")
    try:
        yield Path(at)
    finally:
        subprocess.run(["umount", at], check=True)
        os.rmdir(at)


def remount(at, options):
    subprocess.run(["mount", "-o", f"remount,{options}", at], check=True)


def configured(place, disk, which):
    """A configuration with the work directory, the results, or both on a disk."""
    work = disk / "work" if which in ("work", "both") else "work"
    out = disk / "out" if which in ("results", "both") else "out"
    return place.configure(pages(21, 300), CONFIG.replace("[work]\n", f'[work]\ndir = "{work}"\noutput = "{out}"\n'))


def results(place, disk, which):
    return Place(at=disk if which in ("results", "both") else place.path).published()


def golden():
    build()
    with Place().configure(pages(21, 300)) as place:
        place.must("run", "-q")
        used = sum(path.lstat().st_blocks * 512 for path in place.path.rglob("*"))
        return place.published(), used, sum(1 for _ in place.path.rglob("*"))


def check_mounts():
    with memory_disk(ROOMY):
        pass


def scarce(options, which, whole, word):
    with memory_disk(options) as disk, Place() as place:
        configured(place, disk, which)
        ended = place.run("run", "-q")
        when = f"{options}, {which}"
        expect(ended.code in (0, 4), f"{when}: exit {ended.code}: {ended.err[-200:]}")
        expect(ended.code == 0 or word in ended.err, f"{when}: the message does not say {word!r}: {ended.err[-200:]}")
        before = results(place, disk, which)
        expect(before in (None, whole) and (before or ended.code), f"{when}: an incomplete publication is visible")
        remount(disk, ROOMY)
        place.must("run", "-q")
        same(whole, results(place, disk, which), when)
        place.must("verify", "-q")
        litter = [path.name for top in (disk, place.path) for path in top.rglob("*.part")]
        expect(not litter, f"{when}: {litter} are left")


def disk_full(share):
    whole, used, _ = golden()
    check_mounts()
    for which in ("both", "work", "results"):
        for step in range(1, 65, max(round(1 / share), 1)):
            size = max(used * step // 60 // 4096, 2) * 4
            yield lambda size=size, which=which: scarce(f"size={size}k,nr_inodes=100000", which, whole, "free")


def no_inodes(share):
    whole, _, files = golden()
    check_mounts()
    for step in range(1, 65, max(round(1 / share), 1)):
        inodes = max(files * step // 60, 2)
        yield lambda inodes=inodes: scarce(f"size=256m,nr_inodes={inodes}", "both", whole, "no inode left")


def limited(limit, codes, word, whole):
    with Place().configure(pages(21, 300)) as place:
        ended = place.run("run", "-q", wrap=("sh", "-c", f'ulimit {limit}; exec "$0" "$@"'))
        expect(ended.code in codes, f"ulimit {limit}: exit {ended.code}: {ended.err[-200:]}")
        expect(ended.code == 0 or word in ended.err, f"ulimit {limit}: the message does not say {word!r}: {ended.err[-200:]}")
        if ended.code == 0:
            same(whole, place.published(), f"ulimit {limit}")
        place.must("run", "-q")
        same(whole, place.published(), f"after ulimit {limit}")


def file_size(share):
    whole, _, _ = golden()
    for blocks in range(0, 64, max(round(1 / share), 1)):
        yield lambda blocks=blocks: limited(f"-f {blocks}", (0, 4), "ulimit -f", whole)


def open_files(share):
    whole, _, _ = golden()
    for files in range(5, 65, max(round(1 / share), 1)):
        yield lambda files=files: limited(f"-n {files}", (0, 4), "open files", whole)


def read_only(share):
    """A disk that became read-only: with nothing new a run is 0; with news, a clean error."""
    whole, _, _ = golden()
    check_mounts()

    def locked(arguments, codes):
        with memory_disk(ROOMY) as disk, Place() as place:
            configured(place, disk, "both")
            place.must("run", "-q")
            remount(disk, "ro")
            ended = place.run(*arguments)
            expect(ended.code in codes, f"{' '.join(arguments)}: exit {ended.code}: {ended.err[-200:]}")
            same(whole, results(place, disk, "both"), " ".join(arguments))
            remount(disk, "rw")
            place.must("run", "-q")
            same(whole, results(place, disk, "both"), " ".join(arguments))
    for arguments, codes in ((("run",), (0,)), (("run", "--force"), (1,)), (("run", "--only", "index", "--force"), (1,)),
                             (("verify",), (0,)), (("query", "doc", "0"), (0,)), (("status",), (0,)),
                             (("export", "pairs"), (0,)), (("tune",), (1,)), (("dedup", "--dry-run"), (0, 1))):
        yield lambda arguments=arguments, codes=codes: locked(arguments, codes)
