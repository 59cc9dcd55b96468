//! What the copies need to know of the documents: which go, which parts of them go, or what their
//! notes say.
//!
//! *Input.* Documents in the order of the input, with what was found in them. *Output.* The places
//! of those that go, with their parts; or notes on all documents. *Memory.* Blocks; 32 bytes a
//! file. *Disk.* 36 bytes a document that goes, 8 a part, 36 a document that gets a note.

use super::found::{FoundDocument, joined};
use super::references::References;
use super::request::DeliverClean;
use crate::copies::CopyChange;
use crate::notes::{CopyNotes, FileNotes};
use crate::places::{PlacesWriter, RemovalPlaces};
use engine::{Error, ScratchDir};
use format::{DocumentRow, RecordReader, ScratchFile, ScratchWriter};
use input::{Place, Removal};
use model::record;
use output::{CONTAMINATION_NOTE, Cell, Column, ContaminationNote, Row};
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

/// The note on a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CleanNote {
    place: Place,
    /// The item with the largest share, or [`NO_ITEM`].
    item: u32,
    /// The words of it that stand in the document.
    standing: u32,
    /// The words of it.
    words: u32,
}

record! { CleanNote { place, item, standing, words } }

const NO_ITEM: u32 = u32::MAX;

/// What the copies need, being written.
pub(super) enum CleanWriter {
    /// Documents go, or if `are_cut`, parts of them.
    Places { places: PlacesWriter, are_cut: bool },
    /// All documents get notes.
    Notes {
        notes: ScratchWriter<CleanNote>,
        /// The first of each file.
        first: Vec<u64>,
        written: u64,
    },
}

impl CleanWriter {
    pub(super) fn begin(
        scratch: &ScratchDir,
        files: usize,
        deliver: &DeliverClean,
    ) -> Result<CleanWriter, Error> {
        Ok(match deliver {
            DeliverClean::Annotated(_) => CleanWriter::Notes {
                notes: scratch.file("notes.run-file")?,
                first: Vec::with_capacity(files + 1),
                written: 0,
            },
            deliver => CleanWriter::Places {
                places: PlacesWriter::begin(scratch, files)?,
                are_cut: matches!(deliver, DeliverClean::Stretches(_)),
            },
        })
    }

    /// Adds a document; files and the documents of a file come in order.
    pub(super) fn push(&mut self, document: &FoundDocument) -> Result<(), Error> {
        let (file, place) = (document.file as usize, document.place);
        match self {
            CleanWriter::Places { places, are_cut } => {
                let record = document.id.as_deref().map_or(0, input::record_hash);
                let parts = are_cut.then(|| parts_of(document)).flatten();
                places.push_parts(file, Removal { place, record }, &parts.unwrap_or_default())
            }
            CleanWriter::Notes {
                notes,
                first,
                written,
            } => {
                while first.len() <= file {
                    first.push(*written);
                }
                let found = document.found.iter().map(|one| &one.found);
                // of equal shares, the first item
                let best = found.min_by_key(|one| (Reverse(one.share()), one.item));
                *written += 1;
                Ok(notes.push(&CleanNote {
                    place,
                    item: best.map_or(NO_ITEM, |one| one.item),
                    standing: best.map_or(0, |one| one.stretch.words),
                    words: best.map_or(0, |one| one.words),
                })?)
            }
        }
    }

    pub(super) fn finish(self, files: usize, references: &Arc<References>) -> Result<Clean, Error> {
        Ok(match self {
            CleanWriter::Places { places, .. } => Clean::Places(places.finish(files)?),
            CleanWriter::Notes {
                notes,
                mut first,
                written,
            } => {
                first.resize(files + 1, written);
                Clean::Notes(CleanNotes {
                    file: notes.finish()?,
                    first,
                    references: Arc::clone(references),
                })
            }
        })
    }
}

/// What the copies need.
pub(super) enum Clean {
    Places(RemovalPlaces),
    Notes(CleanNotes),
}

impl Clean {
    pub(super) fn change(&self) -> CopyChange<'_> {
        match self {
            Clean::Places(places) => CopyChange::Removals(places),
            Clean::Notes(notes) => CopyChange::Notes(notes),
        }
    }
}

/// The characters of a document that go, in order and apart; `None` if all of it goes: because its
/// words are all in stretches, or because its text has markup, of which no part can be cut.
fn parts_of(document: &FoundDocument) -> Option<Vec<Range<u32>>> {
    let words = document
        .found
        .iter()
        .map(|one| one.found.stretch.begin..one.found.stretch.end);
    let covered: u32 = joined(words.collect())
        .iter()
        .map(|one| one.end - one.start)
        .sum();
    if covered >= document.words {
        return None;
    }
    let characters = document.found.iter().map(|one| one.characters.clone());
    document
        .has_characters
        .then(|| joined(characters.collect()))
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
                entry_offset: note.place.entry_offset,
                inner_offset: note.place.inner_offset,
                length: note.place.length,
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
