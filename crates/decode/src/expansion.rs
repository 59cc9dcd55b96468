//! How far compressed bytes may expand.
//!
//! *Algorithm.* An entry, which is a gzip member, a zstd frame, a deflated file of a zip file or a
//! row group of Parquet, may have so many bytes for each compressed one, or [`FREE_BYTES`] if that
//! is more. What entries have beyond the first is taken from the second, so that many small entries
//! of a file cannot cost more than one large entry. Bodies that are decoded out of an entry count
//! with it, out of a plain file each alone. A short record of an entry counts as [`RECORD_BYTES`].

/// The bytes that an entry may expand to whatever its compressed size is, less the share of the
/// entries before it.
pub const FREE_BYTES: u64 = 64 << 20;

/// Bytes of work files that a document or a rejection takes however short its record is: a record
/// of an entry counts as so many.
pub const RECORD_BYTES: u64 = 64;

/// Reason of an entry whose rest is given up.
pub const EXPANDS_TOO_FAR: &str = "expands-too-far";

/// The allowance of the entries that one reader decodes.
#[derive(Clone, Copy, Debug)]
pub struct ExpansionLimit {
    /// Bytes that an entry may have for each compressed one.
    max: u64,
    /// Bytes of entries so far beyond that.
    excess_bytes: u64,
}

impl ExpansionLimit {
    /// Of so many bytes for each compressed one; nothing was decoded yet.
    pub fn new(max: u32) -> ExpansionLimit {
        ExpansionLimit {
            max: max.into(),
            excess_bytes: 0,
        }
    }

    /// Whether each byte has to be counted as it is made.
    pub fn is_used_up(&self) -> bool {
        self.excess_bytes >= FREE_BYTES
    }

    /// Bytes that an entry of so many compressed ones may have.
    fn most(&self, compressed: u64) -> u64 {
        let free = FREE_BYTES.saturating_sub(self.excess_bytes);
        compressed.saturating_mul(self.max).max(free)
    }

    /// Bytes that an entry may have beyond those that it has.
    pub fn room(&self, compressed: u64, bytes: u64) -> u64 {
        self.most(compressed).saturating_sub(bytes)
    }

    /// Why an entry that has so many bytes of so many compressed ones is given up there, if it is.
    pub fn refusal(&self, compressed: u64, bytes: u64) -> Option<String> {
        (bytes > self.most(compressed)).then(|| {
            format!(
                "{compressed} compressed bytes expand to {bytes} or more; to read them, raise \
                 max-expansion in [input], which is {}",
                self.max
            )
        })
    }

    /// Counts what an entry had beyond its compressed bytes.
    pub fn end_entry(&mut self, compressed: u64, bytes: u64) {
        let over = bytes.saturating_sub(compressed.saturating_mul(self.max));
        self.excess_bytes = self.excess_bytes.saturating_add(over);
    }
}
