//! What revisits get of their documents: ⟨document, revisit⟩, sorted by document, joined with the
//! segments, sorted back.

use super::find::Found;
use super::records::{Lent, Print};
use super::scope::SearchScope;
use crate::sketch::planned_segment::PHASE;
use crate::words::Words;
use engine::segments::SegmentFile;
use format::{DocumentRow, Mark, SKETCH_ROW_MAX, SizesRow, SketchRow};
use runtime::Error;
use sort::{Keep, Sorted, Sorter};

/// Copies for the revisits, in their order.
pub(super) struct Lending {
    pub(super) lent: Sorted<Lent, Keep>,
    pub(super) prints: Sorted<Print, Keep>,
}

/// Brings the copies together.
pub(super) fn lend(scope: &SearchScope<'_>, found: &mut Found) -> Result<Lending, Error> {
    let work = Error::work(PHASE);
    let sorter = |name: &str| {
        scope
            .engine
            .sorter::<Words<2>, _>(PHASE, name, scope.share_bytes, Keep)
    };
    let (mut once, mut again) = (sorter("revisits-taken"), sorter("revisits-sketched"));
    for revisit in 0..found.revisits {
        if let Some(doc) = found.document(revisit)? {
            once.push(Words([doc, revisit])).map_err(work)?;
            again.push(Words([doc, revisit])).map_err(work)?;
        }
    }
    let mut lent = scope
        .engine
        .sorter(PHASE, "revisits-lent", scope.share_bytes, Keep);
    let mut prints = scope
        .engine
        .sorter(PHASE, "revisits-prints", scope.share_bytes, Keep);
    let mut taken = Taken::of(once.finish().map_err(work)?)?;
    let mut sketched = Taken::of(again.finish().map_err(work)?)?;
    for segment in 0..scope.segments.count() {
        scope.engine.disk.check_interrupt().map_err(work)?;
        let first = scope.segments.first_of(segment);
        if taken
            .next
            .is_some_and(|Words([doc, _])| doc - first < scope.segments.documents_of(segment))
        {
            figures(scope, segment, (&mut taken, &mut lent))?;
            sketches(scope, segment, (&mut sketched, &mut prints))?;
        }
    }
    Ok(Lending {
        lent: lent.finish().map_err(work)?,
        prints: prints.finish().map_err(work)?,
    })
}

/// ⟨document, revisit⟩ looked at one by one.
struct Taken {
    sorted: Sorted<Words<2>, Keep>,
    next: Option<Words<2>>,
}

impl Taken {
    fn of(mut sorted: Sorted<Words<2>, Keep>) -> Result<Taken, Error> {
        Ok(Taken {
            next: sorted.next().map_err(Error::work(PHASE))?,
            sorted,
        })
    }

    /// The next revisit of this document.
    fn revisit_of(&mut self, document: u32) -> Result<Option<u32>, Error> {
        let Some(Words([_, revisit])) = self.next.filter(|Words([doc, _])| *doc == document) else {
            return Ok(None);
        };
        self.next = self.sorted.next().map_err(Error::work(PHASE))?;
        Ok(Some(revisit))
    }
}

/// Copies what is of a fixed size.
fn figures(
    scope: &SearchScope<'_>,
    segment: usize,
    (taken, lent): (&mut Taken, &mut Sorter<Lent, Keep>),
) -> Result<(), Error> {
    let work = Error::work(PHASE);
    let (Some(mut rows), Some(mut marks), Some(mut ladders)) = (
        scope.segments.open(segment, SegmentFile::Documents)?,
        scope
            .segments
            .open_records::<Mark>(segment, SegmentFile::Marks)?,
        scope.segments.open(segment, SegmentFile::Ladders)?,
    ) else {
        return Ok(());
    };
    let mut doc = scope.segments.first_of(segment);
    while let (Some(row), Some(mark), Some(SizesRow(ladder))) = (
        rows.next::<DocumentRow<'_>>().map_err(work)?,
        marks.next().map_err(work)?,
        ladders.next().map_err(work)?,
    ) {
        while let Some(revisit) = taken.revisit_of(doc)? {
            let (
                DocumentRow {
                    modulus,
                    bytes,
                    shingles,
                    ..
                },
                sizes,
            ) = (&row, ladder.sizes);
            let (modulus, bytes, shingles) = (*modulus, *bytes, *shingles);
            lent.push(Lent {
                revisit,
                modulus,
                bytes,
                shingles,
                sizes,
                mark,
            })
            .map_err(work)?;
        }
        doc += 1;
    }
    Ok(())
}

/// Copies the sketches. A long one lies in several rows: only of its document the revisits are
/// held.
fn sketches(
    scope: &SearchScope<'_>,
    segment: usize,
    (taken, prints): (&mut Taken, &mut Sorter<Print, Keep>),
) -> Result<(), Error> {
    let work = Error::work(PHASE);
    let Some(mut rows) = scope.segments.open(segment, SegmentFile::Sketches)? else {
        return Ok(());
    };
    let first = scope.segments.first_of(segment);
    let end = first + scope.segments.documents_of(segment);
    let mut held: (u32, Vec<u32>) = (u32::MAX, Vec::new());
    while let Some(row) = rows.next::<SketchRow<'_>>().map_err(work)? {
        let doc = first + row.doc;
        let is_long = row.iter().count() == SKETCH_ROW_MAX;
        let mut copy = |revisit: u32| {
            let mut all = row.iter().map(|fingerprint| Print {
                revisit,
                fingerprint,
            });
            all.try_for_each(|print| prints.push(print)).map_err(work)
        };
        if held.0 == doc {
            held.1.iter().try_for_each(|revisit| copy(*revisit))?;
            continue;
        }
        held = (doc, Vec::new());
        taken.skip_to(doc)?;
        while let Some(revisit) = taken.revisit_of(doc)? {
            copy(revisit)?;
            if is_long {
                held.1.push(revisit);
            }
        }
    }
    taken.skip_to(end)
}

impl Taken {
    /// Passes over documents before this one: they have no sketch.
    fn skip_to(&mut self, document: u32) -> Result<(), Error> {
        while self.next.is_some_and(|Words([doc, _])| doc < document) {
            self.next = self.sorted.next().map_err(Error::work(PHASE))?;
        }
        Ok(())
    }
}
