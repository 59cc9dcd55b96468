"""Files that were damaged after they were finished: each is found, and no answer is made from it."""
import os
import random
import shutil
from functools import cache
from pathlib import Path

from faults import copied, scene
from places import CONFIG, Place, expect, pages, same

# Every kind of file: common shingles, containment, snapshots.
SETTINGS = CONFIG + "[pairs]\ncommon-shingle-limit = 20\n"
QUESTIONS = [tuple(question.split()) for question in (
    "query doc 0", "query doc 77", "query cluster 0", "query common", "query like text", "explain 0 1", "export documents",
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
        self.place = Place().configure(rest=SETTINGS)
        (self.place.path / "text").write_bytes((pages(22, 90) / "part-0.jsonl").read_bytes()[20:1500])
        for night in (1, 2):
            self.place.must("snapshot", "add", f"night-{night}", pages(20 + night, 90))
            self.place.must("run", "-q")
            if night == 1:
                self.before = Place(self.place)
        self.other = Place().configure(rest=SETTINGS)
        for night in (1, 2):
            self.other.must("snapshot", "add", f"night-{night}", pages(30 + night, 90))
            self.other.must("run", "-q")
        with Place(self.place) as again:
            again.must(*REBUILD)
            self.rebuilt = without_journal(again.published())
        self.answers = {question: self.place.run(*question) for question in QUESTIONS}
        self.files = sorted(name for name in files_of(self.place) if not name.endswith("/lock"))


@cache
def state():
    return State()


def files_of(place):
    """The files of the work directory and of the newest publication."""
    for top in (place.path / "work", (place.path / "out").resolve()):
        for base, _, names in os.walk(top):
            yield from (str((Path(base) / name).relative_to(place.path)) for name in names)


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
            return
        for question in QUESTIONS:
            ended, golden = place.run(*question, limit_s=20), at.answers[question]
            is_right = (ended.code, ended.out) == (golden.code, golden.out)
            asked = f"{name}, {what}: {' '.join(question)}"
            codes = (1, 5) if what in GONE else (5,)
            expect(ended.code in codes or is_right, f"{asked} exits with {ended.code}: {ended.err[-200:]}")


def flipped(bit_of):
    def damage(path):
        data = bytearray(path.read_bytes())
        if not data:
            return None
        bit = bit_of(len(data) * 8)
        data[bit // 8] ^= 1 << bit % 8
        overwrite(path, data)
        return f"bit {bit}"
    return damage


def overwrite(path, data):
    """Other bytes in the same file, under all its names."""
    with open(path, "r+b") as file:
        file.truncate(len(data))
        file.write(data)


def cut(left):
    def damage(path):
        data = path.read_bytes()
        if not data:
            return None
        kept = len(data) - 1 if left > 0.9 else int(left * len(data))
        overwrite(path, data[:kept])
        return f"cut to {kept} of {len(data)} bytes"
    return damage


def grown(path):
    overwrite(path, path.read_bytes() + b"\0" * 512)
    return "512 bytes more"


def zeroed(path):
    data = path.read_bytes()
    if not any(data[-4096:]):
        return None
    overwrite(path, data[:-4096] + bytes(min(4096, len(data))))
    return "the last page zeroed"


def odd(kind):
    def damage(path):
        path.unlink()
        if kind == "FIFO":
            os.mkfifo(path)
        elif kind == "directory":
            path.mkdir()
        elif kind == "dangling link":
            path.symlink_to("nowhere")
        return kind
    return damage


def flipped_bits(share):
    """Every bit of some bytes in headers and trailers would be too many: bits at random, a third of them near the ends."""
    names, rng = state().files, random.Random(3)

    def bit_of(bits, at, near):
        if near:
            span = min(bits, 64 * 8)
            return int(at * span) if near == 1 else bits - 1 - int(at * span)
        return int(at * (bits - 1))
    for n in range(int(2100 * share)):
        at, near = rng.random(), n // len(names) % 6
        yield lambda name=names[n % len(names)], at=at, near=near: found(name, flipped(lambda bits: bit_of(bits, at, near)))


def cut_files(share):
    names, rng = state().files, random.Random(4)
    for n in range(int(530 * share)):
        yield lambda name=names[n % len(names)], left=rng.random(): found(name, cut(left))


def replaced(path, other, what):
    if not other.is_file() or other.read_bytes() == path.read_bytes():
        return None
    path.unlink()
    shutil.copyfile(other, path)
    return what


def foreign_files(share):
    at = state()
    generation = (at.place.path / "out").resolve().name

    def elsewhere(place, name):
        """The same file in the results of another place."""
        return place.path / name.replace(generation, (place.path / "out").resolve().name)

    def swapped(path):
        peers = sorted(peer for peer in path.parent.iterdir() if peer.is_file() and peer != path and peer.name != "lock")
        return replaced(path, peers[0], f"{peers[0].name} in its place") if peers else None

    kinds = [swapped, grown, zeroed, *map(odd, ODD)]
    for n, name in enumerate(at.files):
        others = [lambda path, place=place, what=what, name=name: replaced(path, elsewhere(place, name), what)
                  for place, what in ((at.other, "the file of another run"), (at.before, "the file of the night before"))]
        for m, damage in enumerate(kinds + others):
            if (n + m) % max(round(1 / share), 1) == 0:
                yield lambda name=name, damage=damage: found(name, damage)


def damaged_copies(share):
    """`dedup` was killed or done; a copy, its journal, a table or a list is damaged, and the same command goes on."""
    at, rng = scene("dedup"), random.Random(5)

    def exchanged(path, left):
        """The content of another file that was left."""
        return replaced(path, left[left.index(path) - 1], f"{left[left.index(path) - 1].name} in its place")
    kinds = [lambda path, left, kind=kind: kind(path) for kind in (zeroed, grown, *map(odd, ODD))]

    def went_on(nth, chosen, position, number):
        with Place(at.origin) as place:
            place.run(*at.command, env={"PIPELINE_FAULT": f"kill:any:{nth}"} if nth < at.operations else None)
            files = (place.path / "copies").rglob("*")
            left = sorted(path for path in files if path.is_file() and path.stat().st_size)
            if not left:
                return False
            path = left[int(chosen * len(left))]
            bit = flipped(lambda bits: int(position * bits))
            damages = [lambda path, _: bit(path), lambda path, _: cut(position)(path), exchanged, *kinds]
            what = damages[number % len(damages)](path, left)
            if what is None:
                return False
            when = f"kill {nth} of {at.operations}, {path.relative_to(place.path)}, {what}"
            ended = place.run(*at.command, limit_s=20)
            expect(ended.code in (0, 1, 2, 5), f"{when}: exit {ended.code}: {ended.err[-200:]}")
            if ended.code == 0:
                same(at.golden, copied(place), when)
    for number in range(max(int(600 * share), 20)):
        # A quarter of them when it is done.
        nth = rng.randint(2, at.operations * 4 // 3)
        yield lambda nth=nth, c=rng.random(), p=rng.random(), number=number: went_on(nth, c, p, number)
