//! Finished segments → sketched snapshots: their counts, the digests of their files, document table
//! and rejected records.

use super::planned_segment::{PHASE, PlannedSegment};
use super::revisits;
use crate::segment::KnownPiece;
use engine::{
    Engine, Error,
    document_tables::{FirstLines, document_tables},
    figures::{SegmentFigures, SketchFigures},
    intake::manifest::{content_read_of, files_of},
};
use format::{Manifest, PhaseFigures, PhaseRecord, Sealed};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;
use twox_hash::XxHash3_64;

/// Whether a snapshot, by its place, was sketched by an earlier run, and is there.
pub(super) fn is_sketched(engine: &Engine<'_>, at: usize) -> bool {
    let manifest = engine.manifest();
    let Some(record) = manifest.snapshots.get(at) else {
        return false;
    };
    let dir = engine.dir(PHASE);
    let is_there =
        |sealed: &Sealed| engine.disk.size(&dir.join(&sealed.name)) == Some(sealed.bytes);
    !record.sketched.parameters.is_empty() && record.sketched.outputs.values().all(is_there)
}

/// Makes what was read of each snapshot its record, and all of them that of the phase.
pub(super) fn finish(
    engine: &Engine<'_>,
    segments: &[PlannedSegment],
) -> Result<PhaseRecord, Error> {
    for segments in segments.chunk_by(|a, b| a.snapshot == b.snapshot) {
        add_up(engine, segments)?;
        if let Some(segment) = segments.first() {
            revisits::resolve(engine, segment.snapshot)?;
        }
    }
    // The tables read the segments through the manifest, as every later phase does.
    for segments in segments.chunk_by(|a, b| a.snapshot == b.snapshot) {
        snapshot(engine, segments)?;
    }
    let (mut whole, mut figures) = (PhaseRecord::default(), SketchFigures::default());
    for snapshot in &engine.manifest().snapshots {
        if snapshot.retained_for_revisits {
            continue;
        }
        whole.outputs.extend(snapshot.sketched.outputs.clone());
        figures.add(&snapshot.sketched.figures.read());
    }
    whole.figures = PhaseFigures::of(&figures);
    Ok(whole)
}

/// Makes the digest of a file that is cut of those of its pieces, and takes that of one that could
/// not be opened away.
pub(super) fn digest_files(manifest: &mut Manifest, segments: &[PlannedSegment]) {
    let mut digests: BTreeMap<u32, XxHash3_64> = BTreeMap::new();
    let mut unread = BTreeSet::new();
    let parts = manifest.parts.get(PHASE.name());
    for segment in segments {
        let Some(part) = parts.and_then(|parts| parts.get(&segment.name)) else {
            continue;
        };
        for (at, figures) in part.figures.read::<SegmentFigures>().pieces {
            let Some(KnownPiece { piece, .. }) = segment.pieces.get(at) else {
                continue;
            };
            let file = piece.file;
            if figures.is_unread {
                unread.insert(file);
            }
            if let Some(digest) = figures.digest {
                let hasher = digests.entry(file).or_default();
                hasher.write(&digest.to_le_bytes());
            }
        }
    }
    for (file, hasher) in digests {
        manifest.inputs[file as usize].digest = format!("{:016x}", hasher.finish());
    }
    for file in unread {
        manifest.inputs[file as usize].digest = String::new();
    }
}

/// Adds up the segments of a snapshot.
fn add_up(engine: &Engine<'_>, segments: &[PlannedSegment]) -> Result<(), Error> {
    let (mut sketched, mut figures) = (PhaseRecord::default(), SketchFigures::default());
    let mut manifest = engine.manifest();
    for segment in segments {
        let Some(part) = manifest
            .parts
            .get(PHASE.name())
            .and_then(|parts| parts.get(&segment.name))
        else {
            continue;
        };
        sketched.outputs.extend(part.outputs.clone());
        figures.add(&part.figures.read::<SegmentFigures>().sketched);
    }
    let documents = figures.documents;
    digest_files(&mut manifest, segments);
    let Some(segment) = segments.first() else {
        return Ok(());
    };
    let live = &engine.inputs.snapshots[segment.snapshot];
    live.check_read(
        files_of(&manifest)
            .get(&segment.number)
            .copied()
            .unwrap_or_default(),
    )?;
    for file in &engine.inputs.listing.rejected[live.rejected.clone()] {
        let (counts, name) = if file.reason == input::NOT_A_PAGE {
            (&mut figures.skipped, file.detail.as_str())
        } else {
            (&mut figures.rejected, file.reason)
        };
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    sketched.figures = PhaseFigures::of(&figures);
    let record = &mut manifest.snapshots[segment.snapshot];
    record.segments = segments.len() as u32;
    record.documents = u32::try_from(documents).map_err(|_| {
        Error::Usage(format!(
            "failed to number the documents of {}: {documents} are too many",
            live.name
        ))
    })?;
    record.sketched = sketched;
    Ok(())
}

/// Where the lines of each piece begin.
fn first_lines(engine: &Engine<'_>, segments: &[PlannedSegment]) -> FirstLines {
    let manifest = engine.manifest();
    let parts = manifest.parts.get(PHASE.name());
    let mut first_lines = FirstLines::default();
    for segment in segments {
        let Some(part) = parts.and_then(|parts| parts.get(&segment.name)) else {
            continue;
        };
        for (at, figures) in part.figures.read::<SegmentFigures>().pieces {
            if let (Some(first), Some(lines), Some(known)) =
                (figures.first, figures.lines, segment.pieces.get(at))
            {
                first_lines.push(known.piece.file, first, lines);
            }
        }
    }
    first_lines
}

/// Writes the tables of a snapshot; from here on it is sketched.
fn snapshot(engine: &Engine<'_>, segments: &[PlannedSegment]) -> Result<(), Error> {
    let Some(segment) = segments.first() else {
        return Ok(());
    };
    let is_retained_for_revisits = engine
        .manifest()
        .snapshots
        .get(segment.snapshot)
        .is_some_and(|record| record.retained_for_revisits);
    let tables = if is_retained_for_revisits {
        Vec::new()
    } else {
        document_tables(engine, segment.snapshot, &first_lines(engine, segments))?
    };
    let parameters = engine::runtime::parameters::of(PHASE, engine.config);
    let mut manifest = engine.manifest();
    let content = files_of(&manifest)
        .get(&segment.number)
        .map(|files| content_read_of(files));
    let Some(record) = manifest.snapshots.get_mut(segment.snapshot) else {
        return Ok(());
    };
    for sealed in tables {
        record.sketched.outputs.insert(sealed.name.clone(), sealed);
    }
    record.sketched.parameters = parameters;
    record.sketched.inputs = content.unwrap_or_default();
    Ok(())
}
