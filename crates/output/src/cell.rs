//! One value of a table, and the type of a column.
//!
//! The types are those that every reader of Parquet knows. Carried fields have the type of their
//! values: see [`ColumnType::join`] for choosing it and [`Cell::carried_as`] for what becomes of a
//! value of another type.

use std::fmt;
use std::io::Write;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// 32-bit signed integer.
    Int32,
    /// 64-bit signed integer.
    Int64,
    /// 64-bit float.
    Double,
    /// UTF-8 text.
    Utf8,
    /// True or false.
    Bool,
    /// Microseconds since 1970-01-01T00:00:00Z.
    TimestampMicros,
}

/// One value, borrowed from the row it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Null,
    /// 32-bit signed integer.
    Int32(i32),
    /// 64-bit signed integer.
    Int64(i64),
    /// 64-bit float.
    Double(f64),
    /// Text.
    Utf8(&'a str),
    /// True or false.
    Bool(bool),
    /// Microseconds since 1970-01-01T00:00:00Z.
    TimestampMicros(i64),
}

impl ColumnType {
    /// The name used in messages and descriptions.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Int32 => "int32",
            ColumnType::Int64 => "int64",
            ColumnType::Double => "double",
            ColumnType::Utf8 => "utf8",
            ColumnType::Bool => "bool",
            ColumnType::TimestampMicros => "timestamp-micros",
        }
    }

    /// The type that holds what `seen` holds and `cell` too; `None` while only nulls were seen.
    ///
    /// Two types that differ join to text, except integers and floats, which join to
    /// [`ColumnType::Double`] (integers beyond 2^53 are then rounded). The order of the values does
    /// not matter. A column of nulls only is to be declared [`ColumnType::Utf8`].
    pub fn join(seen: Option<ColumnType>, cell: Cell<'_>) -> Option<ColumnType> {
        use ColumnType::{Double, Int32, Int64, Utf8};
        let Some(new) = cell.column_type() else {
            return seen;
        };
        Some(match (seen, new) {
            (None, new) => new,
            (Some(old), new) if old == new => old,
            (Some(Int32 | Int64), Int32 | Int64) => Int64,
            (Some(Int32 | Int64 | Double), Int32 | Int64 | Double) => Double,
            _ => Utf8,
        })
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl<'a> Cell<'a> {
    /// The type of this value; `None` for null.
    pub fn column_type(&self) -> Option<ColumnType> {
        match self {
            Cell::Null => None,
            Cell::Int32(_) => Some(ColumnType::Int32),
            Cell::Int64(_) => Some(ColumnType::Int64),
            Cell::Double(_) => Some(ColumnType::Double),
            Cell::Utf8(_) => Some(ColumnType::Utf8),
            Cell::Bool(_) => Some(ColumnType::Bool),
            Cell::TimestampMicros(_) => Some(ColumnType::TimestampMicros),
        }
    }

    /// The name of the type, or `null`.
    pub fn type_name(&self) -> &'static str {
        self.column_type().map_or("null", ColumnType::name)
    }

    /// The value as a column of a carried field takes it, `text` being room for it; `None` where it
    /// cannot.
    ///
    /// Integers widen to 64 bits and to floats; everything becomes text as JSON would write it.
    pub(crate) fn carried_as(self, kind: ColumnType, text: &'a mut String) -> Option<Cell<'a>> {
        match (self, kind) {
            (Cell::Null, _) => Some(Cell::Null),
            (cell, kind) if cell.column_type() == Some(kind) => Some(cell),
            (Cell::Int32(value), ColumnType::Int64) => Some(Cell::Int64(i64::from(value))),
            (Cell::Int32(value), ColumnType::Double) => Some(Cell::Double(f64::from(value))),
            (Cell::Int64(value), ColumnType::Double) => Some(Cell::Double(value as f64)),
            (cell, ColumnType::Utf8) => {
                text.clear();
                let mut bytes = std::mem::take(text).into_bytes();
                cell.write_plain(&mut bytes);
                *text = String::from_utf8(bytes).ok()?;
                Some(Cell::Utf8(text))
            }
            _ => None,
        }
    }

    /// Appends the value without quotes: numbers in their shortest form, times as RFC 3339, null as
    /// nothing.
    pub(crate) fn write_plain(&self, out: &mut Vec<u8>) {
        // Writing into a Vec cannot fail.
        let _ = match *self {
            Cell::Null => Ok(()),
            Cell::Int32(value) => write!(out, "{value}"),
            Cell::Int64(value) => write!(out, "{value}"),
            Cell::Double(value) if value.is_finite() => {
                serde_json::to_writer(&mut *out, &value).map_err(std::io::Error::from)
            }
            Cell::Double(value) => write!(out, "{value}"),
            Cell::Utf8(value) => out.write_all(value.as_bytes()),
            Cell::Bool(value) => write!(out, "{value}"),
            Cell::TimestampMicros(value) => out.write_all(crate::rfc3339(value).as_bytes()),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(cells: &[Cell<'_>]) -> Option<ColumnType> {
        cells
            .iter()
            .fold(None, |seen, &cell| ColumnType::join(seen, cell))
    }

    #[test]
    fn types_join_in_any_order() {
        use Cell::{Bool, Double, Int64, Null, Utf8};
        assert_eq!(joined(&[]), None);
        assert_eq!(joined(&[Null, Null]), None);
        assert_eq!(joined(&[Null, Int64(1), Int64(2)]), Some(ColumnType::Int64));
        let cells = [Int64(1), Double(0.5), Utf8("x"), Bool(true), Null];
        for a in cells {
            for b in cells {
                for c in cells {
                    assert_eq!(joined(&[a, b, c]), joined(&[c, b, a]), "{a:?} {b:?} {c:?}");
                    assert_eq!(joined(&[a, b, c]), joined(&[b, a, c]), "{a:?} {b:?} {c:?}");
                    let kind = joined(&[a, b, c]).unwrap_or(ColumnType::Utf8);
                    assert!(
                        a.carried_as(kind, &mut String::new()).is_some(),
                        "{a:?} as {kind}"
                    );
                }
            }
        }
    }

    #[test]
    fn other_values_become_text_as_json_writes_them() {
        let mut text = "left over".to_owned();
        assert_eq!(
            Cell::Int64(-7).carried_as(ColumnType::Utf8, &mut text),
            Some(Cell::Utf8("-7"))
        );
        assert_eq!(
            Cell::Double(0.1).carried_as(ColumnType::Utf8, &mut text),
            Some(Cell::Utf8("0.1"))
        );
        assert_eq!(
            Cell::Bool(true).carried_as(ColumnType::Utf8, &mut text),
            Some(Cell::Utf8("true"))
        );
        assert_eq!(
            Cell::Int64(3).carried_as(ColumnType::Double, &mut text),
            Some(Cell::Double(3.0))
        );
        assert_eq!(
            Cell::Utf8("x").carried_as(ColumnType::Int64, &mut text),
            None
        );
    }
}
