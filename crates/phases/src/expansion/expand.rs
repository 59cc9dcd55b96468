//! One pass over sorted postings: finds the group of each shingle.
//!
//! *Input.* A shard of the postings. *Output.* For each group its documents as a list; or, if the
//! shingle is common, how many documents it has, and each of them. *Why it is fast.* Postings come
//! in slices, and most shingles are in one document only: such groups are skipped by one comparison
//! of neighbours. *Memory.* `group_documents_max` document numbers. A larger group is read again
//! and passed on as pairs.

use model::{Posting, Shingle};

/// Postings in order, from any position on.
pub trait PostingSource {
    /// The error of reading.
    type Error;
    /// The next postings, at least one; `None` after the last.
    fn next_slice(&mut self) -> Result<Option<&[Posting]>, Self::Error>;
    /// Moves to a posting by its number.
    fn seek(&mut self, position: u64) -> Result<(), Self::Error>;
}

/// Receives the groups.
pub trait GroupSink {
    /// The error of receiving.
    type Error;
    /// These documents, two or more in order, share one more shingle. A group of more than
    /// [`ExpandParams::group_documents_max`] documents comes as lists of two.
    fn list(&mut self, docs: &[u32]) -> Result<(), Self::Error>;
    /// A shingle is common: its group is not paired. The sketches of `documents` documents contain
    /// it, of which `example` is the lowest.
    fn common(&mut self, shingle: Shingle, documents: u64, example: u32)
    -> Result<(), Self::Error>;
    /// The sketch of a document contains this common shingle.
    fn common_of(&mut self, doc: u32, shingle: Shingle) -> Result<(), Self::Error>;
}

/// Parameters of [`expand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpandParams {
    /// A shingle in more documents than this is common.
    pub common_limit: u64,
    /// Most documents of a group that are in memory at once; at least 1.
    pub group_documents_max: usize,
}

/// The part of the postings that one thread expands: the groups whose first posting is in
/// `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostingShard {
    /// Number of the first posting.
    pub start: u64,
    /// Number of the posting after the last.
    pub end: u64,
}

/// Figures of a pass.
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
    /// Groups that were too large for memory.
    pub oversized: u64,
}

impl std::ops::AddAssign for Expansion {
    fn add_assign(&mut self, other: Expansion) {
        self.postings += other.postings;
        self.shingles += other.shingles;
        self.single += other.single;
        self.common += other.common;
        self.common_postings += other.common_postings;
        self.increments += other.increments;
        self.oversized += other.oversized;
    }
}

/// Expands the groups of a shard of `source` into `sink`. The last one is read to its end, beyond
/// the shard's.
pub fn expand<S, K, E>(
    source: &mut S,
    shard: PostingShard,
    params: ExpandParams,
    sink: &mut K,
) -> Result<Expansion, E>
where
    S: PostingSource<Error = E>,
    K: GroupSink<Error = E>,
{
    let params = ExpandParams {
        group_documents_max: params.group_documents_max.max(1),
        ..params
    };
    let mut pass = Pass {
        params,
        end: shard.end,
        seen: Expansion::default(),
        group: None,
        docs: Vec::new(),
    };
    // The posting before the shard says which group belongs to the shard before.
    let mut base = shard.start.saturating_sub(1);
    let mut other = None;
    source.seek(base)?;
    while let Some(slice) = source.next_slice()? {
        let length = slice.len() as u64;
        let mut from = 0;
        if base < shard.start {
            other = slice.first().map(|posting| posting.shingle);
        }
        if let Some(shingle) = other {
            from = slice
                .iter()
                .take_while(|posting| posting.shingle == shingle)
                .count();
        }
        match pass.slice(slice, from, base, sink)? {
            NextRead::Slice => base += length,
            NextRead::End => return Ok(pass.seen),
            NextRead::Oversized(group) => {
                pass.read_again(&group, source, sink)?;
                base = group.start + group.size;
                source.seek(base)?;
            }
        }
    }
    if let Some(group) = pass.group.take()
        && !pass.close(&group, sink)?
    {
        pass.read_again(&group, source, sink)?;
    }
    Ok(pass.seen)
}

/// A group, open or complete.
#[derive(Clone, Copy)]
struct PostingGroup {
    shingle: Shingle,
    /// Number of its first posting.
    start: u64,
    size: u64,
    /// The lowest document.
    example: u32,
}

/// The next read.
enum NextRead {
    /// The postings after the slice.
    Slice,
    /// Nothing: all groups of the shard are complete.
    End,
    /// This group once more, which does not fit memory, then the postings after it.
    Oversized(PostingGroup),
}

/// The state of a pass.
struct Pass {
    params: ExpandParams,
    /// Groups from this posting on belong to the next shard.
    end: u64,
    seen: Expansion,
    /// The group that may continue in the next slice.
    group: Option<PostingGroup>,
    /// Its first documents.
    docs: Vec<u32>,
}

