//! The hostile loads as files.
//!
//! *Input.* A load and how many documents. *Output.* One file in a directory; the bytes before
//! compression. *Memory.* One document. The documents are made in [`testkit::hostile`].

use crate::files;
use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{BufWriter, Write};
use std::path::Path;
use testkit::hostile::{Kind, Load, write_warc_record};

/// What documents come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// JSONL.
    Jsonl,
    /// WARC, gzip, a member for each record.
    Members,
    /// WARC, gzip, one member.
    OneMember,
}

impl Container {
    /// The name of normal pages in it.
    pub fn normal(self) -> &'static str {
        match self {
            Container::Jsonl => "normal-jsonl",
            Container::Members => "normal-members",
            Container::OneMember => "normal-one-member",
        }
    }

    fn file_name(self) -> &'static str {
        match self {
            Container::Jsonl => "load.jsonl",
            Container::Members | Container::OneMember => "load.warc.gz",
        }
    }
}

/// A load of the bench.
#[derive(Clone, Copy, Debug)]
pub struct Hostile {
    /// Its name on the command line and in the table.
    pub name: &'static str,
    kind: Kind,
    /// What its documents come in.
    pub container: Container,
    /// Documents at full size; of `one-record` megabytes.
    full: u64,
    /// The number of documents is a multiple of this, so that half and full size have as many of
    /// each form.
    multiple: u64,
    /// Fewer would make equal documents.
    least: u64,
    /// Bytes of a document, where its kind does not decide that.
    document_bytes: usize,
    /// The bound that holds where bytes do not bound the time by themselves.
    pub bound: &'static str,
}

const fn load(name: &'static str, kind: Kind, full: u64) -> Hostile {
    Hostile {
        name,
        kind,
        container: Container::Jsonl,
        full,
        multiple: 1,
        least: 1,
        document_bytes: 0,
        bound: "",
    }
}

/// One WARC record of 4 GB, which is rejected.
const ONE_RECORD: &str = "one-record";

/// All loads.
pub const LOADS: [Hostile; 9] = [
    // One shingle in a million documents.
    load("shared-shingle", Kind::SharedShingle, 1_000_000),
    // Shingles in exactly as many documents as may be.
    Hostile {
        multiple: 1000,
        least: 3000,
        bound: "; bound: (limit − 1) / 2 increments a posting",
        ..load("below-limit", Kind::BelowLimit, 50_000)
    },
    // Documents of 16 MiB.
    Hostile {
        multiple: 3,
        document_bytes: 16 << 20,
        ..load("large", Kind::Large, 24)
    },
    // Ten million documents of three words.
    load("tiny", Kind::Tiny, 10_000_000),
    // A million equal documents.
    load("equal", Kind::Equal, 1_000_000),
    // Pages of 5 MiB of deep or unclosed markup.
    Hostile {
        multiple: 12,
        document_bytes: 5 << 20,
        ..load("markup", Kind::Markup, 72)
    },
    // WARC records of 1 KB, each a member.
    Hostile {
        container: Container::Members,
        ..load("small-members", Kind::Small, 500_000)
    },
    // WARC records of pages of 2.9 KB in one member of 4 GB.
    Hostile {
        container: Container::OneMember,
        ..load("one-member", Kind::Normal, 1_400_000)
    },
    Hostile {
        container: Container::OneMember,
        ..load(ONE_RECORD, Kind::Normal, 4000)
    },
];

impl Hostile {
    /// Documents, or for the single record megabytes, at so many thousandths of the full size.
    pub fn documents(&self, per_mille: u64) -> u64 {
        let documents = (self.full * per_mille / 1000).max(1);
        documents.next_multiple_of(self.multiple).max(self.least)
    }

    fn write(&self, out: &mut dyn Write, documents: u64) -> std::io::Result<u64> {
        let load = |documents| Load {
            kind: self.kind,
            documents,
            document_bytes: self.document_bytes,
        };
        if self.name != ONE_RECORD {
            return write_load(out, self.container, &load(documents));
        }
        let mut gzip = GzEncoder::new(out, Compression::fast());
        let mut piece = |piece: &[u8]| gzip.write_all(piece);
        let bytes = write_warc_record(documents * 1_000_000, &mut piece)?;
        // Without a document that is accepted the run would end with exit code 3.
        let page = load(1).write_warc(&mut piece)?;
        gzip.finish().map(|_| bytes + page)
    }
}

/// Writes a load by its name and number of documents, or normal pages by their container's name
/// and bytes, into `dir`; returns the bytes before compression.
///
/// # Errors
/// When there is no such load, or the file cannot be written.
pub fn write_named(dir: &Path, name: &str, size: u64) -> Result<u64> {
    let hostile = LOADS.into_iter().find(|load| load.name == name);
    let container = [Container::Jsonl, Container::Members, Container::OneMember]
        .into_iter()
        .find(|container| container.normal() == name);
    let Some(container) = hostile.map(|load| load.container).or(container) else {
        bail!("no load {name}");
    };
    let path = dir.join(container.file_name());
    let mut out = BufWriter::with_capacity(1 << 20, files::create(&path)?);
    let written = match hostile {
        Some(load) => load.write(&mut out, size),
        None => write_normal(&mut out, container, size),
    };
    written
        .and_then(|bytes| out.flush().map(|()| bytes))
        .with_context(|| format!("failed to write {}", path.display()))
}

/// Writes about so many bytes of normal pages.
fn write_normal(out: &mut dyn Write, container: Container, bytes: u64) -> std::io::Result<u64> {
    let normal = |documents| Load {
        kind: Kind::Normal,
        documents,
        document_bytes: 0,
    };
    let mut sample = Vec::new();
    normal(200).write_jsonl(&mut sample)?;
    let documents = (bytes * 200 / sample.len().max(1) as u64).max(1);
    write_load(out, container, &normal(documents))
}

fn write_load(out: &mut dyn Write, container: Container, load: &Load) -> std::io::Result<u64> {
    match container {
        Container::Jsonl => load.write_jsonl(out),
        Container::Members => load.write_warc(&mut |record| {
            let mut gzip = GzEncoder::new(&mut *out, Compression::fast());
            gzip.write_all(record)?;
            gzip.finish().map(|_| ())
        }),
        Container::OneMember => {
            let mut gzip = GzEncoder::new(out, Compression::fast());
            let bytes = load.write_warc(&mut |record| gzip.write_all(record))?;
            gzip.finish().map(|_| bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::MultiGzDecoder;
    use std::io::Read;

    #[test]
    fn every_load_is_written_with_the_bytes_it_says() {
        let dir = tempfile::tempdir().unwrap();
        for load in LOADS {
            let bytes = write_named(dir.path(), load.name, 3).unwrap();
            let file = std::fs::read(dir.path().join(load.container.file_name())).unwrap();
            let mut plain = Vec::new();
            match load.container {
                Container::Jsonl => plain = file,
                _ => {
                    _ = MultiGzDecoder::new(&file[..])
                        .read_to_end(&mut plain)
                        .unwrap();
                }
            }
            assert_eq!(plain.len() as u64, bytes, "{load:?}");
            assert!(load.documents(1) >= 1 && load.documents(1000) > load.documents(500));
        }
    }

    #[test]
    fn normal_pages_have_about_the_bytes_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        for container in [Container::Jsonl, Container::Members, Container::OneMember] {
            let bytes = write_named(dir.path(), container.normal(), 2_000_000).unwrap();
            assert!((1_700_000..2_600_000).contains(&bytes), "{bytes}");
        }
    }
}
