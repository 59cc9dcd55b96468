//! The members that an annotated copy has for each document.
//!
//! *Input.* Members of clusters and removals, both in document order; document rows. *Output.* A
//! scratch file with a record for each document, and of a file of the input one [`Annotation`]
//! after the other. *Memory.* Blocks. *Disk.* 8 bytes a document.

use super::files::Files;
use engine::{
    Error, PhaseName,
    segments::{SegmentFile, SegmentRows, Segments},
};
use format::{DocumentRow, FileKind, MemberRecord, PublicIds, RecordReader, ScratchFile};
use input::{Annotations, Place, SinkError};
use model::{Equality, record};
use output::{Annotation, RowAnnotations};
use publication::removals::removal::RemovalFile;
use publication::removals::task::RemovalTask;
use sort::Lookup;
use std::ops::Range;

/// The fate of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Note {
    cluster: u32,
    /// The number of the class that it shares with the kept document,
    /// [`SIMILAR`](publication::removals::candidate::SIMILAR), [`STAYS`] or [`GOES_FOR_NONE`].
    fate: u32,
}

record! { Note { cluster, fate } }

const STAYS: u32 = 4;
/// The document goes, and none is kept in its favour.
const GOES_FOR_NONE: u32 = 5;

/// The notes of all documents.
pub(super) struct Notes {
    file: ScratchFile<Note>,
    segments: Segments,
    ids: PublicIds,
}

impl Notes {
    pub(super) fn write(
        task: &RemovalTask<'_>,
        removals: &RemovalFile,
        files: &Files,
    ) -> Result<Notes, Error> {
        let engine = task.engine;
        let mut writer = task.scratch.file::<Note>("notes.run-file")?;
        let mut removals = Lookup::over(removals.read()?)?;
        let members =
            engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
        let mut members = Lookup::over(members)?;
        for doc in 0..files.documents() {
            let member = members.of(doc)?;
            let fate = removals.of(doc)?.map_or(STAYS, |removal| {
                let kept = removal.kept_document();
                kept.map_or(GOES_FOR_NONE, |_| removal.relation)
            });
            let cluster = member.map_or(doc, |member| member.cluster);
            writer.push(&Note { cluster, fate })?;
        }
        Ok(Notes {
            file: writer.finish()?,
            segments: engine.segments()?,
            ids: engine.public_ids(),
        })
    }

    /// The notes of the documents of one file.
    pub(super) fn of(&self, documents: Range<u32>) -> Result<FileNotes<'_>, Error> {
        let mut notes = self.file.read()?;
        notes.seek(u64::from(documents.start))?;
        Ok(FileNotes {
            notes,
            rows: self.segments.rows(SegmentFile::Documents),
            ids: &self.ids,
            documents,
        })
    }
}

/// The notes of one file, in its order.
pub(super) struct FileNotes<'a> {
    notes: RecordReader<Note>,
    rows: SegmentRows,
    ids: &'a PublicIds,
    documents: Range<u32>,
}

impl FileNotes<'_> {
    /// Hands on the next document with its annotation.
    pub(super) fn next_document<T>(
        &mut self,
        take: impl FnOnce(&DocumentRow<'_>, Annotation<'static>) -> T,
    ) -> Result<Option<T>, Error> {
        let Some(doc) = self.documents.next() else {
            return Ok(None);
        };
        let (Some(row), Some(Note { cluster, fate })) =
            (self.rows.document(doc)?, self.notes.next()?)
        else {
            return Err(Error::Usage(format!(
                "failed to annotate document {doc}: it has no row; run again"
            )));
        };
        let goes = fate < STAYS;
        let annotation = Annotation {
            dedup_doc_id: Some(self.ids.get(doc)),
            dedup_cluster_id: Some(self.ids.get(cluster)),
            dedup_keep: Some(fate == STAYS),
            dedup_class: goes.then(|| Equality::name_of_relation(fate)),
        };
        Ok(Some(take(&row, annotation)))
    }
}

fn place_of(row: &DocumentRow<'_>) -> Place {
    Place {
        entry_offset: row.entry_offset,
        inner_offset: row.inner_offset,
        length: row.length,
    }
}

impl Annotations for FileNotes<'_> {
    fn next(&mut self, members: &mut String) -> Result<Option<Place>, SinkError> {
        let next = self.next_document(|row, annotation| {
            annotation.write_members(members);
            place_of(row)
        });
        Ok(next?)
    }
}

impl RowAnnotations for FileNotes<'_> {
    fn next(&mut self) -> Result<Option<(Place, Annotation<'static>)>, SinkError> {
        Ok(self.next_document(|row, annotation| (place_of(row), annotation))?)
    }
}
