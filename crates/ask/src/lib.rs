//! Answers questions about a finished run: the copies of a page, the reason why two pages were
//! joined, the effect of another threshold. Nothing here changes a work directory.
//!
//! *Errors.* A question fails where there is no publication, or no document or cluster of the name
//! (`NotFound`, with the nearest known URLs), where a file of the publication is damaged (it says
//! which phase rebuilds it), where documents do not fit `work.memory`, and where its input or its
//! output fails.

mod asked_document;
pub mod changes;
pub mod compare;
mod differences;
mod document_pair;
pub mod explain;
pub mod export;
mod figures;
mod graph;
pub mod index;
pub mod inspect;
pub mod like;
#[cfg(test)]
mod oracle_tests;
mod overlaps;
mod passages;
pub mod query;
mod repeated_parts;
pub mod shingles;
pub mod tokens;
pub mod tune;

pub use document_pair::{Basis, CompareRequest};
pub use figures::{ComparedText, Figure, Figures, PairFigures};
pub use index::Index;
pub use overlaps::ShingledDocument;
pub use repeated_parts::RepeatedPart;
