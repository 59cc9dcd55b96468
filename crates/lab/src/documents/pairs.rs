//! Pairs of sets that share a shingle.
//!
//! *Input.* Sets, numbered in their order. *Output.* For a set, each earlier one that shares
//! shingles with it, and how many. *Algorithm.* A list of sets for each shingle. *Memory.* That of
//! the lists is part of [`super::set_file`]'s for a shingle.

use std::collections::HashMap;

/// Sets by their shingles.
#[derive(Default)]
pub(super) struct Index {
    lists: HashMap<u64, Vec<u32>>,
    /// Shared shingles with each set, while a set is looked up.
    counts: Vec<usize>,
    touched: Vec<u32>,
}

impl Index {
    pub(super) fn insert(&mut self, set: &[u64]) {
        let number = self.counts.len() as u32;
        for shingle in set {
            self.lists.entry(*shingle).or_default().push(number);
        }
        self.counts.push(0);
    }

    /// Calls `f` with the number of each set that shares shingles with this one, and how many.
    pub(super) fn sharing(&mut self, set: &[u64], mut f: impl FnMut(usize, usize)) {
        for earlier in set.iter().filter_map(|one| self.lists.get(one)).flatten() {
            let count = &mut self.counts[*earlier as usize];
            if *count == 0 {
                self.touched.push(*earlier);
            }
            *count += 1;
        }
        for earlier in self.touched.drain(..) {
            let earlier = earlier as usize;
            f(earlier, std::mem::take(&mut self.counts[earlier]));
        }
    }
}
