//! Which documents a common shingle proposes as pairs.
//!
//! A group of n documents has n (n − 1) / 2 pairs, too many where n is large. So each document of a
//! common shingle meets the first [`FIRST`] documents of the group, the [`PREVIOUS`] ones before
//! it, and the last one before it that is about as long: at most 11 n pairs. Near-copies share many
//! shingles, whose groups begin with the same few documents, so all of them meet these. Where a
//! frame is common, the first documents of a group are any page of the site, but then the shingles
//! of the content are not common and make all pairs. Documents about as long keep two copies of a
//! short text together that lie among many long pages which hold all of it.
//!
//! *Input.* The common shingles of each sketch, in document order. *Output.* Pairs, each with the
//! number of shingles that propose it. *Algorithm.* The documents of a group that later ones meet
//! are held for each shingle. The pairs of a document do not depend on documents after it.
//! *Memory.* [`Proposals::GROUP_BYTES`] a shingle.

use model::Shingle;

/// The first documents of a group that every other one meets.
const FIRST: usize = 8;

/// The documents before it that a document meets.
const PREVIOUS: usize = 2;

/// Classes of length: pages of one class differ by less than a factor of two, or by one of 2^8.
const CLASSES: usize = 8;

/// No document has this number.
const NONE: u32 = u32::MAX;

/// The numbers of a sorted list of shingles.
#[derive(Debug)]
pub struct ShingleRanks {
    shingles: Vec<Shingle>,
    /// Where the shingles begin whose highest bits are this number or more: fingerprints are
    /// uniform, so about one has each.
    starts: Vec<u32>,
}

impl ShingleRanks {
    /// Bytes for so many shingles.
    pub fn bytes(shingles: usize) -> usize {
        shingles * (size_of::<Shingle>() + size_of::<u32>()) + 2 * size_of::<u32>()
    }

    /// Numbers a sorted list without duplicates.
    pub fn of(shingles: Vec<Shingle>) -> ShingleRanks {
        let mut starts = Vec::with_capacity(shingles.len() + 1);
        for (at, &shingle) in (0..).zip(&shingles) {
            let bucket = bucket(shingle, shingles.len());
            if starts.len() <= bucket {
                starts.resize(bucket + 1, at);
            }
        }
        starts.resize(shingles.len() + 1, shingles.len() as u32);
        ShingleRanks { shingles, starts }
    }

    /// The number of a shingle; `None` if it is not in the list.
    #[inline]
    pub fn of_shingle(&self, shingle: Shingle) -> Option<u32> {
        let bucket = bucket(shingle, self.shingles.len());
        let &[start, end] = self.starts.get(bucket..bucket + 2)?.as_array()?;
        let among = self.shingles.get(start as usize..end as usize)?;
        let at = among.binary_search(&shingle).ok()?;
        Some(start + at as u32)
    }

    /// How many shingles there are.
    pub fn len(&self) -> usize {
        self.shingles.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shingles.is_empty()
    }
}

/// The number of the highest bits of a shingle, below `count`.
#[inline]
fn bucket(shingle: Shingle, count: usize) -> usize {
    ((u128::from(shingle) * count as u128) >> 64) as usize
}

/// The documents of a group that later ones meet.
#[derive(Clone, Copy, Debug)]
struct Group {
    first: [u32; FIRST],
    previous: [u32; PREVIOUS],
    /// The last document of each class of length.
    alike: [u32; CLASSES],
}

/// Proposes pairs, document after document.
#[derive(Debug)]
pub struct Proposals {
    groups: Vec<Group>,
    met: Meetings,
}

impl Proposals {
    /// Bytes for each common shingle.
    pub const GROUP_BYTES: usize = size_of::<Group>();

    /// Begins with so many common shingles.
    pub fn new(shingles: usize) -> Proposals {
        let empty = Group {
            first: [NONE; FIRST],
            previous: [NONE; PREVIOUS],
            alike: [NONE; CLASSES],
        };
        Proposals {
            groups: vec![empty; shingles],
            met: Meetings::default(),
        }
    }

