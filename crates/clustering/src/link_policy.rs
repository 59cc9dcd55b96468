//! The phase's name, its rule for links, and the reading of link records by that rule.

use cluster::{LinkPolicy, ThresholdsMet};
use engine::Engine;
use format::LinkRecord;
use model::Overlap;
use runtime::PhaseName;

pub(super) const PHASE: PhaseName = PhaseName::Cluster;

/// The rule for links that the configuration sets.
pub fn policy(engine: &Engine<'_>) -> LinkPolicy {
    let config = &engine.config.cluster;
    LinkPolicy {
        resemblance: config.resemblance,
        containment: config.containment,
        containment_joins: config.containment_joins,
        sampled_containment_min: LinkPolicy::SAMPLED_CONTAINMENT_MIN,
        min_shared: config.min_shared,
    }
}

/// The record of a link.
pub(super) fn link_record(
    [a, b]: [u32; 2],
    overlap: &Overlap,
    reached: ThresholdsMet,
) -> LinkRecord {
    let bits = [
        (reached.resemblance, LinkRecord::RESEMBLANCE),
        (reached.a_in_b, LinkRecord::A_IN_B),
        (reached.b_in_a, LinkRecord::B_IN_A),
    ];
    let reached = bits.into_iter().filter(|(set, _)| *set);
    let Overlap {
        shared,
        size_a,
        size_b,
        modulus,
    } = *overlap;
    LinkRecord {
        a,
        b,
        shared,
        size_a,
        size_b,
        modulus,
        reached: reached.fold(0, |all, (_, bit)| all | bit),
    }
}

/// The counts of a link.
pub fn overlap_of(link: &LinkRecord) -> Overlap {
    Overlap {
        shared: link.shared,
        size_a: link.size_a,
        size_b: link.size_b,
        modulus: link.modulus,
    }
}

/// The thresholds that a link meets, as crate `cluster` represents them.
pub fn reached(link: &LinkRecord) -> cluster::ThresholdsMet {
    cluster::ThresholdsMet {
        resemblance: link.reached & LinkRecord::RESEMBLANCE != 0,
        a_in_b: link.reached & LinkRecord::A_IN_B != 0,
        b_in_a: link.reached & LinkRecord::B_IN_A != 0,
    }
}

/// The name of the threshold that a link met.
pub fn kind_of(link: &LinkRecord) -> &'static str {
    if link.reached & LinkRecord::CROWD != 0 {
        "crowd"
    } else {
        reached(link).name()
    }
}

/// The number of shingles in the union of a link's two sketches.
pub(super) fn union(link: &LinkRecord) -> u32 {
    link.size_a
        .saturating_add(link.size_b)
        .saturating_sub(link.shared)
}
