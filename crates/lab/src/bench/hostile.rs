//! Writes the loads of `scripts/bench-hostile`.
//!
//! *Input.* A kind, a container, how many documents. *Output.* A file; the bytes before compression
//! on standard output. *Memory.* One document. The documents are made in [`testkit::hostile`].

use crate::bench::files;
use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use testkit::hostile::{Kind, Load, write_warc_record};

/// The load to write.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// One of the kinds of [`Kind::ALL`], or `one-record`: a single record that is rejected, and a
    /// normal page. Without a document that is accepted the run would end with exit code 3.
    kind: String,
    container: Container,
    /// Documents; megabytes of a single record.
    size: u64,
    /// Bytes of a document of a kind that leaves them open.
    #[arg(long, default_value_t = 0)]
    document_bytes: usize,
    /// The file.
    path: PathBuf,
}

/// The container of the documents.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Container {
    Jsonl,
    /// WARC, gzip, a member for each record.
    Members,
    /// WARC, gzip, one member.
    OneMember,
}

/// Writes a load.
pub(crate) fn write(options: &Options) -> Result<()> {
    let (kind, record_bytes) = match options.kind.as_str() {
        "one-record" => (Kind::Normal, Some(options.size * 1_000_000)),
        name => {
            let known = Kind::ALL.into_iter().find(|(known, _)| *known == name);
            (known.with_context(|| format!("no load {name}"))?.1, None)
        }
    };
    let load = Load {
        kind,
        documents: record_bytes.map_or(options.size, |_| 1),
        document_bytes: options.document_bytes,
    };
    let mut out = BufWriter::with_capacity(1 << 20, files::create(&options.path)?);
    let written = write_load(&mut out, options.container, load, record_bytes);
    let written = written.and_then(|bytes| out.flush().map(|()| bytes));
    let failed = || format!("failed to write {}", options.path.display());
    println!("{}", written.with_context(failed)?);
    Ok(())
}

fn write_load(
    out: &mut dyn Write,
    container: Container,
    load: Load,
    record_bytes: Option<u64>,
) -> io::Result<u64> {
    match container {
        Container::Jsonl => load.write_jsonl(out),
        Container::Members => load.write_warc(&mut |record| {
            let mut gzip = GzEncoder::new(&mut *out, Compression::fast());
            gzip.write_all(record)?;
            gzip.finish().map(|_| ())
        }),
        Container::OneMember => {
            let mut gzip = GzEncoder::new(out, Compression::fast());
            let mut piece = |piece: &[u8]| gzip.write_all(piece);
            let single = record_bytes.map(|bytes| write_warc_record(bytes, &mut piece));
            let bytes = single.unwrap_or(Ok(0))? + load.write_warc(&mut piece)?;
            gzip.finish().map(|_| bytes)
        }
    }
}
