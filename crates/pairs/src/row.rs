//! One row of the matrix of pairs: what a document shares with those behind it.
//!
//! *Input.* The places of the lists that name the document, and what documents need. *Output.* The
//! pairs of the row that share what they need, in order. *Algorithm.* The lists are counted in a
//! hash table. Where the document needs n shingles, a pair that occurs only in lists that stand for
//! fewer than n is none: so the longest lists, up to n − 1 of them, are not counted; who occurs in
//! the others is looked for in them, by halving. This is the prefix filter of Chaudhuri, Ganti and
//! Kaushik, *A primitive operator for similarity joins in data cleaning*, 2006, whose suffix are
//! here the most frequent shingles. With a coarser sketch a pair needs fewer, but shares only lists
//! in which there is one: they are added up beside the others, so that a frame that all pages share
//! need not be counted. *Memory.* The counter's. A row with more different documents than it holds
//! is made in pieces, by ranges of `b`.

use crate::Needs;
use crate::counter::Counter;
use crate::held::{COUNT_MAX, level_of};
use crate::lists::{Behind, List};
use model::PairCount;
use std::ops::Range;

/// Documents behind a row, repeats included, that are counted faster than they are thought about.
pub(crate) const SHORT: usize = if cfg!(test) { 4 } else { 64 };

/// What stands behind a document in a list: a part of the words, and behind that how often the list
/// came.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    from: u32,
    /// With [`REPEATED`], if the list came more than once, otherwise nobody has to look; with
    /// [`OF_ROW`], if it is a row.
    to: u32,
}

const REPEATED: u32 = 1 << 31;
const OF_ROW: u32 = 1 << 30;

/// A document found in the hash table takes so much less time than one looked for by halving.
const KNOWN_SPEED: usize = if cfg!(test) { 1 } else { 8 };

impl Place {
    /// Words that places can tell apart.
    pub(crate) const WORDS_MAX: usize = OF_ROW as usize - 1;

    /// Behind the document of a list that lies at `from`; the documents of the list end at `end`.
    #[inline]
    pub(crate) fn new(from: usize, end: usize, list: &List<'_>) -> Place {
        let flags = if list.count & COUNT_MAX > 1 {
            REPEATED
        } else {
            0
        } | if list.is_row() { OF_ROW } else { 0 };
        Place {
            from: from as u32 + 1,
            to: end as u32 | flags,
        }
    }

    fn end(self) -> usize {
        (self.to & !(REPEATED | OF_ROW)) as usize
    }

    fn len(self) -> usize {
        self.end() - self.from as usize
    }

    #[inline]
    fn behind(self, words: &[u32]) -> Behind<'_> {
        let docs = &words[self.from as usize..self.end()];
        let share_words = if self.to & OF_ROW == 0 {
            0
        } else {
            docs.len().div_ceil(4)
        };
        Behind {
            docs,
            count: self.count(words),
            shares: &words[self.end() + 1..][..share_words],
            skipped: 0,
        }
    }

    /// What the documents behind share at most.
    #[inline]
    fn count(self, words: &[u32]) -> u32 {
        if self.to & REPEATED == 0 {
            1
        } else {
            words[self.end()] & COUNT_MAX
        }
    }

    /// The coarsest level of the documents, as far as it is known.
    #[inline]
    fn level(self, words: &[u32]) -> u8 {
        level_of(words[self.end()])
    }

    /// Asks for the first document. The load must happen though nobody wants its value yet; the
    /// processor does not wait for it.
    #[inline]
    pub(crate) fn ask(self, words: &[u32]) {
        std::hint::black_box(words.get(self.from as usize).copied());
    }
}

/// The lower document of a row, the words of all lists, and what pairs need.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) a: u32,
    pub(crate) words: &'a [u32],
    pub(crate) needs: &'a Needs,
}

