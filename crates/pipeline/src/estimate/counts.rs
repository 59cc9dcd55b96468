//! The counts a cost follows from: of finished phases as the manifest has them, of the others as a
//! sample has them.

use config::Config;
use format::{Manifest, PhaseRecord};
use input::Listing;
use intake::inputs::{input_file, is_touched};
use runtime::{PhaseName, parameters};
use serde::Serialize;

/// How many of what a run meets and makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Records not used.
    pub rejected: u64,
    /// Bytes of the documents' bodies.
    pub body_bytes: u64,
    /// Bytes of the segments that the sketch phase writes.
    pub row_bytes: u64,
    /// Fingerprints in the sketches of all documents.
    pub sampled: u64,
    /// Classes of equal documents, those of one document included.
    pub representatives: u64,
    /// Postings of the representatives.
    pub postings: u64,
    /// Pairs of documents, once for every shingle they share.
    pub increments: u64,
    /// Different pairs of documents.
    pub pairs: u64,
    /// Links.
    pub links: u64,
}

/// What can be said of the phases without running them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// The first phase whose counts in the manifest, if there are any, are not those a run would
    /// find; as a place in [`PhaseName::ALL`].
    first_unknown: usize,
}

impl Known {
    /// Compares parameters and inputs with the manifest; the input is not looked at where
    /// `nothing_new` is known already. No file is opened: one that is missing or damaged does not
    /// change the counts.
    pub(crate) fn of(
        config: &Config,
        (listing, nothing_new): (&Listing, bool),
        manifest: &Manifest,
    ) -> Known {
        let is_known = |phase: &PhaseName| {
            let Some(record) = manifest.phases.get(phase.name()) else {
                return false;
            };
            let inputs_agree = match phase {
                PhaseName::Sketch => nothing_new || is_same_input(listing, manifest),
                _ => record.inputs == parameters::inputs_of(*phase, manifest),
            };
            inputs_agree && record.parameters == parameters::of(*phase, config)
        };
        let known = PhaseName::ALL
            .iter()
            .take_while(|phase| is_known(phase))
            .count();
        Known {
            first_unknown: known,
        }
    }

    /// Whether the counts of a phase are those a run would find.
    pub(crate) fn has(self, phase: PhaseName) -> bool {
        (phase as usize) < self.first_unknown
    }

    /// The counts of the manifest as far as they are known, the others from `guess`.
    pub(crate) fn counts(self, manifest: &Manifest, guess: Counts) -> Counts {
        let mut counts = guess;
        for phase in PhaseName::ALL.into_iter().filter(|phase| self.has(*phase)) {
            if let Some(record) = manifest.phases.get(phase.name()) {
                counts.take(phase, record);
            }
        }
        // What every later count grows with is known better than they are.
        if self.has(PhaseName::Distinct) && !self.has(PhaseName::Sort) {
            let share = counts.representatives as f64 / counts.documents.max(1) as f64;
            counts.postings = (counts.sampled as f64 * share) as u64;
        }
        if self.has(PhaseName::Pairs) && !self.has(PhaseName::Cluster) {
            let before = manifest
                .phases
                .get(PhaseName::Cluster.name())
                .map(|record| count(record, "links"));
            // Without any sign, a link for every representative.
            counts.links = before.unwrap_or(counts.representatives).min(counts.pairs);
        }
        counts
    }
}

impl Counts {
    /// Both together.
    pub(crate) fn plus(&self, other: &Counts) -> Counts {
        Counts {
            documents: self.documents + other.documents,
            rejected: self.rejected + other.rejected,
            body_bytes: self.body_bytes + other.body_bytes,
            row_bytes: self.row_bytes + other.row_bytes,
            sampled: self.sampled + other.sampled,
            representatives: self.representatives + other.representatives,
            postings: self.postings + other.postings,
            increments: self.increments + other.increments,
            pairs: self.pairs + other.pairs,
            links: self.links + other.links,
        }
    }

    /// What a finished phase counted.
    pub(crate) fn take(&mut self, phase: PhaseName, record: &PhaseRecord) {
        match phase {
            PhaseName::Sketch => {
                self.documents = count(record, "documents");
                self.body_bytes = count(record, "bytes");
                self.sampled = count(record, "sampled");
                let rejected = record
                    .counts
                    .iter()
                    .filter(|(name, _)| name.starts_with("rejected."));
                self.rejected = rejected.map(|(_, n)| n).sum();
                let segments = record
                    .outputs
                    .values()
                    .filter(|sealed| sealed.name.starts_with("segment-"));
                self.row_bytes = segments.map(|sealed| sealed.bytes).sum();
            }
            PhaseName::Distinct => self.representatives = count(record, "representatives"),
            PhaseName::Sort => self.postings = count(record, "postings"),
            PhaseName::Pairs => {
                self.increments = count(record, "increments");
                self.pairs = count(record, "pairs");
            }
            PhaseName::Cluster => self.links = count(record, "links"),
            PhaseName::Index => {}
        }
    }
}

/// A count of a phase.
pub(super) fn count(record: &PhaseRecord, name: &str) -> u64 {
    record.counts.get(name).copied().unwrap_or(0)
}

/// Whether the files of now are those that were read, as far as names, sizes, times and inodes
/// tell.
fn is_same_input(listing: &Listing, manifest: &Manifest) -> bool {
    let is_same = |(old, file): (&format::InputFile, &input::SourceFile)| {
        let now = input_file(file);
        old.name == now.name
            && old.bytes == now.bytes
            && old.format == now.format
            && !is_touched(old, &now)
    };
    manifest.inputs.len() == listing.files.len()
        && manifest.inputs.iter().zip(&listing.files).all(is_same)
}
