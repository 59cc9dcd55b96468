//! Documents like this one: sketches looked up in the postings.
//!
//! *Input.* The sketches of some documents, known or not, and an open [`Index`]. *Output.* For each
//! of them the representatives that resemble it most, or contain it, or are contained in it.
//! *Algorithm.* *Syntactic Clustering of the Web*, "Query support", resemblance on the fly. The
//! shingles of all sketches are sorted and looked up in the postings in that order, each once. The
//! postings found are sorted by document, counted, and joined with the sketch sizes. The estimate
//! of each pair is the one that phase `cluster` makes: at the coarser of the two moduli; or
//! by both sketches, if they have a fixed size. *Memory.* The sketches, and 48
//! bytes for each pair of documents that share a shingle. If there are more such pairs than fit,
//! each half of the sketches is looked up by itself; for a single sketch each half of the
//! documents. *Disk.* Each block of the postings is
//! read once a pass. *Limits.* A document whose sketch is empty resembles nothing.

use super::best::{BestDocuments, SimilarDocument};
use super::containing::ContainingDocuments;
use crate::index::{Index, StoredSketch};
use format::{FormatError, RowCursor};
use model::{Overlap, Ratio, Sampling, SizesByLevel, Threshold};
use serde::Serialize;
use std::ops::Range;

/// Which documents are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LikeWanted {
    /// Documents that resemble it.
    Like,
    /// Documents it is contained in.
    Within,
    /// Documents contained in it.
    Contains,
}

/// A request: the relation that is wanted, and bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// Which documents.
    pub(super) wanted: LikeWanted,
    /// How many of each at most.
    pub(super) limit: usize,
    /// The estimate they must reach.
    pub(super) least: Option<Threshold>,
    /// The share of the sketch that a document must contain to be counted as containing it.
    pub(super) count: Option<Threshold>,
    /// Bytes for the counts of shared shingles.
    pub(super) memory_bytes: usize,
}

/// The answer for one sketch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProbeAnswer {
    /// Best first.
    pub(super) found: Vec<SimilarDocument>,
    /// Representatives that reach the least estimate, shown or not.
    pub(super) total: u64,
    /// The documents that contain it, if they are to be counted.
    pub(super) containing: Option<ContainingDocuments>,
}

impl LikeWanted {
    /// The estimate that ranks.
    pub(super) fn ratio(self, overlap: &Overlap) -> Ratio {
        match self {
            LikeWanted::Like => overlap.shared_of_union(),
            LikeWanted::Within => overlap.share_of(overlap.size_a),
            LikeWanted::Contains => overlap.share_of(overlap.size_b),
        }
    }
}

/// Finds the documents like each of these.
pub(super) fn like(
    index: &Index,
    probes: &[StoredSketch],
    search: &Search,
) -> Result<Vec<ProbeAnswer>, FormatError> {
    let mut answers = Vec::with_capacity(probes.len());
    let mut waiting = Vec::from([Range {
        start: 0,
        end: probes.len(),
    }]);
    'probes: while let Some(range) = waiting.pop() {
        let mut pass = PostingsPass::new(index, &probes[range.clone()], search);
        let mut parts = Vec::from([Range {
            start: 0,
            end: u64::from(index.documents()),
        }]);
        while let Some(docs) = parts.pop() {
            if pass.run(docs.clone())? {
                continue;
            }
            // Too much at once: the second half of the sketches waits, of a single one the second
            // half of the documents.
            if range.len() > 1 {
                let middle = range.start + range.len() / 2;
                waiting.extend([middle..range.end, range.start..middle]);
                continue 'probes;
            }
            let middle = docs.start + (docs.end - docs.start) / 2;
            parts.extend([middle..docs.end, docs.start..middle]);
        }
        answers.extend(pass.finish());
    }
    Ok(answers)
}

/// One way through the postings.
struct PostingsPass<'a> {
    index: &'a Index,
    sampling: Sampling,
    search: &'a Search,
    probes: &'a [StoredSketch],
    /// ⟨shingle, sketch⟩ in order.
    shingles: Vec<(u64, u32)>,
    /// Sizes of each sketch.
    sizes: Vec<SizesByLevel>,
    best: Vec<BestDocuments>,
}