impl Row<'_> {
    /// Whether the lists stand for as many shingles as the document needs.
    #[inline]
    pub(crate) fn may_reach(&self, places: &[Place]) -> bool {
        let need = self.needs.of(self.a) as usize;
        !places.is_empty() && (places.len() >= need || self.sum(places) as usize >= need)
    }

    /// How many shingles some lists stand for.
    fn sum(&self, places: &[Place]) -> u32 {
        places
            .iter()
            .fold(0, |sum, place| sum.saturating_add(place.count(self.words)))
    }

    /// Gives the pairs of the row; its places may change their order.
    pub(crate) fn count<E>(
        &self,
        places: &mut [Place],
        counter: &mut Counter,
        emit: &mut impl FnMut(PairCount) -> Result<(), E>,
    ) -> Result<(), E> {
        let words = self.words;
        if let [place] = places {
            let mut put = Ok(());
            place.behind(words).each(|b, shared| {
                put = self
                    .kept(b, shared)
                    .map_or(Ok(()), |shared| self.put(b, shared, emit));
                put.is_ok()
            });
            return put;
        }
        let behind = places.iter().map(|place| place.len()).sum();
        let (looked_up, least) = if behind > SHORT {
            self.longest(places)
        } else {
            (0, self.needs.of(self.a))
        };
        let (longest, counted) = places.split_at(looked_up);
        counter.begin(if looked_up == 0 {
            behind
        } else {
            counted.iter().map(|place| place.len()).sum()
        });
        if !counted.iter().all(|place| counter.add(place.behind(words))) {
            counter.forget();
            return self.count_by_halves(places, None, counter, emit);
        }
        // Who came is found among the documents of a list, or these among those: whatever takes
        // less.
        let scanned = longest
            .iter()
            .rev()
            .take_while(|place| place.len() <= KNOWN_SPEED * counter.known())
            .count();
        let (longest, scanned) = longest.split_at(looked_up - scanned);
        scanned
            .iter()
            .for_each(|place| counter.add_to_known(place.behind(words)));
        let open = self.sum(longest);
        let kept = |b, shared| {
            self.kept(
                b,
                if open == 0 {
                    shared
                } else {
                    self.look_up(b, shared, (longest, open))
                },
            )
        };
        counter
            .finish(least, kept)
            .try_for_each(|(b, shared)| self.put(b, shared, emit))
    }

    /// Brings to the front the longest lists that together stand for fewer shingles than any pair
    /// of the row needs; says how many, and what a pair shares at least of the others.
    fn longest(&self, places: &mut [Place]) -> (usize, u32) {
        let (level, own) = self.needs.at_own_level(self.a);
        let has_levels = self.needs.has_levels();
        let coarser = if has_levels {
            self.needs.with_coarser(level)
        } else {
            own
        };
        // What a pair with a sketch that is not coarser needs of the other lists, and with one that
        // is.
        let mut least = (own, coarser);
        if own.min(coarser) <= 1 {
            return (0, own.min(coarser));
        }
        places.sort_unstable_by_key(|place| std::cmp::Reverse(place.len()));
        let fits = |place: &&Place| {
            let count = place.count(self.words);
            let has_coarser = !has_levels || place.level(self.words) > level;
            let left = (
                least.0.saturating_sub(count),
                least.1.saturating_sub(if has_coarser { count } else { 0 }),
            );
            let fits = left.0 > 0 && left.1 > 0;
            least = if fits { left } else { least };
            fits
        };
        let looked_up = places.iter().take_while(fits).count();
        (looked_up, least.0.min(least.1))
    }

    /// Adds to what a pair shares the lists that were not counted, which stand for `open`; fewer if
    /// it stays too little. The shortest come first: the longest name nearly everybody.
    #[inline]
    fn look_up(&self, b: u32, mut shared: u32, (places, mut open): (&[Place], u32)) -> u32 {
        let need = self.needs.of_pair(self.a, b);
        for place in places.iter().rev() {
            if shared.saturating_add(open) < need {
                break;
            }
            open -= place.count(self.words);
            shared = shared.saturating_add(place.behind(self.words).of(b).unwrap_or(0));
        }
        shared
    }

    /// Counts the upper documents of a row that are in a range; by halves of it where there are too
    /// many different ones.
    fn count_by_halves<E>(
        &self,
        places: &[Place],
        upper: Option<Range<u32>>,
        counter: &mut Counter,
        emit: &mut impl FnMut(PairCount) -> Result<(), E>,
    ) -> Result<(), E> {
        let words = self.words;
        counter.begin(places.iter().map(|place| place.len()).sum());
        let fits = places.iter().all(|place| {
            let behind = place.behind(words);
            counter.add(upper.as_ref().map_or(behind, |upper| behind.within(upper)))
        });
        if fits {
            return self.finish(counter, emit);
        }
        counter.forget();
        let last = places
            .iter()
            .filter_map(|place| place.behind(words).docs.last())
            .max();
        let upper = upper.unwrap_or_else(|| self.a..1 + last.copied().unwrap_or(self.a));
        let middle = upper.start + (upper.end - upper.start) / 2;
        self.count_by_halves(places, Some(upper.start..middle), counter, emit)?;
        self.count_by_halves(places, Some(middle..upper.end), counter, emit)
    }

    /// Gives the pairs of a row of which all was counted.
    pub(crate) fn finish<E>(
        &self,
        counter: &mut Counter,
        emit: &mut impl FnMut(PairCount) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut counted = counter.finish(self.needs.of(self.a), |b, shared| self.kept(b, shared));
        counted.try_for_each(|(b, shared)| self.put(b, shared, emit))
    }

    /// What a pair shares, if it is what it needs.
    #[inline]
    fn kept(&self, b: u32, shared: u32) -> Option<u32> {
        (shared >= self.needs.of(self.a) && shared >= self.needs.of_pair(self.a, b))
            .then_some(shared)
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
