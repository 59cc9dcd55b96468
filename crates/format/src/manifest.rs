//! The manifest of a work directory: the finished phases, their inputs and their files.
//!
//! It is JSON with a digest of its own.

mod figures;
mod input_files;

pub use figures::{CostScale, PhaseCost, PhaseFigures};
pub use input_files::{InputFile, InputFiles, RefusedInput};

use crate::json_page::{self, JsonPage};
use crate::{AtomicFile, Disk, FORMAT_VERSION, FormatError, Sealed};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// File name within the work directory.
const NAME: &str = "manifest.json";

/// A finished phase: its parameters, inputs, outputs and figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseRecord {
    /// Digest of the parameters it ran with.
    pub parameters: String,
    /// Digest of its input: the inputs, or the outputs of the phases before.
    pub inputs: String,
    /// Its files.
    pub outputs: BTreeMap<String, Sealed>,
    /// Figures for the report; a function of inputs and parameters only.
    pub figures: PhaseFigures,
    /// Times, memory and bytes of the run that made it, for `run.json`.
    pub cost: PhaseCost,
}

impl PhaseRecord {
    /// Outputs and figures of a finished phase.
    pub fn of(outputs: impl IntoIterator<Item = Sealed>, figures: &impl Serialize) -> PhaseRecord {
        let outputs = outputs.into_iter();
        PhaseRecord {
            outputs: outputs.map(|file| (file.name.clone(), file)).collect(),
            figures: PhaseFigures::of(figures),
            ..PhaseRecord::default()
        }
    }
}

/// A snapshot whose documents are sketched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotRecord {
    /// Its number: the high half of public ids.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its files among [`Manifest::inputs`].
    pub files: u32,
    /// Its documents.
    pub documents: u32,
    /// Its segments.
    pub segments: u32,
    /// It is dropped, and retained only for the revisits of later snapshots, which refer to it.
    pub retained_for_revisits: bool,
    /// Numbers of the snapshots before it that have the originals of its revisits.
    pub revisit_sources: BTreeSet<u32>,
    /// The result of its sketching: segments, document table, rejected records, and their counts.
    pub sketched: PhaseRecord,
}

/// Which share of the input a directory of `pipeline sketch` holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardRecord {
    /// Its number, from 1.
    pub number: u32,
    /// How many shards the input is divided into.
    pub of: u32,
    /// The parameters of phase `sketch`.
    pub parameters: String,
    /// A digest of its segments as they were planned; empty until all of them are finished.
    pub segments: String,
}

/// The documents of a snapshot in a merge level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MergeLevelSnapshot {
    /// Number of the snapshot.
    pub number: u32,
    /// Its documents: those of the next one are numbered from behind them.
    pub documents: u32,
    /// Records of the level whose lower, or only, document is of this snapshot.
    pub records: u64,
}

/// An LSM level: one of the sorted files that together hold the result of a phase. Documents have
/// the numbers of the time when it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MergeLevel {
    /// The file.
    pub sealed: Sealed,
    /// The steps whose changes it holds: first and last.
    pub steps: [u64; 2],
    /// The snapshots there were, in order.
    pub snapshots: Vec<MergeLevelSnapshot>,
}

/// A snapshot whose documents a phase has taken in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakenSnapshot {
    /// Its number.
    pub number: u32,
    /// Its documents.
    pub documents: u32,
    /// A digest of its content.
    pub content: String,
}

/// The LSM levels of a phase that takes in changes instead of starting from scratch: `sort`,
/// `pairs`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MergeLevels {
    /// The parameters it depends on besides the snapshots.
    pub parameters: String,
    /// A digest of all input at the last start from scratch.
    pub base: String,
    /// Steps since then; the start from scratch is the first.
    pub step: u64,
    /// The step of the phase before, at the last step of this one; both have the same base.
    pub source_step: u64,
    /// The snapshots it holds, in order.
    pub snapshots: Vec<TakenSnapshot>,
    /// Its sorted files, oldest steps first.
    pub files: Vec<MergeLevel>,
    /// Other files that the next step starts from, by their role.
    pub others: BTreeMap<String, Sealed>,
    /// The state that the next step goes on from, beside files.
    pub figures: PhaseFigures,
}

/// The state of a work directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this page and of all work files.
    pub version: u16,
    /// Which program wrote it.
    pub tool: String,
    /// The input, in document order; in a file of its own.
    #[serde(skip)]
    pub inputs: InputFiles,
    /// Digest of the listed files that cannot be read, in hex.
    pub unreadable: String,
    /// The snapshots that are sketched, in order. Those that count are of the last finished
    /// `sketch` phase.
    pub snapshots: Vec<SnapshotRecord>,
    /// The results that the next step of a phase starts from, by name of the phase; they stay while
    /// it runs.
    pub levels: BTreeMap<String, MergeLevels>,
    /// Finished phases by name.
    pub phases: BTreeMap<String, PhaseRecord>,
    /// Finished parts of a phase that is still under way: phase name → part name → record.
    pub parts: BTreeMap<String, BTreeMap<String, PhaseRecord>>,
    /// The share of the input whose parts these are, in a directory of `pipeline sketch`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardRecord>,
}

/// How often a manifest is read again whose file of inputs was replaced meanwhile.
const READ_AGAIN: usize = 100;

impl Manifest {
    /// Reads the manifest of a work directory; `None` if there is none yet.
    pub fn load(disk: &Disk, work: &Path) -> Result<Option<Manifest>, FormatError> {
        let path = work.join(NAME);
        for _ in 0..READ_AGAIN {
            let Some(text) = disk.read_text(&path)? else {
                return Ok(None);
            };
            let page = JsonPage::of(&path, &text)?;
            let manifest = page.body("manifest", "format version", FORMAT_VERSION, &["inputs"])?;
            if let Some(inputs) = input_files::load(disk, work, &page.text("inputs")?)? {
                return Ok(Some(Manifest { inputs, ..manifest }));
            }
        }
        let what = "the file of its inputs is missing";
        Err(FormatError::damaged(&path, 0, what))
    }

    /// Replaces the manifest, after every file it names is durable.
    ///
    /// # Errors
    /// When any step fails; the old manifest then still stands, unless only what it named could not
    /// be removed.
    pub fn store(&self, disk: &Disk, work: &Path) -> Result<(), FormatError> {
        let path = work.join(NAME);
        let inputs = self.inputs.store(disk, work)?;
        let body = json_page::encode(&path, self)?;
        let digest = json_page::digest(&body, &inputs);
        let page =
            format!("{{\"manifest\":{body},\"inputs\":\"{inputs}\",\"digest\":\"{digest}\"}}");
        AtomicFile::replace(disk, &path, page.as_bytes())?;
        input_files::clear(disk, work, &inputs)
    }
}

#[cfg(test)]
mod tests;
