"""What several tests need: the sample crawl, tables of it, and the program."""

import json
import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES = ROOT / "data-samples/jsonl/crawl-00000.jsonl"
PROGRAM = os.environ.get("PIPELINE_PROGRAM")


def records():
    """The records of one file of the sample crawl, in order."""
    with open(LINES, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def pages(count, words=200, changed=3):
    """Texts in pairs: of each two, the second has a few other words."""
    for number in range(count):
        text = [f"word{number // 2 * 7919 + at * at % 5003}" for at in range(words)]
        if number % 2:
            text[:changed] = [f"other{number}"] * changed
        yield " ".join(text)


def files(publication):
    """Every file of a publication with its bytes, without the figures of the run itself."""
    publication = pathlib.Path(publication).resolve()
    return {
        str(path.relative_to(publication)): path.read_bytes()
        for path in publication.rglob("*")
        if path.is_file() and path.name != "run.json"
    }


def started(program, *arguments, ready="ready\n"):
    """A Python that runs a program in this directory, once it has said that it is ready. It answers signals, also where
    these tests run in the background of a script, or with nohup."""

    def answer():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=pathlib.Path(__file__).parent,
        preexec_fn=answer,
    )
    said = process.stdout.readline()
    assert said == ready, said
    return process
