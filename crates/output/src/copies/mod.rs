//! Copies of input files without some of their records, or without parts of their texts.
//!
//! *Input.* What [`input::copy_records`] keeps of a file, or a Parquet file and the rows that go.
//! *Output.* A file of the same format and compression, into the writer handed over. *Algorithm.*
//! Entries that stay whole are written as they came; others are encoded as gzip (level 6) or
//! Zstandard (level 3, with the dictionary of the file). *Memory.* One encoder. *Limits.* Same
//! input, same bytes; a copy of which nothing is left is an empty file of its compression.

mod annotate;
mod cut_row;
mod parquet;
mod row_changes;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use flate2::write::GzEncoder;
use input::{CopySink, Packaging, SinkError};

pub use annotate::{ANNOTATION, Annotation, RowAnnotations, annotate_parquet, write_members};
pub use cut_row::{CUTS, CutRow};
pub use parquet::copy_parquet;
pub use row_changes::OpenCuts;

const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;

/// Where the bytes go: to the file, or through an encoder.
enum CopyStage<W: Write> {
    File(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
    /// An error of the encoder took the writer along.
    Broken,
}

/// Writes a copy, and encodes what has to be encoded anew.
pub struct CopyWriter<W: Write> {
    packaging: Packaging,
    stage: CopyStage<W>,
    is_empty: bool,
}

impl<W: Write> CopyWriter<W> {
    /// A copy of a file that is compressed so.
    pub fn new(packaging: Packaging, out: W) -> Self {
        CopyWriter {
            packaging,
            stage: CopyStage::File(out),
            is_empty: true,
        }
    }

    /// Whether nothing was copied.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Hands the writer back, all bytes written.
    pub fn finish(mut self) -> io::Result<W> {
        if self.is_empty {
            self.begin()?;
        }
        self.settle()?;
        match self.stage {
            CopyStage::File(out) => Ok(out),
            _ => Err(broken()),
        }
    }

    /// Opens an encoder if there is none.
    fn begin(&mut self) -> io::Result<()> {
        self.is_empty = false;
        self.stage = match (
            std::mem::replace(&mut self.stage, CopyStage::Broken),
            &self.packaging,
        ) {
            (CopyStage::File(out), Packaging::Gzip) => {
                CopyStage::Gzip(GzEncoder::new(out, flate2::Compression::new(GZIP_LEVEL)))
            }
            (CopyStage::File(out), Packaging::Zstd { dictionary }) => {
                let mut encoder =
                    zstd::stream::write::Encoder::with_dictionary(out, ZSTD_LEVEL, dictionary)?;
                encoder.include_checksum(true)?;
                CopyStage::Zstd(encoder)
            }
            (stage, _) => stage,
        };
        Ok(())
    }

    /// Completes the entry being encoded.
    fn settle(&mut self) -> io::Result<()> {
        self.stage = match std::mem::replace(&mut self.stage, CopyStage::Broken) {
            CopyStage::Gzip(encoder) => CopyStage::File(encoder.finish()?),
            CopyStage::Zstd(encoder) => CopyStage::File(encoder.finish()?),
            stage => stage,
        };
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.is_empty &= bytes.is_empty();
        match &mut self.stage {
            CopyStage::File(out) => out.write_all(bytes),
            CopyStage::Gzip(out) => out.write_all(bytes),
            CopyStage::Zstd(out) => out.write_all(bytes),
            CopyStage::Broken => Err(broken()),
        }
    }
}

fn broken() -> io::Error {
    io::Error::other("an earlier write of it failed")
}

impl<W: Write> CopySink for CopyWriter<W> {
    fn raw(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        self.settle()?;
        Ok(self.put(bytes)?)
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        self.begin()?;
        Ok(self.put(bytes)?)
    }

    fn end_entry(&mut self) -> Result<(), SinkError> {
        Ok(self.settle()?)
    }
}
