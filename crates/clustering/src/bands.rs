//! Links by the thresholds that they reach, and what is counted at each.
//!
//! *Input.* Thresholds in ascending order, links of the lowest. *Output.* For a link the number of
//! thresholds that it reaches, or at which it joins clusters. Band n holds the links that reach
//! threshold n and not the next one.

use crate::link_policy::reached;
use engine::{Engine, ScratchDir};
use format::{LinkRecord, ScratchFile};
use model::Threshold;
use model::{LinkPolicy, ThresholdsMet};

/// The counts of a run with one threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThresholdCounts {
    /// The threshold.
    pub resemblance: Threshold,
    /// Links that reach the resemblance.
    pub links: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Documents in them.
    pub documents: u64,
    /// Documents of the largest; 0 without clusters.
    pub largest: u64,
    /// Documents that go.
    pub removed: u64,
    /// Bytes of the documents that go because links join their classes. Those that go within their
    /// class do not count.
    pub joined_bytes: u64,
}

/// The thresholds, and what else decides a link.
pub(super) struct Bands<'a> {
    pub(super) thresholds: &'a [Threshold],
    pub(super) policy: LinkPolicy,
}

/// The links of the lowest threshold of a sweep.
pub(super) struct SweptLinks<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) scratch: ScratchDir,
    pub(super) bands: Bands<'a>,
    pub(super) links: ScratchFile<LinkRecord>,
}

impl Bands<'_> {
    /// How many of the thresholds a link reaches.
    pub(super) fn reached(&self, link: &LinkRecord) -> usize {
        let ratio = link.overlap().shared_of_union();
        self.thresholds
            .partition_point(|threshold| threshold.reached_by(ratio))
    }

    /// At how many of them, from the lowest on, it joins clusters.
    pub(super) fn joining(&self, link: &LinkRecord) -> usize {
        if self.joins_by_containment(link) {
            self.thresholds.len()
        } else {
            self.reached(link)
        }
    }

    /// The thresholds that a link reaches, if it joins clusters at this threshold.
    pub(super) fn joins_at(&self, band: usize, link: &LinkRecord) -> Option<ThresholdsMet> {
        let ratio = link.overlap().shared_of_union();
        let joins = self.thresholds[band].reached_by(ratio) || self.joins_by_containment(link);
        joins.then(|| reached(link))
    }

    fn joins_by_containment(&self, link: &LinkRecord) -> bool {
        let directed = ThresholdsMet {
            resemblance: false,
            ..reached(link)
        };
        (directed.a_in_b || directed.b_in_a) && self.policy.joins(directed)
    }

    pub(super) fn figures(&self, at: usize, tally: ThresholdTally) -> ThresholdCounts {
        let ThresholdTally {
            clusters,
            documents,
            largest,
            joined_bytes,
        } = tally;
        ThresholdCounts {
            resemblance: self.thresholds[at],
            links: 0,
            clusters,
            documents,
            largest,
            removed: documents - clusters,
            joined_bytes,
        }
    }
}

/// Clusters of two or more documents, added up.
#[derive(Clone, Copy, Default)]
pub(super) struct ThresholdTally {
    clusters: u64,
    documents: u64,
    largest: u64,
    pub(super) joined_bytes: u64,
}

impl ThresholdTally {
    pub(super) fn add(&mut self, documents: u64) {
        if documents > 1 {
            self.clusters += 1;
            self.documents += documents;
            self.largest = self.largest.max(documents);
        }
    }

    /// Takes one away. The largest never shrinks: sets are only joined.
    pub(super) fn remove(&mut self, documents: u64) {
        if documents > 1 {
            self.clusters -= 1;
            self.documents -= documents;
        }
    }
}
