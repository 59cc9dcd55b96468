//! The segments that are searched for the bodies of revisit records.

use crate::sketch::planned_segment::PHASE;
use engine::{
    Engine, Error,
    cells::SpillableCells,
    segments::{SegmentFile, Segments},
};
use format::{DocumentRow, PayloadRecord, RevisitRow};
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

    /// So many cells, in memory or in a scratch file of this name.
    pub(super) fn cells(&self, name: &str, count: u32) -> Result<SpillableCells, Error> {
        let SearchScope { engine, .. } = self;
        let path = engine.dir(PHASE).join(format!("revisits-{name}.run-cells"));
        SpillableCells::create(&engine.disk, &path, count as usize, &engine.budget)
            .map_err(Error::from)
    }

    /// Calls `take` with the numbers and the names of all documents: rows that refer to nothing.
    pub(super) fn each_document(
        &self,
        mut take: impl FnMut(u32, &RevisitRow<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for segment in 0..self.segments.count() {
            self.engine.disk.check_interrupt()?;
            let first = self.segments.first_of(segment);
            let Some(mut rows) = self.segments.open(segment, SegmentFile::Documents)? else {
                continue;
            };
            let file = SegmentFile::Payloads;
            let mut payloads = self.segments.open_records::<PayloadRecord>(segment, file)?;
            let mut next_payload = || match &mut payloads {
                Some(payloads) => payloads.next().map_err(Error::from),
                None => Ok(None),
            };
            let (mut doc, mut next) = (0, next_payload()?);
            while let Some(DocumentRow { id, url, date, .. }) = rows.next()? {
                let own = next.filter(|record| record.doc == doc);
                let payload = own.map(|record| record.payload);
                let names = RevisitRow {
                    id,
                    url,
                    date,
                    payload,
                    ..RevisitRow::default()
                };
                take(first + doc, &names)?;
                if own.is_some() {
                    next = next_payload()?;
                }
                doc += 1;
            }
        }
        Ok(())
    }

    /// Calls `take` with the revisits of the snapshot, numbered from 0.
    pub(super) fn each_revisit(
        &self,
        mut take: impl FnMut(u32, &RevisitRow<'_>) -> Result<(), Error>,
    ) -> Result<u32, Error> {
        let mut number = 0;
        for segment in self.own.clone() {
            let Some(mut rows) = self.segments.open(segment, SegmentFile::Revisits)? else {
                continue;
            };
            while let Some(row) = rows.next()? {
                take(number, &row)?;
                number += 1;
            }
        }
        Ok(number)
    }
}
