//! The records that the phases exchange: postings and the classes of equal documents.

use crate::{keyed, record};

/// Fingerprint of a shingle.
pub type Shingle = u64;

/// ⟨shingle, document⟩, ordered by shingle, then document. 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Posting {
    /// The shingle's fingerprint.
    pub shingle: Shingle,
    /// The document, in input order.
    pub doc: u32,
}

record!(Posting { shingle, doc }, {
    #[inline]
    fn prefix(&self) -> u64 {
        self.shingle
    }
    const NUMBERED: bool = true;
    #[inline]
    fn number(&self) -> u32 {
        self.doc
    }
    #[inline]
    fn numbered(prefix: u64, number: u32) -> Option<Self> {
        Some(Posting {
            shingle: prefix,
            doc: number,
        })
    }
});

/// The ways in which documents are equal without a comparison of shingles, from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Equality {
    /// Equal body, media type and charset.
    Identical,
    /// Equal canonical tokens.
    Lexical,
    /// Equal sketch at equal modulus.
    Shingle,
}

/// The classes one document shares with others: the lowest document of each, or [`Class::NONE`]. 16
/// bytes.
///
/// Written only for documents that share at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// The document.
    pub doc: u32,
    /// Lowest documents of its classes, by [`Equality`] from narrow to wide.
    pub lowest: [u32; 3],
}

impl Class {
    /// The document shares no such class.
    pub const NONE: u32 = u32::MAX;

    /// A document that shares nothing.
    pub fn alone(doc: u32) -> Class {
        Class {
            doc,
            lowest: [Class::NONE; 3],
        }
    }

    /// The strongest class it shares and the lowest document of that class, which may be itself.
    pub fn same_as(&self) -> Option<(Equality, u32)> {
        Equality::ALL
            .into_iter()
            .zip(self.lowest)
            .find(|(_, lowest)| *lowest != Class::NONE)
    }

    /// The lowest document that has the same body, media type and charset.
    pub fn lowest_of_equal_bodies(&self) -> u32 {
        self.doc.min(self.lowest[0])
    }

    /// The lowest document that has the same tokens.
    pub fn lowest_of_equal_tokens(&self) -> u32 {
        let [identical, lexical, _] = self.lowest;
        self.doc.min(identical).min(lexical)
    }

    /// The lowest document of the widest class, which stands for all of it in `sort` and `pairs`.
    pub fn representative(&self) -> u32 {
        // Classes are nested, so the widest one that exists has the lowest document of all.
        self.lowest.iter().copied().fold(self.doc, u32::min)
    }
}

impl Equality {
    /// The word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Equality::Identical => "identical",
            Equality::Lexical => "lexical",
            Equality::Shingle => "shingle",
        }
    }

    /// The word for how two documents are related, by the number of the narrowest class that both
    /// are in; any other number says that they are only similar.
    pub fn name_of_relation(number: u32) -> &'static str {
        let class = Equality::ALL.get(number as usize);
        class.map_or("similar", |class| class.name())
    }

    /// All three, from narrow to wide; the position is the index into [`Class::lowest`].
    pub const ALL: [Equality; 3] = [Equality::Identical, Equality::Lexical, Equality::Shingle];
}

record! { Class { doc, lowest }, |class| u64::from(class.doc) << 32 | u64::from(class.lowest[0]) }
keyed! { Class: u32 = |class| class.doc }

/// The fingerprints of a document as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SketchedFingerprints {
    /// Fingerprint of body, media type and charset.
    pub identity: u128,
    /// Fingerprint of the canonical tokens.
    pub lexical: u64,
    /// Number of canonical tokens.
    pub words: u64,
    /// Fingerprint of the sketch and its modulus.
    pub sketch: u128,
    /// Number of fingerprints in the sketch.
    pub sketch_size: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PairCount, Record};
    use proptest::prelude::*;

    fn round_trip<R: Record + std::fmt::Debug>(record: R) {
        let mut bytes = vec![0; R::SIZE];
        record.encode(&mut bytes);
        assert_eq!(R::decode(&bytes), record);
    }

    proptest! {
        #[test]
        fn records_read_back(shingle: u64, a: u32, b: u32, n: u32, c: u32) {
            round_trip(Posting { shingle, doc: a });
            round_trip(PairCount { a, b, shared: n });
            round_trip(Class { doc: a, lowest: [b, n, c] });
        }

        #[test]
        fn prefixes_keep_the_order(x: [u32; 5], y: [u32; 5], equal in 0usize..5) {
            let mut y = y;
            y[..equal].copy_from_slice(&x[..equal]);
            let posting = |n: [u32; 5]| Posting { shingle: u64::from(n[0]) << 32 | u64::from(n[1]), doc: n[2] };
            let pair = |n: [u32; 5]| PairCount { a: n[0], b: n[1], shared: n[2] };
            let class = |n: [u32; 5]| Class { doc: n[0], lowest: [n[1], n[2], n[3]] };
            let (low, high) = if x <= y { (x, y) } else { (y, x) };
            prop_assert!(posting(low) <= posting(high) && posting(low).prefix() <= posting(high).prefix());
            prop_assert!(pair(low) <= pair(high) && pair(low).prefix() <= pair(high).prefix());
            prop_assert!(class(low) <= class(high) && class(low).prefix() <= class(high).prefix());
        }
    }
}
