//! The shingle sets of the documents of some files.
//!
//! *Input.* Files, directories and globs, and a configuration, which says what a document and a
//! shingle are. *Output.* Each document with all its shingles, in the order of the input.
//! *Algorithm.* One pass over the files; each document is sketched at modulus 1, which keeps every
//! shingle. *Memory.* One document.

use config::Config;
use engine::runtime::progress::Task;
use engine::{Error, Reporter};
use input::{Discovery, Document, Piece, Sink, SinkError};
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
    let mut documents = SketchedDocuments {
        sketcher: Sketcher::new(&SketchParams {
            sampling: Sampling::Modulus { modulus: 1 },
            ..config.sketch.params()
        }),
        take,
        failure: None,
        task: reporter.task_named("read", "bytes", bytes),
        bytes: 0,
    };
    let options = config.input.read_options();
    for (index, file) in (0..).zip(&listing.files) {
        let piece = Piece::whole(index, file.stat.bytes);
        let outcome = input::read_piece(file, &piece, Some(0), &options, &mut documents);
        if let Some(error) = documents.failure.take() {
            return Err(error);
        }
        outcome?;
        documents.read_to(file.stat.bytes);
        documents.bytes = 0;
    }
    documents.task.finish();
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

/// Sketches documents and hands them on.
struct SketchedDocuments<'a> {
    sketcher: Sketcher,
    take: &'a mut dyn FnMut(&Sketched<'_>) -> Result<(), Error>,
    /// Why reading stopped, if not for a file of the user.
    failure: Option<Error>,
    task: Task,
    /// Bytes that `task` has counted of the file that is being read.
    bytes: u64,
}

impl SketchedDocuments<'_> {
    /// Shows that the current file is read up to a byte.
    fn read_to(&mut self, byte: u64) {
        self.task.add(byte.saturating_sub(self.bytes));
        self.bytes = self.bytes.max(byte);
    }
}

impl Sink for SketchedDocuments<'_> {
    fn document(&mut self, document: &Document<'_>) -> Result<(), SinkError> {
        self.read_to(document.place.entry_offset);
        let sketched = self.sketcher.sketch(document.content);
        (self.take)(&sketched).map_err(|error| {
            self.failure = Some(error);
            SinkError::from("reading stopped")
        })
    }
}
