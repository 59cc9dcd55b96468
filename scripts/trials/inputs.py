"""Reads hostile.tsv: one hostile file a row. Add a row, and `scripts/promises hostile-inputs` tries it.

Columns: a name; the name of the file; a Python expression for its bytes, in which the functions below may be used; the exit
code; the number of documents; the reasons of rejections, with commas between them, or -. A seventh column is a list, and
the row stands for a file for each `value` of it.
"""
import gzip as gzip_format
import io
import json
import os
import random
import subprocess
import zipfile
import zlib
from collections import namedtuple
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "hostile.tsv"
SAMPLES = TABLE.parent.parent.parent / "data-samples"


class Row(namedtuple("Row", "name file bytes exit documents reasons value")):
    def write(self, directory):
        path = directory / self.file.encode().decode("unicode_escape")
        made = eval(self.bytes, {**globals(), "path": path, "value": self.value})  # the table is part of this repository
        if made is not None:
            path.write_bytes(made)


def rows():
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            name, file, expression, code, documents, reasons, *values = line.split("\t")
            reasons = [] if reasons == "-" else sorted(reasons.split(","))
            for value in eval(values[0], globals()) if values else [None]:
                full = f"{name} {value!r:.60}" if values else name
                yield Row(full, file, expression, int(code), int(documents), reasons, value)


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


def zipped(name, data):
    """A zip file of one deflated file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def sample(name):
    return (SAMPLES / name).read_bytes()


def flip(data, at):
    changed = bytearray(data)
    changed[at] ^= 0x10
    return bytes(changed)


def deep(path, depth):
    """Directories in one another, and a page in the last."""
    for _ in range(depth):
        path = path / "d"
    path.mkdir(parents=True)
    (path / "page.html").write_bytes(html(words(60, 5)))


def many(path, count, make):
    """A directory of files: `make` says the bytes of the n-th."""
    path.mkdir()
    for n in range(count):
        (path / f"{n}{path.suffix}").write_bytes(make(n))


def socket(path):
    """A socket, made from its directory, as its whole path may be too long."""
    subprocess.run(["python3", "-c", "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", path.name],
                   cwd=path.parent, check=True)


class I64(int):
    """A number of 64 bits of Thrift."""


def varint(value):
    return b"" + bytes([value]) if value < 128 else bytes([value % 128 + 128]) + varint(value // 128)


def thrift(value):
    """A value in Thrift's compact form; a struct is a dictionary by the numbers of its fields."""
    kind = lambda one: {int: 5, I64: 6, str: 8, list: 9, dict: 12}[type(one)]
    if isinstance(value, int):
        return varint(2 * value if value >= 0 else -2 * value - 1)
    if isinstance(value, str):
        return varint(len(value)) + value.encode()
    if isinstance(value, list):
        return bytes([min(len(value), 15) << 4 | (kind(value[0]) if value else 5)]) + b"".join(
            [varint(len(value))] * (len(value) > 14) + [thrift(one) for one in value])
    fields = b"".join(bytes([kind(one)]) + thrift(field) + thrift(one) for field, one in value.items())
    return fields + b"\0"


def parquet(page, rows=1, name="text", kind=6, codec=0, encoding=0, optional=0, size=None, keys=None):
    """A file of one column with one page, of which everything may be a lie: rows, type, codec, encoding, and size."""
    size = len(page) if size is None else size
    header = thrift({1: 0, 2: size, 3: len(page), 5: {1: rows, 2: encoding, 3: 3, 4: 3}})
    length = I64(len(header) + len(page))
    chunk = {1: kind, 2: [encoding], 3: [name], 4: codec, 5: I64(rows), 6: I64(len(header) + size), 7: length, 9: I64(4)}
    schema = [{4: "schema", 5: 1}, {1: kind, 3: optional, 4: name, 6: 0} if kind == 6 else {1: kind, 3: optional, 4: name}]
    footer = {1: 1, 2: schema, 3: I64(rows), 4: [{1: [{2: I64(4), 3: chunk}], 2: length, 3: I64(rows)}]}
    if keys:
        footer[5] = [{1: name, 2: value} for name, value in keys.items()]
    footer = thrift(footer)
    return b"PAR1" + header + page + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def parquet_of_dictionaries(columns, rows):
    """A file of columns with one value each, which every row refers to; pages are compressed with zstd."""
    content, chunks = b"PAR1", []
    for name, value in columns.items():
        first = len(content)
        dictionary, indexes = plain(value), b"\x01" + varint(2 * rows) + b"\0"
        for body, kind in ((dictionary, {7: {1: 1, 2: 0}}), (indexes, {5: {1: rows, 2: 8, 3: 3, 4: 3}})):
            data, packed = len(content), zst(body)
            content += thrift({1: 2 if 7 in kind else 0, 2: len(body), 3: len(packed), **kind}) + packed
        length = I64(len(content) - first)
        meta = {1: 6, 2: [0, 8], 3: [name], 4: 6, 5: I64(rows), 6: length, 7: length, 9: I64(data), 11: I64(first)}
        chunks.append({2: I64(first), 3: meta})
    schema = [{4: "schema", 5: len(columns)}] + [{1: 6, 3: 0, 4: name, 6: 0} for name in columns]
    group = {1: chunks, 2: I64(len(content)), 3: I64(rows)}
    footer = thrift({1: 1, 2: schema, 3: I64(rows), 4: [group]})
    return content + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def plain(*texts):
    """The values of a page."""
    return b"".join(len(text).to_bytes(4, "little") + text.encode() for text in texts)


def noise(count, seed):
    return random.Random(seed).randbytes(count)
