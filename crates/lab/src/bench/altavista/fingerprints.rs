//! The sketch of a document of the model: random numbers, as fingerprints are.
//!
//! Near-copies and pages of one template draw theirs from the same stream, and the sampling keeps
//! what it keeps of real fingerprints.

use super::plan::{Change, Copy, Model, Purpose, SHINGLE_WORDS, edits};
use super::sketches::{Collection, Sketched};
use model::Sampling;
use testkit::random::mix;

impl Collection for Model {
    fn seed(&self) -> u64 {
        self.seed
    }
    fn documents(&self) -> u64 {
        self.documents
    }
    fn sketch(&self, number: u64, sampling: Sampling, sketch: &mut Vec<u64>) -> Sketched {
        let document = self.document(number);
        sketch.clear();
        let mut own = document.words + 1 - SHINGLE_WORDS;
        if let Some(template) = document.template {
            let mut shingles = self.stream(Purpose::TemplateWords, template.number);
            let of_template = template.words + 1 - SHINGLE_WORDS;
            sketch.extend((0..of_template).map(|_| shingles.bits()));
            own -= of_template;
        }
        let mut words = document.words;
        let mut shingles = self.stream(Purpose::Words, document.source);
        let shingles = (0..own).map(|_| shingles.bits());
        match document.change {
            Change::None => sketch.extend(shingles),
            Change::Excerpt { from, to } => {
                words = to - from;
                let within = shingles.take((to + 1 - SHINGLE_WORDS) as usize);
                sketch.extend(within.skip(from as usize));
            }
            Change::Edited { key } => {
                let (mut edits, mut last) = (edits(key), None);
                sketch.extend((0..).zip(shingles).map(|(at, shingle)| {
                    while let Some(edit) = edits.next_if(|edit| *edit < at + SHINGLE_WORDS) {
                        last = Some(edit);
                    }
                    match last.is_some_and(|last| last >= at) {
                        true => mix(shingle ^ key),
                        false => shingle,
                    }
                }));
            }
        }
        let keep = |sketch: &mut Vec<u64>, level: u8| {
            let modulus = u64::from(sampling.modulus_at(level.into()));
            sketch.retain(|shingle| shingle.is_multiple_of(modulus));
        };
        let mut level = 0;
        keep(sketch, level);
        if let Sampling::Adaptive {
            target,
            coarsest_log2,
        } = sampling
        {
            while level < coarsest_log2 && sketch.len() > target as usize {
                level += 1;
                keep(sketch, level);
            }
        }
        sketch.sort_unstable();
        sketch.dedup();
        let (body, tokens) = match document.copy {
            None | Some(Copy::Identical) => (0, 0),
            Some(Copy::Lexical(number)) => (number, 0),
            Some(Copy::Shingle(number)) => (number, number),
        };
        let of = |variant: u64| mix(mix(document.source << 20 ^ document.distinct) ^ variant << 8);
        Sketched {
            words,
            level,
            identity: of(body),
            lexical: of(tokens),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::altavista::ALTAVISTA;

    #[test]
    fn sketches_are_those_of_the_recorded_runs() {
        let model = Model::of_sketches(1, ALTAVISTA.documents);
        let (mut sketch, mut digest) = (Vec::new(), 0);
        for number in (0..ALTAVISTA.documents).step_by(30_011) {
            let sketched = model.sketch(number, Sampling::Modulus { modulus: 25 }, &mut sketch);
            let properties = [
                sketched.words,
                u64::from(sketched.level),
                sketched.identity,
                sketched.lexical,
            ];
            for value in properties.iter().chain(&sketch) {
                digest = mix(digest ^ value);
            }
        }
        assert_eq!(digest, 17_309_695_890_771_384_636);
    }

    #[test]
    fn adaptive_sketches_are_the_finest_that_fit() {
        let model = Model::of_sketches(5, 2000);
        let adaptive = Sampling::Adaptive {
            target: 128,
            coarsest_log2: 5,
        };
        let (mut sketch, mut whole) = (Vec::new(), Vec::new());
        for number in 0..2000 {
            let level = model.sketch(number, adaptive, &mut sketch).level;
            model.sketch(number, Sampling::Modulus { modulus: 1 }, &mut whole);
            let at = |level: u8| {
                let is_kept = |shingle: &&u64| shingle.is_multiple_of(1 << level);
                whole.iter().filter(is_kept).copied().collect::<Vec<u64>>()
            };
            assert_eq!(sketch, at(level));
            assert!(sketch.len() <= 128 || level == 5);
            assert!(level == 0 || at(level - 1).len() > 128);
        }
    }
}
