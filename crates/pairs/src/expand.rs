//! One pass over the groups.

use model::{Posting, Shingle};

/// Postings in order, from any position on.
pub trait PostingSource {
    /// What reading can end in.
    type Error;
    /// The next posting; `None` after the last.
    ///
    /// # Errors
    /// When it cannot be read.
    fn next(&mut self) -> Result<Option<Posting>, Self::Error>;
    /// Number of the posting that comes next.
    fn position(&self) -> u64;
    /// Goes to a posting by its number.
    ///
    /// # Errors
    /// When it cannot be read.
    fn seek(&mut self, position: u64) -> Result<(), Self::Error>;
}

/// Who receives what a group gives.
pub trait PairSink {
    /// What receiving can end in.
    type Error;
    /// All of these documents, two or more in order, share one more shingle. Of a group that is not held each two come alone.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn list(&mut self, docs: &[u32]) -> Result<(), Self::Error>;
    /// A shingle is too common; it made no pair.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn common(&mut self, shingle: Shingle, documents: u64, example: u32) -> Result<(), Self::Error>;
    /// A document's sketch loses this common shingle.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn lost(&mut self, doc: u32, shingle: Shingle) -> Result<(), Self::Error>;
}

/// How to expand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpandParams {
    /// A shingle in more documents than this is common.
    pub common_limit: u64,
    /// Documents of a group that may be held at once; at least 1.
    pub held_max: usize,
}

/// The part of the postings that one thread expands: the groups whose first posting is in `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the first posting.
    pub start: u64,
    /// Number of the posting after the last.
    pub end: u64,
}

/// What a pass saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// Postings read (those read twice count once).
    pub postings: u64,
    /// Different shingles.
    pub shingles: u64,
    /// Shingles in one document only.
    pub single: u64,
    /// Common shingles.
    pub common: u64,
    /// Postings of common shingles.
    pub common_postings: u64,
    /// Pairs made: increments of counts.
    pub increments: u64,
    /// Groups too large to be held.
    pub not_held: u64,
}

impl std::ops::AddAssign for Expansion {
    fn add_assign(&mut self, other: Expansion) {
        self.postings += other.postings;
        self.shingles += other.shingles;
        self.single += other.single;
        self.common += other.common;
        self.common_postings += other.common_postings;
        self.increments += other.increments;
        self.not_held += other.not_held;
    }
}

/// Expands the groups of a shard of `source` into `sink`. The last one is read to its end, beyond the shard's.
///
/// # Errors
/// Those of the source and of the sink.
pub fn expand<S, K, E>(source: &mut S, shard: Shard, params: ExpandParams, sink: &mut K) -> Result<Expansion, E>
where
    S: PostingSource<Error = E>,
    K: PairSink<Error = E>,
{
    let held_max = params.held_max.max(1);
    let mut seen = Expansion::default();
    let mut held: Vec<u32> = Vec::new();
    let mut ahead = first_of(source, shard.start)?;
    while let Some(first) = ahead {
        let start = source.position() - 1;
        if start >= shard.end {
            break;
        }
        held.clear();
        held.push(first.doc);
        let mut size = 1_u64;
        ahead = source.next()?;
        while let Some(posting) = ahead.filter(|posting| posting.shingle == first.shingle) {
            if held.len() < held_max {
                held.push(posting.doc);
            }
            size += 1;
            ahead = source.next()?;
        }
        seen.postings += size;
        seen.shingles += 1;
        let group = Group { shingle: first.shingle, start, size, example: first.doc };
        if size == 1 {
            seen.single += 1;
        } else if size > params.common_limit {
            seen.common += 1;
            seen.common_postings += size;
            set_aside(source, &group, &held, sink)?;
        } else {
            seen.increments += size * (size - 1) / 2;
            if size == held.len() as u64 {
                sink.list(&held)?;
            } else {
                seen.not_held += 1;
                pair_in_blocks(source, &group, held_max, sink)?;
            }
        }
        if size > held.len() as u64 {
            // The group was read again; go on behind it.
            source.seek(start + size)?;
            ahead = source.next()?;
        }
    }
    Ok(seen)
}

/// The first posting from `start` on that begins a group.
fn first_of<S: PostingSource>(source: &mut S, start: u64) -> Result<Option<Posting>, S::Error> {
    let before = match start.checked_sub(1) {
        None => None,
        Some(before) => {
            source.seek(before)?;
            source.next()?
        }
    };
    let mut ahead = source.next()?;
    while let (Some(posting), Some(before)) = (ahead, before)
        && posting.shingle == before.shingle
    {
        ahead = source.next()?;
    }
    Ok(ahead)
}

struct Group {
    shingle: Shingle,
    start: u64,
    size: u64,
    example: u32,
}

