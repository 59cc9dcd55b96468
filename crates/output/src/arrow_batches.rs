//! A published table as Arrow record batches in memory, one after another.
//!
//! *Input.* The paths of published Parquet files of one table. *Output.* The same rows in the same
//! order. *Memory.* One batch of at most 65,536 rows and 16 MiB, and what [`crate::TableReader`]
//! holds of one file. *Limits.* The files stay open until the last batch.

use crate::arrow::ArrowRows;
use crate::export::open_all;
use crate::{OutputError, TableReader};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use std::collections::VecDeque;
use std::path::PathBuf;

/// The record batches of a table, read when they are asked for.
pub struct ArrowBatches {
    readers: VecDeque<TableReader>,
    rows: ArrowRows,
}

impl ArrowBatches {
    /// Opens the files of one table, in this order; `None` if there is no file.
    pub fn open(paths: &[PathBuf]) -> Result<Option<ArrowBatches>, OutputError> {
        let readers = VecDeque::from(open_all(paths)?);
        let schema = readers.front().map(|first| first.schema().clone());
        Ok(schema.map(|schema| ArrowBatches {
            rows: ArrowRows::new(schema),
            readers,
        }))
    }

    /// Rows of all files, as their footers say.
    pub fn rows(&self) -> u64 {
        self.readers.iter().map(TableReader::rows).sum()
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let external = |error: OutputError| ArrowError::ExternalError(Box::new(error));
        while let Some(reader) = self.readers.front_mut() {
            while let Some(batch) = reader.next_batch().map_err(external)? {
                for row in batch.iter() {
                    self.rows.push(&row).map_err(external)?;
                }
                if self.rows.is_full() {
                    return self.rows.take_batch().map(Some);
                }
            }
            self.readers.pop_front();
        }
        if self.rows.is_empty() {
            return Ok(None);
        }
        self.rows.take_batch().map(Some)
    }
}

impl Iterator for ArrowBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

impl RecordBatchReader for ArrowBatches {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(self.rows.schema())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows::document;
    use crate::{DOCUMENTS, ParquetTable};
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;

    #[test]
    fn batches_have_the_rows_of_all_files_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let ranges = [0..70_000, 70_000..70_010, 70_010..70_010, 70_010..70_011];
        let write = |(at, range): (usize, std::ops::Range<i64>)| {
            let path = dir.path().join(format!("{at}.parquet"));
            let out = std::fs::File::create(&path).unwrap();
            let mut table = ParquetTable::new(DOCUMENTS.schema(), &[], out).unwrap();
            for doc_id in range {
                table.write(&document(doc_id)).unwrap();
            }
            table.finish().unwrap();
            path
        };
        let paths: Vec<PathBuf> = ranges.into_iter().enumerate().map(write).collect();
        let batches = ArrowBatches::open(&paths).unwrap().expect("four files");
        assert_eq!(batches.rows(), 70_011);
        let mut next = 0;
        for batch in batches {
            let batch = batch.unwrap();
            assert!(batch.num_rows() > 0);
            for doc in batch["doc_id"].as_primitive::<Int64Type>().values() {
                assert_eq!(*doc, next);
                next += 1;
            }
        }
        assert_eq!(next, 70_011);
        assert!(ArrowBatches::open(&[]).unwrap().is_none());
    }
}
