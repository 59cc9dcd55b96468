//! The text of a row that has none in the text column.
//!
//! *Input.* The columns that have the text under another usual name. *Output.* The first of their
//! values that is more than blanks. *Algorithm.* A column is opened for the first row that needs
//! it, and the rows since then are passed over: a file whose text column has no null costs nothing.
//! A column that cannot be read costs only the rows that need it. *Memory.* The page at hand of
//! each column that was opened.

use super::cells::{Cell, Cells};
use super::columns::OtherColumn;
use super::groups::Group;
use super::pages::Refusal;
use super::room::Room;
use super::source::{Source, guarded};

/// The other columns of a row group.
pub(super) struct OtherTexts<'a> {
    source: &'a Source<'a>,
    group: &'a Group,
    columns: Vec<Opened>,
    /// The bytes of the columns that were opened.
    pub(super) bytes: u64,
    // Behind the columns: they are dropped before the gate is left.
    pub(super) room: Room<'a>,
}

/// A column, as far as it was read.
#[derive(Default)]
struct Opened {
    reader: Option<Box<dyn Cells>>,
    /// The row that the reader gives next.
    next: u64,
    /// The first value that could not be read, and why.
    refusal: Option<Refusal>,
}

impl<'a> OtherTexts<'a> {
    pub(super) fn new(source: &'a Source<'a>, group: &'a Group, room: Room<'a>) -> Self {
        let columns = source.columns.others.iter().map(|_| Opened::default());
        OtherTexts {
            source,
            group,
            columns: columns.collect(),
            bytes: 0,
            room,
        }
    }

    /// The value of a row in the column of this index. Rows come in their order.
    pub(super) fn value(&mut self, column: usize, row: u64) -> Result<Cell, Refusal> {
        let names = &self.source.columns.others;
        let (Some(opened), Some(&OtherColumn { leaf, name, .. })) =
            (self.columns.get_mut(column), names.get(column))
        else {
            return Ok(Cell::Null);
        };
        if let Some(refusal) = &opened.refusal {
            return Err(refusal.clone());
        }
        let value = opened.reader.take().map_or_else(
            || {
                let opened = self.source.open_column(self.group, leaf, &mut self.room);
                opened.map(|(reader, bytes)| {
                    self.bytes = self.bytes.saturating_add(bytes);
                    reader
                })
            },
            Ok,
        );
        let value = value.and_then(|mut reader| {
            let passed = (row - opened.next) as usize;
            let value = guarded(|| {
                reader.skip(passed)?;
                reader.next()
            });
            (opened.reader, opened.next) = (Some(reader), row + 1);
            value.map_err(|error| ("bad-parquet", format!("column {name}: {error}")))
        });
        if let Err(refusal) = &value {
            (opened.reader, opened.refusal) = (None, Some(refusal.clone()));
        }
        value
    }
}
