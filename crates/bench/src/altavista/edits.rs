//! Where a near-copy has other words than the first document of its cluster.

use super::plan::EDIT_GAP_MAX;
use testkit::Random;

/// Positions of edits, ascending, without end.
#[derive(Clone, Debug)]
pub(super) struct Edits {
    random: Random,
    at: u64,
}

impl Edits {
    pub(super) fn new(key: u64) -> Edits {
        let mut random = Random::new(key);
        let at = random.below(EDIT_GAP_MAX);
        Edits { random, at }
    }
}

impl Iterator for Edits {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let at = self.at;
        self.at += self.random.within(1, EDIT_GAP_MAX);
        Some(at)
    }
}
