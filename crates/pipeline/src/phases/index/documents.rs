//! Rows of all segments → the document table and the list of rejected records. Made once, with the
//! sketches; published by a second name, so that a new threshold does not write them again.

use super::{REJECTED, documents_table};
use crate::engine::Engine;
use crate::phases::segment::{output_cell, type_of};
use crate::publish::Publication;
use crate::segments::{SegmentFile, Segments, Span};
use crate::{Error, PhaseName};
use format::{AtomicFile, FormatError, Sealed};
use model::{DocId, SnapshotNumber};
use output::{
    Cell, ColumnType, DOCUMENTS, DocumentRow, JsonlTable, OutputError, ParquetTable,
    REJECTED as REJECTED_TABLE, RejectedRow,
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
        let io = inner
            .downcast_ref::<std::io::Error>()
            .and_then(|io| io.get_ref());
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

/// Errors of the work directory that mean something to the exit code, taken out from behind a
/// reference.
fn copy_of(error: &FormatError) -> FormatError {
    match error {
        FormatError::NoSpace { path, needed, free } => FormatError::NoSpace {
            path: path.clone(),
            needed: *needed,
            free: *free,
        },
        FormatError::DiskLimit { path, limit, used } => FormatError::DiskLimit {
            path: path.clone(),
            limit: *limit,
            used: *used,
        },
        FormatError::Interrupted => FormatError::Interrupted,
        FormatError::Damaged { path, offset, what } => FormatError::Damaged {
            path: path.clone(),
            offset: *offset,
            what: what.clone(),
        },
        FormatError::Io {
            action,
            path,
            source,
        } => {
            let source = source
                .raw_os_error()
                .map_or_else(|| source.kind().into(), std::io::Error::from_raw_os_error);
            FormatError::Io {
                action,
                path: path.clone(),
                source,
            }
        }
        other => FormatError::Io {
            action: "write",
            path: std::path::PathBuf::from("a table"),
            source: std::io::Error::other(other.to_string()),
        },
    }
}

/// Name of the document table of a snapshot in the directory of the sketch phase.
pub(crate) fn documents_work(snapshot: u32) -> String {
    format!("documents-{snapshot}.parquet")
}

/// Name of the rejected records of a snapshot in the directory of the sketch phase.
pub(crate) fn rejected_work(snapshot: u32) -> String {
    format!("rejected-{snapshot}.jsonl")
}

/// Writes both of a snapshot, by its place among those of the run.
pub(crate) fn document_tables(engine: &Engine<'_>, snapshot: usize) -> Result<Vec<Sealed>, Error> {
    let segments = engine.segments()?;
    let number = engine
        .manifest()
        .snapshots
        .get(snapshot)
        .map(|record| record.number);
    let Some(span) = engine
        .spans()
        .into_iter()
        .find(|span| Some(span.number) == number)
    else {
        return Err(Error::Usage(
            "failed to write tables: their snapshot is unknown".to_owned(),
        ));
    };
    let tables = vec![
        documents(engine, &segments, (snapshot, &span))?,
        rejected(engine, &segments, (snapshot, &span))?,
    ];
    engine
        .disk
        .sync_dir(&engine.dir(PHASE))
        .map_err(Error::work(PHASE))?;
    Ok(tables)
}

fn documents(
    engine: &Engine<'_>,
    segments: &Segments,
    (at, span): (usize, &Span),
) -> Result<Sealed, Error> {
    let failed = table_error(PHASE);
    let carried = &engine.config.input.fields.carry;
    let counts = engine.manifest().snapshots[at].sketched.counts.clone();
    let kind = |name: &String| {
        counts
            .get(&format!("field.{name}"))
            .copied()
            .and_then(type_of)
    };
    let fields: Vec<(String, ColumnType)> = carried
        .iter()
        .map(|name| (name.clone(), kind(name).unwrap_or(ColumnType::Utf8)))
        .collect();
    // Only the parameters that made it: a new threshold publishes the same file again.
    let metadata = [(
        "pipeline.parameters".to_owned(),
        crate::parameters::of(PHASE, engine.config),
    )];
    let path = engine.dir(PHASE).join(documents_work(span.number));
    let file = AtomicFile::create(&engine.disk, &path).map_err(Error::work(PHASE))?;
    let table =
        ParquetTable::new(DOCUMENTS.schema_with(&fields)?, &metadata, file).map_err(failed)?;
    let mut table = table.expecting(u64::from(span.documents));
    let mut rows = segments.rows_of_snapshot(span, SegmentFile::Documents);
    let mut texts: Vec<String> = Vec::new();
    let ids = |doc: u32| {
        SnapshotNumber(span.number)
            .public(DocId(doc - span.first))
            .0
    };
    while let Some((doc, row)) = rows.next_document()? {
        let source = engine
            .inputs
            .listing
            .files
            .get(row.file as usize)
            .map_or("", |file| file.name.as_str());
        texts.clear();
        let cells: Vec<Cell<'_>> = row.fields.iter().map(output_cell).collect();
        texts.extend(
            cells
                .iter()
                .zip(&fields)
                .map(|(cell, (_, kind))| carried_text(cell, *kind)),
        );
        let cells: Vec<Cell<'_>> = cells
            .iter()
            .zip(&fields)
            .zip(&texts)
            .map(|((cell, (_, kind)), text)| carried_cell(cell, *kind, text))
            .collect();
        table
            .write(&DocumentRow {
                doc_id: ids(doc),
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
    table
        .finish()
        .map_err(failed)?
        .commit(documents)
        .map_err(Error::work(PHASE))
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

fn rejected(
    engine: &Engine<'_>,
    segments: &Segments,
    (at, span): (usize, &Span),
) -> Result<Sealed, Error> {
    let failed = table_error(PHASE);
    let path = engine.dir(PHASE).join(rejected_work(span.number));
    let file = AtomicFile::create(&engine.disk, &path).map_err(Error::work(PHASE))?;
    let mut table = JsonlTable::new(REJECTED_TABLE.schema(), file);
    for (name, rejection) in
        &engine.inputs.listing.rejected[engine.inputs.snapshots[at].rejected.clone()]
    {
        let row = RejectedRow {
            source: name,
            offset: signed(rejection.offset),
            url: rejection.url.as_deref(),
            reason: rejection.reason,
            detail: &rejection.detail,
        };
        table.write(&row).map_err(failed)?;
    }
    let mut rows = segments.rows_of_snapshot(span, SegmentFile::Rejected);
    while let Some(row) = rows.next_rejected()? {
        let listed = engine
            .inputs
            .listing
            .files
            .get(row.file as usize)
            .map(|file| file.name.as_str());
        let source = row.name.or(listed).unwrap_or("");
        let offset = signed(row.offset);
        let row = RejectedRow {
            source,
            offset,
            url: row.url,
            reason: row.reason,
            detail: row.detail,
        };
        table.write(&row).map_err(failed)?;
    }
    let rows = table.rows();
    table
        .finish()
        .map_err(failed)?
        .commit(rows)
        .map_err(Error::work(PHASE))
}

/// Puts the tables of all snapshots into a publication; those of the sketch phase get a second
/// name.
pub(super) fn publish(
    engine: &Engine<'_>,
    publication: &Publication,
) -> Result<BTreeMap<String, Sealed>, Error> {
    let work = engine.dir(PHASE);
    let spans = engine.spans();
    let mut outputs = BTreeMap::new();
    let mut link = |from: &str, to: String| {
        let sealed = engine.sealed(PHASE, from)?;
        AtomicFile::verify(&engine.disk, &work.join(from), &sealed).map_err(Error::work(PHASE))?;
        publication.link(&work.join(from), &to)?;
        outputs.insert(to.clone(), Sealed { name: to, ..sealed });
        Ok::<(), Error>(())
    };
    for span in &spans {
        link(&documents_work(span.number), documents_table(&span.name))?;
    }
    if let [only] = &spans[..] {
        link(&rejected_work(only.number), REJECTED.to_owned())?;
        return Ok(outputs);
    }
    let mut all = publication.file(REJECTED)?;
    let mut records = 0;
    for span in &spans {
        let sealed = engine.sealed(PHASE, &rejected_work(span.number))?;
        records += sealed.records;
        let path = work.join(&sealed.name);
        AtomicFile::verify(&engine.disk, &path, &sealed).map_err(Error::work(PHASE))?;
        all.append_file(&path)
            .map_err(|e| Error::from_format(Some(PhaseName::Index), e))?;
    }
    outputs.insert(
        REJECTED.to_owned(),
        all.commit(records)
            .map_err(|e| Error::from_format(Some(PhaseName::Index), e))?,
    );
    Ok(outputs)
}
