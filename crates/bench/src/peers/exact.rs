//! The exact answer: which documents resemble each other, from whole sets of shingles.
//!
//! *Input.* A corpus of plain words. *Output.* Pairs of documents at the threshold or above.
//! *Algorithm.* A shingle is the 64-bit XXH3 of w words with their spaces; a document of fewer than
//! w words is one shingle. For each document the shared shingles with all earlier ones are counted
//! through an inverted index. Nothing is sampled and nothing left out. This shares no code with the
//! phases but the words themselves. *Memory.* 12 bytes a shingle, and a counter a document.
//! *Limits.* Time grows with the pairs that share anything at all, so this is for files of some ten
//! thousand documents.

use super::corpus::{Line, for_each_line};
use anyhow::{Context, Result};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use twox_hash::XxHash3_64;

/// What resembles means.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Words in a shingle.
    pub shingle_size: usize,
    /// Least resemblance.
    pub threshold: f64,
    /// Shingles of more different sets than this are left out; a document of nothing else resembles
    /// none.
    pub common_limit: u32,
}

/// The exact answer.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// Pairs of documents at the threshold or above.
    pub pairs: Vec<(u32, u32)>,
    /// For each document the first one of its component of pairs.
    pub component: Vec<u32>,
    /// How many shingles were left out because they are common.
    pub common: usize,
}

impl Truth {
    /// The exact answer for a corpus.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(corpus: &Path, params: Params) -> Result<Truth> {
        let mut sets = Vec::new();
        for_each_line(corpus, |line| {
            let line: Line = serde_json::from_str(line).context("failed to parse a line")?;
            sets.push(shingles(&line.text, params.shingle_size));
            Ok(())
        })?;
        let common = common(&sets, params.common_limit);
        for set in &mut sets {
            set.retain(|shingle| !common.contains(shingle));
        }
        Ok(Truth {
            common: common.len(),
            ..Truth::of_sets(&sets, params.threshold)
        })
    }

    fn of_sets(sets: &[Vec<u64>], threshold: f64) -> Truth {
        let pairs = pairs(sets, threshold);
        let mut component: Vec<u32> = (0..sets.len() as u32).collect();
        for &(a, b) in &pairs {
            let (a, b) = (root(&mut component, a), root(&mut component, b));
            component[a.max(b) as usize] = a.min(b);
        }
        for document in 0..component.len() {
            component[document] = root(&mut component, document as u32);
        }
        Truth {
            pairs,
            component,
            common: 0,
        }
    }

    /// Documents that are not the first of their component.
    pub fn redundant(&self) -> usize {
        let others = (0..)
            .zip(&self.component)
            .filter(|(document, first)| document != *first);
        others.count()
    }
}

/// Shingles of more than `limit` different sets.
fn common(sets: &[Vec<u64>], limit: u32) -> HashSet<u64> {
    let different: HashSet<&Vec<u64>> = sets.iter().collect();
    let mut frequency: HashMap<u64, u32> = HashMap::new();
    different
        .into_iter()
        .flatten()
        .for_each(|&shingle| *frequency.entry(shingle).or_default() += 1);
    frequency
        .into_iter()
        .filter(|&(_, sets)| sets > limit)
        .map(|(shingle, _)| shingle)
        .collect()
}

fn root(parents: &mut [u32], mut document: u32) -> u32 {
    while parents[document as usize] != document {
        parents[document as usize] = parents[parents[document as usize] as usize];
        document = parents[document as usize];
    }
    document
}

/// The sorted set of shingles of a text of words parted by single spaces.
fn shingles(text: &str, size: usize) -> Vec<u64> {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices(' ').map(|(at, _)| at + 1))
        .collect();
    let mut set = Vec::new();
    if starts.len() < size {
        set.push(XxHash3_64::oneshot(text.as_bytes()));
    }
    for first in 0..(starts.len() + 1).saturating_sub(size) {
        let end = starts.get(first + size).map_or(text.len(), |next| next - 1);
        set.push(XxHash3_64::oneshot(&text.as_bytes()[starts[first]..end]));
    }
    set.sort_unstable();
    set.dedup();
    set
}

