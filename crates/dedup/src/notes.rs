//! The notes that an annotated copy has for each document: the interface [`CopyNotes`], and those
//! of `dedup`.
//!
//! *Input.* Members of clusters and removals, both in document order; document rows. *Output.* A
//! scratch file with a record for each document, and of a file of the input one [`Annotation`]
//! after the other. *Memory.* Blocks; 4 bytes a document, on disk where they do not fit. *Disk.* 12
//! bytes a document.

use super::files::Files;
use super::request::DedupRequest;
use engine::{
    Error, PhaseName,
    segments::{SegmentFile, SegmentRows, Segments, place_of},
};
use format::{DocumentRow, FileKind, MemberRecord, PublicIds, RecordReader, ScratchFile};
use input::{Annotations, Place, SinkError};
use model::{Cells, Equality, record};
use output::{ANNOTATION, Annotation, Cell, Column, Row, RowAnnotations, write_members};
use publication::removals::candidate::NONE;
use publication::removals::removal::RemovalFile;
use publication::removals::task::RemovalTask;
use sort::Lookup;
use std::ops::Range;

/// What an annotated copy says of the documents.
pub(super) trait CopyNotes: Sync {
    /// The notes of the documents of a file.
    fn of_file(&self, file: usize) -> Result<Box<dyn FileNotes + '_>, Error>;
}

/// The notes of the documents of one file, in its order.
pub(super) trait FileNotes {
    /// The columns of a note.
    fn columns(&self) -> Vec<Column>;
    /// Goes to the next document and hands on its row; `false` behind the last one.
    fn next(&mut self, take: &mut dyn FnMut(&DocumentRow<'_>)) -> Result<bool, Error>;
    /// The cells of its note, one for each column.
    fn cells(&self, take: &mut dyn FnMut(Cell<'_>));
}

/// Appends the note of the document at hand as members of a JSON object.
pub(super) fn push_members(notes: &dyn FileNotes, members: &mut String) {
    write_members(&notes.columns(), |take| notes.cells(take), members);
}

/// Goes to the next document, and says where it lies.
fn next_place(notes: &mut dyn FileNotes) -> Result<Option<Place>, SinkError> {
    let mut place = None;
    notes.next(&mut |row| place = Some(place_of(row)))?;
    Ok(place)
}

/// The notes of a file of lines.
pub(super) struct LineNotes<'a>(pub(super) Box<dyn FileNotes + 'a>);

impl Annotations for LineNotes<'_> {
    fn next(&mut self, members: &mut String) -> Result<Option<Place>, SinkError> {
        let place = next_place(&mut *self.0)?;
        if place.is_some() {
            push_members(&*self.0, members);
        }
        Ok(place)
    }
}

/// The notes of a Parquet file.
pub(super) struct RowNotes<'a>(pub(super) Box<dyn FileNotes + 'a>);

impl RowAnnotations for RowNotes<'_> {
    fn columns(&self) -> Vec<Column> {
        self.0.columns()
    }

    fn next(&mut self) -> Result<Option<Place>, SinkError> {
        next_place(&mut *self.0)
    }

    fn cells(&self, take: &mut dyn FnMut(Cell<'_>)) {
        self.0.cells(take);
    }
}

/// The fate of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Note {
    /// [`NONE`] if clusters decide nothing.
    cluster: u32,
    /// The documents of it.
    documents: u32,
    /// The number of the class that it shares with the kept document,
    /// [`SIMILAR`](publication::removals::candidate::SIMILAR), [`STAYS`] or [`GOES_FOR_NONE`].
    fate: u32,
}

record! { Note { cluster, documents, fate } }

const STAYS: u32 = 4;
/// The document goes, and none is kept in its favour.
const GOES_FOR_NONE: u32 = 5;

/// The notes of all documents.
pub(super) struct Notes<'a> {
    file: ScratchFile<Note>,
    segments: Segments,
    ids: PublicIds,
    files: &'a Files,
}

