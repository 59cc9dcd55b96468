//! The context that all steps share.

use super::cluster_files::ClusterFiles;
use super::records::Flow;
use engine::Engine;
use publication::PHASE;
use sort::{Combine, Sorter};
use std::path::PathBuf;

/// Name of the journal in a publication.
pub const FILE: &str = "cluster_changes.parquet";

/// Stands for no document or no cluster.
pub(super) const NONE: u32 = u32::MAX;

/// What all steps of comparing two publications share.
pub(super) struct Job<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) old: &'a ClusterFiles,
    pub(super) new: &'a ClusterFiles,
    /// Memory of one sort; up to three exist at a time.
    pub(super) share_bytes: usize,
}

impl Job<'_> {
    pub(super) fn sorter<const N: usize, C: Combine<Flow<N>>>(
        &self,
        name: &str,
        combine: C,
    ) -> Sorter<Flow<N>, C> {
        self.engine.sorter(PHASE, name, self.share_bytes, combine)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.engine.dir(PHASE).join(format!("journal.run-{name}"))
    }
}
