//! Counts one row of the matrix of pairs: the shingles that a document shares with higher ones.
//!
//! *Input.* The tails of all lists that contain the document, and minimum overlaps. *Output.* The
//! pairs of the row that reach their minimum overlap, in order. *Algorithm.* The tails are counted
//! in a hash table. *Prefix filter.* A pair must share n shingles, so it cannot lie only in lists
//! worth fewer than n. We therefore skip the longest lists, worth up to n − 1 together, while
//! counting, and look only for candidates found elsewhere in them, by binary search (Chaudhuri,
//! Ganti and Kaushik, *A primitive operator for similarity joins in data cleaning*, 2006; their
//! suffix is here the most frequent shingles). *Adaptive sketches.* A pair with a coarser sketch
//! needs fewer shared shingles, but shares only lists that contain a coarser sketch. Such lists
//! have a skip budget of their own, so that a page frame, which all pages share, need not be
//! counted. *Scan or search.* A skipped list is scanned for the candidates instead, if that takes
//! less time than finding each candidate in it. *Memory.* That of the counter. A row with more
//! different documents than it holds is counted in pieces, by ranges of `b`.

use crate::expansion::MinShared;
use crate::expansion::row_counter::RowCounter;
use crate::expansion::tail_range::TailRange;
use model::PairCount;
use std::ops::Range;

/// A row of so few documents, repeats included, is counted without a prefix filter: counting takes
/// less time than choosing the lists to skip.
pub(crate) const SHORT: usize = if cfg!(test) { 4 } else { 64 };

/// Finding a document in the hash table is so many times faster than by binary search in a list.
const TABLE_SPEED: usize = if cfg!(test) { 1 } else { 8 };

/// A row: its lower document, the words of all lists, and the minimum overlaps.
#[derive(Clone, Copy)]
pub(crate) struct PairRow<'a> {
    pub(crate) a: u32,
    pub(crate) words: &'a [u32],
    pub(crate) min_shared: &'a MinShared,
}