impl<'a> Notes<'a> {
    pub(super) fn write(
        task: &RemovalTask<'_>,
        request: &DedupRequest,
        removals: &RemovalFile,
        files: &'a Files,
    ) -> Result<Notes<'a>, Error> {
        let engine = task.engine;
        let mut writer = task.scratch.file::<Note>("notes.run-file")?;
        let mut removals = Lookup::over(removals.read()?)?;
        let (phase, kind) = (PhaseName::Cluster, FileKind::Members);
        let members = request.remove.is_none();
        let members = members.then(|| engine.lookup::<MemberRecord>(phase, "members", kind));
        let mut members = members.transpose()?;
        let mut sizes = task.scratch.cells_of("cluster-sizes", files.documents())?;
        if members.is_some() {
            let mut members = engine.reader::<MemberRecord>(phase, "members", kind)?;
            while let Some(MemberRecord { cluster, .. }) = members.next()? {
                let size = sizes.get(cluster)?;
                sizes.set(cluster, size + 1)?;
            }
        }
        for doc in 0..files.documents() {
            let cluster = match &mut members {
                Some(members) => members.of(doc)?.map_or(doc, |member| member.cluster),
                None => NONE,
            };
            let documents = match cluster {
                NONE => 0,
                cluster => sizes.get(cluster)?.max(1),
            };
            let fate = removals.of(doc)?.map_or(STAYS, |removal| {
                let kept = removal.kept_document();
                kept.map_or(GOES_FOR_NONE, |_| removal.relation)
            });
            writer.push(&Note {
                cluster,
                documents,
                fate,
            })?;
        }
        Ok(Notes {
            file: writer.finish()?,
            segments: engine.segments()?,
            ids: engine.public_ids(),
            files,
        })
    }
}

impl CopyNotes for Notes<'_> {
    fn of_file(&self, file: usize) -> Result<Box<dyn FileNotes + '_>, Error> {
        let documents = self.files.of(file);
        let mut notes = self.file.read()?;
        notes.seek(u64::from(documents.start))?;
        Ok(Box::new(FatesOfFile {
            notes,
            rows: self.segments.rows(SegmentFile::Documents),
            ids: &self.ids,
            documents,
            current: None,
        }))
    }
}

/// The fates of the documents of one file.
struct FatesOfFile<'a> {
    notes: RecordReader<Note>,
    rows: SegmentRows,
    ids: &'a PublicIds,
    documents: Range<u32>,
    current: Option<Annotation<'static>>,
}

impl FileNotes for FatesOfFile<'_> {
    fn columns(&self) -> Vec<Column> {
        ANNOTATION.columns()
    }

    fn next(&mut self, take: &mut dyn FnMut(&DocumentRow<'_>)) -> Result<bool, Error> {
        let Some(doc) = self.documents.next() else {
            return Ok(false);
        };
        let (Some(row), Some(note)) = (self.rows.document(doc)?, self.notes.next()?) else {
            return Err(Error::Usage(format!(
                "failed to annotate document {doc}: it has no row; run again"
            )));
        };
        let Note {
            cluster,
            documents,
            fate,
        } = note;
        let goes = fate < STAYS;
        self.current = Some(Annotation {
            dedup_doc_id: Some(self.ids.get(doc)),
            dedup_cluster_id: (cluster != NONE).then(|| self.ids.get(cluster)),
            dedup_cluster_documents: (cluster != NONE).then_some(i64::from(documents)),
            dedup_keep: Some(fate == STAYS),
            dedup_class: goes.then(|| Equality::name_of_relation(fate)),
        });
        take(&row);
        Ok(true)
    }

    fn cells(&self, take: &mut dyn FnMut(Cell<'_>)) {
        if let Some(annotation) = &self.current {
            annotation.cells(&mut |cell| take(cell));
        }
    }
}
