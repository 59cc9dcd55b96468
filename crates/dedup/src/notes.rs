//! What an annotated copy says of each document.
//!
//! *Input.* Members of clusters and removals, both in document order; document rows. *Output.* A
//! scratch file with a record for each document, and of a file of the input one [`Annotation`]
//! after the other. *Memory.* Blocks. *Disk.* 8 bytes a document.

use super::files::Files;
use engine::segments::{SegmentFile, SegmentRows, Segments};
use format::{DocumentRow, FileKind, MemberRecord, PublicIds, RecordReader};
use input::{Annotations, Place, SinkError};
use model::{Equality, Words};
use output::{Annotation, RowAnnotations};
use publication::removals::removal::RemovalFile;
use publication::removals::task::Task;
use runtime::{Error, PhaseName};
use std::ops::Range;
use std::path::PathBuf;

/// ⟨cluster, what becomes of the document⟩: the number of its class with the kept document, 3 for
/// none, or one of those below.
type Note = Words<2>;

/// The document stays.
const STAYS: u32 = 4;
/// The document goes, and none is kept in its favour.
const GOES_FOR_NONE: u32 = 5;

/// The notes of all documents.
pub(super) struct Notes {
    path: PathBuf,
    segments: Segments,
    ids: PublicIds,
}

impl Notes {
    /// Writes them.
    pub(super) fn write(
        task: &Task<'_>,
        removals: &RemovalFile,
        files: &Files,
    ) -> Result<Notes, Error> {
        let engine = task.engine;
        let path = task.dir.join("notes.run-0");
        let mut writer = task.write::<Note>(&path)?;
        let mut removals = removals.read(task)?;
        let mut removal = removals.next()?;
        let mut members =
            engine.reader::<MemberRecord>(PhaseName::Cluster, "members", FileKind::Members)?;
        let mut member = members.next()?;
        for doc in 0..files.documents() {
            let cluster = member.filter(|member| member.doc == doc);
            if cluster.is_some() {
                member = members.next()?;
            }
            let fate = match removal.filter(|removal| removal.doc == doc) {
                None => STAYS,
                Some(found) => {
                    removal = removals.next()?;
                    let kept = found.kept_document();
                    kept.map_or(GOES_FOR_NONE, |_| found.relation)
                }
            };
            let cluster = cluster.map_or(doc, |member| member.cluster);
            writer.push(&Words([cluster, fate]))?;
        }
        writer.finish()?;
        Ok(Notes {
            path,
            segments: engine.segments()?,
            ids: engine.public_ids(),
        })
    }

    /// Those of the documents of one file.
    pub(super) fn of(
        &self,
        task: &Task<'_>,
        documents: Range<u32>,
    ) -> Result<FileNotes<'_>, Error> {
        let mut notes = task.read(&self.path)?;
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
        let (Some(row), Some(Words([cluster, fate]))) =
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
