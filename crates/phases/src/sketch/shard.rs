//! The share of the input that one of several machines sketches.
//!
//! *Input.* The planned segments of the whole input. *Output.* The segments of the shard, as parts
//! of the phase in the manifest of its directory. *Algorithm.* The segments of one file that is
//! cut go to one shard; so do the files of one segment. Each such unit, in their order, goes to
//! the shard that has the fewest bytes so far, of several to the first: shards differ by the bytes
//! of one unit at most. *Limits.* The division depends on names, formats and sizes only, so that
//! every machine makes the same.

use super::finish;
use super::planned_segment::{PHASE, PlannedSegment};
use super::sketch_phase::SketchPhase;
use engine::{
    Engine, Error,
    figures::SegmentFigures,
    intake::inputs::record_inputs,
    intake::listing,
    runtime::parameters::{self, fingerprint, hex},
};
use format::{Manifest, ShardRecord};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The most shards of an input.
const SHARDS_MAX: u32 = 1 << 16;

/// Which share of the input: one of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    number: u32,
    /// How many shards there are.
    of: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/');
        let numbers = numbers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match numbers {
            Some((number, of)) if 1 <= number && number <= of && of <= SHARDS_MAX => {
                Ok(Shard { number, of })
            }
            _ => Err(format!(
                "expected i/n with 1 <= i <= n <= {SHARDS_MAX}, such as 3/7"
            )),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Shard {
    /// The shard of a record.
    pub(super) fn of_record(record: &ShardRecord) -> Shard {
        let ShardRecord { number, of, .. } = *record;
        Shard { number, of }
    }

    /// All shards of this division.
    pub(super) fn all(self) -> impl Iterator<Item = Shard> {
        let of = self.of;
        (1..=of).map(move |number| Shard { number, of })
    }

    /// Whether both are of one division into so many.
    pub(super) fn is_beside(self, other: Shard) -> bool {
        self.of == other.of
    }

    /// The name of its directory.
    pub fn directory(self) -> String {
        format!("{}-of-{}", self.number, self.of)
    }

    /// Whether a directory has the name of a shard of this division.
    pub fn is_beside_directory(self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        let of = name.and_then(|name| name.split_once("-of-"));
        of.is_some_and(|(_, of)| of == self.of.to_string())
    }

    /// The planned segments that are of this shard.
    pub(super) fn segments(self, all: Vec<PlannedSegment>) -> Vec<PlannedSegment> {
        let shards = numbers(&all, self.of);
        let all = all.into_iter().zip(shards);
        all.filter_map(|(segment, number)| (number == self.number).then_some(segment))
            .collect()
    }

    /// Its record. A digest of its segments says that they are finished.
    pub(super) fn record(self, engine: &Engine<'_>, segments: String) -> ShardRecord {
        ShardRecord {
            number: self.number,
            of: self.of,
            parameters: parameters::of(PHASE, engine.config),
            segments,
        }
    }
}

/// The number of the shard of each segment.
fn numbers(segments: &[PlannedSegment], of: u32) -> Vec<u32> {
    let mut loads: BinaryHeap<_> = (1..=of).map(|number| Reverse((0, number))).collect();
    let mut numbers = Vec::with_capacity(segments.len());
    for unit in segments.chunk_by(|a, b| a.last_file() == b.first_file_read()) {
        let bytes: u64 = unit.iter().map(PlannedSegment::bytes).sum();
        let Some(Reverse((load, number))) = loads.pop() else {
            break;
        };
        loads.push(Reverse((load + bytes, number)));
        numbers.extend(unit.iter().map(|_| number));
    }
    numbers
}

/// A digest of the planned segments, which stands for them in the record of a shard.
pub(super) fn digest_of(engine: &Engine<'_>, segments: &[PlannedSegment]) -> String {
    let files = &engine.inputs.listing.files;
    let content =
        |segment: &PlannedSegment| format!("{}\n{}", segment.name, segment.content(files));
    hex(fingerprint(
        &segments.iter().map(content).collect::<String>(),
    ))
}

/// The content of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardCounts {
    /// Files of the input.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Documents.
    pub documents: u64,
}

