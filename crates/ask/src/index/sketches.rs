//! Sketches by document, and documents by shingle.

use super::Index;
use format::{CommonRecord, EncodedRow, FormatError, RowCursor, SizesRow};
use model::{Overlap, SizesByLevel};

/// The sketch of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSketch {
    /// The level of the sampling that it was kept at.
    pub level: usize,
    /// Its fingerprints, ascending.
    pub fingerprints: Vec<u64>,
}

impl Index {
    /// The sketch of a document.
    pub fn sketch(&self, doc: u32) -> Result<StoredSketch, FormatError> {
        let level = self.sizes(doc)?.own_level().unwrap_or(0);
        let mut fingerprints = Vec::new();
        self.sketches
            .sketch(doc, &mut |row| fingerprints.extend(row.iter()))?;
        Ok(StoredSketch {
            level,
            fingerprints,
        })
    }

    /// The sizes of a document's sketch at its own level and coarser ones.
    pub fn sizes(&self, doc: u32) -> Result<SizesByLevel, FormatError> {
        self.sizes_near(&mut RowCursor::default(), doc)
    }

    /// [`Index::sizes`] for requests in ascending order of documents, with one [`RowCursor`].
    pub(crate) fn sizes_near(
        &self,
        cursor: &mut RowCursor,
        doc: u32,
    ) -> Result<SizesByLevel, FormatError> {
        self.sketch_sizes.row(
            cursor,
            doc,
            |bytes| SizesRow::decode(bytes).map(drop),
            |bytes| SizesRow::decode(bytes).map(|row| row.0),
        )
    }

    /// Whether a shingle is common, and in how many representatives it is.
    pub fn common(&self, shingle: u64) -> Result<Option<CommonRecord>, FormatError> {
        self.common.equal(shingle)?.first()
    }

    /// All common shingles, by shingle.
    pub fn common_shingles(
        &self,
    ) -> Result<impl Iterator<Item = Result<CommonRecord, FormatError>>, FormatError> {
        Ok(self.common.between(0, None)?.iter())
    }

    /// Overlap of the sketches of two documents at the coarser of their levels, without common
    /// shingles if the run dropped them: the count of phase `pairs`, also for pairs that it never
    /// saw.
    pub fn overlap(&self, a: u32, b: u32) -> Result<Overlap, FormatError> {
        let (a, b) = (self.counted(a)?, self.counted(b)?);
        let [a, b] = [&a, &b].map(|sketch| (sketch.level, &sketch.fingerprints[..]));
        Ok(self.sampling.compare(a, b))
    }

    /// The shingles of a sketch that count in what it shares with others.
    fn counted(&self, doc: u32) -> Result<StoredSketch, FormatError> {
        let mut sketch = self.sketch(doc)?;
        if self.drops_common {
            let mut counted = Vec::with_capacity(sketch.fingerprints.len());
            for shingle in sketch.fingerprints {
                if self.common(shingle)?.is_none() {
                    counted.push(shingle);
                }
            }
            sketch.fingerprints = counted;
        }
        Ok(sketch)
    }

    /// The overlap of two documents with one sketch: all of it, and common shingles if it has no
    /// others.
    pub(super) fn overlap_of_class(&self, representative: u32) -> Result<Overlap, FormatError> {
        let (level, all) = self.sizes(representative)?.own_size();
        let size = match self.drops_common {
            true => self.counted(representative)?.fingerprints.len() as u32,
            false => all,
        };
        let size = if size == 0 { all } else { size };
        Ok(Overlap {
            shared: size,
            size_a: size,
            size_b: size,
            modulus: self.sampling.modulus_at(level),
        })
    }
}
