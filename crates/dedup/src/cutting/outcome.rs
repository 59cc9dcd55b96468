//! The outcome of a call, for people, for programs and for `dedup.json`.

use crate::copy_counts::CopyCounts;
use crate::request::CutRequest;
use engine::Engine;
use output::counted;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// Counts of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutCounts {
    /// Documents of the data, without those of references.
    pub documents: u64,
    /// Documents that stay, those that are cut among them.
    pub kept: u64,
    /// Documents of which parts go.
    pub cut: u64,
    /// Documents that go.
    pub removed: u64,
    /// Documents that go because another one with the same words stays.
    pub removed_equal: u64,
    /// Documents that go because too few of their words would stay.
    pub removed_rest: u64,
    /// Documents with passages that stay as they are, because their texts have markup.
    pub uncut: u64,
    /// Words of the data.
    pub words: u64,
    /// Words that go: of the parts, and of the documents that go.
    pub words_cut: u64,
    /// Characters of the parts that go.
    pub characters_cut: u64,
    /// What was copied.
    #[serde(flatten)]
    pub copies: CopyCounts,
}

/// The outcome of a call.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CutOutcome {
    /// The counts.
    #[serde(flatten)]
    pub counts: CutCounts,
    /// Words of the shortest passage.
    pub passage_words: u32,
    /// `--rest`.
    pub rest: u32,
    /// `--marker`.
    pub marker: String,
    /// Where the copies are; not in `dedup.json`, which lies there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    /// Whether the copies were finished before this call.
    #[serde(skip)]
    pub was_finished: bool,
}

impl CutOutcome {
    /// The outcome before anything is cut.
    pub(super) fn new(engine: &Engine<'_>, request: &CutRequest) -> CutOutcome {
        let passages = engine.config.passages;
        CutOutcome {
            passage_words: passages.map_or(0, |passages| passages.words),
            rest: request.rest,
            marker: request.marker.clone(),
            output: request.deliver.directory().map(Path::to_owned),
            ..CutOutcome::default()
        }
    }
}

impl fmt::Display for CutOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CutCounts {
            documents,
            kept,
            cut,
            removed,
            removed_equal,
            removed_rest,
            uncut,
            words,
            words_cut,
            characters_cut,
            copies,
        } = &self.counts;
        let share = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
        writeln!(f, "documents {documents:>12}")?;
        write!(
            f,
            "removed   {removed:>12}  {:.1} %",
            share(*removed, *documents)
        )?;
        if *removed > 0 {
            let rest = counted(u64::from(self.rest.max(1)), "word");
            write!(
                f,
                ": {removed_equal} have the words of another one, {removed_rest} would keep fewer \
                 than {rest}"
            )?;
        }
        writeln!(f)?;
        writeln!(f, "kept      {kept:>12}")?;
        let parts = counted(*characters_cut, "character");
        writeln!(f, "cut       {cut:>12}  of them, by {parts}")?;
        if *uncut > 0 {
            writeln!(f, "uncut     {uncut:>12}  of them have passages and markup")?;
        }
        let share = share(*words_cut, *words);
        writeln!(
            f,
            "words     {words:>12}\nthat go   {words_cut:>12}  {share:.1} %"
        )?;
        copies.write(f, "copied", self.output.as_deref(), self.was_finished)
    }
}
