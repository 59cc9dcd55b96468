//! Finds the shingles that are about as frequent as the common limit.
//!
//! A few documents more or less may make such a shingle common, or no longer common. *Input.* The
//! postings, the frequencies. *Output.* Shingles in order. *Algorithm.* One pass over both.

use crate::FrequencyReader;
use engine::Engine;
use engine::merge_levels::{self, MergedLevels};
use format::FileKind;
use model::{Posting, Shingle};
use pairs::Frequencies;
use runtime::{Error, PhaseName};

/// A borderline shingle is in at least the limit divided by this many documents, and in at most so
/// many times the limit. Estimates of frequencies are a quarter off.
const WITHIN: u64 = 4;

/// A borderline shingle. Shingles of the same documents have the same two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BorderlineShingle {
    /// The fingerprint of the shingle.
    pub shingle: Shingle,
    /// About how many documents contain it.
    pub documents: u64,
    /// The lowest document that is known to contain it.
    pub example: u32,
}

/// Hands the borderline shingles of a finished phase `pairs` to `take` until it returns false;
/// returns whether it took all.
///
/// # Errors
/// When files cannot be read, or the run is interrupted.
pub fn borderline(
    engine: &Engine<'_>,
    mut take: impl FnMut(BorderlineShingle) -> bool,
) -> Result<bool, Error> {
    let limit = u64::from(engine.config.pairs.common_shingle_limit);
    let range = limit / WITHIN..=limit.saturating_mul(WITHIN);
    let files = merge_levels::of_phase(engine, PhaseName::Sort).files;
    let (now, kind) = (merge_levels::taken(&engine.manifest()), FileKind::Postings);
    let mut postings = MergedLevels::<Posting>::open(engine, PhaseName::Sort, kind, &files, &now)?;
    let last = FrequencyReader::last_file(engine);
    let mut frequencies = Frequencies::of(FrequencyReader::open(engine, last.as_ref())?)?;
    let (mut posting, mut least) = (postings.next()?, Some(0));
    while let Some(from) = least {
        let counted = frequencies.at_least(from)?.map(|one| one.shingle);
        let sketched = posting.map(|(posting, _)| posting.shingle);
        let Some(shingle) = sketched.into_iter().chain(counted).min() else {
            break;
        };
        let frequency = frequencies.of_shingle(shingle)?;
        let mut example = frequency.map_or(u32::MAX, |one| one.example);
        let mut sketches = 0;
        while let Some((one, _)) = posting.filter(|(one, _)| one.shingle == shingle) {
            sketches += 1;
            example = example.min(one.doc);
            posting = postings.next()?;
        }
        let frequency = frequency.map(|one| one.frequency).unwrap_or_default();
        let documents = frequency.documents(sketches);
        let found = BorderlineShingle {
            shingle,
            documents,
            example,
        };
        if range.contains(&documents) && documents > 0 && !take(found) {
            return Ok(false);
        }
        least = shingle.checked_add(1);
    }
    Ok(true)
}
