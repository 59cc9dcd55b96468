//! Finished segments → sketched snapshots: their counts, the digests of their files, document table
//! and rejected records.

use super::planned_segment::{self, PHASE, PlannedSegment};
use super::revisits;
use engine::Engine;
use engine::document_tables::{FirstLines, document_tables};
use engine::field_types::join_types;
use format::{Manifest, PhaseRecord, Sealed};
use intake::manifest::{content_read_of, files_of};
use runtime::Error;
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
    let mut whole = PhaseRecord::default();
    for snapshot in &engine.manifest().snapshots {
        if snapshot.retained_for_revisits {
            continue;
        }
        whole.outputs.extend(snapshot.sketched.outputs.clone());
        for (name, n) in &snapshot.sketched.counts {
            let sum = whole.counts.entry(name.clone()).or_insert(0);
            *sum = if name.starts_with("field.") {
                join_types(*sum, *n)
            } else {
                *sum + n
            };
        }
    }
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
        for (at, known) in segment.pieces.iter().enumerate() {
            if part.counts.contains_key(&planned_segment::unread(at)) {
                unread.insert(known.piece.file);
            }
            if let Some(digest) = part.counts.get(&format!("piece-{at}.digest")) {
                digests
                    .entry(known.piece.file)
                    .or_default()
                    .write(&digest.to_le_bytes());
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
    let mut sketched = PhaseRecord::default();
    let mut manifest = engine.manifest();
    let mut documents = 0;
    for segment in segments {
        let Some(part) = manifest
            .parts
            .get(PHASE.name())
            .and_then(|parts| parts.get(&segment.name))
        else {
            continue;
        };
        sketched.outputs.extend(part.outputs.clone());
        documents += part.counts.get("documents").copied().unwrap_or(0);
        for (name, n) in part
            .counts
            .iter()
            .filter(|(name, _)| !name.starts_with("piece-"))
        {
            let sum = sketched.counts.entry(name.clone()).or_insert(0);
            *sum = if name.starts_with("field.") {
                join_types(*sum, *n)
            } else {
                *sum + n
            };
        }
    }
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
    for (_, rejection) in &engine.inputs.listing.rejected[live.rejected.clone()] {
        let name = if rejection.reason == input::NOT_A_PAGE {
            format!("skipped.{}", rejection.detail)
        } else {
            format!("rejected.{}", rejection.reason)
        };
        *sketched.counts.entry(name).or_insert(0) += rejection.records;
    }
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
        for (at, known) in segment.pieces.iter().enumerate() {
            let figure = |name| part.counts.get(&format!("piece-{at}.{name}")).copied();
            if let (Some(first), Some(lines)) = (figure("first"), figure("lines")) {
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
    let parameters = runtime::parameters::of(PHASE, engine.config);
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
