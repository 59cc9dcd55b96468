//! Loads that break programs of this kind: for tests and benches of memory and time.
//!
//! Input: a [`Load`]. Output: its documents one at a time, as values, as JSONL, or as records of a
//! WARC file, one at a call, so that the caller can compress each by itself or all as one. Document
//! `n` is a function of its load and `n` alone. Memory: one document. Each kind says what it is out
//! to break.

use crate::random::mix;
use crate::text::{TextCorpus, TextShape, push_json_string};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Shingles are ten words, the default.
const SHINGLE_WORDS: u64 = 10;

/// Passages of a page of [`Kind::BelowLimit`]: with the windows across their borders they fill an
/// adaptive sketch of 128.
const PASSAGES: u64 = 13;

/// The weakness that a load attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Generated pages that break nothing, to compare with.
    Normal,
    /// One shingle in every document: the largest group possible.
    SharedShingle,
    /// Each document has 13 shingles, each in as many documents as may be without being common,
    /// hardly two in the same ones: the most pairs that postings can make, (limit − 1) / 2 each.
    /// The number of documents must be a multiple of the limit, 1000.
    BelowLimit,
    /// Documents of as many bytes as are allowed, with as many tokens as that many bytes can have,
    /// or only one.
    Large,
    /// Three words each: what counts is what a document costs, not its bytes.
    Tiny,
    /// The same page again and again: one class of all.
    Equal,
    /// The same page again and again but for five words: all pairs resemble each other, and all
    /// that they share is common.
    NearCopies,
    /// Pages of nothing but markup, deep or never closed, in twelve forms.
    Markup,
    /// Pages of half a KB: WARC records of about 1 KB.
    Small,
    /// One sentence again and again, behind a word that tells the page.
    Sentence,
}

impl Kind {
    /// Every kind with its name.
    pub const ALL: [(&str, Kind); 10] = [
        ("normal", Kind::Normal),
        ("shared-shingle", Kind::SharedShingle),
        ("below-limit", Kind::BelowLimit),
        ("large", Kind::Large),
        ("tiny", Kind::Tiny),
        ("equal", Kind::Equal),
        ("near-copies", Kind::NearCopies),
        ("markup", Kind::Markup),
        ("small", Kind::Small),
        ("sentence", Kind::Sentence),
    ];
}

/// A hostile load, or a normal one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Its kind.
    pub kind: Kind,
    /// Number of documents.
    pub documents: u64,
    /// Bytes of a document; kinds whose documents have a size of their own ignore it.
    pub document_bytes: usize,
}

/// Which field of a record a document goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Markup.
    Html,
    /// Plain text.
    Text,
}

impl Load {
    /// The documents' field.
    pub fn field(&self) -> Field {
        match self.kind {
            Kind::Markup => Field::Html,
            _ => Field::Text,
        }
    }

    /// Writes document `n` into an emptied buffer.
    pub fn document(&self, n: u64, page: &mut String) {
        page.clear();
        match self.kind {
            Kind::Normal => page.push_str(&normal().page(n as u32).text),
            Kind::SharedShingle => shared_shingle(n, page),
            Kind::BelowLimit => self.below_limit(n, page),
            Kind::Large => self.large(n, page),
            // Writing to a string cannot fail.
            Kind::Tiny => _ = write!(page, "tiny page {n}"),
            Kind::Equal => (0..40).for_each(|word| _ = write!(page, "equal{word} ")),
            Kind::NearCopies => near_copy(n, page),
            Kind::Markup => self.markup(n, page),
            Kind::Sentence => {
                _ = write!(page, "page{n}");
                while page.len() < self.document_bytes {
                    page.push_str(" says it again and again and");
                }
            }
            Kind::Small => (0..60).for_each(|word| _ = write!(page, "s{n}w{word} ")),
        }
    }

    /// Writes all documents as JSONL; returns the bytes.
    pub fn write_jsonl(&self, out: &mut dyn Write) -> io::Result<u64> {
        let (mut page, mut line, mut bytes) = (String::new(), String::new(), 0);
        for n in 0..self.documents {
            self.document(n, &mut page);
            line.clear();
            line.push_str(match self.field() {
                Field::Html => "{\"html\":",
                Field::Text => "{\"text\":",
            });
            push_json_string(&page, &mut line);
            line.push_str("}\n");
            out.write_all(line.as_bytes())?;
            bytes += line.len() as u64;
        }
        Ok(bytes)
    }