/// Pairs of sets whose resemblance reaches the threshold.
fn pairs(sets: &[Vec<u64>], threshold: f64) -> Vec<(u32, u32)> {
    let mut index: HashMap<u64, Vec<u32>> = HashMap::new();
    let (mut shared, mut touched, mut pairs) = (vec![0_u32; sets.len()], Vec::new(), Vec::new());
    for (document, set) in (0_u32..).zip(sets) {
        for shingle in set {
            let earlier = index.entry(*shingle).or_default();
            for &other in earlier.iter() {
                if shared[other as usize] == 0 {
                    touched.push(other);
                }
                shared[other as usize] += 1;
            }
            earlier.push(document);
        }
        for other in touched.drain(..) {
            let both = f64::from(std::mem::take(&mut shared[other as usize]));
            let either = (set.len() + sets[other as usize].len()) as f64 - both;
            if both >= threshold * either {
                pairs.push((other, document));
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn shingles_are_runs_of_words_and_short_texts_are_one() {
        let one = |text: &str| XxHash3_64::oneshot(text.as_bytes());
        assert_eq!(shingles("a b", 3), [one("a b")]);
        assert_eq!(shingles("a b c", 3), [one("a b c")]);
        let mut expected = [one("a b c"), one("b c dd")];
        expected.sort_unstable();
        assert_eq!(shingles("a b c dd", 3), expected);
        assert_eq!(shingles("a a a a a", 2).len(), 1);
    }

    #[test]
    fn common_shingles_are_counted_in_different_sets_and_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("corpus.jsonl");
        let line = |text: &str| format!("{{\"id\":\"0\",\"text\":\"{text}\"}}\n");
        // `a b` is in three different sets, `c d` in two documents of one set and in another.
        std::fs::write(
            &path,
            ["a b c d", "a b c d", "a b x", "c d a b", "a b"]
                .map(line)
                .concat(),
        )
        .unwrap();
        let truth = |common_limit| {
            Truth::of(
                &path,
                Params {
                    shingle_size: 2,
                    threshold: 0.5,
                    common_limit,
                },
            )
            .unwrap()
        };
        assert_eq!(
            (truth(4).common, truth(3).common, truth(1).common),
            (0, 1, 2)
        );
        // The first two are equal and each shares two of four with the fourth; the fifth is half of
        // the third. Without `a b` the fifth has nothing left, and only the first two resemble each
        // other.
        assert_eq!((truth(4).pairs.len(), truth(3).pairs.len()), (4, 1));
    }

    proptest! {
        #[test]
        fn truth_is_what_comparing_all_pairs_finds(
            sets in proptest::collection::vec(proptest::collection::btree_set(0u64..8, 1..6), 0..12),
        ) {
            let lists: Vec<Vec<u64>> = sets.iter().map(|set| set.iter().copied().collect()).collect();
            let truth = Truth::of_sets(&lists, 0.5);
            let alike = |a: &BTreeSet<u64>, b: &BTreeSet<u64>| {
                2 * a.intersection(b).count() >= a.union(b).count()
            };
            let mut pairs = 0;
            let mut label: Vec<usize> = (0..sets.len()).collect();
            for _ in 0..=sets.len() {
                pairs = 0;
                for b in 0..sets.len() {
                    for a in (0..b).filter(|&a| alike(&sets[a], &sets[b])) {
                        pairs += 1;
                        let low = label[a].min(label[b]);
                        (label[a], label[b]) = (low, low);
                    }
                }
            }
            prop_assert_eq!(truth.pairs.len(), pairs);
            let components: BTreeSet<usize> = label.iter().copied().collect();
            prop_assert_eq!(truth.redundant(), sets.len() - components.len());
        }
    }
}
