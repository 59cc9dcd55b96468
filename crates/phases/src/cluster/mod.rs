//! Pair counts, sketch sizes, classes → links, members, clusters.
//!
//! [`estimate`] judges every pair, or those of the documents that came since an earlier run
//! ([`fresh`]), [`linkage`] joins representatives, [`gather`] brings back the documents that a
//! representative stood for, ranks them by `keep` and writes members and clusters; [`members`] does
//! so by sorts, where memory is too small.

mod attributes;
mod estimate;
mod fresh;
mod gather;
mod ladders;
mod linkage;
mod linker;
mod lookup;
mod members;
mod star;
mod sweep;

use cluster::LinkPolicy;
use engine::Engine;
use format::{LinkRecord, PhaseRecord};
use linkage::Clusters;
use runtime::{Error, PhaseName};

pub use attributes::Ranks;
pub use ladders::Ladders;
pub use lookup::{Classes, Sizes};
pub use sweep::{Figures, overlap_of, sweep};

const PHASE: PhaseName = PhaseName::Cluster;

pub fn run(engine: &Engine<'_>) -> Result<PhaseRecord, Error> {
    let policy = policy(engine);
    let ((links, link_counts), clusters) = match engine.config.cluster.linkage {
        cluster::Linkage::Components => linkage::components(engine, &policy)?,
        cluster::Linkage::Star => {
            let found = estimate::links(engine, &policy, None)?;
            let joined = star::stars(engine, &policy, &found.0)?;
            (found, Clusters::Sorted(Box::new(joined)))
        }
    };
    let (outputs, cluster_counts) = match clusters {
        Clusters::Held(held) => gather::members(engine, *held)?,
        Clusters::Sorted(joined) => members::members(engine, *joined)?,
    };
    let mut record = PhaseRecord::of(outputs, cluster_counts);
    record.outputs.insert(links.name.clone(), links);
    record.counts.extend(
        link_counts
            .into_iter()
            .map(|(name, n)| (name.to_owned(), n)),
    );
    Ok(record)
}

pub fn policy(engine: &Engine<'_>) -> LinkPolicy {
    let config = &engine.config.cluster;
    LinkPolicy {
        resemblance: config.resemblance,
        containment: config.containment,
        containment_joins: config.containment_joins,
        min_shared: config.min_shared,
    }
}

/// Writes every pair of which one side is contained in the other at least so much, as links; they
/// share `min-shared`.
pub fn write_contained(
    engine: &Engine<'_>,
    containment: model::Threshold,
    pairs: engine::levels::PairCounts,
    writer: &mut format::RecordWriter<LinkRecord>,
) -> Result<(), Error> {
    // What resembles another one so much is contained in it so much.
    let policy = LinkPolicy {
        resemblance: containment,
        containment: Some(containment),
        ..policy(engine)
    };
    estimate::write_links_of(engine, &policy, pairs, writer).map(drop)
}

/// What a link record reached, as `cluster` sees it.
pub fn reached(link: &LinkRecord) -> cluster::ThresholdsMet {
    cluster::ThresholdsMet {
        resemblance: link.reached & LinkRecord::RESEMBLANCE != 0,
        a_in_b: link.reached & LinkRecord::A_IN_B != 0,
        b_in_a: link.reached & LinkRecord::B_IN_A != 0,
    }
}

/// Shingles of the union of a link's two sketches.
fn union(link: &LinkRecord) -> u32 {
    link.size_a
        .saturating_add(link.size_b)
        .saturating_sub(link.shared)
}