impl PairRow<'_> {
    /// Whether the lists are worth the minimum overlap of the document.
    #[inline]
    pub(crate) fn may_reach(&self, tails: &[TailRange]) -> bool {
        let least = self.min_shared.of(self.a) as usize;
        !tails.is_empty() && (tails.len() >= least || self.worth(tails) as usize >= least)
    }

    /// How many shingles some lists stand for together.
    fn worth(&self, tails: &[TailRange]) -> u32 {
        tails
            .iter()
            .fold(0, |sum, tail| sum.saturating_add(tail.count(self.words)))
    }

    /// Passes the pairs of the row to `emit`; may reorder `tails`.
    pub(crate) fn count<E>(
        &self,
        tails: &mut [TailRange],
        counter: &mut RowCounter,
        emit: &mut impl FnMut(PairCount) -> Result<(), E>,
    ) -> Result<(), E> {
        let words = self.words;
        if let [tail] = tails {
            let mut put = Ok(());
            tail.load(words).each(|b, shared| {
                put = self
                    .kept(b, shared)
                    .map_or(Ok(()), |shared| self.put(b, shared, emit));
                put.is_ok()
            });
            return put;
        }
        let documents = tails.iter().map(|tail| tail.len()).sum();
        let (skipped, least) = if documents > SHORT {
            self.skip_longest(tails)
        } else {
            (0, self.min_shared.of(self.a))
        };
        let (longest, counted) = tails.split_at(skipped);
        counter.begin(if skipped == 0 {
            documents
        } else {
            counted.iter().map(|tail| tail.len()).sum()
        });
        if !counted.iter().all(|tail| counter.add(tail.load(words))) {
            counter.forget();
            return self.count_by_halves(tails, None, counter, emit);
        }
        // Either the candidates are looked up in a skipped list, or its documents in the table of
        // candidates: whichever takes less time.
        let scanned = longest
            .iter()
            .rev()
            .take_while(|tail| tail.len() <= TABLE_SPEED * counter.known())
            .count();
        let (longest, scanned) = longest.split_at(skipped - scanned);
        scanned
            .iter()
            .for_each(|tail| counter.add_to_known(tail.load(words)));
        let open_worth = self.worth(longest);
        let kept = |b, shared| {
            self.kept(
                b,
                if open_worth == 0 {
                    shared
                } else {
                    self.look_up(b, shared, longest, open_worth)
                },
            )
        };
        counter
            .finish(least, kept)
            .try_for_each(|(b, shared)| self.put(b, shared, emit))
    }

    /// Moves the longest lists to the front that are together worth less than the minimum overlap
    /// of any pair of the row. Returns how many these are, and the fewest shingles that a pair must
    /// share in the other lists.
    fn skip_longest(&self, tails: &mut [TailRange]) -> (usize, u32) {
        let (level, own) = self.min_shared.at_own_level(self.a);
        let has_levels = self.min_shared.has_levels();
        let coarser = if has_levels {
            self.min_shared.with_coarser(level)
        } else {
            own
        };
        // The fewest shingles that a pair must share in the other lists: with a sketch that is not
        // coarser, and with one that is.
        let mut least = (own, coarser);
        if own.min(coarser) <= 1 {
            return (0, own.min(coarser));
        }
        tails.sort_unstable_by_key(|tail| std::cmp::Reverse(tail.len()));
        let fits = |tail: &&TailRange| {
            let count = tail.count(self.words);
            let has_coarser = !has_levels || tail.level(self.words) > level;
            let left = (
                least.0.saturating_sub(count),
                least.1.saturating_sub(if has_coarser { count } else { 0 }),
            );
            let fits = left.0 > 0 && left.1 > 0;
            least = if fits { left } else { least };
            fits
        };
        let skipped = tails.iter().take_while(fits).count();
        (skipped, least.0.min(least.1))
    }

    /// Adds the skipped lists, worth `open_worth` together, to the shared shingles of a pair. Stops
    /// as soon as the pair cannot reach its minimum overlap. The shortest list comes first, because
    /// the longest ones contain nearly every document.
    #[inline]
    fn look_up(&self, b: u32, mut shared: u32, tails: &[TailRange], mut open_worth: u32) -> u32 {
        let least = self.min_shared.of_pair(self.a, b);
        for tail in tails.iter().rev() {
            if shared.saturating_add(open_worth) < least {
                break;
            }
            open_worth -= tail.count(self.words);
            shared = shared.saturating_add(tail.load(self.words).of(b).unwrap_or(0));
        }
        shared
    }

    /// Counts the upper documents of a row that are in a range; halves the range if there are too
    /// many different ones.
    fn count_by_halves<E>(
        &self,
        tails: &[TailRange],
        upper: Option<Range<u32>>,
        counter: &mut RowCounter,
        emit: &mut impl FnMut(PairCount) -> Result<(), E>,
    ) -> Result<(), E> {
        let words = self.words;
        counter.begin(tails.iter().map(|tail| tail.len()).sum());
        let fits = tails.iter().all(|tail| {
            let tail = tail.load(words);
            counter.add(upper.as_ref().map_or(tail, |upper| tail.within(upper)))
        });
        if fits {
            return self.finish(counter, emit);
        }
        counter.forget();
        let last = tails
            .iter()
            .filter_map(|tail| tail.load(words).docs.last())
            .max();
        let upper = upper.unwrap_or_else(|| self.a..1 + last.copied().unwrap_or(self.a));
        let middle = upper.start + (upper.end - upper.start) / 2;
        self.count_by_halves(tails, Some(upper.start..middle), counter, emit)?;
        self.count_by_halves(tails, Some(middle..upper.end), counter, emit)
    }

    /// Passes on the pairs of a row whose lists were all counted.
    pub(crate) fn finish<E>(
        &self,
        counter: &mut RowCounter,
        emit: &mut impl FnMut(PairCount) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut counted =
            counter.finish(self.min_shared.of(self.a), |b, shared| self.kept(b, shared));
        counted.try_for_each(|(b, shared)| self.put(b, shared, emit))
    }

    /// The shared shingles of a pair, if they reach its minimum overlap.
    #[inline]
    fn kept(&self, b: u32, shared: u32) -> Option<u32> {
        let pair = PairCount {
            a: self.a,
            b,
            shared,
        };
        self.min_shared.keeps(&pair).then_some(shared)
    }

    #[inline]
    fn put<E>(
        &self,
        b: u32,
        shared: u32,
        emit: &mut impl FnMut(PairCount) -> Result<(), E>,
    ) -> Result<(), E> {
        emit(PairCount {
            a: self.a,
            b,
            shared,
        })
    }
}
