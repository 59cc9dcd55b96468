//! What the copies need to know of the documents: which go, which parts of them go, or what their
//! notes say.
//!
//! *Input.* Documents in the order of the input, with what was found in them. *Output.* The places
//! of those that go; or parts; or notes on all documents. *Memory.* Blocks; 24 bytes a file.
//! *Disk.* 32 bytes a document that goes or a part, 40 a document that gets a note.

use super::found::FoundDocument;
use super::references::References;
use super::request::DeliverClean;
use crate::copies::{ChangedDocuments, CopyChange, CopyCuts};
use crate::notes::{CopyNotes, FileNotes};
use crate::places::{PlacesWriter, RemovalPlaces};
use engine::{Error, ScratchDir};
use format::{DocumentRow, RecordReader, ScratchFile, ScratchWriter};
use input::{DocumentCut, DocumentCuts, Place, Removal, SinkError};
use model::record;
use output::{CONTAMINATION_NOTE, Cell, Column, ContaminationNote, Row};
use std::cmp::Reverse;
use std::ops::Range;
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

/// A part of a document that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CleanCut {
    entry_offset: u64,
    inner_offset: u64,
    length: u64,
    /// The first character; of a document that goes whole, [`WHOLE`].
    begin: u32,
    /// The character behind the last.
    end: u32,
}

record! { CleanCut { entry_offset, inner_offset, length, begin, end } }

const WHOLE: u32 = u32::MAX;

/// What the copies need, being written.
pub(super) struct CleanPlaces {
    writer: CleanWriter,
    /// The records of each file so far, by the number of the first.
    first: Vec<u64>,
    written: u64,
    /// Documents that go and that are cut, of each file.
    changed: Vec<ChangedDocuments>,
}

enum CleanWriter {
    Places(PlacesWriter),
    Notes(ScratchWriter<CleanNote>),
    Cuts(ScratchWriter<CleanCut>),
}

impl CleanPlaces {
    pub(super) fn begin(
        scratch: &ScratchDir,
        files: usize,
        deliver: &DeliverClean,
    ) -> Result<CleanPlaces, Error> {
        Ok(CleanPlaces {
            writer: match deliver {
                DeliverClean::Annotated(_) => CleanWriter::Notes(scratch.file("notes.run-file")?),
                DeliverClean::Stretches(_) => CleanWriter::Cuts(scratch.file("cuts.run-file")?),
                _ => CleanWriter::Places(PlacesWriter::begin(scratch, files)?),
            },
            first: Vec::with_capacity(files + 1),
            written: 0,
            changed: vec![ChangedDocuments::default(); files],
        })
    }

