//! Checks that rows ascend as their table promises.
//!
//! Readers trust the order a Parquet file declares, and give wrong answers if it does not hold; so
//! it is checked here, one comparison a row.

use std::cmp::Ordering;

use crate::{Cell, Schema};

/// One column of the last row's key.
#[derive(Debug, Default, PartialEq)]
enum KeyCell {
    #[default]
    Nothing,
    Int(i64),
    Text(String),
}

/// The key of the last row, compared with the next while that is handed in cell by cell.
#[derive(Debug)]
pub(crate) struct RowOrder {
    columns: Vec<usize>,
    /// The last of them: most columns of most tables come behind it.
    last_column: usize,
    last: Vec<KeyCell>,
    /// How the row being handed in compares with the last one, as far as its key is known.
    row: Ordering,
}

impl RowOrder {
    pub(crate) fn new(schema: &Schema) -> RowOrder {
        let columns = schema.sorted_by().to_vec();
        let last = columns.iter().map(|_| KeyCell::Nothing).collect();
        let last_column = columns.iter().copied().max().unwrap_or(0);
        RowOrder {
            columns,
            last_column,
            last,
            row: Ordering::Equal,
        }
    }

    /// A cell of the row; those outside the key are ignored. Key columns come in the order of the
    /// key.
    #[inline]
    pub(crate) fn cell(&mut self, column: usize, cell: Cell<'_>) {
        if column <= self.last_column {
            self.key_cell(column, cell);
        }
    }

    fn key_cell(&mut self, column: usize, cell: Cell<'_>) {
        let Some(at) = self.columns.iter().position(|&key| key == column) else {
            return;
        };
        let last = &mut self.last[at];
        let ordering = match (&*last, cell) {
            (KeyCell::Nothing, _) => Ordering::Greater,
            (KeyCell::Int(last), Cell::Int64(value)) => value.cmp(last),
            (KeyCell::Text(last), Cell::Utf8(value)) => value.cmp(last),
            _ => Ordering::Less,
        };
        self.row = self.row.then(ordering);
        match (last, cell) {
            (KeyCell::Text(last), Cell::Utf8(value)) => {
                last.clear();
                last.push_str(value);
            }
            (last, Cell::Utf8(value)) => *last = KeyCell::Text(value.to_owned()),
            (last, Cell::Int64(value)) => *last = KeyCell::Int(value),
            (last, _) => *last = KeyCell::Nothing,
        }
    }

    /// Ends the row: whether it comes after the one before.
    pub(crate) fn ascends(&mut self) -> bool {
        let row = std::mem::replace(&mut self.row, Ordering::Equal);
        self.columns.is_empty() || row == Ordering::Greater
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{COMMON_SHINGLES, PAIRS, REJECTED};

    fn ascend(order: &mut RowOrder, key: &[Cell<'_>]) -> bool {
        key.iter()
            .enumerate()
            .for_each(|(at, &cell)| order.cell(at, cell));
        order.ascends()
    }

    #[test]
    fn keys_compare_column_by_column() {
        let mut order = RowOrder::new(&PAIRS.schema());
        let mut next = |a, b| {
            ascend(
                &mut order,
                &[Cell::Int64(a), Cell::Int64(b), Cell::Int32(0)],
            )
        };
        assert!(next(1, 5));
        assert!(next(1, 6));
        assert!(next(2, 3));
        assert!(!next(2, 3), "equal keys do not ascend");
        assert!(!next(1, 9));
    }

    #[test]
    fn text_keys_and_tables_without_order() {
        let mut order = RowOrder::new(&COMMON_SHINGLES.schema());
        assert!(ascend(&mut order, &[Cell::Utf8("0a"), Cell::Int64(9)]));
        assert!(ascend(&mut order, &[Cell::Utf8("0b"), Cell::Int64(1)]));
        assert!(!ascend(&mut order, &[Cell::Utf8("0a"), Cell::Int64(2)]));
        let mut order = RowOrder::new(&REJECTED.schema());
        assert!(ascend(&mut order, &[Cell::Utf8("b")]) && ascend(&mut order, &[Cell::Utf8("a")]));
    }
}
