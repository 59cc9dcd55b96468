//! `--remove LIST`: the documents that a list names.
//!
//! *Input.* The list; document rows. *Output.* A [`RemovalRecord`] for each named document, in
//! document order, and what became of the entries: [`ListOutcome`]. *Algorithm.* Entries with a
//! doc_id are sorted by document and joined with the rows. Entries with an id are sorted by its
//! fingerprint and joined with the ids of all documents, sorted in the same way; a document without
//! an id goes by its URL. An entry with both names a document that has both, so that a list of
//! another corpus removes nothing. *Memory.* Four sorts, and a cell of 4 bytes an entry. *Disk.* 24
//! bytes an entry and a document. *Limits.* Two ids are equal if their 128-bit fingerprints are.

use super::files::Files;
use super::id_list::{self, NamedDocument};
use engine::{Error, segments::SegmentFile};
use model::{Cells, keyed, word_record};
use output::is_harmful;
use publication::removals::candidate::{NONE, SIMILAR};
use publication::removals::removal::{REMOVALS, RemovalFile, RemovalRecord};
use publication::removals::task::RemovalTask;
use serde::{Deserialize, Serialize};
use sort::Lookup;
use std::fmt;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_128;

/// Entries that are shown of those that name no document.
const SHOWN: usize = 3;

/// What became of the entries of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListOutcome {
    /// The file.
    pub file: PathBuf,
    /// Its entries.
    pub entries: u64,
    /// Entries that name no document.
    pub unknown: u64,
    /// The first of them.
    pub first_unknown: Vec<String>,
    /// Ids in the list that several documents have.
    pub shared_ids: u64,
    /// The documents that have them.
    pub documents_of_shared_ids: u64,
    /// Named documents of references, which stay.
    pub of_references: u64,
}

/// An entry, by the document that its doc_id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EntryOfDocument {
    doc: u32,
    entry: u32,
    /// Of the id that the document must have, too; 0 if none is given.
    id: u128,
}

word_record! { EntryOfDocument { doc, entry, id } }
keyed! { EntryOfDocument: u32 = |entry| entry.doc }

/// An entry, or a document, by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NumberOfId {
    id: u128,
    number: u32,
}

word_record! { NumberOfId { id, number } }
keyed! { NumberOfId: u128 = |one| one.id }

fn fingerprint(id: &str) -> u128 {
    XxHash3_128::oneshot(id.as_bytes()).max(1)
}

/// The removals of the documents that a list names.
pub(super) fn decide(
    task: &RemovalTask<'_>,
    list: &Path,
    files: &Files,
) -> Result<(RemovalFile, ListOutcome), Error> {
    let mut outcome = ListOutcome {
        file: list.to_owned(),
        ..ListOutcome::default()
    };
    let public = task.engine.public_ids();
    let mut by_document = task.by_document::<EntryOfDocument>("listed-documents");
    let mut by_id = task.sorter::<NumberOfId>("listed-ids");
    let mut entries = 0_u32;
    id_list::read(list, &mut |named| {
        let entry = entries;
        entries = entry.checked_add(1).ok_or_else(|| {
            let path = list.display();
            Error::Usage(format!(
                "failed to read the list {path}: it is too long; divide it"
            ))
        })?;
        let (doc_id, own, other) = match named {
            NamedDocument::Line(text) => (text.parse().ok(), None, Some(text)),
            NamedDocument::Columns { doc_id: None, id } => (None, None, id),
            NamedDocument::Columns { doc_id, id } => (doc_id, id, None),
        };
        if let Some(doc) = doc_id.and_then(|doc_id| public.find(doc_id)) {
            let id = own.map_or(0, fingerprint);
            by_document.push(EntryOfDocument { doc, entry, id })?;
        }
        if let Some(id) = other.map(fingerprint) {
            by_id.push(NumberOfId { id, number: entry })?;
        }
        Ok(())
    })?;
    outcome.entries = u64::from(entries);
    // The document that an entry names, plus one.
    let mut named = task.scratch.cells_of("listed", entries)?;
    let mut going = task.by_document::<RemovalRecord>("listed-going");
    let mut go = |doc| {
        going.push(RemovalRecord {
            doc,
            kept: NONE,
            relation: SIMILAR,
            modulus: 1,
            ..RemovalRecord::default()
        })
    };
    let mut ids = task.sorter::<NumberOfId>("ids");
    let mut by_document = Lookup::over(by_document.finish()?)?;
    let mut by_id = Lookup::over(by_id.finish()?)?;
    let has_ids = by_id.peek().is_some();
    let mut rows = task.engine.segments()?.rows(SegmentFile::Documents);
    while (has_ids || by_document.peek().is_some())
        && let Some((doc, row)) = rows.next_document()?
    {
        let id = row.id.or(row.url).map(fingerprint);
        while let Some(entry) = by_document.next_of(doc)? {
            if entry.id == 0 || Some(entry.id) == id {
                named.set(entry.entry, doc + 1)?;
                go(doc)?;
            }
        }
        if let Some(id) = id.filter(|_| has_ids) {
            ids.push(NumberOfId { id, number: doc })?;
        }
    }
    let mut ids = Lookup::over(ids.finish()?)?;
    while let Some(NumberOfId { id, .. }) = by_id.peek() {
        let (mut first, mut count) = (None, 0);
        while let Some(NumberOfId { number: doc, .. }) = ids.next_of(id)? {
            go(doc)?;
            first = first.or(Some(doc));
            count += 1;
        }
        if count > 1 {
            outcome.shared_ids += 1;
            outcome.documents_of_shared_ids += count;
        }
        while let Some(NumberOfId { number: entry, .. }) = by_id.next_of(id)? {
            let Some(doc) = first else { continue };
            let before = named.get(entry)?;
            if before != 0 && (count > 1 || before != doc + 1) {
                return Err(ambiguous(
                    list,
                    entry,
                    public.get(before - 1),
                    public.get(doc),
                ));
            }
            named.set(entry, doc + 1)?;
        }
    }
    let unknown = |entry: u32| Ok(named.get(entry)? == 0);
    outcome.note_unknown(entries, unknown)?;
    if outcome.unknown == outcome.entries {
        return Err(outcome.nothing_named());
    }
    let mut going = Lookup::over(going.finish()?)?;
    let mut removals = task.scratch.file(REMOVALS)?;
    while let Some(removal) = going.next()? {
        while going.next_of(removal.doc)?.is_some() {}
        match files.may_go(removal.doc) {
            true => removals.push(&removal)?,
            false => outcome.of_references += 1,
        }
    }
    Ok((removals.finish()?, outcome))
}

