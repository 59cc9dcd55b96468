"""Files that were damaged after they were finished: each is found, and no answer is made from it."""
import os
import random
import shutil
from pathlib import Path

from faults import copied, scene
from harness import CONFIG, Place, expect, once, pages, same

# Every kind of file: common shingles, containment, snapshots.
SETTINGS = CONFIG + "[pairs]\ncommon-shingle-limit = 20\n"
QUESTIONS = [tuple(question.split()) for question in (
    "query doc 0", "query doc 77", "query cluster 0", "query common", "query passages", "query passages 0", "query like text", "explain 0 1", "export documents",
    "export pairs", "export membership", "export clusters", "export removed", "export common")]


# A file that is not there is told as such.
GONE = ("nothing", "dangling link")
ODD = ("FIFO", "directory", *GONE)
REBUILD = ("run", "-q", "--from", "distinct", "--force")


def without_journal(published):
    """The journal begins anew where the publication before is damaged."""
    return {name: digest for name, digest in published.items() if name != "cluster_changes.parquet"}


class State:
    """A finished night, the one before, and the run of another corpus, with all that may be asked of them."""

    def __init__(self):
        self.before, self.place = self.two_nights(20)
        _, self.other = self.two_nights(30)
        with Place(self.place) as again:
            again.must(*REBUILD)
            self.rebuilt = without_journal(again.published())
        self.answers = {question: self.place.run(*question) for question in QUESTIONS}
        self.files = sorted(name for name in self.names() if not name.endswith("/lock"))

    def two_nights(self, seed):
        """A place after the first night, and after the second."""
        place = Place().configure(rest=SETTINGS)
        (place.path / "text").write_bytes((pages(22, 90) / "part-0.jsonl").read_bytes()[20:1500])
        for night in (1, 2):
            before = Place(place)
            place.must("snapshot", "add", f"night-{night}", pages(seed + night, 90))
            place.must("run", "-q")
        return before, place

    def names(self):
        """The files of the work directory and of the newest publication."""
        for top in (self.place.path / "work", (self.place.path / "out").resolve()):
            for base, _, names in os.walk(top):
                yield from (str((Path(base) / name).relative_to(self.place.path)) for name in names)


@once
def state():
    return State()


def found(name, damage):
    """Damage a file of a finished run; `verify` must name it, and nothing that reads it may answer otherwise than before."""
    at = state()
    with Place() as place:
        # With hard links: damage of a file with two names is damage of both.
        os.system(f"cp -a {at.place.path}/. {place.path}")
        what = damage(place.path / name)
        if what is None:
            return False
        ended = place.run("verify", limit_s=20)
        # Without a manifest there is no run to verify.
        codes = (1,) if name == "work/manifest.json" and what == "nothing" else (5,)
        # All that tells an earlier publication of the same pages from this one is its run.json.
        codes = (2,) if name.endswith("run.json") and what.startswith("that of") else codes
        expect(ended.code in codes, f"{name}, {what}: verify exits with {ended.code}")
        text = ended.out.decode(errors="replace") + ended.err
        # Of the list of inputs, the manifest that names it is told.
        told = Path(name).name in text or name.startswith("work/inputs-") and "manifest.json" in text or codes == (1,)
        expect(told, f"{name}, {what}: verify does not name it: {text[-200:]}")
        if name.startswith("work/"):
            ended = place.run(*REBUILD, limit_s=20)
            # 2 says which file is missing and which phase makes it; 5 also that a directory is in the way.
            codes = (0, 2, 5) if what in ODD else (0, 5)
            expect(ended.code in codes, f"{name}, {what}: run exits with {ended.code}: {ended.err[-200:]}")
            if ended.code == 0:
                same(at.rebuilt, without_journal(place.published()), f"{name}, {what}, run")
            return None
        for question in QUESTIONS:
            ended, golden = place.run(*question, limit_s=20), at.answers[question]
            is_right = (ended.code, ended.out) == (golden.code, golden.out)
            asked = f"{name}, {what}: {' '.join(question)}"
            codes = (1, 5) if what in GONE else (5,)
            expect(ended.code in codes or is_right, f"{asked} exits with {ended.code}: {ended.err[-200:]}")


# Damages: each is done to a file, and gives its name, or `None` where nothing would change.

def overwrite(path, data):
    """Other bytes in the same file, under all its names."""
    with open(path, "r+b") as file:
        file.truncate(len(data))
        file.write(data)


