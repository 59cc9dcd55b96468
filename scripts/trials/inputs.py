"""Reads hostile.tsv: one hostile file a row. Add a row, and `scripts/promises hostile-inputs` tries it.

Columns: a name; the name of the file; a Python expression for its bytes, in which the functions below may be used; the exit
code; the number of documents; the reasons of rejections, with commas between them, or -.
"""
import gzip as gzip_format
import json
import os
import random
import subprocess
import zlib
from collections import namedtuple
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "hostile.tsv"
SAMPLES = TABLE.parent.parent.parent / "data-samples"


class Row(namedtuple("Row", "name file bytes exit documents reasons")):
    def write(self, directory):
        path = directory / self.file.encode().decode("unicode_escape")
        made = eval(self.bytes, {**globals(), "path": path})  # the table is part of this repository
        if made is not None:
            path.write_bytes(made)


def rows():
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            name, file, expression, code, documents, reasons = line.split("\t")
            yield Row(name, file, expression, int(code), int(documents), [] if reasons == "-" else sorted(reasons.split(",")))


def words(count, seed=0):
    rng = random.Random(seed)
    return " ".join(f"word{rng.randrange(1_000_000)}" for _ in range(count))


def jsonl(text, **fields):
    return json.dumps({**fields, "text": text}).encode() + b"\n"


def html(body):
    return b"<html><body>" + (body if isinstance(body, bytes) else body.encode()) + b"</body></html>"


def http(body, head="HTTP/1.1 200 OK", kind="text/html"):
    return f"{head}\r\nContent-Type: {kind}\r\n\r\n".encode() + body


def warc(block, kind="response", version="WARC/1.0", length=None, more="", url="http://a.example/"):
    """A record; `length` may lie, `more` are header lines."""
    size = len(block) if length is None else length
    return (f"{version}\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{zlib.crc32(block):032x}>\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n{more}"
            f"Content-Length: {size}\r\n\r\n").encode() + block + b"\r\n\r\n"


def page(seed=0):
    """A WARC record with a page."""
    return warc(http(html(words(60, 1000 + seed))), url=f"http://a.example/{seed}")


def gz(data):
    return gzip_format.compress(data, 1, mtime=0)


def zst(data, *options):
    return subprocess.run(["zstd", "-q", "-c", *options], input=data, stdout=subprocess.PIPE, check=True).stdout


def zeros_gz(mebibytes):
    """A gzip member of zeros, repeated as blocks: its checksum is wrong, but nobody should come so far."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = deflate.compress(bytes(1 << 20)) + deflate.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block * mebibytes + deflate.flush() + bytes(8)


def sample(name):
    return (SAMPLES / name).read_bytes()


def flip(data, at):
    changed = bytearray(data)
    changed[at] ^= 0x10
    return bytes(changed)


def fifo(path):
    os.mkfifo(path)


def link(path, to):
    path.symlink_to(to)


def deep(path, depth):
    """Directories in one another, and a page in the last."""
    for _ in range(depth):
        path = path / "d"
    path.mkdir(parents=True)
    (path / "page.html").write_bytes(html(words(60, 5)))
