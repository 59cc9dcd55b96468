//! The results of a call: rows of the table, counts by reference file, documents that go.
//!
//! *Input.* Documents in the order of the input, with what was found in them. *Output.* The table;
//! the places of the documents, for the copies; the outcome. *Memory.* A bit an item, 8 bytes a
//! file, a row group of the table.

use super::clean::CleanWriter;
use super::finder::shown;
use super::found::{Counts, FoundDocument, Passed};
use super::outcome::{DecontaminateOutcome, Example, ReferenceOutcome};
use super::references::References;
use super::searcher::Found;
use engine::Error;
use format::{AtomicFile, Sealed};
use input::SourceFile;
use output::{ContaminationRow, ParquetTable};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Stretches that the report shows.
const EXAMPLES: usize = 10;

/// Takes documents one after another.
pub(super) struct Results {
    references: Arc<References>,
    /// The names of the listed files.
    sources: Vec<String>,
    /// Whether each of them is of the references: then its documents only have numbers.
    are_references: Vec<bool>,
    table: Option<ParquetTable<AtomicFile>>,
    /// What the copies need.
    clean: Option<CleanWriter>,
    /// The snapshot at hand, and the documents of it so far.
    snapshot: u32,
    position: u64,
    /// Documents of each listed file.
    pub(super) documents: Vec<u64>,
    pub(super) counts: Counts,
    /// Whether each item was found.
    is_found: Vec<bool>,
    outcome: DecontaminateOutcome,
}

impl Results {
    pub(super) fn new(
        references: Arc<References>,
        files: &[SourceFile],
        are_references: &[bool],
        table: Option<ParquetTable<AtomicFile>>,
        clean: Option<CleanWriter>,
        outcome: DecontaminateOutcome,
    ) -> Results {
        Results {
            is_found: vec![false; references.items.count() as usize],
            sources: files.iter().map(|file| file.name.clone()).collect(),
            are_references: are_references.to_vec(),
            documents: vec![0; files.len()],
            references,
            table,
            clean,
            snapshot: 0,
            position: 0,
            counts: Counts::default(),
            outcome,
        }
    }

    /// The documents that come are of this snapshot.
    pub(super) fn begin_snapshot(&mut self, number: u32) {
        if self.snapshot != number {
            (self.snapshot, self.position) = (number, 0);
        }
    }

    pub(super) fn take(&mut self, passed: Passed) -> Result<(), Error> {
        match passed {
            Passed::Clean { file, documents } => self.pass(file, documents),
            Passed::Document(document) => {
                let doc_id = i64::from(self.snapshot) << 32 | self.position as i64;
                self.pass(document.file, 1);
                if let Some(clean) = &mut self.clean {
                    clean.push(&document)?;
                }
                self.document(doc_id, &document)?;
            }
        }
        Ok(())
    }

    fn pass(&mut self, file: u32, documents: u64) {
        self.position += documents;
        self.documents[file as usize] += documents;
        if !self.are_references[file as usize] {
            self.outcome.documents += documents;
        }
    }

    fn document(&mut self, doc_id: i64, document: &FoundDocument) -> Result<(), Error> {
        let references = Arc::clone(&self.references);
        let files = document
            .found
            .iter()
            .map(|one| references.file_of(one.found.item));
        for file in files.collect::<BTreeSet<usize>>() {
            self.outcome.references[file].documents += 1;
        }
        self.outcome.contaminated += u64::from(!document.found.is_empty());
        for one in &document.found {
            let Found {
                item, field, texts, ..
            } = one.found;
            let file = references.file_of(item);
            let is_first = !std::mem::replace(&mut self.is_found[item as usize], true);
            self.outcome.references[file].found += u64::from(is_first);
            self.outcome.stretches += 1;
            let stretch = one.found.stretch;
            let of_item = references.items.item(item);
            let texts = &of_item.fields[texts[0] as usize..texts[1] as usize];
            let texts: Vec<&str> = texts.iter().map(|one| one.text).collect();
            let item_text = shown(&texts.join("\n"));
            let characters = document.has_characters.then_some(&one.characters);
            let text = shown(document.text_of(one));
            let row = ContaminationRow {
                doc_id,
                id: document.id.as_deref(),
                url: document.url.as_deref(),
                source: &self.sources[document.file as usize],
                reference: &references.files[file].name,
                item: of_item.id,
                field: references.field_name(field),
                words: i32::try_from(one.found.words).unwrap_or(i32::MAX),
                share: one.found.share().to_f64(),
                begin_word: stretch.begin.into(),
                end_word: stretch.end.into(),
                begin_character: characters.map(|characters| characters.start.into()),
                end_character: characters.map(|characters| characters.end.into()),
                text: &text,
                item_text: &item_text,
            };
            if let Some(table) = &mut self.table {
                table.write(&row)?;
            }
            if self.outcome.examples.len() < EXAMPLES {
                self.outcome.examples.push(Example::of(&row));
            }
        }
        Ok(())
    }

    /// Ends the table; gives the outcome.
    ///
    /// # Errors
    /// No document was searched: nothing found would be taken for nothing there.
    pub(super) fn finish(self) -> Result<Finished, Error> {
        let Results {
            table,
            clean,
            documents,
            counts,
            mut outcome,
            are_references,
            ..
        } = self;
        if outcome.documents == 0 {
            let why = match counts.first {
                Some(first) => format!("; the first is {first}"),
                None if are_references.contains(&true) => {
                    "; the input is of the references, which are not searched".to_owned()
                }
                None => String::new(),
            };
            return Err(Error::NoDocuments {
                rejected: counts.rejected.values().sum(),
                skipped: counts.skipped,
                why,
            });
        }
        outcome.rejected = counts.rejected;
        outcome.skipped = counts.skipped;
        let sealed = table.map(|table| {
            let rows = table.rows();
            Ok::<Sealed, Error>(table.finish()?.commit(rows)?)
        });
        Ok(Finished {
            table: sealed.transpose()?,
            clean,
            documents,
            outcome,
        })
    }
}

/// All results.
pub(super) struct Finished {
    pub(super) table: Option<Sealed>,
    pub(super) clean: Option<CleanWriter>,
    /// Documents of each listed file.
    pub(super) documents: Vec<u64>,
    pub(super) outcome: DecontaminateOutcome,
}

impl DecontaminateOutcome {
    /// Before anything is found.
    pub(super) fn of(references: &References) -> DecontaminateOutcome {
        let of_file = |file: &super::reference_file::ReferenceFile| ReferenceOutcome {
            file: file.name.clone(),
            items: file.items.into(),
            left_out: file.left_out.clone(),
            ..ReferenceOutcome::default()
        };
        DecontaminateOutcome {
            references: references.files.iter().map(of_file).collect(),
            ..DecontaminateOutcome::default()
        }
    }
}
