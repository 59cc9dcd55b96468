"""The pages of the sample crawl, and which of them belong together.

Every page is written for this project. `build()` returns a Site: pages, records that are no pages, and the clusters
to expect at resemblance 0.5 with shingles of 10 words. The same seed phrases give the same pages every time.
"""

import struct
import unicodedata
import zlib
from dataclasses import dataclass, field
from html import escape

import foreign
from prose import Prose, scattered, shortened


@dataclass
class Page:
    """One URL: what the server sends for it."""

    url: str
    text: str = ""
    charset: str = "utf-8"  # how the text is encoded, a name of the WHATWG list
    header: str | None = "text/html; charset=utf-8"  # Content-Type as sent; None: not sent
    media_type: str = "text/html"  # what it is; where the header says nothing, what a reader must find
    status: int = 200
    sending: tuple = ()  # of gzip, deflate, chunked
    raw: bytes | None = None  # the body where it is no text
    location: str | None = None

    @property
    def body(self):
        """The body as bytes, before transfer and content encoding."""
        if self.raw is not None:
            return self.raw
        start = b"\xff\xfe" if self.charset == "utf-16le" else b""
        return start + self.text.encode(PYTHON_CODEC.get(self.charset, self.charset))

    @property
    def tree_path(self):
        """The path of the page in the tree: host, path, and the query behind @."""
        path = self.url.split("://", 1)[1]
        path += "index.html" if path.endswith("/") else ""
        return path.replace("?", "@") + ".html" if "?" in path else path


PYTHON_CODEC = {"windows-874": "cp874", "utf-16le": "utf-16-le"}


@dataclass
class Site:
    """All that is served, and all that is expected."""

    pages: dict = field(default_factory=dict)
    others: list = field(default_factory=list)  # (Page, reason): records that are no documents
    clusters: list = field(default_factory=list)
    alone: list = field(default_factory=list)  # (reason, urls)
    contained: list = field(default_factory=list)

    def add(self, url, text, **how):
        """Serve a page; returns its URL."""
        page = Page("http://" + url, text, **how)
        if page.url in self.pages:
            raise ValueError(f"two pages at {page.url}")
        self.pages[page.url] = page
        return page.url

    def together(self, name, kind, reason, urls):
        self.clusters.append({"name": name, "kind": kind, "reason": reason, "urls": sorted(urls)})

    def apart(self, reason, urls):
        self.alone.append((reason, sorted(urls)))


def html(title, paragraphs, nav="", foot="", style="div", head=""):
    """A page; `style` changes the markup and never the words."""
    sentences = [" ".join(paragraph) for paragraph in paragraphs]
    if style == "table":
        body = "".join(f"<tr><td>{escape(s, quote=False)}</td></tr>\n" for s in sentences)
        body = (f"<table width=100%>\n<tr><th>{nav}</th></tr>\n<tr><td><font size=5>{title}</font></td></tr>\n"
                f"{body}<tr><td>{foot}</td></tr>\n</table>")
    elif style == "print":
        body = f"<div>{nav}</div>\n<h2>{title}</h2>\n" + "<br><br>\n".join(escape(s, quote=False) for s in sentences)
        body += f"\n<hr>\n<i>{foot}</i>"
        head += "<style media=print>nav { display: none } body { font: 12pt serif }</style>"
    else:
        body = "".join(f"<p>{escape(s, quote=False)}</p>\n" for s in sentences)
        body = f"<nav>{nav}</nav>\n<main><h1>{title}</h1>\n{body}</main>\n<footer>{foot}</footer>"
    return f"<!DOCTYPE html>\n<html>\n<head><title>{title}</title>{head}</head>\n<body>\n{body}\n</body>\n</html>\n"


def mirrors(site, prose):
    """Articles of one host, copied by others."""
    nav = '<a href="/">Harbour notes</a> | <a href="/all">All notes</a> | <a href="/about">About this place</a>'
    foot = "Harbour notes are written by the keepers and their friends."
    same = []
    for n in range(10):
        text = prose.text(f"harbour {n}", "lighthouse rivers" if n % 2 else "lighthouse weather", 190 + 12 * n)
        page = html(f"Harbour note {n + 1}", text, nav, foot)
        name = f"note-{n + 1:02}.html"
        urls = [site.add(f"harbour.example/notes/{name}", page)]
        if n < 8:
            how = {"sending": ("gzip",)} if n == 1 else {"header": "text/html"} if n == 2 else {}
            urls.append(site.add(f"mirror.example.org/harbour/notes/{name}", page, **how))
            if n < 3:
                urls.append(site.add(f"copies.example/h/{n + 1}", page, sending=("chunked",) if n == 0 else ()))
            site.together(f"harbour-{n + 1}", "identical", "the same bytes under other names" +
                          ("; one copy sent compressed" if n == 1 else "") +
                          ("; one copy without a charset in its header" if n == 2 else ""), urls)
        else:
            banner = page.replace("<nav>", f"<p>{BANNER}</p>\n<nav>")
            urls.append(site.add(f"mirror.example.org/harbour/notes/{name}", banner))
            site.together(f"harbour-{n + 1}", "similar", "the mirror adds a line of its own", urls)


