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

use super::best::BestDocuments;
pub use super::best::SimilarDocument;
pub use super::containing::Containing;
use crate::index::Index;
use format::{FormatError, RowCursor};
use model::{Overlap, Ratio, Sampling, SizesByLevel, Threshold};
use std::ops::Range;

/// The sketch of a document that is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// Fingerprints, ascending.
    pub fingerprints: Vec<u64>,
    /// The level they were kept at.
    pub level: usize,
}

/// Which documents are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedRelation {
    /// Those that resemble it.
    Like,
    /// Those it is contained in.
    Within,
    /// Those contained in it.
    Contained,
}

/// A request: the relation that is wanted, and bounds.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Which documents.
    pub wanted: WantedRelation,
    /// How many of each at most.
    pub limit: usize,
    /// The estimate they must reach.
    pub least: Option<Threshold>,
    /// The share of the sketch that a document must contain to be counted as containing it.
    pub count: Option<Threshold>,
    /// Bytes for the counts of shared shingles.
    pub memory_bytes: usize,
}

/// The answer for one sketch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeAnswer {
    /// Best first.
    pub found: Vec<SimilarDocument>,
    /// Representatives that reach the least estimate, shown or not.
    pub total: u64,
    /// The documents that contain it, if they are to be counted.
    pub containing: Option<Containing>,
}

impl WantedRelation {
    /// The estimate that ranks.
    pub fn ratio(self, overlap: &Overlap) -> Ratio {
        match self {
            WantedRelation::Like => overlap.shared_of_union(),
            WantedRelation::Within => overlap.share_of(overlap.size_a),
            WantedRelation::Contained => overlap.share_of(overlap.size_b),
        }
    }
}

/// Finds the documents like each of these.
///
/// # Errors
/// At damage of the index.
pub fn like(
    index: &Index,
    probes: &[Probe],
    search: &Search,
) -> Result<Vec<ProbeAnswer>, FormatError> {
    let mut answers = Vec::with_capacity(probes.len());
    let mut open = Vec::from([Range {
        start: 0,
        end: probes.len(),
    }]);
    while let Some(range) = open.pop() {
        let mut pass = PostingsPass::new(index, &probes[range.clone()], search);
        if pass.run(0..u64::from(index.documents()))? {
            answers.extend(pass.finish());
        } else if range.len() > 1 {
            // Too much at once: the second half waits.
            let middle = range.start + range.len() / 2;
            open.extend([middle..range.end, range.start..middle]);
        } else {
            answers.extend(one_by_parts(index, &probes[range], search)?);
        }
    }
    Ok(answers)
}

/// One sketch that shares something with more documents than can be counted at once.
fn one_by_parts(
    index: &Index,
    probe: &[Probe],
    search: &Search,
) -> Result<Vec<ProbeAnswer>, FormatError> {
    let mut pass = PostingsPass::new(index, probe, search);
    let mut open = Vec::from([Range {
        start: 0,
        end: u64::from(index.documents()),
    }]);
    while let Some(docs) = open.pop() {
        if !pass.run(docs.clone())? {
            let middle = docs.start + (docs.end - docs.start) / 2;
            open.extend([middle..docs.end, docs.start..middle]);
        }
    }
    Ok(pass.finish())
}

/// One way through the postings.
struct PostingsPass<'a> {
    index: &'a Index,
    sampling: Sampling,
    search: &'a Search,
    probes: &'a [Probe],
    /// ⟨shingle, sketch⟩ in order.
    shingles: Vec<(u64, u32)>,
    /// Sizes of each sketch.
    sizes: Vec<SizesByLevel>,
    best: Vec<BestDocuments>,
}

impl<'a> PostingsPass<'a> {
    fn new(index: &'a Index, probes: &'a [Probe], search: &'a Search) -> PostingsPass<'a> {
        let numbered = (0_u32..).zip(probes);
        let mut shingles: Vec<(u64, u32)> = numbered
            .flat_map(|(number, probe)| {
                let mut keys = probe.fingerprints.clone();
                index.key_rule().replace(index.sampling(), &mut keys);
                keys.into_iter().map(move |key| (key, number))
            })
            .collect();
        shingles.sort_unstable();
        let best = probes.iter().map(|_| BestDocuments::default()).collect();
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
        let sizes = |probe: &Probe| sampling.sizes_by_level(probe.level, &probe.fingerprints);
        self.sizes = self.probes.iter().map(sizes).collect();
        // a single document is always counted
        let room = if docs.end - docs.start > 1 {
            self.search.memory_bytes / 48
        } else {
            usize::MAX
        };
        let mut counts = ShingleCounts {
            room: room.max(16),
            matches: Vec::new(),
            counts: Vec::new(),
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
            self.best[probe].offer(ratio, self.search.limit, found);
        }
    }

    /// What a sketch of a fixed size shares with that of a document.
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
        let counted = |best: &BestDocuments, sizes: &SizesByLevel| {
            let counted = best.containing.unseen(self.sampling, sizes);
            self.search.count.map(|_| counted)
        };
        answers
            .map(|(best, sizes)| ProbeAnswer {
                containing: counted(&best, &sizes),
                total: best.total,
                found: best.ranked(),
            })
            .collect()
    }
}

/// Pairs of a document and a sketch that share something, and how much.
struct ShingleCounts {
    room: usize,
    /// ⟨document, sketch⟩, one for each shingle they share, in any order.
    matches: Vec<u64>,
    /// ⟨document and sketch, shared⟩ in order.
    counts: Vec<(u64, u32)>,
}

impl ShingleCounts {
    /// False if there is no room for more.
    fn add(&mut self, doc: u32, probe: u32) -> bool {
        if self.matches.len() >= self.room.min(1 << 22) && !self.condense() {
            return false;
        }
        self.matches.push(u64::from(doc) << 32 | u64::from(probe));
        true
    }

    /// Adds up the waiting matches; false if there are too many pairs.
    fn condense(&mut self) -> bool {
        self.matches.sort_unstable();
        let new = self.matches.chunk_by(|one, next| one == next);
        let mut new = new
            .filter_map(|same| Some((*same.first()?, same.len() as u32)))
            .peekable();
        let mut old = std::mem::take(&mut self.counts).into_iter().peekable();
        let mut all: Vec<(u64, u32)> = Vec::new();
        loop {
            let next = match (old.peek(), new.peek()) {
                (Some(a), Some(b)) if a.0 == b.0 => {
                    old.next().zip(new.next()).map(|(a, b)| (a.0, a.1 + b.1))
                }
                (Some(a), Some(b)) if a.0 < b.0 => old.next(),
                (Some(_), None) => old.next(),
                _ => new.next(),
            };
            match next {
                Some(next) => all.push(next),
                None => break,
            }
        }
        drop(new);
        self.matches.clear();
        self.counts = all;
        self.counts.len() <= self.room
    }
}
