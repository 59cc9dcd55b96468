//! Document numbers, inside and outside.

/// Dense number of a document within its snapshot, in input order. At most 2^32 − 1 documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocId(pub u32);

/// Number of a snapshot; the only one of a run without `snapshots.toml` is 0, named `default`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotNumber(pub u32);

/// The id users see: snapshot number × 2^32 + position in the snapshot. Never reused; fits INT64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicId(pub i64);

impl SnapshotNumber {
    /// The public id of a document of this snapshot.
    pub fn public(self, doc: DocId) -> PublicId {
        PublicId((i64::from(self.0) << 32) | i64::from(doc.0))
    }
}

impl PublicId {
    /// Splits a public id; `None` for negative numbers, which are never given out.
    pub fn split(self) -> Option<(SnapshotNumber, DocId)> {
        let bits = u64::try_from(self.0).ok()?;
        let snapshot = u32::try_from(bits >> 32).ok()?;
        let doc = u32::try_from(bits & 0xFFFF_FFFF).ok()?;
        Some((SnapshotNumber(snapshot), DocId(doc)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_ids_split_back() {
        let id = SnapshotNumber(3).public(DocId(7));
        assert_eq!(id.0, 3 * (1_i64 << 32) + 7);
        assert_eq!(id.split(), Some((SnapshotNumber(3), DocId(7))));
        assert_eq!(PublicId(-1).split(), None);
    }
}
