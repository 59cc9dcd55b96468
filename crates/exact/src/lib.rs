//! Compares pairs of documents by all their shingles, not by their sketches.
//!
//! *Input.* Pairs of documents; the input files, which are read again. *Output.* For each pair how
//! many shingles the two documents have and how many they share.
//! *Algorithm.* Broder, *On the resemblance and containment of documents* (1997), section 2, with
//! the sets themselves instead of samples:
//!
//! 1. Sort the documents of all pairs, and look up their places in the input (`places`).
//! 2. Read each of them once, in the order of the files (`batches`), and make the set of its
//!    shingles, piece by piece (`texts`). They are stored in chunks ([`SetStore`]).
//! 3. Go through the pairs in order, and merge the two sets of each (`comparison`).
//!
//! Sets that others make, such as those of common shingles, are stored and compared in the same
//! way. Where many pairs are to be compared, the sets are folded first: shingles that many of them
//! hold become bits (`set_store::folding`).
//!
//! *Memory.* The free budget: room for the largest document, four bytes a document, the sets if
//! they fit half of the rest, otherwise two chunks a thread, of 256 KiB at most, whatever the size
//! of a set; what is left for reading. *Disk.* 8 bytes a pair, 48 bytes a document, and sets that
//! do not fit: 8 bytes a shingle, twice while they are folded. *Limits.* A document that cannot be
//! read any more has no set; pairs with it have no counts. *Errors.* A scratch file cannot be
//! written or read, or is damaged; the run is interrupted.

mod batches;
mod bodies;
mod chunk_layout;
mod comparison;
mod fingerprints;
mod frequent;
pub mod identity;
mod memory;
mod overlap;
mod pairwise;
mod places;
mod reading_memory;
mod set_reader;
mod set_store;
mod texts;
mod wanted;
mod workplace;

pub use bodies::Bodies;
pub use comparison::PairComparison;
pub use fingerprints::{Compared, FingerprintReader, TakeFingerprint, TextFingerprint};
pub use overlap::{SetOverlap, ShingleSet};
pub use reading_memory::PER_THREAD_BYTES;
pub use set_store::{CHUNK_SHINGLES, SetFeeder, SetStore, ThreadFeeder, UnfinishedSet};
pub use texts::{InputTexts, TakeText};
pub use wanted::{WantedDocument, WantedDocuments, WantedSorter};
pub use workplace::Workplace;

use engine::Error;

/// A source of the texts of documents.
pub trait Texts {
    /// Makes the set of every wanted document that can be read; `place` is where sets go.
    fn read<'a>(
        &self,
        wanted: WantedDocuments,
        place: &Workplace<'a>,
    ) -> Result<SetFeeder<'a>, Error>;
}

/// A source of the texts of documents that can be told by their fingerprints.
pub trait FingerprintedTexts: Texts {
    /// Makes the fingerprint of every wanted document that can be read.
    fn fingerprint(
        &self,
        wanted: WantedDocuments,
        compared: Compared,
        take: &TakeFingerprint<'_>,
    ) -> Result<(), Error>;
}
