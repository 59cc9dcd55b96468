"""Whole runs among others: hostile neighbours in the input, other programs, changing files, clocks and machines."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time

import inputs
from places import Broken, Place, build, expect, pages, program, root, same

PEAK_MAX_MIB = 64 + 64


def hostile_inputs(share):
    """Each row of hostile.tsv, between two files of good documents."""
    build()
    for n, row in enumerate(inputs.rows()):
        if n % max(round(1 / share / 4), 1) == 0:
            yield lambda row=row: endured(row)


def endured(row):
    with Place() as place:
        crawl = place.path / "crawl"
        crawl.mkdir()
        for name in ("a.jsonl", "z.jsonl"):
            (crawl / name).write_bytes(b"".join(inputs.jsonl(f"{name} {n} " + inputs.words(60, n), id=f"{name}-{n}")
                                                for n in range(3)))
        row.write(crawl)
        place.configure("crawl")
        env = {"LD_PRELOAD": str(root() / "faults.so"), "FAULT_PEAK": "peak"}
        ended = place.run("run", env=env, limit_s=60)
        expect(ended.code == row.exit, f"{row.name}: exit {ended.code}: {ended.err[-200:]}")
        printed = ended.err + ended.out.decode(errors="replace")
        odd = re.findall("[^\\n -~\u00a0-\u2029\u202f-\u2065\u206a-\U0010ffff]", printed)
        expect(not odd, f"{row.name}: control characters {odd[:3]} are printed")
        peak = int((place.path / "peak").read_text()) / 1024
        expect(peak <= PEAK_MAX_MIB, f"{row.name}: a peak of {peak:.0f} MiB")
        place.must("verify", "-q")
        documents = [json.loads(line) for line in place.must("export", "documents").out.splitlines()]
        ids = {document["id"] for document in documents}
        lost = [name for name in ("a.jsonl", "z.jsonl") for n in range(3) if f"{name}-{n}" not in ids]
        expect(not lost, f"{row.name}: lost neighbours: {lost}")
        expect(len(documents) - 6 == row.documents, f"{row.name}: {len(documents) - 6} documents of it, expected {row.documents}")
        rejected = (place.path / "out/rejected.jsonl").read_text().splitlines()
        reasons = sorted({json.loads(line)["reason"] for line in rejected})
        expect(reasons == row.reasons, f"{row.name}: rejected for {reasons}, expected {row.reasons}")
        place.must("dedup", "-q", "-o", "copies", limit_s=60)
        place.must("report", "-q", "-o", "page.html") if row.documents else None


def together(share):
    """Programs at once on one publication, while runs replace it again and again: ten minutes."""
    build()
    seconds = 600 * share
    place = Place().configure(pages(21, 300))
    place.must("run", "-q")
    golden, answers = place.published(), {}
    texts = ("query doc 0", "query cluster 0", "export pairs", "export removed", "explain 0 1")
    questions = [tuple(text.split()) for text in texts]
    for question in questions:
        answers[question] = place.run(*question).out
    ends = time.monotonic() + seconds
    rng = random.Random(6)

    def one(number, loop):
        if loop == "run":
            ended = place.run("run", "-q", "--force", "--from", rng.choice(["distinct", "pairs", "cluster", "index"]))
            expect(ended.code in (0, 75), f"run: exit {ended.code}: {ended.err[-200:]}")
        elif loop == "verify":
            ended = place.run("verify")
            expect(ended.code == 0, f"verify: exit {ended.code}: {ended.out[-300:]} {ended.err[-200:]}")
        elif loop == "dedup":
            target = place.path / f"copies-{number}"
            ended = place.run("dedup", "-q", "-o", target)
            expect(ended.code in (0, 75), f"dedup: exit {ended.code}: {ended.err[-200:]}")
            subprocess.run(["rm", "-rf", target], check=True)
        else:
            question = rng.choice(questions)
            ended = place.run(*question)
            is_right = ended.code == 0 and ended.out == answers[question]
            expect(is_right, f"{' '.join(question)}: exit {ended.code}, another answer: {ended.err[-200:]}")
    loops, broken, counts = ["run", "run", "query", "verify", "dedup"], [], [0] * 5

    def repeat(at):
        while time.monotonic() < ends:
            try:
                one(at, loops[at])
            except Broken as failure:
                broken.append(failure)
            counts[at] += 1
    threads = [threading.Thread(target=repeat, args=(at,)) for at in range(len(loops))]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    place.must("run", "-q")

    def tell(n):
        if n < len(broken):
            raise broken[n]
    for n in range(sum(counts)):
        yield lambda n=n: tell(n)
    yield lambda: same(golden, place.published(), "afterwards")


def started_together(share):
    """Eight runs started at once, again and again."""
    build()

    def race(seed):
        with Place().configure(pages(21, 300)) as place:
            children = [place.start("run", "-q", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(8)]
            codes = sorted(child.wait(timeout=60) for child in children)
            # One that starts when the work is done has nothing to do.
            expect(codes[0] == 0 and set(codes) <= {0, 75}, f"exits {codes}")
            with Place().configure(pages(21, 300)) as alone:
                alone.must("run", "-q")
                same(alone.published(), place.published(), "eight at once")
    for seed in range(max(int(100 * share), 10)):
        yield lambda seed=seed: race(seed)


def changed_input(share):
    """A file of the input is appended to, cut, replaced, removed or rewritten while a run reads it."""
    build()
    rng = random.Random(7)
    source = (pages(23, 2000) / "part-1.jsonl").read_bytes()
    lines = source.splitlines(keepends=True)

    def change(path, kind):
        if kind == "appended":
            with open(path, "ab") as file:
                file.write(b"".join(lines[:50]))
        elif kind == "cut":
            os.truncate(path, len(source) // 2)
        elif kind == "replaced":
            (path.parent / ".new").write_bytes(b"".join(lines[:700]))
            os.rename(path.parent / ".new", path)
        elif kind == "removed":
            path.unlink()
        else:
            path.write_bytes(b"".join(reversed(lines)))

    def changed(kind, after):
        with Place() as place:
            crawl = place.path / "crawl"
            crawl.mkdir()
            for n in range(3):
                (crawl / f"part-{n}.jsonl").write_bytes((pages(23, 2000) / f"part-{n}.jsonl").read_bytes())
            place.configure("crawl")
            child = place.start("run", "-q", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(after)
            change(crawl / "part-1.jsonl", kind)
            _, err = child.communicate(timeout=60)
            expect(child.returncode in (0, 3), f"{kind} after {after:.3f} s: exit {child.returncode}: {err[-200:]}")
            place.must("run", "-q")
            with Place().configure(crawl) as alone:
                alone.must("run", "-q")
                results, golden = place.published(), alone.published()
                for name in ("cluster_changes.parquet",):
                    results.pop(name), golden.pop(name)
                same(golden, results, f"{kind} after {after:.3f} s")
    for n in range(max(int(200 * share), 20)):
        kind = ("appended", "cut", "replaced", "removed", "rewritten")[n % 5]
        yield lambda kind=kind, after=rng.uniform(0, 0.12): changed(kind, after)


def equal(golden, when, env=None, wrap=(), arguments=()):
    with Place().configure(pages(21, 300)) as place:
        place.must("run", "-q", *arguments, env=env, wrap=wrap, limit_s=300)
        same(golden, place.published(), when)


def golden():
    build()
    with Place().configure(pages(21, 300)) as place:
        place.must("run", "-q")
        return place.published()


def clocks(share):
    """The clock of the day goes back and forth between any two looks at it."""
    whole, library = golden(), str(root() / "faults.so")
    for n in range(max(int(100 * share), 10)):
        span = 1 + n * n * 1_000_003 % 2_000_000_000
        yield lambda span=span: equal(whole, f"jumps of {span} s", env={"LD_PRELOAD": library, "FAULT_CLOCK": str(span)})


def machines(share):
    """Other numbers of threads, memory, kernels for processors, places, languages; aarch64 under emulation."""
    whole, rng = golden(), random.Random(8)
    for n in range(max(int(100 * share), 10)):
        with_these = {
            "arguments": [f"--set=work.threads={rng.choice((1, 2, 3, 8))}",
                          f"--set=work.memory={rng.choice((64, 100, 256, 1024))}MiB"],
            "env": {"PIPELINE_CPU": ("portable", "x86-64-v2", "x86-64-v3", "x86-64-v4")[n % 4],
                    "PIPELINE_IO": rng.choice(("buffered", "direct")), "TZ": rng.choice(("UTC", "Asia/Kathmandu")),
                    "LC_ALL": rng.choice(("C", "tr_TR.UTF-8"))},
            # One of the processors, or all.
            "wrap": ("sh", "-c", f'umask {rng.choice(("022", "077"))}; exec {rng.choice(("", "taskset -c 0"))} "$0" "$@"'),
        }
        yield lambda with_these=with_these: equal(whole, str(with_these), **with_these)
    foreign, emulator = os.environ.get("PIPELINE_AARCH64"), shutil.which("qemu-aarch64-static")
    if not (foreign and emulator):
        return print("aarch64            NOT TRIED: it needs qemu-aarch64-static, and a program of `scripts/release "
                     "aarch64-unknown-linux-musl` that PIPELINE_AARCH64 names", file=sys.stderr)
    for n in range(max(int(20 * share), 2)):
        # Behind `sh -c`, the program of this machine is $0.
        wrap = ("sh", "-c", f'exec {emulator} -L /usr/aarch64-linux-gnu {foreign} "$@"')
        arguments = [f"--set=work.threads={1 + n % 3}", f"--set=work.memory={(64, 256)[n % 2]}MiB"]
        yield lambda arguments=arguments: equal(whole, f"aarch64, {arguments}", wrap=wrap, arguments=arguments)


def closed_output(share):
    """Standard output and error full, closed, or a pipe that nobody reads."""
    whole = golden()
    full, closed, unread = ("> /dev/full", "2> /dev/full"), (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"), ("| true", "2>&1 | true")
    for to in full + closed + unread:
        for verb in ("run", "run -q", "run --json", "run -vv", "run --log-format json"):
            def result(to=to, verb=verb):
                with Place().configure(pages(21, 300)) as place:
                    command = ["sh", "-c", f"{program()} {verb} {to}"]
                    ended = subprocess.run(command, cwd=place.path, capture_output=True, timeout=60)
                    expect(b"panicked" not in ended.stderr, f"{verb} {to}: {ended.stderr[-200:]}")
                    expect(ended.returncode in (0, 1, 4, 141), f"{verb} {to}: exit {ended.returncode}")
                    place.must("run", "-q")
                    same(whole, place.published(), f"{verb} {to}")
            yield result
