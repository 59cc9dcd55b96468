//! How many documents contain a shingle, where sketches do not say.
//!
//! An adaptive sketch of a long page leaves out the shingles that are not multiples of its modulus.
//! So a frame that all pages of a site share is in the sketches of its short pages only. One
//! document in [`COUNTED_ONE_IN`] is *counted*: all of its shingles are known. Counted documents
//! tell how many others contain a shingle beyond their sketches.

/// One document in so many is counted.
pub const COUNTED_ONE_IN: u64 = 64;

/// Fewer counted documents say nothing: one alone may stand for itself.
pub const COUNTED_MIN: u64 = 4;

/// A document of more shingles is not counted, so that memory stays bounded.
pub const COUNTED_SHINGLES_MAX: u64 = 1 << 16;

/// How many documents contain a shingle, apart from those whose sketches do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frequency {
    /// About how many documents contain it beyond their sketches.
    pub beyond: u64,
    /// At least about so many documents contain it, whether their sketches do or not.
    pub total: u64,
}

impl Frequency {
    /// The frequency of a shingle that so many counted documents contain beyond their sketches. Of
    /// 1000 documents 15.6 are counted on average, with a standard deviation of 3.9, a quarter.
    ///
    /// ```
    /// use model::Frequency;
    /// assert_eq!(Frequency::of_counted(3).documents(7), 7);
    /// assert_eq!(Frequency::of_counted(16).documents(7), 1031);
    /// ```
    pub fn of_counted(beyond: u64) -> Frequency {
        let is_enough = beyond >= COUNTED_MIN;
        let beyond = if is_enough {
            beyond.saturating_mul(COUNTED_ONE_IN)
        } else {
            0
        };
        Frequency { beyond, total: 0 }
    }

    /// The frequency of a shingle that is in the same counted documents as another one, which about
    /// so many documents contain.
    pub fn of_block(documents: u64) -> Frequency {
        Frequency {
            beyond: 0,
            total: documents,
        }
    }

    /// About how many documents contain the shingle, if the sketches of so many do.
    pub fn documents(&self, sketches: u64) -> u64 {
        sketches.saturating_add(self.beyond).max(self.total)
    }

    /// Whether the sample decides too coarsely if so many counted documents are more than `limit`.
    pub fn is_uncertain(counted: u64, limit: u64) -> bool {
        let documents = counted.saturating_mul(COUNTED_ONE_IN);
        documents >= limit / 3 && documents / 2 <= limit
    }
}
