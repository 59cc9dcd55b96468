//! The bytes of a Parquet file, for its parser.
//!
//! *Input.* An open file. *Output.* Readers from any offset, by positional reads, so that the
//! columns of a row group do not disturb each other. *Memory.* 4 KiB a reader; what is asked for at
//! once is bounded by [`super::pages`] before.

use std::io::{self, BufReader};

use bytes::Bytes;
use decode::open_file::{OpenFile, OpenFileReader};
use decode::{error::InputError, options::SourceFile};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// The file.
#[derive(Clone, Debug)]
pub(super) struct ColumnChunk {
    pub(super) file: OpenFile,
    pub(super) bytes: u64,
}

impl ColumnChunk {
    /// Opens a listed file.
    pub(super) fn open(file: &SourceFile) -> std::result::Result<ColumnChunk, InputError> {
        let opened = OpenFile::open_regular(&file.path);
        Ok(ColumnChunk {
            file: opened.map_err(InputError::io("open", &file.path))?,
            bytes: file.stat.bytes,
        })
    }

    /// As many of the bytes from `offset` on as there are, at most `length`.
    pub(super) fn up_to(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let length = self.bytes.saturating_sub(offset).min(length as u64);
        let mut out = vec![0; length as usize];
        self.file.read_exact_at(&mut out, offset)?;
        Ok(out)
    }
}

impl Length for ColumnChunk {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for ColumnChunk {
    type T = BufReader<OpenFileReader>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::with_capacity(4 << 10, self.file.reader(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let out = self.up_to(start, length)?;
        if out.len() < length {
            return Err(ParquetError::EOF(format!(
                "expected {length} bytes at {start}, got {}",
                out.len()
            )));
        }
        Ok(out.into())
    }
}

/// Runs the parser; its errors and panics become text.
pub(super) fn guarded<T>(parse: impl FnOnce() -> Result<T>) -> std::result::Result<T, String> {
    let parsed = decode::guard::caught(parse);
    parsed.map_or_else(
        || Err("the Parquet library cannot parse it".to_owned()),
        |parsed| parsed.map_err(|error| error.to_string()),
    )
}