def flipped(path, at, near=0):
    """A bit at a place between 0 and 1 of the file; near 1: of its first 64 bytes, near 2: of its last."""
    data = bytearray(path.read_bytes())
    if not data:
        return None
    bits = len(data) * 8
    span = min(bits, 64 * 8) if near else bits - 1
    bit = bits - 1 - int(at * span) if near > 1 else int(at * span)
    data[bit // 8] ^= 1 << bit % 8
    overwrite(path, data)
    return f"bit {bit}"


def cut(path, left):
    data = path.read_bytes()
    if not data:
        return None
    kept = len(data) - 1 if left > 0.9 else int(left * len(data))
    overwrite(path, data[:kept])
    return f"cut to {kept} of {len(data)} bytes"


def grown(path):
    overwrite(path, path.read_bytes() + b"\0" * 512)
    return "512 bytes more"


def zeroed(path):
    data = path.read_bytes()
    if not any(data[-4096:]):
        return None
    overwrite(path, data[:-4096] + bytes(min(4096, len(data))))
    return "the last page zeroed"


def odd(path, kind):
    path.unlink()
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "dangling link":
        path.symlink_to("nowhere")
    return kind


def replaced(path, other, what):
    if not other.is_file() or other.read_bytes() == path.read_bytes():
        return None
    path.unlink()
    shutil.copyfile(other, path)
    return f"{what} in its place"


WHOLE = [zeroed, grown, *(lambda path, kind=kind: odd(path, kind) for kind in ODD)]


def flipped_bits():
    """a flipped bit in a file of the work directory, the publication or its index is found; no answer is wrong"""
    # Every bit would be too many: bits at random, a third of them near either end.
    names, rng = state().files, random.Random(3)
    for n in range(2100):
        yield found, names[n % len(names)], lambda path, at=rng.random(), near=n // len(names) % 3: flipped(path, at, near)


def cut_files():
    """a truncated file is found; no answer is wrong"""
    names, rng = state().files, random.Random(4)
    for n in range(530):
        yield found, names[n % len(names)], lambda path, left=rng.random(): cut(path, left)


def foreign_files():
    """a file swapped with another, of another run or night, zeroed, grown, or missing is found"""
    at = state()

    def elsewhere(place, name):
        """The file of this name in the results of another place."""
        return place.path / name.replace((at.place.path / "out").resolve().name, (place.path / "out").resolve().name)

    def swapped(path):
        peers = sorted(peer for peer in path.parent.iterdir() if peer.is_file() and peer != path and peer.name != "lock")
        return replaced(path, peers[0], peers[0].name) if peers else None

    for name in at.files:
        for damage in [swapped, *WHOLE]:
            yield found, name, damage
        for place, what in ((at.other, "that of another run"), (at.before, "that of the night before")):
            yield found, name, lambda path, other=elsewhere(place, name), what=what: replaced(path, other, what)


def damaged_copies():
    """a damaged copy of `dedup`, or damaged notes on it, is made again or refused"""
    at, rng = scene("dedup"), random.Random(5)
    for number in range(600):
        # It was killed, or is done: a quarter of them.
        yield went_on, at, rng.randint(2, at.operations * 4 // 3), rng.random(), rng.random(), number


def went_on(at, nth, chosen, position, number):
    """A copy, its journal, a table or a list is damaged, and the same command goes on."""
    with Place(at.origin) as place:
        place.run(*at.command, env={"PIPELINE_FAULT": f"kill:any:{nth}"} if nth < at.operations else None)
        files = (place.path / "copies").rglob("*")
        left = sorted(path for path in files if path.is_file() and path.stat().st_size)
        if not left:
            return False
        path = left[int(chosen * len(left))]
        other = left[left.index(path) - 1]
        damages = [lambda path: flipped(path, position), lambda path: cut(path, position),
                   lambda path: replaced(path, other, other.name), *WHOLE]
        what = damages[number % len(damages)](path)
        if what is None:
            return False
        when = f"kill {nth} of {at.operations}, {path.relative_to(place.path)}, {what}"
        ended = place.run(*at.command, limit_s=20)
        expect(ended.code in (0, 1, 2, 5), f"{when}: exit {ended.code}: {ended.err[-200:]}")
        if ended.code == 0:
            same(at.golden, copied(place), when)
    return True
