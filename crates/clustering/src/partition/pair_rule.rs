//! A rule that chooses pairs by their overlaps: for links, or for exact comparison.

use model::{CandidateFilter, LinkPolicy, ThresholdsMet};
use model::{Overlap, Threshold};

/// Chooses pairs. The first two functions drop pairs early: they may pass a pair that is not
/// chosen, but never drop one that is.
pub trait PairRule {
    /// The fewest shingles that a document with these sketch sizes, by level, must share.
    fn least_shared(&self, sizes: &[u32]) -> u32;
    /// Whether a pair with this count and these sizes may be chosen.
    fn passes(&self, shared: u32, size_a: u32, size_b: u32) -> bool;
    /// The thresholds that a pair reaches, if it is chosen.
    fn judge(&self, overlap: &Overlap) -> Option<ThresholdsMet>;
}

/// Chooses the links of a policy.
#[derive(Clone, Copy, Debug)]
pub struct LinkRule {
    policy: LinkPolicy,
    filter: CandidateFilter,
}

impl LinkRule {
    /// The rule of a policy. Pairs that reach `floor` pass the early tests, too, so that they can
    /// be counted.
    pub fn new(policy: LinkPolicy, floor: Option<Threshold>) -> LinkRule {
        let filter = policy.candidate_filter(floor);
        LinkRule { policy, filter }
    }
}

impl PairRule for LinkRule {
    #[inline]
    fn least_shared(&self, sizes: &[u32]) -> u32 {
        self.filter.least_shared(sizes)
    }
    #[inline]
    fn passes(&self, shared: u32, size_a: u32, size_b: u32) -> bool {
        self.filter.passes(shared, size_a, size_b)
    }
    #[inline]
    fn judge(&self, overlap: &Overlap) -> Option<ThresholdsMet> {
        self.policy.judge(overlap)
    }
}
