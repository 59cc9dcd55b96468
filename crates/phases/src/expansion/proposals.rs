//! Which documents a common shingle proposes as pairs.
//!
//! A group of n documents has n (n − 1) / 2 pairs, too many where n is large. So each document of a
//! common shingle meets few others of its group, 13 at most:
//!
//! - The first [`FIRST`], and the [`PREVIOUS`] ones before it. Near-copies share many shingles,
//!   whose groups begin with the same few documents, so all of them meet these.
//! - The hub, which is the shortest of the first documents, and the shortest one before it. Where a
//!   frame is common, a page is alike others by the frame alone if it has little else. It is then
//!   alike the shortest page of the frame, too: two pages of a and b shingles that share f of them
//!   have a resemblance of f / (a + b − f), which grows as b falls.
//! - The last one before it that is about as long. That keeps two copies of a short text together
//!   which lie among many long pages that hold all of it.
//!
//! *Input.* The common shingles of each sketch, in document order, twice. *Output.* Pairs, each
//! with the number of meetings. *Algorithm.* [`Hubs`] finds the hub of each group among as many
//! documents as make a shingle common. [`Proposals`] holds the documents of each group that later
//! ones meet. A document after the first ones changes no pair of documents before it. *Memory.*
//! [`Hubs::GROUP_BYTES`] a shingle, then [`Proposals::GROUP_BYTES`].

use model::Shingle;

/// The first documents of a group that every other one meets.
const FIRST: usize = 8;

/// The documents before it that a document meets.
const PREVIOUS: usize = 2;

/// Documents of a group that one meets, at most: also one of its length, the shortest before it and
/// the hub.
const MET: usize = FIRST + PREVIOUS + 3;

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

/// A document and its length in tokens. The shorter one is less, then the lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shortest {
    tokens: u64,
    doc: u32,
}

impl Shortest {
    /// Longer than any document.
    const NONE: Shortest = Shortest {
        tokens: u64::MAX,
        doc: NONE,
    };
}

/// Finds the hub of each group: the shortest of its first documents.
#[derive(Debug)]
pub struct Hubs {
    /// How many documents of a group may be its hub.
    among: u64,
    groups: Vec<(Shortest, u64)>,
}

impl Hubs {
    /// Bytes for each common shingle.
    pub const GROUP_BYTES: usize = size_of::<(Shortest, u64)>();

    /// Begins with so many common shingles. The hub is one of the first `among` documents.
    pub fn new(shingles: usize, among: u64) -> Hubs {
        Hubs {
            among,
            groups: vec![(Shortest::NONE, 0); shingles],
        }
    }

    /// Takes the next document: its length in tokens, and the numbers of the common shingles in its
    /// sketch.
    pub fn add(&mut self, doc: u32, tokens: u64, ranks: &[u32]) {
        for &rank in ranks {
            if let Some((hub, documents)) = self.groups.get_mut(rank as usize)
                && *documents < self.among
            {
                *hub = (*hub).min(Shortest { tokens, doc });
                *documents += 1;
            }
        }
    }
}

/// The documents of a group that others meet.
#[derive(Clone, Copy, Debug)]
struct MeetingGroup {
    first: [u32; FIRST],
    previous: [u32; PREVIOUS],
    /// The last document of each class of length.
    alike: [u32; CLASSES],
    hub: u32,
    /// The shortest document so far.
    shortest: Shortest,
}

impl MeetingGroup {
    fn new(hub: u32) -> MeetingGroup {
        MeetingGroup {
            first: [NONE; FIRST],
            previous: [NONE; PREVIOUS],
            alike: [NONE; CLASSES],
            hub,
            shortest: Shortest::NONE,
        }
    }

    /// Hands on each document that the next one meets, once.
    fn each_met(&self, doc: u32, class: usize, mut met: impl FnMut(u32)) {
        let held = self.first.partition_point(|first| *first != NONE);
        let first = &self.first[..held];
        first.iter().for_each(|other| met(*other));
        let [newest, older] = self.previous;
        let others = [
            newest,
            older,
            self.alike[class],
            self.shortest.doc,
            self.hub,
        ];
        for (at, other) in others.into_iter().enumerate() {
            // Documents come in order: those up to the last of the first ones are among these.
            let is_first = first.last().is_some_and(|last| other <= *last);
            if other != NONE && other != doc && !is_first && !others[..at].contains(&other) {
                met(other);
            }
        }
    }

    /// Takes the next document.
    fn add(&mut self, next: Shortest, class: usize) {
        let held = self.first.partition_point(|first| *first != NONE);
        if let Some(place) = self.first.get_mut(held) {
            *place = next.doc;
        }
        self.previous = [next.doc, self.previous[0]];
        self.alike[class] = next.doc;
        self.shortest = self.shortest.min(next);
    }
}

/// Proposes pairs, document after document.
#[derive(Debug)]
pub struct Proposals {
    groups: Vec<MeetingGroup>,
    met: Meetings,
}

impl Proposals {
    /// Bytes for each common shingle.
    pub const GROUP_BYTES: usize = size_of::<MeetingGroup>();

    /// Begins with the groups whose hubs are these.
    pub fn new(hubs: &Hubs) -> Proposals {
        let groups = hubs.groups.iter();
        Proposals {
            groups: groups.map(|(hub, _)| MeetingGroup::new(hub.doc)).collect(),
            met: Meetings::default(),
        }
    }

    /// Takes the next document: its length in tokens, and the numbers of the common shingles in its
    /// sketch. Hands on each document that it meets, and how many of the shingles say so. The hub
    /// of a group may come after the document, the others do not.
    pub fn add<E>(
        &mut self,
        doc: u32,
        tokens: u64,
        ranks: &[u32],
        mut meet: impl FnMut(u32, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let class = (u64::BITS - tokens.leading_zeros()) as usize % CLASSES;
        self.met.clear(ranks.len() * MET);
        for &rank in ranks {
            if let Some(group) = self.groups.get_mut(rank as usize) {
                group.each_met(doc, class, |other| self.met.count(other));
                group.add(Shortest { tokens, doc }, class);
            }
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
        fn each_document_meets_the_first_the_previous_one_as_long_and_the_shortest(
            documents in prop::collection::vec((1u64..5000, prop::collection::btree_set(0u32..4, 0..4)), 0..60),
        ) {
            let mut hubs = Hubs::new(4, 12);
            for (doc, (tokens, ranks)) in (0..).zip(&documents) {
                hubs.add(doc, *tokens, &Vec::from_iter(ranks.iter().copied()));
            }
            let mut proposals = Proposals::new(&hubs);
            let (mut found, mut expected) = (BTreeMap::new(), BTreeMap::new());
            for (doc, (tokens, ranks)) in (0..).zip(&documents) {
                let ranks: Vec<u32> = ranks.iter().copied().collect();
                let Ok(()) = proposals.add(doc, *tokens, &ranks, |other, shingles| {
                    assert!(found.insert((doc, other), shingles).is_none());
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
                    let shortest = |some: &[u32]| some.iter().copied().min_by_key(|doc| (documents[*doc as usize].0, *doc));
                    met.extend(shortest(before));
                    met.extend(shortest(&group[..group.len().min(12)]).filter(|hub| hub != doc));
                    for other in met {
                        *expected.entry((*doc, other)).or_insert(0) += 1;
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
