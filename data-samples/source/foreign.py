"""The sample pages in other languages and charsets, and one text in many spellings of HTML."""

from prose import languages

# tag: the other charsets its page is served in, each with where it is said: header, meta, or nowhere.
EDITIONS = {
    "el": [("iso-8859-7", "header")], "ru": [("windows-1251", "nowhere"), ("koi8-r", "meta")],
    "ja": [("shift_jis", "meta"), ("euc-jp", "header")], "zh": [("gb18030", "header")],
    "th": [("windows-874", "header")], "ar": [("windows-1256", "meta")], "he": [("windows-1255", "header")],
    "tr": [("windows-1254", "header")], "de": [("windows-1252", "meta")], "fr": [("windows-1252", "header")],
    "pl": [("iso-8859-2", "meta")], "ko": [("euc-kr", "header")], "es": [("utf-16le", "bom")], "hi": [], "vi": [],
}

SAID = {"header": "said in the HTTP header", "meta": "said in a meta tag", "bom": "by its byte order mark",
        "nowhere": "said nowhere, to be detected"}

PUZZLE = [
    "The naïve tailor of São Tomé measured twice & cut once, for cloth is dear; his café bill came to £3.",
    "Between the first and the second fitting he read <Measure for Measure> and an almanac of impossible weather.",
    "His apprentice, who had studied typography, insisted on soft hyphens in uncomfortably long words everywhere.",
    "Nobody bought the coat, though everyone admired the buttonholes; so it hangs in the window to this day.",
]


def add_to(site, html, normalize):
    """Serve the pages and say what is expected of them."""
    for tag, (title, paragraphs) in languages().items():
        page = html(title, paragraphs)
        urls = [site.add(f"world.example/{tag}/", page)]
        for charset, said in EDITIONS[tag]:
            meta = f'<meta charset="{charset}">' if said == "meta" else f"<!-- edition: {charset} -->"
            header = f"text/html; charset={charset}" if said == "header" else "text/html"
            urls.append(site.add(f"world.example/{tag}/{charset}.html", html(title, paragraphs, head=meta),
                                 charset=charset, header=header))
        if tag == "vi":
            urls.append(site.add("world.example/vi/decomposed.html", normalize("NFD", page)))
            site.together("vi", "lexical", "accents composed and decomposed: one canonical form", urls)
        elif len(urls) > 1:
            names = " and ".join(f"{charset} ({SAID[said]})" for charset, said in EDITIONS[tag])
            site.together(tag, "lexical", f"UTF-8 and {names}: the same words from other bytes", urls)
        else:
            site.apart("the only page of its language", urls)
    spellings(site, html)


def spellings(site, html):
    """One text in many spellings: all of them have the same words."""
    title, text = "The patient tailor", [[sentence] for sentence in PUZZLE]
    plain = html(title, text)
    named = plain
    for character, name in {"ï": "&iuml;", "ã": "&#227;", "é": "&#xE9;", "£": "&pound;"}.items():
        named = named.replace(character, name)
    noise = plain.replace("</head>", "<script>var talk = '<p>words that nobody reads aloud</p>';</script></head>")
    noise = noise.replace("<main>", "<!-- a remark > in a comment -->\n<template><p>not shown</p></template>\n<main>")
    split = plain.replace("measured", "mea<b>sur</b>ed").replace("Nobody", "<span class=drop>N</span>obody")
    soft = plain.replace("uncomfortably", "uncom\u00adfor\u00adtably")
    soft = soft.replace("impossible", "im<wbr>pos<wbr>si&shy;ble")
    attributes = plain.replace("<main>", "<main title=\"a > b\" data-note='<p>neither here nor there</p>'>")
    capitals = plain.replace("The naïve tailor", "THE NAÏVE TAILOR").replace("<p>", "<P>").replace("</p>", "</P>")
    crlf = plain.replace("\n", "\r\n").replace(" and ", "\t and\r\n")
    base = "typo.example/tailor/"
    urls = [site.add(base + name + ".html", page) for name, page in (
        ("plain", plain), ("references", named), ("scripts", noise), ("inline-tags", split), ("soft-hyphens", soft),
        ("attributes", attributes), ("capitals", capitals), ("line-ends", crlf))]
    unsaid = plain.replace("<h1>", "<h2>").replace("</h1>", "</h2>")
    urls.append(site.add(base + "no-content-type.html", unsaid, header=None))
    # No < and no & in the plain text: it has the same words when a format without media types takes it for HTML.
    bare = "\n\n".join([title, title, *PUZZLE]).replace("<", "").replace(">", "").replace("&", "+")
    urls.append(site.add(base + "plain.txt", bare + "\n", header="text/plain; charset=utf-8", media_type="text/plain"))
    site.together("tailor", "lexical", "one text: with character references, scripts and comments, tags inside words, "
                  "soft hyphens, > in attributes, capitals, CRLF, no Content-Type, as text/plain", urls)
