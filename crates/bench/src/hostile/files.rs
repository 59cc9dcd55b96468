//! The loads as files.
//!
//! *Input.* A load and how many documents. *Output.* One file in a directory; the bytes before
//! compression. *Memory.* One document. The documents are made in [`testkit::hostile`].

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use testkit::hostile::{self, Kind, Load};

/// A load of the bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hostile {
    /// One shingle in a million documents.
    SharedShingle,
    /// Shingles in exactly as many documents as may be.
    BelowLimit,
    /// Documents of 16 MiB.
    LargeDocuments,
    /// Ten million documents of three words.
    TinyDocuments,
    /// A million equal documents.
    EqualDocuments,
    /// Pages of 5 MiB of deep or unclosed markup.
    Markup,
    /// WARC records of 1 KB, each a member.
    SmallMembers,
    /// WARC records in one member of 4 GB.
    OneMember,
    /// One WARC record of 4 GB, which is rejected.
    OneRecord,
}

/// What documents come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// JSONL.
    Jsonl,
    /// WARC, gzip, a member a record.
    Members,
    /// WARC, gzip, one member.
    OneMember,
}

impl Container {
    /// All of them.
    pub const ALL: [Container; 3] = [Container::Jsonl, Container::Members, Container::OneMember];

    /// What normal pages in it are called.
    pub fn name(self) -> &'static str {
        match self {
            Container::Jsonl => "normal-jsonl",
            Container::Members => "normal-members",
            Container::OneMember => "normal-one-member",
        }
    }
}

impl Hostile {
    /// All of them.
    pub const ALL: [Hostile; 9] = [
        Hostile::SharedShingle,
        Hostile::BelowLimit,
        Hostile::LargeDocuments,
        Hostile::TinyDocuments,
        Hostile::EqualDocuments,
        Hostile::Markup,
        Hostile::SmallMembers,
        Hostile::OneMember,
        Hostile::OneRecord,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Hostile::SharedShingle => "shared-shingle",
            Hostile::BelowLimit => "below-limit",
            Hostile::LargeDocuments => "large",
            Hostile::TinyDocuments => "tiny",
            Hostile::EqualDocuments => "equal",
            Hostile::Markup => "markup",
            Hostile::SmallMembers => "small-members",
            Hostile::OneMember => "one-member",
            Hostile::OneRecord => "one-record",
        }
    }

    /// Documents, or for the single record megabytes, at so many thousandths of the full size.
    pub fn documents(self, per_mille: u64) -> u64 {
        let full = match self {
            Hostile::SharedShingle | Hostile::EqualDocuments => 1_000_000,
            Hostile::BelowLimit => 50_000,
            Hostile::LargeDocuments => 24,
            Hostile::TinyDocuments => 10_000_000,
            Hostile::Markup => 72,
            Hostile::SmallMembers => 500_000,
            // Pages of 2.9 KB.
            Hostile::OneMember => 1_400_000,
            Hostile::OneRecord => 4000,
        };
        let documents = (full * per_mille / 1000).max(1);
        match self {
            // Fewer groups would make equal documents.
            Hostile::BelowLimit => documents.next_multiple_of(1000).max(3000),
            // As many of each form at half and at full size.
            Hostile::Markup => documents.next_multiple_of(12),
            Hostile::LargeDocuments => documents.next_multiple_of(3),
            _ => documents,
        }
    }

    /// What its documents come in.
    pub fn container(self) -> Container {
        match self {
            Hostile::SmallMembers => Container::Members,
            Hostile::OneMember | Hostile::OneRecord => Container::OneMember,
            _ => Container::Jsonl,
        }
    }

    /// The bound that holds where bytes do not bound the time by themselves.
    pub fn bound(self) -> Option<&'static str> {
        match self {
            Hostile::BelowLimit => Some("bound: (limit − 1) / 2 increments a posting"),
            _ => None,
        }
    }

    fn load(self, documents: u64) -> Load {
        let (kind, document_bytes) = match self {
            Hostile::SharedShingle => (Kind::SharedShingle, 0),
            Hostile::BelowLimit => (Kind::BelowLimit, 0),
            Hostile::LargeDocuments => (Kind::Large, 16 << 20),
            Hostile::TinyDocuments => (Kind::Tiny, 0),
            Hostile::EqualDocuments => (Kind::Equal, 0),
            Hostile::Markup => (Kind::Markup, 5 << 20),
            Hostile::SmallMembers => (Kind::Small, 0),
            Hostile::OneMember | Hostile::OneRecord => (Kind::Normal, 0),
        };
        Load {
            kind,
            documents,
            document_bytes,
        }
    }
}

