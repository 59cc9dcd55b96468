//! A Parquet file as it is needed to copy it: all columns, whatever their types.
//!
//! *Input.* A listed file. *Output.* Its metadata, its bytes, and readers of its column chunks.
//! *Memory.* The footer, and what a reader holds: a page. *Limits.* As [`super`]: but for nested
//! columns, which can be copied.

use std::path::Path;

use parquet::column::reader::ColumnReader;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::ChunkReader;

use super::chunk::{ColumnChunk, guarded};
use super::deltas::column_reader;
use super::{groups, pages};
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
        let chunk = ColumnChunk::open(file)?;
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

    /// The bytes of the file.
    pub fn bytes(&self) -> &impl ChunkReader {
        &self.chunk
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
        let reader = guarded(|| column_reader(&self.chunk, column, rows, None, self.most_bytes))?;
        Ok((reader, held.steady_bytes.saturating_add(held.passing_bytes)))
    }
}