/// Reads the segments of a shard into the directory of the engine, but those that an earlier call
/// has finished. If the input `is_listed_beside` it, by another shard, this one is not the one that
/// tells others of it, and its own list is written only once, with the digests.
pub fn run_shard(
    engine: &Engine<'_>,
    shard: Shard,
    is_listed_beside: bool,
) -> Result<ShardCounts, Error> {
    let segments = shard.segments(PlannedSegment::all_of(engine, 0));
    let digest = digest_of(engine, &segments);
    let names: BTreeSet<&String> = segments.iter().map(|segment| &segment.name).collect();
    let parameters = parameters::of(PHASE, engine.config);
    let list = |manifest: &mut Manifest| {
        record_inputs(manifest, &engine.inputs, &parameters);
        listing::remember(&engine.inputs.listing, manifest);
    };
    let mut manifest = engine.manifest();
    if !is_listed_beside {
        // Machines that list the same input need not open its files.
        list(&mut manifest);
    }
    manifest.shard = Some(shard.record(engine, String::new()));
    if let Some(parts) = manifest.parts.get_mut(PHASE.name()) {
        parts.retain(|name, part| part.parameters == parameters && names.contains(name));
    }
    drop(manifest);
    engine.store_manifest()?;
    if is_listed_beside {
        list(&mut engine.manifest());
    }
    let mut phase = SketchPhase { engine, segments };
    phase.read()?;
    let mut manifest = engine.manifest();
    finish::digest_files(&mut manifest, &phase.segments);
    manifest.shard = Some(shard.record(engine, digest));
    let parts = manifest.parts.get(PHASE.name());
    let parts = parts.into_iter().flat_map(|parts| parts.values());
    let documents = parts
        .map(|part| part.figures.read::<SegmentFigures>().sketched.documents)
        .sum();
    drop(manifest);
    engine.store_manifest()?;
    let pieces = phase.segments.iter().flat_map(|segment| &segment.pieces);
    Ok(ShardCounts {
        files: pieces.filter(|known| known.piece.start == 0).count() as u64,
        bytes: phase.segments.iter().map(PlannedSegment::bytes).sum(),
        documents,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::KnownPiece;
    use input::Piece;
    use proptest::prelude::*;

    /// A segment with pieces of these files, of so many bytes each.
    fn segment(files: std::ops::Range<u32>, bytes: u64) -> PlannedSegment {
        let piece = |file| Piece::whole(file, bytes);
        let known = |file| KnownPiece {
            piece: piece(file),
            from: None,
        };
        PlannedSegment {
            snapshot: 0,
            number: 0,
            first_file: 0,
            name: String::new(),
            pieces: files.map(known).collect(),
        }
    }

    #[test]
    fn a_shard_is_written_as_a_fraction() {
        let shard: Shard = "3/7".parse().expect("a shard");
        assert_eq!(shard.to_string(), "3/7");
        assert_eq!(shard.directory(), "3-of-7");
        for wrong in [
            "", "3", "0/7", "8/7", "3/0", "-1/7", "3/7/1", "a/b", "1/65537",
        ] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_that_is_cut_goes_to_one_shard() {
        let segments = [
            segment(0..3, 5),
            segment(3..4, 40),
            segment(3..4, 40),
            segment(4..6, 5),
            segment(6..7, 70),
        ];
        assert_eq!(numbers(&segments, 1), [1; 5]);
        assert_eq!(numbers(&segments, 2), [1, 2, 2, 1, 1]);
        assert_eq!(numbers(&segments, 9), [1, 2, 2, 3, 4]);
    }

    proptest! {
        #[test]
        fn shards_differ_by_one_unit_at_most(
            bytes in prop::collection::vec(0u64..1000, 0..60), of in 1u32..9,
        ) {
            let files = 0u32..;
            let segments: Vec<_> = bytes.iter().zip(files)
                .map(|(&bytes, file)| segment(file..file + 1, bytes)).collect();
            let mut loads = vec![0; of as usize];
            for (number, bytes) in numbers(&segments, of).into_iter().zip(&bytes) {
                loads[number as usize - 1] += bytes;
            }
            let most = loads.iter().max().expect("a shard");
            let least = loads.iter().min().expect("a shard");
            prop_assert!(most - least <= bytes.iter().max().copied().unwrap_or(0));
        }
    }
}
