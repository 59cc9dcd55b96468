//! The rows of a published table, taken over into a new one of the same columns.
//!
//! *Input.* An open table. *Output.* Its rows from one on, at the front of another ([`carry`]), or
//! some of its row groups ([`carry_groups`]). *Algorithm.* Row groups are copied as they lie,
//! without decoding them; decoded are, by [`carry`], those up to where the rows begin, and the last
//! one if it is small, so that rows which follow join it. A row group that is copied has the bytes,
//! and in the footer the place, that it would have if its rows were written. Whoever must know that
//! the bytes are those that were written compares the file's digest first. *Memory.* As
//! [`TableReader`] and [`ParquetTable`].

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::statistics::Statistics;

use crate::parquet_table::append_columns;
use crate::{BatchRow, ColumnSelection, OutputError, ParquetTable, Schema, TableReader};

/// Copies the rows of `from` to the end of `to`: all from the first one on of which `begins` is
/// true. Both are of the same columns, in the same order; the order of rows is not looked at where
/// they are copied as they lie.
pub fn carry<W: Write + Send>(
    from: &mut TableReader,
    to: &mut ParquetTable<W>,
    mut begins: impl FnMut(&BatchRow<'_>) -> bool,
) -> Result<(), OutputError> {
    let bytes = from.bytes()?;
    let mut begun = false;
    for group in 0..from.groups() {
        let is_last = group + 1 == from.groups();
        if !begun {
            from.seek(group);
            begun = from
                .next_batch()?
                .is_some_and(|batch| batch.iter().next().is_some_and(|row| begins(&row)));
        }
        if let Some(metadata) = from
            .group(group)
            .filter(|group| begun && !(is_last && to.is_small(group)))
        {
            to.append_group(&bytes, metadata)?;
            continue;
        }
        from.seek(group);
        let mut left = from
            .group(group)
            .map_or(0, |group| usize::try_from(group.num_rows()).unwrap_or(0));
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

/// A published table whose row groups can be copied.
#[derive(Debug)]
pub struct TableGroups {
    path: PathBuf,
    bytes: File,
    groups: Vec<RowGroupMetaData>,
}

impl TableGroups {
    /// Opens a published table of these columns.
    pub fn open(path: &Path, schema: &Schema) -> Result<TableGroups, OutputError> {
        let reader = TableReader::open(path, ColumnSelection::All)?;
        if reader.schema() != schema {
            return Err(OutputError::damaged(path, "it has other columns"));
        }
        let groups = (0..reader.groups())
            .filter_map(|at| reader.group(at).cloned())
            .collect();
        Ok(TableGroups {
            path: path.to_owned(),
            bytes: reader.bytes()?,
            groups,
        })
    }
}

/// Copies these row groups of `from` to the end of `to`, as they lie. Both are of the same columns,
/// in the same order.
pub fn carry_groups<W: Write + Send>(
    from: &TableGroups,
    to: &mut ParquetTable<W>,
    groups: Range<usize>,
) -> Result<(), OutputError> {
    to.end_group()?;
    let Some(wanted) = from.groups.get(groups.clone()) else {
        let reason = format!("it has no row groups {groups:?}");
        return Err(OutputError::damaged(&from.path, reason));
    };
    wanted
        .iter()
        .try_for_each(|group| to.append_group(&from.bytes, group))
}

impl TableReader {
    fn bytes(&self) -> Result<File, OutputError> {
        crate::read::open(&self.path)
    }
}

/// The statistics of a column, as the writer had them before the footer was written. A footer holds
/// minimum and maximum of numbers twice, for old readers, and a reader does not get back that flag.
fn as_written(column: &ColumnChunkMetaData) -> Result<ColumnChunkMetaData, ParquetError> {
    let twice = column.column_descr().sort_order().is_signed();
    let statistics = match column.statistics() {
        Some(Statistics::Int32(of)) => of.clone().with_backwards_compatible_min_max(twice).into(),
        Some(Statistics::Int64(of)) => of.clone().with_backwards_compatible_min_max(twice).into(),
        Some(Statistics::Double(of)) => of.clone().with_backwards_compatible_min_max(twice).into(),
        _ => return Ok(column.clone()),
    };
    column
        .clone()
        .into_builder()
        .set_statistics(statistics)
        .build()
}

impl<W: Write + Send> ParquetTable<W> {
    /// Whether rows that follow are to join those of a row group, which is decoded for that: not
    /// once it has an eighth of the rows of a full one.
    fn is_small(&self, group: &RowGroupMetaData) -> bool {
        usize::try_from(group.num_rows()).unwrap_or(0) < self.limits.rows.div_ceil(8)
    }

    /// Appends a row group of another file as it lies.
    fn append_group(&mut self, bytes: &File, group: &RowGroupMetaData) -> Result<(), OutputError> {
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        self.splice(rows, |writer| -> Result<(), ParquetError> {
            append_columns(writer, bytes, group, as_written)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        CLUSTER_CHANGES, Cell, ClusterChangeRow, HOST_CHANGES, HalfLife, HostChangeRow,
        RowGroupLimits,
    };

    const GROUP: usize = 56;
    /// Rows that a row group has when no more join it.
    const SMALL: usize = GROUP / 8;

    fn write(path: &Path, carried: Option<(&Path, i64)>, rows: &[i64]) {
        let limits = RowGroupLimits {
            rows: GROUP,
            bytes: usize::MAX,
        };
        let file = File::create(path).unwrap();
        let mut table =
            ParquetTable::with_limits(CLUSTER_CHANGES.schema(), &[], file, limits).unwrap();
        if let Some((from, first)) = carried {
            let mut reader = TableReader::open(from, ColumnSelection::All).unwrap();
            carry(&mut reader, &mut table, |row| {
                ClusterChangeRow::of(row).publication >= first
            })
            .unwrap();
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
        assert_eq!(
            TableReader::open(path, ColumnSelection::All)
                .unwrap()
                .rows(),
            written
        );
    }

    fn read(path: &Path) -> (Vec<i64>, usize) {
        let mut reader = TableReader::open(path, ColumnSelection::All).unwrap();
        let mut rows = Vec::new();
        while let Some(batch) = reader.next_batch().unwrap() {
            for row in batch.iter() {
                let change = ClusterChangeRow::of(&row);
                assert_eq!(change.snapshot, format!("night-{}", change.publication));
                assert_eq!(change.old_cluster_id.is_none(), change.publication % 3 == 0);
                assert_eq!(row.cell(4) == Cell::Null, change.publication % 3 == 0);
                assert_eq!(
                    (change.new_cluster_id, change.documents_after),
                    (Some(change.publication + 1), 3)
                );
                rows.push(change.publication);
            }
        }
        (rows, reader.groups())
    }

    #[test]
    fn rows_are_those_that_were_and_those_that_came_whatever_the_groups() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        for before in (0..240).step_by(7) {
            let old: Vec<i64> = (0..before).collect();
            write(&a, None, &old);
            for first in [0, 1, 55, 56, 57, 111, 112, 1000] {
                let kept: Vec<i64> = old
                    .iter()
                    .copied()
                    .filter(|publication| *publication >= first)
                    .collect();
                for new in [&[][..], &[2000], &[2000; 90]] {
                    write(&b, Some((&a, first)), new);
                    let (rows, groups) = read(&b);
                    assert_eq!(
                        rows,
                        [&kept[..], new].concat(),
                        "{before} rows, from {first} on"
                    );
                    // One cut where the rows begin, one where new rows do not join; else groups are
                    // full.
                    assert!(
                        groups <= rows.len().div_ceil(GROUP) + 2,
                        "{groups} groups of {} rows",
                        rows.len()
                    );
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
            assert!(
                groups <= rows.len().div_ceil(SMALL) + 1,
                "{groups} groups of {} rows",
                rows.len()
            );
        }
    }

    /// Writes row groups of a table with every kind of column but a date; some are taken from
    /// another file.
    fn write_hosts(path: &Path, groups: &[usize], carried: Option<(&Path, &Range<usize>)>) {
        let limits = RowGroupLimits {
            rows: 1 << 20,
            bytes: usize::MAX,
        };
        let (file, schema) = (File::create(path).unwrap(), HOST_CHANGES.schema());
        let mut table = ParquetTable::with_limits(schema.clone(), &[], file, limits).unwrap();
        let from = carried.map(|(path, _)| TableGroups::open(path, &schema).unwrap());
        for (group, &rows) in groups.iter().enumerate() {
            let before = table.groups();
            match (&from, carried) {
                (Some(from), Some((_, taken))) if taken.contains(&group) => {
                    carry_groups(from, &mut table, group..group + 1).unwrap();
                }
                _ => {
                    for row in 0..rows {
                        let seed = (group * 1000 + row) as u64;
                        let half_life = HalfLife {
                            unit: if seed.is_multiple_of(3) {
                                "days"
                            } else {
                                "snapshots"
                            }
                            .to_owned(),
                            value: (!seed.is_multiple_of(4)).then(|| (seed as f64).sqrt()),
                            surviving: (!seed.is_multiple_of(5))
                                .then_some(0.25 * (seed % 4) as f64),
                            ..HalfLife::default()
                        };
                        let (host, name) = (
                            format!("{}.example", seed * 0x9e37 % 1009),
                            format!("night-{group}"),
                        );
                        let row = HostChangeRow {
                            old_snapshot: &name,
                            new_snapshot: "next",
                            host: &host,
                            urls: [seed, seed % 7],
                            classes: std::array::from_fn(|at| seed % (at as u64 + 1)),
                            half_life: &half_life,
                        };
                        table.write(&row).unwrap();
                    }
                    table.end_group().unwrap();
                }
            }
            assert_eq!(table.groups() - before, usize::from(rows > 0));
        }
        table.finish().unwrap();
    }

    #[test]
    fn copied_row_groups_have_the_bytes_of_written_ones() {
        let dir = tempfile::tempdir().unwrap();
        let (whole, copied) = (dir.path().join("whole"), dir.path().join("copied"));
        let groups = [3000, 1, 40, 20_000, 2];
        write_hosts(&whole, &groups, None);
        let bytes = std::fs::read(&whole).unwrap();
        for first in 0..groups.len() {
            for end in first..=groups.len() {
                write_hosts(&copied, &groups, Some((&whole, &(first..end))));
                assert!(
                    std::fs::read(&copied).unwrap() == bytes,
                    "row groups {first} to {end} of another file"
                );
            }
        }
        let from = TableGroups::open(&whole, &HOST_CHANGES.schema()).unwrap();
        let file = File::create(&copied).unwrap();
        let mut table = ParquetTable::new(HOST_CHANGES.schema(), &[], file).unwrap();
        assert!(matches!(
            carry_groups(&from, &mut table, 4..6),
            Err(OutputError::Damaged { .. })
        ));
        let other = TableGroups::open(&whole, &CLUSTER_CHANGES.schema());
        assert!(matches!(other, Err(OutputError::Damaged { .. })));
    }
}
