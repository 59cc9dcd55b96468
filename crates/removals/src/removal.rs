//! The record of a removed document, and the file of all of them.
//!
//! The file is in document order. Every later step reads it.

use crate::candidate::NONE;
use crate::task::Task;
use format::RecordReader;
use model::{Equality, Overlap, Words};
use runtime::Error;
use sort::SortedWords;
use std::path::PathBuf;

/// ⟨removed document, kept document, relation, shared, size of the document, size of the kept,
/// modulus, links⟩.
pub type RemovalRecord = Words<8>;

/// Stands for a number of links that was not counted.
pub const NOT_COUNTED: u32 = u32::MAX;

/// The overlap of the two documents.
pub fn overlap(removal: &RemovalRecord) -> Overlap {
    let Words([_, _, _, shared, size_a, size_b, modulus, _]) = *removal;
    Overlap {
        shared,
        size_a,
        size_b,
        modulus,
    }
}

/// Whether both documents have equal bodies.
pub fn has_equal_body(removal: &RemovalRecord) -> bool {
    removal.0[2] == Equality::Identical as u32
}

/// Whether both documents have equal tokens.
pub fn has_equal_tokens(removal: &RemovalRecord) -> bool {
    removal.0[2] <= Equality::Lexical as u32
}

/// Whether the overlap is known and need not be estimated: both documents have equal tokens. Where
/// whole pages were compared, they may differ beside their main part all the same.
pub fn is_equal(removal: &RemovalRecord) -> bool {
    let Words([_, _, _, shared, size_a, size_b, ..]) = *removal;
    has_equal_tokens(removal) && shared == size_a && shared == size_b
}

/// The kept document; none with `--drop-all`.
pub fn kept(removal: &RemovalRecord) -> Option<u32> {
    Some(removal.0[1]).filter(|&kept| kept != NONE)
}

/// The resemblance to the kept document; none if neither has a shingle that counts.
pub fn resemblance(removal: &RemovalRecord) -> Option<f64> {
    kept(removal)?;
    if is_equal(removal) {
        return Some(1.0);
    }
    let ratio = overlap(removal).shared_of_union();
    (ratio.denominator > 0).then(|| ratio.to_f64())
}

/// The scratch file of all removals.
pub struct RemovalFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Number of records.
    pub removed: u64,
}

impl RemovalFile {
    /// Writes the removals to a scratch file.
    ///
    /// # Errors
    /// When they cannot be read or written.
    pub fn write(
        task: &Task<'_>,
        name: &str,
        mut removals: SortedWords<RemovalRecord>,
    ) -> Result<RemovalFile, Error> {
        let path = task.dir.join(name);
        let mut writer = task.write::<RemovalRecord>(&path)?;
        while let Some(removal) = removals.next()? {
            writer.push(&removal)?;
        }
        let removed = writer.finish()?.records;
        Ok(RemovalFile { path, removed })
    }

    /// The removals but those of some documents; asks in ascending order.
    ///
    /// # Errors
    /// When they cannot be read or written.
    pub fn without(
        self,
        task: &Task<'_>,
        mut stays: impl FnMut(u32) -> Result<bool, Error>,
    ) -> Result<RemovalFile, Error> {
        let path = self.path.with_extension("left");
        let mut writer = task.write::<RemovalRecord>(&path)?;
        let mut reader = self.read(task)?;
        while let Some(removal) = reader.next()? {
            if !stays(removal.0[0])? {
                writer.push(&removal)?;
            }
        }
        let removed = writer.finish()?.records;
        self.remove(task)?;
        Ok(RemovalFile { path, removed })
    }

    /// Reads it from the first record.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn read(&self, task: &Task<'_>) -> Result<RecordReader<RemovalRecord>, Error> {
        task.read(&self.path)
    }

    /// Removes the file.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(self, task: &Task<'_>) -> Result<(), Error> {
        task.engine.disk.remove(&self.path).map_err(Error::from)
    }
}
