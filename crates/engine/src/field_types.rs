//! The values and column types of the fields that documents carry from the input.

use format::FieldCell;
use input::FieldValue;
use output::{Cell, ColumnType};

/// The column types in the order of their numbers in the manifest, which begin with 1. The number
/// 0 means that all values were null.
const TYPES: [ColumnType; 4] = [
    ColumnType::Int64,
    ColumnType::Double,
    ColumnType::Utf8,
    ColumnType::Bool,
];

/// The number of a column type in the manifest.
pub fn type_number(kind: ColumnType) -> u64 {
    TYPES
        .iter()
        .position(|known| *known == kind)
        .map_or(3, |at| at as u64 + 1)
}

/// The column type that holds the values of both types; types are numbers of the manifest.
pub fn join_types(a: u64, b: u64) -> u64 {
    let seen = type_of(a);
    let sample = match type_of(b) {
        None => Cell::Null,
        Some(ColumnType::Double) => Cell::Double(0.0),
        Some(ColumnType::Utf8) => Cell::Utf8(""),
        Some(ColumnType::Bool) => Cell::Bool(false),
        Some(_) => Cell::Int64(0),
    };
    ColumnType::join(seen, sample).map_or(0, type_number)
}

/// The column type with this number in the manifest.
pub fn type_of(number: u64) -> Option<ColumnType> {
    TYPES
        .get(usize::try_from(number.checked_sub(1)?).ok()?)
        .copied()
}

/// A carried field as it is stored in a document row.
pub fn field_cell(value: &FieldValue) -> FieldCell<'_> {
    match value {
        FieldValue::Null => FieldCell::Null,
        FieldValue::Integer(value) => FieldCell::Integer(*value),
        FieldValue::Float(value) => FieldCell::Float(*value),
        FieldValue::Text(text) => FieldCell::Text(text),
        FieldValue::Bool(value) => FieldCell::Bool(*value),
    }
}

/// A carried field as a cell of the document table.
pub fn output_cell<'a>(cell: &FieldCell<'a>) -> Cell<'a> {
    match *cell {
        FieldCell::Null => Cell::Null,
        FieldCell::Integer(value) => Cell::Int64(value),
        FieldCell::Float(value) => Cell::Double(value),
        FieldCell::Text(text) => Cell::Utf8(text),
        FieldCell::Bool(value) => Cell::Bool(value),
    }
}
