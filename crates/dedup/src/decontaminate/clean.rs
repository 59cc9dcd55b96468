//! What the copies need to know of the documents: which go, or what their notes say.
//!
//! *Input.* Documents in the order of the input, with what was found in them. *Output.* The places
//! of those that go; or notes on all of them. *Memory.* Blocks; 16 bytes a file. *Disk.* 32 bytes a
//! document that goes, 40 a document that gets a note.

use super::finder::FoundDocument;
use super::references::References;
use super::request::DeliverClean;
use crate::notes::{CopyNotes, FileNotes};
use crate::places::{PlacesWriter, RemovalPlaces};
use engine::{Error, ScratchDir};
use format::{DocumentRow, RecordReader, ScratchFile, ScratchWriter};
use input::Removal;
use model::record;
use output::{CONTAMINATION_NOTE, Cell, Column, ContaminationNote, Row};
use std::sync::Arc;

/// The note on a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CleanNote {
    entry_offset: u64,
    inner_offset: u64,
    length: u64,
    /// The item with the largest share, or [`NO_ITEM`].
    item: u32,
    /// The words of it that stand in the document.
    standing: u32,
    /// The words of it.
    words: u32,
}

record! { CleanNote { entry_offset, inner_offset, length, item, standing, words } }

const NO_ITEM: u32 = u32::MAX;

/// Places and notes being written.
pub(super) struct CleanPlaces {
    places: PlacesWriter,
    notes: Option<ScratchWriter<CleanNote>>,
    /// Notes before those of each file.
    first: Vec<u64>,
    written: u64,
}

impl CleanPlaces {
    pub(super) fn begin(
        scratch: &ScratchDir,
        files: usize,
        deliver: &DeliverClean,
    ) -> Result<CleanPlaces, Error> {
        let has_notes = matches!(deliver, DeliverClean::Annotated(_));
        let notes = has_notes.then(|| scratch.file("notes.run-file"));
        Ok(CleanPlaces {
            places: PlacesWriter::begin(scratch, files)?,
            notes: notes.transpose()?,
            first: Vec::with_capacity(files),
            written: 0,
        })
    }

    /// Adds a document; files and the documents of a file come in order.
    pub(super) fn push(&mut self, document: &FoundDocument) -> Result<(), Error> {
        let (file, place) = (document.file as usize, document.place);
        let Some(notes) = &mut self.notes else {
            let record = document.id.as_deref().map_or(0, input::record_hash);
            return self.places.push(file, Removal { place, record });
        };
        while self.first.len() <= file {
            self.first.push(self.written);
        }
        let found = document.found.iter().map(|one| &one.found);
        // of equal shares, the first item
        let best = found.min_by_key(|one| (std::cmp::Reverse(one.share()), one.item));
        notes.push(&CleanNote {
            entry_offset: place.entry_offset,
            inner_offset: place.inner_offset,
            length: place.length,
            item: best.map_or(NO_ITEM, |one| one.item),
            standing: best.map_or(0, |one| one.stretch.words),
            words: best.map_or(0, |one| one.words),
        })?;
        self.written += 1;
        Ok(())
    }

    pub(super) fn finish(
        mut self,
        files: usize,
        references: &Arc<References>,
    ) -> Result<(RemovalPlaces, Option<CleanNotes>), Error> {
        self.first.resize(files + 1, self.written);
        let notes = self.notes.map(|notes| {
            Ok::<_, Error>(CleanNotes {
                file: notes.finish()?,
                first: self.first,
                references: Arc::clone(references),
            })
        });
        Ok((self.places.finish(files)?, notes.transpose()?))
    }
}

/// The notes on all documents.
pub(super) struct CleanNotes {
    file: ScratchFile<CleanNote>,
    first: Vec<u64>,
    references: Arc<References>,
}

impl CopyNotes for CleanNotes {
    fn of_file(&self, file: usize) -> Result<Box<dyn FileNotes + '_>, Error> {
        let mut notes = self.file.read()?;
        notes.seek(self.first[file])?;
        Ok(Box::new(NotesOfFile {
            notes,
            left: self.first[file + 1] - self.first[file],
            references: &self.references,
            current: None,
        }))
    }
}

/// The notes on the documents of one file.
struct NotesOfFile<'a> {
    notes: RecordReader<CleanNote>,
    left: u64,
    references: &'a References,
    current: Option<CleanNote>,
}

impl FileNotes for NotesOfFile<'_> {
    fn columns(&self) -> Vec<Column> {
        CONTAMINATION_NOTE.columns()
    }

    fn next(&mut self, take: &mut dyn FnMut(&DocumentRow<'_>)) -> Result<bool, Error> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        self.current = self.notes.next()?;
        if let Some(note) = &self.current {
            take(&DocumentRow {
                entry_offset: note.entry_offset,
                inner_offset: note.inner_offset,
                length: note.length,
                ..DocumentRow::default()
            });
        }
        Ok(self.current.is_some())
    }

    fn cells(&self, take: &mut dyn FnMut(Cell<'_>)) {
        let found = self.current.filter(|note| note.item != NO_ITEM);
        let item = found.map(|note| note.item);
        let share = |note: CleanNote| f64::from(note.standing) / f64::from(note.words.max(1));
        let note = ContaminationNote {
            contaminated: Some(found.is_some()),
            contamination_share: found.map(share),
            contamination_reference: item.map(|item| {
                let file = self.references.file_of(item);
                &*self.references.files[file].name
            }),
            contamination_item: item.map(|item| self.references.items.item(item).id),
        };
        note.cells(&mut |cell| take(cell));
    }
}
