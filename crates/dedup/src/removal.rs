//! The record of a removed document, and the file of all of them.
//!
//! The file is in document order. Every later step reads it.

use super::task::Task;
use format::RecordReader;
use model::{Overlap, Words};
use runtime::Error;
use std::path::PathBuf;

/// ⟨removed document, kept document, relation, shared, size of the document, size of the kept,
/// modulus, links⟩.
pub(super) type RemovalRecord = Words<8>;

/// Stands for a number of links that was not counted.
pub(super) const NOT_COUNTED: u32 = u32::MAX;

/// The overlap of the two documents.
pub(super) fn overlap(removal: &RemovalRecord) -> Overlap {
    let Words([_, _, _, shared, size_a, size_b, modulus, _]) = *removal;
    Overlap {
        shared,
        size_a,
        size_b,
        modulus,
    }
}

/// Whether both documents have equal tokens. Then the overlap is known and need not be estimated.
pub(super) fn is_equal(removal: &RemovalRecord) -> bool {
    removal.0[2] < 2
}

/// The scratch file of all removals.
pub(super) struct RemovalFile {
    pub(super) path: PathBuf,
    /// Number of records.
    pub(super) removed: u64,
}

impl RemovalFile {
    /// Reads it from the first record.
    pub(super) fn read(&self, task: &Task<'_>) -> Result<RecordReader<RemovalRecord>, Error> {
        task.read(&self.path)
    }
}
