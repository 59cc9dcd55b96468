//! Phase 2: equal fingerprints → classes of identical, lexical and shingle-equivalent documents.
//!
//! *Input.* The fingerprints of every document, in document order. *Output.* For each document that
//! equals another, the lowest document of each class it shares. *Algorithm.* *Syntactic Clustering
//! of the Web*, "Identical documents": one sort of ⟨fingerprint, document⟩ a relation ([`keys`]
//! says which documents take part), groups of two or more found in one pass ([`Groups`]), sorted
//! back by document and joined ([`Join`]). *Memory and disk.* Constant here; the sorts are the
//! caller's. *Limits.* Fingerprints of 128 bits are taken as equality: with n documents of one
//! relation about n² / 2^129 false equals are expected, 10⁻²⁴ for 30 million.

mod groups;
mod join;

pub use groups::{Groups, Keyed, Lowest, SketchedFingerprints, keys};
pub use join::Join;
