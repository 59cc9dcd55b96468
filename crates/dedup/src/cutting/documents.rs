//! What becomes of each document that has parts which stay elsewhere.
//!
//! *Input.* The cuts of the run and the document rows, both in document order. *Output.* A
//! [`CutDocument`] after the other; the counts, and the places, for the copies.
//! *Algorithm.* A document goes if another one with all its words stays, or if too few of its words
//! would stay. It is left as it is if the characters of a part are not known: its text has markup.
//! *Memory.* The parts of a document.

use super::outcome::CutCounts;
use crate::files::Files;
use crate::places::ChangedDocuments;
use crate::places::{PlacesWriter, RemovalPlaces, removal_of};
use crate::request::CutRequest;
use engine::segments::{SegmentFile, SegmentRows};
use engine::{Engine, Error, PhaseName, work_dir::scratch_dir};
use format::{Characters, CutRecord, DocumentRow, FileKind, RecordReader};
use sort::Lookup;
use std::ops::Range;

/// The file of phase `passages` that has the cuts.
const CUTS: &str = "cuts";

/// What becomes of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its parts go.
    Cut,
    /// It goes: another one with the same words stays.
    Equal,
    /// It goes: too few of its words would stay.
    Rest,
    /// It stays as it is: nobody knows which characters its parts are.
    Uncut,
    /// It is not copied, or copied as it is with its file.
    Aside,
}

/// A document with its parts that stay elsewhere.
pub(super) struct CutDocument<'r> {
    pub(super) doc: u32,
    pub(super) row: DocumentRow<'r>,
    pub(super) parts: Vec<CutRecord>,
    pub(super) fate: Fate,
}

impl CutDocument<'_> {
    /// Words in its parts.
    pub(super) fn words(&self) -> u64 {
        let words = self
            .parts
            .iter()
            .map(|part| u64::from(part.end - part.begin));
        words.sum()
    }
}

/// The documents with parts that stay elsewhere, in order.
pub(super) struct CutDocuments<'a> {
    cuts: Lookup<RecordReader<CutRecord>>,
    rows: SegmentRows,
    files: &'a Files,
    /// Files that are copied as they are.
    whole: &'a [usize],
    rest: u64,
}

impl<'a> CutDocuments<'a> {
    /// Those of all files.
    pub(super) fn open(
        engine: &Engine<'_>,
        files: &'a Files,
        rest: u32,
        whole: &'a [usize],
    ) -> Result<CutDocuments<'a>, Error> {
        let cuts = engine.reader(PhaseName::Passages, CUTS, FileKind::Cuts)?;
        Ok(CutDocuments {
            cuts: Lookup::over(cuts)?,
            rows: engine.segments()?.rows(SegmentFile::Documents),
            files,
            whole,
            rest: u64::from(rest).max(1),
        })
    }

    pub(super) fn next(&mut self) -> Result<Option<CutDocument<'_>>, Error> {
        let Some(CutRecord { doc, .. }) = self.cuts.peek() else {
            return Ok(None);
        };
        let mut parts = Vec::new();
        while let Some(part) = self.cuts.next_of(doc)? {
            parts.push(part);
        }
        let Some(row) = self.rows.document(doc)? else {
            return Err(Error::Usage(format!(
                "failed to cut document {doc}: it has no row; run again"
            )));
        };
        let mut document = CutDocument {
            doc,
            row,
            parts,
            fate: Fate::Aside,
        };
        let file = document.row.file as usize;
        if self.files.is_copied(file) && !self.whole.contains(&file) {
            document.fate = fate(&document, self.rest);
        }
        Ok(Some(document))
    }
}

/// What becomes of a document of which at least `rest` words have to stay.
fn fate(document: &CutDocument<'_>, rest: u64) -> Fate {
    let CutDocument { parts, row, .. } = document;
    if parts.iter().any(CutRecord::is_whole) {
        return Fate::Equal;
    }
    if row.words.saturating_sub(document.words()) < rest {
        return Fate::Rest;
    }
    match parts
        .iter()
        .any(|part| part.characters == Characters::UNKNOWN)
    {
        true => Fate::Uncut,
        false => Fate::Cut,
    }
}

/// What becomes of all files.
pub(super) struct CutPlan {
    pub(super) places: RemovalPlaces,
    pub(super) counts: CutCounts,
}

impl CutPlan {
    /// Looks through the cuts; the files of `whole` stay as they are.
    pub(super) fn make(
        engine: &Engine<'_>,
        files: &Files,
        request: &CutRequest,
        whole: &[usize],
    ) -> Result<CutPlan, Error> {
        let scratch = engine.scratch_in(scratch_dir(&engine.config.work.dir))?;
        let mut places = PlacesWriter::begin(&scratch, files.roles.len())?;
        let mut counts = CutCounts::default();
        let mut marks = engine.segments()?.marks();
        while let Some((doc, mark)) = marks.next()? {
            if files.may_go(doc) {
                counts.documents += 1;
                counts.words += mark.words;
            }
        }
        let mut documents = CutDocuments::open(engine, files, request.rest, whole)?;
        while let Some(document) = documents.next()? {
            let (file, removal) = (document.row.file as usize, removal_of(&document.row));
            match document.fate {
                Fate::Cut => {
                    counts.cut += 1;
                    counts.words_cut += document.words();
                    let characters = document.parts.iter().map(|part| part.characters);
                    let parts = characters.map(|part| part.begin..part.end);
                    let parts: Vec<Range<u32>> = parts.collect();
                    let lengths = parts.iter().map(|part| u64::from(part.end - part.start));
                    counts.characters_cut += lengths.sum::<u64>();
                    places.push_parts(file, removal, &parts)?;
                }
                Fate::Equal | Fate::Rest => {
                    places.push(file, removal)?;
                    counts.words_cut += document.row.words;
                    counts.removed_equal += u64::from(document.fate == Fate::Equal);
                    counts.removed_rest += u64::from(document.fate == Fate::Rest);
                }
                Fate::Uncut => counts.uncut += 1,
                Fate::Aside => {}
            }
        }
        counts.removed = counts.removed_equal + counts.removed_rest;
        counts.kept = counts.documents - counts.removed;
        let mut places = places.finish(files.roles.len())?;
        places.marker.clone_from(&request.marker);
        Ok(CutPlan { places, counts })
    }

    /// Whether something of a file goes.
    pub(super) fn changes(&self, file: usize) -> bool {
        self.places.counts(file) != ChangedDocuments::default()
    }
}
