//! A Parquet file as it is needed to copy it: all columns, whatever their types.
//!
//! *Input.* A listed file. *Output.* Its metadata, its bytes, and readers of its column chunks.
//! *Memory.* The footer, and what a reader holds: a page. *Limits.* As [`super`]: but for nested
//! columns, which can be copied.

use std::io::{BufReader, Read};
use std::path::Path;

use bytes::Bytes;
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::{ChunkReader, Length};

use super::chunk::{ColumnChunk, guarded};
use super::deltas::CheckedPages;
use super::{groups, pages};
use decode::open_file::{OpenFile, OpenFileReader};
use decode::range::RangeReader;
use decode::{error::InputError, options::SourceFile};

/// An open file of which rows are to be copied.
pub struct ParquetCopy {
    chunk: ColumnChunk,
    metadata: ParquetMetaData,
    most_bytes: u64,
}

impl ParquetCopy {
    /// Opens a file that was read before. Pages of so many bytes are read. The inner error says why
    /// it cannot be copied.
    pub fn open(file: &SourceFile, most_bytes: u64) -> Result<Result<Self, String>, InputError> {
        RangeReader::open(file, 0, 0)?.finish()?;
        let opened = OpenFile::open_regular(&file.path);
        let chunk = ColumnChunk {
            file: opened.map_err(InputError::io("open", &file.path))?,
            bytes: file.stat.bytes,
        };
        let parse = || {
            ParquetMetaDataReader::new()
                .with_page_index_policy(PageIndexPolicy::Skip)
                .parse_and_finish(&chunk)
        };
        let metadata = guarded(parse);
        chunk.file.check_medium(&file.path)?;
        Ok(metadata.map(|metadata| ParquetCopy {
            chunk,
            metadata,
            most_bytes,
        }))
    }

    /// Fails if the medium did since the last call, whatever the parser made of it.
    pub fn check_medium(&self, path: &Path) -> Result<(), InputError> {
        self.chunk.file.check_medium(path)
    }

    /// The footer.
    pub fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }

    /// The row groups that have rows, in the order of documents: first byte
    /// ([`crate::Place::entry_offset`]) and number.
    pub fn groups(&self) -> Vec<(u64, usize)> {
        groups::groups(&self.metadata, self.chunk.bytes)
            .into_iter()
            .map(|group| (group.offset, group.index))
            .collect()
    }

    /// A reader of a column chunk, and the bytes it will hold at once.
    pub fn column(&self, group: usize, leaf: usize) -> Result<(ColumnReader, u64), String> {
        let group = self.metadata.row_group(group);
        let column = group
            .columns()
            .get(leaf)
            .ok_or_else(|| format!("column {leaf} is missing"))?;
        let held = pages::held(&self.chunk, column, false, self.most_bytes)
            .map_err(|(_, detail)| detail)?;
        let rows = usize::try_from(group.num_rows())
            .map_err(|_| "a negative number of rows".to_owned())?;
        let reader = guarded(|| {
            let pages = CheckedPages::open(&self.chunk, column, rows, None, self.most_bytes)?;
            Ok(get_column_reader(
                column.column_descr_ptr(),
                Box::new(pages),
            ))
        })?;
        Ok((reader, held.steady_bytes.saturating_add(held.passing_bytes)))
    }
}

impl Length for ParquetCopy {
    fn len(&self) -> u64 {
        self.chunk.len()
    }
}

/// Bytes of the file from an offset on.
pub struct ParquetBytes(BufReader<OpenFileReader>);

impl Read for ParquetBytes {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(out)
    }
}

impl ChunkReader for ParquetCopy {
    type T = ParquetBytes;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        self.chunk.get_read(start).map(ParquetBytes)
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        self.chunk.get_bytes(start, length)
    }
}
