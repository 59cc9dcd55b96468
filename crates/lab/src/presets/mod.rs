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
use pipeline::Error;

/// An experiment of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Bergillos 8.1: resemblance by the size of shingles.
    Bergillos1,
    /// Bergillos 8.2: time of the families of hash functions.
    Bergillos2,
    /// Bergillos 8.3: time of three ways to compare all documents.
    Bergillos3,
    /// Bergillos 8.4: estimate by the number of hash functions.
    Bergillos4,
    /// Broder 1997: errors of the sketches, beside the bounds.
    Broder,
    /// Broder, Glassman, Manasse, Zweig 1997: the Status section.
    Altavista,
    /// The same paper, "Super shingles": why they lose.
    SuperShingles,
}

impl Preset {
    /// All of them.
    pub const ALL: [Preset; 7] = [
        Preset::Bergillos1,
        Preset::Bergillos2,
        Preset::Bergillos3,
        Preset::Bergillos4,
        Preset::Broder,
        Preset::Altavista,
        Preset::SuperShingles,
    ];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Bergillos1 => "bergillos-1",
            Preset::Bergillos2 => "bergillos-2",
            Preset::Bergillos3 => "bergillos-3",
            Preset::Bergillos4 => "bergillos-4",
            Preset::Broder => "broder",
            Preset::Altavista => "altavista",
            Preset::SuperShingles => "super-shingles",
        }
    }

    /// Makes the documents, measures, and compares with the paper.
    ///
    /// # Errors
    /// When a run of the program fails.
    pub fn evaluate(self) -> Result<Evaluation, Error> {
        match self {
            Preset::Bergillos1 => Ok(shingle_size::evaluate()),
            Preset::Bergillos2 => Ok(families::evaluate(families::WORDS)),
            Preset::Bergillos3 => approaches::evaluate(approaches::DOCUMENTS),
            Preset::Bergillos4 => Ok(estimates::evaluate()),
            Preset::Broder => Ok(broder_errors::evaluate(
                broder_errors::SEEDS,
                broder_errors::WORDS,
            )),
            Preset::Altavista => walk_of_1996::evaluate(walk_of_1996::SCALE),
            Preset::SuperShingles => Ok(super_shingles::evaluate()),
        }
    }
}
