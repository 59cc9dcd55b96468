//! The rows of tables, and the values that rows have as fields.

use crate::{Cell, ColumnType};
use model::Shingle;

/// Something that is a row: it hands its cells on in the order of the table's columns.
pub trait Row {
    /// Hands on one cell after the other.
    fn cells(&self, take: &mut impl FnMut(Cell<'_>));
}

impl Row for &[Cell<'_>] {
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        self.iter().for_each(|&cell| take(cell));
    }
}

/// A shingle, written as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hexadecimal(pub Shingle);

/// Microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Micros(pub i64);

/// A value of a row: one cell, or several side by side.
pub(crate) trait RowField {
    /// The type of its columns, unless the declaration names another.
    const KIND: ColumnType;
    /// Whether they can be null.
    const IS_NULLABLE: bool = false;
    /// How many cells it has.
    const CELLS: usize = 1;
    /// Hands them on.
    fn cells(&self, take: &mut impl FnMut(Cell<'_>));
}

macro_rules! single_cells {
    ($($type:ty => $kind:ident, |$value:ident| $cell:expr;)+) => {$(
        impl RowField for $type {
            const KIND: ColumnType = ColumnType::$kind;
            #[inline]
            fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
                let $value = *self;
                take(Cell::$kind($cell));
            }
        }
    )+};
}

single_cells! {
    i32 => Int32, |value| value;
    i64 => Int64, |value| value;
    u64 => Int64, |count| i64::try_from(count).unwrap_or(i64::MAX);
    f64 => Double, |value| value;
    bool => Bool, |value| value;
    &str => Utf8, |value| value;
    Micros => TimestampMicros, |time| time.0;
    Hexadecimal => Utf8, |shingle| &format!("{:016x}", shingle.0);
}

impl<T: RowField> RowField for Option<T> {
    const KIND: ColumnType = T::KIND;
    const IS_NULLABLE: bool = true;
    const CELLS: usize = T::CELLS;
    #[inline]
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        match self {
            Some(value) => value.cells(take),
            None => (0..T::CELLS).for_each(|_| take(Cell::Null)),
        }
    }
}

impl<T: RowField, const N: usize> RowField for [T; N] {
    const KIND: ColumnType = T::KIND;
    const IS_NULLABLE: bool = T::IS_NULLABLE;
    const CELLS: usize = N * T::CELLS;
    #[inline]
    fn cells(&self, take: &mut impl FnMut(Cell<'_>)) {
        self.iter().for_each(|value| value.cells(take));
    }
}
