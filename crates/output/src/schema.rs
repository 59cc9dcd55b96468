//! The schema of a table: names, types and meaning of its columns, from which every writer and
//! reader works.

use std::borrow::Cow;

use crate::row::RowField;
use crate::{Cell, ColumnType, OutputError};

/// Longest text of a cell. Page sizes of Parquet are signed 32-bit numbers; half of that leaves
/// room.
pub(crate) const MAX_TEXT_BYTES: usize = 1 << 30;

/// How the values of a column repeat, and so how they are best stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// Mostly different: stored plainly.
    Distinct,
    /// Whole numbers that ascend, or most of them: stored by what each is above the one before.
    Ascending,
    /// Texts that are different, and of the same parts as those shortly before, as ids and URLs
    /// are: stored plainly, and packed in the fastest way, which finds those parts as well.
    Names,
    /// As [`Repetition::Names`], and each of them more than once: stored by a dictionary.
    SharedNames,
    /// Few different ones: stored by a dictionary.
    Repeated,
    /// A carried field: a dictionary while it stays small; values of another type are made to fit.
    Carried,
}

/// One column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its type.
    pub kind: ColumnType,
    /// Whether null can occur.
    pub nullable: bool,
    /// How its values repeat.
    pub values: Repetition,
    /// Its meaning; empty for carried fields.
    pub about: &'static str,
}

/// A table as it is declared, without carried fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name: the stem of its file, `documents` for those of all snapshots.
    pub name: &'static str,
    /// The objects that have one row each: "every document".
    pub row: &'static str,
    /// The columns of each field of its rows.
    pub fields: &'static [&'static [Column]],
    /// The columns by which its rows strictly ascend; none if they have no order of their own.
    pub sorted_by: &'static [&'static str],
}

/// The columns of one table as it is written: the declared ones, then carried fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    name: String,
    columns: Vec<Column>,
    /// Positions of the columns by which the rows strictly ascend.
    sorted_by: Vec<usize>,
}

impl Column {
    /// The column of a field of this type.
    pub(crate) const fn of<F: RowField>(name: &'static str, about: &'static str) -> Column {
        Column {
            name: Cow::Borrowed(name),
            kind: F::KIND,
            nullable: F::IS_NULLABLE,
            values: Repetition::Distinct,
            about,
        }
    }

    pub(crate) const fn stored(mut self, values: Repetition) -> Column {
        self.values = values;
        self
    }

    /// Whether the column stores the cell as it is, which is the rule.
    #[inline]
    fn takes(&self, cell: Cell<'_>) -> bool {
        match (cell, self.kind) {
            (Cell::Null, _) => self.nullable,
            (Cell::Utf8(text), ColumnType::Utf8) => text.len() <= MAX_TEXT_BYTES,
            (Cell::Int32(_), ColumnType::Int32)
            | (Cell::Int64(_), ColumnType::Int64)
            | (Cell::Double(_), ColumnType::Double)
            | (Cell::Bool(_), ColumnType::Bool)
            | (Cell::TimestampMicros(_), ColumnType::TimestampMicros) => true,
            _ => false,
        }
    }

    /// The cell as this column stores it, `text` being room for a value that has to change; `None`
    /// if it does not fit.
    pub(crate) fn fit<'a>(&self, cell: Cell<'a>, text: &'a mut String) -> Option<Cell<'a>> {
        match cell.column_type() {
            None => self.nullable.then_some(Cell::Null),
            Some(kind) if kind == self.kind => Some(cell),
            Some(_) if self.values == Repetition::Carried => cell.carried_as(self.kind, text),
            Some(_) => None,
        }
    }
}

impl Table {
    /// Its columns.
    pub fn columns(&self) -> Vec<Column> {
        self.fields.concat()
    }

    /// The schema without carried fields.
    pub fn schema(&self) -> Schema {
        Schema::new(self.name.to_owned(), self.columns(), self.sorted_by)
    }

    /// The schema with carried fields, which may be null, after the declared columns.
    pub fn schema_with(&self, fields: &[(String, ColumnType)]) -> Result<Schema, OutputError> {
        let mut columns = self.columns();
        for (name, kind) in fields {
            let refuse = |reason: &str| {
                OutputError::Refused(format!(
                    "failed to add field {name:?} to table {}: {reason}; change carry-fields in \
                     [input]",
                    self.name
                ))
            };
            if name.is_empty() {
                return Err(refuse("the name is empty"));
            }
            let lower = name.to_lowercase();
            if columns
                .iter()
                .any(|column| column.name.to_lowercase() == lower)
            {
                return Err(refuse("the table already has a column of that name"));
            }
            let name = Cow::Owned(name.clone());
            columns.push(Column {
                name,
                kind: *kind,
                nullable: true,
                values: Repetition::Carried,
                about: "",
            });
        }
        Ok(Schema::new(self.name.to_owned(), columns, self.sorted_by))
    }
}

