//! The rows of a published table, taken over into a new one of the same columns.
//!
//! *Input.* An open table, read from its first row on. *Output.* Its rows from one on, at the front of another. *Algorithm.*
//! Row groups are copied as they lie, without decoding them; decoded are those up to where the rows begin, and the last
//! one if it is not full, so that rows which follow join it. Whoever must know that the bytes are those that were written
//! compares the file's digest first. *Memory.* As [`TableReader`] and [`ParquetTable`].

use std::fs::File;
use std::io::Write;

use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;

use crate::{BatchRow, OutputError, ParquetTable, TableReader};

/// Copies the rows of `from` to the end of `to`: all from the first one on of which `begins` is true. Both are of the same
/// columns, in the same order; the order of rows is not looked at where they are copied as they lie.
///
/// # Errors
/// [`OutputError::Io`], [`OutputError::Damaged`]; those of [`ParquetTable::write`].
pub fn carry<W: Write + Send>(
    from: &mut TableReader,
    to: &mut ParquetTable<W>,
    mut begins: impl FnMut(&BatchRow<'_>) -> bool,
) -> Result<(), OutputError> {
    let path = from.path().to_owned();
    let failed = |source| OutputError::Io { action: "open", path: path.clone(), source };
    let bytes = File::open(&path).map_err(failed)?;
    let mut begun = false;
    for group in 0..from.groups() {
        let is_last = group + 1 == from.groups();
        if !begun {
            from.seek(group);
            begun = from.next_batch()?.is_some_and(|batch| batch.iter().next().is_some_and(|row| begins(&row)));
        }
        if let Some(metadata) = from.group(group).filter(|group| begun && !(is_last && to.has_room(group))) {
            to.append_group(&bytes, metadata)?;
            continue;
        }
        from.seek(group);
        let mut left = from.group(group).map_or(0, |group| usize::try_from(group.num_rows()).unwrap_or(0));
        while left > 0
            && let Some(batch) = from.next_batch()?
        {
            left = left.saturating_sub(batch.rows());
            for row in batch.iter() {
                begun = begun || begins(&row);
                if begun {
                    to.write(&row)?;
                }
            }
        }
    }
    Ok(())
}

impl<W: Write + Send> ParquetTable<W> {
    /// Whether rows could join those of a row group.
    fn has_room(&self, group: &RowGroupMetaData) -> bool {
        usize::try_from(group.num_rows()).unwrap_or(0) < self.limits().rows
    }

    /// Appends a row group of another file as it lies.
    fn append_group(&mut self, bytes: &File, group: &RowGroupMetaData) -> Result<(), OutputError> {
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        self.splice(rows, |writer| -> Result<(), ParquetError> {
            for column in group.columns() {
                let close = ColumnCloseResult {
                    bytes_written: u64::try_from(column.compressed_size()).unwrap_or(0),
                    rows_written: rows,
                    metadata: column.clone(),
                    bloom_filter: None,
                    column_index: None,
                    offset_index: None,
                };
                writer.append_column(bytes, close)?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CLUSTER_CHANGES, Cell, ClusterChangeRow, RowGroupLimits, Selection};
    use std::path::Path;

    const GROUP: usize = 7;

    fn write(path: &Path, carried: Option<(&Path, i64)>, rows: &[i64]) {
        let limits = RowGroupLimits { rows: GROUP, bytes: usize::MAX };
        let file = File::create(path).unwrap();
        let mut table = ParquetTable::with_limits(CLUSTER_CHANGES.schema(), &[], file, limits).unwrap();
        if let Some((from, first)) = carried {
            let mut reader = TableReader::open(from, Selection::All).unwrap();
            carry(&mut reader, &mut table, |row| ClusterChangeRow::of(row).publication >= first).unwrap();
        }
        for &publication in rows {
            let snapshot = format!("night-{publication}");
            let row = ClusterChangeRow {
                publication,
                previous: publication - 1,
                snapshot: &snapshot,
                event: "grown",
                old_cluster_id: (publication % 3 > 0).then_some(publication),
                new_cluster_id: Some(publication + 1),
                documents_before: 2,
                documents_after: 3,
                documents: 1,
            };
            table.write(&row).unwrap();
        }
        let written = table.rows();
        table.finish().unwrap();
        assert_eq!(TableReader::open(path, Selection::All).unwrap().rows(), written);
    }

    fn read(path: &Path) -> (Vec<i64>, usize) {
        let mut reader = TableReader::open(path, Selection::All).unwrap();
        let mut rows = Vec::new();
        while let Some(batch) = reader.next_batch().unwrap() {
            for row in batch.iter() {
                let change = ClusterChangeRow::of(&row);
                assert_eq!(change.snapshot, format!("night-{}", change.publication));
                assert_eq!(change.old_cluster_id.is_none(), change.publication % 3 == 0);
                assert_eq!(row.cell(4) == Cell::Null, change.publication % 3 == 0);
                assert_eq!((change.new_cluster_id, change.documents_after), (Some(change.publication + 1), 3));
                rows.push(change.publication);
            }
        }
        (rows, reader.groups())
    }

    #[test]
    fn rows_are_those_that_were_and_those_that_came_whatever_the_groups() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        for before in 0..30 {
            let old: Vec<i64> = (0..before).collect();
            write(&a, None, &old);
            for first in [0, 1, 6, 7, 8, 13, 14, 100] {
                let kept: Vec<i64> = old.iter().copied().filter(|publication| *publication >= first).collect();
                for new in [&[][..], &[200], &[200; 15]] {
                    write(&b, Some((&a, first)), new);
                    let (rows, groups) = read(&b);
                    assert_eq!(rows, [&kept[..], new].concat(), "{before} rows, from {first} on");
                    // One cut where the rows begin; else groups are full.
                    assert!(groups <= rows.len().div_ceil(GROUP) + 1, "{groups} groups of {} rows", rows.len());
                }
            }
        }
    }

    #[test]
    fn nothing_is_lost_or_split_up_over_many_nights() {
        let dir = tempfile::tempdir().unwrap();
        let path = |night: i64| dir.path().join(format!("{night}"));
        write(&path(0), None, &[]);
        let mut all: Vec<i64> = Vec::new();
        for night in 1..60_i64 {
            let new = vec![night; (night * 7 % 11) as usize];
            let first = (night - 12).max(0);
            all.retain(|publication| *publication >= first);
            all.extend(&new);
            write(&path(night), Some((&path(night - 1), first)), &new);
            let (rows, groups) = read(&path(night));
            assert_eq!(rows, all, "night {night}");
            assert!(groups <= rows.len().div_ceil(GROUP) + 1, "{groups} groups of {} rows", rows.len());
        }
    }
}
