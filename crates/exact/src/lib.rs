//! Compares pairs of documents by all their shingles, not by their sketches.
//!
//! *Input.* Pairs of documents; the input files, which are read again. *Output.* For each pair how
//! many shingles the two documents have and how many they share; common shingles are counted apart.
//! *Algorithm.* Broder, *On the resemblance and containment of documents* (1997), section 2, with
//! the sets themselves instead of samples:
//!
//! 1. Sort the documents of all pairs, and look up their places in the input (`places`).
//! 2. Read each of them once, in the order of the files, and make the set of its shingles
//!    (`texts`). The crate `sets` stores the sets.
//! 3. Go through the pairs in order, and merge the two sets of each (`comparison`).
//!
//! *Memory.* The free budget: what `sets` takes, and the rest for reading. *Disk.* 8 bytes a pair,
//! 28 bytes a document, and what `sets` takes. *Limits.* A document that does not fit the memory,
//! and one that cannot be read any more, has no set; pairs with it have no counts.

mod comparison;
mod places;
mod texts;

pub use comparison::{Comparison, ExactCounts};
pub use texts::{DocumentLimit, InputTexts};

use model::Words;
use runtime::Error;
use sets::SetFeeder;
use sort::{Distinct, Sorted};

/// ⟨document to read, document whose set it gives⟩. The two differ where documents have equal
/// tokens.
pub type WantedDocument = Words<2>;

/// A source of the texts of documents.
pub trait Texts {
    /// Hands the set of every wanted document that can be read and fits the memory to `sets`.
    ///
    /// # Errors
    /// When the disk reports an error, or the run is interrupted.
    fn read(
        &self,
        wanted: Sorted<WantedDocument, Distinct>,
        sets: &SetFeeder<'_>,
    ) -> Result<(), Error>;
}
