"""The exact answer for the sample pages, by brute force, and the check of the expected clusters against it.

Words are maximal runs of letters, digits and combining marks of the text in NFC and lower case; a character of a
script written without spaces is a word of its own; title text counts; script, style, template and comments do not.
This is a small second implementation, enough for well-formed pages: it guards the expectations, not the program.
"""

import re
import unicodedata
from html.parser import HTMLParser

INLINE = set("a abbr b big cite code del dfn em font i ins kbd mark q s samp small span strong sub sup tt u var wbr"
             .split())
SILENT = {"script", "style", "template"}
ALONE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
VANISH = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])
LINK, CLEAR_LINK, CLEAR_STRANGER, CONTAINED = 0.5, 0.62, 0.35, 0.8
UNSEEN = 1e-4  # the chance that a sketch sees no difference between two pages that are expected to be similar only
CLASS_MIN, TARGET, COARSEST = 16, 128, 32  # shingle-class-min; the default sketch


class Text(HTMLParser):
    """Collects the text of a page; a tag that is not inline becomes a line break."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts, self.silent = [], 0

    def handle_starttag(self, tag, attrs):
        self.silent += tag in SILENT
        if tag not in INLINE:
            self.parts.append("\n")

    def handle_endtag(self, tag):
        self.silent -= tag in SILENT
        if tag not in INLINE:
            self.parts.append("\n")

    def handle_data(self, data):
        if not self.silent:
            self.parts.append(data)


def text_of(page):
    """The text of a page, one block a line."""
    if page.media_type == "text/plain":
        return page.text
    parser = Text()
    parser.feed(page.text)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).splitlines())
    return "\n".join(line for line in lines if line)


def words_of(page):
    """The words of a page."""
    text = unicodedata.normalize("NFC", text_of(page).translate(VANISH)).lower()
    words, word = [], ""
    for character in text + " ":
        alone = ALONE.match(character)
        if not alone and unicodedata.category(character)[0] in "LMN":
            word += character
            continue
        if word:
            words.append(word)
        word = ""
        if alone and unicodedata.category(character)[0] in "LMN":
            words.append(character)
    return words


def shingles_of(words, w=10):
    """The set of shingles; of fewer than w words, but at least one: one shingle."""
    return {tuple(words[i:i + w]) for i in range(max(1, len(words) - w + 1))} if words else set()


def modulus_of(shingles):
    """The modulus that the default sketch is expected to choose."""
    modulus = 1
    while len(shingles) / modulus > TARGET and modulus < COARSEST:
        modulus *= 2
    return modulus


class Exact:
    """Words and shingles of every page, and what follows from them."""

    def __init__(self, pages):
        self.pages = {page.url: page for page in pages}
        self.words = {page.url: words_of(page) for page in pages}
        self.shingles = {url: shingles_of(words) for url, words in self.words.items()}

    def resemblance(self, a, b):
        a, b = self.shingles[a], self.shingles[b]
        both = len(a & b)
        return both / (len(a) + len(b) - both) if both else 0.0

    def containment(self, part, whole):
        part, whole = self.shingles[part], self.shingles[whole]
        return len(part & whole) / len(part)

    def kind(self, a, b):
        """The strongest class two pages share as (kind in WARC, kind in JSONL and Parquet), or None."""
        one, two = self.pages[a], self.pages[b]
        if not self.words[a] or not self.words[b]:
            lexical = "apart"
        elif self.words[a] == self.words[b]:
            lexical = "lexical"
        elif self.shingles[a] == self.shingles[b] and len(self.shingles[a]) >= CLASS_MIN:
            lexical = "shingle"
        else:
            lexical = "similar" if self.resemblance(a, b) >= LINK else "apart"
        raw = (one.body, one.media_type, one.charset) == (two.body, two.media_type, two.charset)
        return "identical" if raw else lexical, "identical" if one.text == two.text else lexical


KINDS = ["identical", "lexical", "shingle", "similar"]


def kind_of_cluster(exact, urls, column):
    """The weakest relation needed to join the pages; None if nothing joins them."""
    for reach in range(len(KINDS)):
        joined, todo = {urls[0]}, [urls[0]]
        while todo:
            at = todo.pop()
            for url in urls:
                if url not in joined and exact.kind(at, url)[column] in KINDS[:reach + 1]:
                    joined.add(url)
                    todo.append(url)
        if len(joined) == len(urls):
            return KINDS[reach]
    return None


def weakest_link(exact, urls):
    """The weakest link of the strongest chain that joins the pages (a maximum spanning tree)."""
    joined, weakest, at = [urls[0]], 1.0, (urls[0], urls[0])
    while len(joined) < len(urls):
        best = max((1.0 if exact.kind(a, b)[0] != "apart" and exact.words[a] == exact.words[b]
                    else exact.resemblance(a, b), a, b) for a in joined for b in urls if b not in joined)
        joined.append(best[2])
        weakest, at = min((weakest, at), (best[0], best[1:]))
    return weakest, at


def check(pages, expected):
    """Hold the expectations to the exact answer; returns (problems, figures)."""
    exact, problems, cluster_of, figures = Exact(pages), [], {}, []
    for number, cluster in enumerate(expected["clusters"]):
        for url in cluster["urls"]:
            if url in cluster_of:
                problems.append(f"{url} is expected in two places")
            cluster_of[url] = number
        for column, name in enumerate(("WARC", "JSONL")):
            kind = kind_of_cluster(exact, cluster["urls"], column)
            if kind != cluster["kind"]:
                problems.append(f"{cluster['name']}: {kind} in {name}, expected {cluster['kind']}")
        weakest, at = weakest_link(exact, cluster["urls"])
        if weakest < CLEAR_LINK:
            problems.append(f"{cluster['name']}: weakest link {weakest:.3f} < {CLEAR_LINK}: {at}")
        figures.append(weakest)
    for number, url in enumerate(expected["alone"]):
        if url in cluster_of:
            problems.append(f"{url} is expected in two places")
        cluster_of[url] = -1 - number
    problems += [f"{url} is expected nowhere" for url in exact.pages if url not in cluster_of]
    problems += [f"{url} is expected, but no page" for url in cluster_of if url not in exact.pages]
    problems += check_pairs(exact, cluster_of)
    for pair in expected["contained"]:
        share = exact.containment(pair["part"], pair["in"])
        if share < CONTAINED:
            problems.append(f"{pair['part']}: only {share:.3f} of it is in {pair['in']}")
    return problems, figures


def check_pairs(exact, cluster_of):
    """Every pair across clusters is clearly apart; every similar pair differs by enough for any sketch to see."""
    problems, urls = [], list(exact.pages)
    for i, a in enumerate(urls):
        for b in urls[:i]:
            resemblance, kind = exact.resemblance(a, b), exact.kind(a, b)
            if cluster_of.get(a) != cluster_of.get(b):
                if resemblance > CLEAR_STRANGER or "apart" != kind[0] or "apart" != kind[1]:
                    problems.append(f"resemblance {resemblance:.3f} ({kind[0]}) across clusters: {a} {b}")
            elif kind[0] == "similar":
                differ = len(exact.shingles[a] ^ exact.shingles[b])
                modulus = max(modulus_of(exact.shingles[a]), modulus_of(exact.shingles[b]))
                if (1 - 1 / modulus) ** differ > UNSEEN:
                    problems.append(f"only {differ} shingles differ at modulus {modulus}: {a} {b}")
    return problems
