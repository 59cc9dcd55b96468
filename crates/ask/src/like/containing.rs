//! How many documents contain a text?
//!
//! *Input.* The overlaps of the text with representatives. *Output.* [`Containing`]. *Algorithm.* A
//! representative counts with its class. *Limits.* A document that shares no shingle of its sketch
//! is not seen: see [`Containing::unseen_modulus`].

use crate::index::Index;
use format::FormatError;
use model::{Overlap, Sampling, SizesByLevel, Threshold};
use serde::Serialize;

/// A number of documents with its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Containing {
    /// Documents of which the whole 95 % interval reaches the share.
    pub low: u64,
    /// Documents whose estimate reaches it.
    pub documents: u64,
    /// Documents of which some of the 95 % interval reaches it.
    pub high: u64,
    /// Of documents sketched with this modulus or a coarser one none is counted: the text has no
    /// shingle that such a sketch keeps.
    pub unseen_modulus: Option<u32>,
}

impl Containing {
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
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn add_class(&mut self, index: &Index, representative: u32) -> Result<(), FormatError> {
        let documents = 1 + index.class_documents(representative)?.len();
        for count in [&mut self.low, &mut self.documents, &mut self.high] {
            *count += documents;
        }
        Ok(())
    }

    /// With the first modulus of which the text, with these sizes, has no shingle.
    pub(super) fn unseen(self, sampling: Sampling, sizes: &SizesByLevel) -> Containing {
        let levels = sizes.sizes.iter().take(sampling.levels());
        let empty = levels.into_iter().position(|size| *size == 0);
        Containing {
            unseen_modulus: empty.map(|level| sampling.modulus_at(level)),
            ..self
        }
    }
}

/// How many documents contain a text, equal ones included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContainingDocuments {
    /// The share of the text that they contain, at least.
    pub share: f64,
    /// By the estimates.
    pub documents: u64,
    /// By the lower ends of their 95 % intervals.
    pub low: u64,
    /// By the upper ends.
    pub high: u64,
    /// Of documents sketched with this modulus or a coarser one none is counted: the text has no
    /// shingle that their sketches keep.
    pub unseen_modulus: Option<u32>,
}

impl ContainingDocuments {
    pub(super) fn of(share: Threshold, count: &Containing) -> ContainingDocuments {
        ContainingDocuments {
            share: share.to_f64(),
            documents: count.documents,
            low: count.low,
            high: count.high,
            unseen_modulus: count.unseen_modulus,
        }
    }
}