    /// Hands all documents as WARC records of responses in HTML to `out`, one a call; returns the
    /// bytes.
    pub fn write_warc(&self, out: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<u64> {
        let (mut page, mut record, mut bytes) = (String::new(), String::new(), 0);
        for n in 0..self.documents {
            self.document(n, &mut page);
            record.clear();
            let head = warc_head(n, (HTTP_HEAD.len() + page.len()) as u64);
            for part in [&head, HTTP_HEAD, &page, "\r\n\r\n"] {
                record.push_str(part);
            }
            out(record.as_bytes())?;
            bytes += record.len() as u64;
        }
        Ok(bytes)
    }

    fn below_limit(&self, n: u64, page: &mut String) {
        for passage in 0..PASSAGES {
            // Another order of the documents for each passage, cut into groups of a thousand.
            let step = mix(passage) % self.documents.max(1);
            let step = (step..)
                .find(|&step| coprime(step, self.documents))
                .unwrap_or(1);
            let group = n.wrapping_mul(step) % self.documents.max(1) / 1000;
            (0..SHINGLE_WORDS).for_each(|word| _ = write!(page, "p{passage}g{group}w{word} "));
        }
    }

    fn large(&self, n: u64, page: &mut String) {
        let mut word = 0_u32;
        while page.len() + 16 < self.document_bytes {
            match n % 3 {
                // All different.
                0 => _ = write!(page, "{:x} ", u64::from(word) + (n << 32)),
                // As many tokens as a text of words can have.
                1 => page.extend([
                    char::from(b'a' + (word.wrapping_mul(2_654_435_761) >> 28) as u8),
                    ' ',
                ]),
                // One token without end.
                _ => page.push_str("endlessly"),
            }
            word = word.wrapping_add(1);
        }
    }

    fn markup(&self, n: u64, page: &mut String) {
        let (once, again) = MARKUP[(n % MARKUP.len() as u64) as usize];
        // So that no two pages are equal.
        _ = write!(page, "<p>number {n} {once}");
        while page.len() + again.len() + 10 < self.document_bytes {
            page.push_str(again);
            // Every so often a word of its own, or there would be nothing in the page but its
            // markup.
            if page.len().is_multiple_of(97) {
                _ = write!(page, "w{}", page.len());
            }
        }
    }
}

/// The start of a page of markup, and the text that is repeated until the page is full.
const MARKUP: [(&str, &str); 12] = [
    ("", "<div>"),
    ("", "<table><tr><td>"),
    ("", "<a href=\""),
    ("", "<!-- "),
    ("<script>", "<script>if (a<b) /* </scrip"),
    ("<a ", "x=1 y='2' "),
    ("", "<"),
    ("", "&amp;&#x26;&"),
    ("", "<svg><math><title>"),
    ("<textarea>", "</textare <b"),
    ("", "<p><b><i>"),
    ("", "</div x='>"),
];

/// Hands one WARC record with a body of so many bytes to `out`, piece by piece; returns the bytes.
pub fn write_warc_record(
    body_bytes: u64,
    out: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<u64> {
    let head = warc_head(0, HTTP_HEAD.len() as u64 + body_bytes);
    out(head.as_bytes())?;
    out(HTTP_HEAD.as_bytes())?;
    let filler = "words without end ".repeat(1 << 12);
    let mut left = body_bytes;
    while left > 0 {
        let piece = left.min(filler.len() as u64);
        out(&filler.as_bytes()[..piece as usize])?;
        left -= piece;
    }
    out(b"\r\n\r\n")?;
    Ok((head.len() + HTTP_HEAD.len() + 4) as u64 + body_bytes)
}

const HTTP_HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";

/// The head of a response record whose content has so many bytes.
fn warc_head(n: u64, length: u64) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{n:012x}>\r\n\
         WARC-Target-URI: https://hostile.example/{n}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n"
    )
}

/// Five words of its own in the middle of a frame.
fn near_copy(n: u64, page: &mut String) {
    (0..200).for_each(|word| _ = write!(page, "head{word} "));
    (0..5).for_each(|word| _ = write!(page, "own{n}x{word} "));
    (0..200).for_each(|word| _ = write!(page, "foot{word} "));
}

