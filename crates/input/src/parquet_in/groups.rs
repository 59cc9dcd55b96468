//! The row groups of a file.
//!
//! *Input.* The footer. *Output.* A [`RowGroup`] for each row group that has rows, in the order of
//! their first bytes. *Limits.* Each byte of the file counts for one row group only, so that a
//! footer that names the same pages many times has no more of them.

use parquet::file::metadata::ParquetMetaData;

/// A row group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowGroup {
    /// Byte of the file where its first page begins.
    pub(super) offset: u64,
    pub(super) index: usize,
    /// Rows of the row groups before it in the footer.
    pub(super) first_row: u64,
    /// Bytes of the file from there to the next row group, or to the end of the file.
    pub(super) bytes: u64,
}

/// The row groups that have rows, in the order of their first bytes, in a file of so many bytes.
pub(super) fn groups(metadata: &ParquetMetaData, file_bytes: u64) -> Vec<RowGroup> {
    let mut rows_before = 0_u64;
    let mut groups: Vec<_> = (0..metadata.num_row_groups())
        .filter(|&index| metadata.row_group(index).num_rows() != 0)
        .map(|index| {
            let first_row = rows_before;
            let rows = u64::try_from(metadata.row_group(index).num_rows()).unwrap_or(0);
            rows_before = first_row.saturating_add(rows);
            let columns = metadata.row_group(index).columns().iter();
            // The smaller of both page offsets is where the chunk begins; a negative one is refused
            // later.
            let starts = columns.flat_map(|column| {
                [
                    Some(column.data_page_offset()),
                    column.dictionary_page_offset(),
                ]
            });
            let offset = starts
                .flatten()
                .filter(|&start| start > 0)
                .min()
                .unwrap_or(0)
                .cast_unsigned();
            RowGroup {
                offset,
                index,
                first_row,
                bytes: 0,
            }
        })
        .collect();
    groups.sort_unstable();
    let mut end = file_bytes;
    for group in groups.iter_mut().rev() {
        group.bytes = end.saturating_sub(group.offset);
        end = group.offset;
    }
    groups
}
