//! Rows of the segments of a snapshot → its document table and its list of rejected records. They
//! are made once, with the sketches, and published as hard links: a new threshold does not write
//! them again.

use crate::Engine;
use crate::field_types::{output_cell, type_of};
use crate::figures::SketchFigures;
use crate::segments::{SegmentFile, Segments};
use crate::{Error, PhaseName};
use format::{AtomicFile, Sealed, SnapshotSpan};
use model::{DocId, SnapshotNumber};
use output::{
    Cell, ColumnType, DOCUMENTS, DocumentRow, LineFormat, LineTable, Micros, ParquetTable,
    REJECTED as REJECTED_TABLE, RejectedRow,
};
use sketch::host_of;
use std::collections::BTreeMap;

const PHASE: PhaseName = PhaseName::Sketch;

/// Name of the document table of a snapshot in the directory of the sketch phase.
pub fn documents_work(snapshot: u32) -> String {
    format!("documents-{snapshot}.parquet")
}

/// Name of the rejected records of a snapshot in the directory of the sketch phase.
pub fn rejected_work(snapshot: u32) -> String {
    format!("rejected-{snapshot}.jsonl")
}

/// Where the lines of the pieces of large JSONL files begin. Rows of segments count lines from the
/// beginning of their piece.
#[derive(Default)]
pub struct FirstLines {
    /// By file: the first byte and the first line of each piece, in order. Pieces that begin with
    /// line 0 are left out.
    pieces: BTreeMap<u32, Vec<(u64, u64)>>,
    /// The file of the last piece, and how many lines it has up to the end of this piece.
    last: Option<(u32, u64)>,
}

impl FirstLines {
    /// Adds a piece of a file: its first byte, and how many lines it has. Pieces come in order.
    pub fn push(&mut self, file: u32, first: u64, lines: u64) {
        let before = self.last.filter(|(last, _)| *last == file);
        let line = before.map_or(0, |(_, line)| line);
        if line > 0 {
            self.pieces.entry(file).or_default().push((first, line));
        }
        self.last = Some((file, line.saturating_add(lines)));
    }

    /// The first line of the piece in which a record lies.
    fn of(&self, file: u32, byte: u64) -> u64 {
        let Some(pieces) = self.pieces.get(&file) else {
            return 0;
        };
        let behind = pieces.partition_point(|(first, _)| *first <= byte);
        behind.checked_sub(1).map_or(0, |at| pieces[at].1)
    }
}

/// Writes both tables of a snapshot. `snapshot` is its place among the snapshots of the run.
pub fn document_tables(
    engine: &Engine<'_>,
    snapshot: usize,
    first_lines: &FirstLines,
) -> Result<Vec<Sealed>, Error> {
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
            "failed to write tables: their snapshot is unknown; please report it".to_owned(),
        ));
    };
    let tables = vec![
        documents(engine, &segments, snapshot, &span, first_lines)?,
        rejected(engine, &segments, snapshot, &span)?,
    ];
    engine.disk.sync_dir(&engine.dir(PHASE))?;
    Ok(tables)
}

fn documents(
    engine: &Engine<'_>,
    segments: &Segments,
    snapshot: usize,
    span: &SnapshotSpan,
    first_lines: &FirstLines,
) -> Result<Sealed, Error> {
    let carried = &engine.config.input.fields.carry;
    let figures = engine.manifest().snapshots[snapshot]
        .sketched
        .figures
        .read::<SketchFigures>();
    let kind = |name: &String| figures.field_types.get(name).copied().and_then(type_of);
    let fields: Vec<(String, ColumnType)> = carried
        .iter()
        .map(|name| (name.clone(), kind(name).unwrap_or(ColumnType::Utf8)))
        .collect();
    // Only the parameters that made it: a new threshold publishes the same file again.
    let metadata = [(
        "pipeline.parameters".to_owned(),
        crate::runtime::parameters::of(PHASE, engine.config),
    )];
    let path = engine.dir(PHASE).join(documents_work(span.number));
    let file = AtomicFile::create(&engine.disk, &path)?;
    let table = ParquetTable::new(DOCUMENTS.schema_with(&fields)?, &metadata, file)?;
    let mut table = table.expecting(u64::from(span.documents));
    let mut rows = segments.rows_of_snapshot(span, SegmentFile::Documents);
    let mut texts: Vec<String> = Vec::new();
    let ids = |doc: u32| {
        SnapshotNumber(span.number)
            .public(DocId(doc - span.first))
            .0
    };
    let mut host = String::new();
    while let Some((doc, row)) = rows.next_document()? {
        host.clear();
        host.push_str(row.url.map_or("", host_of));
        host.make_ascii_lowercase();
        let source = engine
            .inputs
            .listing
            .files
            .get(row.file as usize)
            .map_or("", |file| file.name.as_str());
        texts.clear();
        let mut cells: Vec<Cell<'_>> = row.fields.iter().map(output_cell).collect();
        // Documents of formats without fields, such as pages and texts, have null in each.
        cells.resize(fields.len(), Cell::Null);
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
        table.write(&DocumentRow {
            doc_id: ids(doc),
            id: row.id,
            url: row.url,
            host: Some(host.as_str()).filter(|host| !host.is_empty()),
            title: row.title,
            date: row.date.map(Micros),
            source,
            row: row
                .row
                .map(|line| signed(line + first_lines.of(row.file, row.entry_offset))),
            entry_offset: signed(row.entry_offset),
            inner_offset: signed(row.inner_offset),
            length: signed(row.length),
            bytes: signed(row.bytes),
            words: signed(row.words),
            shingles: signed(row.shingles),
            sketch_size: i32::try_from(row.sketch_size).unwrap_or(i32::MAX),
            modulus: i32::try_from(row.modulus).unwrap_or(i32::MAX),
            flags: row.flags,
            fields: &cells,
        })?;
    }
    let documents = table.rows();
    table.finish()?.commit(documents).map_err(Error::from)
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
    snapshot: usize,
    span: &SnapshotSpan,
) -> Result<Sealed, Error> {
    let path = engine.dir(PHASE).join(rejected_work(span.number));
    let file = AtomicFile::create(&engine.disk, &path)?;
    let mut table = LineTable::new(REJECTED_TABLE.schema(), LineFormat::Jsonl, file)?;
    let listed =
        &engine.inputs.listing.rejected[engine.inputs.snapshots[snapshot].rejected.clone()];
    for file in listed
        .iter()
        .filter(|file| file.reason != input::NOT_A_PAGE)
    {
        let row = RejectedRow {
            source: &file.name,
            byte: 0,
            url: None,
            reason: file.reason,
            detail: &file.detail,
            records: 1,
        };
        table.write(&row)?;
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
        let byte = signed(row.offset);
        let row = RejectedRow {
            source,
            byte,
            url: row.url,
            reason: row.reason,
            detail: row.detail,
            records: signed(row.records),
        };
        table.write(&row)?;
    }
    let rows = table.rows();
    table.finish()?.commit(rows).map_err(Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_begins_with_the_line_after_those_of_the_pieces_before() {
        let mut first_lines = FirstLines::default();
        for (file, first, lines) in [(3, 0, 10), (3, 700, 0), (3, 900, 5), (4, 0, 7), (4, 50, 1)] {
            first_lines.push(file, first, lines);
        }
        let found = [
            (3, 0),
            (3, 699),
            (3, 700),
            (3, 950),
            (4, 49),
            (4, 60),
            (5, 60),
        ];
        let found = found.map(|(file, byte)| first_lines.of(file, byte));
        assert_eq!(found, [0, 0, 10, 10, 0, 7, 0]);
    }
}
