//! The files of the sketch phase, segment by segment, read as one stream in document order.

use crate::{Error, PhaseName};
use format::{
    Disk, DocumentRow, FileKind, LadderRow, Manifest, Mark, RecordReader, RejectedRow, RowReader, Sealed, SketchRow,
};
use std::path::{Path, PathBuf};

/// The files a segment consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentFile {
    Documents,
    Marks,
    Ladders,
    Sketches,
    Rejected,
}

impl SegmentFile {
    pub(crate) const ALL: [SegmentFile; 5] = [
        SegmentFile::Documents,
        SegmentFile::Marks,
        SegmentFile::Ladders,
        SegmentFile::Sketches,
        SegmentFile::Rejected,
    ];

    pub(crate) fn extension(self) -> &'static str {
        match self {
            SegmentFile::Documents => "documents",
            SegmentFile::Marks => "marks",
            SegmentFile::Ladders => "ladders",
            SegmentFile::Sketches => "sketches",
            SegmentFile::Rejected => "rejected",
        }
    }

    pub(crate) fn kind(self) -> FileKind {
        match self {
            SegmentFile::Documents => FileKind::Documents,
            SegmentFile::Marks => FileKind::Marks,
            SegmentFile::Ladders => FileKind::Ladders,
            SegmentFile::Sketches => FileKind::Sketches,
            SegmentFile::Rejected => FileKind::Rejected,
        }
    }
}

/// Name of a segment, also the first part of its files' names.
pub(crate) fn segment_name(index: usize) -> String {
    format!("segment-{index:05}")
}

/// All segments of a finished sketch phase.
#[derive(Clone, Debug)]
pub(crate) struct Segments {
    disk: Disk,
    dir: PathBuf,
    /// First document and files of each.
    list: Vec<(u32, [Sealed; 5])>,
    documents: u32,
}

impl Segments {
    /// From the manifest of a work directory whose sketch phase is done.
    pub(crate) fn of(disk: &Disk, work: &Path, manifest: &Manifest) -> Result<Segments, Error> {
        let outputs = manifest.phases.get(PhaseName::Sketch.name()).map(|record| &record.outputs);
        let file = |index: usize, file: SegmentFile| {
            outputs?.get(&format!("{}.{}", segment_name(index), file.extension())).cloned()
        };
        let mut list = Vec::new();
        let mut base = 0_u64;
        while let [Some(a), Some(b), Some(c), Some(d), Some(e)] = SegmentFile::ALL.map(|f| file(list.len(), f)) {
            let documents = b.records;
            list.push((base as u32, [a, b, c, d, e]));
            base += documents;
            if base >= u64::from(u32::MAX) {
                return Err(Error::Usage(format!(
                    "failed to number {base} documents: a snapshot holds at most {}",
                    u32::MAX - 1
                )));
            }
        }
        let (disk, dir) = (disk.clone(), work.join(PhaseName::Sketch.name()));
        Ok(Segments { disk, dir, list, documents: base as u32 })
    }

