//! Samples fingerprints: by a fixed modulus, by the smallest power of two that leaves few enough,
//! the smallest ones, or their min-hashes.
//!
//! The first three are MOD_m, V_i and MIN_s of Broder, *On the resemblance and containment of
//! documents* (1997).
//! The adaptive level of a document is the smallest i ≤ coarsest with at most `target` distinct
//! multiples of 2^i. It is found in one pass: the level only rises, and it rises only when more
//! than `target` distinct candidates were seen at the present one, which all the candidates
//! together then exceed too. So raising early never overshoots.
//!
//! Memory: candidates wait in one list that is sorted and freed of repeats whenever it is full, so
//! a page that repeats one sampled shingle a million times costs nothing. The list is twice as long
//! as its distinct content, at least [`LIST_LENGTH_MIN`] (adaptive: 4 · target + 64, if the
//! document has as many shingles). With a [`SampleWindow`], only the highest fingerprints up to a
//! limit are kept, so a set that is larger than the memory is made in pieces. MIN_s is a window of
//! the lowest: it stands in for the heap of the paper, as a list that is sorted when it has twice
//! as many as it keeps.

use crate::cpu::Cpu;
use crate::dispatch;
use crate::divisor::Divisor;
use crate::isa::{HotLoop, Isa};
use crate::minhash::MinHasher;
use model::Sampling;

/// Candidates that are always collected before repeats are taken out.
pub(crate) const LIST_LENGTH_MIN: usize = 4096;

/// Candidates for which there is room from one document to the next, at most: 1 MiB.
const LIST_LENGTH_HELD: usize = 1 << 17;

/// Fingerprints that are appended before the list is looked at again.
const APPENDED_AT_ONCE: usize = 64;

/// The sample of one document, in the making and ready. Reused from document to document.
pub(crate) struct Sampler {
    rule: Sampling,
    divisor: Divisor,
    level: u8,
    kept: Vec<u64>,
    /// The sum of all fingerprints offered, repeats included, modulo 2^64.
    sum: u64,
    /// Length at which repeats are taken out next.
    full: usize,
    /// The part of a set that is kept, if it is made in pieces.
    window: Option<SampleWindow>,
    /// Takes what waits in the list, if the rule is that of min-hashes.
    minima: MinHasher,
    /// Whether any fingerprint was offered, if so.
    has_minima: bool,
}

/// The part of a set that one pass over the document keeps: the `most` highest fingerprints up to
/// `highest`, or the `most` lowest ones, of which `highest` is the last.
#[derive(Clone, Copy, Debug)]
struct SampleWindow {
    /// Fingerprints below this one are not among the `most` highest.
    lowest: u64,
    highest: u64,
    most: usize,
}

impl Sampler {
    /// `key` is that of the permutations of min-hashes, `cpu` says in which form they are computed.
    pub(crate) fn new(rule: Sampling, key: u64, cpu: Cpu) -> Sampler {
        let mut sampler = Sampler {
            rule,
            divisor: Divisor::new(1),
            level: 0,
            kept: Vec::new(),
            sum: 0,
            full: 0,
            window: None,
            minima: MinHasher::new(rule, key, cpu),
            has_minima: false,
        };
        sampler.clear();
        sampler
    }

