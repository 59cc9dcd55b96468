//! A table as a Parquet file: texts as strings, numbers as doubles, a missing figure as null.

use crate::table::{Cell, Table};
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::sync::Arc;

/// The bytes of the file.
///
/// # Errors
/// Those of the library; there is none for a table whose rows have a cell for each column.
pub(crate) fn parquet(table: &Table) -> Result<Vec<u8>, ParquetError> {
    let is_text = |at: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(at));
        cells.into_iter().any(|cell| matches!(cell, Cell::Text(_)))
    };
    let fields = table.columns.iter().enumerate().map(|(at, name)| {
        let (physical, logical) = match is_text(at) {
            true => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            false => (PhysicalType::DOUBLE, None),
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        Ok(Arc::new(field.build()?))
    });
    let fields = fields.collect::<Result<Vec<_>, ParquetError>>()?;
    let schema = Type::group_type_builder("table").with_fields(fields);
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema.build()?), properties)?;
    let mut group = writer.next_row_group()?;
    let mut at = 0;
    while let Some(mut column) = group.next_column()? {
        let cells = || table.rows.iter().filter_map(move |row| row.get(at));
        match column.untyped() {
            ColumnWriter::ByteArrayColumnWriter(writer) => {
                let texts = cells().map(|cell| match cell {
                    Cell::Missing => None,
                    cell => Some(ByteArray::from(cell.to_string().as_str())),
                });
                let (values, levels) = nullable(texts);
                writer.write_batch(&values, Some(&levels), None)?;
            }
            ColumnWriter::DoubleColumnWriter(writer) => {
                let numbers = cells().map(|cell| match cell {
                    Cell::Whole(number) => Some(*number as f64),
                    Cell::Number(number) => Some(*number),
                    Cell::Text(_) | Cell::Missing => None,
                });
                let (values, levels) = nullable(numbers);
                writer.write_batch(&values, Some(&levels), None)?;
            }
            _ => {}
        }
        column.close()?;
        at += 1;
    }
    group.close()?;
    writer.into_inner()
}

/// The values that are there, and for each cell whether it is.
fn nullable<T>(cells: impl Iterator<Item = Option<T>>) -> (Vec<T>, Vec<i16>) {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        levels.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    (values, levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::row;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    #[test]
    fn the_file_has_the_cells_of_the_table() {
        let table = Table::new(
            "times",
            [
                row! { "method": "sets", "n": 12_usize, "CPU s": 0.25 },
                row! { "method": "minima", "n": 7_usize, "CPU s": None::<f64> },
            ],
        );
        let bytes = bytes::Bytes::from(parquet(&table).expect("a file"));
        let reader = SerializedFileReader::new(bytes).expect("Parquet");
        let rows = reader.get_row_iter(None).expect("rows");
        let rows: Vec<String> = rows.map(|row| row.expect("a row").to_string()).collect();
        assert_eq!(
            rows,
            [
                "{method: \"sets\", n: 12.0, CPU s: 0.25}",
                "{method: \"minima\", n: 7.0, CPU s: null}"
            ]
        );
    }
}
