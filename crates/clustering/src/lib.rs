//! Phase `cluster`: computes links, clusters and their members.
//!
//! *Input.* Pair counts, sketch sizes, classes. *Output.* Links, members, clusters; the links that
//! are published, if these are not all. *Algorithm.* [`resemblances`] estimates the resemblance of
//! every pair and keeps those that meet a threshold;
//! after an earlier run it judges only pairs with new documents ([`incremental`]). [`linkage`]
//! joins linked representatives; [`star`] says which of them stay where a cluster may keep several
//! documents. [`members_in_memory`] adds the documents that each representative
//! stands for, ranks them by `keep`, and writes members and clusters. Where memory is too small for
//! that, [`members_by_sort`] does the same by sorts. [`link_selection`] leaves out most links of
//! dense clusters where links are published.

mod attributes;
mod bands;
mod cluster_sizes;
mod cluster_writer;
mod clusters;
mod decisions;
mod files;
mod incremental;
mod judge;
mod kept_documents;
mod link_joiner;
mod link_policy;
mod link_selection;
mod link_sink;
mod linkage;
mod members_by_sort;
mod members_in_memory;
mod resemblances;
mod star;
mod sweep;
mod sweep_components;
mod taken;
mod tree;
mod weakest;

use clusters::Clusters;
use engine::Engine;
use engine::figures::ClusterFigures;
use format::{Figures, PhaseRecord};
use runtime::Error;

pub use attributes::{Ranks, ReferenceOrder, attributes};
pub use bands::ThresholdCounts;
pub use link_policy::{kind_of, reached, threshold_steps};
pub use link_selection::published_links;
pub use resemblances::{write_chosen, write_links_among};
pub use sweep::sweep;
pub use tree::{Join, joins};

/// Runs the phase; gives its outputs and counts for the manifest.
///
/// # Errors
/// When an input is damaged, an output cannot be written, or the run was interrupted.
pub fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let policy = engine.config.cluster.link_policy();
    let ((links, link_figures), clusters) = linkage::components(engine, &policy)?;
    let (outputs, sums) = match clusters {
        Clusters::InMemory(clusters) => members_in_memory::members(engine, *clusters)?,
        Clusters::Sorted(clusters) => members_by_sort::members(engine, *clusters)?,
    };
    let mut figures = ClusterFigures {
        links: link_figures,
        published_links: link_figures.resemblance,
        clusters: sums,
    };
    let mut record = PhaseRecord::of(outputs, &figures);
    record.outputs.insert(links.name.clone(), links);
    if let Some(kept) = incremental::kept(engine) {
        record.outputs.extend(kept);
    }
    if let Some(published) = link_selection::select(engine, &policy, &mut record.outputs)? {
        figures.published_links = published;
        record.figures = Figures::of(&figures);
    }
    Ok(record)
}
