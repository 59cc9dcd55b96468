//! Rows of published files by the document they belong to.
//!
//! *Algorithm.* A sparse index of ⟨first document, file, block, offset⟩ names the block; its rows
//! are skipped up to the wanted one. A [`RowCursor`] remembers the position, so that requests in
//! ascending order pass over each row once. *Memory.* A mapping for each file that was used.
//! *Disk.* The blocks of places that a binary search meets, and one block of rows.

use crate::disk::Disk;
use crate::index_records::{BlockPlace, SegmentRecord};
use crate::layout::FileKind;
use crate::mapped::{MappedBlock, MappedFile, MappedRecords, partition_point};
use crate::rows::RowBytes;
use crate::sketch_row::SketchRow;
use crate::{EncodedRow, FormatError, Sealed, SegmentPart};
use model::Unpoisoned;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Which part of a file of places belongs to the rows of one kind.
#[derive(Clone, Debug)]
pub struct PlaceRange {
    /// All places.
    pub places: Arc<MappedRecords<BlockPlace>>,
    /// The places of one kind of rows.
    pub range: Range<u64>,
}

/// The files of the segments of an index.
#[derive(Clone, Debug)]
pub struct SegmentFiles {
    /// The way to the disk.
    pub disk: Disk,
    /// The directory they lie in.
    pub dir: PathBuf,
    /// The list of segments.
    pub segments: Arc<MappedRecords<SegmentRecord>>,
    /// Which of the files of each.
    pub part: SegmentPart,
}

impl SegmentFiles {
    /// Name and contents that the file of a segment must have.
    pub fn sealed(&self, segment: u32) -> Result<Sealed, FormatError> {
        let record = self.segments.get(u64::from(segment))?;
        let seal = record
            .files
            .get(self.part as usize)
            .copied()
            .unwrap_or_default();
        Ok(seal.named(format!("{}.{}", record.name(), self.part.extension())))
    }
}

/// Mapped files of rows.
#[derive(Debug)]
pub struct MappedRows {
    /// Nothing if there is one file only, which is open from the beginning.
    files: Option<SegmentFiles>,
    places: PlaceRange,
    open: Mutex<HashMap<u32, Arc<MappedFile>>>,
}

/// The position of the row that was read last.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowCursor {
    place: Option<BlockPlace>,
    /// Rows of the block before the position.
    row: u32,
    rows: u32,
    at: usize,
}

impl MappedRows {
    /// Rows of all segments.
    pub fn of_segments(files: SegmentFiles, places: PlaceRange) -> MappedRows {
        MappedRows {
            files: Some(files),
            places,
            open: Mutex::default(),
        }
    }

    /// Rows of one file.
    pub fn of_file(
        disk: &Disk,
        dir: &Path,
        sealed: &Sealed,
        kind: FileKind,
        places: PlaceRange,
    ) -> Result<MappedRows, FormatError> {
        let file = MappedFile::open_sealed(disk, dir, sealed, kind, None)?;
        Ok(MappedRows {
            files: None,
            places,
            open: Mutex::new(HashMap::from([(0, Arc::new(file))])),
        })
    }

    fn file(&self, segment: u32) -> Result<Arc<MappedFile>, FormatError> {
        let mut open = self.open.lock().unpoisoned();
        if let Some(file) = open.get(&segment) {
            return Ok(Arc::clone(file));
        }
        let Some(files) = &self.files else {
            return Err(self.damaged(format!("there is no file {segment}")));
        };
        let (sealed, kind) = (files.sealed(segment)?, files.part.kind());
        let file = MappedFile::open_sealed(&files.disk, &files.dir, &sealed, kind, None)?;
        let file = Arc::new(file);
        open.insert(segment, Arc::clone(&file));
        Ok(file)
    }

    fn damaged(&self, what: String) -> FormatError {
        self.places.places.damaged(what)
    }

