//! Finds documents that are equal as a whole: the classes of identical, lexically equal and
//! shingle-equivalent documents.
//!
//! *Input.* The fingerprints of every document, in document order. *Output.* For each document that
//! equals another, the lowest document of each of its classes. *Algorithm.* *Syntactic Clustering
//! of the Web*, "Identical documents": for each relation, ⟨fingerprint, document⟩ is sorted
//! ([`keys`] says which documents take part), groups of two or more are found in one pass
//! ([`Groups`]), and sorted back by document and joined ([`Join`]). *Memory and disk.* Constant
//! here; the caller sorts. *Limits.* Equal fingerprints of 128 bits count as equal documents: with
//! n documents of a relation about n² / 2^129 false equals are expected, 10⁻²⁴ for 30 million.

mod groups;
mod join;

pub use groups::{DocumentKey, Groups, Lowest, keys};
pub use join::Join;
