//! A buffer sorted in as many chunks as there are threads, and read as one sequence.
//!
//! Each thread sorts its own chunk with the standard library's sort, which is faster than a parallel sort of the whole, and
//! the chunks are merged on the way out, where the records are copied in any case.

use crate::Combine;
use crate::combine::combine_sorted;
use crate::loser_tree::LoserTree;
use model::Record;
use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSliceMut;

/// Below this, two threads sort no faster than one.
const CHUNK_RECORDS_MIN: usize = 1 << 15;

/// Sorted chunks of one buffer, equal records of a chunk combined.
pub(crate) struct SortedChunks<R> {
    records: Vec<R>,
    /// Next and last-but-one record of each chunk.
    chunks: Vec<(usize, usize)>,
    tree: LoserTree<R>,
}

impl<R: Record> SortedChunks<R> {
    /// Sorts a buffer.
    pub(crate) fn sort<C: Combine<R>>(mut records: Vec<R>, combine: &C) -> SortedChunks<R> {
        let threads = rayon::current_num_threads().min(records.len() / CHUNK_RECORDS_MIN).max(1);
        let length = records.len().div_ceil(threads).max(1);
        let kept: Vec<usize> = if threads == 1 {
            records.sort_unstable();
            vec![combine_sorted(&mut records, combine)]
        } else {
            let sort = |chunk: &mut [R]| {
                chunk.sort_unstable();
                combine_sorted(chunk, combine)
            };
            records.par_chunks_mut(length).map(sort).collect()
        };
        // What combining left is moved together, so that the rest of the buffer is free again.
        let mut chunks = Vec::with_capacity(kept.len());
        let mut end = 0;
        for (index, kept) in kept.into_iter().enumerate() {
            let start = index * length;
            records.copy_within(start..start + kept, end);
            chunks.push((end, end + kept));
            end += kept;
        }
        records.truncate(end);
        let heads = chunks.iter().map(|&(next, end)| (next < end).then(|| records[next])).collect();
        SortedChunks { records, chunks, tree: LoserTree::new(heads) }
    }

    /// Records in all chunks.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// The buffer, in no particular order.
    pub(crate) fn into_records(self) -> Vec<R> {
        self.records
    }

    /// The next record, equal ones of different chunks combined.
    #[inline]
    pub(crate) fn next<C: Combine<R>>(&mut self, combine: &C) -> Option<R> {
        if let [(next, end)] = self.chunks.as_mut_slice() {
            let record = (*next < *end).then(|| self.records[*next]);
            *next += 1;
            return record;
        }
        let mut record = self.pop()?;
        while let Some((_, head)) = self.tree.winner() {
            if !combine.absorb(&mut record, &head) {
                break;
            }
            self.pop();
        }
        Some(record)
    }

    #[inline]
    fn pop(&mut self) -> Option<R> {
        let (chunk, record) = self.tree.winner()?;
        let (next, end) = &mut self.chunks[chunk];
        *next += 1;
        let head = (*next < *end).then(|| self.records[*next]);
        self.tree.replace_winner(head);
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Keep, SumShared};
    use model::PairCount;

    #[test]
    fn several_threads_give_what_one_gives() {
        let mut state = 9_u64;
        let pairs: Vec<PairCount> = (0..4 * CHUNK_RECORDS_MIN)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                PairCount { a: (state >> 56) as u32, b: (state >> 48) as u32 & 0xFF, shared: 1 }
            })
            .collect();
        let drain = |threads: usize, sum: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut out = Vec::new();
                if sum {
                    let mut chunks = SortedChunks::sort(pairs.clone(), &SumShared);
                    std::iter::from_fn(|| chunks.next(&SumShared)).for_each(|pair| out.push(pair));
                } else {
                    let mut chunks = SortedChunks::sort(pairs.clone(), &Keep);
                    std::iter::from_fn(|| chunks.next(&Keep)).for_each(|pair| out.push(pair));
                }
                out
            })
        };
        for sum in [true, false] {
            assert_eq!(drain(1, sum), drain(3, sum));
            assert_eq!(drain(1, sum).iter().map(|pair| pair.shared as usize).sum::<usize>(), pairs.len());
        }
    }
}
