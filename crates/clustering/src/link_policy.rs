//! The phase's name, the thresholds of a sweep, and the reading of link records by the rule for
//! links of the configuration.

use config::Config;
use engine::PhaseName;
use format::LinkRecord;
use model::{LinkPolicy, ThresholdsMet};
use model::{Overlap, Threshold};

pub(super) const PHASE: PhaseName = PhaseName::Cluster;

/// The thresholds looked at besides the configured one, in twentieths.
const TWENTIETHS: std::ops::RangeInclusive<u32> = 5..=19;

/// The steps as far as they are not below the floor, the configured threshold and those asked
/// about, ascending, each once.
pub fn threshold_steps(config: &Config, at: &[Threshold]) -> Vec<Threshold> {
    let steps = TWENTIETHS
        .filter_map(|twentieth| Threshold::from_f64(f64::from(5 * twentieth) / 100.0).ok());
    let counted = |at: &Threshold| {
        config
            .floor()
            .is_none_or(|floor| at.to_f64() >= floor.to_f64())
    };
    let mut all: Vec<Threshold> = steps
        .filter(counted)
        .chain([config.cluster.resemblance])
        .chain(at.iter().copied())
        .collect();
    all.sort_by(|a, b| a.to_f64().total_cmp(&b.to_f64()));
    all.dedup_by(|a, b| a.to_f64() == b.to_f64());
    all
}

/// The policy of the configuration with the lowest threshold that a sweep without further ones
/// looks at.
pub(super) fn loosest(config: &Config) -> LinkPolicy {
    let configured = config.cluster.link_policy();
    let steps = threshold_steps(config, &[]);
    LinkPolicy {
        resemblance: steps.first().copied().unwrap_or(configured.resemblance),
        ..configured
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

/// The thresholds that a link meets, as crate `model` represents them.
pub fn reached(link: &LinkRecord) -> model::ThresholdsMet {
    model::ThresholdsMet {
        resemblance: link.reached & LinkRecord::RESEMBLANCE != 0,
        a_in_b: link.reached & LinkRecord::A_IN_B != 0,
        b_in_a: link.reached & LinkRecord::B_IN_A != 0,
    }
}

/// The name of the threshold that a link met.
pub fn kind_of(link: &LinkRecord) -> &'static str {
    reached(link).name()
}

/// The number of shingles in the union of a link's two sketches.
pub(super) fn union(link: &LinkRecord) -> u32 {
    link.size_a
        .saturating_add(link.size_b)
        .saturating_sub(link.shared)
}