/// Writes a load by its name and number of documents, or normal pages by their container's name and
/// bytes; returns the bytes before compression.
///
/// # Errors
/// When there is no such load, or the file cannot be written.
pub fn write_named(dir: &Path, name: &str, size: u64) -> Result<u64> {
    let load = Hostile::ALL.into_iter().find(|load| load.name() == name);
    let container = Container::ALL
        .into_iter()
        .find(|container| container.name() == name);
    match (load, container) {
        (Some(load), _) => write(dir, load, size),
        (None, Some(container)) => write_normal(dir, container, size),
        (None, None) => bail!("no load {name}"),
    }
}

/// Writes so many documents of a load into `dir`; returns the bytes before compression.
///
/// # Errors
/// When the file cannot be written.
pub fn write(dir: &Path, load: Hostile, documents: u64) -> Result<u64> {
    let path = dir.join(file_name(load.container()));
    let mut out = create(&path)?;
    let written = match load {
        Hostile::OneRecord => {
            let mut gzip = GzEncoder::new(&mut out, Compression::fast());
            let mut out = |piece: &[u8]| gzip.write_all(piece);
            let bytes = hostile::write_warc_record(documents * 1_000_000, &mut out);
            // Without a document that is accepted the run would end with exit code 3.
            let page =
                bytes.and_then(|bytes| load.load(1).write_warc(&mut out).map(|page| bytes + page));
            page.and_then(|bytes| gzip.finish().map(|_| bytes))
        }
        _ => write_load(&mut out, load.container(), &load.load(documents)),
    };
    let bytes = written.and_then(|bytes| out.flush().map(|()| bytes));
    bytes.with_context(|| format!("failed to write {}", path.display()))
}

/// Writes about so many bytes of normal pages.
///
/// # Errors
/// When the file cannot be written.
pub fn write_normal(dir: &Path, container: Container, bytes: u64) -> Result<u64> {
    let mut sample = Vec::new();
    let normal = |documents| Load {
        kind: Kind::Normal,
        documents,
        document_bytes: 0,
    };
    normal(200)
        .write_jsonl(&mut sample)
        .context("failed to make a sample")?;
    let documents = (bytes * 200 / sample.len().max(1) as u64).max(1);
    let path = dir.join(file_name(container));
    let mut out = create(&path)?;
    let written = write_load(&mut out, container, &normal(documents));
    let bytes = written.and_then(|bytes| out.flush().map(|()| bytes));
    bytes.with_context(|| format!("failed to write {}", path.display()))
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

fn file_name(container: Container) -> &'static str {
    match container {
        Container::Jsonl => "load.jsonl",
        Container::Members | Container::OneMember => "load.warc.gz",
    }
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    let file = File::create(path).with_context(|| format!("failed to make {}", path.display()))?;
    Ok(BufWriter::with_capacity(1 << 20, file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::MultiGzDecoder;
    use std::io::Read;

    #[test]
    fn every_load_is_written_with_the_bytes_it_says() {
        let dir = tempfile::tempdir().unwrap();
        for load in Hostile::ALL {
            let bytes = write_named(dir.path(), load.name(), 3).unwrap();
            let file = std::fs::read(dir.path().join(file_name(load.container()))).unwrap();
            let mut plain = Vec::new();
            match load.container() {
                Container::Jsonl => plain = file,
                _ => assert!(
                    MultiGzDecoder::new(&file[..])
                        .read_to_end(&mut plain)
                        .is_ok()
                ),
            }
            assert_eq!(plain.len() as u64, bytes, "{load:?}");
            assert!(load.documents(1) >= 1 && load.documents(1000) > load.documents(500));
        }
    }

    #[test]
    fn normal_pages_have_about_the_bytes_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        for container in Container::ALL {
            let bytes = write_named(dir.path(), container.name(), 2_000_000).unwrap();
            assert!((1_700_000..2_600_000).contains(&bytes), "{bytes}");
        }
    }
}
