//! The wanted documents, cut into batches that threads read.
//!
//! *Input.* The places of wanted documents, in the order of the input. *Output.* Batches of places
//! in one file. *Algorithm.* A WARC file is cut wherever the next wanted entry is far behind: what
//! lies between is not decoded. It is also cut where a batch is long, so that threads share a large
//! file. Any other file is one batch, which is read place by place if that decodes less than the
//! file has. *Memory.* A block of places.

use crate::places::{PLACES, WantedPlace};
use format::{FormatError, RecordReader};
use input::{Format, Piece, SourceFile};
use sets::Workplace;
use std::sync::{Mutex, PoisonError};

/// What opening a file costs, in bytes decoded.
const OPEN_BYTES: u64 = 64 << 10;

/// Bytes of a WARC file that are rather decoded than passed over by opening the file again.
const GAP_BYTES: u64 = 16 << 10;

/// Bytes of a WARC file from the first to the last entry of a batch, at most.
const BATCH_BYTES: u64 = 2 << 20;

/// How the places of a batch are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Each by itself.
    Each,
    /// All records of this piece, which begins with a record.
    Piece(Piece),
}

/// Some places in one file, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// The number of the file in the listing.
    pub(crate) file: u32,
    /// The first place, by its number, and how many they are.
    pub(crate) first: u64,
    pub(crate) count: u64,
    pub(crate) reading: Reading,
}

/// Hands batches out to threads.
pub(crate) struct Batches<'a> {
    files: &'a [SourceFile],
    places: Mutex<PlaceQueue>,
}

/// The places that are in no batch yet.
struct PlaceQueue {
    reader: RecordReader<WantedPlace>,
    next: Option<WantedPlace>,
    /// The number of the next one.
    number: u64,
}

impl<'a> Batches<'a> {
    /// Opens the file of places; they lie in these files.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn open(
        workplace: &Workplace<'_>,
        files: &'a [SourceFile],
    ) -> Result<Batches<'a>, FormatError> {
        let mut reader = workplace.read::<WantedPlace>(PLACES)?;
        Ok(Batches {
            files,
            places: Mutex::new(PlaceQueue {
                next: reader.next()?,
                reader,
                number: 0,
            }),
        })
    }

    /// The next batch.
    ///
    /// # Errors
    /// When the file of places cannot be read.
    pub(crate) fn next(&self) -> Result<Option<Batch>, FormatError> {
        let mut queue = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(first) = queue.next else {
            return Ok(None);
        };
        let number = queue.number;
        let source = self.files.get(first.file as usize);
        let is_warc = source.is_some_and(|source| source.format == Format::Warc);
        let (mut last, mut cost) = (first, 0_u64);
        while let Some(place) = queue.next {
            let is_cut = place.file != first.file || is_warc && is_cut(&first, &last, &place);
            if is_cut {
                break;
            }
            cost = cost.saturating_add(place.bytes_to_decode() + OPEN_BYTES);
            last = place;
            queue.next = queue.reader.next()?;
            queue.number += 1;
        }
        let piece = |start, end| {
            Reading::Piece(Piece {
                file: 0,
                start,
                end,
            })
        };
        let reading = match source {
            Some(_) if is_warc => piece(first.entry_offset, last.entry_offset.saturating_add(1)),
            Some(source) if source.format == Format::Parquet || cost >= source.bytes => {
                piece(0, source.bytes)
            }
            _ => Reading::Each,
        };
        Ok(Some(Batch {
            file: first.file,
            first: number,
            count: queue.number - number,
            reading,
        }))
    }
}

/// Whether a batch ends before a place of the same WARC file.
fn is_cut(first: &WantedPlace, last: &WantedPlace, place: &WantedPlace) -> bool {
    place.entry_offset > last.entry_offset.saturating_add(GAP_BYTES)
        || place.entry_offset != last.entry_offset
            && place.entry_offset > first.entry_offset.saturating_add(BATCH_BYTES)
}
