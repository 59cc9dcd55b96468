//! The values of one column of some rows: gathered for the encoder, or as the decoder gave them.
//!
//! Parquet stores a row group one column after the other, so its values wait here. They wait as
//! plain vectors that grow by a quarter, not twofold: so what is allocated stays within 5/4 of what
//! is held.

use parquet::data_type::ByteArray;

use crate::schema::MAX_TEXT_BYTES;
use crate::{Cell, Column, ColumnType};

/// The values of one column.
#[derive(Debug)]
pub(crate) struct ColumnValues {
    /// Whether whole numbers are times.
    is_time: bool,
    pub(crate) values: ValueBuffer,
    /// 1 for a value, 0 for null; only where null can occur.
    pub(crate) levels: Option<Vec<i16>>,
    /// Which value each row has, of values that were read; empty where none can be null.
    pub(crate) slots: Vec<Option<usize>>,
}

#[derive(Debug)]
pub(crate) enum ValueBuffer {
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Double(Vec<f64>),
    Bool(Vec<bool>),
    Utf8(TextValues),
}

/// Texts, end to end.
#[derive(Debug, Default)]
pub(crate) struct TextValues {
    pub(crate) text: String,
    pub(crate) ends: Vec<usize>,
    /// Room for some of them, as the library takes and gives them.
    pub(crate) slices: Vec<ByteArray>,
}

/// Does the same with the list of values of whichever type, and something else with texts.
macro_rules! of_type {
    ($values:expr, $list:ident => $with_list:expr, $texts:ident => $with_texts:expr) => {
        match $values {
            ValueBuffer::Int32($list) => $with_list,
            ValueBuffer::Int64($list) => $with_list,
            ValueBuffer::Double($list) => $with_list,
            ValueBuffer::Bool($list) => $with_list,
            ValueBuffer::Utf8($texts) => $with_texts,
        }
    };
}
pub(crate) use of_type;

impl ColumnValues {
    pub(crate) fn new(column: &Column) -> ColumnValues {
        let values = match column.kind {
            ColumnType::Int32 => ValueBuffer::Int32(Vec::new()),
            ColumnType::Int64 | ColumnType::TimestampMicros => ValueBuffer::Int64(Vec::new()),
            ColumnType::Double => ValueBuffer::Double(Vec::new()),
            ColumnType::Bool => ValueBuffer::Bool(Vec::new()),
            ColumnType::Utf8 => ValueBuffer::Utf8(TextValues::default()),
        };
        ColumnValues {
            is_time: column.kind == ColumnType::TimestampMicros,
            values,
            levels: column.nullable.then(Vec::new),
            slots: Vec::new(),
        }
    }

    /// The value of a row that was read; `None` for null.
    pub(crate) fn get(&self, row: usize) -> Option<Cell<'_>> {
        let slot = match self.levels {
            Some(_) => self.slots.get(row).copied()??,
            None => row,
        };
        match &self.values {
            ValueBuffer::Int32(values) => values.get(slot).copied().map(Cell::Int32),
            ValueBuffer::Int64(values) if self.is_time => {
                values.get(slot).copied().map(Cell::TimestampMicros)
            }
            ValueBuffer::Int64(values) => values.get(slot).copied().map(Cell::Int64),
            ValueBuffer::Double(values) => values.get(slot).copied().map(Cell::Double),
            ValueBuffer::Bool(values) => values.get(slot).copied().map(Cell::Bool),
            ValueBuffer::Utf8(TextValues { text, ends, .. }) => {
                let before = slot.checked_sub(1).map(|before| ends.get(before));
                let start = before.map_or(Some(0), |end| end.copied())?;
                text.get(start..*ends.get(slot)?).map(Cell::Utf8)
            }
        }
    }

    /// Bytes of a row, without its text.
    pub(crate) fn fixed_bytes(&self) -> usize {
        let value = of_type!(&self.values, list => width(list), texts => width(&texts.ends));
        value + self.levels.as_ref().map_or(0, width)
    }

    /// Makes room for so many rows, without their text.
    pub(crate) fn reserve(&mut self, rows: usize) {
        of_type!(
            &mut self.values,
            list => list.reserve_exact(rows),
            texts => texts.ends.reserve_exact(rows)
        );
        if let Some(levels) = &mut self.levels {
            levels.reserve_exact(rows);
        }
    }

    /// Adds a cell, if the column stores it as it is; gives the bytes it takes up.
    #[inline]
    pub(crate) fn push(&mut self, cell: Cell<'_>) -> Option<usize> {
        let bytes = match (&mut self.values, cell) {
            (ValueBuffer::Int32(values), Cell::Int32(value)) => push(values, value),
            (ValueBuffer::Int64(values), Cell::Int64(value)) if !self.is_time => {
                push(values, value)
            }
            (ValueBuffer::Int64(values), Cell::TimestampMicros(value)) if self.is_time => {
                push(values, value)
            }
            (ValueBuffer::Double(values), Cell::Double(value)) => push(values, value),
            (ValueBuffer::Bool(values), Cell::Bool(value)) => push(values, value),
            (ValueBuffer::Utf8(texts), Cell::Utf8(value)) if value.len() <= MAX_TEXT_BYTES => {
                let text = &mut texts.text;
                if text.capacity() - text.len() < value.len() {
                    text.reserve_exact(room(text.len(), value.len()));
                }
                text.push_str(value);
                value.len() + push(&mut texts.ends, text.len())
            }
            (_, Cell::Null) => return self.levels.as_mut().map(|levels| push(levels, 0)),
            _ => return None,
        };
        Some(bytes + self.levels.as_mut().map_or(0, |levels| push(levels, 1)))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let values = of_type!(
            &self.values,
            list => allocated(list),
            texts => texts.text.capacity() + allocated(&texts.ends)
        );
        values + self.levels.as_ref().map_or(0, allocated)
    }
}

fn width<T>(_: &Vec<T>) -> usize {
    size_of::<T>()
}

fn allocated<T>(list: &Vec<T>) -> usize {
    list.capacity() * width(list)
}

/// The room for so many more, beside those that are there.
#[cold]
fn room(length: usize, more: usize) -> usize {
    more.max(length / 4 + 64)
}

#[inline]
fn push<T>(values: &mut Vec<T>, value: T) -> usize {
    if values.len() == values.capacity() {
        values.reserve_exact(room(values.len(), 1));
    }
    values.push(value);
    size_of::<T>()
}