BANNER = ("This copy of the page is kept by the mirror service of the reading room; please tell the harbour, and not "
          "the mirror, about any mistakes in it.")


def printed(site, prose):
    """Recipes with a version for the printer."""
    nav = "<a href=/recipes>All recipes</a> <a href=/tools>Tools</a> <a href=/letters>Letters to the kitchen</a>"
    foot = "The kitchen pages, tested twice and eaten once."
    for n in range(6):
        text = prose.text(f"kitchen {n}", "bread bees", 230)
        title = ["Rye", "Rolls", "Stollen", "Flat bread", "Honey cake", "Rusks"][n] + " from the lower street"
        urls = [site.add(f"kitchen.example/recipes/{n + 1}.html", html(title, text, nav, foot))]
        if n < 4:
            style = "print" if n % 2 else "table"
            urls.append(site.add(f"kitchen.example/print/{n + 1}.html", html(title, text, nav, foot, style)))
            site.together(f"recipe-{n + 1}", "lexical", "the printed version has the same words in other markup", urls)
        else:
            page = html(title, text, foot="For the kitchen wall only, and for nobody who is in a hurry.", style="print")
            urls.append(site.add(f"kitchen.example/print/{n + 1}.html", page))
            reason = "the printed version has no navigation and another footer"
            site.together(f"recipe-{n + 1}", "similar", reason, urls)


def sessions(site, prose):
    """A shop that puts session numbers into its URLs."""
    nav = "<a href='/clocks'>Clocks</a> <a href='/parts'>Parts</a> <a href='/basket'>Your basket</a>"
    foot = "Prices include the box and the key."
    pages = [html(f"Wall clock no. {n}", prose.text(f"shop {n}", "clocks", 210), nav, foot) for n in (1, 2, 3)]
    site.together("item-1", "identical", "the session is in the URL only",
                  [site.add(f"shop.example/item/1?sid={sid}", pages[0]) for sid in ("0a41", "3c77", "9d02", "f1e8")])
    site.together("item-2", "lexical", "the session is in the URL and in the links of the page, which are no text",
                  [site.add(f"shop.example/item/2?sid={sid}", pages[1].replace("/basket'", f"/basket?sid={sid}'"))
                   for sid in ("17bb", "52d0", "c6aa")])
    site.together("item-3", "similar", "the page prints the session among its words, twice",
                  [site.add(f"shop.example/item/3?sid={sid}", pages[2].replace("</h1>", f" (visit {sid})</h1>")
                            .replace("<footer>", f"<footer>You are visitor {sid} today. "))
                   for sid in ("2e19", "8b34", "d5f6")])


def manual(site, prose):
    """Two releases of a manual of 25 chapters."""
    alone_old, alone_new, rewritten = [], [], []
    for n in range(28):
        title = f"Chapter {n + 1}. {CHAPTERS[n]}"
        topics = ["clocks books", "canal rivers", "weather lighthouse"][n % 3]
        text = prose.text(f"manual {n}", topics, 200 + 5 * n)
        old_url, new_url = (f"manual.example.org/{release}/ch{n + 1:02}.html" for release in ("1.0", "2.0"))
        old, new = ("Regulator Manual | <a href=index.html>Contents</a>", "The Regulator Manual has 25 chapters.")
        page = html(title, text, old, new)
        if n < 22:
            first = site.add(old_url, page)
            if n < 4:
                kind, reason, second = "identical", "the chapter did not change", page
            elif n < 6:
                kind, reason = "lexical", "only the markup changed"
                second = html(title, text, old, new, "table")
            elif n < 18:
                share = 0.10 if n % 2 else 0.13
                kind, reason = "similar", f"{share:.0%} of the sentences were rewritten"
                second = html(title, prose.replaced(text, share, f"manual {n}", topics, 0.3), old, new)
            else:
                second = html(title, prose.text(f"manual rewritten {n}", topics, 210), old, new)
                rewritten += [first, site.add(new_url, second)]
                continue
            site.together(f"manual-{n + 1}", kind, f"two releases: {reason}", [first, site.add(new_url, second)])
        elif n < 25:
            alone_old.append(site.add(old_url, page))
        else:
            alone_new.append(site.add(new_url.replace(f"ch{n + 1}", f"ch{n - 2}"), page))
    site.apart("chapters of the manual written anew for release 2.0: same title, other text", rewritten)
    site.apart("chapters of the manual that release 2.0 dropped", alone_old)
    site.apart("chapters new in release 2.0, under the numbers of the dropped ones", alone_new)


