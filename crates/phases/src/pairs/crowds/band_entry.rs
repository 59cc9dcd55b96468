//! A key of a document, with the size of the document beside it.

use model::Posting;

/// Bits of a key that are kept. Two keys are equal in them by chance with probability 2^-40. Then
/// two groups become one, and some of its pairs are missed in this band.
const KEY_BITS: u32 = 40;

/// The largest size that has a place.
const SIZE_MAX: u64 = (1 << 24) - 1;

/// A document in the group of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BandEntry {
    /// The upper bits of the key.
    pub(super) key: u64,
    pub(super) doc: u32,
    /// Tokens of the document.
    pub(super) size: u32,
}

impl BandEntry {
    /// The upper bits of a key.
    pub(super) fn upper(key: u64) -> u64 {
        key & (u64::MAX << (64 - KEY_BITS))
    }

    /// With a size that may be too large for its place.
    pub(super) fn new(key: u64, doc: u32, size: u64) -> BandEntry {
        BandEntry {
            key: BandEntry::upper(key),
            doc,
            size: size.min(SIZE_MAX) as u32,
        }
    }

    /// A record that sorts by key and document.
    pub(super) fn record(self) -> Posting {
        Posting {
            shingle: self.key | u64::from(self.doc >> 8),
            doc: self.doc << 24 | self.size,
        }
    }

    /// The entry of a record.
    pub(super) fn of(record: Posting) -> BandEntry {
        BandEntry {
            key: BandEntry::upper(record.shingle),
            doc: (record.shingle as u32) << 8 | record.doc >> 24,
            size: record.doc & SIZE_MAX as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_record_has_the_entry_and_its_order(a: (u64, u32, u64), b: (u64, u32, u64)) {
            let [a, b] = [a, b].map(|(key, doc, size)| BandEntry::new(key, doc, size));
            prop_assert_eq!(BandEntry::of(a.record()), a);
            let order = |one: BandEntry| (one.key, one.doc, one.size);
            prop_assert_eq!(a.record().cmp(&b.record()), order(a).cmp(&order(b)));
        }
    }
}
