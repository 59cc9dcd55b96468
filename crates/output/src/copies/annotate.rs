//! A Parquet file again, with columns that say what deduplication would do with each row.
//!
//! *Input.* The open file; the notes of the rows that are documents. *Output.* A file with the
//! columns of the notes, such as [`ANNOTATION`], behind its own. *Algorithm.* The columns of the
//! file are spliced in as they lie. *Memory.* The new columns of a row group, about 40 bytes a row.
//! *Limits.* Row groups come in the order of their bytes; page indexes and bloom filters are left
//! out, and so is the Arrow schema in the metadata, which would describe other columns.

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
use crate::{Cell, Column, LineFormat};

table! {
    /// The columns that are added to the user's own rows; all are null for a row that is no
    /// document.
    ANNOTATION: "annotation", "every row of an annotated file", sorted by [];
    /// The fate of a document in deduplication.
    Annotation<'a> {
        dedup_doc_id: Option<i64>, "the document, as in the tables";
        dedup_cluster_id: Option<i64>, "its cluster; its own doc_id if alone";
        dedup_cluster_documents: Option<i64>, "how many documents its cluster has; 1 if alone";
        dedup_keep: Option<bool>, "whether it stays";
        dedup_class: Option<&'a str>, Repeated,
            "how it is related to the kept document: identical, lexical, shingle or similar; null if it stays";
    }
}

/// The notes of the documents of a file, in its order.
pub trait RowAnnotations {
    /// The columns that are added to the rows.
    fn columns(&self) -> Vec<Column>;
    /// Goes to the next document, and says where it lies.
    fn next(&mut self) -> Result<Option<Place>, SinkError>;
    /// Hands on the cells of its note, one for each column.
    fn cells(&self, take: &mut dyn FnMut(Cell<'_>));
}

/// Appends a member of a JSON object for each column, with a comma behind it.
pub fn write_members(
    columns: &[Column],
    cells: impl FnOnce(&mut dyn FnMut(Cell<'_>)),
    out: &mut String,
) {
    let mut names = columns.iter().map(|column| &*column.name);
    cells(&mut |cell| {
        let mut value = Vec::new();
        LineFormat::Jsonl.write_cell(cell, &mut value);
        let (name, value) = (names.next().unwrap_or(""), String::from_utf8_lossy(&value));
        *out += &format!("\"{name}\":{value},");
    });
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
    let columns = annotations.columns();
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
            let mut buffers = buffers.iter_mut();
            let mut put = |cell: Cell<'_>| {
                let _ = buffers.next().map(|buffer| buffer.push(cell));
            };
            let here = next.filter(|place| place.start() == (offset, row));
            match here {
                Some(_) => annotations.cells(&mut put),
                None => columns.iter().for_each(|_| put(Cell::Null)),
            }
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