/// A nested loop over a group on disk: a block of it is held, and everything from there on is read past it.
fn pair_in_blocks<S, K, E>(source: &mut S, group: &Group, held_max: usize, sink: &mut K) -> Result<(), E>
where
    S: PostingSource<Error = E>,
    K: PairSink<Error = E>,
{
    let mut block_start = 0;
    while block_start < group.size {
        source.seek(group.start + block_start)?;
        let in_block = (group.size - block_start).min(held_max as u64);
        let mut block = Vec::new();
        for at in block_start..group.size {
            let Some(posting) = source.next()? else { break };
            for &a in &block {
                sink.list(&[a, posting.doc])?;
            }
            if at < block_start + in_block {
                block.push(posting.doc);
            }
        }
        block_start += in_block;
    }
    Ok(())
}

fn set_aside<S, K, E>(source: &mut S, group: &Group, held: &[u32], sink: &mut K) -> Result<(), E>
where
    S: PostingSource<Error = E>,
    K: PairSink<Error = E>,
{
    sink.common(group.shingle, group.size, group.example)?;
    for &doc in held {
        sink.lost(doc, group.shingle)?;
    }
    if group.size > held.len() as u64 {
        source.seek(group.start + held.len() as u64)?;
        for _ in held.len() as u64..group.size {
            let Some(posting) = source.next()? else { break };
            sink.lost(posting.doc, group.shingle)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    struct Slice<'a>(&'a [Posting], usize);
    impl PostingSource for Slice<'_> {
        type Error = ();
        fn next(&mut self) -> Result<Option<Posting>, ()> {
            let posting = self.0.get(self.1).copied();
            self.1 += usize::from(posting.is_some());
            Ok(posting)
        }
        fn position(&self) -> u64 {
            self.1 as u64
        }
        fn seek(&mut self, position: u64) -> Result<(), ()> {
            self.1 = position as usize;
            Ok(())
        }
    }

    #[derive(Default, Debug, PartialEq)]
    struct Seen {
        pairs: BTreeMap<(u32, u32), u32>,
        common: Vec<(u64, u64, u32)>,
        lost: BTreeMap<(u32, u64), u32>,
    }
    impl PairSink for Seen {
        type Error = ();
        fn list(&mut self, docs: &[u32]) -> Result<(), ()> {
            crate::pairs_of(docs, |a, b| {
                *self.pairs.entry((a, b)).or_default() += 1;
                Ok(())
            })
        }
        fn common(&mut self, shingle: u64, documents: u64, example: u32) -> Result<(), ()> {
            self.common.push((shingle, documents, example));
            Ok(())
        }
        fn lost(&mut self, doc: u32, shingle: u64) -> Result<(), ()> {
            *self.lost.entry((doc, shingle)).or_default() += 1;
            Ok(())
        }
    }

    proptest! {
        #[test]
        fn expansion_is_that_of_sets(
            postings in proptest::collection::btree_set((0u64..12, 0u32..30), 0..200),
            common_limit in 1u64..12, held_max in 1usize..15,
            cuts in proptest::collection::vec(0u64..200, 0..4),
        ) {
            let postings: Vec<Posting> = postings.into_iter().map(|(shingle, doc)| Posting { shingle, doc }).collect();
            let mut groups: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
            for posting in &postings {
                groups.entry(posting.shingle).or_default().insert(posting.doc);
            }
            let mut expected = Seen::default();
            for (&shingle, docs) in &groups {
                if docs.len() as u64 > common_limit {
                    expected.common.push((shingle, docs.len() as u64, *docs.first().unwrap()));
                    expected.lost.extend(docs.iter().map(|&doc| ((doc, shingle), 1)));
                    continue;
                }
                for &a in docs {
                    for &b in docs.range(a + 1..) {
                        *expected.pairs.entry((a, b)).or_default() += 1;
                    }
                }
            }
            let mut seen = Seen::default();
            let params = ExpandParams { common_limit, held_max };
            let mut bounds: Vec<u64> = cuts.iter().map(|cut| cut % (postings.len() as u64 + 1)).collect();
            bounds.extend([0, postings.len() as u64]);
            bounds.sort_unstable();
            let mut totals = Expansion::default();
            for bounds in bounds.windows(2) {
                let shard = Shard { start: bounds[0], end: bounds[1] };
                totals += expand(&mut Slice(&postings, 0), shard, params, &mut seen).unwrap();
            }
            prop_assert_eq!(&seen, &expected);
            prop_assert_eq!(totals.postings, postings.len() as u64);
            prop_assert_eq!(totals.shingles, groups.len() as u64);
            prop_assert_eq!(totals.increments, expected.pairs.values().map(|&n| u64::from(n)).sum::<u64>());
        }
    }
}