CHAPTERS = ["Unpacking", "The case", "The dial", "Hands", "Pendulums", "The bob", "Escapements", "Oil", "Winding",
            "Weights", "Chimes", "Travel", "Damp", "Dust", "Levelling", "Rating", "Records", "Signals", "Repairs",
            "Springs", "Gears", "Tools", "Telegraphs", "Candles", "Ballast", "Radio", "Batteries", "Spare parts"]


def template(site, prose):
    """One template round different texts."""
    nav = ("<ul><li><a href=/>Welcome to the club of patient people</a></li><li><a href=/join>How to join us and what "
           "it costs</a></li><li><a href=/rooms>Rooms, keys and opening hours</a></li><li><a href=/map>How to find "
           "the house behind the market</a></li></ul>")
    foot = ("The club of patient people meets every second Tuesday. Membership is open to all who can wait. Write to "
            "the secretary at the house behind the market, and allow six weeks for an answer. No cookies are kept "
            "here except those in the tin.")
    topics = "lighthouse bread bees canal clocks rivers books weather".split()
    site.apart("one template round different texts: navigation and footer are equal, the texts are not",
               [site.add(f"club.example/talks/{n + 1:02}.html",
                         html(f"Talk {n + 1}", prose.text(f"club {n}", topics[n % 8], 170), nav, foot),
                         sending=("gzip", "chunked") if n == 5 else ()) for n in range(12)])


def edits(site, prose):
    """Copies with edits of known size."""
    base = prose.text("edits a", "canal books weather", 460)
    near = [site.add("edits.example/words/original.html", html("Words exchanged", base))]
    for share in (0.008, 0.01, 0.014, 0.018):
        near.append(site.add(f"edits.example/words/{share * 1000:.0f}-per-mille.html",
                             html("Words exchanged", scattered(base, share))))
    site.together("words", "similar",
                  "up to 1.8 % of the words exchanged, one at a time: each costs ten shingles", near)
    site.apart("8 %, 12 % and 30 % of the words exchanged, evenly: hardly ten words in a row are left",
               [site.add(f"edits.example/words/{share * 1000:.0f}-per-mille.html",
                         html("Words exchanged", scattered(base, share))) for share in (0.08, 0.12, 0.30)])
    base = prose.text("edits b", "rivers bread clocks", 430)
    near = [site.add("edits.example/blocks/original.html", html("Passages exchanged", base))]
    for percent, at in ((5, 0.1), (10, 0.5), (16, 0.7)):
        text = prose.replaced(base, percent / 100, f"blocks {percent}", "bees canal", at)
        near.append(site.add(f"edits.example/blocks/{percent}-percent.html", html("Passages exchanged", text)))
    near.append(site.add("edits.example/blocks/cut.html", html("Passages exchanged", shortened(base, 0.25))))
    longer = base + prose.text("edits b more", "lighthouse bees", 115)
    near.append(site.add("edits.example/blocks/more.html", html("Passages exchanged", longer)))
    site.together("blocks", "similar",
                  "5, 10 or 16 % of the sentences exchanged in one passage; the last quarter cut off; a quarter added",
                  near)
    site.apart("60 % and 80 % exchanged in one passage",
               [site.add(f"edits.example/blocks/{percent}-percent.html", html("Passages exchanged", prose.replaced(
                   base, percent / 100, f"blocks {percent}", "bees canal", 0.1))) for percent in (60, 80)])


def versions(site, prose):
    """A page that changes a little every week: the ends of the chain have little in common."""
    text = prose.text("versions", "weather rivers", 480)
    urls = []
    for week in range(1, 6):
        sending = ("deflate",) if week == 2 else ()
        urls.append(site.add(f"news.example/pass/week-{week}.html", html("State of the pass", text), sending=sending))
        text = prose.replaced(text, 0.14, f"week {week}", "weather rivers", 0.14 * week)
    site.together("pass", "similar", "each week's page is close to the one before; the first and the last are not "
                  "(linkage = components joins the chain)", urls)
    wire = prose.text("wire", "canal weather", 330)
    urls = []
    for host, nav, foot in PAPERS:
        urls.append(site.add(f"{host}/wire/summit-lock.html", html("Summit lock closed", wire, nav, foot)))
    site.together("wire", "similar", "one report of an agency in the pages of three papers", urls)


PAPERS = [
    ("news.example", "Home News Sport Letters Weather Markets",
     "All rights reserved by the evening paper and by nobody else."),
    ("gazette.example", "The Gazette: town, country and sea",
     "Printed daily except Sundays and the day after the fair."),
    ("morning.test", "Today | Yesterday | The day before",
     "You read it here some time after all the others had it."),
]


