//! A loser tree gives the smallest of k heads with log₂ k comparisons for each record (Knuth,
//! *Sorting and Searching*, 5.4.1).

/// The heads of k sorted sources; `None` marks a source that ended.
pub(crate) struct LoserTree<R> {
    heads: Vec<Option<R>>,
    /// `nodes[0]` is the winner; `nodes[i]` the loser of the match at inner node i. Leaves are
    /// implied.
    nodes: Vec<u32>,
}

impl<R: Ord + Copy> LoserTree<R> {
    /// A tree over the first records of all sources.
    pub(crate) fn new(heads: Vec<Option<R>>) -> LoserTree<R> {
        let k = heads.len();
        let mut tree = LoserTree {
            heads,
            nodes: vec![0; k.max(1)],
        };
        // Play all matches bottom-up: winners[i] for inner nodes 1..k, leaves are k..2k.
        let mut winners = vec![0_u32; 2 * k];
        for leaf in 0..k {
            winners[k + leaf] = leaf as u32;
        }
        for node in (1..k).rev() {
            let (left, right) = (winners[2 * node], winners[2 * node + 1]);
            let (winner, loser) = if tree.beats(left, right) {
                (left, right)
            } else {
                (right, left)
            };
            winners[node] = winner;
            tree.nodes[node] = loser;
        }
        tree.nodes[0] = if k > 1 { winners[1] } else { 0 };
        tree
    }

    /// An ended source beats none; equal records are won by the lower source.
    #[inline]
    fn beats(&self, a: u32, b: u32) -> bool {
        match (&self.heads[a as usize], &self.heads[b as usize]) {
            (Some(x), Some(y)) => (x, a) < (y, b),
            (head, _) => head.is_some(),
        }
    }

    /// The smallest head and its source; `None` when all sources ended.
    #[inline]
    pub(crate) fn winner(&self) -> Option<(usize, R)> {
        let source = *self.nodes.first()? as usize;
        self.heads
            .get(source)
            .copied()
            .flatten()
            .map(|record| (source, record))
    }

    /// Replaces the winner's head by the next record of its source and replays its matches.
    #[inline]
    pub(crate) fn replace_winner(&mut self, next: Option<R>) {
        let mut winner = self.nodes[0];
        let k = self.heads.len();
        self.heads[winner as usize] = next;
        let mut node = (k + winner as usize) / 2;
        while node > 0 {
            let loser = self.nodes[node];
            if self.beats(loser, winner) {
                self.nodes[node] = winner;
                winner = loser;
            }
            node /= 2;
        }
        self.nodes[0] = winner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merges_like_a_sort(mut sources in proptest::collection::vec(proptest::collection::vec(0u16..50, 0..20), 0..9)) {
            let mut expected: Vec<u16> = sources.iter().flatten().copied().collect();
            expected.sort_unstable();
            for source in &mut sources {
                source.sort_unstable();
            }
            let mut iterators: Vec<_> = sources.into_iter().map(Vec::into_iter).collect();
            let mut tree = LoserTree::new(iterators.iter_mut().map(Iterator::next).collect());
            let mut merged = Vec::new();
            while let Some((source, record)) = tree.winner() {
                merged.push(record);
                tree.replace_winner(iterators[source].next());
            }
            prop_assert_eq!(merged, expected);
        }
    }
}
