//! The names of the phases in the order in which they run, and the verdict whether each has to run.

use config::Config;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// A phase of a run. Each reads what those before it wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PhaseName {
    /// Documents → sketches, document table, rejected records.
    Sketch,
    /// Fingerprints → classes of equal documents.
    Distinct,
    /// Sketches of the representatives → postings sorted by shingle and document.
    Sort,
    /// Sorted postings → sorted pair counts, common shingles.
    Pairs,
    /// Pairs that may be links, the input → counts of all their shingles.
    Settle,
    /// Pair counts, sketch sizes, settled pairs, classes → links and clusters.
    Cluster,
    /// Documents, the input → the passages that stand at more than one place; only where
    /// `[passages]` asks for them.
    Passages,
    /// All of them → published tables and query index.
    Index,
}

impl PhaseName {
    /// All phases in the order in which they run.
    pub const ALL: [PhaseName; 8] = [
        PhaseName::Sketch,
        PhaseName::Distinct,
        PhaseName::Sort,
        PhaseName::Pairs,
        PhaseName::Settle,
        PhaseName::Cluster,
        PhaseName::Passages,
        PhaseName::Index,
    ];

    /// The phases of a run, in order.
    pub fn of(config: &Config) -> impl Iterator<Item = PhaseName> + use<> {
        let has_passages = config.passages.is_some();
        let phases = PhaseName::ALL.into_iter();
        phases.filter(move |phase| has_passages || *phase != PhaseName::Passages)
    }

    /// The word on the command line, in the manifest and in reports.
    pub fn name(self) -> &'static str {
        match self {
            PhaseName::Sketch => "sketch",
            PhaseName::Distinct => "distinct",
            PhaseName::Sort => "sort",
            PhaseName::Pairs => "pairs",
            PhaseName::Settle => "settle",
            PhaseName::Cluster => "cluster",
            PhaseName::Passages => "passages",
            PhaseName::Index => "index",
        }
    }

    /// The phase that makes a file of a query index, by its name or path.
    pub fn maker_of(path: &str) -> PhaseName {
        match path.rsplit('/').next().unwrap_or_default() {
            "classes" => PhaseName::Distinct,
            "common" => PhaseName::Pairs,
            "settled" => PhaseName::Settle,
            "links" | "members" | "clusters" => PhaseName::Cluster,
            "passages" | "cuts" => PhaseName::Passages,
            name if name.starts_with("postings-") => PhaseName::Sort,
            name if name.starts_with("segment-") => PhaseName::Sketch,
            _ => PhaseName::Index,
        }
    }

    /// The phases whose files it reads.
    pub fn reads(self) -> &'static [PhaseName] {
        match self {
            PhaseName::Sketch => &[],
            PhaseName::Distinct => &[PhaseName::Sketch],
            PhaseName::Sort => &[PhaseName::Sketch, PhaseName::Distinct],
            PhaseName::Pairs => &[PhaseName::Sort],
            PhaseName::Settle => &[PhaseName::Sketch, PhaseName::Distinct, PhaseName::Pairs],
            PhaseName::Cluster => &[
                PhaseName::Sketch,
                PhaseName::Distinct,
                PhaseName::Pairs,
                PhaseName::Settle,
            ],
            PhaseName::Passages => &[PhaseName::Sketch, PhaseName::Distinct],
            PhaseName::Index => &[
                PhaseName::Sketch,
                PhaseName::Distinct,
                PhaseName::Sort,
                PhaseName::Pairs,
                PhaseName::Settle,
                PhaseName::Cluster,
                PhaseName::Passages,
            ],
        }
    }
}

impl fmt::Display for PhaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PhaseName {
    type Err = String;
    fn from_str(text: &str) -> Result<PhaseName, String> {
        let found = PhaseName::ALL
            .into_iter()
            .find(|phase| phase.name() == text);
        found.ok_or_else(|| {
            let known: Vec<&str> = PhaseName::ALL.iter().map(|phase| phase.name()).collect();
            format!("no phase {text:?}; known phases: {}", known.join(", "))
        })
    }
}

/// Whether a phase has to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict", content = "why")]
pub enum Verdict {
    /// Parameters, inputs and outputs agree with the manifest.
    UpToDate,
    /// It runs, for this reason.
    Run(String),
}

/// A phase and whether it has to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PhasePlan {
    /// The phase.
    pub phase: PhaseName,
    /// Whether it has to run, as far as can be said now.
    #[serde(flatten)]
    pub verdict: Verdict,
}
