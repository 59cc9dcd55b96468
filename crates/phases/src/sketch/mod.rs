//! Phase `sketch`: reads documents and writes segments (sketches, marks, rows, rejections), then
//! the document table and the list of rejections.
//!
//! Only snapshots without sketches are read. Segments are independent of each other: threads take
//! one after the other, and a finished one is kept even if the run is killed. A piece that begins
//! inside a file guesses where its first record begins. The end of the piece before it shows
//! whether the guess was right; segments with a wrong guess are read again.

mod finish;
mod planned_segment;
mod revisits;
mod shard;
mod sketch_phase;
mod sketched_shards;

pub use shard::{Shard, ShardCounts, run_shard};
pub use sketch_phase::memory_minimum_bytes;
pub use sketched_shards::SketchedShards;

use engine::{Engine, Error};
use format::PhaseRecord;
use planned_segment::PlannedSegment;
use sketch_phase::SketchPhase;

/// Runs the phase; gives its outputs and counts for the manifest. Of `shards` it takes the segments
/// that other machines have finished.
pub fn run(engine: &Engine<'_>, shards: Option<SketchedShards>) -> Result<PhaseRecord, Error> {
    let mut phase = SketchPhase {
        engine,
        segments: Vec::new(),
    };
    for (at, snapshot) in engine.inputs.snapshots.iter().enumerate() {
        if finish::is_sketched(engine, at) {
            continue;
        }
        snapshot.check()?;
        phase.segments.extend(PlannedSegment::all_of(engine, at));
    }
    if let Some(shards) = shards {
        shards.adopt(&phase)?;
    }
    phase.read()?;
    finish::finish(engine, &phase.segments)
}
