//! The outcome of a call, as data and as text.

use super::request::DeliverClean;
use crate::names::DATA;
use crate::target::CopyCounts;
use output::{ContaminationRow, counted, most_frequent};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The items of one file of references, and where they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferenceOutcome {
    /// Its path.
    pub file: String,
    /// Items that were searched for.
    pub items: u64,
    /// Those of them that stand in a document.
    pub found: u64,
    /// Documents in which one of them stands.
    pub documents: u64,
    /// Items that are too short to be told.
    pub too_short: u64,
    /// Records that could not be read.
    pub rejected: u64,
}

/// A stretch in which an item stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// The document.
    pub doc_id: i64,
    /// Its id.
    pub id: Option<String>,
    /// Its URL.
    pub url: Option<String>,
    /// The file of references.
    pub reference: String,
    /// The item.
    pub item: String,
    /// The field of the item.
    pub field: String,
    /// The share of its words.
    pub share: f64,
    /// The stretch.
    pub text: String,
}

impl Example {
    pub(super) fn of(row: &ContaminationRow<'_>) -> Example {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Example {
            doc_id: row.doc_id,
            id: owned(row.id),
            url: owned(row.url),
            reference: row.reference.to_owned(),
            item: row.item.to_owned(),
            field: row.field.to_owned(),
            share: row.share,
            text: row.text.to_owned(),
        }
    }
}

/// The outcome of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DecontaminateOutcome {
    /// Documents of the input.
    pub documents: u64,
    /// Documents in which an item stands.
    pub contaminated: u64,
    /// Stretches of them, the rows of the table.
    pub stretches: u64,
    /// Each file of references.
    pub references: Vec<ReferenceOutcome>,
    /// File and id of the first items that are too short to be told.
    pub too_short: Vec<(String, String)>,
    /// Records of the input that were rejected, by reason.
    pub rejected: BTreeMap<String, u64>,
    /// Records of the input that are no pages.
    pub skipped: u64,
    /// The first stretches.
    pub examples: Vec<Example>,
    /// The sums of the copies, if there are any.
    pub copies: Option<CopyCounts>,
    /// Where the copies are; not in `decontaminate.json`, which lies there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    /// Whether rows are marked and none is removed.
    #[serde(default)]
    pub annotated: bool,
    /// Whether the copies were finished before this call.
    #[serde(skip)]
    pub was_finished: bool,
}

impl DecontaminateOutcome {
    /// What the copies are of.
    pub(super) fn deliver(&mut self, deliver: &DeliverClean) {
        self.annotated = matches!(deliver, DeliverClean::Annotated(_));
        self.output = deliver.directory().map(ToOwned::to_owned);
    }
}

/// Characters of an example in the text.
const EXAMPLE_CHARACTERS: usize = 60;

/// Items that are too short that the text names.
const SHORT_NAMED: usize = 5;

impl fmt::Display for DecontaminateOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = 100.0 * self.contaminated as f64 / self.documents.max(1) as f64;
        writeln!(f, "documents    {:>12}", self.documents)?;
        writeln!(f, "contaminated {:>12}  {share:.2} %", self.contaminated)?;
        writeln!(f, "stretches    {:>12}\n", self.stretches)?;
        writeln!(
            f,
            "{:>9} {:>9} {:>9}  reference",
            "items", "found", "documents"
        )?;
        for of in &self.references {
            let [items, found, documents] = [of.items, of.found, of.documents];
            writeln!(f, "{items:>9} {found:>9} {documents:>9}  {}", of.file)?;
        }
        self.write_left_out(f)?;
        self.write_examples(f)?;
        let (Some(output), Some(copies)) = (&self.output, &self.copies) else {
            return Ok(());
        };
        let done = match self.annotated {
            true => "annotated",
            false => "copied",
        };
        let state = match self.was_finished {
            true => ", already finished",
            false => "",
        };
        let (from, to) = (copies.source_files, copies.files);
        writeln!(
            f,
            "\n{} {done} as {}",
            counted(from, "file"),
            counted(to, "file")
        )?;
        writeln!(f, "copies: {}{state}", output.join(DATA).display())
    }
}

impl DecontaminateOutcome {
    /// What was not searched for, and what was not searched.
    fn write_left_out(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let too_short: u64 = self.references.iter().map(|one| one.too_short).sum();
        if too_short > 0 {
            let named = self.too_short.iter().take(SHORT_NAMED);
            let named: Vec<String> = named.map(|(file, id)| format!("{file} {id}")).collect();
            let more = too_short.saturating_sub(named.len() as u64);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let named = named.join(", ");
            writeln!(
                f,
                "\nitems too short to be told: {too_short}: {named}{more}"
            )?;
        }
        for of in self.references.iter().filter(|one| one.rejected > 0) {
            let (file, rejected) = (&of.file, of.rejected);
            writeln!(f, "records of {file} that could not be read: {rejected}")?;
        }
        let rejected: Vec<String> = most_frequent(&self.rejected)
            .iter()
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        match rejected.is_empty() {
            true => Ok(()),
            false => writeln!(f, "records of the input rejected: {}", rejected.join(", ")),
        }
    }

    fn write_examples(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.examples.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nshare  document, item and field, text")?;
        for one in &self.examples {
            let doc_id = one.doc_id.to_string();
            let name = one.id.as_ref().or(one.url.as_ref()).unwrap_or(&doc_id);
            let words: Vec<&str> = one.text.split_whitespace().collect();
            let text: String = words.join(" ").chars().take(EXAMPLE_CHARACTERS).collect();
            let Example {
                share, item, field, ..
            } = one;
            writeln!(f, "{share:>5.2}  {name}, {item} {field}, {text}")?;
        }
        Ok(())
    }
}
