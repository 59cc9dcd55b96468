//! Compares pairs of documents by all their shingles, not by their sketches.
//!
//! *Input.* Pairs of documents; the input files, which are read again. *Output.* For each pair how
//! many shingles the two documents have and how many they share.
//! *Algorithm.* Broder, *On the resemblance and containment of documents* (1997), section 2, with
//! the sets themselves instead of samples:
//!
//! 1. Sort the documents of all pairs, and look up their places in the input (`places`).
//! 2. Read each of them once, in the order of the files (`batches`), and make the set of its
//!    shingles, piece by piece (`texts`). The crate `sets` stores the sets.
//! 3. Go through the pairs in order, and merge the two sets of each (`comparison`).
//!
//! *Memory.* The free budget: room for the largest document, what `sets` takes, and the rest for
//! reading. *Disk.* 8 bytes a pair, 48 bytes a document, and what `sets` takes. *Limits.* A
//! document that cannot be read any more has no set; pairs with it have no counts.

mod batches;
mod bodies;
mod comparison;
mod fingerprints;
mod places;
mod reading_memory;
mod texts;

pub use bodies::Bodies;
pub use comparison::Comparison;
pub use fingerprints::{Compared, Fingerprints, TakeFingerprint, TextFingerprint};
pub use texts::InputTexts;

use format::FormatError;
use model::Words;
use runtime::Error;
use sets::{SetFeeder, Workplace};
use sort::{Distinct, Reservation, Sorted};

/// ⟨document to read, document whose set it gives⟩. The two differ where documents have equal
/// tokens.
pub type WantedDocument = Words<2>;

/// The wanted documents in order, and the memory that sorts them.
pub struct WantedDocuments {
    sorted: Sorted<WantedDocument, Distinct>,
    _memory: Reservation,
}

impl WantedDocuments {
    /// The next one.
    ///
    /// # Errors
    /// When the disk reports an error.
    pub fn next_document(&mut self) -> Result<Option<WantedDocument>, FormatError> {
        self.sorted.next()
    }
}

/// Where sets go.
pub struct SetPlan<'a> {
    place: Workplace<'a>,
    documents: u32,
}

impl<'a> SetPlan<'a> {
    /// Takes half of the free memory for sets.
    ///
    /// # Errors
    /// When a scratch file cannot be made.
    pub fn feeder(&self) -> Result<SetFeeder<'a>, Error> {
        SetFeeder::new(&self.place, self.documents)
    }
}

/// A source of the texts of documents.
pub trait Texts {
    /// Makes the set of every wanted document that can be read.
    ///
    /// # Errors
    /// When the disk reports an error, or the run is interrupted.
    fn read<'a>(&self, wanted: WantedDocuments, sets: &SetPlan<'a>)
    -> Result<SetFeeder<'a>, Error>;
}

/// A source of the texts of documents that can be told by their fingerprints.
pub trait FingerprintedTexts: Texts {
    /// Makes the fingerprint of every wanted document that can be read.
    ///
    /// # Errors
    /// When the disk reports an error, or the call is interrupted.
    fn fingerprint(
        &self,
        wanted: WantedDocuments,
        compared: Compared,
        take: &TakeFingerprint<'_>,
    ) -> Result<(), Error>;
}
