"""Four small sites whose pages are mostly frame: what is alike there depends on what counts of a page.

`frames(directory)` writes HOST/NUMBER.html. The pages of gazette.example are articles. mirror.example has the same
articles in a heavier frame of its own. shop.example has products of one template with a line each, and app.example
pages that only scripts fill.
"""

from html import escape

from prose import Prose

PAGES = 8


def links(prose, seed, topic, count):
    """A list of links to other pages, as the frames of sites have it."""
    lines = [line for paragraph in prose.text(seed, topic, count) for line in paragraph]
    return "".join(f'<li><a href="/{number}">{escape(line)}</a></li>\n' for number, line in enumerate(lines))


def article(title, text):
    return f"<h1>{title}</h1>\n" + "".join(f"<p>{escape(' '.join(lines))}</p>\n" for lines in text)


def page(title, body):
    head = f"<!doctype html>\n<html><head><meta charset=utf-8><title>{title}</title></head>"
    return f"{head}<body>\n{body}</body></html>\n"


def sites():
    """{path: page} of all sites."""
    prose, pages = Prose(), {}
    gazette = links(prose, "gazette", "clocks", 150)
    mirror, related = links(prose, "mirror", "rivers", 400), links(prose, "related", "books", 200)
    shop = links(prose, "shop", "bread", 250)
    notice = " ".join(prose.text("notice", "weather", 60)[0])
    for number in range(PAGES):
        title = f"Report {number + 1}"
        text = article(title, prose.text(f"report {number}", "lighthouse canal", 220))
        pages[f"gazette.example/{number}.html"] = page(
            title, f"<nav><ul>\n{gazette}</ul></nav>\n<main>{text}</main>\n<footer>All rights reserved</footer>\n")
        pages[f"mirror.example/{number}.html"] = page(
            f"{title} (copy)", f'<div class="navbar"><ul>\n{mirror}</ul></div>\n<div id="content">{text}</div>\n'
            f'<div class="related"><ul>\n{related}</ul></div>\n<div class="footer">{escape(notice)}</div>\n')
        name, line = f"Jar {number + 1}", " ".join(prose.text(f"product {number}", "bees", 30)[0])
        pages[f"shop.example/{number}.html"] = page(
            name, f"<nav><ul>\n{shop}</ul></nav>\n<main><h1>{name}</h1><p>{escape(line)}</p></main>\n"
            f"<footer>{escape(notice)}</footer>\n")
        script = f'<noscript>Please enable JavaScript.</noscript><script src="{number}.js"></script>'
        pages[f"app.example/{number}.html"] = page("App", f'<div id="root"></div>{script}\n')
    return pages


def frames(directory):
    """Write all pages below a directory."""
    for path, text in sites().items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
