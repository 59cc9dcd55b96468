//! The text of a row that has none in the text column.
//!
//! *Input.* The columns that have the text under another usual name. *Output.* The first of their
//! values that is more than blanks. *Algorithm.* A column is opened for the first row that needs
//! it, and the rows since then are passed over: a file whose text column has no null costs nothing.
//! A column that cannot be read costs only the rows that need it. *Memory.* The page at hand of
//! each column that was opened.

use super::cells::{CellReader, StoredCell};
use super::chunk::guarded;
use super::columns::OtherColumn;
use super::room::Room;
use decode::document::Refusal;

/// Opens the column of this leaf.
pub(super) type OpenColumn<'a> =
    dyn Fn(usize, &mut Room<'_>) -> Result<Box<dyn CellReader>, Refusal> + 'a;

/// The other columns of a row group.
pub(super) struct OtherTexts<'a> {
    names: &'a [OtherColumn],
    open: &'a OpenColumn<'a>,
    columns: Vec<Opened>,
    /// The bytes of the values that were given.
    pub(super) bytes: u64,
    // Behind the columns: they are dropped before the gate is left.
    pub(super) room: Room<'a>,
}

/// A column, as far as it was read.
#[derive(Default)]
struct Opened {
    reader: Option<Box<dyn CellReader>>,
    /// The row that the reader gives next.
    next: u64,
    /// The first value that could not be read, and why.
    refusal: Option<Refusal>,
}

impl<'a> OtherTexts<'a> {
    pub(super) fn new(names: &'a [OtherColumn], open: &'a OpenColumn<'a>, room: Room<'a>) -> Self {
        OtherTexts {
            names,
            open,
            columns: names.iter().map(|_| Opened::default()).collect(),
            bytes: 0,
            room,
        }
    }

    /// The value of a row in the column of this index. Rows come in their order.
    pub(super) fn value(&mut self, column: usize, row: u64) -> Result<StoredCell, Refusal> {
        let (Some(opened), Some(&OtherColumn { leaf, name, .. })) =
            (self.columns.get_mut(column), self.names.get(column))
        else {
            return Ok(StoredCell::Null);
        };
        if let Some(refusal) = &opened.refusal {
            return Err(refusal.clone());
        }
        let value = opened
            .reader
            .take()
            .map_or_else(|| (self.open)(leaf, &mut self.room), Ok);
        let value = value.and_then(|mut reader| {
            let passed = (row - opened.next) as usize;
            let value = guarded(|| {
                reader.skip(passed)?;
                reader.next()
            });
            (opened.reader, opened.next) = (Some(reader), row + 1);
            value.map_err(|error| ("bad-parquet", format!("column {name}: {error}")))
        });
        match &value {
            Ok(cell) => self.bytes = self.bytes.saturating_add(cell.bytes()),
            Err(refusal) => (opened.reader, opened.refusal) = (None, Some(refusal.clone())),
        }
        value
    }
}