    /// Makes ready for the next document.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
        self.sum = 0;
        self.kept
            .shrink_to((2 * least_full(self.rule)).min(LIST_LENGTH_HELD));
        self.full = least_full(self.rule);
        self.window = None;
        self.minima.clear();
        self.has_minima = false;
        self.set_level(0);
    }

    /// Keeps only the `most` highest fingerprints up to `highest` of the next document. For modulus
    /// 1.
    pub(crate) fn keep_highest(&mut self, most: usize, highest: u64) {
        self.window = Some(SampleWindow {
            lowest: 0,
            highest,
            most: most.max(1),
        });
    }

    /// Takes the fingerprint if the present level keeps it.
    #[inline]
    pub(crate) fn offer(&mut self, fingerprint: u64) {
        self.sum = self.sum.wrapping_add(fingerprint);
        if self.divisor.divides(fingerprint) && self.is_in_window(fingerprint) {
            self.kept.push(fingerprint);
            if self.kept.len() >= self.full {
                self.condense();
            }
        }
    }

    #[inline]
    fn is_in_window(&self, fingerprint: u64) -> bool {
        self.window
            .is_none_or(|window| (window.lowest..=window.highest).contains(&fingerprint))
    }

    /// Takes the fingerprints that the present level keeps.
    pub(crate) fn offer_all(&mut self, cpu: Cpu, fingerprints: &[u64]) {
        let sum = fingerprints
            .iter()
            .fold(0, |sum: u64, one| sum.wrapping_add(*one));
        self.sum = self.sum.wrapping_add(sum);
        let mut from = 0;
        while from < fingerprints.len() {
            from += self.offer_some(cpu, &fingerprints[from..]);
        }
    }

    /// Takes some of them, and says how many.
    fn offer_some(&mut self, cpu: Cpu, fingerprints: &[u64]) -> usize {
        let part = &fingerprints[..fingerprints.len().min(APPENDED_AT_ONCE)];
        let before = self.kept.len();
        self.kept.resize(before + part.len(), 0);
        let count = dispatch::run(
            cpu.level(),
            Multiples {
                of: part,
                divisor: self.divisor,
                room: &mut self.kept[before..],
            },
        );
        self.kept.truncate(before + count);
        if let Some(SampleWindow {
            lowest, highest, ..
        }) = self.window
            && (lowest, highest) != (0, u64::MAX)
        {
            let inside = in_range_first(&mut self.kept[before..], lowest, highest);
            self.kept.truncate(before + inside);
        }
        if self.kept.len() >= self.full {
            self.condense();
        }
        part.len()
    }

    /// Level and sorted, distinct fingerprints of everything offered since [`Sampler::clear`].
    pub(crate) fn finish(&mut self) -> (u8, &[u64]) {
        self.condense();
        if self.has_minima {
            self.kept.extend(self.minima.elements());
        }
        (self.level, &self.kept)
    }

    /// The fingerprints of the window, and whether lower ones were left out.
    pub(crate) fn finish_window(&mut self) -> (&[u64], bool) {
        self.condense();
        let left_some_out = self.window.is_some_and(|window| window.lowest > 0);
        (&self.kept, left_some_out)
    }

    /// The sum of all fingerprints offered since [`Sampler::clear`], repeats included, modulo 2^64.
    /// Fingerprints are keyed, so different collections have different sums, except with a
    /// probability of 2^-64.
    pub(crate) fn sum(&self) -> u64 {
        self.sum
    }

    /// Fingerprints there is room for.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.kept.capacity()
    }

    /// Takes out repeats, and raises the level as far as what was seen demands.
    fn condense(&mut self) {
        match self.rule {
            Sampling::Modulus { .. } => {
                let distinct = sort_and_dedup(&mut self.kept);
                self.kept.truncate(distinct);
                self.narrow();
            }
            Sampling::Min { size, .. } => {
                let most = size.max(1) as usize;
                let distinct = sort_and_dedup(&mut self.kept);
                self.kept.truncate(distinct.min(most));
                self.window = self.kept.get(most - 1).map(|highest| SampleWindow {
                    lowest: 0,
                    highest: *highest,
                    most,
                });
            }
            Sampling::MinHash { .. } => {
                self.has_minima |= !self.kept.is_empty();
                self.minima.lower(&self.kept);
                self.kept.clear();
            }
            Sampling::Adaptive {
                target,
                coarsest_log2,
            } => self.adapt(target as usize, coarsest_log2.min(63)),
        }
        self.full = (2 * self.kept.len()).max(least_full(self.rule));
        if let Some(SampleWindow { most, .. }) = self.window {
            self.full = self.full.min(2 * most);
        }
        // exact: a list of half a document's tokens must not double by itself; but one that is
        // far from full may stay so, however large the target is
        let due = self.full.min((2 * self.kept.len()).max(LIST_LENGTH_MIN));
        self.kept
            .reserve_exact(due + APPENDED_AT_ONCE - self.kept.len());
    }

    /// Drops the lowest fingerprints if there are more than the window keeps.
    fn narrow(&mut self) {
        let Some(window) = &mut self.window else {
            return;
        };
        let surplus = self.kept.len().saturating_sub(window.most);
        if surplus > 0 {
            self.kept.copy_within(surplus.., 0);
            self.kept.truncate(window.most);
            window.lowest = self.kept.first().copied().unwrap_or(0);
        }
    }

    /// Of most lists only the multiples of the level they end at, or of half of it, are sorted: if
    /// those are too many, so are those of every lower level.
    fn adapt(&mut self, target: usize, coarsest: u8) {
        let mut guess = self.level;
        let mut expected = self.kept.len();
        while expected > 2 * target && guess < coarsest {
            (guess, expected) = (guess + 1, expected / 2);
        }
        loop {
            let count = if guess == self.level {
                self.kept.len()
            } else {
                multiples_first(
                    &mut self.kept,
                    Divisor::new(self.rule.modulus_at(usize::from(guess))),
                )
            };
            let distinct = sort_and_dedup(&mut self.kept[..count]);
            if distinct > target || guess == self.level {
                self.kept.truncate(distinct);
                break;
            }
            // repeats are gone, and the rest is still needed
            self.kept.copy_within(count.., distinct);
            self.kept.truncate(self.kept.len() - (count - distinct));
            guess -= 1;
        }
        self.set_level(guess);
        while self.kept.len() > target && self.level < coarsest {
            self.set_level(self.level + 1);
            let divisor = self.divisor;
            self.kept
                .retain(|&fingerprint| divisor.divides(fingerprint));
        }
    }

    fn set_level(&mut self, level: u8) {
        self.level = level;
        self.divisor = Divisor::new(self.rule.modulus_at(usize::from(level)));
    }
}

