//! The files of the sketch phase, segment by segment, read as one stream in document order.

mod marks;
mod rows;
mod writer;

pub use marks::{Marks, RevisitDocuments};
pub use rows::SegmentRows;
pub use writer::SegmentFiles;

use crate::{Error, PhaseName};
use format::{
    Disk, DocumentRow, FileKind, Manifest, PublicIds, RecordReader, RowReader, Sealed,
    SnapshotRecord, SnapshotSpan, segment_name,
};
use input::Place;
use model::Record;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Where a document lies in its file.
pub fn place_of(row: &DocumentRow<'_>) -> Place {
    Place {
        entry_offset: row.entry_offset,
        inner_offset: row.inner_offset,
        length: row.length,
    }
}

/// The files of a segment. The first five always exist, the others only where they have content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentFile {
    /// A row for each document: URL, date, place in the input.
    Documents,
    /// A [`format::Mark`] for each document: the fingerprints that equal documents share.
    Marks,
    /// The sizes of each sketch by sampling level.
    Sizes,
    /// The fingerprints of each sketch.
    Sketches,
    /// The records that gave no document, and why.
    Rejected,
    /// The revisit records as they were read. Removed when they are resolved.
    Revisits,
    /// The documents whose record names a digest of the body.
    Payloads,
    /// The documents that were revisit records.
    Revisited,
}

impl SegmentFile {
    /// The files that every segment has.
    pub const ALL: [SegmentFile; 5] = [
        SegmentFile::Documents,
        SegmentFile::Marks,
        SegmentFile::Sizes,
        SegmentFile::Sketches,
        SegmentFile::Rejected,
    ];

    /// The files that only some segments have.
    pub const FURTHER: [SegmentFile; 3] = [
        SegmentFile::Revisits,
        SegmentFile::Payloads,
        SegmentFile::Revisited,
    ];

    /// The extension of the file name.
    pub fn extension(self) -> &'static str {
        match self {
            SegmentFile::Documents => "documents",
            SegmentFile::Marks => "marks",
            SegmentFile::Sizes => "sizes",
            SegmentFile::Sketches => "sketches",
            SegmentFile::Rejected => "rejected",
            SegmentFile::Revisits => "revisits",
            SegmentFile::Payloads => "payloads",
            SegmentFile::Revisited => "revisited",
        }
    }

    /// The kind in the header of the file.
    pub fn kind(self) -> FileKind {
        match self {
            SegmentFile::Documents => FileKind::Documents,
            SegmentFile::Marks => FileKind::Marks,
            SegmentFile::Sizes => FileKind::Sizes,
            SegmentFile::Sketches => FileKind::Sketches,
            SegmentFile::Rejected => FileKind::Rejected,
            SegmentFile::Revisits => FileKind::Revisits,
            SegmentFile::Payloads => FileKind::Payloads,
            SegmentFile::Revisited => FileKind::Revisited,
        }
    }
}

/// A segment in its place.
#[derive(Clone, Debug)]
struct Segment {
    /// Number of its snapshot, and which of its segments it is.
    snapshot: u32,
    number: u32,
    /// Its first document, and the first file of its snapshot.
    first: u32,
    first_file: u32,
    files: [Sealed; 5],
    /// The files that it may have besides, in the order of [`SegmentFile::FURTHER`].
    further: [Option<Sealed>; 3],
}

/// All segments of a finished sketch phase, snapshot after snapshot.
#[derive(Clone, Debug)]
pub struct Segments {
    disk: Disk,
    dir: PathBuf,
    /// Shared with all who read: there may be many.
    list: Arc<[Segment]>,
    documents: u32,
}

/// The number of the files that hold a segment: where revisits joined its documents, they are
/// others than those that were written when it was read, behind all of those.
fn joined_number(snapshot: &SnapshotRecord, index: u32) -> u32 {
    let joined = index + snapshot.segments;
    let documents = SegmentFile::Documents.extension();
    let is_there = snapshot.sketched.outputs.contains_key(&format!(
        "{}.{documents}",
        segment_name(snapshot.number, joined)
    ));
    if is_there { joined } else { index }
}

/// Where the documents of each snapshot begin.
pub fn spans(manifest: &Manifest) -> Vec<SnapshotSpan> {
    let (mut first, mut first_file) = (0, 0);
    let span = |snapshot: &SnapshotRecord| {
        if snapshot.retained_for_revisits {
            first_file += snapshot.files;
            return None;
        }
        let (number, name, documents) =
            (snapshot.number, snapshot.name.clone(), snapshot.documents);
        let span = SnapshotSpan {
            number,
            name,
            first,
            documents,
            first_file,
        };
        first = first.saturating_add(documents);
        first_file += snapshot.files;
        Some(span)
    };
    manifest.snapshots.iter().filter_map(span).collect()
}

/// The public ids of the documents of a manifest.
pub fn public_ids(manifest: &Manifest) -> PublicIds {
    PublicIds::new(spans(manifest))
}

impl Segments {
    /// Lists the segments of the live snapshots of a manifest.
    ///
    /// # Errors
    /// When the documents are too many to be numbered in 32 bits.
    pub fn of(disk: &Disk, work: &Path, manifest: &Manifest) -> Result<Segments, Error> {
        Segments::where_is(disk, work, manifest, |snapshot| {
            !snapshot.retained_for_revisits
        })
    }

