"""README.md of the samples: what the files are, and which clusters are right and why."""

import gzip

HEAD = """# A small crawl

{pages} pages on {hosts} hosts, written for this project (licence: MIT OR Apache-2.0, as the project), served on
loopback and captured by wget; then the same pages in the other formats the program reads. Host names are reserved
ones; none of the pages exists on the net. The English prose is put together by a seeded generator from phrases
written by hand (`source/topics.txt`), so that two texts share ten words in a row only if one was made from the other.

The files are committed as they were captured. `scripts/make-samples DIR` makes equivalent ones: equal pages, other
record ids and dates. Its last step holds the tables below to exact sets of shingles.

## Files

| file | what | bytes | records |
|---|---|---|---|
{files}

The pages are in the same order in all formats: the byte order of their paths in `tree/`. So rows can be compared.
`id` and `date` of JSONL and Parquet are the WARC-Record-ID and WARC-Date of the capture.

What differs between the formats:

- JSONL and Parquet carry decoded text. For the {foreign} pages in other charsets than UTF-8 (`not_utf8` in
  `expected-clusters.json`) the bytes differ from the WARC files, and a `<meta charset>` in them no longer holds.
- In `tree/`, a page whose charset was said only in its HTTP header is stored as UTF-8 with a byte order mark.
- WET holds text only: pages that are lexically equal become identical there, and wordless pages have empty bodies.
- The WARC files alone hold what is no document:

| URL | why it is rejected |
|---|---|
{others}
| {revisited} pages of club.example, in `web/recrawl-00000.warc.gz` | `revisit` records: captured again, unchanged |

## Which clusters are right

At resemblance 0.5, shingles of 10 words, linkage `components`. *Kind* is the weakest relation needed to join the pages:
identical, lexical, shingle, similar. *Weakest* is the exact resemblance of the weakest link in the strongest chain.
Every link needed is at {clear} or more, every pair of pages from different clusters at {stranger} or less, so that
the choice of a seed hardly ever changes the answer. Machine-readable: `expected-clusters.json`.

| cluster | pages | kind | weakest | reason |
|---|---|---|---|---|
{clusters}

Pages of each cluster (without `http://`):

{members}

## Which pages must stay alone

| pages | reason |
|---|---|
{alone}

## What is contained in what

With `containment` set, these are directed links; the exact containment of each is 0.8 or more. With `containment-joins
= true` the page that quotes three leaflets joins strangers.

| part | whole |
|---|---|
{contained}

## Pages that are mostly frame

`frames/` has 32 pages of four more sites, which are in no other format. What is alike among them depends on what counts
of a page:

| site | 8 pages | right | `content = "main"` | `content = "page"` |
|---|---|---|---|---|
| gazette.example | articles | each with its copy on mirror.example | 8 clusters of 2 | no cluster |
| mirror.example | the same articles in a heavier frame | | | 1 cluster of 8 |
| shop.example | products of one template, a line each | alone | alone | 1 cluster of 8 |
| app.example | pages that only a script fills | alone | alone | 1 cluster of 8 |
"""

WHAT = {
    "web": "WARC 1.0, a gzip member a record", "wet": "WET: `conversion` records",
    "jsonl": "JSONL: id, url, html, date",
    "parquet": "Parquet, the same columns, zstd, row groups of 64",
    "wacz": "WACZ: `crawl-00003` deflated, `crawl-00005` stored", "arc": "ARC 1.0: the pages of `crawl-00003`",
    "tree": "the pages as files", "frames": "pages of four other sites",
}


def bare(url):
    """A URL without its scheme, as code."""
    return f"`{url.removeprefix('http://')}`"


def files(directory, site, records):
    """Rows of the table of files."""
    lines = []
    for name, what in WHAT.items():
        paths = sorted(path for path in (directory / name).rglob("*") if path.is_file())
        if name in ("tree", "frames"):
            size = sum(path.stat().st_size for path in paths)
            lines.append(f"| `{name}/` | {what} | {size:,} | {len(paths)} files |")
            continue
        for path in paths:
            lines.append(f"| `{name}/{path.name}` | {what} | {path.stat().st_size:,} | {count(path, site, records)} |")
    lines.append("| `expected-clusters.json` | what this page says, for tests | | |")
    lines.append("| `source/` | what `scripts/make-samples` makes the pages from | | |")
    return "\n".join(lines)


def count(path, site, records):
    """The number of records in a file, in words."""
    if path.name.endswith(("warc.gz", "wet.gz")):
        kinds = [headers["warc-type"] for headers, _ in records(path)]
        return ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("response", "conversion", "revisit")
                         if kind in kinds)
    if path.suffix == ".wacz":
        return "45 response"
    if path.name.endswith(".arc.gz"):
        return "44 pages"
    if path.suffix == ".parquet":
        return f"{len(site.pages)} rows"
    data = path.read_bytes()
    lines = (gzip.decompress(data) if path.suffix == ".gz" else data).count(b"\n")
    return f"{lines} lines"


def write(directory, site, weakest, records):
    """The text of the README."""
    hosts = {url.split("/")[2] for url in site.pages}
    return HEAD.format(
        pages=len(site.pages), hosts=len(hosts), files=files(directory, site, records), clear="0.62", stranger="0.35",
        foreign=sum(page.charset != "utf-8" for page in site.pages.values()), revisited=3,
        others="\n".join(f"| {bare(page.url)} | {reason} |" for page, reason in site.others),
        clusters="\n".join(f"| {c['name']} | {len(c['urls'])} | {c['kind']} | {figure:.2f} | {c['reason']} |"
                           for c, figure in zip(site.clusters, weakest, strict=True)),
        members="\n".join(f"- {c['name']}: " + ", ".join(map(bare, c["urls"])) for c in site.clusters),
        alone="\n".join(f"| {', '.join(map(bare, urls))} | {reason} |" for reason, urls in site.alone),
        contained="\n".join(f"| {bare(pair['part'])} | {bare(pair['in'])} |" for pair in site.contained))
