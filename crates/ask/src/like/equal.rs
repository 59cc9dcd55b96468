//! Documents equal to one whose sketch holds nothing but common shingles, so that no lookup finds
//! them.
//!
//! *Input.* A sketch; its document's number in the publication, or the fingerprint of its tokens.
//! *Output.* The representative of the class it is in, or would be in. *Algorithm.* Equal documents
//! have equal sketches: so the representative stands in the postings of each of its shingles, and
//! those of the rarest are gone through. *Memory.* A sketch. *Disk.* The postings of one shingle,
//! and a mark for each. *Limits.* A document without tokens that is not of the publication is equal
//! to none.

use crate::asked_document::Corpus;
use crate::figures::Figures;
use crate::query::damaged;
use ::query::Index;
use ::query::like::Probe;
use model::{Overlap, Sampling};
use runtime::Error;

/// The key by which documents equal to one are found.
#[derive(Clone, Copy, Debug)]
pub(super) enum EqualityKey {
    /// The document is this one of the publication.
    Known(u32),
    /// The document is not of the publication, or that is not known.
    Unknown {
        /// Fingerprint of its tokens.
        lexical: u64,
        /// Tokens.
        words: u64,
    },
}

/// A representative equal to the document.
pub(super) struct EqualDocument {
    pub(super) doc: u32,
    pub(super) figures: Figures,
}

impl EqualDocument {
    fn new(doc: u32, overlap: Overlap, equal_tokens: bool) -> EqualDocument {
        EqualDocument {
            doc,
            figures: if equal_tokens {
                Figures::of_equal(&overlap)
            } else {
                Figures::of(&overlap)
            },
        }
    }
}

/// Whether the document's sketch has no shingle that is not common.
pub(super) fn is_bare(index: &Index, probe: &Probe) -> Result<bool, Error> {
    for shingle in sketch_of(index.sampling(), probe).fingerprints {
        if index.common(shingle).map_err(damaged)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The representative that the document is equal to, if there is one.
pub(super) fn equal(
    corpus: &Corpus<'_>,
    probe: &Probe,
    own: EqualityKey,
) -> Result<Option<EqualDocument>, Error> {
    let index = &corpus.index;
    let (lexical, words) = match own {
        EqualityKey::Known(doc) => {
            let representative = index.class(doc).map_err(damaged)?.representative();
            let relation = index.relation(doc, representative).map_err(damaged)?;
            let equal_tokens = relation.equality != Some(model::Equality::Shingle);
            return Ok(Some(EqualDocument::new(
                representative,
                relation.overlap,
                equal_tokens,
            )));
        }
        EqualityKey::Unknown { lexical, words } => (lexical, words),
    };
    let sketch = sketch_of(index.sampling(), probe);
    let mut rarest = None;
    for &shingle in &sketch.fingerprints {
        let postings = index.postings(shingle).map_err(damaged)?;
        if rarest
            .as_ref()
            .is_none_or(|(least, _)| postings.at_most() < *least)
        {
            rarest = Some((postings.at_most(), postings));
        }
    }
    let Some((_, postings)) = rarest else {
        return Ok(None);
    };
    let size = u32::try_from(sketch.fingerprints.len()).unwrap_or(u32::MAX);
    let sampling = index.sampling();
    let of_samples = || Overlap {
        shared: size,
        size_a: size,
        size_b: size,
        modulus: sampling.modulus_at(sketch.level),
    };
    let overlap = sampling
        .compare_fixed(&sketch.fingerprints, &sketch.fingerprints)
        .unwrap_or_else(of_samples);
    for posting in postings.iter() {
        let doc = posting.map_err(damaged)?.doc;
        let mark = index.mark(doc).map_err(damaged)?;
        if (mark.lexical, mark.words) == (lexical, words) {
            return Ok(Some(EqualDocument::new(doc, overlap, true)));
        }
        let alike = mark.sketch_size == size && usize::from(mark.level) == sketch.level;
        if alike
            && size >= corpus.config.sketch.shingle_class_min
            && index.sketch(doc).map_err(damaged)?.fingerprints == sketch.fingerprints
        {
            return Ok(Some(EqualDocument::new(doc, overlap, false)));
        }
    }
    Ok(None)
}

/// The sketch that a run would keep of a probe, which may hold all shingles.
fn sketch_of(sampling: Sampling, probe: &Probe) -> Probe {
    let Sampling::Adaptive { target, .. } = sampling else {
        return probe.clone();
    };
    let kept = |level: usize| {
        let modulus = u64::from(sampling.modulus_at(level));
        let multiples = probe
            .fingerprints
            .iter()
            .copied()
            .filter(move |shingle| shingle.is_multiple_of(modulus));
        Probe {
            fingerprints: multiples.collect(),
            level,
        }
    };
    let mut sketch = kept(probe.level);
    while sketch.fingerprints.len() > target as usize && sketch.level + 1 < sampling.levels() {
        sketch = kept(sketch.level + 1);
    }
    sketch
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sketch::{SketchParams, Sketcher};

    proptest! {
        #[test]
        fn the_sketch_of_all_shingles_is_that_of_the_document(words in prop::collection::vec("[a-h]{1,3}", 0..400), target in 1u32..40) {
            let config = crate::tokens::default_config().unwrap();
            let sampling = Sampling::Adaptive { target, coarsest_log2: 3 };
            let text = words.join(" ");
            let sketched = |sampling| {
                let params = SketchParams { sampling, shingle_size: 3, ..config.sketch.params() };
                let mut sketcher = Sketcher::new(&params);
                let sketched = sketcher.sketch(model::Content::Text(&text));
                Probe { fingerprints: sketched.fingerprints.to_vec(), level: usize::from(sketched.level) }
            };
            let own = sketched(sampling);
            prop_assert_eq!(sketch_of(sampling, &sketched(Sampling::Modulus { modulus: 1 })), own.clone());
            prop_assert_eq!(sketch_of(sampling, &own), own);
        }
    }
}
