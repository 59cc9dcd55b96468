//! Where the wanted documents are in the input.

use crate::WantedDocuments;
use crate::Workplace;
use engine::{Error, segments::SegmentFile, segments::place_of};
use format::{FormatError, Mark, RecordReader};
use input::Place;
use model::{Words, record};

/// The scratch file of places.
pub(crate) const PLACES: &str = "places.run-0";

/// Bytes of a block of that file: a thread looks up one for each batch.
const BLOCK_BYTES: usize = 4 << 10;

/// A wanted document and its place, in the order of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WantedPlace {
    /// The number of its file in the listing.
    pub(crate) file: u32,
    /// The document that is read.
    pub(crate) text: u32,
    /// The document whose set is wanted.
    pub(crate) doc: u32,
    /// The fingerprint of the body of the document that is read.
    pub(crate) identity: u128,
    pub(crate) place: Place,
}

record! { WantedPlace { file, text, doc, identity, place } }

impl WantedPlace {
    /// Bytes to decode if the document is read at its place.
    pub(crate) fn bytes_to_decode(&self) -> u64 {
        self.place.inner_offset.saturating_add(self.place.length)
    }
}

/// Reads places, one ahead.
pub(crate) struct PlaceReader {
    file: RecordReader<WantedPlace>,
    pub(crate) next: Option<WantedPlace>,
    /// The number of the next one.
    pub(crate) number: u64,
}

impl PlaceReader {
    pub(crate) fn open(mut file: RecordReader<WantedPlace>) -> Result<PlaceReader, FormatError> {
        Ok(PlaceReader {
            next: file.next()?,
            file,
            number: 0,
        })
    }

    pub(crate) fn advance(&mut self) -> Result<(), FormatError> {
        self.next = self.file.next()?;
        self.number += 1;
        Ok(())
    }

    /// Goes to the place of this number.
    pub(crate) fn seek(&mut self, number: u64) -> Result<(), FormatError> {
        if self.number != number {
            self.file.seek(number)?;
            self.next = self.file.next()?;
            self.number = number;
        }
        Ok(())
    }
}

/// The facts that are known of the wanted documents.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WantedCounts {
    pub(crate) places: u64,
    /// Bytes of the largest body.
    pub(crate) largest_body: u64,
    /// Documents without a body.
    pub(crate) bodiless: u64,
}

/// Writes the places of the documents to a scratch file. A revisit has no body of its own and is
/// left out.
pub(crate) fn write_places(
    workplace: &Workplace<'_>,
    mut wanted: WantedDocuments,
) -> Result<WantedCounts, Error> {
    let segments = workplace.engine.segments()?;
    let mut rows = segments.rows(SegmentFile::Documents);
    let mut marks = segments.marks();
    let mut revisited = segments.revisited();
    let mut counts = WantedCounts::default();
    let mut writer = workplace.write::<WantedPlace>(PLACES, BLOCK_BYTES)?;
    let mut next = wanted.next_document()?;
    while let Some(Words([text, _])) = next {
        rows.skip_segments(text);
        marks.skip_segments(text);
        let Some((at, row)) = rows.next_document()? else {
            break;
        };
        let Some((_, mark)) = marks.next()? else {
            break;
        };
        let Mark {
            identity, bytes, ..
        } = mark;
        if at != text {
            continue;
        }
        let has_body = !revisited.has(text)?;
        counts.bodiless += u64::from(!has_body);
        counts.largest_body = counts.largest_body.max(u64::from(bytes));
        while let Some(Words([_, doc])) = next.filter(|Words([one, _])| *one == text) {
            next = wanted.next_document()?;
            let place = WantedPlace {
                text,
                file: row.file,
                doc,
                identity,
                place: place_of(&row),
            };
            if has_body {
                writer.push(&place)?;
            }
        }
    }
    counts.places = writer.finish()?.records;
    Ok(counts)
}