    /// The segments of live snapshots and of dropped snapshots that are kept because revisit
    /// records of later ones refer to their bodies.
    pub fn with_retained(disk: &Disk, work: &Path, manifest: &Manifest) -> Result<Segments, Error> {
        Segments::where_is(disk, work, manifest, |_| true)
    }

    fn where_is(
        disk: &Disk,
        work: &Path,
        manifest: &Manifest,
        is_in: impl Fn(&SnapshotRecord) -> bool,
    ) -> Result<Segments, Error> {
        let (mut list, mut first, mut first_file) = (Vec::new(), 0_u64, 0);
        for snapshot in &manifest.snapshots {
            if !is_in(snapshot) {
                first_file += snapshot.files;
                continue;
            }
            let outputs = &snapshot.sketched.outputs;
            for index in 0..snapshot.segments as usize {
                let number = joined_number(snapshot, index as u32);
                let name = segment_name(snapshot.number, number);
                let file = |file: SegmentFile| {
                    outputs
                        .get(&format!("{name}.{}", file.extension()))
                        .cloned()
                };
                let [Some(a), Some(b), Some(c), Some(d), Some(e)] = SegmentFile::ALL.map(file)
                else {
                    break;
                };
                let documents = b.records;
                list.push(Segment {
                    snapshot: snapshot.number,
                    number,
                    first: first as u32,
                    first_file,
                    files: [a, b, c, d, e],
                    further: SegmentFile::FURTHER.map(file),
                });
                first += documents;
            }
            first_file += snapshot.files;
            if first >= u64::from(u32::MAX) {
                return Err(Error::Usage(format!(
                    "failed to number {first} documents: all snapshots together hold at most {}",
                    u32::MAX - 1
                )));
            }
        }
        let (disk, dir) = (disk.clone(), work.join(PhaseName::Sketch.name()));
        Ok(Segments {
            disk,
            dir,
            list: list.into(),
            documents: first as u32,
        })
    }

    /// The number of all documents.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// The number of segments.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Does work in every thread of the pool: each gets segments until none is left, or until a
    /// thread has failed.
    pub fn in_every_thread<T: Send>(
        &self,
        work: impl Fn(&mut dyn Iterator<Item = usize>) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let take = || {
            let segment = next.fetch_add(1, Ordering::Relaxed);
            let is_left = segment < self.count() && !failed.load(Ordering::Relaxed);
            is_left.then_some(segment)
        };
        let done = rayon::broadcast(|_| {
            let done = work(&mut std::iter::from_fn(take));
            done.inspect_err(|_| failed.store(true, Ordering::Relaxed))
        });
        done.into_iter().collect()
    }

    /// The first document of a segment.
    pub fn first_of(&self, segment: usize) -> u32 {
        self.list
            .get(segment)
            .map_or(self.documents, |segment| segment.first)
    }

    /// The snapshot of a document.
    pub fn snapshot_of(&self, doc: u32) -> u32 {
        let at = self
            .list
            .partition_point(|segment| segment.first <= doc)
            .saturating_sub(1);
        self.list.get(at).map_or(0, |segment| segment.snapshot)
    }

    /// The number of documents in a segment.
    pub fn documents_of(&self, segment: usize) -> u32 {
        self.first_of(segment + 1) - self.first_of(segment)
    }

    /// The number of the snapshot of a segment, and the number of the segment within it.
    pub fn place(&self, segment: usize) -> (u32, u32) {
        self.list
            .get(segment)
            .map_or((0, 0), |segment| (segment.snapshot, segment.number))
    }

    /// The first document of a segment, and its entry of a file if the file exists.
    pub fn sealed(&self, segment: usize, file: SegmentFile) -> Option<(u32, &Sealed)> {
        let segment = self.list.get(segment)?;
        let at = file as usize;
        let sealed = segment
            .files
            .get(at)
            .or_else(|| segment.further.get(at - segment.files.len())?.as_ref());
        sealed.map(|sealed| (segment.first, sealed))
    }

    /// The segments of a snapshot, by its number.
    pub fn of_snapshot(&self, number: u32) -> std::ops::Range<usize> {
        let first = self
            .list
            .iter()
            .position(|segment| segment.snapshot == number)
            .unwrap_or(self.list.len());
        first
            ..first
                + self.list[first..]
                    .iter()
                    .take_while(|segment| segment.snapshot == number)
                    .count()
    }

    /// Opens a file of rows of a segment; `None` if it has no such file.
    pub fn open(&self, segment: usize, file: SegmentFile) -> Result<Option<RowReader>, Error> {
        let Some((_, sealed)) = self.sealed(segment, file) else {
            return Ok(None);
        };
        let reader = RowReader::open_sealed(&self.disk, &self.dir, sealed, file.kind());
        reader.map(Some).map_err(Error::from)
    }

    /// Opens a file of records of a segment; `None` if it has no such file.
    pub fn open_records<R: Record>(
        &self,
        segment: usize,
        file: SegmentFile,
    ) -> Result<Option<RecordReader<R>>, Error> {
        let Some((_, sealed)) = self.sealed(segment, file) else {
            return Ok(None);
        };
        let reader = RecordReader::open_sealed(&self.disk, &self.dir, sealed, file.kind());
        reader.map(Some).map_err(Error::from)
    }
}