    /// Documents in all.
    pub(crate) fn documents(&self) -> u32 {
        self.documents
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// Documents in one of them.
    pub(crate) fn documents_of(&self, segment: usize) -> u32 {
        let base = |segment: usize| self.list.get(segment).map_or(self.documents, |(base, _)| *base);
        base(segment + 1) - base(segment)
    }

    /// Marks of all documents, in order.
    pub(crate) fn marks(&self) -> Marks {
        Marks { segments: self.clone(), next: 0, end: self.list.len(), reader: None, doc: 0 }
    }

    /// Marks of the documents of one segment, in order.
    pub(crate) fn marks_of(&self, segment: usize) -> Marks {
        let doc = self.list.get(segment).map_or(0, |(base, _)| *base);
        Marks { next: segment, end: segment + 1, doc, ..self.marks() }
    }

    /// Rows of one kind of file, in order.
    pub(crate) fn rows(&self, file: SegmentFile) -> Rows {
        Rows { segments: self.clone(), file, next: 0, end: self.list.len(), reader: None, base: 0, row: 0 }
    }

    /// Rows of one kind of file of one segment, in order.
    pub(crate) fn rows_of(&self, segment: usize, file: SegmentFile) -> Rows {
        Rows { next: segment, end: segment + 1, ..self.rows(file) }
    }

    /// First document and file of a segment.
    pub(crate) fn sealed(&self, segment: usize, file: SegmentFile) -> Option<(u32, &Sealed)> {
        let (base, files) = self.list.get(segment)?;
        files.get(file as usize).map(|sealed| (*base, sealed))
    }
}

/// Reads marks over all segments.
pub(crate) struct Marks {
    segments: Segments,
    next: usize,
    /// The segment to stop before.
    end: usize,
    reader: Option<RecordReader<Mark>>,
    doc: u32,
}

impl Marks {
    /// The next document and its mark.
    pub(crate) fn next(&mut self) -> Result<Option<(u32, Mark)>, Error> {
        let damaged = Error::work(PhaseName::Sketch);
        loop {
            if let Some(reader) = &mut self.reader
                && let Some(mark) = reader.next().map_err(damaged)?
            {
                self.doc += 1;
                return Ok(Some((self.doc - 1, mark)));
            }
            let next = Some(self.next).filter(|next| *next < self.end);
            let Some((_, sealed)) = next.and_then(|next| self.segments.sealed(next, SegmentFile::Marks)) else {
                return Ok(None);
            };
            let reader = RecordReader::open_sealed(&self.segments.disk, &self.segments.dir, sealed, FileKind::Marks);
            self.reader = Some(reader.map_err(damaged)?);
            self.next += 1;
        }
    }
}

/// Reads rows over all segments.
pub(crate) struct Rows {
    segments: Segments,
    file: SegmentFile,
    next: usize,
    /// The segment to stop before.
    end: usize,
    reader: Option<RowReader>,
    /// First document of the current segment.
    base: u32,
    /// Rows of the current segment already read.
    row: u32,
}

impl Rows {
    fn advance(&mut self) -> Result<Option<&mut RowReader>, Error> {
        let damaged = Error::work(PhaseName::Sketch);
        loop {
            if let Some(reader) = &mut self.reader
                && reader.more().map_err(damaged)?
            {
                break;
            }
            let next = Some(self.next).filter(|next| *next < self.end);
            let Some((base, sealed)) = next.and_then(|next| self.segments.sealed(next, self.file)) else {
                return Ok(None);
            };
            let reader = RowReader::open_sealed(&self.segments.disk, &self.segments.dir, sealed, self.file.kind());
            self.reader = Some(reader.map_err(damaged)?);
            (self.base, self.row) = (base, 0);
            self.next += 1;
        }
        self.row += 1;
        Ok(self.reader.as_mut())
    }

    /// The next document and its row, of files with one row a document.
    fn next_by_document<'a, R: format::Row<'a>>(&'a mut self) -> Result<Option<(u32, R)>, Error> {
        if self.advance()?.is_none() {
            return Ok(None);
        }
        let doc = self.base + self.row - 1;
        let Some(reader) = self.reader.as_mut() else { return Ok(None) };
        Ok(reader.next().map_err(Error::work(PhaseName::Sketch))?.map(|row| (doc, row)))
    }

    /// The next document row.
    pub(crate) fn next_document(&mut self) -> Result<Option<(u32, DocumentRow<'_>)>, Error> {
        self.next_by_document()
    }

    /// The next sketch sizes.
    pub(crate) fn next_ladder(&mut self) -> Result<Option<(u32, LadderRow)>, Error> {
        self.next_by_document()
    }

    /// The next piece of a sketch, with its document.
    pub(crate) fn next_sketch(&mut self) -> Result<Option<(u32, SketchRow<'_>)>, Error> {
        if self.advance()?.is_none() {
            return Ok(None);
        }
        let base = self.base;
        let Some(reader) = self.reader.as_mut() else { return Ok(None) };
        let row: Option<SketchRow<'_>> = reader.next().map_err(Error::work(PhaseName::Sketch))?;
        Ok(row.map(|row| (base + row.doc, row)))
    }

    /// The next rejected record.
    pub(crate) fn next_rejected(&mut self) -> Result<Option<RejectedRow<'_>>, Error> {
        if self.advance()?.is_none() {
            return Ok(None);
        }
        let Some(reader) = self.reader.as_mut() else { return Ok(None) };
        reader.next().map_err(Error::work(PhaseName::Sketch))
    }
}
