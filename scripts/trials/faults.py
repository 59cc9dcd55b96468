"""Kills, signals, and failing calls: the next run gives the bytes of an undisturbed one."""
import json
import random
import shutil
from pathlib import Path

from harness import Place, REPOSITORY, Scene, digests, library, once, pages

PAGES = 90
ERRORS = {"EIO": 5, "ENOSPC": 28, "EDQUOT": 122, "ESTALE": 116, "EROFS": 30, "EMFILE": 24, "ENOMEM": 12}
KILLED = -9


def fresh(count=PAGES):
    return Place().configure(pages(21, count))


def nights(*added, ran=(1,), dropped=()):
    """A first run over some snapshots, and what was done with the list since."""
    place = Place().configure()
    for number in (*ran, *added):
        place.must("snapshot", "add", f"night-{number}", pages(20 + number, PAGES))
        if number == ran[-1]:
            place.must("run", "-q")
    for number in dropped:
        place.must("snapshot", "drop", f"night-{number}")
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


def done(place):
    place.must("run", "-q")
    return place


def listed(place):
    """The list of snapshots as it is shown."""
    return {"snapshots": place.must("snapshot", "list").out}


def copied(place):
    files = digests(place.path / "copies")
    return {name: digest for name, digest in files.items() if not name.startswith(".")}


def questioned():
    """An input, and questions that some of its documents hold."""
    place = fresh()
    lines = [line for part in sorted(pages(21, PAGES).iterdir()) for line in part.read_bytes().splitlines()]
    words = [json.loads(line)["text"].split()[5:35] for line in lines[::9]]
    questions = [json.dumps({"question": " ".join(some)}) for some in words if len(some) > 20]
    (place.path / "questions.jsonl").write_text("\n".join(questions))
    return place


SCENES = {
    "a first run": lambda: Scene(fresh, "run", "-q"),
    "a night": lambda: Scene(lambda: nights(2), "run", "-q"),
    "a night after a drop": lambda: Scene(lambda: nights(ran=(1, 2, 3), dropped=(1,)), "run", "-q"),
    "phase passages": lambda: Scene(lambda: done(fresh()), "run", "-q", "--from", "passages", "--force"),
    "phase settle": lambda: Scene(lambda: done(fresh()), "run", "-q", "--from", "settle", "--force"),
    "phase index": lambda: Scene(lambda: done(fresh()), "run", "-q", "--only", "index", "--force"),
    "snapshot add": lambda: Scene(nights, "snapshot", "add", "night-2", pages(22, PAGES), results=listed),
    "snapshot drop": lambda: Scene(lambda: nights(ran=(1, 2, 3)), "snapshot", "drop", "night-1", results=listed),
    "dedup": lambda: Scene(lambda: done(fresh()), "dedup", "-q", "-o", "copies", results=copied),
    "dedup --passages": lambda: Scene(lambda: done(fresh()), "dedup", "-q", "--passages", "-o", "copies", results=copied),
    "decontaminate": lambda: Scene(questioned, "decontaminate", "-q", "questions.jsonl", "-o", "copies", "--passages",
                                   results=copied),
}
# For calls of the system that read; the states above are of JSONL.
FORMATS = {
    "a first run of every format": lambda: Scene(lambda: formats("wacz/crawl.wacz"), "run", "-q"),
    "dedup of every format": lambda: Scene(lambda: done(formats()), "dedup", "-q", "-o", "copies", results=copied),
}
OTHERS = {"a larger first run": lambda: Scene(lambda: fresh(300), "run")}


@once
def scene(name):
    return (SCENES | FORMATS | OTHERS)[name]()


def at_disk(fault):
    """A fault at the program's one way to the disk."""
    return {"env": {"PIPELINE_FAULT": fault}}


def at_calls(**faults):
    """A fault at calls of the system."""
    return {"env": library(**faults)}


def kills():
    """a kill at any operation, or in the middle of a write, changes no byte"""
    for at in map(scene, SCENES):
        for nth in range(1, at.operations + 1):
            for mode in ("kill", "torn"):
                yield at.disturbed, [at_disk(f"{mode}:any:{nth}")], [KILLED]


