//! The shingle sets of the documents of some files.
//!
//! *Input.* Files, directories and globs, and a configuration, which says what a document and a
//! shingle are. *Output.* Each document with all its shingles, in the order of the input.
//! *Algorithm.* One pass over the files; each document is sketched at modulus 1, which keeps every
//! shingle. *Memory.* One document.

use config::Config;
use engine::{Error, Reporter};
use input::{Discovery, Document, Piece, SinkError};
use model::Sampling;
use sketch::{
    Family, FingerprintBits, FingerprintKeys, ShingleKind, SketchParams, Sketched, Sketcher,
    TextOfPages, TokenUnit,
};
use std::path::PathBuf;

/// Hands on each document of the files that `paths` name, relative to `base`.
///
/// # Errors
/// When a file cannot be read, or one of `take`.
pub(crate) fn read(
    paths: Vec<String>,
    base: PathBuf,
    config: &Config,
    reporter: &Reporter,
    take: &mut dyn FnMut(&Sketched<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let listing = input::discover(&Discovery::of_all(paths, base))?;
    let bytes = listing.files.iter().map(|file| file.stat.bytes).sum();
    let mut sketcher = Sketcher::new(&SketchParams {
        sampling: Sampling::Modulus { modulus: 1 },
        ..config.sketch.params()
    });
    let task = reporter.task_named("read", "bytes", bytes);
    // Why reading stopped, if not for a file of the user.
    let mut failure = None;
    let options = config.input.read_options();
    for (index, file) in (0..).zip(&listing.files) {
        let piece = Piece::whole(index, file.stat.bytes);
        let mut counted = 0;
        let mut read_to = |byte: u64| {
            task.add(byte.saturating_sub(counted));
            counted = counted.max(byte);
        };
        let mut sink = |document: &Document<'_>| {
            read_to(document.place.entry_offset);
            take(&sketcher.sketch(document.content)).map_err(|error| {
                failure = Some(error);
                SinkError::from("reading stopped")
            })
        };
        let outcome = input::read_piece(file, &piece, Some(0), &options, &mut sink);
        if let Some(error) = failure.take() {
            return Err(error);
        }
        outcome?;
        read_to(file.stat.bytes);
    }
    task.finish();
    Ok(())
}

/// Shingles of ten words of the whole text, keyed by a seed.
pub(crate) fn ten_words(sampling: Sampling, seed: &str) -> SketchParams {
    SketchParams {
        tokens: TokenUnit::Words,
        drop_numbers: false,
        text_of_pages: TextOfPages::Whole,
        shingle_size: 10,
        shingles: ShingleKind::Set,
        sampling,
        bits: FingerprintBits::B64,
        family: Family::Keyed,
        keys: FingerprintKeys::from_seed(seed),
    }
}
