//! Copies the attributes and sketches of originals for their revisits.
//!
//! *Algorithm.* ⟨original, revisit⟩ are sorted by original, joined with the segments, and the
//! copies are sorted by revisit.

use super::originals::Originals;
use super::records::{OriginalAttributes, OriginalOf, RevisitFingerprint};
use super::scope::SearchScope;
use crate::sketch::planned_segment::PHASE;
use engine::{Error, segments::SegmentFile};
use format::{DocumentRow, Mark, SKETCH_ROW_MAX, SizesRow, SketchRow};
use sort::{KeepAll, Lookup, Sorted, SortedWords, Sorter, WordSorter};

/// The data of originals, in the order of the revisits.
pub(super) struct OriginalData {
    pub(super) attributes: Sorted<OriginalAttributes, KeepAll>,
    pub(super) fingerprints: Lookup<SortedWords<RevisitFingerprint>>,
}

/// Copies the data of the originals.
pub(super) fn copy(
    scope: &SearchScope<'_>,
    originals: &mut Originals,
) -> Result<OriginalData, Error> {
    let names = ["by-original", "sketched"].map(|name| format!("revisits-{name}"));
    let engine = scope.engine;
    let mut sorters =
        names.map(|name| engine.word_sorter::<OriginalOf>(PHASE, &name, scope.share_bytes));
    for revisit in 0..originals.revisits {
        if let Some(doc) = originals.of(revisit)? {
            for sorter in &mut sorters {
                sorter.push(OriginalOf { doc, revisit })?;
            }
        }
    }
    let [for_attributes, for_sketches] = sorters;
    let mut attributes =
        scope
            .engine
            .sorter(PHASE, "revisits-attributes", scope.share_bytes, KeepAll);
    let mut fingerprints = engine.word_sorter(PHASE, "revisits-fingerprints", scope.share_bytes);
    let mut with_attributes = Lookup::over(for_attributes.finish()?)?;
    let mut with_sketches = Lookup::over(for_sketches.finish()?)?;
    for segment in 0..scope.segments.count() {
        scope.engine.disk.check_interrupt()?;
        let first = scope.segments.first_of(segment);
        if with_attributes
            .peek()
            .is_some_and(|next| next.doc - first < scope.segments.documents_of(segment))
        {
            copy_attributes(scope, segment, &mut with_attributes, &mut attributes)?;
            copy_fingerprints(scope, segment, &mut with_sketches, &mut fingerprints)?;
        }
    }
    Ok(OriginalData {
        attributes: attributes.finish()?,
        fingerprints: Lookup::over(fingerprints.finish()?)?,
    })
}

/// The revisits in the order of their originals.
type RevisitsByOriginal = Lookup<SortedWords<OriginalOf>>;

/// Copies the attributes of the originals of a segment.
fn copy_attributes(
    scope: &SearchScope<'_>,
    segment: usize,
    revisits: &mut RevisitsByOriginal,
    attributes: &mut Sorter<OriginalAttributes, KeepAll>,
) -> Result<(), Error> {
    let (Some(mut rows), Some(mut marks), Some(mut sizes)) = (
        scope.segments.open(segment, SegmentFile::Documents)?,
        scope
            .segments
            .open_records::<Mark>(segment, SegmentFile::Marks)?,
        scope.segments.open(segment, SegmentFile::Sizes)?,
    ) else {
        return Ok(());
    };
    let mut doc = scope.segments.first_of(segment);
    while let (Some(row), Some(mark), Some(SizesRow(of_doc))) = (
        rows.next::<DocumentRow<'_>>()?,
        marks.next()?,
        sizes.next()?,
    ) {
        while let Some(OriginalOf { revisit, .. }) = revisits.next_of(doc)? {
            let DocumentRow {
                modulus,
                bytes,
                shingles,
                ..
            } = row;
            let sizes = of_doc.sizes;
            attributes.push(OriginalAttributes {
                revisit,
                modulus,
                bytes,
                shingles,
                sizes,
                mark,
            })?;
        }
        doc += 1;
    }
    Ok(())
}

/// Copies the fingerprints of the originals of a segment. Many of them lie in several rows: then
/// the revisits of their document are held until its last row.
fn copy_fingerprints(
    scope: &SearchScope<'_>,
    segment: usize,
    revisits: &mut RevisitsByOriginal,
    fingerprints: &mut WordSorter<RevisitFingerprint>,
) -> Result<(), Error> {
    let Some(mut rows) = scope.segments.open(segment, SegmentFile::Sketches)? else {
        return Ok(());
    };
    let first = scope.segments.first_of(segment);
    let end = first + scope.segments.documents_of(segment);
    let mut last_doc = u32::MAX;
    // If its sketch is long.
    let mut revisits_of_last: Vec<u32> = Vec::new();
    while let Some(row) = rows.next::<SketchRow<'_>>()? {
        let doc = first + row.doc;
        let is_long = row.iter().count() == SKETCH_ROW_MAX;
        let mut copy = |revisit: u32| {
            let mut all = row.iter().map(|fingerprint| RevisitFingerprint {
                revisit,
                fingerprint,
            });
            all.try_for_each(|one| fingerprints.push(one))
                .map_err(Error::from)
        };
        if last_doc == doc {
            revisits_of_last
                .iter()
                .try_for_each(|revisit| copy(*revisit))?;
            continue;
        }
        last_doc = doc;
        revisits_of_last.clear();
        while let Some(OriginalOf { revisit, .. }) = revisits.next_of(doc)? {
            copy(revisit)?;
            if is_long {
                revisits_of_last.push(revisit);
            }
        }
    }
    // The last documents may have no fingerprints.
    revisits.skip_to(end).map_err(Error::from)
}
