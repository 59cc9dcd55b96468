"""English prose from the stock of phrases in topics.txt, and edits of it.

Sentences are put together from phrases by a seeded generator. A sentence is taken only if it makes no run of ten
words that any text before it has: so two texts never share a shingle (w = 10) unless one was made from the other.

A text is a list of paragraphs, a paragraph a list of sentences.
"""

import random
import re
from pathlib import Path

W = 10  # shingle size of the default configuration
TRIES = 4000  # attempts at a new sentence; the stock has room for several times what is used

FRAMES = [
    "{C}, {S} {V}.", "{S} {V}, {R}.", "{C}, {S} {V}, {R}.", "{A}, {S} {V}.", "{S} {V} {A}.",
    "{A}, {S} {V}, {R}.", "{C}, {S} {V} {A}.", "{S} {V}, but {T} {W}.", "{S} {V} while {T} {W}.",
    "{C}, {S} {V} and {T} {W}.", "No one was surprised that {S} {V} {A}.", "The diary says that {S} {V} {C}.",
    "{A}, as one letter tells us, {S} {V}.", "It is a rule that {S} {V} {C}.", "{S} {V} at least {N} times a year.",
    "In {Y}, {C}, {S} {V}.", "{N} visitors saw how {S} {V} {A}.", "A photograph of {Y} shows that {S} {V}.",
    "{S} {V}: {N} times in {Y}, if the records are right.", "Ask {S}, and you hear that {T} {V}, {R}.",
    "By {Y} it was common that {S} {V}.", "There are {N} reports that {S} {V} {A}.",
]

# One small word for another: enough to change ten shingles, and the sentence still reads.
SWAPS = {"the": "that", "a": "another", "and": "or", "in": "within", "on": "upon", "of": "from",
         "with": "without", "before": "until", "for": "against", "at": "near", "while": "until"}

# What may stand for an article: this is what makes the phrases go far.
ARTICLES = {
    "the": ["the"] * 24 + "the old/the same/the small/the other/the good/that/the familiar".split("/"),
    "a": ["a"] * 12 + "one/another/a certain/a plain/a very old/a small/a borrowed".split("/"),
}


def words(text):
    """The words of plain text, lower case."""
    return re.findall(r"\w+", text.lower())


class Prose:
    """A writer that never repeats ten words in a row."""

    def __init__(self, path=Path(__file__).with_name("topics.txt")):
        self.topics, self.used = {}, set()
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                topic = self.topics.setdefault(line.strip("[]"), {})
            elif line and not line.startswith("#"):
                kind, phrase = line.split(": ", 1)
                topic.setdefault(kind, []).append(phrase)

    def sentence(self, random_, topic, before):
        """A new sentence on a topic, and the last words of the text with it."""
        stock = self.topics[topic]
        for _ in range(TRIES):
            subject, other = random_.sample(stock["S"], 2)
            first, second = random_.sample(stock["V"], 2)
            slots = {"S": subject, "T": other, "V": first, "W": second,
                     **{kind: random_.choice(stock[kind]) for kind in "CRA"}}
            slots = {kind: " ".join(random_.choice(ARTICLES.get(word, [word])) for word in phrase.split(" "))
                     for kind, phrase in slots.items()}
            frame = random_.choice(FRAMES)
            made = frame.format(**slots, N=random_.randint(3, 99), Y=random_.randint(1790, 1989))
            run = before + words(made)
            new = {tuple(run[i:i + W]) for i in range(len(run) - W + 1)}
            if not new & self.used:
                self.used |= new
                return made[0].upper() + made[1:], run[-(W - 1):]
        raise RuntimeError(f"failed to find a new sentence on {topic}: give the topic more phrases")

    def text(self, seed, topics, count):
        """Paragraphs of at least `count` words on the topics (names separated by blanks)."""
        random_ = random.Random(f"samples {seed}")
        names, paragraphs, before, done = topics.split(), [[]], [], 0
        while done < count:
            if len(paragraphs[-1]) >= random_.randint(3, 6):
                paragraphs.append([])
            made, before = self.sentence(random_, random_.choice(names), before)
            paragraphs[-1].append(made)
            done += len(words(made))
        return paragraphs

    def replaced(self, text, share, seed, topics, at=0.0):
        """The text with a run of sentences, `share` of all from place `at`, exchanged for new ones."""
        sentences = [(i, j) for i, paragraph in enumerate(text) for j in range(len(paragraph))]
        first, number = round(at * len(sentences)), max(1, round(share * len(sentences)))
        random_, names = random.Random(f"replaced {seed}"), topics.split()
        copy = [list(paragraph) for paragraph in text]
        for i, j in sentences[first:first + number]:
            copy[i][j] = self.sentence(random_, random_.choice(names), [])[0]
        return copy


def scattered(text, share):
    """The text with `share` of its words, spread evenly, exchanged for another small word."""
    total = sum(len(words(sentence)) for paragraph in text for sentence in paragraph)
    gap, due, seen = 1 / share, 0.5 / share, 0
    copy = []
    for paragraph in text:
        new = []
        for sentence in paragraph:
            parts = sentence.split(" ")
            for k, part in enumerate(parts):
                if seen + k >= due and part in SWAPS and due < total:
                    parts[k], due = SWAPS[part], due + gap
            seen += len(parts)
            new.append(" ".join(parts))
        copy.append(new)
    return copy


def shortened(text, share):
    """The text without the last `share` of its sentences."""
    keep = round((1 - share) * sum(len(paragraph) for paragraph in text))
    copy = []
    for paragraph in text:
        copy.append(paragraph[:keep])
        keep -= len(copy[-1])
    return [paragraph for paragraph in copy if paragraph]


def languages(path=Path(__file__).with_name("languages.txt")):
    """{tag: (title, paragraphs)} of the pages in other languages."""
    pages = {}
    for block in re.split(r"^\[", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        tag, title, *paragraphs = [line for line in block.splitlines() if line]
        pages[tag.strip("]")] = (title, [[paragraph] for paragraph in paragraphs])
    return pages
