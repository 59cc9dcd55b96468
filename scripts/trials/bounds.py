"""Input made to pass the memory or to fill the disk: fields as long as a line, and small files that expand far."""
import gzip
import json

import inputs
from places import Place, build, expect, root

PEAK_MAX_MIB = 64 + 64
CONFIG = ('carry-fields = {fields}\n[work]\nmemory = "64MiB"\nthreads = 2\n[sketch]\nseed = "promises"\n'
          '[cluster]\nkeep = "field:f"\n')
COLUMNS = [f"c{n}" for n in range(200)]

# Bytes that a file may expand to whatever its size, for each of its bytes, and what a run may write for each of these.
FREE_BYTES, EXPANSION, WRITTEN = 64 << 20, 200, 12


def tried(name, content, what, fields=("f",)):
    """One file, read with 64 MiB; the bytes of the work directory and of all publications, each file once."""
    with Place() as place:
        (place.path / "crawl").mkdir()
        (place.path / "crawl" / name).write_bytes(content)
        place.configure("crawl", CONFIG.format(fields=json.dumps(fields)))
        env = {"LD_PRELOAD": str(root() / "faults.so"), "FAULT_PEAK": "peak"}
        ended = place.run("run", "-q", env=env, limit_s=300)
        expect(ended.code in (0, 3), f"{what}: exit {ended.code}: {ended.err[-200:]}")
        peak = int((place.path / "peak").read_text()) / 1024
        expect(peak <= PEAK_MAX_MIB, f"{what}: a peak of {peak:.0f} MiB")
        found = (path.lstat() for top in ("work", "out.d") for path in (place.path / top).rglob("*"))
        return sum({about.st_ino: about.st_size for about in found}.values())


def line(kind, n, length):
    """A record of which one field has so many bytes."""
    long = (f"{n:07}" * (length // 7 + 1))[:length]
    fields = {"id": str(n), "url": f"http://a.example/{n}", "text": f"{inputs.words(60, 1)} x{n // 2}"}
    match kind:
        case "url":
            fields["url"] = "http://a.example/" + long
        case "host":
            fields["url"] = f"http://{long}.example/"
        case "columns":
            fields.update({name: long[n:n + length // len(COLUMNS)] for name in COLUMNS})
        case "title":
            fields["html"] = f"<title>{long}</title><p>{fields.pop('text')}"
        case _:
            fields[kind] = long
    return json.dumps(fields).encode() + b"\n"


# Documents, and bytes of their longest field: as long as a line may be, and just as long as is kept.
LENGTHS = {
    "id": ((2, 30e6), (12, 30e6), (60, 1 << 20)),
    "url": ((2, 30e6), (12, 30e6), (2000, 65_000)),
    "host": ((2, 30e6), (4, 30e6), (8, 30e6), (12, 30e6), (12, 16e6), (30, 8e6), (60, 8e6), (4000, 65_000)),
    "f": ((12, 30e6), (60, 1 << 20)),
    "columns": ((12, 30e6), (12, 4 << 20), (60, 1 << 20)),
    "title": ((12, 15e6), (4000, 20_000)),
    "zzz": ((12, 30e6),),
}


def long_fields(share):
    """URLs, hosts, ids, carried fields and titles, long alone or together, in JSONL as it is and compressed."""
    build()
    for kind, lengths in LENGTHS.items():
        for documents, length in lengths:
            for suffix, packed in (("", bytes), (".zst", inputs.zst)):
                def result(kind=kind, documents=documents, length=int(length), suffix=suffix, packed=packed):
                    content = b"".join(line(kind, n, length) for n in range(documents))
                    fields = ("f", *COLUMNS) if kind == "columns" else ("f",)
                    tried(f"a.jsonl{suffix}", packed(content), f"{documents} of {kind} with {length} bytes{suffix}", fields)
                yield result


# The shortest records that are rejected or are documents.
TINY = {
    "a.jsonl": b"1\n",
    "a.warc": b"WARC/1.0\r\n\r\n",
    "a.arc": b"http://a/ 1 20050102030405 text/html 0\n",
}


def expanding(share):
    """Dictionaries of Parquet, gzip members and zstd frames of one thing many times, and of the shortest records:
    what a run writes is bounded."""
    build()

    def bounded(name, content, what):
        written = tried(name, content, what)
        allowed = (FREE_BYTES + EXPANSION * len(content)) * WRITTEN
        expect(written <= allowed, f"{what}: {len(content)} bytes make {written / 1e6:.0f} MB of files")
    text = inputs.words(60, 1)
    for column in ("id", "url", "f", "text", "html"):
        for length, rows in ((20_000_000, 40), (20_000_000, 500), (60_000, 100_000), (1000, 1_000_000), (5, 5_000_000)):
            columns = {"text": text} if column not in ("text", "html") else {}
            yield lambda column=column, length=length, rows=rows, columns=columns: bounded(
                "a.parquet", inputs.parquet_of_dictionaries({**columns, column: ("x " * length)[:length]}, rows),
                f"{rows} rows of {length} bytes of {column}")
    for length in (20, 1000, 20_000_000):
        record = inputs.jsonl(text[:20], id="x" * length)
        content = record * (80_000_000 // len(record))
        for suffix, packed in ((".gz", inputs.gz), (".zst", inputs.zst)):
            yield lambda suffix=suffix, packed=packed, content=content, length=length: bounded(
                f"a.jsonl{suffix}", packed(content), f"ids of {length} bytes in a.jsonl{suffix}")
    for name, record in TINY.items():
        content = record * (40_000_000 // len(record))
        for suffix, packed in ((".gz", lambda data: gzip.compress(data, 9)), (".zst", inputs.zst)):
            yield lambda name=name + suffix, packed=packed, content=content, record=record: bounded(
                name, packed(content), f"records of {len(record)} bytes in {name}")
