//! The pairs that are compared: each document of a group with the previous one and the smallest.
//!
//! Pages that share a frame and nothing else resemble each other the more, the fewer words they
//! have beside it. So of all documents of a group the smallest one reaches the threshold with most
//! others. *Input.* The documents of each key, in order. *Output.* Pairs, sorted. *Algorithm.* Each
//! document is paired with the previous one and with the smallest one before it. A document that is
//! smaller than all before it is paired with all of these, the first [`HELD_MAX`] of the group. It
//! is not if the group would then have more than [`WHOLE_ROUNDS`] such pairs for each document. In
//! random order a group has about one for each document. The pairs of a document do not depend on
//! documents after it. *Memory.* 128 KiB.

use super::band_entry::BandEntry;
use format::FormatError;
use model::{Posting, Words};
use sort::{Distinct, Keep, Sorted, Sorter};

/// Documents of a group that a smaller one is paired with.
const HELD_MAX: usize = 1 << 15;

/// The most pairs of that kind, for each document of a group.
const WHOLE_ROUNDS: usize = 3;

/// A group as far as it was read: the documents of one key, in order.
struct Group {
    key: Option<u64>,
    documents: usize,
    /// The first of them.
    held: Vec<u32>,
    /// The smallest one; of equal ones the first.
    smallest: BandEntry,
    previous: u32,
    /// Pairs of documents that were smaller than all before them.
    whole: usize,
}

impl Group {
    /// No group yet.
    fn none() -> Group {
        Group {
            key: None,
            documents: 0,
            held: Vec::with_capacity(HELD_MAX),
            smallest: BandEntry::new(0, 0, 0),
            previous: 0,
            whole: 0,
        }
    }

    /// Adds the next document and hands on the ones that it is paired with.
    fn add<E>(
        &mut self,
        next: BandEntry,
        mut pair: impl FnMut(u32) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.key != Some(next.key) {
            self.key = Some(next.key);
            self.held.clear();
            (self.documents, self.whole) = (0, 0);
            self.smallest = next;
        } else if self.previous == next.doc {
            // Two bands of a document may have the same key.
            return Ok(());
        } else {
            pair(self.smallest.doc)?;
            pair(self.previous)?;
            if next.size < self.smallest.size {
                self.smallest = next;
                let whole = self.whole + self.held.len();
                if whole <= WHOLE_ROUNDS * self.documents {
                    self.whole = whole;
                    self.held.iter().try_for_each(|other| pair(*other))?;
                }
            }
        }
        self.documents += 1;
        self.previous = next.doc;
        if self.held.len() < HELD_MAX {
            self.held.push(next.doc);
        }
        Ok(())
    }
}

/// Sorts the pairs of the documents from `first` on with the ones before them.
pub(super) fn pairs(
    keys: Sorter<Posting, Keep>,
    mut pairs: Sorter<Words<2>, Distinct>,
    first: u32,
) -> Result<Sorted<Words<2>, Distinct>, FormatError> {
    let mut keys = keys.finish()?;
    let mut group = Group::none();
    while let Some(records) = keys.next_slice()? {
        for &record in records {
            let next = BandEntry::of(record);
            group.add(next, |other| {
                if next.doc < first {
                    return Ok(());
                }
                pairs.push(Words([other, next.doc]))
            })?;
        }
    }
    drop(keys);
    pairs.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// The pairs of a group of documents of these sizes.
    fn pairs_of(sizes: impl Iterator<Item = u64>) -> Vec<(u32, u32)> {
        let mut group = Group::none();
        let mut pairs = Vec::new();
        for (doc, size) in (0..).zip(sizes) {
            let Ok(()) = group.add(BandEntry::new(1 << 40, doc, size), |other| {
                pairs.push((other, doc));
                Ok::<(), Infallible>(())
            });
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    #[test]
    fn every_document_meets_the_smallest_and_the_previous_one() {
        let pairs = pairs_of([5, 3, 4, 1, 9, 1].into_iter());
        let expected = [
            (0, 1),
            (0, 3),
            (1, 2),
            (1, 3),
            (2, 3),
            (3, 4),
            (3, 5),
            (4, 5),
        ];
        assert_eq!(pairs, expected);
    }

    #[test]
    fn pairs_stay_linear_where_each_document_is_smaller_than_those_before() {
        const DOCUMENTS: usize = 3000;
        let pairs = pairs_of((0..DOCUMENTS as u64).rev());
        let most = (WHOLE_ROUNDS + 2) * DOCUMENTS;
        assert!(
            (2 * DOCUMENTS..most).contains(&pairs.len()),
            "{}",
            pairs.len()
        );
        assert!(pairs_of(std::iter::repeat_n(7, DOCUMENTS)).len() < 2 * DOCUMENTS);
    }
}