def excerpts(site, prose):
    """Long pages and parts of them."""
    topics = "lighthouse bread bees canal clocks rivers books weather"
    long = prose.text("long", topics, 10900)
    excerpt = long[60:63]
    book = site.add("library.example/book.html", html("The whole book", long))
    part = site.add("library.example/excerpt.html", html("A few pages", excerpt))
    strangers = [(f"library.example/leaflet-{n}.html", f"Leaflet {n}",
                  prose.text(f"leaflet {n}", topics.split()[n], 260)) for n in (1, 2, 3)]
    parts = [site.add(url, html(title, text)) for url, title, text in strangers]
    quotes = site.add("library.example/quotes.html", html("Three leaflets in one", sum((t for *_, t in strangers), [])))
    site.contained += [{"in": book, "part": part}] + [{"in": quotes, "part": url} for url in parts]
    site.apart("an excerpt of some hundred words and the long page that holds it: contained, not similar", [book, part])
    site.apart("three leaflets and the page that quotes all of them: contained, not similar", [quotes, *parts])


def rounds(site, prose):
    """A song sung round and round has the same shingles however often it is sung."""
    verse = prose.text("round", "bees rivers", 120)
    urls = [site.add(f"song.example/round/{times}-times.html", html("Round", [["Sing."]] + verse * times))
            for times in (2, 3, 5)]
    site.together("round", "shingle", "the same verse two, three and five times: equal sets of shingles, other "
                  "words; with shingles = \"labelled\" they are apart", urls)


def odd(site, prose):
    """Tiny, empty and wordless pages, numbers, and what is no page at all."""
    add = site.add
    blank = "<html><body><img src=fog.png></body></html>\n"
    site.together("wordless", "identical", "equal bytes, no word", [
        add("odd.example/blank-1.html", blank), add("odd.example/blank-2.html", blank)])
    site.apart("no word, and other bytes than the two wordless pages: pages without words join by bytes only",
               [add("odd.example/blank-3.html", "<html><body><img src=rain.png><hr></body></html>\n")])
    site.together("three-words", "lexical", "three words, the same, in other markup", [
        add("odd.example/closed-1.html", "<title>Closed</title><p>until Monday\n"),
        add("odd.example/closed-2.html", "<html><body><b>Closed</b><br><i>until Monday</i></body></html>\n")])
    site.apart("nine words, of which one differs: a short page has a single shingle, all its words",
               [add(f"odd.example/ferry-{n}.html", f"<p>The {n} o'clock ferry is late again today.</p>\n")
                for n in ("nine", "five")])
    site.apart("tables of numbers: every row differs", [add(f"odd.example/tides-{month}.html", tides(month))
                                                       for month in (3, 4)])
    frames = ("<html><head><title>Harbour almanac in frames</title></head>\n<frameset cols=20%,80%>\n"
              "<frame src=menu.html name=menu>\n<frame src=page.html name=page>\n</frameset></html>\n")
    site.apart("a frameset has no text of its own but the title", [add("odd.example/frames.html", frames)])
    site.others += [
        (Page("http://odd.example/empty.html", ""), "an empty body"),
        (Page("http://odd.example/gone.html", "<p>Not here.\n", status=404), "status 404"),
        (Page("http://odd.example/old.html", "<p>Moved.\n", status=301, location="http://odd.example/frames.html"),
         "status 301, a redirect"),
        (Page("http://odd.example/dot.png", raw=png(), header="image/png", media_type="image/png"), "a picture"),
        (Page("http://odd.example/leaflet.pdf", raw=b"%PDF-1.4\n% a label only; there is no document in it\n%%EOF\n",
              header="application/pdf", media_type="application/pdf"), "labelled as PDF"),
        (Page("http://odd.example/mislabelled.html", raw=png()), "a picture labelled as HTML"),
    ]


def tides(month):
    """A page of numbers."""
    rows = "".join(f"<tr><td>{day}<td>{(day * 49 + month * 83) % 720 // 60}.{(day * 49 + month * 83) % 60:02}"
                   f"<td>{(day * 37 + month * 11) % 90 + 210}<td>{(day * 53 + month * 29) % 80 + 20}\n"
                   for day in range(1, 31))
    return f"<title>Tides, month {month}</title>\n<table>\n<tr><th>Day<th>High<th>cm<th>cm\n{rows}</table>\n"


def png():
    """A grey picture of one dot."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b""))


def build():
    """The whole site."""
    site, prose = Site(), Prose()
    for part in (mirrors, printed, sessions, manual, template, edits, versions, excerpts, rounds, odd):
        part(site, prose)
    foreign.add_to(site, html, unicodedata.normalize)
    return site
