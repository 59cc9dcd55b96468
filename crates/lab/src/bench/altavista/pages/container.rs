//! Pages as crawls store them.
//!
//! *Input.* A [`Container`], pages one after another. *Output.* A WARC file with one response
//! record for each page, the same with one gzip member for each record, or JSONL of text.
//! *Memory.* A record and a buffer of 1 MiB.

use crate::bench::files;
use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use testkit::random::mix;

/// PageTotals at a time.
const BUFFER_BYTES: usize = 1 << 20;

/// How pages are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Container {
    /// Records of a WARC file as they are.
    Warc,
    /// Each record a gzip member.
    #[value(name = "warc.gz")]
    WarcGz,
    /// Lines of JSON: the text without markup.
    Jsonl,
}

impl Container {
    /// The word on the command line and in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Container::Warc => "warc",
            Container::WarcGz => "warc.gz",
            Container::Jsonl => "jsonl",
        }
    }
}

/// Totals of what was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct PageTotals {
    /// Pages.
    pub(crate) documents: u64,
    /// Their words; 0 where they were not counted.
    pub(crate) words: u64,
    /// Bytes of the bodies, without headers and before compression.
    pub(crate) bytes: u64,
    /// Bytes of the files.
    pub(crate) file_bytes: u64,
}

impl std::ops::AddAssign for PageTotals {
    fn add_assign(&mut self, other: PageTotals) {
        self.documents += other.documents;
        self.words += other.words;
        self.bytes += other.bytes;
        self.file_bytes += other.file_bytes;
    }
}

/// A document ready to be stored. Reused for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    /// Its address.
    pub(crate) url: String,
    /// Markup, or text where the container is JSONL.
    pub(crate) body: String,
    /// Its words, as numbers of the vocabulary.
    pub(crate) words: Vec<u16>,
}

#[derive(serde::Serialize)]
struct Line<'a> {
    id: u64,
    url: &'a str,
    text: &'a str,
}

/// Writes the pages of one file.
pub(crate) struct ContainerWriter {
    container: Container,
    path: PathBuf,
    out: BufWriter<File>,
    record: Vec<u8>,
    written: PageTotals,
}

impl ContainerWriter {
    /// Begins a file; the container's name is added to its own.
    pub(crate) fn create(container: Container, name: &Path) -> Result<ContainerWriter> {
        let path = name.with_extension(container.name());
        Ok(ContainerWriter {
            container,
            out: BufWriter::with_capacity(BUFFER_BYTES, files::create(&path)?),
            path,
            record: Vec::new(),
            written: PageTotals::default(),
        })
    }

    /// Stores one page.
    pub(crate) fn add(&mut self, number: u64, page: &Page) -> Result<()> {
        let record = &mut self.record;
        record.clear();
        match self.container {
            Container::Jsonl => {
                let line = Line {
                    id: number,
                    url: &page.url,
                    text: &page.body,
                };
                serde_json::to_writer(&mut *record, &line)?;
                record.push(b'\n');
            }
            Container::Warc => response(number, page, record),
            Container::WarcGz => {
                response(number, page, record);
                let room = Vec::with_capacity(record.len());
                let mut member = GzEncoder::new(room, Compression::default());
                member.write_all(record)?;
                *record = member.finish()?;
            }
        }
        let written = self.out.write_all(record);
        written.with_context(|| format!("failed to write {}", self.path.display()))?;
        self.written += PageTotals {
            documents: 1,
            words: page.words.len() as u64,
            bytes: page.body.len() as u64,
            file_bytes: record.len() as u64,
        };
        Ok(())
    }

    /// Ends the file; returns its sums.
    pub(crate) fn finish(mut self) -> Result<PageTotals> {
        let flushed = self.out.flush();
        flushed.with_context(|| format!("failed to write {}", self.path.display()))?;
        Ok(self.written)
    }
}

/// A page as a response record. Half of the ASCII pages name no charset, as was usual; other pages
/// name UTF-8.
fn response(number: u64, page: &Page, record: &mut Vec<u8>) {
    let charsets = if page.body.is_ascii() {
        ["", "; charset=iso-8859-1", "", "; charset=utf-8"]
    } else {
        ["; charset=utf-8"; 4]
    };
    let charset = charsets[mix(number) as usize & 3];
    let head = format!(
        "HTTP/1.0 200 OK\r\nServer: NCSA/1.4.2\r\nContent-Type: text/html{charset}\r\n\
         Content-Length: {}\r\n\r\n",
        page.body.len()
    );
    // The last twelve digits of a UUID.
    let (length, tail) = (head.len() + page.body.len(), mix(number) & 0xFFFF_FFFF_FFFF);
    let id = format!("{:08x}-0000-4000-8000-{tail:012x}", number & 0xFFFF_FFFF);
    let lines = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\n\
         WARC-Date: 1996-04-{:02}T12:00:00Z\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n",
        page.url,
        1 + number % 30 // April has 30 days
    );
    for text in [lines.as_str(), &head, &page.body, "\r\n\r\n"] {
        record.extend_from_slice(text.as_bytes());
    }
}
