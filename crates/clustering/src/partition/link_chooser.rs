//! Chooses the few links of a dense cluster that are published.
//!
//! A cluster is *dense* if its links are many times its representatives: k pages that all resemble
//! one another have k (k − 1) / 2 links. *Input.* The links that join such clusters, in the order
//! of [`weakness`]: the strongest first. *Output.* For each link whether it is chosen. *Algorithm.*
//! A link is chosen if it is among the strongest few of either document, or in one of two maximum
//! spanning forests (Kruskal, 1956): one of all links, and one of the links that are not in the
//! first. The first forest joins the documents that all links join. It has, between any two of
//! them, the chain whose weakest link is strongest. A link of the two forests is a bridge exactly
//! if it is a bridge of all links (Nagamochi and Ibaraki, *A linear-time algorithm for finding a
//! sparse k-connected spanning subgraph of a k-connected graph*, 1992). More links of the same
//! clusters change neither. *Memory.* Three cells for each document. *Limits.* k representatives
//! get at most `strongest` + 2 links each.

use crate::partition::UnionFind;
use model::{Cells, DensityLimits};

/// Where a link stands among others by its resemblance, `shared` / `union`: the strongest has the
/// lowest number. Links have the same number exactly if they have the same resemblance.
pub fn weakness(shared: u32, union: u32) -> u64 {
    let apart = u64::from(union.saturating_sub(shared));
    let union = u64::from(union);
    if shared == 0 || union == 0 {
        return u64::MAX;
    }
    // apart / union × 2^64, rounded down, by two steps of a long division. Two different ratios of
    // 32-bit numbers differ by more than 2^-64, so these numbers differ, too.
    let (high, rest) = ((apart << 32) / union, (apart << 32) % union);
    (high << 32) + (rest << 32) / union
}

/// Chooses links, strongest first.
#[derive(Debug)]
pub struct LinkChooser<C> {
    strongest: u32,
    /// By document: its links that came, up to `strongest`.
    met: C,
    /// The trees of the first forest and of the second one.
    forests: [UnionFind<C>; 2],
}

impl<C: Cells> LinkChooser<C> {
    /// Three stores of cells, all 0.
    pub fn new(limits: DensityLimits, [met, first, second]: [C; 3]) -> LinkChooser<C> {
        LinkChooser {
            strongest: limits.strongest,
            met,
            forests: [UnionFind::new(first), UnionFind::new(second)],
        }
    }

    /// Whether the next link is chosen, in the order of [`weakness`], then of documents.
    pub fn chooses(&mut self, a: u32, b: u32) -> Result<bool, C::Error> {
        let [first, second] = &mut self.forests;
        let in_forest = first.union(a, b)? || second.union(a, b)?;
        let (of_a, of_b) = (self.is_among_strongest(a)?, self.is_among_strongest(b)?);
        Ok(in_forest || of_a || of_b)
    }

    /// Counts a link of a document.
    fn is_among_strongest(&mut self, doc: u32) -> Result<bool, C::Error> {
        let met = self.met.get(doc)?;
        if met < self.strongest {
            self.met.set(doc, met + 1)?;
        }
        Ok(met < self.strongest)
    }
}

#[cfg(test)]
mod tests;
