"""README.md of the samples: what the files are, and which clusters are right and why."""

import gzip
import itertools
import re

HEAD = """# A small crawl

{pages} pages (and {revisited} captured again, unchanged) on {hosts} hosts, written for this project (licence: MIT OR
Apache-2.0, as the project), served on loopback and captured by wget; then the same pages in the other formats that the
program reads. Host names are reserved ones; no page exists on the net. A seeded generator puts the English prose
together from phrases written by hand (`source/topics.txt`), so that two texts share ten words in a row only if one was
made from the other.

The files are committed as they were captured. `scripts/make-samples DIR` makes equivalent ones: equal pages, other
record ids and dates. Its last step holds the tables below to exact sets of shingles.

## Files

| file | content | bytes | records |
|---|---|---|---|
{files}

The pages are in the same order in all formats, the byte order of their paths in `tree/`, so rows can be compared.
`id` and `date` of JSONL and Parquet are the WARC-Record-ID and WARC-Date of the capture. The formats differ:

- JSONL and Parquet have decoded text. The bytes of the {foreign} pages in other charsets than UTF-8 (`not_utf8` in
  `expected-clusters.json`) differ from those in WARC, and a `<meta charset>` in them is wrong.
- In `tree/`, a page whose charset only its HTTP header named is stored as UTF-8 with a byte order mark.
- WET has text only: lexically equal pages are identical there, and wordless pages have empty bodies.

Only the WARC files have records that are rejected:

{others}

`web/recrawl-00000.warc.gz` has {revisited} `revisit` records of club.example: documents with the text of the first
capture.

## Right clusters

At resemblance 0.5, shingles of 10 words, of all text of the pages (`content = "page"`). In brackets: the pages of each
cluster; the weakest relation that is needed to join them; if it is below 1, the exact resemblance of the weakest link in
the strongest chain. Every such link is at {clear} or more, every pair of pages from different clusters at {stranger} or
less, so the seed hardly ever changes the answer. `expected-clusters.json` has the URLs.

{clusters}

## Pages that must stay alone

{alone}

## Containment

With `containment` set, these are directed links; the exact containment of each is 0.8 or more. With `containment-joins
= true` the page that quotes three leaflets joins strangers.

{contained}

## Pages that are mostly frame

`frames/` has 32 pages of four more sites, which are in no other format. The part of a page that counts decides which of
them are alike:

| site | 8 pages | right | `content = "main"` | `content = "page"` |
|---|---|---|---|---|
| gazette.example | articles | each with its copy on mirror.example | 8 clusters of 2 | no cluster |
| mirror.example | the same articles in a heavier frame | | | 1 cluster of 8 |
| shop.example | products of one template, a line each | alone | alone | 1 cluster of 8 |
| app.example | pages that only a script fills | alone | alone | 1 cluster of 8 |
"""

WHAT = {
    "web": "WARC 1.0, a gzip member a record; `recrawl-00000` a night later", "wet": "WET: `conversion` records",
    "jsonl": "JSONL: id, url, html, date",
    "parquet": "Parquet, the same columns, zstd, row groups of 64",
    "wacz": "WACZ: `crawl-00003` deflated, `crawl-00005` stored", "arc": "ARC 1.0: the pages of `crawl-00003`",
    "tree": "the pages as files", "frames": "pages of four other sites",
}


def bare(url):
    """A URL without its scheme, as code."""
    return f"`{url.removeprefix('http://')}`"


def files(directory, site, records):
    """Rows of the table of files, one for all files of a kind."""
    lines = []
    for name, what in WHAT.items():
        paths = sorted(path for path in (directory / name).rglob("*") if path.is_file())
        size = sum(path.stat().st_size for path in paths)
        counts = f"{len(paths)} files"
        if name not in ("tree", "frames"):
            counts = ", ".join(count(path, site, records) for path in paths)
        lines.append(f"| `{name}/` | {what} | {size:,} | {counts} |")
    lines.append("| `expected-clusters.json` | the tables of this page, for tests | | |")
    lines.append("| `source/` | the sources of `scripts/make-samples` | | |")
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


def family(cluster):
    """Clusters of one entry: the same kind, and the same reason but for figures, or a page in another charset."""
    if "the same words from other bytes" in cluster["reason"]:
        return "charset"
    return cluster["kind"], re.sub(r"-?[0-9]+", "", cluster["name"]), re.sub(r"[0-9]+%", "", cluster["reason"])


def clusters(pairs):
    """The list of clusters, from pairs of a cluster and the resemblance of its weakest link."""
    lines = []
    for key, group in itertools.groupby(pairs, lambda pair: family(pair[0])):
        group, figures = zip(*group)
        names = group[0]["name"] if len(group) == 1 else f"{group[0]['name']} to {group[-1]['name']}"
        shares = sorted({share for cluster in group for share in re.findall(r"[0-9]+%", cluster["reason"])})
        reason = re.sub(r"[0-9]+%", " or ".join(shares), group[0]["reason"])
        if key == "charset":
            reason = "the same words in UTF-8 and in other charsets, named in the HTTP header, in a meta tag or nowhere"
        sizes = sorted({len(cluster["urls"]) for cluster in group})
        sizes = " or ".join(map(str, sizes))
        weakest = f", {min(figures):.2f}" if min(figures) < 1 else ""
        lines.append(f"- {names} ({sizes}, {group[0]['kind']}{weakest}): {reason}")
    return "\n".join(lines)


def some(urls):
    """A few URLs, or the first of many."""
    return ", ".join(map(bare, urls)) if len(urls) <= 2 else f"{bare(urls[0])} and {len(urls) - 1} more"


def write(directory, site, weakest, records):
    """The text of the README."""
    hosts = {url.split("/")[2] for url in site.pages}
    return HEAD.format(
        pages=len(site.pages), hosts=len(hosts), files=files(directory, site, records), clear="0.62", stranger="0.35",
        foreign=sum(page.charset != "utf-8" for page in site.pages.values()), revisited=3,
        others="\n".join(f"- {bare(page.url)}: {reason}" for page, reason in site.others),
        clusters=clusters(zip(site.clusters, weakest, strict=True)),
        alone="\n".join(f"- {some(urls)}: {reason}" for reason, urls in site.alone),
        contained="\n".join(f"- {bare(pair['part'])} in {bare(pair['in'])}" for pair in site.contained))