    /// The first place, among those of these rows, whose first document is not below `number`.
    fn places_below(&self, number: u32) -> Result<u64, FormatError> {
        let PlaceRange { places, range } = &self.places;
        partition_point(range.clone(), |at| Ok(places.get(at)?.first < number))
    }

    /// The segment that a document lies in, of files that have a row for every document.
    pub fn segment_of(&self, number: u32) -> Result<u32, FormatError> {
        Ok(self.place_of(number)?.segment)
    }

    fn place_of(&self, number: u32) -> Result<BlockPlace, FormatError> {
        let after = match number.checked_add(1) {
            Some(next) => self.places_below(next)?,
            None => self.places.range.end,
        };
        let at = after
            .checked_sub(1)
            .filter(|at| self.places.range.contains(at));
        let at = at.ok_or_else(|| self.damaged(format!("no block holds row {number}")))?;
        self.places.places.get(at)
    }

    /// The row of a document, of files that have one for every document, passing over rows before
    /// it with `skip`.
    pub fn row<T>(
        &self,
        cursor: &mut RowCursor,
        number: u32,
        skip: fn(&mut RowBytes<'_>) -> Option<()>,
        take: impl FnOnce(&mut RowBytes<'_>) -> Option<T>,
    ) -> Result<T, FormatError> {
        let here = cursor.place.filter(|place| {
            let row = number.checked_sub(place.first);
            row.is_some_and(|row| (cursor.row..cursor.rows).contains(&row))
        });
        let place = match here {
            Some(place) => place,
            None => self.place_of(number)?,
        };
        if here.is_none() {
            *cursor = RowCursor {
                place: Some(place),
                ..RowCursor::default()
            };
        }
        let file = self.file(place.segment)?;
        let block = file.block(u64::from(place.block), place.offset)?;
        cursor.rows = block.records;
        let wanted = number - place.first;
        if wanted >= block.records {
            let what = format!("no row {wanted} in a block of {}", block.records);
            return Err(file.damaged(place.offset, what));
        }
        let undecodable = || file.damaged(place.offset, "a row that cannot be decoded");
        let mut bytes = RowBytes(block.payload.get(cursor.at..).ok_or_else(undecodable)?);
        while cursor.row < wanted {
            skip(&mut bytes).ok_or_else(undecodable)?;
            cursor.row += 1;
        }
        cursor.at = block.payload.len() - bytes.0.len();
        take(&mut bytes).ok_or_else(undecodable)
    }

    /// Calls `f` with each piece of a document's sketch, in order; not at all if it is empty.
    pub fn sketch(
        &self,
        number: u32,
        f: &mut dyn FnMut(&SketchRow<'_>),
    ) -> Result<(), FormatError> {
        // Its first row may lie in the block before the first one that begins with it.
        let Range { start, end } = self.places.range;
        for at in self.places_below(number)?.saturating_sub(1).max(start)..end {
            let place = self.places.places.get(at)?;
            if place.first > number || !self.sketch_in(&place, number, f)? {
                break;
            }
        }
        Ok(())
    }

    /// The pieces in one block; whether there may be more in the next.
    fn sketch_in(
        &self,
        place: &BlockPlace,
        number: u32,
        f: &mut dyn FnMut(&SketchRow<'_>),
    ) -> Result<bool, FormatError> {
        let Some(files) = &self.files else {
            return Ok(false);
        };
        let base = files.segments.get(u64::from(place.segment))?.first;
        let file = self.file(place.segment)?;
        let MappedBlock { payload, records } = file.block(u64::from(place.block), place.offset)?;
        let mut bytes = RowBytes(payload);
        for index in 0..records {
            let row = SketchRow::decode(&mut bytes);
            let row =
                row.ok_or_else(|| file.damaged(place.offset, "a row that cannot be decoded"))?;
            let doc = base.saturating_add(row.doc);
            if index == 0 && doc != place.first {
                let what = "the block does not begin with the document that the index names";
                return Err(file.damaged(place.offset, what));
            }
            if doc > number {
                return Ok(false);
            }
            if doc == number {
                f(&row);
            }
        }
        Ok(true)
    }
}
