//! The records that the joins sort.

use format::Mark;
use model::{Sampling, keyed, record, word_record};

/// ⟨key, rank of the key, revisit⟩: a revisit looks for documents with this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WantedKey {
    pub(super) key: u128,
    /// The lower, the better.
    pub(super) rank: u8,
    pub(super) revisit: u32,
}

word_record! { WantedKey { key, rank, revisit } }
keyed! { WantedKey: u128 = |wanted| wanted.key }

/// ⟨revisit, rank of the key, document⟩: a document that may have the body of a revisit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FoundOriginal {
    pub(super) revisit: u32,
    /// The lower, the better.
    pub(super) rank: u8,
    pub(super) doc: u32,
}

word_record! { FoundOriginal { revisit, rank, doc } }

/// ⟨revisit, number of a key⟩: others look for a key that the revisit has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OfferedKey {
    pub(super) revisit: u32,
    pub(super) number: u32,
}

word_record! { OfferedKey { revisit, number } }
keyed! { OfferedKey: u32 = |offered| offered.revisit }

/// ⟨document, revisit⟩: the document has the body of the revisit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OriginalOf {
    pub(super) doc: u32,
    pub(super) revisit: u32,
}

word_record! { OriginalOf { doc, revisit } }
keyed! { OriginalOf: u32 = |original| original.doc }

/// The attributes that a revisit has from its original. The sketch is apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OriginalAttributes {
    pub(super) revisit: u32,
    pub(super) modulus: u32,
    pub(super) bytes: u64,
    pub(super) shingles: u64,
    pub(super) sizes: [u32; Sampling::LEVELS_MAX],
    pub(super) mark: Mark,
}

record! {
    OriginalAttributes { revisit, modulus, bytes, shingles, sizes, mark },
    |attributes| u64::from(attributes.revisit) << 32
}

/// ⟨revisit, fingerprint of its sketch⟩.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RevisitFingerprint {
    pub(super) revisit: u32,
    pub(super) fingerprint: u64,
}

word_record! { RevisitFingerprint { revisit, fingerprint } }
keyed! { RevisitFingerprint: u32 = |one| one.revisit }

#[cfg(test)]
mod tests {
    use super::*;
    use model::Record;
    use proptest::prelude::*;

    fn round<R: Record + std::fmt::Debug>(record: R) {
        let mut bytes = vec![0; R::SIZE];
        record.encode(&mut bytes);
        assert_eq!(R::decode(&bytes), record);
    }

    proptest! {
        #[test]
        fn records_read_back(key: u128, n: [u32; 4], long: [u64; 4], rank: u8, sizes: [u32; Sampling::LEVELS_MAX]) {
            let mark = Mark {
                identity: key, lexical: long[0], sketch: !key, words: long[1], sketch_size: n[1], level: rank, bytes: n[2],
            };
            round(OriginalAttributes { revisit: n[0], modulus: n[3], bytes: long[2], shingles: long[3], sizes, mark });
        }
    }
}
