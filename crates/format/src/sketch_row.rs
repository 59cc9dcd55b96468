//! Sketches and sketch sizes as rows.

use crate::rows::{EncodedRow, RowBytes, put_varint};
use model::{Sampling, SizesByLevel};

/// Fingerprints in one row at most; longer sketches go on in the next row, so that no reader holds
/// one whole.
pub const SKETCH_ROW_MAX: usize = 4096;

/// A piece of a document's sketch: fingerprints in ascending order, 8 bytes each, little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SketchRow<'a> {
    /// The document, relative to its segment.
    pub doc: u32,
    fingerprints: Fingerprints<'a>,
}

/// Where the fingerprints of a row lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fingerprints<'a> {
    /// In a sketch, to be written.
    Numbers(&'a [u64]),
    /// In a block, as they were written.
    Encoded(&'a [u8]),
}

impl<'a> SketchRow<'a> {
    /// The rows of a sketch; none for an empty one.
    pub fn pieces(doc: u32, fingerprints: &'a [u64]) -> impl Iterator<Item = SketchRow<'a>> {
        let chunks = fingerprints.chunks(SKETCH_ROW_MAX);
        chunks.map(move |chunk| SketchRow {
            doc,
            fingerprints: Fingerprints::Numbers(chunk),
        })
    }

    /// The fingerprints.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        let (numbers, encoded): (&[u64], &[u8]) = match self.fingerprints {
            Fingerprints::Numbers(numbers) => (numbers, &[]),
            Fingerprints::Encoded(encoded) => (&[], encoded),
        };
        numbers.iter().copied().chain(
            encoded
                .as_chunks()
                .0
                .iter()
                .map(|bytes| u64::from_le_bytes(*bytes)),
        )
    }
}

impl<'a> EncodedRow<'a> for SketchRow<'a> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_varint(out, u64::from(self.doc));
        match self.fingerprints {
            Fingerprints::Numbers(numbers) => {
                put_varint(out, numbers.len() as u64);
                let at = out.len();
                // One copy on machines whose order of bytes is the file's.
                out.resize(at + 8 * numbers.len(), 0);
                for (slot, number) in out[at..].as_chunks_mut().0.iter_mut().zip(numbers) {
                    *slot = number.to_le_bytes();
                }
            }
            Fingerprints::Encoded(encoded) => {
                put_varint(out, (encoded.len() / 8) as u64);
                out.extend_from_slice(encoded);
            }
        }
    }
    fn decode(bytes: &mut RowBytes<'a>) -> Option<Self> {
        let doc = bytes.varint32()?;
        let n = usize::try_from(bytes.varint()?).ok()?;
        Some(SketchRow {
            doc,
            fingerprints: Fingerprints::Encoded(bytes.take(n.checked_mul(8)?)?),
        })
    }
}

/// The sketch sizes of one document, from its own level to the coarsest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizesRow(pub SizesByLevel);

impl<'a> EncodedRow<'a> for SizesRow {
    fn encode(&self, out: &mut Vec<u8>) {
        let known = || {
            self.0
                .sizes
                .iter()
                .enumerate()
                .filter(|(_, size)| **size != SizesByLevel::UNKNOWN)
        };
        put_varint(out, self.0.own_level().unwrap_or(0) as u64);
        put_varint(out, known().count() as u64);
        for (_, &size) in known() {
            put_varint(out, u64::from(size));
        }
    }
    #[inline]
    fn decode(bytes: &mut RowBytes<'a>) -> Option<Self> {
        let first = usize::try_from(bytes.varint()?).ok()?;
        let n = usize::try_from(bytes.varint()?).ok()?;
        let mut sizes = SizesByLevel::unknown();
        let slots = sizes.sizes.get_mut(first..first.checked_add(n)?)?;
        for slot in slots {
            *slot = bytes.varint32()?;
        }
        debug_assert!(n <= Sampling::LEVELS_MAX);
        Some(SizesRow(sizes))
    }
}

/// The finest of the sizes of one document, as [`SizesRow`] has them: all there is of a fixed
/// modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinestSizeRow(pub u32);

impl<'a> EncodedRow<'a> for FinestSizeRow {
    /// As the only size.
    fn encode(&self, out: &mut Vec<u8>) {
        put_varint(out, 0);
        let known = self.0 != SizesByLevel::UNKNOWN;
        put_varint(out, u64::from(known));
        if known {
            put_varint(out, u64::from(self.0));
        }
    }
    #[inline]
    fn decode(bytes: &mut RowBytes<'a>) -> Option<Self> {
        // Nearly all have the one size there is, and it is small.
        if let [0, 1, size @ 0..=0x7F, rest @ ..] = bytes.0 {
            bytes.0 = rest;
            return Some(FinestSizeRow(u32::from(*size)));
        }
        let SizesRow(sizes) = SizesRow::decode(bytes)?;
        Some(FinestSizeRow(sizes.sizes[0]))
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
            let (mut back, mut again) = (Vec::new(), Vec::new());
            while !read.0.is_empty() {
                let row = SketchRow::decode(&mut read).expect("a row");
                prop_assert_eq!(row.doc, doc);
                back.extend(row.iter());
                row.encode(&mut again);
            }
            prop_assert_eq!(&back, &prints);
            prop_assert_eq!(&again, &out);
            let pieces = SketchRow::pieces(doc, &prints).flat_map(|piece| piece.iter().collect::<Vec<_>>());
            prop_assert_eq!(pieces.collect::<Vec<_>>(), prints.clone());
            let sampling = Sampling::Adaptive { target: 128, coarsest_log2: 5 };
            let sizes = SizesRow(sampling.sizes_by_level(level, &prints));
            let mut out = Vec::new();
            sizes.encode(&mut out);
            prop_assert_eq!(SizesRow::decode(&mut RowBytes(&out)), Some(sizes));
            out.push(7);
            let mut read = RowBytes(&out);
            prop_assert_eq!(FinestSizeRow::decode(&mut read), Some(FinestSizeRow(sizes.0.sizes[0])));
            prop_assert_eq!(read.0, &[7]);
        }

        #[test]
        fn the_one_size_of_a_fixed_modulus_reads_back(size in prop_oneof![0u32..200, any::<u32>()], cut in 0usize..8) {
            let (mut sizes, mut out, mut same) = (SizesByLevel::unknown(), Vec::new(), Vec::new());
            sizes.sizes[0] = size;
            SizesRow(sizes).encode(&mut out);
            FinestSizeRow(size).encode(&mut same);
            prop_assert_eq!(&out, &same);
            prop_assert_eq!(FinestSizeRow::decode(&mut RowBytes(&out)), Some(FinestSizeRow(size)));
            let cut = &out[..cut.min(out.len() - 1)];
            prop_assert_eq!(FinestSizeRow::decode(&mut RowBytes(cut)), None);
        }
    }
}
