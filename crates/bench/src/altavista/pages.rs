//! Pages of the model, in the formats of crawls.
//!
//! *Input.* A [`Model`], a [`Container`], a range of documents. *Output.* Files: WARC with a response a record, the same with a
//! gzip member a record, JSONL of text, a tree of pages. *Algorithm.* Document n is written from n alone: its words by
//! [`words`], in the [`markup`] of its style, under an address of its own. A file holds [`FILE_DOCUMENTS`] documents, and files are written by as many
//! threads as there are. *Memory.* A document and a buffer a thread, and the vocabulary.

mod markup;
mod vocabulary;
mod words;

use super::plan::Purpose;
use super::{Copy, Document, Model};
use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use testkit::Random;
use testkit::random::mix;
pub use vocabulary::Vocabulary;

/// Documents of a file, or of a directory of a tree.
pub const FILE_DOCUMENTS: u64 = 4096;

/// How pages are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Records of a WARC file as they are.
    Warc,
    /// Each record a gzip member.
    WarcGz,
    /// Lines of JSON: the text without markup.
    Jsonl,
    /// A file a page.
    Tree,
}

impl Container {
    /// All of them.
    pub const ALL: [Container; 4] = [Container::Warc, Container::WarcGz, Container::Jsonl, Container::Tree];

    /// The word on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Container::Warc => "warc",
            Container::WarcGz => "warc.gz",
            Container::Jsonl => "jsonl",
            Container::Tree => "tree",
        }
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Written {
    /// Pages.
    pub documents: u64,
    /// Their words.
    pub words: u64,
    /// Their bytes, without the container's and uncompressed.
    pub bytes: u64,
    /// Bytes of the files.
    pub file_bytes: u64,
}

impl std::ops::AddAssign for Written {
    fn add_assign(&mut self, other: Written) {
        self.documents += other.documents;
        self.words += other.words;
        self.bytes += other.bytes;
        self.file_bytes += other.file_bytes;
    }
}

/// A document ready to be stored. Reused for the next one.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its address.
    pub url: String,
    /// Markup, or text where the container is JSONL.
    pub body: String,
    words: Vec<u16>,
}

/// Makes pages.
pub struct Pages<'a> {
    model: &'a Model,
    vocabulary: Vocabulary,
}

impl<'a> Pages<'a> {
    /// Makes the vocabulary.
    pub fn new(model: &'a Model) -> Pages<'a> {
        Pages { model, vocabulary: Vocabulary::new(model.seed) }
    }

    /// Fills in document `number` as markup.
    pub fn html(&self, number: u64, page: &mut Page) {
        let document = self.begin(number, page);
        let mut style = self.style(&document);
        markup::page(&self.vocabulary, &page.words, &mut style, &mut page.body);
    }

    /// Fills in document `number` as text.
    pub fn text(&self, number: u64, page: &mut Page) {
        let document = self.begin(number, page);
        let mut style = self.style(&document);
        page.body.clear();
        for &word in &page.words {
            page.body.push_str(self.vocabulary.word(word));
            page.body.push_str(match style.bits() & 0x1F {
                0 => ".\n",
                1 => ", ",
                2 => " \"",
                _ => " ",
            });
        }
    }

    fn begin(&self, number: u64, page: &mut Page) -> Document {
        let document = self.model.document(number);
        words::words(self.model, &self.vocabulary, &document, &mut page.words);
        let mut random = self.model.stream(Purpose::Site, number);
        let [host, user, name] = [(); 3].map(|()| self.vocabulary.word(self.vocabulary.draw(&mut random)));
        let (top, at) = (random.pick(["com", "edu", "org", "net", "ac.uk", "de"]), random.below(1000));
        page.url.clear();
        _ = write!(page.url, "http://www{at}.{host}{user}.{top}/~{user}/documents/{name}/{number}.html");
        // Addresses are ASCII.
        page.url.retain(|letter| letter.is_ascii());
        document
    }

    /// Copies to the byte have one style, all others their own.
    fn style(&self, document: &Document) -> Random {
        let variant = match document.copy {
            None | Some(Copy::Identical) => 0,
            Some(Copy::Lexical(number) | Copy::Shingle(number)) => number + 1,
        };
        self.model.stream(Purpose::Style, mix(document.source ^ document.distinct << 40) ^ variant)
    }

    /// Writes the documents from 0 to `documents` into `dir`, which must be there.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, container: Container, documents: u64, dir: &Path) -> Result<Written> {
        let files = (0..documents.div_ceil(FILE_DOCUMENTS)).into_par_iter();
        let written = files.map(|file| {
            let first = file * FILE_DOCUMENTS;
            let last = (first + FILE_DOCUMENTS).min(documents);
            self.write_file(container, (first, last), &dir.join(format!("part-{file:06}")))
        });
        let add = |mut sum: Written, next: Written| {
            sum += next;
            sum
        };
        written.try_reduce(Written::default, |sum, next| Ok(add(sum, next)))
    }