def double_kills():
    """three kills in a row, of resumed runs, too, change no byte"""
    rng = random.Random(1)
    for _ in range(500):
        at = scene(rng.choice(("a first run", "a night", "a night after a drop", "dedup")))
        yield at.disturbed, [at_disk(f"kill:any:{rng.randint(1, at.operations)}") for _ in range(3)], [KILLED]


def signals():
    """SIGINT, SIGTERM, SIGHUP or SIGKILL at any moment ends the run within 5 s and changes no byte"""
    at, rng = scene("a first run"), random.Random(2)
    with Place(at.origin) as place:
        length = place.must(*at.command).usage.wall_s
    for n in range(400):
        name, number = (("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9))[n % 4]
        # A run that does not end within 5 s is killed, and its code is that. In the background of a script, the program
        # ignores some of the signals.
        wrap = ("timeout", "--foreground", "--preserve-status", f"--signal={name}", "--kill-after=5",
                f"{rng.uniform(0.001, 1.1 * length):.4f}", "env", "--default-signal")
        yield at.disturbed, [{"wrap": wrap}], [128 + number]


def failing():
    """every failed operation is reported, and the next run is whole"""
    for name in SCENES:
        at = scene(name)
        for number in ERRORS.values():
            # Every error at every operation of a first run; elsewhere EIO and ENOSPC at each, and others at some.
            step = 1 if name == "a first run" or number in (5, 28) else 5
            for nth in range(1, at.operations + 1, step):
                yield at.disturbed, [at_disk(f"error:any:{nth}:{number}")], (1, 2, 4)


def failing_reads():
    """every failed read is reported, and the next run is whole"""
    for name in ("a first run", "a night", "dedup", *FORMATS):
        at = scene(name)
        for error in ("EIO",) if name in FORMATS else ("EIO", "ESTALE"):
            for nth in range(1, at.calls("r") + 1):
                yield at.disturbed, [at_calls(calls="r", nth=nth, errno=ERRORS[error])], (1, 2, 4)


def lost_writes():
    """a file is never trusted after its sync failed"""
    # Its file is empty afterwards: a program that syncs again would take it for whole.
    for at in map(scene, SCENES):
        for nth in range(1, at.calls("sd") + 1):
            yield at.disturbed, [at_calls(calls="sd", nth=nth, loses=1)], (1, 2)


def interrupted_calls():
    """reads and writes that a signal interrupts are made again, unseen"""
    for at in map(scene, SCENES):
        for every in range(2, 22):
            yield at.disturbed, [at_calls(calls="rw", every=every, errno=4)]


def file_size():
    """a limit on the size of files is exit 4 and named"""
    for blocks in range(64):
        yield limited, f"-f {blocks}", "ulimit -f"


def open_files():
    """a limit on open files is exit 4 or costs no byte"""
    for files in range(5, 65):
        yield limited, f"-n {files}", "open files"


def limited(limit, says):
    # Through a pipe, as the limit is not on what is printed.
    shell = ("bash", "-o", "pipefail", "-c", f'(ulimit {limit}; exec "$0" "$@") 2>&1 | cat >&2')
    scene("a larger first run").disturbed([{"wrap": shell}], [4], says)


def clocks():
    """a clock that jumps changes no byte"""
    for n in range(100):
        span = 1 + n * n * 1_000_003 % 2_000_000_000
        yield scene("a larger first run").disturbed, [at_calls(clock=span)]


def closed_output():
    """standard output or error that is full or closed costs no result and is no panic"""
    at = scene("a larger first run")
    for to in ("> /dev/full", "2> /dev/full", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "| true", "2>&1 | true"):
        for more in ([], ["-q"], ["--json"], ["-vv"], ["--log-format", "json"]):
            shell = ("bash", "-o", "pipefail", "-c", f'"$0" "$@" {to}')
            yield at.disturbed, [{"wrap": shell, "more": more}], (1, 4, 141)