impl Pass {
    /// Takes the postings of a slice from `from` on; `base` is the number of the first of the
    /// slice.
    fn slice<K: GroupSink>(
        &mut self,
        slice: &[Posting],
        mut from: usize,
        base: u64,
        sink: &mut K,
    ) -> Result<NextRead, K::Error> {
        let starts_end = usize::try_from(self.end.saturating_sub(base))
            .unwrap_or(usize::MAX)
            .min(slice.len());
        loop {
            if let Some(group) = self.group.take() {
                let group = self.extend(group, slice, &mut from);
                if from == slice.len() {
                    self.group = Some(group);
                    return Ok(NextRead::Slice);
                }
                if !self.close(&group, sink)? {
                    return Ok(NextRead::Oversized(group));
                }
            }
            // Most shingles are in one document only.
            let ones = slice[from..]
                .windows(2)
                .take(starts_end.saturating_sub(from));
            let ones = ones
                .take_while(|two| two[0].shingle != two[1].shingle)
                .count();
            self.seen.postings += ones as u64;
            self.seen.shingles += ones as u64;
            self.seen.single += ones as u64;
            from += ones;
            if from >= starts_end {
                return Ok(if from < slice.len() {
                    NextRead::End
                } else {
                    NextRead::Slice
                });
            }
            let Posting { shingle, doc } = slice[from];
            self.docs.clear();
            self.group = Some(PostingGroup {
                shingle,
                start: base + from as u64,
                size: 0,
                example: doc,
            });
        }
    }

    /// Adds the postings of a slice that belong to a group.
    #[inline]
    fn extend(
        &mut self,
        mut group: PostingGroup,
        slice: &[Posting],
        from: &mut usize,
    ) -> PostingGroup {
        while let Some(posting) = slice
            .get(*from)
            .filter(|posting| posting.shingle == group.shingle)
        {
            if self.docs.len() < self.params.group_documents_max {
                self.docs.push(posting.doc);
            }
            group.size += 1;
            *from += 1;
        }
        group
    }

    /// Counts a complete group and passes it on; false if it has to be read again for that.
    #[inline]
    fn close<K: GroupSink>(
        &mut self,
        group: &PostingGroup,
        sink: &mut K,
    ) -> Result<bool, K::Error> {
        let PostingGroup {
            shingle,
            size,
            example,
            ..
        } = *group;
        self.seen.postings += size;
        self.seen.shingles += 1;
        self.seen.single += u64::from(size == 1);
        let is_complete = size == self.docs.len() as u64;
        if size > self.params.common_limit {
            self.seen.common += 1;
            self.seen.common_postings += size;
            sink.common(shingle, size, example)?;
            for &doc in &self.docs {
                sink.common_of(doc, shingle)?;
            }
            return Ok(is_complete);
        }
        if size == 1 {
            return Ok(true);
        }
        self.seen.increments += size * (size - 1) / 2;
        if is_complete {
            sink.list(&self.docs)?;
        } else {
            self.seen.oversized += 1;
        }
        Ok(is_complete)
    }

    /// Reads a group that does not fit memory again and passes the rest of it on.
    #[cold]
    fn read_again<S, K>(
        &mut self,
        group: &PostingGroup,
        source: &mut S,
        sink: &mut K,
    ) -> Result<(), K::Error>
    where
        S: PostingSource<Error = K::Error>,
        K: GroupSink,
    {
        if group.size > self.params.common_limit {
            let from = self.docs.len() as u64;
            return each_doc(source, group, from, |_, doc| {
                sink.common_of(doc, group.shingle)
            });
        }
        // Nested loop join: one block of documents in memory is paired with all documents from the
        // block on.
        let mut block_start = 0;
        while block_start < group.size {
            let block_end = block_start + self.params.group_documents_max as u64;
            self.docs.clear();
            each_doc(source, group, block_start, |at, doc| {
                for &a in &self.docs {
                    sink.list(&[a, doc])?;
                }
                if at < block_end {
                    self.docs.push(doc);
                }
                Ok(())
            })?;
            block_start = block_end;
        }
        Ok(())
    }
}

/// Reads the documents of a group from its posting `from` on; passes each with its number in the
/// group.
fn each_doc<S, E>(
    source: &mut S,
    group: &PostingGroup,
    from: u64,
    mut take: impl FnMut(u64, u32) -> Result<(), E>,
) -> Result<(), E>
where
    S: PostingSource<Error = E>,
{
    source.seek(group.start + from)?;
    let mut at = from;
    while at < group.size
        && let Some(slice) = source.next_slice()?
    {
        for posting in slice.iter().take((group.size - at) as usize) {
            take(at, posting.doc)?;
            at += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