    fn write_file(&self, container: Container, (first, last): (u64, u64), name: &Path) -> Result<Written> {
        let mut page = Page::default();
        let mut written = Written::default();
        let mut record = Vec::new();
        let name = match container {
            Container::Tree => {
                fs::create_dir(name).with_context(|| format!("failed to make {}", name.display()))?;
                name.to_owned()
            }
            _ => name.with_extension(container.name()),
        };
        let failed = || format!("failed to write {}", name.display());
        let mut out = match container {
            Container::Tree => None,
            _ => Some(BufWriter::with_capacity(1 << 20, File::create(&name).with_context(failed)?)),
        };
        for number in first..last {
            record.clear();
            match container {
                Container::Jsonl => {
                    self.text(number, &mut page);
                    serde_json::to_writer(&mut record, &Line { id: number, url: &page.url, text: &page.body })?;
                    record.push(b'\n');
                }
                Container::Tree => {
                    self.html(number, &mut page);
                    fs::write(name.join(format!("{number}.html")), &page.body).with_context(failed)?;
                    written.file_bytes += page.body.len() as u64;
                }
                Container::Warc | Container::WarcGz => {
                    self.html(number, &mut page);
                    response(number, &page, &mut record);
                }
            }
            if container == Container::WarcGz {
                let mut member = GzEncoder::new(Vec::with_capacity(record.len()), Compression::default());
                member.write_all(&record)?;
                record = member.finish()?;
            }
            if let Some(out) = &mut out {
                out.write_all(&record).with_context(failed)?;
            }
            written += Written {
                documents: 1,
                words: page.words.len() as u64,
                bytes: page.body.len() as u64,
                file_bytes: record.len() as u64,
            };
        }
        out.map_or(Ok(()), |mut out| out.flush()).with_context(failed)?;
        Ok(written)
    }
}

#[derive(serde::Serialize)]
struct Line<'a> {
    id: u64,
    url: &'a str,
    text: &'a str,
}

/// A page as a response record. Half of them say no charset, as was usual.
fn response(number: u64, page: &Page, record: &mut Vec<u8>) {
    let charset = ["", "; charset=iso-8859-1", "", "; charset=utf-8"][mix(number) as usize & 3];
    let mut head = format!("HTTP/1.0 200 OK\r\nServer: NCSA/1.4.2\r\nContent-Type: text/html{charset}\r\n");
    _ = write!(head, "Content-Length: {}\r\n\r\n", page.body.len());
    let (length, tail) = (head.len() + page.body.len(), mix(number) & 0xFFFF_FFFF_FFFF);
    let id = format!("{:08x}-0000-4000-8000-{tail:012x}", number & 0xFFFF_FFFF);
    let mut lines = format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\n", page.url);
    _ = write!(lines, "WARC-Date: 1996-04-{:02}T12:00:00Z\r\n", 1 + number % 30);
    _ = write!(lines, "WARC-Record-ID: <urn:uuid:{id}>\r\nContent-Type: application/http; msgtype=response\r\n");
    _ = write!(lines, "Content-Length: {length}\r\n\r\n");
    for text in [lines.as_str(), &head, &page.body, "\r\n\r\n"] {
        record.extend_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests;
