//! Rows of all segments → the document table and the list of rejected records. Made once, with the sketches; published
//! by a second name, so that a new threshold does not write them again.

use super::{DOCUMENTS_WORK, REJECTED, public};
use crate::engine::Engine;
use crate::phases::segment::{output_cell, type_of};
use crate::segments::{SegmentFile, Segments};
use crate::{Error, PhaseName};
use format::{AtomicFile, FormatError, Sealed};
use output::{
    Cell, ColumnType, DOCUMENTS, DocumentRow, JsonlTable, OutputError, ParquetTable, REJECTED as REJECTED_TABLE,
    RejectedRow,
};
use std::collections::BTreeMap;

const PHASE: PhaseName = PhaseName::Sketch;

/// Takes a full disk or an interrupt out of the error of a table whose writer met it.
pub(crate) fn table_error(phase: PhaseName) -> impl Fn(OutputError) -> Error + Copy {
    move |error| match format_error(&error) {
        Some(inner) => Error::from_format(Some(phase), inner),
        None => Error::Output(error),
    }
}

fn format_error(error: &OutputError) -> Option<FormatError> {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        let io = inner.downcast_ref::<std::io::Error>().and_then(|io| io.get_ref());
        if let Some(format) = io.and_then(|inner| inner.downcast_ref::<FormatError>()) {
            return Some(copy_of(format));
        }
        if let Some(io) = io {
            source = Some(io);
            continue;
        }
        source = inner.source();
    }
    None
}

/// Errors of the work directory that mean something to the exit code, taken out from behind a reference.
fn copy_of(error: &FormatError) -> FormatError {
    match error {
        FormatError::NoSpace { path, needed, free } => {
            FormatError::NoSpace { path: path.clone(), needed: *needed, free: *free }
        }
        FormatError::DiskLimit { path, limit, used } => {
            FormatError::DiskLimit { path: path.clone(), limit: *limit, used: *used }
        }
        FormatError::Interrupted => FormatError::Interrupted,
        FormatError::Damaged { path, offset, what } => {
            FormatError::Damaged { path: path.clone(), offset: *offset, what: what.clone() }
        }
        FormatError::Io { action, path, source } => {
            let source = source.raw_os_error().map_or_else(|| source.kind().into(), std::io::Error::from_raw_os_error);
            FormatError::Io { action, path: path.clone(), source }
        }
        other => FormatError::Io {
            action: "write",
            path: std::path::PathBuf::from("a table"),
            source: std::io::Error::other(other.to_string()),
        },
    }
}

/// Writes both; `counts` are those of the sketch phase.
pub(crate) fn document_tables(engine: &Engine<'_>, counts: &BTreeMap<String, u64>) -> Result<[Sealed; 2], Error> {
    let segments = engine.segments()?;
    let tables = [documents(engine, &segments, counts)?, rejected(engine, &segments)?];
    engine.disk.sync_dir(&engine.dir(PHASE)).map_err(Error::work(PHASE))?;
    Ok(tables)
}

fn documents(engine: &Engine<'_>, segments: &Segments, counts: &BTreeMap<String, u64>) -> Result<Sealed, Error> {
    let failed = table_error(PHASE);
    let carried = &engine.config.input.fields.carry;
    let kind = |name: &String| counts.get(&format!("field.{name}")).copied().and_then(type_of);
    let fields: Vec<(String, ColumnType)> =
        carried.iter().map(|name| (name.clone(), kind(name).unwrap_or(ColumnType::Utf8))).collect();
    // Only the parameters that made it: a new threshold publishes the same file again.
    let metadata = [("pipeline.parameters".to_owned(), crate::parameters::of(PHASE, engine.config))];
    let path = engine.dir(PHASE).join(DOCUMENTS_WORK);
    let file = AtomicFile::create(&engine.disk, &path).map_err(Error::work(PHASE))?;
    let mut table = ParquetTable::new(DOCUMENTS.schema_with(&fields)?, &metadata, file).map_err(failed)?;
    let mut rows = segments.rows(SegmentFile::Documents);
    let mut texts: Vec<String> = Vec::new();
    while let Some((doc, row)) = rows.next_document()? {
        let source = engine.listing.files.get(row.file as usize).map_or("", |file| file.name.as_str());
        texts.clear();
        let cells: Vec<Cell<'_>> = row.fields.iter().map(output_cell).collect();
        texts.extend(cells.iter().zip(&fields).map(|(cell, (_, kind))| carried_text(cell, *kind)));
        let cells: Vec<Cell<'_>> = cells
            .iter()
            .zip(&fields)
            .zip(&texts)
            .map(|((cell, (_, kind)), text)| carried_cell(cell, *kind, text))
            .collect();
        table
            .write(&DocumentRow {
                doc_id: public(doc),
                id: row.id,
                url: row.url,
                date: row.date,
                source,
                entry_offset: signed(row.entry_offset),
                inner_offset: signed(row.inner_offset),
                length: signed(row.length),
                bytes: signed(row.bytes),
                words: signed(row.words),
                shingles: signed(row.shingles),
                sketch_size: i32::try_from(row.sketch_size).unwrap_or(i32::MAX),
                modulus: i32::try_from(row.modulus).unwrap_or(i32::MAX),
                fields: &cells,
            })
            .map_err(failed)?;
    }
    let documents = table.rows();
    table.finish().map_err(failed)?.commit(documents).map_err(Error::work(PHASE))
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The text of a value in a column of mixed values; empty where it is not needed.
fn carried_text(cell: &Cell<'_>, kind: ColumnType) -> String {
    match (cell, kind) {
        (Cell::Int64(value), ColumnType::Utf8) => value.to_string(),
        (Cell::Double(value), ColumnType::Utf8) => value.to_string(),
        (Cell::Bool(value), ColumnType::Utf8) => value.to_string(),
        _ => String::new(),
    }
}

/// The value in the type of its column, which holds all values of the field.
fn carried_cell<'a>(cell: &Cell<'a>, kind: ColumnType, text: &'a str) -> Cell<'a> {
    match (*cell, kind) {
        (Cell::Int64(_) | Cell::Double(_) | Cell::Bool(_), ColumnType::Utf8) => Cell::Utf8(text),
        (Cell::Int64(value), ColumnType::Double) => Cell::Double(value as f64),
        (cell, _) => cell,
    }
}

fn rejected(engine: &Engine<'_>, segments: &Segments) -> Result<Sealed, Error> {
    let failed = table_error(PHASE);
    let file = AtomicFile::create(&engine.disk, &engine.dir(PHASE).join(REJECTED)).map_err(Error::work(PHASE))?;
    let mut table = JsonlTable::new(REJECTED_TABLE.schema(), file);
    for (name, rejection) in &engine.listing.rejected {
        let row = RejectedRow {
            source: name,
            offset: signed(rejection.offset),
            url: rejection.url.as_deref(),
            reason: rejection.reason,
            detail: &rejection.detail,
        };
        table.write(&row).map_err(failed)?;
    }
    let mut rows = segments.rows(SegmentFile::Rejected);
    while let Some(row) = rows.next_rejected()? {
        let listed = engine.listing.files.get(row.file as usize).map(|file| file.name.as_str());
        let source = row.name.or(listed).unwrap_or("");
        let offset = signed(row.offset);
        let row = RejectedRow { source, offset, url: row.url, reason: row.reason, detail: row.detail };
        table.write(&row).map_err(failed)?;
    }
    let rows = table.rows();
    table.finish().map_err(failed)?.commit(rows).map_err(Error::work(PHASE))
}
