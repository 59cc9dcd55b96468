//! Sketches and sketch sizes as rows.

use crate::rows::{Row, RowBytes, put_varint};
use model::{Sampling, SizeLadder};
use std::borrow::Cow;

/// Fingerprints in one row at most; longer sketches go on in the next row, so that no reader holds one whole.
pub const SKETCH_ROW_MAX: usize = 4096;

/// A piece of a document's sketch: fingerprints in ascending order, 8 bytes each, little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SketchRow<'a> {
    /// The document, relative to its segment.
    pub doc: u32,
    /// Encoded fingerprints.
    fingerprints: Cow<'a, [u8]>,
}

impl<'a> SketchRow<'a> {
    /// The rows of a sketch; none for an empty one.
    pub fn pieces(doc: u32, fingerprints: &[u64]) -> impl Iterator<Item = SketchRow<'static>> + '_ {
        fingerprints.chunks(SKETCH_ROW_MAX).map(move |chunk| {
            let bytes: Vec<u8> = chunk.iter().flat_map(|f| f.to_le_bytes()).collect();
            SketchRow { doc, fingerprints: Cow::Owned(bytes) }
        })
    }

    /// The fingerprints.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.fingerprints.chunks_exact(8).map(|bytes| crate::layout::u64_at(bytes, 0))
    }
}

impl<'a> Row<'a> for SketchRow<'a> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_varint(out, u64::from(self.doc));
        put_varint(out, (self.fingerprints.len() / 8) as u64);
        out.extend_from_slice(&self.fingerprints);
    }
    fn decode(bytes: &mut RowBytes<'a>) -> Option<Self> {
        let doc = bytes.varint32()?;
        let n = usize::try_from(bytes.varint()?).ok()?;
        Some(SketchRow { doc, fingerprints: Cow::Borrowed(bytes.take(n.checked_mul(8)?)?) })
    }
}

/// The sketch sizes of one document, from its own level to the coarsest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderRow(pub SizeLadder);

impl<'a> Row<'a> for LadderRow {
    fn encode(&self, out: &mut Vec<u8>) {
        let known = || self.0.sizes.iter().enumerate().filter(|(_, size)| **size != SizeLadder::UNKNOWN);
        put_varint(out, self.0.own_level().unwrap_or(0) as u64);
        put_varint(out, known().count() as u64);
        for (_, &size) in known() {
            put_varint(out, u64::from(size));
        }
    }
    fn decode(bytes: &mut RowBytes<'a>) -> Option<Self> {
        let first = usize::try_from(bytes.varint()?).ok()?;
        let n = usize::try_from(bytes.varint()?).ok()?;
        let mut ladder = SizeLadder::unknown();
        let slots = ladder.sizes.get_mut(first..first.checked_add(n)?)?;
        for slot in slots {
            *slot = bytes.varint32()?;
        }
        debug_assert!(n <= Sampling::LEVELS_MAX);
        Some(LadderRow(ladder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_read_back(doc: u32, mut prints in proptest::collection::vec(1u64.., 1..9000), level in 0usize..6) {
            prints.sort_unstable();
            let mut out = Vec::new();
            for piece in SketchRow::pieces(doc, &prints) {
                piece.encode(&mut out);
            }
            let mut read = RowBytes(&out);
            let mut back = Vec::new();
            while !read.0.is_empty() {
                let row = SketchRow::decode(&mut read).expect("a row");
                prop_assert_eq!(row.doc, doc);
                back.extend(row.iter());
            }
            prop_assert_eq!(&back, &prints);
            let sampling = Sampling::Adaptive { target: 128, coarsest_log2: 5 };
            let ladder = LadderRow(sampling.ladder(level, &prints));
            let mut out = Vec::new();
            ladder.encode(&mut out);
            prop_assert_eq!(LadderRow::decode(&mut RowBytes(&out)), Some(ladder));
        }
    }
}
