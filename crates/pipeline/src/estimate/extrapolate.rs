//! From a sample to the counts of a run.
//!
//! *Input.* A [`Sample`] and the limits of pairs and links. *Output.* [`Counts`]. *Algorithm.* What
//! is a sum over documents is scaled by the share that was looked at. Every class of equal
//! documents met stands for a number of classes, its weight: one that was met several times for
//! itself, one that was met once for its part of the others there are ([`unseen`](super::unseen)).
//! Two representatives of different slots stand for the product of their weights, as they were met
//! together by chance, two of one slot for its root. A shingle is common if the weights of its
//! documents are over the limit. Of links, and of pairs above a floor, it is not known whether they
//! join pages with many copies, for which these weights are right, or with none, each of which was
//! met like any document: they get the middle of both. *Memory.* [`PAIRS_HELD`] pairs beside the
//! sample: when there are more, those are kept whose hash has another zero at its end. *Limits.*
//! The fewer of its documents are met, the less is known of a shingle just under or over the limit.

use super::Counts;
use super::clock;
use super::sample::Sample;
use super::sink::Sampled;
use super::unseen::Meetings;
use super::windows::mix;
use cluster::LinkPolicy;
use model::{Overlap, Sampling, SizeLadder, Threshold};

/// Pairs held at a time.
const PAIRS_HELD: usize = 1 << 18;

/// Pairs looked at; beyond, those of the shingles left are taken to be like the others.
const PAIRS_LOOKED_AT: u64 = 4_000_000;

/// A sort of fewer postings says nothing about the machine.
const TIMED_POSTINGS_MIN: usize = 20_000;

/// What decides pairs and links.
pub(super) struct Limits {
    pub(super) common: u64,
    pub(super) sampling: Sampling,
    pub(super) policy: LinkPolicy,
    /// Pairs of a lower resemblance are not counted.
    pub(super) floor: Option<Threshold>,
}

/// The counts, and how long sorting took.
pub(super) struct Extrapolation {
    pub(super) counts: Counts,
    /// CPU nanoseconds of sorting for a posting and a doubling of their number; `None` if there
    /// were too few.
    pub(super) sort_ns: Option<f64>,
}

/// Scales what was met to all there is.
pub(super) fn extrapolate(sample: Sample, limits: &Limits) -> Extrapolation {
    let Sample {
        share,
        documents,
        mut postings,
        sums,
        ..
    } = sample;
    let (weights, representatives) = weights(&documents, share);
    let weight = |doc: u32| weights[doc as usize];
    postings.retain(|&(_, doc)| weight(doc) > 0.0);
    let began = clock::thread_cpu_ns();
    postings.sort_unstable();
    let sorting = clock::thread_cpu_ns().saturating_sub(began) as f64;
    let doublings = (postings.len().max(2) as f64).log2();
    let sort_ns =
        (postings.len() >= TIMED_POSTINGS_MIN).then(|| sorting / postings.len() as f64 / doublings);
    let mut pairs = Pairs::new((&documents, &weights), share, limits);
    for group in postings.chunk_by(|a, b| a.0 == b.0) {
        let frequency: f64 = group.iter().map(|&(_, doc)| weight(doc)).sum();
        if frequency <= limits.common as f64 {
            pairs.group(group);
        }
    }
    let figures = pairs.finish();
    let of_documents = |n: u64| (n as f64 / share).round() as u64;
    let counts = Counts {
        documents: of_documents(sums.documents),
        rejected: of_documents(sums.rejected),
        body_bytes: of_documents(sums.body_bytes),
        row_bytes: of_documents(sums.row_bytes),
        sampled: of_documents(sums.sampled),
        representatives: representatives.round() as u64,
        postings: postings
            .iter()
            .map(|&(_, doc)| weight(doc))
            .sum::<f64>()
            .round() as u64,
        increments: figures.increments.round() as u64,
        pairs: figures.pairs.round() as u64,
        links: figures.links.round() as u64,
    };
    Extrapolation { counts, sort_ns }
}

/// How many classes each document stands for, 0 if another one stands for its own; and how many
/// classes there are.
fn weights(documents: &[Sampled], share: f64) -> (Vec<f64>, f64) {
    let mut by_key: Vec<(u128, u32)> = (0_u32..)
        .zip(documents)
        .map(|(doc, sampled)| (sampled.key, doc))
        .collect();
    by_key.sort_unstable();
    let mut meetings = Meetings::default();
    let mut once = 0_u64;
    for class in by_key.chunk_by(|a, b| a.0 == b.0) {
        meetings.add(class.len() as u64);
        once += u64::from(class.len() == 1);
    }
    let all = meetings
        .different_in_all(share)
        .min(documents.len() as f64 / share);
    let of_once = (all - (meetings.different() - once) as f64) / once.max(1) as f64;
    let mut weights = vec![0.0; documents.len()];
    for class in by_key.chunk_by(|a, b| a.0 == b.0) {
        weights[class[0].1 as usize] = if class.len() == 1 {
            of_once.max(1.0)
        } else {
            1.0
        };
    }
    (weights, all)
}

