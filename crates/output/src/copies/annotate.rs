//! A Parquet file again, with columns that say what deduplication would do with each row.
//!
//! *Input.* The open file; the annotations of the rows that are documents. *Output.* A file with
//! the columns of [`ANNOTATION`] behind its own. *Algorithm.* The columns of the file are spliced
//! in as they lie. *Memory.* The new columns of a row group, about 40 bytes a row. *Limits.* Row
//! groups come in the order of their bytes; page indexes and bloom filters are left out, and so is
//! the Arrow schema in the metadata, which would describe other columns.

use std::io::Write;
use std::sync::Arc;

use input::{InputError, ParquetCopy, Place, SinkError, SourceFile};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::parquet::{TABLE, changed, failed, properties_with, refused, with_source};
use crate::column_values::ColumnValues;
use crate::declaration::table;
use crate::parquet_schema::field_of;
use crate::parquet_table::{WriterSlot, append_columns, finish};
use crate::{Cell, Row};

table! {
    /// The columns that are added to the user's own rows; all are null for a row that is no
    /// document.
    ANNOTATION: "annotation", "every row of an annotated file", sorted by [];
    /// The fate of a document in deduplication.
    Annotation<'a> {
        dedup_doc_id: Option<i64>, "the document, as in the tables";
        dedup_cluster_id: Option<i64>, "its cluster; its own doc_id if alone";
        dedup_keep: Option<bool>, "whether it stays";
        dedup_class: Option<&'a str>, Repeated,
            "how it is related to the kept document: identical, lexical, shingle or similar; null if it stays";
    }
}

impl Annotation<'_> {
    /// That of a row which is no document.
    const NONE: Annotation<'static> = Annotation {
        dedup_doc_id: None,
        dedup_cluster_id: None,
        dedup_keep: None,
        dedup_class: None,
    };

    /// Appends the members of a JSON object, each with a comma behind it.
    pub fn write_members(&self, out: &mut String) {
        let columns = ANNOTATION.columns();
        let mut names = columns.iter().map(|column| &*column.name);
        self.cells(&mut |cell| {
            let mut value = Vec::new();
            match cell {
                Cell::Null => value.extend_from_slice(b"null"),
                cell => cell.write_plain(&mut value),
            }
            let quote = if matches!(cell, Cell::Utf8(_)) {
                "\""
            } else {
                ""
            };
            let (name, value) = (names.next().unwrap_or(""), String::from_utf8_lossy(&value));
            *out += &format!("\"{name}\":{quote}{value}{quote},");
        });
    }
}

/// Where the annotations of the rows of a file come from.
pub trait RowAnnotations {
    /// The next document and its annotation, in file order.
    fn next(&mut self) -> Result<Option<(Place, Annotation<'static>)>, SinkError>;
}

/// Copies all rows with the new columns; hands the writer back.
pub fn annotate_parquet<W: Write + Send>(
    file: &SourceFile,
    max_page_bytes: u64,
    annotations: &mut dyn RowAnnotations,
    out: W,
) -> Result<W, InputError> {
    with_source(file, max_page_bytes, |source| {
        annotate_rows(file, source, annotations, out)
    })
}

fn annotate_rows<W: Write + Send>(
    file: &SourceFile,
    source: &ParquetCopy,
    annotations: &mut dyn RowAnnotations,
    out: W,
) -> Result<W, InputError> {
    let metadata = source.metadata();
    let schema = metadata.file_metadata().schema_descr().root_schema_ptr();
    let columns = ANNOTATION.columns();
    let is_taken = |name: &str| schema.get_fields().iter().any(|field| field.name() == name);
    if let Some(column) = columns.iter().find(|column| is_taken(&column.name)) {
        return Err(refused(file, format!("it has a column {}", column.name)));
    }
    let mut fields = schema.get_fields().to_vec();
    for column in &columns {
        fields.push(Arc::new(field_of(column).map_err(failed)?));
    }
    let schema = Type::group_type_builder(schema.name()).with_fields(fields);
    let schema = Arc::new(schema.build().map_err(failed)?);
    let metadata_of_file = metadata.file_metadata().key_value_metadata().cloned();
    let metadata_of_file = metadata_of_file.map(|mut pairs| {
        pairs.retain(|pair| pair.key != "ARROW:schema");
        pairs
    });
    let properties = properties_with(metadata, metadata_of_file).build();
    let mut writer = SerializedFileWriter::new(WriterSlot::new(out), schema, Arc::new(properties))
        .map_err(failed)?;
    let properties = Arc::clone(writer.properties());
    let own = writer.schema_descr().columns();
    let own = own[own.len() - columns.len()..].to_vec();
    let mut next = annotations.next()?;
    for (offset, index) in source.groups() {
        let group = metadata.row_group(index);
        let mut buffers: Vec<ColumnValues> = columns.iter().map(ColumnValues::new).collect();
        for row in 0..group.num_rows().unsigned_abs() {
            let here =
                next.filter(|(place, _)| (place.entry_offset, place.inner_offset) == (offset, row));
            let mut buffers = buffers.iter_mut();
            let annotation = here.map_or(Annotation::NONE, |(_, annotation)| annotation);
            annotation.cells(&mut |cell| {
                let _ = buffers.next().map(|buffer| buffer.push(cell));
            });
            if here.is_some() {
                next = annotations.next()?;
            }
        }
        let mut target = writer.next_row_group().map_err(failed)?;
        append_columns(&mut target, source.bytes(), group, |column| {
            Ok(column.clone())
        })
        .map_err(failed)?;
        for (buffer, column) in buffers.iter_mut().zip(&own) {
            let (chunk, closed) = buffer
                .encode(Arc::clone(column), Arc::clone(&properties))
                .map_err(failed)?;
            target.append_column(&chunk, closed).map_err(failed)?;
        }
        target.close().map_err(failed)?;
    }
    if next.is_some() {
        return Err(changed(file));
    }
    finish(writer, TABLE).map_err(|error| InputError::Sink(Box::new(error)))
}
