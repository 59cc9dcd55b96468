//! The segments that are searched for the bodies of revisit records.

use crate::sketch::planned_segment::PHASE;
use engine::Engine;
use engine::segments::{SegmentFile, Segments};
use runtime::Error;
use std::ops::Range;

/// The snapshot whose revisits are resolved, and the segments that may have their bodies.
pub(super) struct SearchScope<'a> {
    pub(super) engine: &'a Engine<'a>,
    /// The segments of the snapshot and of all before it.
    pub(super) segments: Segments,
    /// The segments of the snapshot itself.
    pub(super) own: Range<usize>,
    /// Bytes for each of up to four sorts at a time.
    pub(super) share_bytes: usize,
}

impl SearchScope<'_> {
    /// The first document of the snapshot.
    pub(super) fn first(&self) -> u32 {
        self.segments.first_of(self.own.start)
    }

    /// Calls `take` with the revisits of the snapshot, numbered from 0.
    pub(super) fn each_revisit(
        &self,
        mut take: impl FnMut(u32, &format::RevisitRow<'_>) -> Result<(), Error>,
    ) -> Result<u32, Error> {
        let mut number = 0;
        for segment in self.own.clone() {
            let Some(mut rows) = self.segments.open(segment, SegmentFile::Revisits)? else {
                continue;
            };
            while let Some(row) = rows.next().map_err(Error::work(PHASE))? {
                take(number, &row)?;
                number += 1;
            }
        }
        Ok(number)
    }
}
