//! The fixed-width records that are sorted and merged on disk. Little-endian, packed, ordered by
//! their key.

/// A fixed-width value that can be sorted on disk.
///
/// `Ord` is the order of the sort; encodings need not be order-preserving.
pub trait Record: Copy + Ord + Send + Sync + 'static {
    /// Encoded width in bytes.
    const SIZE: usize;
    /// Writes the record into `bytes`, which are [`Record::SIZE`] long.
    fn encode(&self, bytes: &mut [u8]);
    /// Reads a record back from [`Record::SIZE`] bytes.
    fn decode(bytes: &[u8]) -> Self;
    /// The first bits of the key as a number that keeps the order: `a <= b` gives `a.prefix() <=
    /// b.prefix()`.
    ///
    /// Sorting parts records by it before it compares them, so it should tell most records apart.
    /// Records that a sort joins into one must have equal prefixes.
    #[inline]
    fn prefix(&self) -> u64 {
        0
    }
    /// Whether the prefix and a number say all of it: [`Record::number`] and [`Record::numbered`].
    const NUMBERED: bool = false;
    /// The number.
    #[inline]
    fn number(&self) -> u32 {
        0
    }
    /// The record of a prefix and a number, if that says all of it.
    #[inline]
    fn numbered(_prefix: u64, _number: u32) -> Option<Self> {
        None
    }
    /// Whether there is a shorter form for many of them in order: [`Record::pack`].
    const PACKED: bool = false;
    /// Appends the short form of some records.
    fn pack(_records: &[Self], _bytes: &mut Vec<u8>) {}
    /// Appends `count` records whose short form this is; `None` if it is not.
    fn unpack(_bytes: &[u8], _count: usize, _records: &mut Vec<Self>) -> Option<()> {
        None
    }
}

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

/// ⟨document, document, count of common shingles⟩ with a < b, ordered by (a, b). 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairCount {
    /// The lower document.
    pub a: u32,
    /// The higher document.
    pub b: u32,
    /// Shared sampled shingles.
    pub shared: u32,
}

/// What makes two documents equal without comparing shingles, from narrow to wide.
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

    /// The lowest document of the widest class, which stands for all of it in `sort` and `pairs`.
    pub fn representative(&self) -> u32 {
        // Classes are nested, so the widest one that exists has the lowest document of all.
        self.lowest.iter().copied().fold(self.doc, u32::min)
    }
}

#[inline]
pub(crate) fn put_u32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

#[inline]
pub(crate) fn get_u32(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

impl Record for Posting {
    const SIZE: usize = 12;
    #[inline]
    fn encode(&self, bytes: &mut [u8]) {
        bytes[..8].copy_from_slice(&self.shingle.to_le_bytes());
        put_u32(bytes, 8, self.doc);
    }
    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[..8]);
        Posting {
            shingle: u64::from_le_bytes(word),
            doc: get_u32(bytes, 8),
        }
    }
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
}

/// A number by itself. 4 bytes.
impl Record for u32 {
    const SIZE: usize = 4;
    #[inline]
    fn encode(&self, bytes: &mut [u8]) {
        put_u32(bytes, 0, *self);
    }
    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        get_u32(bytes, 0)
    }
    #[inline]
    fn prefix(&self) -> u64 {
        u64::from(*self) << 32
    }
}

impl Record for PairCount {
    const SIZE: usize = 12;
    #[inline]
    fn encode(&self, bytes: &mut [u8]) {
        put_u32(bytes, 0, self.a);
        put_u32(bytes, 4, self.b);
        put_u32(bytes, 8, self.shared);
    }
    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        PairCount {
            a: get_u32(bytes, 0),
            b: get_u32(bytes, 4),
            shared: get_u32(bytes, 8),
        }
    }
    #[inline]
    fn prefix(&self) -> u64 {
        (u64::from(self.a) << 32) | u64::from(self.b)
    }
    const PACKED: bool = true;
    fn pack(records: &[Self], bytes: &mut Vec<u8>) {
        crate::packing::pack_pairs(records, bytes);
    }
    fn unpack(bytes: &[u8], count: usize, records: &mut Vec<Self>) -> Option<()> {
        crate::packing::unpack_pairs(bytes, count, records)
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

    /// All three, from narrow to wide; the position is the index into [`Class::lowest`].
    pub const ALL: [Equality; 3] = [Equality::Identical, Equality::Lexical, Equality::Shingle];
}

impl Record for Class {
    const SIZE: usize = 16;
    fn encode(&self, bytes: &mut [u8]) {
        put_u32(bytes, 0, self.doc);
        for (slot, lowest) in self.lowest.iter().enumerate() {
            put_u32(bytes, 4 + 4 * slot, *lowest);
        }
    }
    fn decode(bytes: &[u8]) -> Self {
        Class {
            doc: get_u32(bytes, 0),
            lowest: [4, 8, 12].map(|at| get_u32(bytes, at)),
        }
    }
    #[inline]
    fn prefix(&self) -> u64 {
        (u64::from(self.doc) << 32) | u64::from(self.lowest[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
