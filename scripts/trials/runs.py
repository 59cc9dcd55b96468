"""Whole runs among others: hostile neighbours in the input, other programs, changing files, other machines, slow clients."""
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import threading
import time

import inputs
from faults import scene
from harness import Failure, Place, build, expect, pages, same

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def hostile_inputs():
    """scripts/trials/hostile.tsv: exit, reason, neighbours and memory as in its rows"""
    build()
    for row in inputs.rows():
        yield endured, row


def endured(row):
    """A row of the table, between two files of good documents."""
    with Place() as place:
        crawl = place.path / "crawl"
        crawl.mkdir()
        neighbours = {(name, f"{name}-{n}") for name in ("a.jsonl", "z.jsonl") for n in range(3)}
        for name, id in sorted(neighbours):
            with open(crawl / name, "ab") as file:
                file.write(inputs.jsonl(f"{id} " + inputs.words(60, int(id[-1])), id=id))
        row.write(crawl)
        ended = place.configure("crawl").run_bounded(row.name, [row.exit], 60)
        printed = ended.err + ended.out.decode(errors="replace")
        odd = re.findall("[^\\n -~\u00a0-\u2029\u202f-\u2065\u206a-\U0010ffff]", printed)
        expect(not odd, f"{row.name}: control characters {odd[:3]} are printed")
        place.must("verify", "-q")
        documents = [json.loads(line) for line in place.must("export", "documents").out.splitlines()]
        lost = {id for _, id in neighbours} - {document["id"] for document in documents}
        expect(not lost, f"{row.name}: lost neighbours: {lost}")
        own = len(documents) - len(neighbours)
        expect(own == row.documents, f"{row.name}: {own} documents of it, expected {row.documents}")
        rejected = (place.path / "out/rejected.jsonl").read_text().splitlines()
        reasons = sorted({json.loads(line)["reason"] for line in rejected})
        expect(reasons == row.reasons, f"{row.name}: rejected for {reasons}, expected {row.reasons}")
        place.must("dedup", "-q", "-o", "copies", limit_s=60)
        if row.documents:
            place.must("report", "-q", "-o", "page.html")


QUESTIONS = [tuple(text.split()) for text in ("query doc 0", "query cluster 0", "export pairs", "export removed", "explain 0 1")]


def together():
    """run, query, dedup and verify at once: one answer, and no run beside another"""
    build()
    # A minute each, two at a time: ten minutes.
    for seed in range(20):
        yield beside_each_other, seed


def beside_each_other(seed):
    """Programs at once on one publication, while runs replace it again and again; how often they were called."""
    at, rng, broken, counts, ends = scene("a larger first run"), random.Random(seed), [], [], time.monotonic() + 60
    with Place(at.origin) as place:
        place.must("run", "-q")
        answers = {question: place.run(*question).out for question in QUESTIONS}

        def once(what):
            codes, question, target = (0,), rng.choice(QUESTIONS), place.path / f"copies-{what}"
            if what == "query":
                command = question
            elif what == "verify":
                command = ("verify",)
            elif what == "dedup":
                command, codes = ("dedup", "-q", "-o", target), (0, 75)
            else:
                first = rng.choice(["distinct", "pairs", "cluster", "index"])
                command, codes = ("run", "-q", "--force", "--from", first), (0, 75)
            ended = place.run(*command)
            expect(ended.code in codes, f"{command}: exit {ended.code}: {ended.out[-300:]} {ended.err[-200:]}")
            expect(what != "query" or ended.out == answers[question], f"{command}: another answer")
            shutil.rmtree(target, ignore_errors=True)

        def repeat(what):
            count = 0
            while time.monotonic() < ends:
                count += 1
                try:
                    once(what)
                except Failure as failure:
                    broken.append(str(failure))
            counts.append(count)
        threads = [threading.Thread(target=repeat, args=(what,)) for what in ("run", "run", "query", "verify", "dedup")]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        expect(not broken, "; ".join(broken))
        at.go_on(place, "afterwards")
        return sum(counts)


def started_together():
    """of runs that start together, one does the work and the others end with 75"""
    def race():
        at = scene("a larger first run")
        with Place(at.origin) as place:
            children = [place.start("run", "-q", **QUIET) for _ in range(8)]
            codes = sorted(child.wait(timeout=60) for child in children)
            # One that starts when the work is done has nothing to do.
            expect(codes[0] == 0 and set(codes) <= {0, 75}, f"exits {codes}")
            same(at.golden, place.published(), "eight at once")
    for _ in range(100):
        yield race,


def changed_input():
    """input that changes under a run is 0 or 3, and the next run is as from scratch"""
    build()
    rng = random.Random(7)
    for n in range(200):
        yield changed, ("appended", "cut", "replaced", "removed", "rewritten")[n % 5], rng.uniform(0, 0.12)