impl Schema {
    /// Columns named in `sorted_by` that the table lacks end the order.
    pub(crate) fn new(name: String, columns: Vec<Column>, sorted_by: &[&str]) -> Schema {
        let at = |name: &&str| columns.iter().position(|column| column.name == *name);
        let sorted_by = sorted_by.iter().map_while(at).collect();
        Schema {
            name,
            columns,
            sorted_by,
        }
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The columns, in the order of a row's cells.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Positions of the columns by which the rows strictly ascend.
    pub fn sorted_by(&self) -> &[usize] {
        &self.sorted_by
    }

    /// Position of the column of that name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    pub(crate) fn names(&self, positions: impl Iterator<Item = usize>) -> String {
        let names: Vec<&str> = positions
            .filter_map(|at| self.columns.get(at))
            .map(|c| c.name.as_ref())
            .collect();
        names.join(", ")
    }

    /// The error of a row that does not fit.
    pub(crate) fn wrong_row(&self, fault: &str) -> OutputError {
        OutputError::Refused(format!("failed to write table {}: {fault}", self.name))
    }

    /// Hands on the cells of `row` with their columns, made to fit.
    pub(crate) fn each_cell(
        &self,
        row: &impl crate::Row,
        mut take: impl FnMut(usize, Cell<'_>),
    ) -> Result<(), OutputError> {
        self.try_each_cell(row, |at, cell| {
            let takes = self
                .columns
                .get(at)
                .is_some_and(|column| column.takes(cell));
            if takes {
                take(at, cell);
            }
            takes
        })
    }

    /// As [`Schema::each_cell`], for a caller that can tell whether a column stores a cell as it
    /// is. If `take` refuses a cell that can be made to fit, it gets the fitted cell.
    pub(crate) fn try_each_cell(
        &self,
        row: &impl crate::Row,
        mut take: impl FnMut(usize, Cell<'_>) -> bool,
    ) -> Result<(), OutputError> {
        let (mut width, mut failure, mut text) = (0, None, String::new());
        row.cells(&mut |cell| {
            let at = width;
            width += 1;
            if failure.is_none() && !take(at, cell) {
                failure = self.take_fitted(at, cell, &mut text, &mut take);
            }
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        match self.columns.len() {
            expected if expected == width => Ok(()),
            expected => Err(self.wrong_row(&format!("a row has {expected} values, got {width}"))),
        }
    }

    /// Hands on a cell that its column does not store as it is; what is wrong with it, if it cannot
    /// be made to fit. Cells behind the last column are passed over: they are counted by others.
    #[cold]
    fn take_fitted(
        &self,
        at: usize,
        cell: Cell<'_>,
        text: &mut String,
        take: &mut impl FnMut(usize, Cell<'_>) -> bool,
    ) -> Option<OutputError> {
        let column = self.columns.get(at)?;
        let Column { name, kind, .. } = column;
        let fault = match column.fit(cell, text) {
            Some(Cell::Utf8(long)) if long.len() > MAX_TEXT_BYTES => format!(
                "column {name} takes texts of at most {MAX_TEXT_BYTES} bytes, got {}; remove the \
                 field from carry-fields in [input], or lower max-document",
                long.len()
            ),
            Some(fitted) if take(at, fitted) => return None,
            _ => format!("column {name} expects {kind}, got {}", cell.type_name()),
        };
        Some(self.wrong_row(&fault))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DOCUMENTS;

    #[test]
    fn carried_fields_must_have_names_of_their_own() {
        let with = |names: &[&str]| {
            let fields: Vec<_> = names
                .iter()
                .map(|name| ((*name).to_owned(), ColumnType::Utf8))
                .collect();
            DOCUMENTS
                .schema_with(&fields)
                .map(|schema| schema.columns().len())
        };
        assert_eq!(
            with(&["licence", "a.b", "ключ"]).unwrap(),
            DOCUMENTS.columns().len() + 3
        );
        assert!(matches!(with(&["URL"]), Err(OutputError::Refused(_))));
        assert!(matches!(with(&[""]), Err(OutputError::Refused(_))));
        assert!(matches!(
            with(&["Ключ", "ключ"]),
            Err(OutputError::Refused(_))
        ));
    }
}