/// The task of bringing the multiples among some values to the front of `room`, which has place for
/// all. Gives how many they are.
struct Multiples<'a> {
    of: &'a [u64],
    divisor: Divisor,
    room: &'a mut [u64],
}

impl HotLoop for Multiples<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self, isa: impl Isa) -> usize {
        let (eights, rest) = self.of.as_chunks::<8>();
        let mut count = 0;
        for eight in eights {
            if let Some(room) = self
                .room
                .get_mut(count..)
                .and_then(|room| room.first_chunk_mut())
            {
                count += isa.multiples(eight, self.divisor, room);
            }
        }
        count
            + Multiples {
                of: rest,
                divisor: self.divisor,
                room: &mut self.room[count..],
            }
            .run_portable()
    }

    #[inline(always)]
    fn run_portable(self) -> usize {
        let mut count = 0;
        for &value in self.of {
            // written in any case and counted if kept: no branch on what chance decides
            if let Some(next) = self.room.get_mut(count) {
                *next = value;
            }
            count += usize::from(self.divisor.divides(value));
        }
        count
    }
}

/// Brings the values from `lowest` to `highest` to the front, in order, and counts them.
fn in_range_first(list: &mut [u64], lowest: u64, highest: u64) -> usize {
    let mut count = 0;
    for at in 0..list.len() {
        let value = list[at];
        list[count] = value;
        count += usize::from((lowest..=highest).contains(&value));
    }
    count
}

/// Brings the multiples to the front, in any order, and counts them.
fn multiples_first(list: &mut [u64], divisor: Divisor) -> usize {
    let mut count = 0;
    for at in 0..list.len() {
        let value = list[at];
        list.swap(at, count);
        count += usize::from(divisor.divides(value));
    }
    count
}

/// Sorts, and brings one of each value to the front. Returns how many; what is behind them is of no
/// use.
fn sort_and_dedup(list: &mut [u64]) -> usize {
    list.sort_unstable();
    let Some(&first) = list.first() else { return 0 };
    let (mut last, mut count) = (first, 1);
    for at in 1..list.len() {
        let value = list[at];
        list[count] = value;
        count += usize::from(value != last);
        last = value;
    }
    count
}

/// List length at which repeats are first taken out.
pub(crate) fn least_full(rule: Sampling) -> usize {
    match rule {
        Sampling::Modulus { .. } | Sampling::Min { .. } | Sampling::MinHash { .. } => {
            LIST_LENGTH_MIN
        }
        Sampling::Adaptive { target, .. } => (target as usize)
            .saturating_mul(4)
            .saturating_add(64)
            .max(LIST_LENGTH_MIN),
    }
}

#[cfg(test)]
mod tests;
