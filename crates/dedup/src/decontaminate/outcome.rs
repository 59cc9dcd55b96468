//! The outcome of a call, as data and as text.

use super::request::DeliverClean;
use crate::copy_counts::CopyCounts;
use output::{ContaminationRow, beginning, most_frequent, shortened as shown};
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
    /// Records that were not searched for, by reason: `too-short` to be told from chance,
    /// `repeated`, as an earlier item of the file has the same words, `without-field`, or why they
    /// could not be read.
    pub left_out: BTreeMap<String, LeftOut>,
}

/// Records of references that were not searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// How many there are.
    pub records: u64,
    /// The ids of the first, or their rows; of those that could not be read, their places.
    pub named: Vec<String>,
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

/// Columns of an example in the text.
const EXAMPLE_WIDTH: usize = 60;

/// Columns of an id.
const NAME_WIDTH: usize = 60;

/// Columns of a record left out: its id, or why it could not be read.
const LEFT_OUT_WIDTH: usize = 120;

/// Records left out that the text names, for each reason.
const LEFT_OUT_NAMED: usize = 5;

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
            let file = shown(&of.file, usize::MAX);
            writeln!(f, "{items:>9} {found:>9} {documents:>9}  {file}")?;
        }
        self.write_left_out(f)?;
        self.write_examples(f)?;
        let Some(copies) = &self.copies else {
            return Ok(());
        };
        let done = match self.annotated {
            true => "annotated",
            false => "copied",
        };
        writeln!(f)?;
        copies.write(f, done, self.output.as_deref(), self.was_finished)
    }
}

impl DecontaminateOutcome {
    /// What was not searched for, and what was not searched.
    fn write_left_out(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.references.iter();
        let all = all.flat_map(|of| of.left_out.iter().map(|left_out| (&of.file, left_out)));
        for (at, (file, (reason, LeftOut { records, named }))) in all.enumerate() {
            let first = named.iter().take(LEFT_OUT_NAMED);
            let first: Vec<String> = first.map(|name| shown(name, LEFT_OUT_WIDTH)).collect();
            let more = match records.saturating_sub(first.len() as u64) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let (begin, file, first) = (
                ["\n", ""][at.min(1)],
                shown(file, usize::MAX),
                first.join(", "),
            );
            writeln!(
                f,
                "{begin}not searched for, of {file}: {reason} {records}: {first}{more}"
            )?;
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
            // the id of a record of an archive is a number that nobody knows
            let id = one.id.as_ref().filter(|id| !id.starts_with("urn:uuid:"));
            let name = id.or(one.url.as_ref()).unwrap_or(&doc_id);
            let words: Vec<&str> = one.text.split_whitespace().collect();
            let [name, item, field] =
                [name, &one.item, &one.field].map(|text| shown(text, NAME_WIDTH));
            let (share, text) = (one.share, beginning(&words.join(" "), EXAMPLE_WIDTH));
            writeln!(f, "{share:>5.2}  {name}, {item} {field}, {text}")?;
        }
        Ok(())
    }
}
