//! Sketches by document, and documents by shingle.

use super::Index;
use format::{CommonRecord, FormatError, Row, RowBytes, RowCursor, SizesRow};
use model::{Overlap, SizesByLevel};

/// The sketch of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSketch {
    /// The level of the sampling that it was kept at.
    pub level: usize,
    /// Its fingerprints, ascending, common ones among them.
    pub fingerprints: Vec<u64>,
}

fn skip_sizes(bytes: &mut RowBytes<'_>) -> Option<()> {
    SizesRow::decode(bytes).map(|_| ())
}

impl Index {
    /// The sketch of a document.
    ///
    /// # Errors
    /// At damage, and when there is no such document.
    pub fn sketch(&self, doc: u32) -> Result<StoredSketch, FormatError> {
        let level = self
            .sizes_with_common(&mut RowCursor::default(), doc)?
            .own_level()
            .unwrap_or(0);
        let mut fingerprints = Vec::new();
        self.sketches
            .sketch(doc, &mut |row| fingerprints.extend(row.iter()))?;
        Ok(StoredSketch {
            level,
            fingerprints,
        })
    }

    /// The sizes of a document's sketch at its own level and coarser ones, common shingles among
    /// them.
    ///
    /// # Errors
    /// As [`Index::sketch`].
    pub(crate) fn sizes_with_common(
        &self,
        cursor: &mut RowCursor,
        doc: u32,
    ) -> Result<SizesByLevel, FormatError> {
        self.sketch_sizes.row(cursor, doc, skip_sizes, |bytes| {
            SizesRow::decode(bytes).map(|row| row.0)
        })
    }

    /// The sizes of a representative's sketch without common shingles, by which links are judged.
    /// Only representatives have postings, so only they have such sizes.
    ///
    /// # Errors
    /// As [`Index::sketch`].
    pub fn sizes(&self, representative: u32) -> Result<SizesByLevel, FormatError> {
        self.sizes_near(&mut RowCursor::default(), representative)
    }

    /// [`Index::sizes`] for requests in ascending order of documents, with one [`RowCursor`].
    ///
    /// # Errors
    /// As [`Index::sketch`].
    pub(crate) fn sizes_near(
        &self,
        cursor: &mut RowCursor,
        representative: u32,
    ) -> Result<SizesByLevel, FormatError> {
        let mut sizes = self.sizes_with_common(cursor, representative)?;
        for lost in self.lost.of(representative)?.iter() {
            let lost = lost?;
            sizes.remove(usize::from(lost.level), lost.count);
        }
        Ok(sizes)
    }

    /// How many common shingles the sketch of a representative lost.
    ///
    /// # Errors
    /// At damage.
    pub fn lost(&self, representative: u32) -> Result<u64, FormatError> {
        self.lost
            .of(representative)?
            .iter()
            .map(|lost| lost.map(|lost| u64::from(lost.count)))
            .sum()
    }

    /// Whether a shingle is common, and in how many representatives it is.
    ///
    /// # Errors
    /// At damage.
    pub fn common(&self, shingle: u64) -> Result<Option<CommonRecord>, FormatError> {
        let found = self.common.equal(shingle)?.first()?;
        Ok(found.map(|record| record.within(self.documents)))
    }

    /// All common shingles, by shingle.
    ///
    /// # Errors
    /// At damage.
    pub fn common_shingles(
        &self,
    ) -> Result<impl Iterator<Item = Result<CommonRecord, FormatError>>, FormatError> {
        let records = self.common.between(0, None)?.iter();
        Ok(records.map(|record| record.map(|record| record.within(self.documents))))
    }

    /// Overlap of the sketches of two representatives at the coarser of their levels, without
    /// common shingles: the count of phase `cluster`, also for pairs that it never saw.
    ///
    /// # Errors
    /// As [`Index::sketch`].
    pub fn overlap(&self, a: u32, b: u32) -> Result<Overlap, FormatError> {
        let (sketch_a, sketch_b) = (self.sketch(a)?.fingerprints, self.sketch(b)?.fingerprints);
        if let Some(overlap) = self.sampling.compare_fixed(&sketch_a, &sketch_b) {
            return Ok(overlap);
        }
        let (sizes_a, sizes_b) = (self.sizes(a)?, self.sizes(b)?);
        let common = sizes_a.common_level(&sizes_b).unwrap_or_default();
        let mut shared = 0;
        for shingle in sketch_a {
            let counts = self.sampling.coarsest_level_of(shingle) >= common.level
                && sketch_b.binary_search(&shingle).is_ok();
            if counts && self.common(shingle)?.is_none() {
                shared += 1;
            }
        }
        Ok(Overlap {
            shared,
            size_a: common.size_a,
            size_b: common.size_b,
            modulus: self.sampling.modulus_at(common.level),
        })
    }
}
