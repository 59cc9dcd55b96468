//! How a sort combines the links of a cluster.

use model::{Ratio, Words};
use sort::Combine;

/// ⟨cluster, shared, union⟩: keeps the lowest ratio of a cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weakest;

impl Combine<Words<3>> for Weakest {
    fn absorb(&self, into: &mut Words<3>, next: &Words<3>) -> bool {
        let ratio = |words: &Words<3>| Ratio::new(u64::from(words.0[1]), u64::from(words.0[2]));
        if into.0[0] != next.0[0] {
            return false;
        }
        // Of equal ratios the smaller numbers, so that the order of merging does not show.
        let lower = (ratio(next), next.0).cmp(&(ratio(into), into.0)).is_lt();
        if lower {
            *into = *next;
        }
        true
    }
}
