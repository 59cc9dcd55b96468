//! The fixed-width records of the files between the phases. All numbers are little-endian.
//!
//! [`record!`] lists the fields in the order of their bytes, which may differ from the order of the
//! type. A sort looks at the prefix first: 64 bits that hold the leading field in their upper half.

use model::{Overlap, SketchedFingerprints, keyed, record, word_record};

/// Fingerprints and counts of a document for `distinct` and the later phases, in document order.
/// 57 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Fingerprint of body, media type and charset.
    pub identity: u128,
    /// Fingerprint of the canonical tokens.
    pub lexical: u64,
    /// Fingerprint of the sketch and its modulus.
    pub sketch: u128,
    /// Canonical tokens: words, characters or lines.
    pub words: u64,
    /// Fingerprints in the sketch.
    pub sketch_size: u32,
    /// Sampling level of the sketch.
    pub level: u8,
    /// Bytes of the body.
    pub bytes: u32,
}

// Marks are in document order and are never sorted, so they need no prefix.
record! { Mark { identity, lexical, sketch, words, sketch_size, bytes, level } }

impl From<&Mark> for SketchedFingerprints {
    fn from(mark: &Mark) -> SketchedFingerprints {
        SketchedFingerprints {
            identity: mark.identity,
            lexical: mark.lexical,
            words: mark.words,
            sketch: mark.sketch,
            sketch_size: mark.sketch_size,
        }
    }
}

/// A shingle in more sketches than the limit allows. 16 bytes, ordered by shingle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommonRecord {
    /// Its fingerprint.
    pub shingle: u64,
    /// Representatives whose sketches contain it.
    pub documents: u32,
    /// The lowest document of them.
    pub example: u32,
}

record! { CommonRecord { shingle, documents, example }, |common| common.shingle }

/// A common shingle in the sketch of a document. 12 bytes, ordered by document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommonOfDocument {
    /// The document.
    pub doc: u32,
    /// The fingerprint of the shingle.
    pub shingle: u64,
}

record! { CommonOfDocument { doc, shingle }, |common| u64::from(common.doc) << 32 | common.shingle >> 32 }
keyed! { CommonOfDocument: u32 = |common| common.doc }

/// A link between two representatives with the counts it rests on. 25 bytes, ordered by (a, b).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkRecord {
    /// The lower document.
    pub a: u32,
    /// The higher document.
    pub b: u32,
    /// Shared sampled shingles.
    pub shared: u32,
    /// Sampled shingles of a.
    pub size_a: u32,
    /// Sampled shingles of b.
    pub size_b: u32,
    /// The modulus at which the three were counted.
    pub modulus: u32,
    /// Which thresholds were reached: see the constants.
    pub reached: u8,
}

impl LinkRecord {
    /// `reached`: the resemblance reached its threshold.
    pub const RESEMBLANCE: u8 = 1;
    /// `reached`: the containment of a in b reached its threshold.
    pub const A_IN_B: u8 = 2;
    /// `reached`: the containment of b in a reached its threshold.
    pub const B_IN_A: u8 = 4;

    /// The counts of the link.
    pub fn overlap(&self) -> Overlap {
        Overlap {
            shared: self.shared,
            size_a: self.size_a,
            size_b: self.size_b,
            modulus: self.modulus,
        }
    }
}

record! {
    LinkRecord { a, b, shared, size_a, size_b, modulus, reached },
    |link| u64::from(link.a) << 32 | u64::from(link.b)
}
word_record! { LinkRecord { a, b, shared, size_a, size_b, modulus, reached } }
keyed! { LinkRecord: [u32; 2] = |link| [link.a, link.b] }

/// Two documents that were compared by all their shingles. 20 bytes, ordered by (a, b).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SettledRecord {
    /// The lower document.
    pub a: u32,
    /// The higher document.
    pub b: u32,
    /// Shared shingles.
    pub shared: u32,
    /// Shingles of a.
    pub size_a: u32,
    /// Shingles of b.
    pub size_b: u32,
}

impl SettledRecord {
    /// The counts.
    pub fn overlap(&self) -> Overlap {
        Overlap {
            shared: self.shared,
            size_a: self.size_a,
            size_b: self.size_b,
            modulus: 1,
        }
    }
}

record! {
    SettledRecord { a, b, shared, size_a, size_b },
    |settled| u64::from(settled.a) << 32 | u64::from(settled.b)
}
keyed! { SettledRecord: [u32; 2] = |settled| [settled.a, settled.b] }

