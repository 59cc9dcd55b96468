//! Pages as crawls store them.
//!
//! *Input.* A [`Container`], pages one after another. *Output.* A WARC file with a response a
//! record, the same with a gzip member a record, JSONL of text, or a directory with a file a page.
//! *Memory.* A record and a buffer of 1 MiB.

use crate::files;
use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use testkit::random::mix;

/// How pages are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Container {
    /// Records of a WARC file as they are.
    Warc,
    /// Each record a gzip member.
    #[value(name = "warc.gz")]
    WarcGz,
    /// Lines of JSON: the text without markup.
    Jsonl,
    /// A file for each page.
    Tree,
}

impl Container {
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
    /// Their words; 0 where they were not counted.
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
    /// Its words, as numbers of the vocabulary.
    pub(crate) words: Vec<u16>,
}

#[derive(serde::Serialize)]
struct Line<'a> {
    id: u64,
    url: &'a str,
    text: &'a str,
}

/// A file, or a directory of a tree, being filled.
pub(crate) struct ContainerFile {
    container: Container,
    path: PathBuf,
    /// None for a tree.
    out: Option<BufWriter<File>>,
    record: Vec<u8>,
    written: Written,
}

impl ContainerFile {
    /// Begins a file; the container's name is added to its own.
    pub(crate) fn create(container: Container, name: &Path) -> Result<ContainerFile> {
        let path = match container {
            Container::Tree => name.to_owned(),
            _ => name.with_extension(container.name()),
        };
        let out = match container {
            Container::Tree => {
                files::make_dir(&path)?;
                None
            }
            _ => Some(BufWriter::with_capacity(1 << 20, files::create(&path)?)),
        };
        Ok(ContainerFile {
            container,
            path,
            out,
            record: Vec::new(),
            written: Written::default(),
        })
    }

    /// Stores one page.
    pub(crate) fn add(&mut self, number: u64, page: &Page) -> Result<()> {
        let ContainerFile {
            container,
            path,
            out,
            record,
            written,
        } = self;
        let failed = || format!("failed to write {}", path.display());
        record.clear();
        match container {
            Container::Jsonl => {
                serde_json::to_writer(
                    &mut *record,
                    &Line {
                        id: number,
                        url: &page.url,
                        text: &page.body,
                    },
                )?;
                record.push(b'\n');
            }
            Container::Tree => {
                files::write(&path.join(format!("{number}.html")), &page.body)?;
                written.file_bytes += page.body.len() as u64;
            }
            Container::Warc | Container::WarcGz => response(number, page, record),
        }
        if *container == Container::WarcGz {
            let mut member =
                GzEncoder::new(Vec::with_capacity(record.len()), Compression::default());
            member.write_all(record)?;
            *record = member.finish()?;
        }
        if let Some(out) = out {
            out.write_all(record).with_context(failed)?;
        }
        *written += Written {
            documents: 1,
            words: page.words.len() as u64,
            bytes: page.body.len() as u64,
            file_bytes: record.len() as u64,
        };
        Ok(())
    }

    /// Ends the file; returns its sums.
    pub(crate) fn finish(self) -> Result<Written> {
        let flushed = self.out.map_or(Ok(()), |mut out| out.flush());
        flushed.with_context(|| format!("failed to write {}", self.path.display()))?;
        Ok(self.written)
    }
}

/// A page as a response record. Half of them say no charset, as was usual.
fn response(number: u64, page: &Page, record: &mut Vec<u8>) {
    let charsets = if page.body.is_ascii() {
        ["", "; charset=iso-8859-1", "", "; charset=utf-8"]
    } else {
        ["; charset=utf-8"; 4]
    };
    let charset = charsets[mix(number) as usize & 3];
    let mut head =
        format!("HTTP/1.0 200 OK\r\nServer: NCSA/1.4.2\r\nContent-Type: text/html{charset}\r\n");
    _ = write!(head, "Content-Length: {}\r\n\r\n", page.body.len());
    let (length, tail) = (head.len() + page.body.len(), mix(number) & 0xFFFF_FFFF_FFFF);
    let id = format!("{:08x}-0000-4000-8000-{tail:012x}", number & 0xFFFF_FFFF);
    let mut lines = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\n",
        page.url
    );
    _ = write!(
        lines,
        "WARC-Date: 1996-04-{:02}T12:00:00Z\r\n",
        1 + number % 30
    );
    _ = write!(
        lines,
        "WARC-Record-ID: <urn:uuid:{id}>\r\nContent-Type: application/http; msgtype=response\r\n"
    );
    _ = write!(lines, "Content-Length: {length}\r\n\r\n");
    for text in [lines.as_str(), &head, &page.body, "\r\n\r\n"] {
        record.extend_from_slice(text.as_bytes());
    }
}
