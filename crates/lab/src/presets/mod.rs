//! The experiments of the papers.

mod approaches;
mod broder_claims;
mod broder_errors;
mod broder_ids;
mod common_shingles;
mod estimates;
mod families;
mod independence;
mod shingle_size;
mod super_shingles;
mod walk_of_1996;

use crate::evaluation::Evaluation;
use engine::Error;
#[cfg(feature = "program")]
pub(crate) use walk_of_1996::DAYS;

/// An experiment of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    name: &'static str,
    evaluate: fn() -> Result<Evaluation, Error>,
}

const fn preset(name: &'static str, evaluate: fn() -> Result<Evaluation, Error>) -> Preset {
    Preset { name, evaluate }
}

impl Preset {
    /// All of them: sections 8.1 to 8.4 of Bergillos, Rambla and Cabeza; the errors of Broder 1997;
    /// "Status" and "Super shingles" of Broder, Glassman, Manasse and Zweig.
    pub const ALL: [Preset; 7] = [
        preset("bergillos-1", || Ok(shingle_size::evaluate())),
        preset("bergillos-2", || Ok(families::evaluate(families::WORDS))),
        preset("bergillos-3", || {
            approaches::evaluate(approaches::DOCUMENTS)
        }),
        preset("bergillos-4", || Ok(estimates::evaluate())),
        preset("broder", || {
            let (seeds, words) = (broder_errors::SEEDS, broder_errors::WORDS);
            Ok(broder_errors::evaluate(seeds, words))
        }),
        preset("altavista", || walk_of_1996::evaluate(walk_of_1996::SCALE)),
        preset("super-shingles", || Ok(super_shingles::evaluate())),
    ];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Makes the documents, measures, and compares with the paper.
    pub fn evaluate(self) -> Result<Evaluation, Error> {
        (self.evaluate)()
    }
}
