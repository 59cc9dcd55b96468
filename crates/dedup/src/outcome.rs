//! The outcome of a call, for people, for programs and for `dedup.json`.

use super::copy_counts::CopyCounts;
use super::files::Files;
use super::least_alike::{DoubtfulRemoval, Look};
use super::listed::ListOutcome;
use super::request::DedupRequest;
use super::sources::SourceOutcome;
use engine::Error;
use publication::removals::removal::RemovalFile;
use publication::removals::task::RemovalTask;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// Counts of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DedupCounts {
    /// Documents of the run.
    pub documents: u64,
    /// Documents that stay, those of references and of the sources named by `--against` among
    /// them.
    pub kept: u64,
    /// Documents that are removed.
    pub removed: u64,
    /// Documents of the sources named by `--against`, whose files are not copied.
    pub against: u64,
    /// What was copied.
    #[serde(flatten)]
    pub copies: CopyCounts,
}

/// The content of `dedup.json` for a call that was finished.
#[derive(Debug, Deserialize)]
pub(super) struct FinishedDedup {
    #[serde(flatten)]
    pub(super) counts: DedupCounts,
    pub(super) unlike: u64,
    #[serde(default)]
    pub(super) sources: Vec<SourceOutcome>,
    #[serde(default)]
    pub(super) listed: Option<ListOutcome>,
}

/// The outcome of a call.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DedupOutcome {
    /// The counts.
    #[serde(flatten)]
    pub counts: DedupCounts,
    /// `--lossless`, if it was given.
    pub lossless: Option<f64>,
    /// The names that `--against` gave.
    pub against_sources: Vec<String>,
    /// The fate of each named source, and of the snapshots named by `--against`.
    pub sources: Vec<SourceOutcome>,
    /// `--drop-all`.
    pub drop_all: bool,
    /// What became of the list of `--remove`, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<ListOutcome>,
    /// `--annotate`: nothing is removed.
    pub annotated: bool,
    /// Pages of trees: they have no rows to annotate.
    pub pages_left_out: u64,
    /// The lines of `[cluster]` that differed from the run.
    pub differs: Vec<String>,
    /// Where the copies are; not in `dedup.json`, which lies there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    /// Documents that go although their resemblance to the kept one is below 0.7.
    pub unlike: u64,
    /// The documents that go and are least alike to the kept one; without copies only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub least_alike: Vec<DoubtfulRemoval>,
    /// Whether the copies were finished before this call.
    #[serde(skip)]
    pub was_finished: bool,
}

impl DedupOutcome {
    pub(super) fn new(request: &DedupRequest, differs: &[String], files: &Files) -> DedupOutcome {
        DedupOutcome {
            counts: DedupCounts {
                documents: u64::from(files.documents()),
                against: files.against().count() as u64,
                ..DedupCounts::default()
            },
            lossless: request.lossless,
            against_sources: request.against.clone(),
            drop_all: request.drop_all,
            annotated: request.deliver.annotates(),
            differs: differs.to_vec(),
            output: request.deliver.directory().map(Path::to_owned),
            ..DedupOutcome::default()
        }
    }

    /// Counts the removals, and looks at them.
    pub(super) fn count(
        &mut self,
        task: &RemovalTask<'_>,
        removals: &RemovalFile,
        files: &Files,
    ) -> Result<Look, Error> {
        self.counts.removed = removals.records();
        self.counts.kept = self.counts.documents - removals.records();
        self.sources = SourceOutcome::of_all(task, &self.against_sources, removals, files)?;
        let look = Look::at(removals)?;
        self.unlike = look.unlike;
        Ok(look)
    }
}

impl fmt::Display for DedupOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        let share = 100.0 * counts.removed as f64 / counts.documents.max(1) as f64;
        writeln!(f, "documents {:>12}", counts.documents)?;
        let removed = match self.annotated {
            true => "marked   ",
            false => "removed  ",
        };
        writeln!(f, "{removed} {:>12}  {share:.1} %", counts.removed)?;
        writeln!(f, "kept      {:>12}", counts.kept)?;
        for source in &self.sources {
            writeln!(f, "{source}")?;
        }
        if let Some(listed) = &self.listed {
            write!(f, "{listed}")?;
        }
        for difference in &self.differs {
            writeln!(f, "different from the run: {difference}")?;
        }
        if !self.least_alike.is_empty() {
            writeln!(
                f,
                "below 0.7 {:>12}  documents that go; the least alike:",
                self.unlike
            )?;
            self.least_alike
                .iter()
                .try_for_each(|one| write!(f, "{one}"))?;
        }
        for (count, what) in [
            (
                self.pages_left_out,
                "pages of trees, which have no rows to annotate",
            ),
            (
                counts.copies.belonging_records,
                "WARC records that went with the documents they belong to",
            ),
            (
                counts.copies.lost_bytes,
                "damaged bytes beside removed records, not copied",
            ),
        ] {
            if count > 0 {
                writeln!(f, "{what}: {count}")?;
            }
        }
        let done = match self.annotated {
            true => "annotated",
            false => "copied",
        };
        let (output, was_finished) = (self.output.as_deref(), self.was_finished);
        counts.copies.write(f, done, output, was_finished)
    }
}
