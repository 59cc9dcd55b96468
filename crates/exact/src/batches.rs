//! The wanted documents, cut into batches that threads read.
//!
//! *Input.* The places of wanted documents, in the order of the input. *Output.* Batches of places
//! in one file. *Algorithm.* A WARC file is cut wherever the next wanted entry is far behind: what
//! lies between is not decoded. It is also cut where a batch is long, so that threads share a large
//! file. Any other file is one batch, which is read place by place if that decodes less than the
//! file has. *Memory.* A block of places.

use crate::Workplace;
use crate::places::{PLACES, PlaceReader, WantedPlace};
use format::FormatError;
use input::{Format, Piece, SourceFile};
use model::Unpoisoned;
use std::sync::Mutex;

/// The cost of opening a file, in bytes decoded.
const OPEN_BYTES: u64 = 64 << 10;

/// Bytes of a WARC file that are rather decoded than passed over by opening the file again.
const GAP_BYTES: u64 = 16 << 10;

/// Bytes of a WARC file from the first to the last entry of a batch, at most.
const BATCH_BYTES: u64 = 2 << 20;

/// How the places of a batch are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchReading {
    /// Each by itself.
    Each,
    /// All records of this piece, which begins with a record.
    Piece(Piece),
}

/// Some places in one file, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaceBatch {
    /// The number of the file in the listing.
    pub(crate) file: u32,
    /// The first place, by its number, and how many they are.
    pub(crate) first: u64,
    pub(crate) count: u64,
    pub(crate) reading: BatchReading,
}

/// Hands batches out to threads.
pub(crate) struct PlaceBatches<'a> {
    files: &'a [SourceFile],
    /// Those that are in no batch yet.
    places: Mutex<PlaceReader>,
}

impl<'a> PlaceBatches<'a> {
    /// Opens the file of places; they lie in these files.
    pub(crate) fn open(
        workplace: &Workplace<'_>,
        files: &'a [SourceFile],
    ) -> Result<PlaceBatches<'a>, FormatError> {
        let places = PlaceReader::open(workplace.read(PLACES)?)?;
        Ok(PlaceBatches {
            files,
            places: Mutex::new(places),
        })
    }

    pub(crate) fn next(&self) -> Result<Option<PlaceBatch>, FormatError> {
        let mut queue = self.places.lock().unpoisoned();
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
            queue.advance()?;
        }
        let piece = |start, end| {
            BatchReading::Piece(Piece {
                file: 0,
                start,
                end,
            })
        };
        let reading = match source {
            Some(_) if is_warc => piece(
                first.place.entry_offset,
                last.place.entry_offset.saturating_add(1),
            ),
            Some(source) if source.format == Format::Parquet || cost >= source.stat.bytes => {
                piece(0, source.stat.bytes)
            }
            _ => BatchReading::Each,
        };
        Ok(Some(PlaceBatch {
            file: first.file,
            first: number,
            count: queue.number - number,
            reading,
        }))
    }
}

/// Whether a batch ends before a place of the same WARC file.
fn is_cut(first: &WantedPlace, last: &WantedPlace, place: &WantedPlace) -> bool {
    place.place.entry_offset > last.place.entry_offset.saturating_add(GAP_BYTES)
        || place.place.entry_offset != last.place.entry_offset
            && place.place.entry_offset > first.place.entry_offset.saturating_add(BATCH_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Engine, PhaseName, runtime::progress::Reporter};
    use format::{Disk, Manifest};
    use proptest::prelude::*;

    fn file(format: Format) -> SourceFile {
        SourceFile {
            name: String::new(),
            path: std::path::PathBuf::new(),
            format,
            stat: model::FileStat {
                bytes: 10 << 20,
                ..model::FileStat::default()
            },
            sources: Vec::new(),
        }
    }

    /// The batches of these places.
    fn batches(places: &[WantedPlace], files: &[SourceFile]) -> Vec<PlaceBatch> {
        let dir = testbed::tempdir();
        let case = testkit::OracleCase::from_seed(1);
        let config = testbed::config(&case.params, dir.path());
        let reporter = Reporter::silent();
        let engine = Engine::over(&config, Disk::default(), Manifest::default(), &reporter);
        let workplace = Workplace::of(&engine, PhaseName::Settle);
        std::fs::create_dir_all(&workplace.dir).unwrap();
        let mut writer = workplace.write::<WantedPlace>(PLACES, 4096).unwrap();
        places.iter().for_each(|place| writer.push(place).unwrap());
        writer.finish().unwrap();
        let batches = PlaceBatches::open(&workplace, files).unwrap();
        std::iter::from_fn(|| batches.next().unwrap()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn every_place_is_in_one_batch_that_reads_it(
            steps in prop::collection::vec((0u8..3, prop_oneof![Just(0u64), 1u64..30_000, 1u64..3_000_000], 1u64..200_000), 0..300),
        ) {
            let files = [Format::Warc, Format::Jsonl, Format::Parquet, Format::Warc].map(file);
            let (mut number, mut offset, mut places) = (0, 0, Vec::new());
            for (at, (next_file, step, length)) in steps.into_iter().enumerate() {
                if next_file == 2 && at % 9 == 0 && number + 1 < files.len() as u32 {
                    (number, offset) = (number + 1, 0);
                }
                offset += step;
                let place = WantedPlace { file: number, text: at as u32, doc: at as u32, identity: 0, place: input::Place { entry_offset: offset, inner_offset: at as u64, length } };
                places.push(place);
            }
            let mut next = 0;
            for batch in batches(&places, &files) {
                prop_assert_eq!(batch.first, next);
                next += batch.count;
                let of_batch = &places[batch.first as usize..next as usize];
                let file = &files[batch.file as usize];
                prop_assert!(of_batch.iter().all(|place| place.file == batch.file));
                if let BatchReading::Piece(Piece { start, end, .. }) = batch.reading {
                    // A piece begins with a wanted entry or with the file.
                    prop_assert!(start == 0 || of_batch.first().is_some_and(|first| first.place.entry_offset == start));
                    let is_within = |place: &WantedPlace| (start..end).contains(&place.place.entry_offset);
                    prop_assert!(file.format != Format::Warc || of_batch.iter().all(is_within));
                }
                let gaps = of_batch.windows(2).map(|pair| pair[1].place.entry_offset - pair[0].place.entry_offset);
                prop_assert!(file.format != Format::Warc || gaps.max().unwrap_or(0) <= GAP_BYTES);
                // Records of one entry are read together.
                let after = places.get(next as usize).filter(|place| place.file == batch.file);
                let last = of_batch.last().map(|place| place.place.entry_offset);
                prop_assert!(after.is_none_or(|after| Some(after.place.entry_offset) != last));
            }
            prop_assert_eq!(next, places.len() as u64);
        }
    }
}