def change(path, kind):
    lines = path.read_bytes().splitlines(keepends=True)
    if kind == "appended":
        with open(path, "ab") as file:
            file.write(b"".join(lines[:50]))
    elif kind == "cut":
        os.truncate(path, path.stat().st_size // 2)
    elif kind == "replaced":
        (path.parent / ".new").write_bytes(b"".join(lines[:700]))
        os.rename(path.parent / ".new", path)
    elif kind == "removed":
        path.unlink()
    else:
        path.write_bytes(b"".join(reversed(lines)))


def changed(kind, after):
    """A file of the input is changed while a run reads it."""
    when = f"{kind} after {after:.3f} s"
    with Place() as place, Place() as alone:
        crawl = shutil.copytree(pages(23, 2000), place.path / "crawl")
        child = place.configure("crawl").start("run", "-q", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(after)
        change(crawl / "part-1.jsonl", kind)
        _, err = child.communicate(timeout=60)
        expect(child.returncode in (0, 3), f"{when}: exit {child.returncode}: {err[-200:]}")
        place.must("run", "-q")
        alone.configure(crawl).must("run", "-q")
        results, golden = place.published(), alone.published()
        same(golden | {JOURNAL: None}, results | {JOURNAL: None}, when)


# It tells of the runs before, too.
JOURNAL = "cluster_changes.parquet"


def machines():
    """threads, memory, kernels for processors, and the environment change no byte"""
    at, rng = scene("a larger first run"), random.Random(8)
    for n in range(100):
        more = [f"--set=work.threads={rng.choice((1, 2, 3, 8))}", f"--set=work.memory={rng.choice((64, 100, 256, 1024))}MiB"]
        env = {"PIPELINE_CPU": ("portable", "x86-64-v2", "x86-64-v3", "x86-64-v4")[n % 4],
               "PIPELINE_IO": rng.choice(("buffered", "direct")), "TZ": rng.choice(("UTC", "Asia/Kathmandu")),
               "LC_ALL": rng.choice(("C", "tr_TR.UTF-8"))}
        # One of the processors, or all.
        wrap = ("sh", "-c", f'umask {rng.choice(("022", "077"))}; exec {rng.choice(("", "taskset -c 0"))} "$0" "$@"')
        yield at.disturbed, [{"more": more, "env": env, "wrap": wrap}]
    foreign, emulator = os.environ.get("PIPELINE_AARCH64"), shutil.which("qemu-aarch64-static")
    if not (foreign and emulator):
        return print("aarch64            NOT TRIED: it needs qemu-aarch64-static, and a program of `scripts/release "
                     "aarch64-unknown-linux-musl` that PIPELINE_AARCH64 names", file=sys.stderr)
    for n in range(20):
        # Behind `sh -c`, the program of this machine is $0.
        wrap = ("sh", "-c", f'exec {emulator} -L /usr/aarch64-linux-gnu {foreign} "$@"')
        more = [f"--set=work.threads={1 + n % 3}", f"--set=work.memory={(64, 256)[n % 2]}MiB"]
        yield at.disturbed, [{"more": more, "wrap": wrap}]


HEAD = "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
FORM = ("POST /judge HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        "Content-Length: 4000\r\n\r\n")
MANY = "GET /script.js HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n" * 5_000
# The text that clients send at once, and whether they go on, a byte at a time.
CLIENTS = {"silent": ("", False), "slow heads": (HEAD, True), "slow forms": (FORM, True), "deaf": (MANY, False)}
LATEST_S = 25


def slow_clients():
    """`serve` answers within 25 s beside silent and slow clients"""
    for files in (64, 256, 1024):
        for kind in CLIENTS:
            yield beside_clients, files, kind


def beside_clients(files, kind):
    """A server with so many open files, as many clients, and how it answers another one."""
    text, goes_on = CLIENTS[kind]
    when, others, over = f"{files} open files, {kind} clients", [], threading.Event()
    with Place(scene("a larger first run").origin) as at:
        at.must("run", "-q")
        limit = ("sh", "-c", f'ulimit -n {files}; exec "$0" "$@"')
        server = at.start("serve", "--port", "0", wrap=limit, **QUIET | {"stdout": subprocess.PIPE})
        try:
            port = int(server.stdout.readline().rstrip(b"/\n").rsplit(b":", 1)[1])
            others = [socket.create_connection(("127.0.0.1", port), 5) for _ in range(files - 9)]
            [connection.setblocking(False) for connection in others]
            send(others, text.format(port=port).encode())

            def go_on():
                while not over.wait(0.3):
                    send(others, b"x" * goes_on)

            threading.Thread(target=go_on).start()
            began = time.monotonic()
            while not (answer := asked(port)).startswith(b"HTTP/1.1 200 "):
                busy = answer.startswith(b"HTTP/1.1 503 ") and b"Retry-After" in answer
                expect(not answer or busy, f"{when}: {answer[:99]}")
                expect(time.monotonic() - began < LATEST_S, f"{when}: no page within {LATEST_S} s")
                time.sleep(0.1)
        finally:
            over.set()
            server.kill()
            server.wait()
            for connection in others:
                connection.close()


def send(connections, text):
    """As much of the text as each connection takes without waiting."""
    for connection in connections:
        try:
            connection.send(text)
        except OSError:
            pass


def asked(port):
    """The answer to a request for the first page; empty if the connection was closed before."""
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as connection:
            connection.sendall((HEAD + "Connection: close\r\n\r\n").format(port=port).encode())
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))
    except OSError:
        return b""
