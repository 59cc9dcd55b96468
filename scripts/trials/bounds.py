"""Input made to pass the memory or to fill the disk: fields as long as a line, and small files that expand far."""
import gzip
import json

import inputs
from harness import Place, build, expect

CONFIG = ('carry-fields = {fields}\n[work]\nmemory = "64MiB"\nthreads = 2\n[sketch]\nseed = "promises"\n'
          '[cluster]\nkeep = "field:f"\n')
COLUMNS = [f"c{n}" for n in range(200)]
PACKED = {"": bytes, ".gz": lambda data: gzip.compress(data, 9), ".zst": inputs.zst}

# Bytes that a file may expand to whatever its size, for each of its bytes, and what a run may write for each of these.
FREE_BYTES, EXPANSION, WRITTEN = 64 << 20, 200, 12


def tried(name, content, what, fields=("f",)):
    """One file, read with 64 MiB; the bytes that the run keeps on the disk."""
    build()
    with Place() as place:
        (place.path / "crawl").mkdir()
        (place.path / "crawl" / name).write_bytes(content)
        place.configure("crawl", rest=CONFIG.format(fields=json.dumps(fields)))
        place.run_bounded(what, (0, 3), 300)
        return place.kept_bytes()


def record(kind, n, length):
    """A record of which one field has so many bytes."""
    long = (f"{n:07}" * (length // 7 + 1))[:length]
    fields = {"id": str(n), "url": f"http://a.example/{n}", "text": f"{inputs.words(60, 1)} x{n // 2}"}
    if kind == "host":
        fields["url"] = f"http://{long}.example/"
    elif kind == "columns":
        fields |= {name: long[n:n + length // len(COLUMNS)] for name in COLUMNS}
    elif kind == "title":
        fields["html"] = f"<title>{long}</title><p>{fields.pop('text')}"
    else:
        fields[kind] = "http://a.example/" * (kind == "url") + long
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


def long_fields():
    """URLs, hosts, ids, carried fields and titles of any length take no more than the budget and 64 MiB"""
    def result(kind, documents, length, suffix):
        content = b"".join(record(kind, n, int(length)) for n in range(documents))
        what = f"{documents} of {kind} with {length:.0f} bytes{suffix}"
        tried(f"a.jsonl{suffix}", PACKED[suffix](content), what, ("f", *COLUMNS) if kind == "columns" else ("f",))
    for kind, lengths in LENGTHS.items():
        for documents, length in lengths:
            for suffix in ("", ".zst"):
                yield result, kind, documents, length, suffix


def expanding():
    """a small file that expands far makes no more work files than its size and 64 MiB of text may"""
    def bounded(name, content, what):
        written = tried(name, content, what)
        allowed = (FREE_BYTES + EXPANSION * len(content)) * WRITTEN
        expect(written <= allowed, f"{what}: {len(content)} bytes make {written / 1e6:.0f} MB of files")

    def dictionary(column, length, rows):
        columns = {} if column in ("text", "html") else {"text": text}
        content = inputs.parquet_of_dictionaries(columns | {column: ("x " * length)[:length]}, rows)
        bounded("a.parquet", content, f"{rows} rows of {length} bytes of {column}")

    def repeated(name, one, size, suffix):
        bounded(name + suffix, PACKED[suffix](one * (size // len(one))), f"records of {len(one)} bytes in {name}{suffix}")
    text = inputs.words(60, 1)
    for column in ("id", "url", "f", "text", "html"):
        for length, rows in ((20_000_000, 40), (20_000_000, 500), (60_000, 100_000), (1000, 1_000_000), (5, 5_000_000)):
            yield dictionary, column, length, rows
    # Long ids, and the shortest records that are rejected or are documents.
    loads = [("a.jsonl", inputs.jsonl(text[:20], id="x" * length), 80_000_000) for length in (20, 1000, 20_000_000)]
    loads += [("a.jsonl", b"1\n", 40_000_000), ("a.warc", b"WARC/1.0\r\n\r\n", 40_000_000),
              ("a.arc", b"http://a/ 1 20050102030405 text/html 0\n", 40_000_000)]
    for load in loads:
        for suffix in (".gz", ".zst"):
            yield repeated, *load, suffix
