//! How many documents contain a text?
//!
//! *Input.* The overlaps of the text with representatives. *Output.* [`ContainingDocuments`].
//! *Algorithm.* A representative counts with its class. *Limits.* A document that shares no shingle
//! of its sketch is not seen: see [`ContainingDocuments::unseen_modulus`].

use crate::index::Index;
use format::FormatError;
use model::{Overlap, Sampling, SizesByLevel, Threshold};
use serde::Serialize;

/// How many documents contain a text, equal ones included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ContainingDocuments {
    /// The share of the text that they contain, at least.
    pub share: f64,
    /// Documents whose estimate reaches it.
    pub documents: u64,
    /// Documents of which the whole 95 % interval reaches it.
    pub low: u64,
    /// Documents of which some of the 95 % interval reaches it.
    pub high: u64,
    /// Of documents sketched with this modulus or a coarser one none is counted: the text has no
    /// shingle that such a sketch keeps.
    pub unseen_modulus: Option<u32>,
}

impl ContainingDocuments {
    /// Counts the class of a representative if it contains the share `least` of the text, which is
    /// document a of `overlap`.
    pub(super) fn add(
        &mut self,
        index: &Index,
        representative: u32,
        overlap: &Overlap,
        least: Threshold,
    ) -> Result<(), FormatError> {
        let Some(estimate) = overlap.containment_a_in_b() else {
            return Ok(());
        };
        let reached = [
            estimate.interval.low >= least.to_f64(),
            least.reached_by(estimate.ratio),
            estimate.interval.high >= least.to_f64(),
        ];
        if reached.contains(&true) {
            let documents = 1 + index.class_documents(representative)?.len();
            let counts = [&mut self.low, &mut self.documents, &mut self.high];
            for (count, _) in counts.into_iter().zip(reached).filter(|(_, is)| *is) {
                *count += documents;
            }
        }
        Ok(())
    }

    /// Counts the class of a representative that contains the text whole.
    pub(super) fn add_class(
        &mut self,
        index: &Index,
        representative: u32,
    ) -> Result<(), FormatError> {
        let documents = 1 + index.class_documents(representative)?.len();
        for count in [&mut self.low, &mut self.documents, &mut self.high] {
            *count += documents;
        }
        Ok(())
    }

    /// The answer for a text with these sizes: with the share, and the first modulus of which the
    /// text has no shingle.
    pub(super) fn answer(
        self,
        share: Threshold,
        sampling: Sampling,
        sizes: &SizesByLevel,
    ) -> ContainingDocuments {
        let mut levels = sizes.sizes.iter().take(sampling.levels());
        let empty = levels.position(|size| *size == 0);
        ContainingDocuments {
            share: share.to_f64(),
            unseen_modulus: empty.map(|level| sampling.modulus_at(level)),
            ..self
        }
    }
}