/// Counts of pairs, scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Figures {
    increments: f64,
    pairs: f64,
    links: f64,
}

struct Pairs<'a> {
    documents: &'a [Sampled],
    weights: &'a [f64],
    share: f64,
    limits: &'a Limits,
    increments: f64,
    looked_at: u64,
    /// Pairs whose hash ends in `level` zeros; sorted and freed of repeats when there are too many.
    held: Vec<(u32, u32, u32)>,
    level: u32,
}

impl<'a> Pairs<'a> {
    fn new(
        (documents, weights): (&'a [Sampled], &'a [f64]),
        share: f64,
        limits: &'a Limits,
    ) -> Pairs<'a> {
        Pairs {
            documents,
            weights,
            share,
            limits,
            increments: 0.0,
            looked_at: 0,
            held: Vec::new(),
            level: 0,
        }
    }

    /// The documents of one shingle.
    fn group(&mut self, postings: &[(u64, u32)]) {
        let slot = |&(_, doc): &(u64, u32)| self.documents[doc as usize].slot;
        let weight = |&(_, doc): &(u64, u32)| self.weights[doc as usize];
        // Sums of products over pairs, by the squares of sums.
        let (mut total, mut of_slots, mut within) = (0.0, 0.0, 0.0);
        // Documents have the order of their slots.
        for of_slot in postings.chunk_by(|a, b| slot(a) == slot(b)) {
            let sum: f64 = of_slot.iter().map(weight).sum();
            let roots: f64 = of_slot.iter().map(|posting| weight(posting).sqrt()).sum();
            total += sum;
            of_slots += sum * sum;
            within += (roots * roots - sum) / 2.0;
        }
        self.increments += within + (total * total - of_slots) / 2.0;
        if self.looked_at > PAIRS_LOOKED_AT {
            return;
        }
        self.looked_at += postings.len() as u64 * (postings.len() as u64 - 1) / 2;
        for (at, &(_, a)) in postings.iter().enumerate() {
            for &(_, b) in &postings[at + 1..] {
                if hash(a, b).trailing_zeros() >= self.level {
                    self.held.push((a, b, 1));
                }
            }
            if self.held.len() >= PAIRS_HELD {
                self.condense();
            }
        }
    }

    /// Adds up repeats; then keeps fewer pairs if there are still too many.
    fn condense(&mut self) {
        self.held.sort_unstable();
        self.held.dedup_by(|next, into| {
            let is_same = (next.0, next.1) == (into.0, into.1);
            if is_same {
                into.2 = into.2.saturating_add(next.2);
            }
            is_same
        });
        while self.held.len() >= PAIRS_HELD / 2 {
            self.level += 1;
            let level = self.level;
            self.held
                .retain(|&(a, b, _)| hash(a, b).trailing_zeros() >= level);
        }
    }

    fn finish(mut self) -> Figures {
        self.condense();
        let mut seen = Figures::default();
        for &(a, b, shared) in &self.held {
            let (first, second) = (&self.documents[a as usize], &self.documents[b as usize]);
            let product = self.weights[a as usize] * self.weights[b as usize];
            // As many pairs of classes as this one stands for, and of documents.
            let (classes, documents) = if first.slot == second.slot {
                (product.sqrt(), 1.0 / self.share)
            } else {
                (product, 1.0 / (self.share * self.share))
            };
            seen.increments += classes * f64::from(shared);
            match self.limits.floor {
                None => seen.pairs += classes,
                // What is left above a floor is as links are.
                Some(floor) if shared >= pairs::needed(floor, &first.ladder, &second.ladder) => {
                    seen.pairs += (classes * documents).sqrt();
                }
                Some(_) => {}
            }
            let Some(overlap) = self.overlap(&first.ladder, &second.ladder, shared) else {
                continue;
            };
            if self.limits.policy.judge(&overlap).is_some() {
                seen.links += (classes * documents).sqrt();
            }
        }
        // Of very many pairs only the first were looked at.
        let factor = if self.looked_at > PAIRS_LOOKED_AT && seen.increments > 0.0 {
            self.increments / seen.increments
        } else {
            f64::from(self.level).exp2()
        };
        Figures {
            increments: self.increments,
            pairs: seen.pairs * factor,
            links: seen.links * factor,
        }
    }

    fn overlap(&self, a: &SizeLadder, b: &SizeLadder, shared: u32) -> Option<Overlap> {
        let (level, size_a, size_b) = a.common_level(b)?;
        Some(Overlap {
            shared,
            size_a,
            size_b,
            modulus: self.limits.sampling.modulus_at(level),
        })
    }
}

/// A hash of a pair.
fn hash(a: u32, b: u32) -> u64 {
    mix((u64::from(a) << 32 | u64::from(b)).wrapping_add(0x9E37_79B9_7F4A_7C15))
}