    /// Takes the next document: its length in tokens, and the numbers of the common shingles in its
    /// sketch. Hands on each document that it meets, and how many of the shingles say so.
    ///
    /// # Errors
    /// Those of `meet`.
    pub fn add<E>(
        &mut self,
        doc: u32,
        tokens: u64,
        ranks: &[u32],
        mut meet: impl FnMut(u32, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let class = (u64::BITS - tokens.leading_zeros()) as usize % CLASSES;
        self.met.clear(ranks.len() * (FIRST + PREVIOUS + 1));
        for &rank in ranks {
            let Some(group) = self.groups.get_mut(rank as usize) else {
                continue;
            };
            let held = group.first.partition_point(|first| *first != NONE);
            group.first[..held]
                .iter()
                .for_each(|other| self.met.count(*other));
            if held < FIRST {
                group.first[held] = doc;
            } else {
                // Documents come in order: those up to the last of the first ones are among these.
                let last = group.first[FIRST - 1];
                let alike = Some(group.alike[class]).filter(|one| !group.previous.contains(one));
                let others = group.previous.into_iter().chain(alike);
                for other in others.filter(|other| *other != NONE && *other > last) {
                    self.met.count(other);
                }
            }
            group.previous = [doc, group.previous[0]];
            group.alike[class] = doc;
        }
        self.met.each(&mut meet)
    }
}

/// Counts documents: a hash table of open addresses.
#[derive(Debug, Default)]
struct Meetings {
    /// Document and count; a count of 0 is an empty place.
    places: Vec<(u32, u32)>,
    used: Vec<u32>,
}

impl Meetings {
    /// Forgets all; there is room for `most` documents then.
    fn clear(&mut self, most: usize) {
        for at in self.used.drain(..) {
            self.places[at as usize] = (NONE, 0);
        }
        let wanted = (2 * most).next_power_of_two();
        if self.places.len() < wanted {
            self.places.resize(wanted, (NONE, 0));
        }
    }

    #[inline]
    fn count(&mut self, doc: u32) {
        let mask = self.places.len() - 1;
        let mut at = (doc.wrapping_mul(0x9E37_79B9) >> 7) as usize & mask;
        loop {
            let (known, count) = &mut self.places[at];
            if *count == 0 {
                self.used.push(at as u32);
                *known = doc;
            }
            if *known == doc {
                *count += 1;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    fn each<E>(&self, meet: &mut impl FnMut(u32, u32) -> Result<(), E>) -> Result<(), E> {
        let mut used = self.used.iter().map(|at| self.places[*at as usize]);
        used.try_for_each(|(doc, count)| meet(doc, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::convert::Infallible;

    proptest! {
        #[test]
        fn each_document_meets_the_first_the_previous_and_the_last_one_as_long(
            documents in prop::collection::vec((1u64..5000, prop::collection::btree_set(0u32..4, 0..4)), 0..60),
        ) {
            let mut proposals = Proposals::new(4);
            let (mut found, mut expected) = (BTreeMap::new(), BTreeMap::new());
            for (doc, (tokens, ranks)) in (0..).zip(&documents) {
                let ranks: Vec<u32> = ranks.iter().copied().collect();
                let Ok(()) = proposals.add(doc, *tokens, &ranks, |other, shingles| {
                    assert!(found.insert((other, doc), shingles).is_none());
                    Ok::<(), Infallible>(())
                });
            }
            for rank in 0..4 {
                let group: Vec<u32> = (0..).zip(&documents).filter(|(_, (_, ranks))| ranks.contains(&rank)).map(|(doc, _)| doc).collect();
                for (at, doc) in group.iter().enumerate() {
                    let class = |doc: u32| documents[doc as usize].0.ilog2() % 8;
                    let before = &group[..at];
                    let mut met: BTreeSet<u32> = before.iter().take(8).copied().collect();
                    met.extend(before.iter().rev().take(2));
                    met.extend(before.iter().rev().find(|other| class(**other) == class(*doc)));
                    for other in met {
                        *expected.entry((other, *doc)).or_insert(0) += 1;
                    }
                }
            }
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn each_shingle_has_its_number(
            list in prop::collection::btree_set(prop_oneof![any::<u64>(), 0u64..50], 0..300), others: Vec<u64>,
        ) {
            let sorted: Vec<u64> = list.iter().copied().collect();
            let ranks = ShingleRanks::of(sorted.clone());
            for shingle in sorted.iter().copied().chain(others).chain(0..60) {
                let expected = sorted.binary_search(&shingle).ok().map(|at| at as u32);
                prop_assert_eq!(ranks.of_shingle(shingle), expected);
            }
        }
    }
}
