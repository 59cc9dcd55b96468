//! The fixed-width records that only this program's own files hold. All little-endian.

use crate::layout::{u32_at, u64_at};
use model::Record;

fn put32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn put64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

fn put128(bytes: &mut [u8], at: usize, value: u128) {
    put64(bytes, at, value as u64);
    put64(bytes, at + 8, (value >> 64) as u64);
}

fn u128_at(bytes: &[u8], at: usize) -> u128 {
    u128::from(u64_at(bytes, at)) | (u128::from(u64_at(bytes, at + 8)) << 64)
}

/// What `distinct` and the later phases need of a document, in document order. 57 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Fingerprint of body, media type and charset.
    pub identity: u128,
    /// Fingerprint of the canonical tokens.
    pub lexical: u64,
    /// Fingerprint of the sketch and its modulus.
    pub sketch: u128,
    /// Canonical tokens.
    pub words: u64,
    /// Fingerprints in the sketch.
    pub sketch_size: u32,
    /// Level of the sampling the sketch was kept at.
    pub level: u8,
    /// Bytes of the body.
    pub bytes: u32,
}

impl Record for Mark {
    const SIZE: usize = 57;
    #[inline]
    fn encode(&self, bytes: &mut [u8]) {
        put128(bytes, 0, self.identity);
        put64(bytes, 16, self.lexical);
        put128(bytes, 24, self.sketch);
        put64(bytes, 40, self.words);
        put32(bytes, 48, self.sketch_size);
        put32(bytes, 52, self.bytes);
        bytes[56] = self.level;
    }
    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        Mark {
            identity: u128_at(bytes, 0),
            lexical: u64_at(bytes, 16),
            sketch: u128_at(bytes, 24),
            words: u64_at(bytes, 40),
            sketch_size: u32_at(bytes, 48),
            bytes: u32_at(bytes, 52),
            level: bytes[56],
        }
    }
}

/// A shingle in more sketches than the limit allows. 16 bytes, ordered by shingle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommonRecord {
    /// Its fingerprint.
    pub shingle: u64,
    /// Representatives whose sketch holds it.
    pub documents: u32,
    /// The lowest of them.
    pub example: u32,
}

impl Record for CommonRecord {
    const SIZE: usize = 16;
    #[inline]
    fn encode(&self, bytes: &mut [u8]) {
        put64(bytes, 0, self.shingle);
        put32(bytes, 8, self.documents);
        put32(bytes, 12, self.example);
    }
    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        CommonRecord {
            shingle: u64_at(bytes, 0),
            documents: u32_at(bytes, 8),
            example: u32_at(bytes, 12),
        }
    }
    #[inline]
    fn prefix(&self) -> u64 {
        self.shingle
    }
}

/// Common shingles taken out of a document's sketch, by how coarse a modulus still keeps them. 9
/// bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LostRecord {
    /// The document.
    pub doc: u32,
    /// The coarsest level that keeps them.
    pub level: u8,
    /// How many.
    pub count: u32,
}

impl Record for LostRecord {
    const SIZE: usize = 9;
    #[inline]
    fn encode(&self, bytes: &mut [u8]) {
        put32(bytes, 0, self.doc);
        bytes[4] = self.level;
        put32(bytes, 5, self.count);
    }
    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        LostRecord {
            doc: u32_at(bytes, 0),
            level: bytes[4],
            count: u32_at(bytes, 5),
        }
    }
    #[inline]
    fn prefix(&self) -> u64 {
        u64::from(self.doc) << 32 | u64::from(self.level)
    }
}

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
}

impl Record for LinkRecord {
    const SIZE: usize = 25;
    #[inline]
    fn encode(&self, bytes: &mut [u8]) {
        let fields = [
            self.a,
            self.b,
            self.shared,
            self.size_a,
            self.size_b,
            self.modulus,
        ];
        for (slot, field) in fields.into_iter().enumerate() {
            put32(bytes, 4 * slot, field);
        }
        bytes[24] = self.reached;
    }
    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        let [a, b, shared, size_a, size_b, modulus] =
            [0, 4, 8, 12, 16, 20].map(|at| u32_at(bytes, at));
        LinkRecord {
            a,
            b,
            shared,
            size_a,
            size_b,
            modulus,
            reached: bytes[24],
        }
    }
    #[inline]
    fn prefix(&self) -> u64 {
        u64::from(self.a) << 32 | u64::from(self.b)
    }
}

/// A document of a cluster of two or more. 9 bytes, ordered by document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberRecord {
    /// The document.
    pub doc: u32,
    /// Its cluster: the lowest document in it.
    pub cluster: u32,
    /// 1 if this one is kept.
    pub keep: u8,
}

impl Record for MemberRecord {
    const SIZE: usize = 9;
    #[inline]
    fn encode(&self, bytes: &mut [u8]) {
        put32(bytes, 0, self.doc);
        put32(bytes, 4, self.cluster);
        bytes[8] = self.keep;
    }
    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        MemberRecord {
            doc: u32_at(bytes, 0),
            cluster: u32_at(bytes, 4),
            keep: bytes[8],
        }
    }
    #[inline]
    fn prefix(&self) -> u64 {
        u64::from(self.doc) << 32
    }
}

/// A cluster of two or more. 25 bytes, ordered by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClusterRecord {
    /// Its id: the lowest document in it.
    pub cluster: u32,
    /// Documents in it.
    pub documents: u32,
    /// Representatives in it.
    pub distinct: u32,
    /// The weakest relation needed: 0 identical, 1 lexical, 2 shingle, 3 similar.
    pub kind: u8,
    /// Shared shingles of the weakest link; 0 of 0 without links.
    pub weakest_shared: u32,
    /// Shingles of the union of the weakest link.
    pub weakest_union: u32,
    /// The document that is kept.
    pub kept: u32,
}

impl Record for ClusterRecord {
    const SIZE: usize = 25;
    #[inline]
    fn encode(&self, bytes: &mut [u8]) {
        let fields = [
            self.cluster,
            self.documents,
            self.distinct,
            self.weakest_shared,
            self.weakest_union,
            self.kept,
        ];
        for (slot, field) in fields.into_iter().enumerate() {
            put32(bytes, 4 * slot, field);
        }
        bytes[24] = self.kind;
    }
    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        let [
            cluster,
            documents,
            distinct,
            weakest_shared,
            weakest_union,
            kept,
        ] = [0, 4, 8, 12, 16, 20].map(|at| u32_at(bytes, at));
        ClusterRecord {
            cluster,
            documents,
            distinct,
            kind: bytes[24],
            weakest_shared,
            weakest_union,
            kept,
        }
    }
    #[inline]
    fn prefix(&self) -> u64 {
        u64::from(self.cluster) << 32
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
        fn records_read_back(x: u128, y: u128, l: u64, n: [u32; 6], k: u8) {
            let [a, b, c, d, e, f] = n;
            round_trip(Mark { identity: x, lexical: l, sketch: y, words: l, sketch_size: b, level: k, bytes: c });
            round_trip(CommonRecord { shingle: l, documents: a, example: b });
            round_trip(LostRecord { doc: a, level: k, count: b });
            round_trip(LinkRecord { a, b, shared: c, size_a: d, size_b: e, modulus: f, reached: k });
            round_trip(MemberRecord { doc: a, cluster: b, keep: k });
            round_trip(ClusterRecord {
                cluster: a, documents: b, distinct: c, kind: k, weakest_shared: d, weakest_union: e, kept: f,
            });
        }
    }
}