fn ambiguous(list: &Path, entry: u32, doc_id: i64, other: i64) -> Error {
    let (list, line) = (list.display(), u64::from(entry) + 1);
    Error::Usage(format!(
        "failed to find the document of entry {line} of {list}: {doc_id} is the doc_id of one \
         document and the id of another, whose doc_id is {other}; write entries as \
         {{\"doc_id\": {doc_id}}} or {{\"id\": \"{doc_id}\"}}"
    ))
}

impl ListOutcome {
    /// Counts the entries that name no document, and reads the first of them again.
    fn note_unknown(
        &mut self,
        entries: u32,
        mut is_unknown: impl FnMut(u32) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut first = Vec::new();
        for entry in 0..entries {
            if is_unknown(entry)? {
                self.unknown += 1;
                first.extend((first.len() < SHOWN).then_some(entry));
            }
        }
        let mut entry = 0;
        let path = self.file.clone();
        if first.is_empty() {
            return Ok(());
        }
        id_list::read(&path, &mut |named| {
            if first.contains(&entry) {
                self.first_unknown.push(shown(named));
            }
            entry += 1;
            Ok(())
        })
    }

    fn nothing_named(&self) -> Error {
        let (path, first) = (self.file.display(), self.first_unknown.join(", "));
        Error::Usage(match self.entries {
            0 => format!("failed to read the list {path}: it has no entry; write an id a line"),
            entries => format!(
                "failed to find a document of the list {path}: entries: {entries}, such as \
                 {first}; an entry is a doc_id of this run, an id of its input, or both of one \
                 document"
            ),
        })
    }
}

fn shown(named: NamedDocument<'_>) -> String {
    let text = match named {
        NamedDocument::Line(text) => text.to_owned(),
        NamedDocument::Columns { doc_id, id } => {
            let doc_id = doc_id.map(|doc_id| format!("doc_id {doc_id}"));
            let id = id.map(|id| format!("id {id}"));
            doc_id.into_iter().chain(id).collect::<Vec<_>>().join(", ")
        }
    };
    let text: String = text.chars().take(80).collect();
    text.replace(is_harmful, "")
}

impl fmt::Display for ListOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "entries   {:>12}  in {}",
            self.entries,
            self.file.display()
        )?;
        if self.unknown > 0 {
            let first = self.first_unknown.join("; ");
            writeln!(
                f,
                "unknown   {:>12}  entries that name no document: {first}",
                self.unknown
            )?;
        }
        if self.shared_ids > 0 {
            writeln!(
                f,
                "shared    {:>12}  ids that several documents have: {} in all, all named",
                self.shared_ids, self.documents_of_shared_ids
            )?;
        }
        if self.of_references > 0 {
            let of_references = self.of_references;
            writeln!(
                f,
                "stay      {of_references:>12}  named documents of references"
            )?;
        }
        Ok(())
    }
}
