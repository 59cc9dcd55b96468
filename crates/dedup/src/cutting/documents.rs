//! What becomes of each document that has parts which stay elsewhere.
//!
//! *Input.* The cuts of the run and the document rows, both in document order. *Output.* A
//! [`CutDocument`] after the other; the counts of each file; the changes of a file, for the copies.
//! *Algorithm.* A document goes if another one with all its words stays, or if too few of its words
//! would stay. It is left as it is if the characters of a part are not known: its text has markup.
//! *Memory.* 32 bytes a file, and the parts of a document.

use super::outcome::CutCounts;
use crate::copies::{ChangedDocuments, CopyCuts};
use crate::files::Files;
use crate::request::CutRequest;
use engine::segments::{SegmentFile, SegmentRows};
use engine::{Engine, Error, PhaseName};
use format::{Characters, CutRecord, DocumentRow, FileKind, RecordReader};
use input::{DocumentCut, DocumentCuts, Place, SinkError};
use sort::Lookup;

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
    /// Those of all files, from a record of the cuts on.
    pub(super) fn open(
        engine: &Engine<'_>,
        files: &'a Files,
        rest: u32,
        whole: &'a [usize],
        first: u64,
    ) -> Result<CutDocuments<'a>, Error> {
        let mut cuts = engine.reader(PhaseName::Passages, CUTS, FileKind::Cuts)?;
        cuts.seek(first)?;
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

/// The cuts of a file.
#[derive(Clone, Copy, Default)]
struct CutsOfFile {
    /// The number of its first record among all cuts.
    first: u64,
    counts: ChangedDocuments,
}

/// What becomes of all files.
pub(super) struct CutPlan<'a> {
    pub(super) engine: &'a Engine<'a>,
    request: &'a CutRequest,
    files: &'a Files,
    /// Files that are copied as they are.
    whole: Vec<usize>,
    of_file: Vec<CutsOfFile>,
    pub(super) counts: CutCounts,
}

impl<'a> CutPlan<'a> {
    /// Looks through the cuts; the files of `whole` stay as they are.
    pub(super) fn make(
        engine: &'a Engine<'a>,
        files: &'a Files,
        request: &'a CutRequest,
        whole: &[usize],
    ) -> Result<CutPlan<'a>, Error> {
        let mut of_file = vec![CutsOfFile::default(); files.roles.len()];
        let (mut counts, mut record, mut before) = (CutCounts::default(), 0, None);
        let mut marks = engine.segments()?.marks();
        while let Some((doc, mark)) = marks.next()? {
            if files.may_go(doc) {
                counts.documents += 1;
                counts.words += mark.words;
            }
        }
        let mut documents = CutDocuments::open(engine, files, request.rest, whole, 0)?;
        while let Some(document) = documents.next()? {
            let file = document.row.file as usize;
            let of_file = of_file.get_mut(file).ok_or_else(|| {
                let doc = document.doc;
                Error::Usage(format!("failed to place document {doc}; run again"))
            })?;
            if before.replace(file) != Some(file) {
                of_file.first = record;
            }
            record += document.parts.len() as u64;
            match document.fate {
                Fate::Cut => {
                    of_file.counts.cut += 1;
                    counts.cut += 1;
                    counts.words_cut += document.words();
                    let characters = document.parts.iter().map(|part| part.characters);
                    let lengths = characters.map(|part| u64::from(part.end - part.begin));
                    counts.characters_cut += lengths.sum::<u64>();
                }
                Fate::Equal | Fate::Rest => {
                    of_file.counts.removed += 1;
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
        Ok(CutPlan {
            engine,
            request,
            files,
            whole: whole.to_vec(),
            of_file,
            counts,
        })
    }

    /// The documents with parts that stay elsewhere.
    pub(super) fn documents(&self) -> Result<CutDocuments<'_>, Error> {
        self.documents_from(0)
    }

    fn documents_from(&self, first: u64) -> Result<CutDocuments<'_>, Error> {
        CutDocuments::open(
            self.engine,
            self.files,
            self.request.rest,
            &self.whole,
            first,
        )
    }

    /// Whether something of a file goes.
    pub(super) fn changes(&self, file: usize) -> bool {
        self.counts(file) != ChangedDocuments::default()
    }
}

impl CopyCuts for CutPlan<'_> {
    fn counts(&self, file: usize) -> ChangedDocuments {
        self.of_file[file].counts
    }

    fn of_file(&self, file: usize) -> Result<Box<dyn DocumentCuts + '_>, Error> {
        Ok(Box::new(FileCuts {
            documents: self.documents_from(self.of_file[file].first)?,
            end: self.files.of(file).end,
        }))
    }

    fn marker(&self) -> &str {
        &self.request.marker
    }
}

/// The changes of one file.
struct FileCuts<'a> {
    documents: CutDocuments<'a>,
    /// The document behind those of the file.
    end: u32,
}

impl DocumentCuts for FileCuts<'_> {
    fn next(&mut self) -> Result<Option<(Place, DocumentCut)>, SinkError> {
        let end = self.end;
        while let Some(document) = self.documents.next()? {
            let CutDocument {
                doc, row, parts, ..
            } = &document;
            if *doc >= end {
                break;
            }
            let cut = match document.fate {
                Fate::Cut => {
                    let characters = parts.iter().map(|part| part.characters);
                    DocumentCut::Parts(characters.map(|part| part.begin..part.end).collect())
                }
                Fate::Equal | Fate::Rest => DocumentCut::Whole,
                Fate::Uncut | Fate::Aside => continue,
            };
            let place = Place {
                entry_offset: row.entry_offset,
                inner_offset: row.inner_offset,
                length: row.length,
            };
            return Ok(Some((place, cut)));
        }
        Ok(None)
    }
}