fn shared_shingle(n: u64, page: &mut String) {
    page.push_str("these ten words are found in every page of all ");
    (0..30).for_each(|word| _ = write!(page, "n{n}w{word} "));
}

fn normal() -> TextCorpus {
    TextCorpus::new(
        1,
        TextShape {
            pages: u32::MAX,
            ..TextShape::default()
        },
    )
}

fn coprime(mut a: u64, mut b: u64) -> bool {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    const KINDS: [Kind; 10] = [
        Kind::Normal,
        Kind::SharedShingle,
        Kind::BelowLimit,
        Kind::Large,
        Kind::Tiny,
        Kind::Equal,
        Kind::NearCopies,
        Kind::Markup,
        Kind::Small,
        Kind::Sentence,
    ];

    fn pages(load: Load) -> Vec<String> {
        let mut page = String::new();
        let one = |n| {
            load.document(n, &mut page);
            page.clone()
        };
        (0..load.documents).map(one).collect()
    }

    #[test]
    fn documents_have_the_size_asked_for_and_differ_unless_they_are_to_be_equal() {
        for kind in KINDS {
            let load = Load {
                kind,
                documents: 24,
                document_bytes: 5000,
            };
            let pages = pages(load);
            let different: BTreeSet<&String> = pages.iter().collect();
            match kind {
                Kind::Equal => assert_eq!(different.len(), 1),
                // Long words differ in nothing, and pages may derive from each other.
                Kind::Large | Kind::Normal => assert!(different.len() > 8, "{kind:?}"),
                // All of one group here.
                Kind::BelowLimit => {}
                _ => assert_eq!(different.len(), 24, "{kind:?}"),
            }
            if matches!(kind, Kind::Large | Kind::Markup) {
                assert!(
                    pages.iter().all(|page| (4960..=5000).contains(&page.len())),
                    "{kind:?}"
                );
            }
        }
    }

    #[test]
    fn each_passage_is_in_exactly_a_thousand_documents_and_two_documents_share_few() {
        let load = Load {
            kind: Kind::BelowLimit,
            documents: 3000,
            document_bytes: 0,
        };
        let mut frequency: BTreeMap<String, u32> = BTreeMap::new();
        let pages = pages(load);
        assert!(pages.iter().collect::<BTreeSet<_>>().len() > 2900);
        for page in &pages {
            let words: Vec<&str> = page.split(' ').filter(|word| !word.is_empty()).collect();
            assert_eq!(words.len() as u64, PASSAGES * SHINGLE_WORDS);
            for passage in words.chunks(SHINGLE_WORDS as usize) {
                *frequency.entry(passage.join(" ")).or_default() += 1;
            }
        }
        assert_eq!(frequency.len() as u64, 3 * PASSAGES);
        assert!(
            frequency.values().all(|&documents| documents == 1000),
            "{:?}",
            frequency.values()
        );
    }

    #[test]
    fn records_are_whole_and_lines_are_lines() {
        let load = Load {
            kind: Kind::Small,
            documents: 20,
            document_bytes: 0,
        };
        let mut records = Vec::new();
        let bytes = load.write_warc(&mut |record| {
            records.push(record.to_vec());
            Ok(())
        });
        assert_eq!(
            bytes.expect("written"),
            records
                .iter()
                .map(|record| record.len() as u64)
                .sum::<u64>()
        );
        for record in &records {
            let text = String::from_utf8_lossy(record);
            let (head, body) = text.split_once("\r\n\r\n").expect("a head");
            let length: usize = head
                .rsplit(' ')
                .next()
                .and_then(|length| length.parse().ok())
                .expect("a length");
            assert_eq!(body.len(), length + 4);
            assert!((600..1100).contains(&record.len()), "{}", record.len());
        }
        let mut lines = Vec::new();
        Load {
            kind: Kind::Markup,
            document_bytes: 900,
            ..load
        }
        .write_jsonl(&mut lines)
        .expect("written");
        let text = String::from_utf8(lines).expect("UTF-8");
        assert_eq!(text.lines().count(), 20);
        assert!(
            text.lines()
                .all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
        );
    }
}
