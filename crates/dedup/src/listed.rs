//! `--remove LIST`: the documents that a list names.
//!
//! *Input.* The list; document rows. *Output.* A [`RemovalRecord`] for each named document, in
//! document order, and what became of the entries: [`ListOutcome`]. *Algorithm.* Names of entries
//! and names of documents are sorted by their fingerprints and joined. A document has the names
//! that occur in the list: its doc_id, its id, or both together, so that an entry with both removes
//! nothing of another corpus. A document without an id goes by its URL. *Memory.* Three sorts, and
//! a cell of 4 bytes an entry. *Disk.* 20 bytes a name. *Limits.* Two names are equal if their
//! 128-bit fingerprints are.

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

/// A name of a document.
#[derive(Clone, Copy)]
enum Name<'a> {
    DocId(i64),
    Id(&'a str),
    Both(i64, &'a str),
}

impl<'a> Name<'a> {
    /// The names that an entry may mean.
    fn of_entry(named: NamedDocument<'a>) -> [Option<Name<'a>>; 2] {
        match named {
            NamedDocument::Line(text) => {
                let doc_id = text.parse().ok().map(Name::DocId);
                [Some(Name::Id(text)), doc_id]
            }
            NamedDocument::Columns { doc_id, id } => {
                let name = match (doc_id, id) {
                    (Some(doc_id), Some(id)) => Some(Name::Both(doc_id, id)),
                    (doc_id, id) => doc_id.map(Name::DocId).or(id.map(Name::Id)),
                };
                [name, None]
            }
        }
    }

    /// The number of its kind.
    fn kind(self) -> usize {
        match self {
            Name::DocId(_) => 0,
            Name::Id(_) => 1,
            Name::Both(..) => 2,
        }
    }

    fn fingerprint(self) -> u128 {
        let text = match self {
            Name::DocId(doc_id) => format!("0 {doc_id}"),
            Name::Id(id) => format!("1 {id}"),
            Name::Both(doc_id, id) => format!("2 {doc_id} {id}"),
        };
        XxHash3_128::oneshot(text.as_bytes())
    }
}

/// A name with the entry or the document that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NameRecord {
    name: u128,
    number: u32,
}

word_record! { NameRecord { name, number } }
keyed! { NameRecord: u128 = |record| record.name }

/// The cell of an entry that names several documents; of other entries, the document plus one.
const SEVERAL: u32 = u32::MAX;

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
    let mut wanted = task.sorter::<NameRecord>("wanted-names");
    let (mut entries, mut kinds) = (0_u32, [false; 3]);
    id_list::read(list, &mut |named| {
        for name in Name::of_entry(named).into_iter().flatten() {
            kinds[name.kind()] = true;
            let (name, number) = (name.fingerprint(), entries);
            wanted.push(NameRecord { name, number })?;
        }
        let path = list.display();
        let too_long = || Error::Usage(format!("failed to read {path}: it is too long; divide it"));
        entries = entries.checked_add(1).ok_or_else(too_long)?;
        Ok(())
    })?;
    outcome.entries = u64::from(entries);
    let public = task.engine.public_ids();
    let mut offered = task.sorter::<NameRecord>("names-of-documents");
    let mut rows = task.engine.segments()?.rows(SegmentFile::Documents);
    while let Some((number, row)) = rows.next_document()? {
        let (doc_id, id) = (public.get(number), row.id.or(row.url));
        let names = [
            Some(Name::DocId(doc_id)),
            id.map(Name::Id),
            id.map(|id| Name::Both(doc_id, id)),
        ];
        for name in names
            .into_iter()
            .flatten()
            .filter(|name| kinds[name.kind()])
        {
            let name = name.fingerprint();
            offered.push(NameRecord { name, number })?;
        }
    }
    let mut going = task.by_document::<RemovalRecord>("listed");
    let mut named = task.scratch.cells_of("named", entries)?;
    let mut wanted = Lookup::over(wanted.finish()?)?;
    let mut offered = Lookup::over(offered.finish()?)?;
    while let Some(NameRecord { name, .. }) = wanted.peek() {
        let (mut cell, mut documents) = (0, 0);
        while let Some(NameRecord { number: doc, .. }) = offered.next_of(name)? {
            going.push(RemovalRecord {
                doc,
                kept: NONE,
                relation: SIMILAR,
                modulus: 1,
                ..RemovalRecord::default()
            })?;
            documents += 1;
            cell = if documents == 1 { doc + 1 } else { SEVERAL };
        }
        if cell == SEVERAL {
            outcome.shared_ids += 1;
            outcome.documents_of_shared_ids += documents;
        }
        while let Some(NameRecord { number: entry, .. }) = wanted.next_of(name)? {
            let before = named.get(entry)?;
            if cell != 0 && before != 0 && (cell != before || cell == SEVERAL) {
                return Err(ambiguous(list, entry));
            }
            named.set(entry, cell.max(before))?;
        }
    }
    outcome.note_unknown(entries, |entry| Ok(named.get(entry)? == 0))?;
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

fn ambiguous(list: &Path, entry: u32) -> Error {
    let (list, entry) = (list.display(), u64::from(entry) + 1);
    Error::Usage(format!(
        "failed to find the document of entry {entry} of {list}: it is the doc_id of one document \
         and the id of another; write entries as {{\"doc_id\": 7}} or {{\"id\": \"7\"}}"
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
        if first.is_empty() {
            return Ok(());
        }
        let mut entry = 0;
        id_list::read(&self.file.clone(), &mut |named| {
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