    /// Adds a document; files and the documents of a file come in order.
    pub(super) fn push(&mut self, document: &FoundDocument) -> Result<(), Error> {
        let (file, place) = (document.file as usize, document.place);
        while self.first.len() <= file {
            self.first.push(self.written);
        }
        let (entry_offset, inner_offset) = (place.entry_offset, place.inner_offset);
        match &mut self.writer {
            CleanWriter::Places(places) => {
                let record = document.id.as_deref().map_or(0, input::record_hash);
                places.push(file, Removal { place, record })?;
            }
            CleanWriter::Notes(notes) => {
                let found = document.found.iter().map(|one| &one.found);
                // of equal shares, the first item
                let best = found.min_by_key(|one| (Reverse(one.share()), one.item));
                self.written += 1;
                notes.push(&CleanNote {
                    entry_offset,
                    inner_offset,
                    length: place.length,
                    item: best.map_or(NO_ITEM, |one| one.item),
                    standing: best.map_or(0, |one| one.stretch.words),
                    words: best.map_or(0, |one| one.words),
                })?;
            }
            CleanWriter::Cuts(cuts) => {
                let parts = parts_of(document);
                match parts {
                    None => self.changed[file].removed += 1,
                    Some(_) => self.changed[file].cut += 1,
                }
                let whole = || std::iter::once(WHOLE..WHOLE).collect();
                for Range { start, end } in parts.unwrap_or_else(whole) {
                    self.written += 1;
                    cuts.push(&CleanCut {
                        entry_offset,
                        inner_offset,
                        length: place.length,
                        begin: start,
                        end,
                    })?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(
        mut self,
        files: usize,
        references: &Arc<References>,
    ) -> Result<Clean, Error> {
        self.first.resize(files + 1, self.written);
        let first = self.first;
        Ok(match self.writer {
            CleanWriter::Places(places) => Clean::Places(places.finish(files)?),
            CleanWriter::Notes(notes) => Clean::Notes(CleanNotes {
                file: notes.finish()?,
                first,
                references: Arc::clone(references),
            }),
            CleanWriter::Cuts(cuts) => Clean::Cuts(CleanCuts {
                file: cuts.finish()?,
                first,
                changed: self.changed,
            }),
        })
    }
}

/// What the copies need.
pub(super) enum Clean {
    Places(RemovalPlaces),
    Notes(CleanNotes),
    Cuts(CleanCuts),
}

impl Clean {
    pub(super) fn change(&self) -> CopyChange<'_> {
        match self {
            Clean::Places(places) => CopyChange::Removals(places),
            Clean::Notes(notes) => CopyChange::Notes(notes),
            Clean::Cuts(cuts) => CopyChange::Cuts(cuts),
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
    let characters = document.found.iter().map(|one| {
        let characters = one.characters.as_ref()?;
        let [start, end] = [characters.start, characters.end].map(u32::try_from);
        Some(start.ok()?..end.ok()?)
    });
    Some(joined(characters.collect::<Option<Vec<Range<u32>>>>()?))
}

/// Ranges in order, those that overlap as one.
fn joined(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<u32>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    joined
}

/// The parts of all documents that go.
pub(super) struct CleanCuts {
    file: ScratchFile<CleanCut>,
    first: Vec<u64>,
    changed: Vec<ChangedDocuments>,
}

impl CopyCuts for CleanCuts {
    fn counts(&self, file: usize) -> ChangedDocuments {
        self.changed[file]
    }

    fn of_file(&self, file: usize) -> Result<Box<dyn DocumentCuts + '_>, Error> {
        let mut cuts = self.file.read()?;
        cuts.seek(self.first[file])?;
        let left = self.first[file + 1] - self.first[file];
        Ok(Box::new(CutsOfFile {
            cuts,
            left,
            next: None,
        }))
    }

    /// Nothing stands in place of a stretch.
    fn marker(&self) -> &str {
        ""
    }
}

/// The parts of the documents of one file.
struct CutsOfFile {
    cuts: RecordReader<CleanCut>,
    /// Records that were not read yet.
    left: u64,
    /// The first part of the next document.
    next: Option<CleanCut>,
}

impl CutsOfFile {
    fn read(&mut self) -> Result<Option<CleanCut>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        Ok(self.cuts.next()?)
    }
}

impl DocumentCuts for CutsOfFile {
    fn next(&mut self) -> Result<Option<(Place, DocumentCut)>, SinkError> {
        let first = match self.next.take() {
            Some(first) => Some(first),
            None => self.read()?,
        };
        let Some(first) = first else {
            return Ok(None);
        };
        let place = |cut: &CleanCut| Place {
            entry_offset: cut.entry_offset,
            inner_offset: cut.inner_offset,
            length: cut.length,
        };
        let mut parts: Vec<Range<u32>> = std::iter::once(first.begin..first.end).collect();
        self.next = self.read()?;
        while let Some(cut) = self.next.filter(|cut| place(cut) == place(&first)) {
            parts.push(cut.begin..cut.end);
            self.next = self.read()?;
        }
        let cut = match first.begin {
            WHOLE => DocumentCut::Whole,
            _ => DocumentCut::Parts(parts),
        };
        Ok(Some((place(&first), cut)))
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