impl<'a> PostingsPass<'a> {
    fn new(index: &'a Index, probes: &'a [StoredSketch], search: &'a Search) -> PostingsPass<'a> {
        let numbered = (0_u32..).zip(probes);
        let mut shingles: Vec<(u64, u32)> = numbered
            .flat_map(|(number, probe)| {
                let mut keys = probe.fingerprints.clone();
                index.key_rule().replace(index.sampling(), &mut keys);
                keys.into_iter().map(move |key| (key, number))
            })
            .collect();
        shingles.sort_unstable();
        let best = probes
            .iter()
            .map(|_| BestDocuments::of(search.limit))
            .collect();
        PostingsPass {
            index,
            sampling: index.sampling(),
            search,
            probes,
            shingles,
            sizes: Vec::new(),
            best,
        }
    }

    /// Looks at documents in this range; false, and nothing changed, if there are too many pairs to
    /// count.
    fn run(&mut self, docs: Range<u64>) -> Result<bool, FormatError> {
        let sampling = self.sampling;
        let sizes =
            |probe: &StoredSketch| sampling.sizes_by_level(probe.level, &probe.fingerprints);
        self.sizes = self.probes.iter().map(sizes).collect();
        // a single document is always counted
        let room = if docs.end - docs.start > 1 {
            self.search.memory_bytes / 48
        } else {
            usize::MAX
        };
        let mut counts = ShingleCounts {
            room: room.max(16),
            counts: Vec::new(),
            added_up: 0,
        };
        for same in self.shingles.chunk_by(|one, next| one.0 == next.0) {
            let Some(&(shingle, _)) = same.first() else {
                continue;
            };
            let postings = self.index.postings(shingle)?;
            for posting in postings.iter() {
                let doc = posting?.doc;
                if docs.contains(&u64::from(doc)) {
                    for &(_, probe) in same {
                        if !counts.add(doc, probe) {
                            return Ok(false);
                        }
                    }
                }
            }
        }
        if !counts.condense() {
            return Ok(false);
        }
        self.judge(&counts.counts)?;
        Ok(true)
    }

    /// Counts, by document and sketch, become estimates.
    fn judge(&mut self, counts: &[(u64, u32)]) -> Result<(), FormatError> {
        let mut cursor = RowCursor::default();
        for same in counts.chunk_by(|one, next| one.0 >> 32 == next.0 >> 32) {
            let Some(doc) = same
                .first()
                .and_then(|(key, _)| u32::try_from(key >> 32).ok())
            else {
                continue;
            };
            let sizes = self.index.sizes_near(&mut cursor, doc)?;
            for &(key, shared) in same {
                let probe = (key & 0xFFFF_FFFF) as usize;
                if shared < self.index.key_rule().least() {
                    continue;
                }
                if let Some(overlap) = self.compared(probe, doc)? {
                    self.offer(probe, SimilarDocument { doc, overlap });
                    continue;
                }
                let Some(common) = self.sizes[probe].common_level(&sizes) else {
                    continue;
                };
                let overlap = Overlap {
                    shared,
                    size_a: common.size_a,
                    size_b: common.size_b,
                    modulus: self.sampling.modulus_at(common.level),
                };
                if let Some(least) = self.search.count {
                    let containing = &mut self.best[probe].containing;
                    containing.add(self.index, doc, &overlap, least)?;
                }
                self.offer(probe, SimilarDocument { doc, overlap });
            }
        }
        Ok(())
    }

    /// Takes a document for the answer of a sketch if it reaches the bound.
    fn offer(&mut self, probe: usize, found: SimilarDocument) {
        let ratio = self.search.wanted.ratio(&found.overlap);
        if self
            .search
            .least
            .is_none_or(|least| least.reached_by(ratio))
        {
            self.best[probe].offer(ratio, found);
        }
    }

    /// The overlap of a sketch of a fixed size with that of a document.
    fn compared(&self, probe: usize, doc: u32) -> Result<Option<Overlap>, FormatError> {
        if !self.sampling.has_fixed_size() {
            return Ok(None);
        }
        let sketch = self.index.sketch(doc)?;
        let own = &self.probes[probe].fingerprints;
        Ok(self.sampling.compare_fixed(own, &sketch.fingerprints))
    }

    fn finish(self) -> Vec<ProbeAnswer> {
        let answers = self.best.into_iter().zip(self.sizes);
        let (sampling, search) = (self.sampling, self.search);
        answers
            .map(|(best, sizes)| ProbeAnswer {
                containing: search
                    .count
                    .map(|share| best.containing.answer(share, sampling, &sizes)),
                total: best.total,
                found: best.ranked(),
            })
            .collect()
    }
}

/// Pairs of a document and a sketch that share something, and how much.
struct ShingleCounts {
    room: usize,
    /// ⟨document and sketch, shared⟩.
    counts: Vec<(u64, u32)>,
    /// The first of them are in order, each pair once; the others are one for each shared shingle.
    added_up: usize,
}

impl ShingleCounts {
    /// False if there is no room for more.
    fn add(&mut self, doc: u32, probe: u32) -> bool {
        let waiting = self.counts.len() - self.added_up;
        if waiting >= self.room.min(1 << 22) && !self.condense() {
            return false;
        }
        self.counts
            .push((u64::from(doc) << 32 | u64::from(probe), 1));
        true
    }

    /// Adds up the waiting ones; false if there are too many pairs.
    fn condense(&mut self) -> bool {
        // A stable sort, which merges what is in order already.
        self.counts.sort_by_key(|(pair, _)| *pair);
        self.counts.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            first.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        self.added_up = self.counts.len();
        self.counts.len() <= self.room
    }
}
