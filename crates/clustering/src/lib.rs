//! Phase `cluster`: computes links, clusters and their members.
//!
//! *Input.* Pair counts, sketch sizes, classes. *Output.* Links, members, clusters; the links that
//! are published, if these are not all. *Algorithm.* [`resemblances`] estimates the resemblance of
//! every pair and keeps those that meet a threshold;
//! after an earlier run it judges only pairs with new documents ([`incremental`]). [`linkage`]
//! joins linked representatives; [`may_stay`] and [`star`] say which of them may be kept.
//! [`members`] adds the documents that each representative stands for, ranks them by `keep`, and
//! writes members and clusters. [`link_selection`] leaves out most links of dense clusters where
//! links are published.

mod attributes;
mod bands;
mod cluster_sizes;
mod cluster_writer;
mod decisions;
mod incremental;
mod judge;
mod kept_documents;
mod link_joiner;
mod link_policy;
mod link_selection;
mod link_sink;
mod linkage;
mod may_stay;
mod members;
mod memory;
pub mod partition;
mod resemblances;
mod star;
mod sweep;
mod sweep_components;
mod taken;
mod tree;

use engine::{Engine, Error, figures::ClusterFigures};
use format::{PhaseFigures, PhaseRecord};
use linkage::LinkedSets;
use may_stay::MayStay;

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
    let LinkedSets {
        links,
        figures: link_figures,
        mut joined,
    } = linkage::components(engine, &policy)?;
    let may_stay = MayStay::of_links(engine, &policy, &links, &mut joined.sets)?;
    let (outputs, sums) = members::members(engine, joined, may_stay)?;
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
        record.figures = PhaseFigures::of(&figures);
    }
    Ok(record)
}
