//! The vocabulary of the project and its arithmetic. No I/O, no dependency but serde. Records on
//! disk are declared with [`record!`].
//!
//! | word | meaning | source |
//! |---|---|---|
//! | [`Content`] | the decoded text of one document, as HTML or as plain text | |
//! | [`DocId`] | dense number of a document in its snapshot, in input order | |
//! | [`PublicId`] | snapshot number × 2^32 + [`DocId`]: the `doc_id` of all tables | |
//! | [`Shingle`] | fingerprint of `w` consecutive tokens | *Syntactic Clustering of the Web*, "Defining similarity" |
//! | [`Sampling`] | which fingerprints a sketch keeps, and at which moduli two sketches compare | the same, "Estimating …" |
//! | [`KeyRule`] | the keys of a sketch, of which two documents must share some to be compared | the same, "Super shingles" |
//! | [`Posting`] | ⟨shingle, document⟩ | the same, "The clustering algorithm", phase 2 |
//! | [`PairCount`] | ⟨document, document, shared shingles⟩ | the same, phase 3 |
//! | [`Class`] | the documents that one is equal to, in three degrees | the same, "Identical documents" |
//! | [`LinkPolicy`], [`policy`] | which pairs are links, which documents stay | |
//! | [`Ratio`], [`Threshold`] | exact rationals, so that no machine rounds a link away | |
//! | [`Overlap`] | the shingles that two sketches share, and the estimates that follow | the theorem of the paper |
//!
//! Records and figures are small `Copy` values; only [`VecCells`] and [`Renumbering`] grow.

mod cells;
mod content;
mod file_stat;
mod ids;
mod interval;
mod key_rule;
mod keyed;
mod leading;
mod link;
mod overlap;
mod pair_count;
pub mod policy;
mod posting_and_class;
mod ratio;
mod record;
mod renumbering;
mod sampling;
mod sketch_overlap;
mod unpoisoned;
mod words;

pub use cells::{Cells, VecCells};
pub use content::{Content, Markup};
pub use file_stat::FileStat;
pub use ids::{DocId, PublicId, SnapshotNumber};
pub use interval::Interval;
pub use key_rule::{KeyRule, key_of, mix};
pub use keyed::Keyed;
pub use leading::Leading;
pub use link::{CandidateFilter, ContainedDocument, LinkPolicy, ThresholdsMet};
pub use overlap::{Estimate, Overlap};
pub use pair_count::PairCount;
pub use policy::{DensityLimits, Keep, Linkage, PublishedLinks, Settle};
pub use posting_and_class::{Class, Equality, Posting, Shingle, SketchedFingerprints};
pub use ratio::{Ratio, Threshold, ThresholdError};
pub use record::{Field, Record, width_of};
pub use renumbering::{Renumbering, SnapshotDocuments};
pub use sampling::{CommonLevel, PermutationFamily, Sampling, SizesByLevel};
pub use sketch_overlap::shared;
pub use unpoisoned::Unpoisoned;
pub use words::{WordRecord, Words, words_of};