/// A document of a cluster of two or more. 12 bytes, ordered by document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberRecord {
    /// The document.
    pub doc: u32,
    /// Its cluster: the lowest document in it.
    pub cluster: u32,
    /// The document that stays in its favour; itself if it stays.
    pub kept: u32,
}

record! { MemberRecord { doc, cluster, kept }, |member| u64::from(member.doc) << 32 }
word_record! { MemberRecord { doc, cluster, kept } }
keyed! { MemberRecord: u32 = |member| member.doc }

impl MemberRecord {
    /// Whether it stays when duplicates are removed.
    pub fn stays(&self) -> bool {
        self.kept == self.doc
    }
}

/// A cluster of two or more. 29 bytes, ordered by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClusterRecord {
    /// Its id: the lowest document in it.
    pub cluster: u32,
    /// Documents in it.
    pub documents: u32,
    /// Representatives in it.
    pub distinct: u32,
    /// The weakest relation that holds the cluster together: 0 identical, 1 lexical, 2 shingle,
    /// 3 similar.
    pub kind: u8,
    /// Shared shingles of the weakest link. This and the union are 0 in a cluster without links.
    pub weakest_shared: u32,
    /// Shingles of the union of the weakest link.
    pub weakest_union: u32,
    /// The document that is kept; the best by `keep` of several.
    pub kept: u32,
    /// How many documents are kept.
    pub keeps: u32,
}

record! {
    ClusterRecord { cluster, documents, distinct, weakest_shared, weakest_union, kept, keeps, kind },
    |cluster| u64::from(cluster.cluster) << 32
}
keyed! { ClusterRecord: u32 = |cluster| cluster.cluster }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record_bytes::{bytes_of, counted, round_trip};
    use proptest::prelude::*;

    /// Files of earlier runs stay readable.
    #[test]
    fn records_keep_their_bytes() {
        let mark = Mark {
            identity: 1,
            lexical: 2,
            sketch: 3,
            words: 4,
            sketch_size: 5,
            bytes: 6,
            level: 7,
        };
        assert_eq!(bytes_of(mark), counted(&[16, 8, 16, 8, 4, 4, 1]));
        let common = CommonOfDocument { doc: 1, shingle: 2 };
        assert_eq!(bytes_of(common), counted(&[4, 8]));
        let link = LinkRecord {
            a: 1,
            b: 2,
            shared: 3,
            size_a: 4,
            size_b: 5,
            modulus: 6,
            reached: 7,
        };
        assert_eq!(bytes_of(link), counted(&[4, 4, 4, 4, 4, 4, 1]));
        let settled = SettledRecord {
            a: 1,
            b: 2,
            shared: 3,
            size_a: 4,
            size_b: 5,
        };
        assert_eq!(bytes_of(settled), counted(&[4; 5]));
        let cluster = ClusterRecord {
            cluster: 1,
            documents: 2,
            distinct: 3,
            weakest_shared: 4,
            weakest_union: 5,
            kept: 6,
            keeps: 7,
            kind: 8,
        };
        assert_eq!(bytes_of(cluster), counted(&[4, 4, 4, 4, 4, 4, 4, 1]));
        let member = MemberRecord {
            doc: 1,
            cluster: 2,
            kept: 3,
        };
        assert_eq!(bytes_of(member), counted(&[4; 3]));
        let common = CommonRecord {
            shingle: 1,
            documents: 2,
            example: 3,
        };
        assert_eq!(bytes_of(common), counted(&[8, 4, 4]));
    }

    proptest! {
        #[test]
        fn records_read_back(x: u128, y: u128, l: u64, n: [u32; 7], k: u8) {
            let [a, b, c, d, e, f, g] = n;
            round_trip(Mark { identity: x, lexical: l, sketch: y, words: l, sketch_size: b, level: k, bytes: c });
            round_trip(CommonRecord { shingle: l, documents: a, example: b });
            round_trip(CommonOfDocument { doc: a, shingle: l });
            round_trip(LinkRecord { a, b, shared: c, size_a: d, size_b: e, modulus: f, reached: k });
            round_trip(SettledRecord { a, b, shared: c, size_a: d, size_b: e });
            round_trip(MemberRecord { doc: a, cluster: b, kept: c });
            round_trip(ClusterRecord {
                cluster: a, documents: b, distinct: c, kind: k, weakest_shared: d, weakest_union: e, kept: f, keeps: g,
            });
        }
    }
}
